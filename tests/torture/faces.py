"""What hypothesis gives to the Python faces: sane arguments, of which one or two are replaced by what a user may give by mistake.

A call ends well with a value whose numbers are finite, or with an error that our code raises on purpose: one line of ValueError or
TypeError, or a failure by name. What a library under it raises is a defect: nobody can read from it what was expected.
"""

import signal
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import processes
from hypothesis import strategies as st
from python_faces import AHEAD, CUBE, FUNCTIONS, MESH, OBJECTS, ON_GROUND, PLATE, PULL, RIGID, STEEL

import friction
from floating_frame import (
    Contact,
    EdgeLoad,
    InitialState,
    Line,
    Options,
    Problem,
    Ramp,
    Signorini,
    SolidProblem,
    SpaceProblem,
    StepFailure,
    assemble,
    run_warnings,
    simulate,
)

ROOT = Path(__file__).resolve().parents[2]
CALLS = {name: call for name, call in (OBJECTS | FUNCTIONS).items() if call[1]}
USED = {
    "plate": lambda found: Problem(body=found, t_end=0.003, foundation=ON_GROUND, loads=(PULL,)),
    "foundation": lambda found: Problem(body=PLATE, t_end=0.003, foundation=found, loads=(PULL,)),
    "initial": lambda found: Problem(body=PLATE, t_end=0.003, initial=found),
    "problem": lambda found: found,
    "space problem": lambda found: found,
    "rigid solid": lambda found: SpaceProblem(body=found, t_end=0.003, mu=0.3),
    "space force": lambda found: SpaceProblem(body=CUBE, t_end=0.003, loads=(found,)),
    "space start": lambda found: SpaceProblem(body=CUBE, t_end=0.003, initial=found),
    "spring": lambda found: Problem(body=RIGID, t_end=0.003, effects=(found,)),
    "contact": lambda found: Problem(
        body=RIGID, t_end=0.003, contacts=(found,), initial=InitialState(velocity=(1.0, 0.0))
    ),
}
USED |= dict.fromkeys(("beam problem", "solid problem", "guided solid", "contacts in space"), lambda found: found)
USED["solid body"] = lambda found: SolidProblem(body=found, t_end=0.003)
USED |= dict.fromkeys(
    ("sliding", "stiction", "smooth", "stribeck", "static-kinetic", "elliptic", "spline", "limited"),
    lambda law: Problem(body=RIGID, t_end=0.003, foundation=friction.Foundation(law, 0.5, 98.1), loads=(PULL,)),
)
USED |= dict.fromkeys(
    ("edge load", "follower", "torque", "couple", "body force"),
    lambda load: Problem(body=PLATE, t_end=0.003, foundation=ON_GROUND, loads=(load,)),
)
USED |= dict.fromkeys(
    ("circle", "box", "line", "chain", "hole"),
    lambda obstacle: Problem(body=RIGID, t_end=0.003, contacts=(Contact(obstacle, edge="right", normal=Signorini()),)),
)
USED |= dict.fromkeys(
    ("ramp", "table", "function"),
    lambda history: Problem(body=PLATE, t_end=0.003, loads=(EdgeLoad("right", (1.0, 0.0), history),)),
)
USED |= dict.fromkeys(
    ("options", "error control"), lambda found: (Problem(body=RIGID, t_end=0.01, loads=(PULL,)), found)
)

UNFIT = {
    "a function of nothing": lambda: 1.0,
    "a function of one": lambda x: x,
    "a function of two": lambda x, t: 1.0,
    "a function to nan": lambda *given: float("nan"),
    "a function to text": lambda *given: "much",
    "a function to nothing": lambda *given: None,
    "a function that fails": lambda *given: 1 // 0,
}
MISTAKES = [
    *(
        None,
        True,
        "",
        "much",
        "0.3",
        "right",
        "nowhere",
        b"1",
        1j,
        float("nan"),
        float("inf"),
        -float("inf"),
        0,
        0.0,
        -1.0,
        1e300,
        5e-324,
    ),
    *(
        1e-12,
        1e9,
        -3,
        2,
        10**40,
        (),
        [],
        {},
        (1.0,),
        (1.0, 2.0),
        (1.0, 2.0, 3.0),
        [[1.0, 2.0]],
        ("a", "b"),
        (None, None),
        [1.0, float("nan")],
    ),
    *(
        np.zeros(0),
        np.ones(2),
        np.full((3, 2), np.nan),
        np.ones((2, 2), int),
        np.array(["x"]),
        np.array(1.0),
        np.float32(0.5),
        np.int64(2),
    ),
    *(
        PLATE,
        RIGID,
        PULL,
        ON_GROUND,
        STEEL,
        Ramp,
        Options,
        CUBE,
        AHEAD,
        friction.Coulomb(),
        friction.Limited(friction.Coulomb(), 2.0),
        InitialState(),
        Signorini(),
        Line((1.0, 0.0), (-1.0, 0.0)),
        Ramp(0.1),
        MESH,
        (AHEAD,),
        (Ramp(0.1),),
        (Signorini(),),
        object(),
        "mean-axis",
        "coulomb",
        "X + 1",
        "0.5*(t < 1)",
        "1/0",
        (0.2, 0.1, 0.0),
    ),
    *UNFIT.values(),
]


