"""The command line: what it prints, what it refuses in one line with status 2, and that it then writes nothing."""

import io
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from rows import rows

from cases.app.command import application, cli, of_a_case, options
from cases.app.parts.parameters import ElasticParameters, Numbers, base_type, quantity
from cases.app.registry import CASES, load
from cases.app.run import runner

ROOT = Path(__file__).resolve().parents[2]


def test_without_arguments_the_cases_are_listed_one_line_each(command):
    for arguments in ((), ("list",)):
        status, out, err = command(*arguments)
        assert (status, err) == (0, "")
        lines = out.splitlines()
        assert [line.split()[0] for line in lines] == list(CASES)
        assert all(len(line) < 130 for line in lines)


def test_the_help_names_the_commands_that_exist_and_no_others(command):
    status, out, _ = command("--help")
    assert status == 0
    assert re.findall(r"^  (\w+):", out, re.M) == [
        "animate",
        "benchmark",
        "compare",
        "completion",
        "converge",
        "export",
        "list",
        "modes",
        "plot",
        "resume",
        "run",
        "sweep",
    ]


@rows("name", CASES)
def test_a_cases_help_lists_every_parameter_with_meaning_unit_bounds_and_default(command, name):
    status, out, err = command("run", name, "--help")
    assert (status, err) == (0, "")
    lines = {line.split()[0]: line for line in out.splitlines() if line.startswith("  --")}
    for key, field in load(name).Parameters.model_fields.items():
        line = lines[f"--{key}"]
        assert field.description in line
        if base_type(field) in (int, float):
            assert f"[{field.json_schema_extra['unit']}]" in line
        default = re.search(r"default (\S+)$", line)[1]
        if isinstance(field.default, float):
            assert float(default) == field.default
        elif isinstance(field.default, tuple):
            given = () if default == "none" else tuple(float(text) for text in default.split(","))
            assert given == field.default
        else:
            assert default == ("none" if field.default is None else str(field.default))
    assert {"--config", "--out", "--quiet:", "--stress:"} <= set(lines)


