"""Convergence studies: orders in small, also under slow loads; the algebra of orders, table, files, what fails."""

import csv
import itertools
import math
import re

import numpy as np
import pytest
from case_models import computed
from case_studies import study
from convergence import observed_orders

from cases.app.parts.measure import Measure
from cases.app.parts.strip import first_order_gap
from cases.app.registry import CASES, load
from cases.app.studies import converge
from cases.app.studies.orders import converge as converge_measure
from cases.app.studies.orders import order_against_finest
from cases.references.beams import beam_on_rough_foundation as theory
from cases.references.beams.self_similar import solve
from floating_frame import simulate


@pytest.mark.parametrize("order", [-0.5, 0.6, 1.0, 2.0, 3.7])
def test_the_order_against_a_finest_level_is_that_of_a_power_law(order):
    steps = 0.5 ** np.arange(5)
    values = 3.0 + 0.2 * steps**order
    errors = np.abs(values - values[-1])
    assert [order_against_finest(errors[k], errors[k + 1], 4 - k) for k in range(3)] == pytest.approx([order] * 3)
    computed = converge_measure([Measure(np.array(v), "m") for v in values])
    assert computed.orders[1:4] == pytest.approx([order] * 3)
    if order > 0:
        assert computed.own_error == pytest.approx(0.2 * steps[-1] ** order)
    naive = math.log2(errors[2] / errors[3]) - order
    assert naive > 0.1  # why the finest level's own error has to be allowed for


def test_there_is_no_order_where_errors_do_not_fall_at_all_or_are_rounding():
    assert math.isnan(order_against_finest(1.0, 2.0, 2))
    assert math.isnan(order_against_finest(1.0, 0.0, 3))
    exact = np.array([2.0, 1.0])
    levels = [Measure(exact * (1 + e), "m", exact) for e in (3e-15, 1e-15, 2e-15)]
    computed = converge_measure(levels)
    assert computed.rounding
    assert np.all(np.isnan(computed.orders))


def test_fields_are_compared_at_the_points_that_both_levels_have():
    coarse, fine = (np.stack([np.linspace(0, 1, n), np.zeros(n)], axis=1) for n in (3, 5))
    field = [Measure(at[None] * [[[1.0, 0.0]]] + shift, "m", points=at) for at, shift in ((coarse, 0.3), (fine, 0))]
    assert converge_measure(field).errors[0] == pytest.approx(0.3 * math.sqrt(2))


def test_levels_share_the_instants_that_all_of_them_store():
    times = [0.0, 0.2, 0.4, 0.5], [0.0, 0.1, 0.2 + 1e-12, 0.3, 0.5], [0.0, 0.2, 0.25, 0.5]
    computed = converge.shared_instants([np.array(at) for at in times])
    assert [list(at) for at in computed] == [[0, 1, 3], [0, 2, 4], [0, 1, 3]]


