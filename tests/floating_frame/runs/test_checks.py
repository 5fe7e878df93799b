"""Every refusal of the table is spoken by a combination that it names; what a user's own law declares decides, not its class."""

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from ff_examples import plate
from rows import rows

import floating_frame as ff
import friction
from fem import NeoHookean, Solid, box
from fem.beam import Beam
from fem.beam_axis import BeamAxis
from floating_frame import Base, Contact, Feet, Lateral, Options, Problem, RigidSolid, Signorini, StepControl, assemble
from floating_frame.checks import EXACT_RULES, PENALTY_RULES, RULES
from friction import Coulomb, Elliptic, ForceSpline, Foundation, Limited, Radial, Reacting, Sliding, StaticKinetic


@dataclass(frozen=True)
class Own(Radial):
    """lambda = w min(s/v, 1), or w from the start."""

    set_valued: ClassVar[bool] = False
    v: float = 1e-3

    def profile(self, s):
        return np.minimum(s / self.v, 1.0)

    def profile_slope(self, s):
        return np.where(s < self.v, 1.0 / self.v, 0.0)


@dataclass(frozen=True)
class OwnSetValued(Own):
    """The same, declared set-valued."""

    set_valued: ClassVar[bool] = True


@dataclass(frozen=True)
class OwnAxes(Own):
    """The first, declared to have directions of its own."""

    metric: ClassVar[np.ndarray] = np.diag([1.0, 0.5])


PLATE, BEAM = plate(2, 1), Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e9, density=1000.0, ne=4)
RIGID, AXIS = ff.RigidBody.from_plate(PLATE), BeamAxis.build(BEAM)
BRISTLES = friction.SlidingStiction(v_s=0.05, v_d=0.08, dynamic_ratio=0.8, max_stiction_deformation=1e-3)
AXES = Elliptic(ratio=0.5, angle=0.3)
SLIDES = Sliding(v_s=1e-3, v_d=1e-2, dynamic_ratio=0.8)
SOFT, HARD = friction.NormalForce(1e5), Signorini()


def run(body, scheme="sdirk2", law=None, **more):
    """A body under a law with a scheme; `more`: of its options, of a contact (`normal`, `on`, `mu`) and of the problem."""
    options = Options(1e-3, scheme, **{k: more.pop(k) for k in ("stress", "step_control", "theta") if k in more})
    if "normal" in more:
        rubbing = {k: more.pop(k) for k in ("normal", "mu") if k in more} | {"law": more.pop("on", Coulomb())}
        more["contacts"] = (Contact(ff.Line((1.0, 0.0), (-1.0, 0.0)), edge="right", **rubbing),)
    pressed = more.pop("pressure", 10.0), more.pop("belt", (0.0, 0.0))
    kind = ff.BeamProblem if body is BEAM else Problem
    return kind(body, 0.01, foundation=law and Foundation(law, 0.3, *pressed), **more), options


FEET = RigidSolid(mass=1.0, inertia=(1.0, 1.0, 1.0), shape=Feet([(0.0, 0.0, -0.1)]))
SLAB = [(0.0, 0.0, -0.1), (0.1, 0.0, -0.1), (0.0, 0.1, -0.1)]
FLAT = RigidSolid(mass=1.0, inertia=(1.0, 1.0, 1.0), shape=Base(SLAB, [1.0] * 3))
MESH, RUBBER = box(1, 1, 1, 1, 1, 1), NeoHookean(1e3, 0.3)
CUBE, SLOW = (Solid.build(MESH, density=1.0, material=RUBBER, viscosity=t) for t in (0, 1))


def in_space(body, scheme="sdirk2", law=None, pressure=10.0, **more):
    """A body in space; `more` as of ``run``, `law`: under a given pressure."""
    options = {k: more.pop(k) for k in ("stress", "step_control", "error_tolerance") if k in more}
    if "normal" in more:
        more["contacts"] = (Contact(normal=more.pop("normal"), law=more.pop("on", Coulomb()), mu=more.pop("mu", 0.0)),)
    if body.deformable:
        more |= {"foundation": law and Foundation(law, 0.3, pressure), "contact": "bottom"}
    kind = ff.SolidProblem if body.deformable else ff.SpaceProblem
    return kind(body=body, t_end=0.01, **more), Options(1e-3, scheme, **options)


def lying(**more):
    """A solid on given pressure."""
    return in_space(more.pop("body", CUBE), **({"gravity": 0.0, "law": Coulomb()} | more))


