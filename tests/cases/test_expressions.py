"""Pressure and coefficient of friction as expressions on the command line: what acts, what is refused, what a file says of it."""

import numpy as np
import pytest
from case_runs import SMALL, run, run_without_picture, stored, summary_of
from rows import rows

from cases.app.command import application
from cases.app.parts.fields import time_breaks
from cases.app.registry import load

PLATE = SMALL["plate_sliding"]


def test_the_bound_of_each_node_is_the_integral_of_the_expressions(tmp_path):
    """Over the same nodes, mu p_n of the expressions at the node over that of the numbers: w is a nodal quadrature."""
    short = PLATE | {"t_end": 0.01, "dt": 0.01}
    given = {"mu": "0.4*(1 + X/0.5)", "pressure": "100*(1 + 0.5*sin(20*Y))"}
    for name, values in (("field", given), ("number", {"mu": "0.4", "pressure": "100"})):
        assert run_without_picture("plate_sliding", short | values, tmp_path / name) == 0
    field, number = (stored(tmp_path / name) for name in ("field", "number"))
    X, Y = field.X.values.T
    wanted = (1 + X / 0.5) * (1 + 0.5 * np.sin(20 * Y))
    assert np.ptp(wanted) > 0.5
    np.testing.assert_allclose(field.friction_weight.values / number.friction_weight.values, wanted, rtol=1e-12)
    assert given.items() <= summary_of(tmp_path / "field")["parameters"].items()
    assert summary_of(tmp_path / "number")["parameters"]["mu"] == 0.4


@pytest.mark.parametrize("lifted", ["pressure", "mu"])
def test_a_plate_whose_friction_ends_at_a_time_runs_on_from_that_time(tmp_path, lifted):
    """v0 - mu g t until t1, then constant, exactly: steps end on t1, which is no multiple of dt."""
    t1, v0 = 0.0137, 1.0
    values = {"t_end": 0.04, "dt": 4e-3, "nx": 2, "ny": 2, "pull_x": 0.0, "pull_y": 0.0, "vx0": v0, "mu": "0.3"}
    plate = load("plate_sliding").Parameters()
    weight = 9.81 * plate.density * plate.thickness
    values |= {"pressure": f"{weight!r}"} | {lifted: f"{'0.3' if lifted == 'mu' else repr(weight)}*(t <= {t1})"}
    assert run_without_picture("plate_sliding", values, tmp_path) == 0
    data = stored(tmp_path)
    wanted = v0 - 0.3 * 9.81 * np.minimum(data.time.values, t1)
    assert wanted[0] - wanted[-1] > 0.03
    np.testing.assert_allclose(data.frame_velocity.values[:, 0], wanted, rtol=0, atol=1e-12)


def test_times_at_which_an_expression_compares_t_are_breaks():
    assert time_breaks("1e3*(t < 0.3)*(0.1*2 <= t) + where(t > 4, X, 1)*(X < 0.5)") == (0.2, 0.3, 4.0)
    assert time_breaks("1e3*(1 + X)*cos(t)") == ()
    assert time_breaks(1e3) == ()


@rows("name, mesh", [("plate_sliding", "--nx 2 --ny 2"), ("spinning_disc", "--nr 3 --nt 6")])
def test_a_pressure_that_turns_negative_ends_the_run_by_name_and_keeps_all(command, no_picture, tmp_path, name, mesh):
    line = f"run {name} {mesh} --dt 0.01 --t_end 0.1 --no-estimate --quiet --pressure '98.1*(1 - 20*t)' --out {name}"
    status, _, err = command(line)
    assert status == 3
    assert "must not be negative" in err
    assert "FoundationError: Foundation: pressure '" in err
    assert "Traceback" not in err
    data = stored(tmp_path / name)
    assert data.attrs["complete"] == 0
    assert 0.04 <= float(data.time[-1]) <= 0.05


@pytest.mark.parametrize("name", ["inclined_plane", "beam_bending", "annulus_torsion", "block_on_table"])
@pytest.mark.quick("beam_bending", "block_on_table")
def test_where_friction_is_a_field_no_exact_value_of_uniform_friction_stands_beside_the_results(tmp_path, name):
    values = {key: value for key, value in SMALL[name].items() if key not in ("law", "v_s")}
    values |= {"mu": "0.5*(1 + 0.2*X)", "pressure": "300*(1 + 0.1*Y)"}
    assert run(name, values, tmp_path, "--quiet", "--no-estimate") == 0
    results = summary_of(tmp_path)["results"]
    known = {key for key, entry in results.items() if "exact" in entry or "reference" in entry}
    assert known <= {"balance_error", "rigid_residual"} != results.keys()
    assert (tmp_path / f"{name}.png").exists()


def test_a_summary_repeats_its_run_and_the_command_line_overrides_it(command, no_picture, tmp_path):
    short = "--nx 2 --ny 2 --dt 0.01 --t_end 0.02 --no-estimate --quiet"
    assert command(f"run plate_sliding {short} --release inf --mu 0.3*(1+X) --out first")[0] == 0
    assert command("run --config first/summary.json --no-estimate --quiet --out again") == (0, "", "")
    over = "--config=first/summary.json --mu 0.2 --no-estimate --quiet --out other"
    assert command(f"run plate_sliding {over}")[0] == 0
    first, again, other = (summary_of(tmp_path / name) for name in ("first", "again", "other"))
    assert again == first
    assert other["parameters"] == first["parameters"] | {"mu": 0.2}


def test_a_file_takes_hyphens_and_a_mark_of_byte_order_beats_defaults_and_is_beaten_by_the_command_line(
    command, no_picture, tmp_path
):
    text = "\ufefft-end = 0.02\ndt = 0.01\nnx = 2\nny = 2\noutput-every = 2\nmu = '0.3*(1 + X)'\n"
    (tmp_path / "run.toml").write_text(text, encoding="utf-8")
    assert command("run plate_sliding --config run.toml --dt=0.005 --no-estimate --quiet --out results")[0] == 0
    assert stored(tmp_path / "results").time.values.tolist() == [0.0, 0.01, 0.02]


@pytest.mark.parametrize("shell", ["bash", *(pytest.param(name, marks=pytest.mark.slow) for name in ("zsh", "fish"))])
def test_completion_knows_commands_cases_and_parameters(command, monkeypatch, shell):
    monkeypatch.setattr(application, "CASES", {"plate_sliding": "of a plate", "free_top": "of a top"})  # of twenty
    status, out, err = command(f"completion {shell}")
    assert (status, err) == (0, "")
    assert [word for word in ("fff", "run", "sweep", "animate", "plate_sliding", "pull_x") if word not in out] == []
    assert application.SCRIPT == "fff"