EXACT, UNCHANGED = "to rounding", "whatever is refined"
ON_BELT = {"body": "elastic", "law": "coulomb", "mu": 0.1, "mu_s": None, "belt_speed": 5.0, "vx0": 0.0, "t_end": 0.2}
ON_INCLINE = {"law": "sliding", "v_s": 0.5, "t_end": 0.25, "dt": 1e-2, "body": "elastic", "nx": 2, "ny": 1}
THERE_AND_BACK = {"steps": 2, "forces": (1.1772, -1.1772, 1.1772)}
EULER = {"scheme": "backward-euler"}
STUDIES = {
    "explicit rod": ("rod_wave", "mesh", 3, {"nx": 50, "force": 0.7848}),
    "rod, Euler": ("rod_wave", "mesh", 3, EULER | {"nx": 25, "force": 0.7848}),
    "rod, SDIRK2": ("rod_wave", "mesh", 3, {"scheme": "sdirk2", "nx": 50, "force": 0.7848}),
    "block": ("block_on_table", "dt", 3, {"t_end": 2.0, "dt": 1e-2, "scheme": "sdirk2"}),
    "block, Euler": ("block_on_table", "dt", 3, EULER | {"t_end": 2.0, "dt": 1e-2}),
    "block's mesh": ("block_on_table", "mesh", 3, {"dt": 1e-2, "nx": 1, "ny": 1, "t_end": 1.0}),
    "incline's mesh": ("inclined_plane", "mesh", 3, ON_INCLINE),
    "flight": ("free_flight", "dt", 4, {"t_end": 0.1, "dt": 2e-3, "nx": 4, "ny": 2}),
    "disc's mesh": ("spinning_disc", "mesh", 2, {"nr": 6, "nt": 12, "dt": 2.5e-3, "t_end": 0.65}),
    "disc, Euler": ("spinning_disc", "dt", 3, EULER | {"nr": 4, "nt": 8, "dt": 1e-2}),
    "sliding plate": ("plate_sliding", "dt", 4, {"t_end": 0.4, "dt": 8e-3, "nx": 2, "ny": 1}),
    "clamped plate's mesh": ("plate_clamped", "mesh", 4, {"t_end": 0.8, "dt": 8e-3, "nx": 4, "ny": 2}),
    "slow rod's mesh": ("rod_cycle", "mesh", 3, THERE_AND_BACK | {"nx": 25}),
    "slow rod's steps": ("rod_cycle", "dt", 3, THERE_AND_BACK | {"nx": 20}),
    "annulus's mesh": ("annulus_torsion", "mesh", 3, {"nr": 6, "nt": 12, "steps": 2}),
    "annulus's steps": ("annulus_torsion", "dt", 2, {"nr": 6, "nt": 12, "steps": 2}),
    "beam's elements": ("beam_bending", "mesh", 3, {"ne": 4, "dt": 5e-4}),
    "beam": ("beam_bending", "dt", 2, {"ne": 80, "dt": 2e-3}),
    "beam, Euler": ("beam_bending", "dt", 3, EULER | {"ne": 40, "dt": 1e-3}),
    "slow pushing": ("beam_on_rough_foundation", "dt", 4, {"t_end": 1.0, "steps": 4, "ne": 500}),
    "belt": ("belt_oscillator", "dt", 3, {"t_end": 2.0, "dt": 8e-3, "nx": 1, "ny": 1}),
    "belt's mesh": ("belt_oscillator", "mesh", 3, ON_BELT | {"dt": 5e-3, "nx": 2, "ny": 2}),
    "sliding ball": ("sphere_on_plane", "dt", 2, {"t_end": 0.2, "dt": 2e-2, "spin_x": -30.0}),
}
"""By kind: the case, what is refined, the number of levels, parameters."""
CLAIMS = [
    ("explicit rod", "loaded_end", EXACT, 0.0, 1e-13),
    ("explicit rod", "displacement_at_end", (1.95, 2.05), 2.9e-7, 3.3e-7),  # q dx^2/(4 EA), test_rod_wave.py
    ("explicit rod", "displacement_all_times", (0.95, 1.05), 4.6e-5, 4.91e-5),  # P dx/(2 EA): it moves
    ("explicit rod", "friction_work", (1.95, 2.05), 3e-7, 5e-7),
    ("rod, Euler", "loaded_end", (0.4, 0.6), 5e-4, 7e-4),  # damping of the wave turns into friction
    ("rod, SDIRK2", "loaded_end", (0.2, 0.7), 3e-5, 6e-5),
    ("block", "x_all_times", (1.9, 2.1), 1e-7, 1e-6),
    ("block, Euler", "x_all_times", (0.95, 1.05), 3e-5, 3e-4),
    ("block, Euler", "velocity_mean", (0.98, 1.02), 2.8e-5, 3.4e-5),
    ("block's mesh", "x_end", UNCHANGED, 1e-7, 1e-5),  # the error of the step
    ("incline's mesh", "x_all_times", UNCHANGED, 3e-6, 5e-6),  # the error of the step
    ("flight", "position_all_times", (1.8, 2.2), 2e-5, 8e-5),
    ("flight", "angular_momentum", (1.9, 2.1), 1e-5, 2e-5),
    # Friction at Gauss points leaves the polygon's h^2 and, where the centre of rotation passes a cell, |V|'s kink: h^3. The
    # arrest costs SDIRK2 0.04 mu g dt^2 (test_runs.py), 7e-7 m: a tenth of the finer mesh's error.
    ("disc's mesh", "distance", (1.6, 3.4), 4e-6, 2e-5),
    ("disc, Euler", "friction_work", (0.95, 1.05), 1e-3, 4e-3),
    ("disc, Euler", "angle_all_times", (0.9, 1.1), 1e-2, 1e-1),
    ("sliding plate", "position_end", (1.5, 2.5), 1e-6, 1e-4),
    ("clamped plate's mesh", "position_end", (0.9, 2.2), 3e-4, 3e-3),  # corners and changing friction keep it below two
    ("slow rod's mesh", "end_displacement", EXACT, 0.0, 1e-11),
    ("slow rod's mesh", "friction_work", (1.95, 2.05), 2.3e-6, 2.5e-6),
    ("slow rod's steps", "friction_work", UNCHANGED, 5e-5, 7e-5),  # that of 20 cells: (25/20)^2 of 3.85e-5
    ("annulus's mesh", "rim_angle", (1.9, 2.1), 2e-6, 4e-6),
    ("annulus's mesh", "friction_work", (1.4, 2.1), 3.5e-6, 7e-6),
    ("annulus's steps", "rim_angle", UNCHANGED, 4e-5, 6e-5),
    ("beam's elements", "deflection_end", (1.8, 2.3), 2.5e-5, 4.5e-5),  # of 5 p L^4/(384 EJ) = 2e-2 m under 20 N/m
    ("beam's elements", "deflection_all_times", (1.7, 2.3), 2.5e-5, 6e-5),
    ("beam", "deflection_all_times", (1.6, 2.3), 2.5e-5, 6e-5),
    ("beam, Euler", "deflection_all_times", (0.75, 1.1), 2.5e-4, 5e-4),
    ("slow pushing", "end_deflection", (0.4, 1.1), 4e-5, 4.6e-5),  # tending to one from a single step, 5 % off
    ("slow pushing", "friction_work", (0.4, 1.1), 2.7e-5, 3.3e-5),
    ("belt", "x_all_times", (1.7, 2.4), 8e-7, 1.6e-5),  # 0.1 to 2 of the drop of friction times dt^2/m
    ("belt's mesh", "x_all_times", (1.6, 2.4), 5e-9, 5e-8),
    ("sliding ball", "place_all_times", EXACT, 0.0, 1e-14),
    ("sliding ball", "velocity_mean", EXACT, 0.0, 1e-13),
]
"""By measure of a study: between which orders consecutive levels are, and bounds of the last known error."""