BAD = {
    "unknown command": (("frobnicate",), r"frobnicate.*list, run, converge, sweep, plot, animate"),
    "unknown option of the program": (("--verbose",), r"--verbose"),
    "unknown shell": (("completion", "csh"), r"expected one of bash, zsh, fish, powershell, got csh"),
    "no case": (("run",), r"expected the name of a case \(one of block_on_table, .*got nothing"),
    "unknown case": (("run", "nope"), r"block_on_table, plate_sliding.*solid_pulled.*FILE.py, got nope"),
    "unknown option": (("run", "block_on_table", "--mue", "1"), r"--mue.*Expected one of"),
    "abbreviated option": (("run", "block_on_table", "--grav", "1"), r"--grav"),
    "option without value": (("run", "block_on_table", "--mu"), r"--mu requires an argument"),
    "option given twice": (("run", "block_on_table", "--mu", "1", "--mu", "2"), r"--mu specified multiple times"),
    "one argument too many": (("run", "block_on_table", "more"), r"got more"),
    "no number": (("run", "block_on_table", "--mu", "much"), r"mu: expected a number >= 0, got 'much'"),
    "negative": (("run", "block_on_table", "--mu", "-0.1"), r"mu: expected a number >= 0, got -0.1"),
    "negative after equals": (("run", "block_on_table", "--mass=-1"), r"mass: expected a number > 0, got -1.0"),
    "not a number": (("run", "plate_sliding", "--E", "nan"), r"E: expected a finite number > 0, got nan"),
    "infinite": (("run", "plate_sliding", "--t-end", "inf"), r"t_end: expected a finite number > 0, got inf"),
    "no integer": (("run", "plate_sliding", "--nx", "2.5"), r"nx: expected an integer >= 1, got '2.5'"),
    "no choice": (("run", "plate_sliding", "--law", "glue"), r"law: expected one of coulomb.*got 'glue'"),
    "frame not built yet": (("run", "plate_sliding", "--frame", "clamped"), r"frame: expected one of mean-axis"),
    "Poisson's ratio at its limit": (("run", "plate_sliding", "--nu", "0.5"), r"nu: expected a number > -1, < 0.5"),
    "zero step": (("run", "plate_sliding", "--dt", "0"), r"dt: expected a number > 0 with scheme sdirk2, got 0"),
    "explicit with P2": (("run", "plate_sliding", "--scheme", "explicit", "--elements", "P2"), r"expected P1 or Q1"),
    "no such edge": (("run", "plate_sliding", "--edge", "rim"), r"edge must be one of .*right.*got 'rim'"),
    "no mesh file": (("run", "plate_sliding", "--mesh", "none.msh"), r"none.msh"),
    "no directory": (("run", "block_on_table", "--out", "file.txt/results"), r"out: expected a directory"),
    "a file for a directory": (("run", "block_on_table", "--out", "file.txt"), r"out: expected a directory"),
    "no configuration": (("run", "block_on_table", "--config", "none.toml"), r"config: expected .*'none.toml'"),
    "parameters of no case": (("run", "--config", "key.toml"), r"expected the NAME of a case first, .*got --config"),
    "no TOML": (("run", "block_on_table", "--config", "file.txt"), r"config: expected a TOML file, got 'file.txt'"),
    "a blank name for results": (
        ("run", "block_on_table", "--out", " "),
        r"out: expected the name of a directory, got ' '",
    ),
    "a name that NetCDF does not take": (
        ("run", "block_on_table", "--out", "a\\b"),
        r"out: .* without .*NetCDF",
    ),
    "no name for results": (("run", "block_on_table", "--out", ""), r"out: expected the name of a directory, got ''"),
    "no name for a sweep": (
        ("sweep", "block_on_table", "--grid", "mu=0.1,0.2", "--out", ""),
        r"out: expected the name",
    ),
    "a blank name for a sweep": (
        ("sweep", "block_on_table", "--grid", "mu=0.1,0.2", "--out", "\t"),
        r"out: expected the",
    ),
    "no name for a study": (("converge", "rod_wave", "--over", "dt", "--out", ""), r"out: expected the name"),
    "no name for modes": (("modes", "plate_sliding", "--out", " "), r"out: expected the name"),
    "no name for a comparison": (("compare", "empty", "empty", "--out", ""), r"out: expected a file .* got ''"),
    "no name for a film": (("animate", "empty", "--out", " "), r"expected"),
    "no name to plot": (("plot", ""), r"expected a results directory, got ''"),
    "a blank name to resume": (("resume", " "), r"expected a results directory, got ' '"),
    "a device for a configuration": (
        ("run", "block_on_table", "--config", "/dev/zero"),
        r"config: .*\(no regular file\)",
    ),
    "a pipe for a configuration": (("run", "block_on_table", "--config", "pipe"), r"config: .*\(no regular file\)"),
    "a pipe for a summary": (("run", "block_on_table", "--config", "pipe.json"), r"config: .*\(no regular file\)"),
    "a directory for a configuration": (
        ("run", "block_on_table", "--config", "empty"),
        r"config: .*\(Is a directory\)",
    ),
    "two million bytes of configuration": (
        ("run", "block_on_table", "--config", "long.toml"),
        r"config: .*\(more than 1048576 bytes\)",
    ),
    "names nested too deeply": (("run", "block_on_table", "--config", "deep.toml"), r"config: .*nested too deeply"),
    "a device for a mesh": (("run", "plate_sliding", "--mesh", "zero.msh"), r"no regular file"),
    "unknown key": (
        ("run", "block_on_table", "--config", "key.toml"),
        r"unknown parameter mue: did you mean mu\?",
    ),
    "a table": (("run", "block_on_table", "--config", "table.toml"), r"unknown parameter block_on_table"),
    "text for a number": (("run", "block_on_table", "--config", "text.toml"), r"mu: expected a number >= 0, got '0.3'"),
    "a switch for a number": (("run", "block_on_table", "--config", "switch.toml"), r"nx: expected an integer.*True"),
    "an array for a number": (("run", "block_on_table", "--config", "array.toml"), r"mu: expected a number"),
    "nothing to plot": (("plot",), r"DIR requires an argument"),
    "no such results": (("plot", "nowhere"), r"expected a results directory with a trajectory.nc, got 'nowhere'"),
    "no trajectory": (("plot", "empty"), r"expected the trajectory of a case"),
    "stress of a rigid body": (("run", "block_on_table", "--stress"), r"rigid body has no stress"),
    "stable step of a rigid body": (("run", "spinning_disc", "--scheme", "explicit", "--dt", "0"), r"dt"),
    "too many cells": (("run", "plate_sliding", "--nx", "100000", "--ny", "100000"), r"nx = 100000 x .* are too many"),
    "too many rings": (("run", "annulus_torsion", f"--nr={10**23}"), r"nr = 1e23 x nt = 60 cells are too many"),
    "too many points": (("run", "spinning_disc", "--nr", "100000"), r"nr = 100000 x nt = 48 cells are too many"),
    "stress of a rigid body in space": (("run", "block_in_space", "--stress"), r"rigid body has no stress"),
    "quadrilaterals in a disc": (("run", "spinning_disc", "--body", "elastic", "--elements", "Q1"), r"triangle"),
}
FILES = {
    "file.txt": "mu = = 3\n",
    "key.toml": "mue = 0.3\n",
    "table.toml": "[block_on_table]\nmu = 0.3\n",
    "text.toml": 'mu = "0.3"\n',
    "switch.toml": "nx = true\n",
    "array.toml": "mu = [0.3]\n",
    "empty/trajectory.nc": "",
    "long.toml": "mu = 0.3\n" + "# " * 1_000_000,
    "deep.toml": "a." * 200_000 + "a = 1",
}


