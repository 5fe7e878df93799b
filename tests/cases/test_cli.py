"""The command line: what it prints, what it refuses in one line with status 2, and that it then writes nothing."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from case_runs import PLANE, Lists
from rows import rows

from cases.app.command import application, case_commands, cli, options
from cases.app.parts.parameters import base_type
from cases.app.registry import CASES, load
from cases.app.run import runner

ROOT = Path(__file__).resolve().parents[2]


def test_without_arguments_the_cases_are_listed_one_line_each(command):
    for line in ("", "list"):
        status, out, err = command(line)
        assert (status, err, [line.split()[0] for line in out.splitlines()]) == (0, "", list(CASES))
        assert all(len(line) < 130 for line in out.splitlines())


def test_the_help_names_the_commands_that_exist_and_no_others_and_the_version_is_told(command):
    status, out, _ = command("--help")
    known = "animate benchmark compare completion converge export list modes plot resume run sweep"
    assert (status, re.findall(r"^  (\w+):", out, re.M)) == (0, known.split())
    status, out, err = command("--version")
    assert (status, err) == (0, "")
    assert re.match(r"floating-frame-friction \d", out)


@rows("name", CASES)
def test_a_cases_help_lists_every_parameter_with_meaning_unit_default_and_in_the_plane_expressions(command, name):
    status, out, err = command(f"run {name} --help")
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
    for key in ("mu", "pressure") if name in PLANE else ():
        assert lines[f"--{key}"].startswith(f"  --{key} EXPRESSION")
        assert "a number >= 0 or an expression in X, Y" in lines[f"--{key}"]


@rows("words", ["--forces -0.06,0,3e-2 --shift -1e-3", "--forces=-0.06,0,3e-2 --shift=-.001"])
def test_negative_numbers_and_lists_need_no_quoting(command, monkeypatch, words):
    seen = {}

    def run(name, given, **options):
        seen.update(runner.read_parameters(Lists, given, None).model_dump(), name=name, **options)
        return 0

    monkeypatch.setattr(application, "CASES", {"lists": "a case with a list"})
    for module in (options, case_commands):
        monkeypatch.setattr(module, "load", lambda name: SimpleNamespace(Parameters=Lists))
    monkeypatch.setattr(runner, "run", run)
    assert command(f"run lists {words} --output-every 2 --quiet") == (0, "", "")
    assert (seen["forces"], seen["shift"], seen["output_every"]) == ((-0.06, 0.0, 0.03), -1e-3, 2)
    assert (seen["out"], seen["quiet"], seen["stress"]) == ("results/lists", True, False)


NUMERICS = {"scipy.sparse", "numba", "skfem", "xarray", "pandas", "netCDF4", "meshio", "numexpr"}
LATE = {"matplotlib", "scipy.optimize", "scipy.special", "scipy.spatial", "scipy.interpolate"}
HEAVY = {"dask", "scipy.optimize", "scipy.special", "rich.progress"}
"""Of these xarray imports dask where it is installed, at the first array, index or scalar that is made; not to read a file."""
STAGES = """
import cases.__main__, os, runpy, sys
from cases.app.command.cli import main
from cases.app.registry import CASES

def report():
    print(*sys.modules, file=sys.stderr)

if os.fork() == 0:
    assert not any(main(["run", name, "--help"]) for name in CASES)
    report()
    import cases.app.studies.sweep.command
    report()
    sys.exit()
os.wait()
import cases.app.run.runner, floating_frame.assemble
report()
sys.path[0] = str(SCRIPT.parent)
try:
    runpy.run_path(str(SCRIPT), run_name="__main__")
finally:
    report()
"""


def test_help_waits_for_no_numerics_and_a_script_run_from_elsewhere_is_the_command_without_optimisers(
    tmp_path, command, no_picture
):
    short = ["--t-end", "0.02", "--dt", "1e-2", "--nx", "2", "--ny", "1", "--pull_x=-9", "--quiet", "--out"]
    code = STAGES.replace("SCRIPT", f"__import__('pathlib').{ROOT / 'cases/plate_sliding.py'!r}")
    environment, line = os.environ | {"MPLBACKEND": "Agg"}, [sys.executable, "-c", code, *short, "script"]
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    of_help, of_sweeps, of_start, of_run = (set(line.split()) for line in done.stderr.splitlines())
    helped = sum("mu" in load(name).Parameters.model_fields for name in CASES)
    assert (done.returncode, done.stdout.count("--mu ")) == (0, helped)
    assert {"numpy", "pydantic", "cases.wall_impact", "cases.belt_oscillator"} <= of_help
    assert not of_help & {*NUMERICS, *LATE, "dask"}
    assert not of_sweeps & {"fem.bodies", "numba", "skfem"}, "its processes import numerics, not the one that starts"
    assert "fem.bodies" in of_start
    assert not of_start & LATE
    assert {"xarray", *HEAVY} & of_run == {"xarray"}
    assert command("run plate_sliding", *short, "module") == (0, "", "")
    made = sorted(path.name for path in (tmp_path / "script").iterdir())
    assert made == ["plate_sliding.png", "summary.json", "trajectory.nc"]
    texts = [(tmp_path / where / "summary.json").read_text() for where in ("script", "module")]
    assert texts[0] == texts[1]
    assert '"pull_x": -9.0' in texts[0]


@pytest.mark.parametrize("arguments", [("cases",), pytest.param(("paper_figures", "--list"), marks=pytest.mark.slow)])
def test_output_that_nobody_reads_ends_the_command_without_a_word(arguments):
    line = [sys.executable, "-m", *arguments]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    process.stdout.close()  # as `| head -0` does
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), said) == (141, b"")


def test_a_name_that_the_encoding_of_stdout_lacks_is_written_as_an_escape(tmp_path, no_picture, monkeypatch):
    file = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(file, encoding="ascii"))
    out = tmp_path / "größe"
    assert cli.main(["run", "free_top", "--t_end=0.1", "--dt=0.05", f"--out={out}"]) == 0
    assert b"gr\\xf6\\xdfe: trajectory.nc" in file.getvalue()
