"""Every case is studied over its step and over its mesh in small, and its orders are what its physics allows, from both sides.

Here are the studies that the other modules of this name do not make: for each measure the order that theory gives or the band in
which it is observed, why it is what it is, and bounds of the last known error.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from case_studies import study

from cases.app.registry import CASES, load
from cases.app.studies.orders import AGAINST_FINEST


class Order(NamedTuple):
    """An order that theory gives, and how far consecutive pairs of levels may be from it."""

    value: float
    tolerance: float


class Band(NamedTuple):
    """Between which orders consecutive pairs are observed, where theory has no more than bounds."""

    low: float
    high: float


SPACE = "order of SDIRK2 on the group of rotations"
FIRST_TOUCH = "order of SDIRK2, the first touch being the end of a step"
PERSISTS = "order of SDIRK2 while contact persists"
IN_SPACE = "two of Q1, less where slip fronts end within cells"
ENDS_WITHIN = "slip fronts end within cells: between one and two"
QUADRATURE = "quadrature of a force that turns within the base, at few points"
BENDS = "an integral over the body, which bends without locking: two or more"
MEAN = "order of linear elements in the mean over the body"
ONE_CELL = {"nx": 1, "ny": 1, "nz": 1, "pull_x": 60.0, "release": 1.0}
PULLED = ONE_CELL | {"nx": 2, "viscosity": 0.0}
THROWN = {"pull_x": 0.0, "pull_y": 0.0, "vx0": 1.0, "vy0": 0.3, "spin0": 1.0}
AT_ITS_EDGE = {"body": "elastic", "loaded": "edge", "elements": "Q1"}
STUDIES = {
    ("free_top", "dt"): {"t_end": 2.0, "dt": 0.05, "spin1": 0.5, "spin3": 1.5},
    ("block_in_space", "dt"): {"t_end": 0.1, "dt": 0.02, "spin0": 2.0, "mu": 0.3},
    ("block_in_space", "mesh"): {"t_end": 0.1, "dt": 0.02, "mu": 0.3, "feet": "area", "spin0": 3.0, "nx": 3, "ny": 3},
    ("curling_disc", "dt"): {"t_end": 0.1, "dt": 0.02, "nr": 3, "nt": 8},
    ("curling_disc", "mesh"): {"t_end": 0.1, "dt": 0.02, "nr": 2, "nt": 6},
    ("potra_block", "dt"): {"t_end": 0.3, "dt": 0.04},
    ("solid_pulled", "dt"): {"t_end": 0.032, "dt": 4e-3, "ramp": 0.016, **PULLED},
    ("solid_pulled", "mesh"): {"t_end": 0.012, "dt": 6e-3, "ramp": 6e-3, **ONE_CELL},
    ("plate_in_space", "dt"): {"t_end": 0.032, "dt": 4e-3, "nx": 3, "ny": 2, **THROWN},
    ("plate_in_space", "mesh"): {"t_end": 0.016, "dt": 8e-3, "nx": 2, "ny": 1, **THROWN},
    ("block_on_table", "mesh"): {"t_end": 1.0, "dt": 2e-2, "nx": 4, "ny": 4, **AT_ITS_EDGE},
    ("plate_sliding", "mesh"): {"t_end": 0.25, "dt": 1e-2, "nx": 4, "ny": 2},
    ("plate_clamped", "dt"): {"t_end": 0.4, "dt": 8e-3, "nx": 4, "ny": 2},
    ("inclined_plane", "dt"): {"t_end": 0.25, "dt": 2e-2, "law": "sliding", "v_s": 0.5},
    ("wall_impact", "dt"): {"t_end": 0.015, "dt": 4e-4, "nx": 2, "ny": 1},
    ("wall_impact", "mesh"): {"t_end": 0.016, "dt": 4e-4, "nx": 4, "ny": 2, "body": "elastic"},
    ("free_flight", "mesh"): {"t_end": 0.05, "dt": 1e-3, "nx": 4, "ny": 2},
    ("block_on_table", "dt"): {"dt": 1e-2, "t_end": 2.0},
    ("plate_sliding", "dt"): {"t_end": 0.4, "dt": 8e-3, "nx": 2, "ny": 1},
    ("free_flight", "dt"): {"t_end": 0.05, "dt": 2e-3, "nx": 4, "ny": 2},
    ("rod_wave", "mesh"): {"nx": 50, "force": 0.7848},
}
MEASURES = [
    ("free_top", "dt", "spin_all_times", Order(2.0, 0.1), SPACE, 1e-5, 1e-4),
    ("free_top", "dt", "attitude", Order(2.0, 0.15), SPACE, 1e-6, 1e-4),
    ("block_in_space", "dt", "displacement_all_times", Order(2.0, 0.2), PERSISTS, 1e-8, 1e-5),
    ("block_in_space", "mesh", "displacement_end", Order(2.0, 0.15), "midpoint rule over the base", 1e-6, 1e-5),
    ("curling_disc", "dt", "place_end", Band(1.4, 3.0), "two, but where the slip of few points nearly vanishes", 1e-9, 1e-5),
    ("curling_disc", "mesh", "place_end", Band(1.0, 5.0), QUADRATURE, 1e-8, 1e-4),
    ("potra_block", "dt", "x_all_times", Order(2.0, 0.2), PERSISTS, 1e-9, 1e-6),
    ("solid_pulled", "dt", "position_all_times", Order(2.0, 0.15), PERSISTS, 1e-6, 1e-5),
    ("solid_pulled", "mesh", "position_end", Band(1.4, 2.5), IN_SPACE, 1e-5, 1e-4),
    ("plate_in_space", "dt", "position_all_times", Order(2.0, 0.15), PERSISTS, 1e-7, 1e-6),
    ("plate_in_space", "mesh", "friction_work", Band(1.4, 2.4), IN_SPACE, 1e-4, 2e-3),
    ("block_on_table", "mesh", "x_end", Band(1.0, 1.7), ENDS_WITHIN, 4e-6, 2e-5),
    ("block_on_table", "mesh", "friction_work", Band(1.0, 1.7), ENDS_WITHIN, 3e-5, 2e-4),
    ("plate_sliding", "mesh", "position_end", Band(1.0, 2.0), "corners of a loaded edge: between one and two", 3e-4, 3e-3),
    ("plate_sliding", "mesh", "velocity_mean", Band(1.0, 2.0), "slip fronts and corners: between one and two", 5e-4, 5e-3),
    ("plate_sliding", "mesh", "angle_end", Band(2.0, 3.5), BENDS, 5e-6, 2e-4),
    ("plate_clamped", "dt", "position_all_times", Order(2.0, 0.3), "order of SDIRK2", 5e-6, 5e-5),
    ("plate_clamped", "dt", "velocity_mean", Order(2.0, 0.4), "order of SDIRK2", 1e-4, 5e-4),
    ("inclined_plane", "dt", "x_all_times", Order(2.0, 0.15), "order of SDIRK2 under a smooth law", 1.8e-7, 3e-7),
    ("wall_impact", "dt", "position_all_times", Order(2.0, 0.1), FIRST_TOUCH, 5e-8, 8e-8),
    ("wall_impact", "dt", "velocity_mean", Order(2.0, 0.1), FIRST_TOUCH, 6e-6, 1e-5),
    ("wall_impact", "mesh", "velocity_end", Order(2.0, 0.5), MEAN, 4e-5, 2e-4),
    # Velocities jump or have kinks, and converge in the mean.
    ("block_on_table", "dt", "velocity_mean", Order(2.0, 0.01), "order of the scheme", 3.1e-9, 3.9e-9),
    ("plate_sliding", "dt", "velocity_mean", Order(2.0, 0.1), "order of the scheme", 8.6e-5, 1.06e-4),
    ("free_flight", "dt", "velocity_mean", Order(2.0, 0.1), "order of the scheme", 8.2e-4, 1.02e-3),
    ("rod_wave", "mesh", "velocity_mean", Order(1.0, 0.1), "a jump is right to a cell", 1.4e-4, 1.8e-4),
    ("free_flight", "mesh", "angle_end", Band(1.4, 2.0), "a front runs in from the free edges: below two", 2e-5, 2e-4),
]  # fmt: skip
"""By measure of a study: the order or its band, why, and bounds of the last known error."""


@pytest.mark.parametrize(("name", "over"), STUDIES)
@pytest.mark.quick("plate_sliding-mesh", "inclined_plane-dt")
def test_consecutive_pairs_of_levels_show_the_order_that_the_physics_allows(name, over, verification):
    computed = study(name, over, 4, **STUDIES[name, over])
    for measure, order, why, low, high in (row[2:] for row in MEASURES if row[:2] == (name, over)):
        mine = computed.measures[measure]
        errors = mine.errors[np.isfinite(mine.errors)]
        orders = mine.orders[1 : len(errors)]
        assert np.all(np.isfinite(orders))
        claim = f"{name} over {over}, consecutive pairs of levels: order of {measure}"
        if isinstance(order, Band):
            verification.band(claim, orders, *order, why=why)
        else:
            verification(claim, orders, order.value, source=why, tolerance=order.tolerance)
        assert low < errors[-1] < high, errors
        if mine.kind == AGAINST_FINEST:
            assert 0 < mine.own_error < errors[-1]
    counts = [level.counts["passes"] for level in computed.levels]
    assert counts[0] > 0
    assert counts == sorted(counts)
    assert all(level.seconds > 0 for level in computed.levels)


@pytest.mark.slow
def test_sdirk2_has_order_two_in_what_friction_takes_from_the_thrown_disc(verification):
    computed = study("spinning_disc", "dt", 3, nr=4, nt=8, dt=1e-2).measures["friction_work"]
    claim = "spinning_disc over dt, consecutive pairs of levels: order of friction_work"
    verification(claim, computed.orders[1:], 2.0, source="order of SDIRK2", tolerance=0.45)
    assert 1e-7 < computed.errors[-1] < 1e-6


@pytest.mark.slow
def test_under_backward_euler_the_velocity_of_the_block_converges_in_the_mean(verification):
    orders = (
        study("block_on_table", "dt", 4, dt=1e-2, t_end=2.0, scheme="backward-euler").measures["velocity_mean"].orders
    )
    claim = "block_on_table over dt, backward-euler, consecutive pairs of levels: order of velocity_mean"
    assert np.isfinite(orders).sum() >= 2
    verification(claim, orders[np.isfinite(orders)], 1.0, source="order of the scheme", tolerance=0.02)


def test_a_step_below_the_courant_limit_only_adds_dispersion_to_the_explicit_rod():
    """At c dt = dx the loaded end is exact; half of that step misses it by three per cent, and so does any smaller one."""
    computed = study("rod_wave", "dt", 4, nx=50, force=0.7848)
    end = computed.measures["loaded_end"]
    assert end.errors[0] < 1e-13
    assert np.all((end.errors[1:] > 2e-4) & (end.errors[1:] < 3e-4))
    assert np.all(np.abs(end.orders[2:]) < 0.05)


@pytest.mark.slow
def test_the_stated_error_of_the_finest_level_is_its_error_against_much_finer_ones():
    values = {"t_end": 0.05, "nx": 4, "ny": 2}
    few = study("free_flight", "dt", 3, dt=2e-3, **values).measures["position_end"]
    many = study("free_flight", "dt", 5, dt=2e-3, **values).measures["position_end"]
    truth = many.errors[2] + many.own_error
    assert few.own_error == pytest.approx(truth, rel=0.25)
    assert many.own_error < 0.1 * few.own_error


def test_every_case_is_studied_over_its_step_and_over_its_mesh():
    made = set(STUDIES)
    for path in Path(__file__).parent.glob("test_converge*.py"):
        made |= set(re.findall(r'\("(\w+)", "(dt|mesh)"', path.read_text(encoding="utf-8")))
    # Single meshes of the pushed beam scatter: its study averages over forces, in test_converge.py.
    made.add(("beam_on_rough_foundation", "mesh"))
    meshed = [name for name in CASES if load(name).STUDY.doubled]
    assert {(name, "dt") for name in CASES} | {(name, "mesh") for name in meshed} <= made