@rows("kind", BAD)
def test_bad_input_is_refused_in_one_line_and_nothing_is_written(command, tmp_path, kind):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    if not (tmp_path / "pipe").exists():  # rows share their folder
        for name in ("pipe", "pipe.json"):
            os.mkfifo(tmp_path / name)
        (tmp_path / "zero.msh").symlink_to("/dev/zero")
    before = sorted(tmp_path.rglob("*"))
    arguments, expected = BAD[kind]
    status, out, err = command(*arguments)
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert re.search(expected, err), err
    assert not re.search(r"Traceback|╭|pydantic|errors\.", err)
    assert sorted(tmp_path.rglob("*")) == before


BAD_MESHES = {
    "degenerate": ([(0, 0), (1, 0), (2, 0), (0, 1)], [(0, 1, 2), (0, 1, 3)], "cell"),
    "unnamed edge": ([(0, 0), (1, 0), (0, 1)], [(0, 1, 2)], "edge must be one of boundary, got 'right'"),
}


@pytest.mark.parametrize("kind", BAD_MESHES)
def test_a_mesh_file_that_cannot_be_used_is_refused(command, tmp_path, kind):
    import meshio

    points, cells, expected = BAD_MESHES[kind]
    meshio.write_points_cells(tmp_path / "mesh.vtk", [(*p, 0.0) for p in points], [("triangle", cells)])
    status, _, err = command("run", "plate_sliding", "--mesh", "mesh.vtk", "--out", "results")
    assert status == 2
    assert err.count("\n") == 1
    assert expected in err
    assert not (tmp_path / "results").exists()


class Lists(ElasticParameters):
    t_end: float = 1.0
    dt: float = 0.1
    mu: float = 0.1
    E: float = 1.0
    nu: float = 0.3
    forces: Numbers = quantity("N", "history of forces", default=(1.0, -1.0))
    shift: float = quantity("m", "a number of either sign", default=0.0)


@pytest.mark.parametrize(
    "words", [("--forces", "-0.06,0,3e-2", "--shift", "-1e-3"), ("--forces=-0.06,0,3e-2", "--shift=-.001")]
)
def test_negative_numbers_and_lists_need_no_quoting(command, monkeypatch, words):
    seen = {}

    def run(name, given, **options):
        seen.update(runner.read_parameters(Lists, given, None).model_dump(), name=name, **options)
        return 0

    monkeypatch.setattr(application, "CASES", {"lists": "a case with a list"})
    for module in (options, of_a_case):
        monkeypatch.setattr(module, "load", lambda name: SimpleNamespace(Parameters=Lists))
    monkeypatch.setattr(runner, "run", run)
    assert command("run", "lists", *words, "--output-every", "2", "--quiet") == (0, "", "")
    assert seen["forces"] == (-0.06, 0.0, 0.03)
    assert seen["shift"] == -1e-3
    assert seen["output_every"] == 2
    assert (seen["out"], seen["quiet"], seen["stress"]) == ("results/lists", True, False)


