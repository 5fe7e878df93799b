"""The verdict through the command line: warning lines, summary.json, --strict, sweeps; and that no default warns."""

import json
import re
from pathlib import Path

import pytest
from case_models import computed
from case_runs import stored, summary_of

from cases.app.registry import CASES, load
from floating_frame import run_warnings
from floating_frame.verdict import limits

CRUDE = "run free_flight --nx 4 --ny 2 --dt 0.1 --t_end 2 --out out"


def warning_lines(err):
    return [line for line in err.splitlines() if line.startswith("warning:")]


def test_a_run_that_loses_most_of_its_energy_says_so_on_a_line_in_all_results_and_strictly_with_3(command):
    status, out, err = command(f"{CRUDE} --strict --quiet")
    assert (status, out) == (3, "")
    assert sorted(path.name for path in Path("out").iterdir()) == ["free_flight.png", "summary.json", "trajectory.nc"]
    lines, summary, data = warning_lines(err), summary_of(Path("out")), stored(Path("out"))
    said = r"warning: numerical dissipation is \d\d % of the energy: take a smaller dt or --error_tolerance$"
    assert re.match(said, lines[0])
    assert (summary["complete"], len(lines)) == (True, 5)
    assert all(set(entry) == {"name", "value", "limit", "advice"} for entry in summary["warnings"])
    assert [f"warning: {entry['advice']}" for entry in summary["warnings"]] == lines
    warnings = {entry["name"]: entry["value"] for entry in summary["warnings"]}
    assert set(warnings) == {"numerical-dissipation", "angular-momentum", "unresolved", "step-error"}
    energy = (data.energy_kinetic + data.energy_strain).values
    assert warnings["numerical-dissipation"] == pytest.approx(1 - energy[-1] / energy.max(), rel=1e-6)
    assert json.loads(data.attrs["warnings"]) == summary["warnings"]


def test_warnings_alone_are_no_failure_and_a_fine_run_has_none(command, no_picture):
    status, out, err = command(f"{CRUDE} --no-estimate")
    assert (status, "warning" in out, len(warning_lines(err)) > 0) == (0, False, True)
    fine = "run free_flight --nx 4 --ny 2 --t_end 0.05 --no-estimate --out out --strict --quiet"
    assert command(fine) == (0, "", "")
    assert summary_of(Path("out"))["warnings"] == []


def test_a_beam_that_deflects_by_a_million_lengths_is_told_its_model_has_ended(command, no_picture):
    status, _, err = command("run beam_bending --load 1e9 --t_end 0.01 --quiet --out out")
    assert (status, len(warning_lines(err)), "slope" in err) == (0, 1, True)


@pytest.mark.parametrize("strict", [False, True])
def test_a_sweep_says_which_points_warn_and_strictly_they_have_failed(command, no_picture, strict):
    grid = "sweep free_flight --grid dt=0.001,0.05 --nx 4 --ny 2 --t_end 0.1 --workers 0 --out out --quiet"
    status, _, err = command(grid + " --strict" * strict)
    assert status == (3 if strict else 0)
    (line,) = err.splitlines()
    assert line.startswith("failed at dt=0.05: " if strict else "warning: at dt=0.05: ")
    data = stored(Path("out"), "sweep.nc")
    assert list(data.status.values) == ["ok", "failed" if strict else "ok"]
    assert (data.warnings.values[0], "energy" in data.warnings.values[1]) == ("", True)
    assert Path("out/sweep.csv").read_text().splitlines()[0].endswith("reason,warnings")


def test_a_study_tells_what_is_wrong_with_its_finest_level(command, no_picture):
    study = "converge free_flight --over dt --levels 2 --nx 2 --ny 2 --t_end 0.4 --quiet --dt"
    status, _, err = command(f"{study} 0.1")
    assert status == 0
    assert warning_lines(err)[0].startswith("warning: on the finest level numerical dissipation is ")
    assert command(f"{study} 0.004") == (0, "", "")


LONG = {
    *("block_on_table", "plate_sliding", "plate_clamped", "free_flight", "spinning_disc", "annulus_torsion"),
    *("belt_oscillator", "free_top", "potra_block", "curling_disc", "solid_pulled", "plate_in_space"),
    "beam_on_rough_foundation",
}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in CASES])
def test_no_default_warns(name):
    case = load(name)
    assert run_warnings(computed(case)[1]) == []


BESIDE = ("CONTACT_IMPULSE", "EXPLICIT_SWING", "STATIC")  # in the text below the table


def test_the_document_states_the_limits_of_the_code():
    text = (Path(__file__).parents[2] / "docs/verdict.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(?!sampling-floor).*$", text, re.M)  # whose limit is the user's tolerance
    stated = sorted(float(number) for row in rows for number in row.split("|")[-2].split(","))
    named = {name: value for name, value in vars(limits).items() if name.isupper() and name not in BESIDE}
    known = [value for value in named.values() if isinstance(value, float | int)]
    known += {limit.value for limit in limits.STRAINS.values()}  # strains of a material and of fibres share a row
    # growth, dissipation and the energy of a spin share one, edges and faces another; halvings and points that press have none
    shared = [limits.NUMERICAL_ENERGY, limits.NUMERICAL_ENERGY, limits.EDGE_PENETRATION]
    assert stated == sorted([*known, *shared, 0.0, 0.0])
