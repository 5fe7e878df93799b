"""One problem for all bodies: what is said of loads and starts in the plane holds in space; resumed runs, passed limits."""

import numpy as np
import pytest
from ff_examples import plate
from ff_twins import Kept
from problems import assembled, run

import floating_frame as ff
from fem import NeoHookean, Plate, Solid, box, rectangle
from floating_frame import BodyForce, BodyForceField, Contact, EdgeLoad, Problem
from friction import Coulomb, Foundation

MATERIAL = NeoHookean(1e5, 0.3)
PLATE = Plate.build(rectangle(0.4, 0.2, 4, 2), thickness=0.1, density=1000.0, material=MATERIAL)
SOLID = Solid.build(box(0.4, 0.2, 0.1, 4, 2, 1), density=1000.0, material=MATERIAL, viscosity=0.0)
BODIES = {"plate": (PLATE, {}), "solid": (SOLID, {"gravity": 0.0})}


def flown(kind, **more):
    """A body without ground, 10 steps of 2 ms."""
    body, space = BODIES[kind]
    return run(body, 0.02, 2e-3, **space, **more)


@pytest.mark.parametrize("kind", BODIES)
def test_a_force_on_all_the_mass_falls_as_a_body_force_a_field_and_a_users_load(kind):
    """They are the same nodal forces: b t of velocity, and no strain."""
    body = BODIES[kind][0]
    d = body.X.shape[1]
    b = np.array([3.0, -2.0, 1.0])[:d]

    class Own:
        history = ff.Constant()

        def nodal_shape(self, body, nodal_mass):
            return nodal_mass, b

    everywhere = BodyForceField(lambda X, t: np.tile(b, (len(X), 1)))
    for load in (EdgeLoad("body", b * body.mass), BodyForce(b), everywhere, Own()):
        run = flown(kind, loads=(load,))
        np.testing.assert_allclose(run.frame_velocity.values[-1], 0.02 * b, rtol=1e-12)
        assert float(np.abs(run.displacement).max()) < 1e-13
        assert float(run.work_external[-1]) == pytest.approx(0.5 * body.mass * (0.02 * b) @ (0.02 * b), rel=1e-10)


@pytest.mark.parametrize("kind", BODIES)
def test_the_rate_of_the_displacement_is_motion_in_the_frame_and_its_energy_that_of_the_mass(kind):
    """u' = s X along x has no momentum: T = s² ⟨X²⟩/2, the frame is at rest, and the body stretches on."""
    body = BODIES[kind][0]
    rate = np.zeros_like(body.X)
    rate[:, 0] = 0.5 * body.X[:, 0]
    run = flown(kind, rate=rate)
    energy = 0.5 * float(np.einsum("na,na->", rate, body.mass_matrix @ rate))
    assert float(run.energy_kinetic[0]) == pytest.approx(energy, rel=1e-12)
    np.testing.assert_allclose(run.frame_velocity.values[0], 0.0, atol=1e-15)
    np.testing.assert_allclose(run.velocity.values[0], rate, atol=1e-15)
    end = int(np.argmax(body.X[:, 0]))
    assert float(run.displacement.values[1:4, end, 0].min()) > 0.0


def test_a_problem_in_space_says_where_it_stands():
    ball = ff.RigidSolid(mass=2.0, inertia=(0.1,) * 3, shape=ff.Ball(0.1))
    for body, height, more in ((ball, 0.1, {}), (SOLID, 0.05, {"face": "bottom"})):
        problem = Problem(body, 0.1, contacts=(Contact(mu=0.3),), **more)
        assert problem.gravity == 9.81
        np.testing.assert_allclose(problem.standing.configuration[0], [0.0, 0.0, height], atol=1e-15)


DT, STEPS = 2.5e-3, 12
SQUARES = plate(E=2e5, element="Q1")
PULL = (EdgeLoad("right", (2.5, 0.6), ff.Ramp(0.01, 0.02)),)


def model_of(loads=PULL, **more):
    """A plate thrown with spin and pulled, that slides, sticks in part and turns."""
    given = {"foundation": Foundation(Coulomb(), 0.3, 98.1), "velocity": (0.02, 0.005), "spin": 0.4} | more
    return assembled(SQUARES, STEPS * DT, DT, loads=loads, **given)


def test_a_resumed_run_in_memory_may_have_nothing_left_to_store():
    """At its end, or where its first step fails, which is told by name."""
    keeper = Kept()
    whole = ff.simulate(model_of(), keeper=keeper)
    rest = ff.simulate(model_of(), resume=keeper.runs[-1])
    assert rest.sizes["time"] == 0
    assert set(rest.variables) == set(whole.variables)
    crushed = model_of(loads=(ff.EdgeLoad("right", (-1e5, 0.0)),))
    with pytest.raises(ff.StepFailure) as stopped:
        ff.simulate(crushed, resume=keeper.runs[0])
    assert stopped.value.trajectory.sizes["time"] == 0
