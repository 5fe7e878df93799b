"""Every refusal of the table is spoken by a combination that it names; what a user's own law declares decides, not its class."""

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from ff_examples import plate
from rows import rows

from fem.beam import Beam
from fem.beam_axis import BeamAxis
from floating_frame import (
    Clamped,
    Contact,
    InitialState,
    Line,
    Options,
    Problem,
    RigidBody,
    Signorini,
    Spring,
    StepControl,
    assemble,
)
from floating_frame.beam_problem import BeamProblem
from floating_frame.checks import EXACT_RULES, PENALTY_RULES, RULES
from friction import Coulomb, Elliptic, Foundation, Limited, NormalForce, Radial, SlidingStiction, StaticKinetic


@dataclass(frozen=True)
class Own(Radial):
    """lambda = w min(s/v, 1), or w from the start."""

    set_valued: ClassVar[bool] = False
    v: float = 1e-3

    def profile(self, s):
        return np.minimum(s / self.v, 1.0)

    def profile_slope(self, s):
        return np.where(s < self.v, 1.0 / self.v, 0.0)

    def profile_integral(self, s):
        return np.where(s < self.v, 0.5 * s * s / self.v, s - 0.5 * self.v)


@dataclass(frozen=True)
class OwnSetValued(Own):
    """The same, declared set-valued."""

    set_valued: ClassVar[bool] = True


PLATE, BEAM = plate(2, 1), Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e9, density=1000.0, ne=4)
RIGID, AXIS = RigidBody.from_plate(PLATE), BeamAxis.build(BEAM)
BRISTLES = SlidingStiction(v_s=0.05, v_d=0.08, dynamic_ratio=0.8, max_stiction_deformation=1e-3)
AXES = Elliptic(ratio=0.5, angle=0.3)
SOFT, HARD = NormalForce(1e5), Signorini()


def run(body, scheme="sdirk2", law=None, **more):
    """A body under a law with a scheme; `more`: of its options, of a contact (`normal`, `on`, `mu`) and of the problem."""
    options = Options(1e-3, scheme, **{k: more.pop(k) for k in ("stress", "step_control", "theta") if k in more})
    if "normal" in more:
        rubbing = {k: more.pop(k) for k in ("normal", "mu") if k in more} | {"law": more.pop("on", Coulomb())}
        more["contacts"] = (Contact(Line((1.0, 0.0), (-1.0, 0.0)), edge="right", **rubbing),)
    ground = None if law is None else Foundation(law, 0.3, 10.0, ground_velocity=more.pop("belt", (0.0, 0.0)))
    kind = BeamProblem if body is BEAM else Problem
    return kind(body, 0.01, foundation=ground, **more), options


HEAT, TIED, HELD = (
    {"thermal_strain": lambda X, t: 0.0 * X[:, 0]},
    {"effects": (Spring((0.0, 0.0), stiffness=1.0),)},
    Clamped("left"),
)
REFUSED = {
    0: run(BEAM, "explicit"),
    1: run(BEAM, step_control=StepControl(0.5, 10.0)),
    2: run(BEAM, stress=True),
    3: run(BEAM, law=BRISTLES),
    4: run(BEAM, "quasi-static", Own()),
    5: run(BEAM, "quasi-static"),
    6: run(BEAM, law=Coulomb(), belt=(0.1, 0.0)),
    7: run(RIGID, "explicit", Coulomb(), **TIED),
    8: run(RIGID, "explicit", Coulomb(cap=0.5)),
    9: run(PLATE, "explicit", OwnSetValued()),
    10: run(RIGID, "explicit", Own()),
    11: run(RIGID, "radau", OwnSetValued()),
    12: run(PLATE, "radau", Own()),
    13: run(PLATE, "linearly-implicit-trapezoidal", Own()),
    14: run(RIGID, stress=True),
    15: run(AXIS, stress=True),
    16: run(PLATE, "quasi-static", OwnSetValued()),
    17: run(RIGID, law=Coulomb(), frame=HELD),
    18: run(PLATE, law=AXES, frame=HELD),
    19: run(RIGID, **HEAT),
    20: run(PLATE, "explicit", Coulomb(), **HEAT),
}
REFUSED_PENALTY = {
    0: run(AXIS, normal=SOFT),
    1: run(RIGID, "explicit", normal=SOFT),
    2: run(PLATE, normal=SOFT, frame=HELD),
    3: run(PLATE, normal=3.0),
    4: run(PLATE, normal=SOFT, mu=0.1, on=OwnSetValued()),
    5: run(RIGID, "radau", Own(), normal=SOFT, mu=0.1, on=BRISTLES),
}
REFUSED_EXACT = {
    0: run(RIGID, "sdirk2", normal=HARD),
    1: run(AXIS, "moreau-theta", normal=HARD),
    2: run(PLATE, "moreau-theta", normal=Signorini(0.1, "poisson")),
    3: run(PLATE, "moreau-theta", theta=0.6, normal=Signorini(0.7)),
    4: run(RIGID, "moreau-theta", normal=HARD, mu=0.1, on=OwnSetValued()),
    5: run(RIGID, "moreau-theta", normal=HARD, mu=0.1, on=Coulomb(cap=0.5)),
}
TABLES = [(RULES, REFUSED), (PENALTY_RULES, REFUSED_PENALTY), (EXACT_RULES, REFUSED_EXACT)]


def said(text):
    """A regular expression of a row's line."""
    return "^" + re.sub(r"\\\{.*?\\\}", ".+", re.escape(text)) + "$"


@pytest.mark.parametrize(("table", "refused"), TABLES, ids=["runs", "penalty contacts", "exact contacts"])
def test_every_row_of_the_table_refuses_a_combination_in_its_own_line(table, refused):
    assert sorted(refused) == list(range(len(table)))
    for row, (problem, options) in refused.items():
        with pytest.raises(ValueError, match=said(table[row][1])) as caught:
            assemble(problem, options)
        assert "\n" not in str(caught.value), row


@rows(
    "taken",
    [
        run(BEAM, law=Own()),
        run(RIGID, "radau", Own(), normal=SOFT, mu=0.1, on=Own()),
        run(PLATE, "sdirk2", OwnSetValued(), normal=SOFT, mu=0.1, on=BRISTLES),
        run(PLATE, "quasi-static", AXES, **HEAT),
        run(PLATE, "moreau-theta", BRISTLES, normal=HARD, mu=0.1, on=StaticKinetic(0.5)),
        run(PLATE, "moreau-theta", Limited(Coulomb(), 1.0), frame=HELD, effects=(Spring("right", stiffness=1.0),)),
        run(PLATE, "explicit", Coulomb(), initial=InitialState((1.0, 0.0))),
    ],
)
def test_what_no_row_names_is_assembled(taken):
    problem, options = taken
    assert assemble(problem, options).system is not None
