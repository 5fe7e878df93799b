"""Convergence studies: orders of every case at small size, the algebra of orders, table, files, refusals."""

import csv
import itertools
import math
import re

import numpy as np
import pytest
from case_studies import study, within

from cases.app.parts.measure import Measure
from cases.app.registry import CASES, load
from cases.app.studies import converge
from cases.app.studies.orders import converge as converge_measure
from cases.app.studies.orders import order_against_finest
from floating_frame import simulate


@pytest.mark.parametrize("order", [-0.5, 0.6, 1.0, 2.0, 3.7])
def test_the_order_against_a_finest_level_is_that_of_a_power_law(order):
    steps = 0.5 ** np.arange(5)
    values = 3.0 + 0.2 * steps**order
    errors = np.abs(values - values[-1])
    assert [order_against_finest(errors[k], errors[k + 1], 4 - k) for k in range(3)] == pytest.approx([order] * 3)
    found = converge_measure([Measure(np.array(v), "m") for v in values])
    assert found.orders[1:4] == pytest.approx([order] * 3)
    if order > 0:
        assert found.own_error == pytest.approx(0.2 * steps[-1] ** order)
    naive = math.log2(errors[2] / errors[3]) - order
    assert naive > 0.1  # why the finest level's own error has to be allowed for


def test_there_is_no_order_where_errors_do_not_fall_at_all_or_are_rounding():
    assert math.isnan(order_against_finest(1.0, 2.0, 2))
    assert math.isnan(order_against_finest(1.0, 0.0, 3))
    exact = np.array([2.0, 1.0])
    levels = [Measure(exact * (1 + e), "m", exact) for e in (3e-15, 1e-15, 2e-15)]
    found = converge_measure(levels)
    assert found.rounding
    assert np.all(np.isnan(found.orders))


def test_fields_are_compared_at_the_points_that_both_levels_have():
    coarse, fine = (np.stack([np.linspace(0, 1, n), np.zeros(n)], axis=1) for n in (3, 5))
    field = [Measure(at[None] * [[[1.0, 0.0]]] + shift, "m", points=at) for at, shift in ((coarse, 0.3), (fine, 0))]
    assert converge_measure(field).errors[0] == pytest.approx(0.3 * math.sqrt(2))


def test_levels_share_the_instants_that_all_of_them_store():
    times = [0.0, 0.2, 0.4, 0.5], [0.0, 0.1, 0.2 + 1e-12, 0.3, 0.5], [0.0, 0.2, 0.25, 0.5]
    found = converge.shared_instants([np.array(at) for at in times])
    assert [list(at) for at in found] == [[0, 1, 3], [0, 2, 4], [0, 1, 3]]


def test_the_explicit_rod_has_order_two_at_rest_and_one_while_it_moves():
    found = study("rod_wave", "mesh", 3, nx=50, force=0.7848)
    assert [level.cells for level in found.levels] == ["50 x 1", "100 x 1", "200 x 1"]
    assert found.measures["loaded_end"].rounding
    # q dx^2/(4 EA) and P dx/(2 EA), test_rod_wave.py
    within(found.measures["displacement_at_end"], 1.95, 2.05, last=(2.9e-7, 3.3e-7))
    within(found.measures["displacement_all_times"], 0.95, 1.05, last=(4.6e-5, 4.91e-5))
    within(found.measures["friction_work"], 1.95, 2.05, last=(3e-7, 5e-7))


def test_backward_euler_turns_half_an_order_of_the_rods_wave_into_friction():
    found = study("rod_wave", "mesh", 3, nx=25, force=0.7848, scheme="backward-euler")
    within(found.measures["loaded_end"], 0.4, 0.6, last=(5e-4, 7e-4))
    assert all(level.counts["newton_iterations"] > 40 for level in found.levels)


@pytest.mark.parametrize(
    ("scheme", "low", "high", "last"),
    [("sdirk2", 1.9, 2.1, (1e-7, 1e-6)), ("backward-euler", 0.95, 1.05, (3e-5, 3e-4))],
)
@pytest.mark.quick("backward-euler-0.95-1.05-last1")
def test_the_block_has_the_order_of_its_scheme(scheme, low, high, last):
    found = study("block_on_table", "dt", 3, t_end=2.0, dt=1e-2, scheme=scheme)
    assert [level.dt for level in found.levels] == [1e-2, 5e-3, 2.5e-3]
    within(found.measures["x_all_times"], low, high, last=last)


@pytest.mark.slow
def test_the_flying_plate_has_order_two_in_positions_and_momentum():
    found = study("free_flight", "dt", 4, t_end=0.1, dt=2e-3, nx=4, ny=2)
    within(found.measures["position_all_times"], 1.8, 2.2, last=(2e-5, 8e-5))
    within(found.measures["angular_momentum"], 1.9, 2.1, last=(1e-5, 2e-5))
    end = found.measures["position_end"]
    assert end.own_error == pytest.approx(end.errors[2] / 3, rel=0.2)


