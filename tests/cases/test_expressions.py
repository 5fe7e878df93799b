"""Pressure and coefficient of friction as expressions on the command line: what acts, what is refused, what a file says of it."""

import json
import re

import numpy as np
import pytest
from case_runs import PLANE, SMALL, run, run_without_picture
from rows import rows

from cases.app.command import application
from cases.app.parts.fields import time_breaks
from cases.app.registry import load
from floating_frame import load_trajectory

PLATE = SMALL["plate_sliding"]


def test_the_bound_of_each_node_is_the_integral_of_the_expressions(tmp_path):
    """Over the same nodes, mu p_n of the expressions at the node over that of the numbers: w is a nodal quadrature."""
    short = PLATE | {"t_end": 0.01, "dt": 0.01}
    given = {"mu": "0.4*(1 + X/0.5)", "pressure": "100*(1 + 0.5*sin(20*Y))"}
    assert run_without_picture("plate_sliding", short | given, tmp_path / "field") == 0
    assert run_without_picture("plate_sliding", short | {"mu": "0.4", "pressure": "100"}, tmp_path / "number") == 0
    with (
        load_trajectory(tmp_path / "field/trajectory.nc") as field,
        load_trajectory(tmp_path / "number/trajectory.nc") as number,
    ):
        X, Y = field.X.values.T
        wanted = (1 + X / 0.5) * (1 + 0.5 * np.sin(20 * Y))
        assert np.ptp(wanted) > 0.5
        np.testing.assert_allclose(field.friction_weight.values / number.friction_weight.values, wanted, rtol=1e-12)
    said = json.loads((tmp_path / "field/summary.json").read_text())["parameters"]
    assert {key: said[key] for key in given} == given
    assert json.loads((tmp_path / "number/summary.json").read_text())["parameters"]["mu"] == 0.4


@pytest.mark.parametrize("lifted", ["pressure", "mu"])
def test_a_plate_whose_friction_ends_at_a_time_runs_on_from_that_time(tmp_path, lifted):
    """v0 - mu g t until t1, then constant, exactly: steps end on t1, which is no multiple of dt."""
    t1, v0 = 0.0137, 1.0
    values = {"t_end": 0.04, "dt": 4e-3, "nx": 2, "ny": 2, "pull_x": 0.0, "pull_y": 0.0, "vx0": v0, "mu": "0.3"}
    weight = 9.81 * load("plate_sliding").Parameters().density * load("plate_sliding").Parameters().thickness
    values |= {"pressure": f"{weight!r}"} | {lifted: f"{'0.3' if lifted == 'mu' else repr(weight)}*(t <= {t1})"}
    assert run_without_picture("plate_sliding", values, tmp_path) == 0
    with load_trajectory(tmp_path / "trajectory.nc") as data:
        v = data.frame_velocity.values[:, 0]
        wanted = v0 - 0.3 * 9.81 * np.minimum(data.time.values, t1)
    assert wanted[0] - wanted[-1] > 0.03
    np.testing.assert_allclose(v, wanted, rtol=0, atol=1e-12)


def test_times_at_which_an_expression_compares_t_are_breaks():
    assert time_breaks("1e3*(t < 0.3)*(0.1*2 <= t) + where(t > 4, X, 1)*(X < 0.5)") == (0.2, 0.3, 4.0)
    assert time_breaks("1e3*(1 + X)*cos(t)") == ()
    assert time_breaks(1e3) == ()


REFUSED = {
    "no end": ("9**9**9**9", r"mu: expected a number >= 0, got '9\*\*9\*\*9\*\*9' \(no expression either: .*cannot be computed"),
    "code": ("__import__('os').system('true')", r"it may call where, "),
    "attribute": ("X.real", r"got 'X.real'"),
    "unknown name": ("0.3*Z", r"uses 'Z'; the names are X, Y, t, pi"),
    "not finite": ("1/0", r"cannot be computed"),
    "negative number": ("-(0.3)", r"is -0.3"),
    "negative somewhere": ("X", r"mu must not be negative"),
    "text": ("much", r"mu: expected a number >= 0, got 'much'"),
    "nothing": ("", r"mu: expected a number >= 0, got ''"),
}  # fmt: skip


@rows("kind", REFUSED)
def test_what_is_no_expression_is_refused_in_one_line_at_once(command, kind, tmp_path):
    text, expected = REFUSED[kind]
    status, out, err = command("run", "plate_sliding", "--nx", "2", "--ny", "2", "--mu", text, "--out", "results")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert re.search(expected, err), err
    assert not (tmp_path / "results").exists()


@rows("name", ["plate_sliding", "spinning_disc"])
def test_a_pressure_that_turns_negative_ends_the_run_by_name_and_keeps_what_was_computed(command, tmp_path, name):
    mesh = {"plate_sliding": ("--nx", "2", "--ny", "2"), "spinning_disc": ()}[name]
    out = tmp_path / name
    status, _, err = command(
        *("run", name, *mesh, "--dt", "0.01", "--t_end", "0.1", "--quiet"),
        *("--pressure", "98.1*(1 - 20*t)", "--out", str(out)),
    )
    assert status == 3
    assert "FoundationError: Foundation: pressure must not be negative" in err
    assert "Traceback" not in err
    with load_trajectory(out / "trajectory.nc") as data:
        assert data.attrs["complete"] == 0
        assert 0.04 <= float(data.time[-1]) <= 0.05


