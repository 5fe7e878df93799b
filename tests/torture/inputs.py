"""What hypothesis types on the command line: any case, a few of its parameters changed, to sane, extreme and senseless values."""

from functools import cache

from case_runs import SMALL
from hypothesis import strategies as st

from cases.app.parts.parameters import base_type, is_field
from cases.app.registry import CASES, load

EXTREME = ["0", "-0.0", "1e-300", "-1e-300", "1e300", "-1e300", "5e-324", "1e-16", "1e16", "-1", "1"]
SENSELESS = [
    "",
    " ",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "abc",
    "1,2",
    "1;2",
    "0x10",
    "1_000",
    "١٢",
    "½",
    "1e",
    "--",
    "-",
    "None",
    "true",
    "1.0.0",
]
SENSELESS += ["[1]", "{}", "'", '"', "$(ls)", "%s", "é", "🙂", "\u202e1", "1\n2", "\t3", "9" * 400, "a" * 3000]
CELLS = ("nx", "ny", "nz", "ne", "nr", "nt", "steps")
EXPRESSIONS = [
    *(
        "0.3",
        "0.3 + 0.1*X",
        "0.5*(t < 0.01)",
        "abs(Y) + 0.1",
        "sin(t)**2",
        "1/(X - 0.1)",
        "sqrt(X)",
        "exp(1e4*X)",
        "X - 1e9",
    ),
    *(
        "0/0",
        "9**9**9**9",
        "__import__('os')",
        "X.real",
        "t if t else X",
        "lambda: 1",
        "(" * 200 + "X" + ")" * 200,
        "1e308*10*X",
    ),
    *(
        "where(X > 0, 0.1, 0.2)",
        "0.3*(X < 0) + 0.4*(X >= 0)",
        "t > t > t",
        "z",
        "0.2*(t < 0.004) + 0.6*(t >= 0.004)",
        "-1",
        "1j",
    ),
]
MESHED = 10**7


@cache
def fields(name):
    return load(name).Parameters.model_fields


def _scaled(default):
    base = abs(default) if isinstance(default, (int, float)) and default else 1.0
    base = base if base < 1e300 else 1.0
    signs = st.sampled_from([1, 1, 1, -1])
    return st.builds(lambda p, s: f"{s * base * 10.0**p:.6g}", st.floats(-3, 3), signs)


def number(default):
    return st.one_of(
        *[_scaled(default)] * 6, st.sampled_from(EXTREME), st.sampled_from(EXTREME), st.sampled_from(SENSELESS)
    )


def value(name, key):
    """What may be typed for a parameter."""
    field = fields(name)[key]
    kind, extra = base_type(field), field.json_schema_extra or {}
    if "choices" in extra:
        return st.one_of(*[st.sampled_from([str(c) for c in extra["choices"]])] * 8, st.sampled_from(SENSELESS))
    if is_field(field):
        return st.one_of(number(field.default), st.sampled_from(EXPRESSIONS))
    if kind is int:
        small = st.integers(1, 6).map(str)
        return st.one_of(
            *[small] * 8,
            st.sampled_from(["0", "-3", "2.5", "1e3", str(MESHED), str(10**30)]),
            st.sampled_from(SENSELESS),
        )
    if kind is bool:
        return st.one_of(*[st.sampled_from(["true", "false", "0", "1"])] * 4, st.sampled_from(SENSELESS))
    if kind is tuple:
        many = st.lists(number(1.0), min_size=1, max_size=5).map(",".join)
        return st.one_of(many, many, st.sampled_from(SENSELESS))
    if kind is str:
        return st.one_of(
            st.sampled_from(SENSELESS), st.sampled_from(["/dev/null", "/", "/nonexistent.msh", "/etc/passwd"])
        )
    return number(field.default)


def steps(draw, name):
    """A step and an end a few steps later: what a run costs is bounded."""
    small = SMALL[name]
    dt = small["dt"] * 10.0 ** draw(st.floats(-2, 1))
    return {"dt": f"{dt:.3g}", "t_end": f"{dt * draw(st.integers(1, 30)):.6g}"}


@st.composite
def runs(draw):
    """A case and the texts of its parameters."""
    name = draw(st.sampled_from(list(CASES)))
    texts = {key: str(v) for key, v in SMALL[name].items()}
    if draw(st.booleans()):
        texts |= steps(draw, name)
    keys = [key for key in fields(name) if key not in ("t_end", "dt") or draw(st.integers(0, 9)) == 0]
    for key in draw(st.lists(st.sampled_from(keys), max_size=5, unique=True)):
        texts[key] = draw(value(name, key))
    return name, texts


def tokens_of(texts):
    return [f"--{key}={text}" for key, text in texts.items()]


OPTIONS = [
    "--quiet",
    "--strict",
    "--stress",
    "--force",
    "--html",
    "--vtk",
    "--checkpoint_every=0",
    "--checkpoint_every=x",
    "--nonsense",
    "--out=",
]


@st.composite
def commands(draw):
    """A whole command line without its results directory; OUT stands for that."""
    name, texts = draw(runs())
    parameters = tokens_of(texts)
    kind = draw(st.sampled_from(["run"] * 16 + ["sweep", "sweep", "converge", "modes", "mangled"]))
    if kind == "run":
        return ["run", name, *parameters, *draw(st.lists(st.sampled_from(OPTIONS), max_size=1)), "--out", "OUT"]
    if kind == "sweep":
        key = draw(st.sampled_from(list(fields(name))))
        values = ",".join(draw(st.lists(value(name, key), min_size=1, max_size=3)))
        left = [p for p in parameters if not p.startswith(f"--{key}=")]
        return ["sweep", name, "--grid", f"{key}={values}", "--workers", "0", *left, "--out", "OUT"]
    if kind == "converge":
        return [
            "converge",
            name,
            "--over",
            draw(st.sampled_from(["dt", "mesh", "x"])),
            "--levels",
            "2",
            *parameters,
            "--out",
            "OUT",
        ]
    if kind == "modes":
        return [
            "modes",
            name,
            "--count",
            draw(st.sampled_from(["1", "3", "0", "x", "9999"])),
            *parameters,
            "--out",
            "OUT",
        ]
    line = ["run", name, *parameters, "--out", "OUT"]
    where = draw(st.integers(0, len(line) - 1))
    return [*line[:where], draw(st.sampled_from([*SENSELESS, *OPTIONS])), *line[where + 1 :]]