HEAT, HELD, TIPS = {"thermal_strain": lambda X, t: 0.0 * X[:, 0]}, ff.Clamped("left"), Reacting(0.1, 10.0)
REFUSED = [
    run(BEAM, "explicit"),
    run(BEAM, step_control=StepControl(0.5, 10.0)),
    run(BEAM, stress=True),
    run(BEAM, law=BRISTLES),
    run(BEAM, "quasi-static", Own()),
    run(BEAM, "quasi-static"),
    run(BEAM, law=Coulomb(), belt=(0.1, 0.0)),
    (Problem(BEAM, 0.01, frame=Lateral(), initial=ff.InitialState((0.0, 1.0))), Options(1e-3)),
    (Problem(BEAM, 0.01, frame=Lateral(), thermal_strain=lambda X, t: 0.0), Options(1e-3)),
    (Problem(FEET, 0.01, Foundation(Coulomb(), 0.3, 10.0)), Options(1e-3)),
    run(RIGID, "explicit", Coulomb(cap=0.5)),
    run(PLATE, "explicit", OwnSetValued()),
    run(RIGID, "explicit", Own()),
    run(RIGID, "radau", OwnSetValued()),
    run(PLATE, "radau", Own()),
    run(PLATE, "linearly-implicit-trapezoidal", Own()),
    run(RIGID, stress=True),
    run(AXIS, stress=True),
    run(PLATE, "quasi-static", OwnSetValued()),
    in_space(CUBE, "moreau-theta"),
    in_space(FEET, error_tolerance=1e-3),
    in_space(FEET, step_control=StepControl(0.5, 10.0)),
    lying(frame=ff.SpaceClamped("left")),
    lying(body=SLOW),
    lying(gravity=9.81),
    lying(pressure=TIPS),
    lying(law=BRISTLES),
    run(PLATE, law=Coulomb(), pressure=TIPS, frame=HELD),
    run(RIGID, "explicit", Coulomb(), pressure=TIPS),
    run(RIGID, law=BRISTLES, pressure=TIPS),
    run(PLATE, frame=ff.SpaceClamped("left")),
    run(RIGID, law=Coulomb(), frame=HELD),
    run(PLATE, law=AXES, frame=HELD),
    run(RIGID, **HEAT),
    run(PLATE, "explicit", Coulomb(), **HEAT),
]
REFUSED_PENALTY = [
    run(AXIS, normal=SOFT),
    run(RIGID, "explicit", normal=SOFT),
    run(PLATE, normal=SOFT, frame=HELD),
    run(PLATE, normal=SOFT, mu=0.1, on=OwnSetValued()),
    run(PLATE, "quasi-static", Coulomb(), normal=SOFT),
    *(run(PLATE, normal=SOFT, mu=0.1, on=law) for law in (Coulomb(), ForceSpline((0.0, 1.0), (1.0, 1.0)))),
    in_space(FEET, normal=SOFT, mu=0.1, on=Coulomb()),
    run(RIGID, "radau", Own(), normal=SOFT, mu=0.1, on=BRISTLES),
    in_space(FEET, normal=SOFT, mu=0.1, on=Limited(Own(), 1.0)),
    in_space(FEET, normal=SOFT, mu=0.1, on=OwnAxes()),
]
REFUSED_EXACT = [
    in_space(FEET, normal=Signorini(0.5)),
    *(in_space(FEET, normal=HARD, mu=0.1, on=law) for law in (Own(), AXES, Limited(Coulomb(), 1.0), SLIDES)),
    (ff.SpaceProblem(body=FLAT, t_end=0.01, mu=0.3, law=StaticKinetic(0.5)), Options(1e-3)),
    run(RIGID, "sdirk2", normal=HARD),
    run(AXIS, "moreau-theta", normal=HARD),
    run(PLATE, "moreau-theta", normal=Signorini(0.1, "poisson")),
    run(PLATE, "moreau-theta", theta=0.6, normal=Signorini(0.7)),
    run(PLATE, "backward-euler", normal=Signorini(0.1)),
    run(RIGID, "explicit", normal=HARD),
    run(RIGID, "linearly-implicit-trapezoidal", normal=HARD),
    run(PLATE, "moreau-theta", normal=HARD, frame=HELD),
    run(RIGID, "moreau-theta", normal=HARD, mu=0.1, on=OwnSetValued()),
    run(RIGID, "moreau-theta", normal=HARD, mu=0.1, on=Coulomb(cap=0.5)),
]
TABLES = [(RULES, REFUSED), (PENALTY_RULES, REFUSED_PENALTY), (EXACT_RULES, REFUSED_EXACT)]


@pytest.mark.parametrize(("table", "refused"), TABLES, ids=["runs", "penalty contacts", "exact contacts"])
def test_every_row_of_the_table_refuses_a_combination_in_its_own_line(table, refused):
    spoken, lines = set(), {text: re.sub(r"\\\{.*?\\\}", ".+", re.escape(text)) for _, text in table}
    for problem, options in refused:
        with pytest.raises(ValueError, match=r"takes|needs|must|no") as caught:
            assemble(problem, options)
        line = str(caught.value)
        assert "\n" not in line
        spoken.add(next(text for text, words in lines.items() if re.fullmatch(words, line)))
    assert lines.keys() - spoken == set()


NUMBERS = [
    (REFUSED_EXACT[-1], "got cap 0.5 with mu 0.1; choose the equivalent mu = 0.05"),
    (run(PLATE, "moreau-theta", theta=0.6, normal=Signorini(0.7)), "(1 - theta)/theta = 0.666667 with scheme "),
    (run(RIGID, "explicit", Coulomb(cap=0.5)), "got one cut to 0.5 w"),
]
TAKEN = [
    run(BEAM, law=Own()),
    run(RIGID, "radau", Own(), normal=SOFT, mu=0.1, on=Own()),
    run(PLATE, "sdirk2", OwnSetValued(), normal=SOFT, mu=0.1, on=BRISTLES),
    run(PLATE, "quasi-static", AXES, **HEAT),
    run(PLATE, "moreau-theta", BRISTLES, normal=HARD, mu=0.1, on=StaticKinetic(0.5)),
    run(PLATE, "moreau-theta", theta=0.6, normal=Signorini(0.4 / 0.6)),
    run(RIGID, "moreau-theta", theta=0.6, normal=Signorini(0.7)),
    run(PLATE, "moreau-theta", Limited(Coulomb(), 1.0), frame=HELD, effects=(ff.Spring("right", stiffness=1.0),)),
    run(PLATE, "explicit", Coulomb(), initial=ff.InitialState((1.0, 0.0))),
]


@rows(("refused", "words"), NUMBERS)
def test_a_refusal_says_the_numbers_that_do_not_fit_and_those_that_would(refused, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        assemble(*refused)


@rows("taken", TAKEN)
def test_what_no_row_names_is_assembled(taken):
    problem, options = taken
    assert assemble(problem, options).system is not None
