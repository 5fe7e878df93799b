"""Every trajectory says whether the loops of its steps are compiled, or what in them is interpreted, and what would be faster."""

from dataclasses import dataclass

import numpy as np
import pytest
from ff_examples import plate

from fem import BeamAxis, Solid, StVenantKirchhoff, box
from fem.beam import Beam
from floating_frame import (
    BeamProblem,
    Clamped,
    Contact,
    Line,
    MeanAxis,
    Options,
    Problem,
    RigidBody,
    RigidSolid,
    assemble,
    simulate,
)
from floating_frame.effect.protocol import Effect, PointForce, Record
from friction import Smooth, UserForce

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