@pytest.mark.parametrize("kind", STUDIES)
@pytest.mark.quick(
    *("explicit rod", "rod, Euler", "block, Euler", "block's mesh", "incline's mesh", "disc, Euler", "slow rod's mesh"),
    *("slow rod's steps", "annulus's mesh", "annulus's steps", "slow pushing", "sliding ball"),
)
def test_a_study_has_the_orders_of_its_scheme_and_of_its_mesh(kind):
    name, over, levels, values = STUDIES[kind]
    computed = study(name, over, levels, **values)
    assert len({level.dt if over == "dt" else level.cells for level in computed.levels}) == levels
    for measure, claim, least, most in (row[1:] for row in CLAIMS if row[0] == kind):
        mine = computed.measures[measure]
        errors, orders = (values[np.isfinite(values)] for values in (mine.errors, mine.orders))
        assert least <= errors[-1] < most, errors
        if claim == EXACT:
            assert errors.max() < most
        elif claim == UNCHANGED:
            assert mine.unchanged
            assert not len(orders)
        else:
            assert len(orders) == len(errors) - 1
            assert np.all((orders > claim[0]) & (orders < claim[1])), orders


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


def test_the_table_is_ruled_on_a_terminal_and_quietly_there_is_none(monkeypatch, no_picture, tmp_path, command):
    small = "converge rod_wave --over mesh --nx 10 --levels 2"
    assert command(f"{small} --quiet --out .") == (0, "", "")
    assert (tmp_path / "converge.csv").exists()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "120")
    assert "│ displacement_at_end [m]" in command(small)[1]


