"""Stiff plates and solids that turn in steps long against their elastic periods: order two, as bodies that are rigid."""

import numpy as np
import pytest
from ff_examples import plate, rough
from problems import run
from solid_examples import law, solid

from floating_frame import MeanAxis, SpaceHinged, Tisserand

STIFF, SPIN = 2e11, 8.0
PLATE = plate(E=STIFF)
SOLID = solid("Q1", law(young=STIFF), (0.2, 0.15, 0.4), (2, 1, 2))
EDGE, THROUGH, TIPS, SWINGS = np.array([0.1, 0.0, -0.2]), np.array([-0.1, 0.0, 0.0]), (0.0, 4.0, 0.0), (0.0, 6.0, 0.0)
THROWN = {"velocity": (0.5, 0.2), "spin": SPIN}
HINGE = {"frame": SpaceHinged("left", through=tuple(THROUGH)), "velocity": np.cross(SWINGS, -THROUGH), "spin": SWINGS}
TURNS = {
    "plate in mean axes": (PLATE, 0.08, THROWN | {"frame": MeanAxis()}),
    "plate in Tisserand's": (PLATE, 0.08, THROWN | {"frame": Tisserand()}),
    "about no principal axis": (SOLID, 0.08, {"spin": (4.0, -3.0, 8.0), "gravity": 0.0}),
    "on ground without friction": (SOLID, 0.08, {"face": "bottom", "mu": 0.0, "velocity": (0.5, 0.0, 0.0), "spin": (0, 0, SPIN)}),
    "over an edge that sticks": (SOLID, 0.16, {"face": "bottom", "mu": 2.0, "velocity": np.cross(TIPS, -EDGE), "spin": TIPS}),
    "about a hinged face": (SOLID, 0.08, HINGE | {"gravity": 0.0}),
}  # fmt: skip


def lost(body, t_end, dt, **given):
    """The largest change of energy, over the kinetic one at first, and the run."""
    data = run(body, t_end, dt, **given)
    kinetic = data.energy_kinetic.values
    energy = kinetic + data.energy_strain.values - data.work_external.values
    energy = energy + (data.dissipation_friction.values if "foundation" in given else 0.0)
    return float(np.abs(energy - energy[0]).max() / kinetic.max()), data


def turned(data):
    """The angle, rad, or the sine of its half."""
    in_plane = "frame_angle" in data
    return abs(data.frame_angle.values[-1]) if in_plane else np.linalg.norm(data.frame_rotation.values[-1, 1:])


@pytest.mark.parametrize("name", TURNS)
def test_a_stiff_body_that_turns_keeps_its_energy_to_second_order(name):
    """Along arcs a turn of θ a step costs a part θ⁴ of the energy; along chords 0.7 θ² in each step, here 1e-3 and more."""
    body, t_end, given = TURNS[name]
    coarse, data = lost(body, t_end, 4e-3, **given)
    assert turned(data) > 0.15  # by 0.3 rad and more
    assert body is SOLID or turned(data) == pytest.approx(0.08 * SPIN, rel=1e-4)
    assert abs(data.balance_error.values[-1]) < 1e-6 * data.energy_kinetic.values.max()
    assert coarse < 1e-4
    assert lost(body, t_end, 2e-3, **given)[0] < max(coarse / 3.0, 1e-6)


def test_a_stiff_plate_loses_nothing_in_many_steps_of_a_hundredth_of_a_radian():
    change, data = lost(PLATE, 0.25, 0.01 / SPIN, **THROWN)
    assert len(data.time) > 200
    assert data.frame_angle.values[-1] > 1.9
    assert change < 1e-5


def test_a_stiff_plate_that_slides_and_spins_gives_its_energy_to_friction_alone():
    """To the step's second order: four times shorter steps lead to the same place."""
    (change, data), (_, fine) = (lost(PLATE, 0.12, dt, foundation=rough(0.3), **THROWN) for dt in (2e-3, 5e-4))
    assert data.dissipation_friction.values[-1] > 0.3 * data.energy_kinetic.values[0]
    assert change < 1e-3
    assert fine.frame_angle.values[-1] > 0.2
    assert data.frame_angle.values[-1] == pytest.approx(fine.frame_angle.values[-1], rel=5e-3)
    np.testing.assert_allclose(data.frame_position.values[-1], fine.frame_position.values[-1], rtol=5e-3)


@pytest.mark.parametrize("dt", [1.3e-5, 6e-7])
def test_a_solid_in_free_flight_far_above_the_ground_takes_the_shortest_steps(dt):
    """The gap over the stage is 1e4 to 1e6 m/s, and its last digit times M/dt more than what rounding leaves of the inertia."""
    body = solid("Q1", law("neo-hookean", young=7e4), (0.4, 0.25, 0.1), (3, 2, 1))
    start = {"position": (0.0, 0.0, 0.43), "velocity": (0.8, 0.2, -0.5), "spin": (2.0, -3.0, 7.0)}
    data = run(body, 3 * dt, dt, face="bottom", mu=0.4, **start)
    assert int(data.halvings.sum()) == 0
    assert not data.normal_force.values.any()
    fall = data.linear_momentum.values[-1] - data.linear_momentum.values[0]
    np.testing.assert_allclose(fall, [0.0, 0.0, -body.mass * 9.81 * 3 * dt], rtol=0, atol=1e-7 * body.mass)