def _python(*arguments, cwd):
    environment = os.environ | {"MPLBACKEND": "Agg"}
    return subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def test_a_case_run_as_a_script_from_elsewhere_is_the_command(tmp_path, command, monkeypatch, capfd):
    short = ("--t-end", "0.02", "--dt", "1e-2", "--nx", "2", "--ny", "2", "--amplitude=-9", "--quiet", "--out")
    script = _python(ROOT / "cases" / "block_on_table.py", *short, "script", cwd=tmp_path)
    assert (script.returncode, script.stdout, script.stderr) == (0, "", "")
    assert command("run", "block_on_table", *short, "module") == (0, "", "")
    names = ["block_on_table.png", "summary.json", "trajectory.nc"]
    assert sorted(p.name for p in (tmp_path / "script").iterdir()) == names
    texts = [(tmp_path / where / "summary.json").read_text() for where in ("script", "module")]
    assert texts[0] == texts[1]
    assert '"amplitude": -9.0' in texts[0]
    monkeypatch.setattr(sys, "argv", ["block_on_table.py", "--mu", "x"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "cases" / "block_on_table.py"), run_name="__main__")
    assert (ended.value.code, capfd.readouterr().err.count("\n")) == (2, 1)


@pytest.mark.parametrize("arguments", [("cases",), pytest.param(("paper_figures", "--list"), marks=pytest.mark.slow)])
def test_output_that_nobody_reads_ends_the_command_without_a_word(arguments):
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    process.stdout.close()  # as `| head -0` does
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert said == b""


def test_help_of_a_case_waits_for_none_of_the_numerics():
    slow = {
        "dask",
        "matplotlib",
        "meshio",
        "netCDF4",
        "numba",
        "numexpr",
        "pandas",
        "scipy.sparse",
        "scipy.optimize",
        "skfem",
        "xarray",
    }
    script = (
        "import cases.__main__, sys; from cases.app.command.cli import main; from cases.app.registry import CASES\n"
        "assert not any(main(['run', name, '--help']) for name in CASES); print(*sys.modules, file=sys.stderr)\n"
        "import cases.app.studies.sweep.command; print(*sys.modules, file=sys.stderr)\n"
        "import cases.app.run.runner, floating_frame.assemble; print(*sys.modules, file=sys.stderr)"
    )
    done = _python("-c", script, cwd=ROOT)
    loaded, of_sweeps, of_runs = (set(line.split()) for line in done.stderr.splitlines())
    assert (done.returncode, done.stdout.count("--mu ")) == (
        0,
        sum("mu" in load(name).Parameters.model_fields for name in CASES),
    )
    assert {"numpy", "pydantic", "cases.wall_impact", "cases.belt_oscillator"} <= loaded
    assert not loaded & slow
    assert not of_sweeps & {"fem.bodies", "numba", "skfem"}, (
        "the processes of a sweep import the numerics, not the one that starts them"
    )
    assert "fem.bodies" in of_runs
    assert not of_runs & {"scipy.optimize", "scipy.spatial", "scipy.interpolate", "scipy.special", "matplotlib"}


def test_a_run_with_its_picture_imports_neither_dask_nor_optimisers(tmp_path):
    """xarray imports dask where it is installed, at the first array, index or scalar that is made; not to read a file."""
    script = (
        "import sys; from cases.app.command.cli import main\n"
        "for name in ('block_on_table', 'plate_sliding'):\n"
        "    assert main(['run', name, '--t_end=0.05', '--dt=0.01', '--nx=2', '--ny=1', '--quiet', '--out', name]) == 0\n"
        "print(*{'xarray', 'dask', 'scipy.optimize', 'scipy.special', 'rich.progress'} & set(sys.modules))"
    )
    done = _python("-c", script, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "xarray\n")
    assert all("estimated error" in line for line in done.stderr.splitlines()), (
        "steps that rough are told, and nothing else"
    )
    assert (tmp_path / "plate_sliding" / "plate_sliding.png").exists()


def test_a_name_that_the_encoding_of_stdout_lacks_is_written_as_an_escape(tmp_path, monkeypatch):
    file = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(file, encoding="ascii"))
    out = tmp_path / "größe"
    assert cli.main(["run", "free_top", "--t_end=0.1", "--dt=0.05", "--out", str(out)]) == 0
    assert b"gr\\xf6\\xdfe: trajectory.nc" in file.getvalue()
