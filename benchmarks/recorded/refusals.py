"""Recorded refusals: every row of the table of what a run in the plane does not take, and of what bodies in space do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import fem
import floating_frame as ff
from fem.beam import Beam
from friction import (
    LAWS,
    Coulomb,
    Elliptic,
    Foundation,
    Limited,
    NormalForce,
    Reacting,
    Sliding,
    SlidingStiction,
    Smooth,
    StaticKinetic,
    Stribeck,
)
from recorded import problems as p
from recorded.bodies import (
    EXPLICIT,
    LINEAR,
    RADAU,
    STILL,
    axis,
    ball,
    base,
    beam,
    block,
    feet,
    plate,
    rigid,
    rough,
    top,
)

BRISTLES = SlidingStiction(v_s=0.05, v_d=0.08, dynamic_ratio=0.8, max_stiction_deformation=1e-3)
SMOOTH, FALLING, SPLINE = Smooth(0.01), Stribeck(0.8, 0.1), LAWS["force-spline"]((0.0, 0.05, 1.0), (0.0, 1.2, 1.5))
SOFT, HARD = NormalForce(1e5), ff.Signorini()
HEAT = {"thermal_strain": lambda X, t: 0.0 * X[:, 0]}
WALL = ff.Line((1.0, 0.0), (-1.0, 0.0))


def run(body: Any, scheme: str = "sdirk2", law: Any = None, **more: Any) -> p.Job:
    """A body under a law with a scheme; ``more``: of its options, of a contact (``normal``, ``on``, ``mu``) and of the problem."""
    names = ("stress", "step_control", "theta", "error_tolerance")
    options = ff.Options(more.pop("dt", 1e-3), scheme, **{k: more.pop(k) for k in names if k in more})
    if "normal" in more:
        rubbing = {k: more.pop(k) for k in ("normal", "mu") if k in more} | {"law": more.pop("on", Coulomb())}
        place = {"nodes": more.pop("nodes")} if "nodes" in more else {"edge": more.pop("edge", "right")}
        more["contacts"] = (p.touch(more.pop("obstacle", WALL), **place, **rubbing),)
    if law is not None:
        more["foundation"] = Foundation(
            law, 0.3, more.pop("pressure", 10.0), ground_velocity=more.pop("belt", (0.0, 0.0))
        )
    make = p.deflected if isinstance(body, Beam) else p.plane
    return make(body, more.pop("t_end", 0.01), **more), options


def run_refusals() -> dict[str, Callable[[], Any]]:
    """Refused combinations in the plane, row by row of the table, and others."""
    held, tips = {"frame": p.clamp("left")}, {"pressure": Reacting(0.1, 10.0)}
    oblique, cut = Elliptic(ratio=0.5, angle=0.3), Coulomb(cap=0.5)
    control = {"step_control": ff.StepControl(0.5, 10.0)}
    moving = {"initial": p.start((1.0, 0.0))}
    return {
        "beam explicit": lambda: run(beam(), EXPLICIT),
        "beam radau": lambda: run(beam(), RADAU),
        "beam step control": lambda: run(beam(), **control),
        "beam stress": lambda: run(beam(), stress=True),
        "beam bristles": lambda: run(beam(), law=BRISTLES),
        "beam elliptic": lambda: run(beam(), law=oblique),
        "beam quasi-static smooth": lambda: run(beam(), STILL, SMOOTH),
        "beam quasi-static without ground": lambda: run(beam(), STILL),
        "beam on a belt": lambda: run(beam(), law=Coulomb(), belt=(0.1, 0.0)),
        "beam reacting": lambda: run(beam(), law=Coulomb(), **tips),
        "beam support": lambda: run(beam(), support="nowhere"),
        "beam motion": lambda: run(beam(), motion="turning"),
        "beam translating on supports": lambda: run(beam(), motion="translation", support="cantilever"),
        "beam force on a support": lambda: run(beam(), support="simply-supported", loads=(p.lateral(1.0, "tip"),)),
        "beam spring in the middle": lambda: run(beam(), effects=(ff.Spring("top", stiffness=1.0),)),
        "beam spring beside": lambda: run(beam(), effects=(ff.Spring((0.0, 0.5), stiffness=1.0),)),
        "explicit cap": lambda: run(rigid(), EXPLICIT, cut),
        "explicit static-kinetic": lambda: run(plate(), EXPLICIT, StaticKinetic(0.5)),
        "explicit falling": lambda: run(plate(), EXPLICIT, FALLING),
        "explicit smooth": lambda: run(rigid(), EXPLICIT, SMOOTH),
        "explicit limited": lambda: run(rigid(), EXPLICIT, Limited(Coulomb(), 1.0)),
        "explicit heated": lambda: run(plate(), EXPLICIT, Coulomb(), **HEAT),
        "explicit clamped": lambda: run(plate(), EXPLICIT, Coulomb(), **held),
        "explicit reacting": lambda: run(rigid(), EXPLICIT, Coulomb(), **tips),
        "explicit beam-axis": lambda: run(axis(), EXPLICIT),
        "explicit P2": lambda: run(plate("P2"), EXPLICIT),
        "explicit rigid dt 0": lambda: run(rigid(), EXPLICIT, dt=0.0),
        "explicit too many steps": lambda: run(plate(E=2e30), EXPLICIT, dt=0.0),
        "radau coulomb": lambda: run(rigid(), RADAU, Coulomb()),
        "radau plate": lambda: run(plate(), RADAU, SMOOTH),
        "radau reacting": lambda: run(rigid(), RADAU, SMOOTH, **tips),
        "linearly implicit plate": lambda: run(plate(), LINEAR, SMOOTH),
        "linearly implicit reacting": lambda: run(rigid(), LINEAR, SMOOTH, **tips),
        "rigid stress": lambda: run(rigid(), stress=True),
        "beam-axis stress": lambda: run(axis(), stress=True),
        "quasi-static smooth": lambda: run(plate(), STILL, SMOOTH),
        "quasi-static falling": lambda: run(plate(), STILL, FALLING),
        "quasi-static without ground": lambda: run(plate(), STILL),
        "quasi-static rigid": lambda: run(rigid(), STILL, Coulomb()),
        "quasi-static moving": lambda: run(plate(), STILL, Coulomb(), **moving),
        "clamped reacting": lambda: run(plate(), law=Coulomb(), **tips, **held),
        "beam-axis reacting": lambda: run(axis(), law=Coulomb(), **tips),
        "quasi-static reacting": lambda: run(plate(), STILL, Coulomb(), **tips),
        "reacting bristles": lambda: run(rigid(), law=BRISTLES, **tips),
        "clamped rigid": lambda: run(rigid(), law=Coulomb(), **held),
        "clamped oblique": lambda: run(plate(), law=oblique, **held),
        "clamped along x oblique": lambda: run(plate(), law=oblique, frame=p.clamp("left", ("x",))),
        "clamped contradicts": lambda: run(plate(), initial=p.start((1.0, 1.0)), frame=p.clamp("left", ("x",))),
        "clamped displaced": lambda: run(plate(), initial=p.start(displacement=0.1 * plate().X), **held),
        "clamped nowhere": lambda: run(plate(), frame=p.clamp("nowhere")),
        "clamped rate": lambda: run(plate(), frame=p.clamp("left", (), {"x": lambda t: np.inf})),
        "rigid heated": lambda: run(rigid(), **HEAT),
        "rigid displaced": lambda: run(rigid(), initial=p.start(displacement=0.1 * rigid().X)),
        "neo-hookean heated": lambda: run(plate("P1", "neo-hookean"), **HEAT),
        "heat of another shape": lambda: run(plate(), thermal_strain=lambda X, t: np.zeros(3)),
        "too fast": lambda: run(rigid(), initial=p.start((1e200, 0.0))),
        "too many steps": lambda: run(rigid(), t_end=1e9, dt=1e-9),
        "unknown edge": lambda: run(plate(), loads=(ff.EdgeLoad("nowhere", (1.0, 0.0)),)),
        "spring at no edge": lambda: run(plate(), effects=(ff.Spring("nowhere", stiffness=1.0),)),
        "spring outside": lambda: run(plate(), effects=(ff.Spring((1.0, 1.0), stiffness=1.0),)),
        "torque on an open edge": lambda: run(plate(), loads=(ff.TangentialTraction("right", 1.0),)),
        "traction on a beam-axis": lambda: run(axis(), loads=(ff.EdgeTraction("left", lambda X: X),)),
        "body force field on a beam-axis": lambda: run(axis(), loads=(ff.BodyForceField(lambda X, t: X),)),
        "body force field of another shape": lambda: run(plate(), loads=(ff.BodyForceField(lambda X, t: X[:2]),)),
        "lateral load on a plate": lambda: run(plate(), loads=(p.lateral(1.0),)),
        "modes of a beam about a displacement": lambda: p.natural_modes(lambda: run(beam()), 2, np.zeros((9, 2))),
        "a model that is none": lambda: ff.simulate(run(plate())),
    }


def contact_refusals() -> dict[str, Callable[[], Any]]:
    """Contacts in the plane that a run does not take."""
    held = {"frame": p.clamp("left")}
    moreau: dict[str, Any] = {"scheme": "moreau-theta"}
    peg = ff.Circle((0.3, 0.0), 0.01)
    return {
        "penalty beam-axis": lambda: run(axis(), normal=SOFT),
        "penalty explicit": lambda: run(rigid(), EXPLICIT, normal=SOFT),
        "penalty quasi-static": lambda: run(plate(), STILL, Coulomb(), normal=SOFT),
        "penalty linearly implicit": lambda: run(rigid(), LINEAR, normal=SOFT),
        "penalty clamped": lambda: run(plate(), normal=SOFT, **held),
        "penalty coulomb": lambda: run(plate(), normal=SOFT, mu=0.1, on=Coulomb()),
        "penalty falling": lambda: run(plate(), normal=SOFT, mu=0.1, on=FALLING),
        "penalty radau bristles": lambda: run(rigid(), RADAU, SMOOTH, normal=SOFT, mu=0.1, on=BRISTLES),
        "penalty small obstacle": lambda: run(plate(), normal=SOFT, obstacle=peg),
        "penalty nodes": lambda: run(plate(), normal=SOFT, nodes=(0, 999)),
        "penalty nowhere": lambda: run(plate(), normal=SOFT, edge="nowhere"),
        "exact sdirk2": lambda: run(rigid(), "sdirk2", normal=HARD),
        "exact explicit": lambda: run(rigid(), EXPLICIT, normal=HARD),
        "exact beam-axis": lambda: run(axis(), **moreau, normal=HARD),
        "exact clamped": lambda: run(plate(), **moreau, normal=HARD, **held),
        "exact plate poisson": lambda: run(plate(), **moreau, normal=ff.Signorini(0.1, "poisson")),
        "exact plate restitution": lambda: run(plate(), **moreau, theta=0.6, normal=ff.Signorini(0.7)),
        "exact plate restitution backward-euler": lambda: run(plate(), "backward-euler", normal=ff.Signorini(0.1)),
        "exact falling": lambda: run(rigid(), **moreau, normal=HARD, mu=0.1, on=FALLING),
        "exact smooth": lambda: run(rigid(), **moreau, normal=HARD, mu=0.1, on=SMOOTH),
        "exact cap": lambda: run(rigid(), **moreau, normal=HARD, mu=0.1, on=Coulomb(cap=0.5)),
        "exact small obstacle": lambda: run(plate(), **moreau, normal=HARD, obstacle=peg),
    }


def in_space(body: Any, scheme: str = "sdirk2", **more: Any) -> p.Job:
    """A rigid body in space, or a solid."""
    names = ("stress", "step_control", "error_tolerance")
    options = ff.Options(more.pop("dt", 1e-3), scheme, **{k: more.pop(k) for k in names if k in more})
    make = p.solid if isinstance(body, fem.Solid) else p.rigid_in_space
    return make(body, more.pop("t_end", 0.01), **more), options


def space_refusals() -> dict[str, Callable[[], Any]]:
    """Refusals of rigid bodies in space."""
    lean = {"position": (0.0, 0.0, 0.05), "rotation": (1.0, 0.1, 0.0, 0.0)}
    ground, sphere = p.touch_in_space(mu=0.3), ff.Sphere((0.0, 0.0, 0.0), 0.1)
    laws = {"smooth": SMOOTH, "sliding": Sliding(0.001, 0.01, 0.8), "falling": FALLING, "elliptic": Elliptic(2.0, 0.0)}
    laws |= {"limited": Limited(Coulomb(), 1.0), "cap": Coulomb(cap=0.5), "bristles": BRISTLES, "spline": SPLINE}
    found: dict[str, Callable[[], Any]] = {
        f"law {name}": partial(in_space, feet(), mu=0.3, law=law) for name, law in laws.items()
    }
    found |= {f"scheme {name}": partial(in_space, feet(), name) for name in (EXPLICIT, RADAU, LINEAR, STILL)}
    return found | {
        "error tolerance": lambda: in_space(feet(), error_tolerance=1e-3),
        "step control": lambda: in_space(feet(), step_control=ff.StepControl(0.5, 10.0)),
        "stress": lambda: in_space(feet(), stress=True),
        "too many steps": lambda: in_space(feet(), t_end=1e9, dt=1e-9),
        "body": lambda: in_space(plate()),
        "mu": lambda: in_space(feet(), mu=-0.1),
        "gravity": lambda: in_space(feet(), gravity=np.nan),
        "end": lambda: in_space(feet(), t_end=0.0),
        "one load": lambda: in_space(feet(), loads=p.point_force((1.0, 0.0, 0.0))),
        "load in the plane": lambda: in_space(feet(), loads=(ff.EdgeLoad("right", (1.0, 0.0)),)),
        "one contact": lambda: in_space(feet(), contacts=ground),
        "mu beside contacts": lambda: in_space(feet(), mu=0.3, contacts=(ground,)),
        "below the ground": lambda: in_space(feet(), initial={"position": (0.0, 0.0, 0.04)}),
        "inside of an obstacle": lambda: in_space(
            ball(), initial={"position": (0.1, 0.0, 0.0)}, contacts=(p.touch_in_space(sphere),)
        ),
        "no place": lambda: in_space(ball(), contacts=(p.touch_in_space(sphere),)),
        "feet above": lambda: in_space(
            p.RigidSolid(mass=1.0, inertia=(1.0, 1.0, 1.0), shape=p.Feet([(0.0, 0.0, 0.1)]))
        ),
        "base on an obstacle": lambda: in_space(base(), contacts=(p.touch_in_space(sphere),)),
        "base that leans": lambda: in_space(base(), initial=lean),
        "base that rolls": lambda: in_space(base(), initial={"spin_space": (1.0, 0.0, 0.0)}),
        "base that rises": lambda: in_space(base(), initial={"velocity": (0.0, 0.0, 1.0)}),
        "base static-kinetic": lambda: in_space(base(), mu=0.3, law=StaticKinetic(0.5)),
        "restitution": lambda: in_space(feet(), contacts=(p.touch_in_space(normal=ff.Signorini(0.5)),)),
        "penalty coulomb": lambda: in_space(feet(), contacts=(p.touch_in_space(normal=SOFT, mu=0.3),)),
        "penalty elliptic": lambda: in_space(
            feet(), contacts=(p.touch_in_space(normal=SOFT, mu=0.3, law=Limited(SMOOTH, 1.0)),)
        ),
        "exact smooth": lambda: in_space(feet(), contacts=(p.touch_in_space(mu=0.3, law=SMOOTH),)),
        "contact mu": lambda: p.touch_in_space(mu=-1.0),
        "contact normal": lambda: p.touch_in_space(normal=1e5),
        "rotation": lambda: in_space(feet(), initial={"rotation": (0.0, 0.0, 0.0, 0.0)}),
        "place": lambda: in_space(feet(), initial={"position": (0.0, 1.0)}),
        "a contact that is none": lambda: in_space(feet(), contacts=(1.0,)),
        "law of text": lambda: in_space(feet(), law="coulomb"),
        "penalty law of text": lambda: p.touch_in_space(normal=SOFT, law="smooth"),
        "obstacle": lambda: p.touch_in_space(1.0),
        "velocity": lambda: in_space(feet(), initial={"velocity": (1.0, 0.0)}),
        "spin": lambda: in_space(feet(), initial={"spin_space": (1.0, np.nan, 0.0)}),
        "modes": lambda: p.natural_modes(lambda: in_space(feet()), 3),
        "a top on the ground": lambda: in_space(top(), mu=-1.0),
    }


def solid_refusals() -> dict[str, Callable[[], Any]]:
    """Refusals of elastic solids."""
    pressed: dict[str, Any] = {"contact": "bottom", "gravity": 0.0, "foundation": rough(Coulomb())}
    ground = p.touch_in_space(mu=0.3)
    clamp = p.clamp_in_space("left")
    hinge = p.hinge("left", (0.0, 1.0, 0.0), (-0.15, 0.0, 0.05))
    inside_out = {"displacement": -1.5 * block().X * (1.0 + block().X[:, :1] + 0.5 * block().X[:, 1:2])}
    found: dict[str, Callable[[], Any]] = {
        f"scheme {name}": partial(in_space, block(), name) for name in ("moreau-theta", EXPLICIT)
    }
    return found | {
        "error tolerance": lambda: in_space(block(), error_tolerance=1e-3),
        "step control": lambda: in_space(block(), step_control=ff.StepControl(0.5, 10.0)),
        "small strain": lambda: in_space(block("Q1", "small-strain")),
        "body": lambda: p.solid(plate(), 0.1),
        "frame": lambda: in_space(block(), frame="mean-axis"),
        "load": lambda: in_space(block(), loads=(p.point_force((1.0, 0.0, 0.0)),)),
        "one load": lambda: in_space(block(), loads=p.solid_force((1.0, 0.0, 0.0))),
        "unknown face": lambda: in_space(block(), loads=(p.solid_force((1.0, 0.0, 0.0), on="nowhere"),)),
        "unknown contact": lambda: in_space(block(), contact="nowhere"),
        "mu": lambda: in_space(block(), contact="bottom", mu=-1.0),
        "a contact that is none": lambda: in_space(block(), contact="bottom", contacts=(1.0,)),
        "obstacle": lambda: in_space(block(), contact="bottom", obstacle=1.0),
        "displacement": lambda: in_space(block(), initial={"displacement": np.zeros((2, 3))}),
        "below an obstacle": lambda: in_space(
            block(), contact="bottom", obstacle=ff.HalfSpace((0.0, 0.0, 0.001)), initial={"position": (0.0, 0.0, 0.05)}
        ),
        "inside out": lambda: in_space(block(), initial=inside_out),
        "mu without contact": lambda: in_space(block(), mu=0.3),
        "obstacle without contact": lambda: in_space(block(), obstacle=ff.HalfSpace((0.0, 0.0, -1.0))),
        "contacts without contact": lambda: in_space(block(), contacts=(ground,)),
        "guides without contact": lambda: in_space(block(), guides=("top",)),
        "foundation without contact": lambda: in_space(block(), foundation=rough(Coulomb())),
        "foundation and contacts": lambda: in_space(block(), **pressed, contacts=(ground,)),
        "mu and contacts": lambda: in_space(block(), contact="bottom", mu=0.3, contacts=(ground,)),
        "P2 in contact": lambda: in_space(block("P2"), contact="bottom"),
        "foundation and mu": lambda: in_space(block(), mu=0.3, **pressed),
        "foundation and gravity": lambda: in_space(block(), **(pressed | {"gravity": 9.81})),
        "foundation and viscosity": lambda: in_space(block(viscosity=1e-3), **pressed),
        "foundation reacting": lambda: in_space(
            block(), **(pressed | {"foundation": rough(Coulomb(), pressure=Reacting(0.1, 9.0))})
        ),
        "foundation bristles": lambda: in_space(block(), **(pressed | {"foundation": rough(BRISTLES)})),
        "foundation and a rise": lambda: in_space(block(), initial={"velocity": (0.0, 0.0, 1.0)}, **pressed),
        "guides on the ground": lambda: in_space(block(), contact="bottom", guides=("top",)),
        "below the ground": lambda: in_space(block(), contact="bottom", initial={"position": (0.0, 0.0, 0.04)}),
        "inside of an obstacle": lambda: in_space(
            block(),
            contact="bottom",
            obstacle=ff.Sphere((0.15, 0.1, 0.0), 0.05),
            initial={"position": (0.0, 0.0, 0.05)},
        ),
        "law": lambda: in_space(block(), contact="bottom", mu=0.3, law=SMOOTH),
        "clamp and foundation": lambda: in_space(block(), frame=clamp, **pressed),
        "clamp displaced": lambda: in_space(block(), frame=clamp, initial={"displacement": 0.01 * block().X}),
        "clamp moving": lambda: in_space(block(), frame=clamp, initial={"velocity": (1.0, 0.0, 0.0)}),
        "hinge moving": lambda: in_space(block(), frame=hinge, initial={"velocity": (1.0, 0.0, 0.0)}),
        "clamp at all that touches": lambda: in_space(block(), frame=p.clamp_in_space("bottom"), contact="bottom"),
        "clamp axes": lambda: p.clamp_in_space("left", "w"),
        "clamp rotation": lambda: p.clamp_in_space("left", "x", "rotation"),
        "clamp of a number": lambda: p.clamp_in_space("left", 1.0),
        "hinge axis": lambda: p.hinge("left", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        "hinge point": lambda: p.hinge("left", (0.0, 1.0, 0.0), (0.0, np.inf, 0.0)),
        "modes too many": lambda: p.natural_modes(lambda: in_space(block(cells=(1, 1, 1))), 400),
        "viscosity": lambda: block(viscosity=-1.0),
        "nu": lambda: fem.Solid.build(fem.box(1, 1, 1, 1, 1, 1), density=1.0, material=fem.SmallStrain(1e5, 0.5)),
        "element": lambda: fem.Solid.build(
            fem.box(1, 1, 1, 1, 1, 1), density=1.0, material=fem.NeoHookean(1e5, 0.3), element="P1"
        ),
    }


TABLES = {"run": run_refusals, "contact": contact_refusals, "space": space_refusals, "solid": solid_refusals}


def refusal_runs() -> Iterator[tuple[str, p.Run]]:
    """All of them."""
    for table, refusals in TABLES.items():
        for name, make in refusals().items():
            yield f"refusal {table} {name}", partial(p.refused, make)