@st.composite
def calls(draw):
    """A face, its arguments, and the numbers of the mistakes in it."""
    name = draw(st.sampled_from(list(CALLS)))
    sane = CALLS[name][1]
    changed = draw(st.lists(st.sampled_from(list(sane)), min_size=1, max_size=2, unique=True))
    scaled = {key: draw(st.floats(-6, 6)) for key in changed if isinstance(sane[key], float) and draw(st.booleans())}
    mistakes = {key: draw(st.integers(0, len(MISTAKES) - 1)) for key in changed if key not in scaled}
    return name, {key: float(f"{sane[key] * 10**power:.6g}") for key, power in scaled.items()}, mistakes


def call(drawn, tally):
    """Make the call, use what it gives for three steps, and note how it ended."""
    name, scaled, mistakes = drawn
    make, sane = CALLS[name]
    given = sane | scaled | {key: MISTAKES[number] for key, number in mistakes.items()}
    told = f"{make.__module__}.{make.__qualname__}({', '.join(f'{k}={_short(v)}' for k, v in given.items())})"
    try:
        try:
            kind = _made(name, given, processes.PATIENCE)
        except Late:
            kind = _made(name, given, processes.STUCK)
        tally.count("python", kind)
    except Late:
        tally.defect("python", told, f"a hang: no end within {processes.STUCK:.0f} s")
    except MemoryError:
        tally.count("python", "failed by name")
    except Exception as error:
        fault = judged(error)
        if fault:
            tally.defect("python", told, fault + "\n" + "".join(traceback.format_exc().splitlines(keepends=True)[-9:]))
        else:
            tally.count("python", "failed by name" if isinstance(error, RuntimeError) else "refused in a line")


def _made(name, given, seconds):
    with warnings.catch_warnings(), patience(seconds):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy, on numbers beyond its range
        found = CALLS[name][0](**given)
        repr(found)
        return "valid result" if name not in USED else used(USED[name](found))


class Late(BaseException):
    """A call took too long."""


@contextmanager
def patience(seconds):
    """Raise Late after `seconds`."""

    def ring(number, frame):
        raise Late

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def used(problem):
    """Run a problem for some steps; what is stored must be finite."""
    problem, options = problem if isinstance(problem, tuple) else (problem, Options(dt=1e-3))
    if getattr(problem, "t_end", 0.01) / max(getattr(options, "dt", 1e-3), 1e-9) > 1e4:
        return "valid result"
    try:
        with simulate(assemble(problem, options)) as run:
            bad = [k for k, v in run.variables.items() if v.dtype.kind == "f" and not np.all(np.isfinite(v.values))]
            run_warnings(run)
    except StepFailure:
        return "failed by name"
    if bad:
        raise AssertionError(f"not finite: {bad}")
    return "valid result"


def judged(error):
    """Return what is wrong with an error; nothing where our code raises it on purpose."""
    frames = traceback.extract_tb(error.__traceback__)
    inner = Path(frames[-1].filename)
    ours = ROOT in inner.parents and ".venv" not in inner.parts
    text = str(error)
    if isinstance(error, TypeError) and ("argument" in text or "lambda" in text or "<lambda>" in str(frames[-1].name)):
        return ""  # Python's own word on a signature
    if str(frames[-1].name) == "<lambda>" and inner.name == "faces.py":
        return ""  # the user's own function fails
    if (
        isinstance(error, (ValueError, TypeError, RuntimeError, OSError))
        and ours
        and str(frames[-1].line).startswith("raise")
    ):
        return ""
    return f"{type(error).__name__} at {inner.name}:{frames[-1].lineno}: {text[:200]}"


def _short(value):
    for name, function in UNFIT.items():
        if value is function:
            return f"<{name}>"
    text = " ".join(repr(value).split())
    return text if len(text) < 100 else f"<{type(value).__name__}>"
