"""Every trajectory says whether the loops of its steps are compiled, or what in them is interpreted, and what would be faster."""

from dataclasses import dataclass

import numpy as np
import pytest
from ff_examples import DENSITY, THICKNESS, plate

from fem import BeamAxis, Solid, StVenantKirchhoff, box
from fem.beam import Beam
from floating_frame import (
    BeamProblem,
    BodyForce,
    Clamped,
    Contact,
    InitialState,
    Line,
    MeanAxis,
    Obstacle,
    Options,
    Problem,
    RigidBody,
    RigidMotion,
    RigidSolid,
    assemble,
    simulate,
)
from floating_frame.contact.obstacles import Gap
from floating_frame.effect.protocol import Effect, PointForce, Record
from friction import Coulomb, Foundation, Smooth, UserForce

BEAM = Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e9, density=1000.0, ne=6)
SOLID = Solid.build(box(0.4, 0.2, 0.1, 2, 1, 1), density=1000.0, material=StVenantKirchhoff(1e5, 0.3))
RIGID = RigidBody.from_plate(plate())
SPACE = RigidSolid(mass=2.0, inertia=(0.02, 0.03, 0.04))


class Drag(Effect):
    """−c v at points, in Python."""

    name = "drag"

    def __init__(self, points):
        self.points = points

    def for_stage(self, time, internal, tau, *, left=True):
        return self

    def at(self, x, v):
        slope = np.zeros((len(v), v.shape[1], v.shape[1])) - 0.8 * np.eye(v.shape[1])
        return PointForce(-0.8 * v, None, slope)

    def record(self, x, v, force):
        return Record(force, dissipated=float(0.8 * (v * v).sum()))


@dataclass(frozen=True)
class Dragged:
    """Drag at a place of the body."""

    at: object

    def on(self, attached):
        return Drag(attached.points)


PROBLEMS = {
    "plate": ("left", "sdirk2", lambda e: Problem(plate(), 3e-3, effects=e)),
    "plate explicit": ("left", "explicit", lambda e: Problem(plate(), 1e-4, effects=e)),
    "plate clamped": ("right", "sdirk2", lambda e: Problem(plate(), 3e-3, frame=Clamped("left"), effects=e)),
    "rigid": ("left", "sdirk2", lambda e: Problem(RIGID, 3e-3, effects=e)),
    "rigid explicit": ("left", "explicit", lambda e: Problem(RIGID, 3e-3, effects=e)),
    "beam": ("left", "sdirk2", lambda e: BeamProblem(BEAM, 3e-3, effects=e)),
    "beam free": ("left", "sdirk2", lambda e: Problem(BeamAxis.build(BEAM), 3e-3, effects=e)),
    "rigid in space": ((0.0, 0.0, 0.0), "sdirk2", lambda e: Problem(SPACE, 3e-3, gravity=0.0, effects=e)),
    "solid": ("right", "sdirk2", lambda e: Problem(SOLID, 3e-3, gravity=0.0, effects=e)),
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_trajectory_says_whether_its_steps_are_compiled_or_which_effect_is_python(kind):
    at, scheme, problem = PROBLEMS[kind]
    dt = 5e-5 if scheme == "explicit" else 1e-3
    plain, own = (simulate(assemble(problem(e), Options(dt, scheme))) for e in ((), (Dragged(at),)))
    assert plain.attrs["execution"] == "compiled"
    assert own.attrs["execution"].startswith("interpreted: drag; compiled are springs, ")
    assert np.isfinite(own.position).all()


class OwnFrame(MeanAxis):
    """A frame from outside of the library."""


PUSH = Contact(
    Line((0.3, 0.0), (-1.0, 0.0)), edge="right", normal=UserForce(lambda d, rate, t: 1e4 * d), law=Smooth(1e-3)
)


@pytest.mark.parametrize(
    ("parts", "named"), [({"frame": OwnFrame()}, "mean-axis"), ({"contacts": (PUSH,)}, "UserForce")]
)
def test_a_frame_of_ones_own_and_a_contact_force_given_by_a_function_are_said_to_be_interpreted(parts, named):
    assert assemble(Problem(plate(), 3e-3, **parts), Options(1e-3)).execution.startswith(f"interpreted: {named}; ")


@dataclass(frozen=True)
class OwnWall(Obstacle):
    """The half-plane x >= 0.2 m, its gap in Python."""

    dimension = 2
    motion = RigidMotion(velocity=(0.0, -0.05))

    def shape_gap(self, y):
        normal = np.tile([-1.0, 0.0], (len(y), 1))
        return Gap(0.2 - y[:, 0], normal, np.zeros((len(y), 2, 2)))


@pytest.mark.parametrize("scheme", ["backward-euler", "moreau-theta"])
def test_a_body_that_slides_along_a_wall_is_compiled_and_slows_as_both_frictions_say_a_shape_in_python_too(scheme):
    """Pressed by N on a wall that moves by w across it: M v' = −μ_w N − μ p A while v > 0 > w, and the wall takes the heat
    μ_w N (Δy − w t): all exact for constant forces, the moment μ_w N L/2 within what the edge can bear."""
    push, mu, mu_wall, speed, t_end, pressure, mass = 6.0, 0.1, 0.25, 1.0, 0.1, 50.0, DENSITY * THICKNESS * 0.4 * 0.2
    ground, start = Foundation(Coulomb(), mu, pressure), InitialState((0.0, speed))
    compiled, own = (
        simulate(
            assemble(
                Problem(
                    RIGID,
                    t_end,
                    ground,
                    initial=start,
                    contacts=(Contact(wall, edge="right", mu=mu_wall),),
                    loads=(BodyForce((push / mass, 0.0)),),
                ),
                Options(1e-3, scheme),
            )
        )
        for wall in (Line((0.2, 0.0), (-1.0, 0.0), OwnWall.motion), OwnWall())
    )
    assert compiled.attrs["execution"] == "compiled"
    assert own.attrs["execution"].startswith("interpreted: the gap of OwnWall")
    slowing = (mu_wall * push + mu * pressure * 0.4 * 0.2) / mass
    assert 0.2 * speed < slowing * t_end < 0.9 * speed, "it slows by much and does not stop"
    for run in (compiled, own):
        np.testing.assert_allclose(run.frame_velocity[-1], [0.0, speed - slowing * t_end], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(run.contact_force[1:, 0], -push, rtol=1e-10)
        np.testing.assert_allclose(run.contact_force[1:, 1], -mu_wall * push, rtol=1e-10)
        way = speed * t_end - 0.5 * slowing * t_end**2 + 0.05 * t_end
        np.testing.assert_allclose(run.dissipation_contact[-1], mu_wall * push * way, rtol=1e-10)
        assert np.abs(run.frame_angle).max() < 1e-10
