"""Stiff plates that turn in steps long against their elastic periods: order two, as bodies that are rigid."""

import numpy as np
import pytest
from ff_examples import plate, rough

from floating_frame import InitialState, MeanAxis, Options, Problem, Tisserand, assemble, simulate

STIFF, SPIN = 2e11, 8.0


def problem(frame=None, *, foundation=None, velocity=(0.5, 0.2), t_end=0.08):
    return Problem(plate(E=STIFF), t_end, foundation, (), frame or MeanAxis(), InitialState(velocity, SPIN))


def lost(of, dt, scheme="sdirk2"):
    """The largest change of energy, over the kinetic one at first, and the run."""
    run = simulate(assemble(of, Options(dt, scheme)))
    kinetic = run.energy_kinetic.values
    energy = kinetic + run.energy_strain.values + run.dissipation_friction.values - run.work_external.values
    return float(np.abs(energy - energy[0]).max() / kinetic[0]), run


@pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=lambda f: f.name)
def test_a_stiff_plate_in_free_flight_keeps_its_energy_to_second_order(frame):
    """Along arcs a turn of θ a step costs a part θ⁴ of the energy; along chords 0.7 θ² in each step, here 1e-3 and more."""
    coarse, run = lost(problem(frame), 4e-3)
    assert run.frame_angle.values[-1] == pytest.approx(0.08 * SPIN, rel=1e-4)
    assert abs(run.balance_error.values[-1]) < 1e-6 * run.energy_kinetic.values[0]
    assert coarse < 1e-4
    assert lost(problem(frame), 2e-3)[0] < max(coarse / 3.0, 1e-6)


def test_a_stiff_plate_loses_nothing_in_many_steps_of_a_hundredth_of_a_radian():
    change, run = lost(problem(t_end=0.5), 0.01 / SPIN)
    assert len(run.time) > 400
    assert run.frame_angle.values[-1] > 3.9
    assert change < 1e-5


def test_a_stiff_plate_that_slides_and_spins_gives_its_energy_to_friction_alone():
    """To the step's second order: four times shorter steps lead to the same place."""
    of = problem(foundation=rough(0.3), t_end=0.12)
    change, run = lost(of, 2e-3)
    assert run.dissipation_friction.values[-1] > 0.3 * run.energy_kinetic.values[0]
    assert change < 1e-3
    fine = lost(of, 5e-4)[1]
    assert fine.frame_angle.values[-1] > 0.2
    assert run.frame_angle.values[-1] == pytest.approx(fine.frame_angle.values[-1], rel=5e-3)
    np.testing.assert_allclose(run.frame_position.values[-1], fine.frame_position.values[-1], rtol=5e-3)
