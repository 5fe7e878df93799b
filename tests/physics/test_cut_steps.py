"""Steps are cut where friction jumps under a whole body: an event costs O(dt²), wherever in its step it comes."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from convergence import observed_orders

import fem
from cases import belt_oscillator, block_on_table
from floating_frame import Options, Problem, RigidBody, Spring, assemble, simulate
from friction import Foundation, StaticKinetic

BELT = belt_oscillator.Parameters(mu=0.2, mu_s=0.7, mass=2.3, stiffness=140.0, belt_speed=0.31, t_end=2.6)
TABLE = block_on_table.Parameters(amplitude=9.0, mass=1.4, mu=0.31, gravity=4.0, t_end=3.6)
STEPS = 1.2e-2 / 2.0 ** np.arange(3)


def worst(case, params) -> float:
    """Largest error of the block's place at a stored time, m."""
    data = simulate(assemble(case.problem(params), case.options(params)))
    return float(np.abs(data.frame_position.values[:, 0] - case.exact(params, data.time.values)[0]).max())


def check_second_order(error: Callable[[float], float], jump: float, steps: np.ndarray = STEPS) -> None:
    """Errors go with dt², with less than the ``jump``, m/s², of the acceleration: at order one they are up to jump dt T and
    scatter."""
    computed = np.array([error(dt) for dt in steps])
    np.testing.assert_allclose(observed_orders(computed), 2.0, atol=0.1)
    assert np.all(computed < jump * steps**2)


def test_a_block_breaks_loose_from_a_belt_at_its_instant():
    phases = belt_oscillator.exact(BELT, np.array([BELT.t_end]))[2]
    assert sum(phase.sign != 0 for phase in phases) >= 3
    jump = (BELT.mu_s - BELT.mu) * BELT.gravity
    check_second_order(lambda dt: worst(belt_oscillator, BELT.model_copy(update={"dt": dt})), jump)


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta", "linearly-implicit-trapezoidal"])
def test_a_block_that_is_driven_back_reverses_at_its_instant(scheme):
    events = block_on_table.exact(TABLE, np.array([TABLE.t_end]))[2]
    assert [event.sign for event in events] == [1, 0, -1]
    assert events[1].time == events[2].time  # no stick
    check_second_order(
        lambda dt: worst(block_on_table, TABLE.model_copy(update={"dt": dt, "scheme": scheme})),
        2.0 * TABLE.mu * TABLE.gravity,
        STEPS[:2] if scheme.startswith("linearly") else STEPS,  # it is interpreted
    )


def test_error_control_keeps_its_word_where_a_block_breaks_loose():
    """Without the cut the run is wrong by some ten tolerances, for one step and its halves are late alike."""
    tolerance = 2e-4
    size = float(np.hypot(belt_oscillator.LENGTH, belt_oscillator.WIDTH)) / 2.0
    params = BELT.model_copy(update={"dt": 7e-3, "error_tolerance": tolerance, "t_end": 0.9})
    assert 1e-3 * tolerance * size < worst(belt_oscillator, params) < tolerance * size


@cache
def dragged(dt: float) -> np.ndarray:
    """Place and angle of a bar that a spring drags by its end, at times that all steps share; the last column tells stick."""
    mesh, material = fem.rectangle(0.3, 0.1, 6, 2, cell="quadrilateral"), fem.StVenantKirchhoff(1e6, 0.3)
    plate = fem.Plate.build(mesh, thickness=0.05, density=900.0, material=material, element="Q1")
    body = RigidBody.from_plate(plate)
    spring = Spring((0.12, 0.03), stiffness=60.0, path=lambda t: (0.05 * t, 0.3 * t), rates=lambda _: (0.05, 0.3))
    ground = Foundation(law=StaticKinetic(dynamic_ratio=0.4), mu=0.6, pressure=900.0 * 0.05 * 9.81)
    data = simulate(assemble(Problem(body, 0.72, ground, effects=(spring,)), Options(dt)))
    each = round(STEPS[0] / dt)
    columns = [data.frame_position.values, data.frame_angle.values[:, None], data.stick.values.all(axis=1)[:, None]]
    return np.concatenate(columns, axis=1)[::each]


def test_a_bar_dragged_by_its_end_breaks_loose_as_it_turns():
    """The onset of a slip that turns, against steps of a sixteenth of the finest: the wrench passes the limit surface."""
    fine = dragged(STEPS[-1] / 16.0)
    assert np.sum(np.diff(fine[:, 3]) < 0.0) >= 1
    assert np.abs(fine[:, 2]).max() > 0.05
    computed = [np.abs(dragged(dt)[:, :3] - fine[:, :3]).max() for dt in STEPS]
    np.testing.assert_allclose(observed_orders(computed), 2.0, atol=0.1)