def test_laws_with_two_coefficients_take_numbers(command):
    status, _, err = command("run", "spinning_disc", "--law", "sliding", "--mu_s", "0.5", "--mu", "0.3*(1+X)")
    assert (status, err.count("\n")) == (2, 1)
    assert "mu: expected a number with mu_s and law sliding" in err


@rows("name", PLANE)
def test_help_says_that_mu_and_pressure_may_be_expressions(command, name):
    _, out, _ = command("run", name, "--help")
    for key in ("mu", "pressure"):
        (line,) = (line for line in out.splitlines() if line.startswith(f"  --{key} "))
        assert line.startswith(f"  --{key} EXPRESSION")
        assert "a number >= 0 or an expression in X, Y" in line


@pytest.mark.parametrize("name", ["inclined_plane", "beam_bending", "annulus_torsion", "block_on_table"])
def test_where_friction_is_a_field_no_exact_value_of_uniform_friction_stands_beside_the_results(tmp_path, name):
    values = {key: value for key, value in SMALL[name].items() if key not in ("law", "v_s")}
    values |= {"mu": "0.5*(1 + 0.2*X)", "pressure": "300*(1 + 0.1*Y)"}
    assert run(name, values, tmp_path, "--quiet") == 0
    results = json.loads((tmp_path / "summary.json").read_text())["results"]
    assert results
    known = {key for key, entry in results.items() if "exact" in entry or "reference" in entry}
    assert known <= {"balance_error", "rigid_residual"}
    assert (tmp_path / f"{name}.png").exists()


def test_a_summary_repeats_its_run_and_the_command_line_overrides_it(command, tmp_path):
    short = (
        "--nx",
        "2",
        "--ny",
        "2",
        "--dt",
        "0.01",
        "--t_end",
        "0.02",
        "--release",
        "inf",
        "--mu",
        "0.3*(1+X)",
        "--quiet",
    )
    assert command("run", "plate_sliding", *short, "--out", "first")[0] == 0
    assert command("run", "--config", "first/summary.json", "--quiet", "--out", "again") == (0, "", "")
    assert (
        command("run", "plate_sliding", "--config=first/summary.json", "--quiet", "--mu", "0.2", "--out", "other")[0]
        == 0
    )
    first, again, other = (
        json.loads((tmp_path / name / "summary.json").read_text()) for name in ("first", "again", "other")
    )
    assert again == first
    assert other["parameters"] == first["parameters"] | {"mu": 0.2}
    status, _, err = command("run", "free_flight", "--config", "first/summary.json")
    assert (status, err.count("\n")) == (2, 1)
    assert "expected the summary of a run of free_flight, got one of plate_sliding" in err


BAD_SUMMARIES = {
    "no JSON": ("mu = 3", "expected a summary.json, got"),
    "no summary": ('{"mu": 3}', "expected a summary.json with case and parameters"),
    "no case": ('{"case": ["plate_sliding"], "parameters": {}}', "one of block_on_table"),
    "unknown parameter": ('{"case": "plate_sliding", "parameters": {"mue": 3}}', "unknown parameter mue"),
    "a text": ('{"case": "plate_sliding", "parameters": {"nx": "many"}}', "nx: expected an integer >= 1, got 'many'"),
}


@rows("kind", BAD_SUMMARIES)
def test_a_summary_that_is_none_is_refused_in_one_line(command, tmp_path, kind):
    text, expected = BAD_SUMMARIES[kind]
    (tmp_path / "bad.json").write_text(text)
    status, out, err = command("run", "--config", "bad.json", "--out", "results")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert expected in err
    assert not (tmp_path / "results").exists()


def test_toml_takes_hyphens_for_underscores_once(command, tmp_path):
    (tmp_path / "run.toml").write_text(
        "t-end = 0.02\ndt = 0.01\nnx = 2\nny = 2\noutput-every = 2\nmu = '0.3*(1 + X)'\n"
    )
    assert command("run", "plate_sliding", "--config", "run.toml", "--quiet", "--out", "results")[0] == 0
    with load_trajectory(tmp_path / "results/trajectory.nc") as data:
        assert data.time.values.tolist() == [0.0, 0.02]
    (tmp_path / "run.toml").write_text("t-end = 0.02\nt_end = 0.01\n")
    status, _, err = command("run", "plate_sliding", "--config", "run.toml")
    assert (status, err) == (2, "error: config: expected t_end once, got it twice in 'run.toml'\n")


def test_the_version_is_told(command):
    status, out, err = command("--version")
    assert (status, err) == (0, "")
    assert out.split()[0] == "floating-frame-friction"
    assert out.split()[1][0].isdigit()


@pytest.mark.parametrize(
    "shell", ["bash", pytest.param("zsh", marks=pytest.mark.slow), pytest.param("fish", marks=pytest.mark.slow)]
)
def test_completion_knows_commands_cases_and_parameters(command, shell):
    status, out, err = command("completion", shell)
    assert (status, err) == (0, "")
    assert "fff" in out
    for word in ("run", "sweep", "animate", "plate_sliding", "pull_x"):
        assert word in out
    assert application.SCRIPT == "fff"