@pytest.mark.slow
def test_the_thrown_disc_is_of_second_to_third_order_in_its_mesh():
    """Friction at Gauss points leaves the polygon's h^2 and, where the centre of rotation passes a cell, |V|'s kink: h^3.

    The arrest costs SDIRK2 0.04 mu g dt^2 (test_runs.py), 7e-7 m in steps of 2.5 ms: a tenth of the finer mesh's error.
    """
    over_mesh = study("spinning_disc", "mesh", 2, nr=6, nt=12, dt=2.5e-3, t_end=0.65)
    within(over_mesh.measures["distance"], 1.6, 3.4, last=(4e-6, 2e-5))
    assert over_mesh.measures["distance"].kind == "reference"


def test_the_thrown_disc_has_order_one_in_the_step_of_backward_euler():
    over_dt = study("spinning_disc", "dt", 3, nr=4, nt=8, dt=1e-2, scheme="backward-euler")
    within(over_dt.measures["friction_work"], 0.95, 1.05, last=(1e-3, 4e-3))
    within(over_dt.measures["angle_all_times"], 0.9, 1.1, last=(1e-2, 1e-1))


@pytest.mark.slow
def test_the_sliding_plate_has_order_two_while_it_sticks_slips_and_slides():
    found = study("plate_sliding", "dt", 4, t_end=0.4, dt=8e-3, nx=2, ny=1)
    assert found.measures["position_end"].kind == "finest level"
    within(found.measures["position_end"], 1.5, 2.5, last=(1e-6, 1e-4))


def test_every_studied_case_is_a_case_with_cells_to_double_and_a_start_that_it_takes():
    for name, over in itertools.product(CASES, converge.OVER):
        case = load(name)
        values = dict(case.Parameters(**case.STUDY.start(over)))
        assert {*case.STUDY.doubled, *case.STUDY.meshing(case.Parameters())} <= set(values), name
        assert case.STUDY.increments in ("", *values)


SMALL = "converge rod_wave --over mesh --nx 50 --levels 3"


def test_the_table_is_plain_text_in_a_pipe_and_the_files_hold_the_same_numbers(tmp_path, command):
    status, out, err = command(f"{SMALL} --out .")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("rod_wave over mesh: scheme explicit, t_end = 0.1 s")
    assert lines[1].split()[2:] == ["50", "x", "1", "100", "x", "1", "200", "x", "1"]
    row = next(line for line in lines if line.startswith("displacement_at_end [m]")).split()
    assert row[2] == "exact"
    assert not re.search(r"[^\x20-\x7e\n]", out)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["converge.csv", "converge.png"]
    table = [r for r in rows_of(tmp_path) if r["quantity"] == "displacement_at_end"]
    assert [f"{float(r['error']):.3e}" for r in table] == row[3:]
    assert (table[0]["order"], 1.9 < float(table[2]["order"]) < 2.1) == ("", True)
    assert [(r["cells"], r["passes"]) for r in table] == [("50 x 1", "50"), ("100 x 1", "100"), ("200 x 1", "200")]
    assert float(table[2]["dt_s"]) == pytest.approx(5e-4)
    assert (tmp_path / "converge.png").stat().st_size > 30_000


def rows_of(folder):
    with (folder / "converge.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_table_is_ruled_on_a_terminal_and_quietly_there_is_none(monkeypatch, tmp_path, command):
    small = "converge rod_wave --over mesh --nx 10 --levels 2"
    assert command(f"{small} --quiet --out .") == (0, "", "")
    assert (tmp_path / "converge.csv").exists()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "120")
    assert "│ displacement_at_end [m]" in command(small)[1]


def test_a_level_that_fails_is_named_and_the_levels_before_it_are_kept(tmp_path, command, monkeypatch):
    crushed = "--pull_x -4000 --ramp 0.05 --t_end 0.05 --dt 0.01 --nx 4 --ny 2"
    status, out, err = command(f"converge plate_sliding --over dt {crushed} --out .")
    assert (status, out) == (3, "")
    assert re.match(r"level 1 of 4: .*at t = .*try: ", err)
    assert not list(tmp_path.iterdir())
    calls = []

    def fail_third(model, **given):
        calls.append(model)
        if len(calls) == 3:
            raise converge.StepFailure(0.1, "made to fail", "nothing")
        return simulate(model, **given)

    monkeypatch.setattr(converge, "simulate", fail_third)
    status, out, err = command(f"{SMALL} --out .")
    assert (status, err[:14]) == (3, "level 3 of 3: ")
    assert "incomplete: the next level failed" in out
    assert {(r["complete"], r["level"]) for r in rows_of(tmp_path)} == {("0", "1"), ("0", "2")}