def test_a_level_that_fails_is_named_and_the_levels_before_it_are_kept(tmp_path, command, no_picture, monkeypatch):
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


GROUND = load("beam_on_rough_foundation")
Q = 0.5 * 1000 * 0.02 * 9.81 * 0.02  # N/m, of the default rod and beam


def test_a_table_says_where_the_answer_does_not_depend_on_the_steps(command):
    status, out, _ = command("converge rod_cycle --over dt --nx 10 --levels 2")
    said = "unchanged: the result does not depend on the step; the error of the mesh or of a tolerance remains"
    assert (status, said in out, "-0.00" in out) == (0, True, False)


@pytest.mark.slow
def test_the_pushed_beams_error_falls_with_order_one_to_two_in_its_elements_on_the_average_over_forces():
    """The ends of the zones lie anywhere within their cells, so single meshes scatter: root mean squares over eight forces."""
    exact, errors = solve(single_step=True).deflection, []
    for ne in (40, 80, 160, 320):
        gaps = []
        for force in np.linspace(0.8, 0.95, 8):
            params, data = computed(GROUND, length=1.7, ne=ne, steps=1, forces=(float(force),))
            gaps.append(float(data.displacement[-1, 0, 1]) / theory.scales(params, force)[1] / exact - 1)
        errors.append(np.sqrt(np.mean(np.square(gaps))))
    orders = observed_orders(errors)
    assert np.all((orders > 0.5) & (orders < 2.5)), (orders, errors)
    assert 1e-4 < errors[-1] < 2e-3, errors


def strip_gap(slenderness, nu):
    """Deflection of the strip's end over that of the beam's, less 1, with one single step; and the headline numbers."""
    width = 0.02
    values = {"body": "strip", "length": 3.6 * slenderness * width, "ne": 120, "ny": 2, "nu": nu, "steps": 1}
    params, data = computed(GROUND, **values, forces=(slenderness * width * Q,))
    found = GROUND.summary(params, data)
    return found["strip_over_beam"]["value"] - 1, found


@pytest.mark.parametrize("nu", [-0.8, 0.45])
@pytest.mark.quick("0.45")
def test_a_slender_strip_tends_to_the_beam_as_shear_and_friction_over_its_width_say(nu):
    """The gap is within 0.07/s^2 of first-order theory: curvature by lateral stress, warping, and the strip's mesh remain."""
    gaps = []
    for s in (2, 4):
        gap, computed = strip_gap(s, nu)
        shear, friction = first_order_gap(s, nu)
        assert computed["slenderness"]["value"] == pytest.approx(s, rel=1e-12)
        assert computed["strip_over_beam"]["reference"]["value"] == pytest.approx(1 + shear + friction, rel=1e-12)
        assert abs(gap - shear - friction) < 0.07 / s**2
        assert gap * (shear + friction) > 0
        gaps.append(gap)
    assert 0.01 < abs(gaps[0]) < 0.06
    assert 1.4 < np.log2(gaps[0] / gaps[1]) < 2.4


def test_a_stubby_strip_departs_from_the_beam_by_a_sixth_and_a_softer_one_in_shear_the_other_way():
    stiff, computed = strip_gap(1, -0.8)
    assert -0.20 < stiff < -0.13  # first order: shear + 0.053, friction - 0.241
    assert computed["reduced_deflection"]["value"] < 0.9 * computed["reduced_deflection"]["exact"]
    soft, _ = strip_gap(1, 0.45)
    assert 0.02 < soft < 0.15  # first order: + 0.385 - 0.241
