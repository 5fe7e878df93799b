"""Every trajectory says whether the loops of its steps are compiled, or what in them is interpreted, and what would be faster."""

import numpy as np
import pytest
from added_files import Dragged
from ff_examples import plate
from problems import assembled, run
from rows import rows

from fem import BeamAxis, Solid, StVenantKirchhoff, box
from fem.beam import Beam
from floating_frame import Ball, Base, Clamped, Lateral, Line, MeanAxis, RigidBody, RigidSolid, Sphere
from friction import Smooth, UserForce

BEAM = Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e9, density=1000.0, ne=6)
SOLID = Solid.build(box(0.4, 0.2, 0.1, 2, 1, 1), density=1000.0, material=StVenantKirchhoff(1e5, 0.3))
RIGID = RigidBody.from_plate(plate())
SPACE, ORIGIN = RigidSolid(mass=2.0, inertia=(0.02, 0.03, 0.04)), (0.0, 0.0, 0.0)
BASE = Base([(-0.1, 0, -0.1), (0.1, 0.1, -0.1), (0.1, -0.1, -0.1)], np.ones(3))
FLAT = RigidSolid(mass=1.0, inertia=(0.01,) * 3, shape=BASE)
BODIES = {
    "plate": (plate(), "left", {}),
    "plate explicit": (plate(), "left", {"t_end": 1e-4, "dt": 5e-5, "scheme": "explicit"}),
    "plate clamped": (plate(), "right", {"frame": Clamped("left")}),
    "rigid": (RIGID, "left", {}),
    "rigid explicit": (RIGID, "left", {"dt": 5e-5, "scheme": "explicit"}),
    "beam": (BEAM, "left", {"frame": Lateral()}),
    "beam free": (BeamAxis.build(BEAM), "left", {}),
    "flat base": (FLAT, ORIGIN, {"mu": 0.3}),
    "rigid in space": (SPACE, ORIGIN, {"gravity": 0.0, "mu": 0.0}),
    "solid": (SOLID, "right", {"gravity": 0.0}),
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_trajectory_says_whether_its_steps_are_compiled_or_which_effect_is_python(kind):
    body, at, given = BODIES[kind]
    plain, own = (run(body, **{"t_end": 3e-3, "dt": 1e-3} | given, effects=e) for e in ((), (Dragged(at),)))
    assert plain.attrs["execution"] == "compiled"
    assert own.attrs["execution"].startswith("interpreted: drag; compiled are springs, ")
    assert np.isfinite(own.position).all()


class OwnFrame(MeanAxis):
    """A frame from outside of the library."""


class OwnBowl(Sphere):
    """A shape whose gap is Python."""

    def shape_gap(self, y):
        return super().shape_gap(y)


PUSHING = UserForce(lambda d, rate, t: 1e4 * d)
PUSH = {"obstacle": Line((0.3, 0.0), (-1.0, 0.0)), "edge": "right", "normal": PUSHING, "law": Smooth(1e-3)}
ROUND = RigidSolid(mass=1.0, inertia=(0.01,) * 3, shape=Ball(0.1))
IN_BOWL = {"obstacle": OwnBowl((0.0, 0.0, 1.0), 1.0, inside=True), "position": (0.0, 0.0, 0.1), "mu": 0.3}
OWN = [(plate(), {"frame": OwnFrame()}, "mean-axis"), (plate(), PUSH, "UserForce"), (ROUND, IN_BOWL, "OwnBowl")]


@rows("body, parts, named", OWN)
def test_what_of_ones_own_and_what_else_is_not_compiled_is_said_to_be_interpreted(body, parts, named):
    model = assembled(body, 3e-3, 1e-3, **parts)
    assert model.integrator.compiled is None
    assert model.execution.startswith(f"interpreted: {named}; ")
