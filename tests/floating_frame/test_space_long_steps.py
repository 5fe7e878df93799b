"""Stiff solids that turn in steps long against their elastic periods: order two, as bodies that are rigid."""

import numpy as np
import pytest
from solid_examples import law, solid

from floating_frame import Options, SolidInitial, SolidProblem, SpaceHinged, assemble, simulate

STIFF = 2e11


def thrown(body):
    """It spins about no principal axis."""
    return SolidProblem(body=body, t_end=0.08, gravity=0.0, initial=SolidInitial(spin_space=(4.0, -3.0, 8.0)))


def sliding(body):
    """It spins on ground without friction."""
    start = SolidInitial(velocity=(0.5, 0.0, 0.0), spin_space=(0.0, 0.0, 8.0))
    return SolidProblem(body=body, t_end=0.08, contact="bottom", initial=start)


def tipping(body):
    """It tips over the edge x = +, which sticks."""
    edge, spin = np.array([body.X[:, 0].max(), 0.0, body.X[:, 2].min()]), np.array([0.0, 4.0, 0.0])
    start = SolidInitial(velocity=tuple(np.cross(spin, -edge)), spin_space=tuple(spin))
    return SolidProblem(body=body, t_end=0.16, contact="bottom", mu=2.0, initial=start)


def swinging(body):
    """It spins about an axis in its left face, which is hinged."""
    through, spin = np.array([body.X[:, 0].min(), 0.0, 0.0]), np.array([0.0, 6.0, 0.0])
    start = SolidInitial(velocity=tuple(np.cross(spin, -through)), spin_space=tuple(spin))
    return SolidProblem(
        body=body, t_end=0.08, frame=SpaceHinged("left", through=tuple(through)), initial=start, gravity=0.0
    )


@pytest.mark.parametrize("make", [thrown, sliding, tipping, swinging])
def test_a_stiff_solid_that_turns_keeps_its_energy_to_second_order(make):
    """Along arcs a turn of θ a step costs a part θ⁴ of the energy; along chords 0.7 θ² in each step, here 1e-3 and more."""
    lost = []
    for dt in (4e-3, 2e-3):
        run = simulate(assemble(make(solid("Q1", law(young=STIFF), (0.2, 0.15, 0.4), (2, 1, 2))), Options(dt=dt)))
        kinetic = run.energy_kinetic.values
        energy = kinetic + run.energy_strain.values - run.work_external.values
        assert np.linalg.norm(run.frame_rotation.values[-1, 1:]) > 0.15  # it has turned by 0.3 rad and more
        lost.append(abs(energy[-1] - energy[0]) / kinetic.max())
        assert abs(run.balance_error.values[-1]) < 1e-6 * kinetic.max()
    assert lost[0] < 1e-4
    assert lost[1] < max(lost[0] / 3.0, 1e-6)
