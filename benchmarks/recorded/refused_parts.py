"""Recorded refusals of what a problem is made of: options, bodies, loads, obstacles, springs, laws, grounds, meshes, materials."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import fem
import floating_frame as ff
import friction
from fem.beam import Beam
from friction import Coulomb, Foundation
from recorded import problems as p
from recorded.bodies import plate, rigid

Table = dict[str, Callable[[], Any]]
NAN = float("nan")


def option_refusals() -> Table:
    """Options, and the parts of a problem in the plane."""
    parts: dict[str, dict[str, Any]] = {
        "body": {"body": "plate"},
        "foundation": {"foundation": 0.3},
        "frame": {"frame": "mean-axis"},
        "initial": {"initial": (1.0, 0.0)},
        "loads": {"loads": ff.EdgeLoad("right", (1.0, 0.0))},
        "a load": {"loads": (1.0,)},
        "contacts": {"contacts": (ff.Line((0.0, 0.0), (1.0, 0.0)),)},
        "effects": {"effects": (1.0,)},
        "end": {"t_end": 0.0},
        "end of text": {"t_end": "1"},
        "velocity": {"initial": lambda: p.start((1.0,))},
        "displacement": {"initial": lambda: p.start(displacement=np.zeros((2, 2)))},
        "rate": {"initial": lambda: p.start(rate=np.zeros((2, 2)))},
        "spin": {"initial": lambda: p.start(spin=NAN)},
        "one point": {"initial": lambda: p.start(displacement=-plate().X)},
    }

    def problem(given: dict[str, Any]) -> p.Job:
        made = {name: part() if callable(part) else part for name, part in given.items()}
        whole = {"body": plate(), "t_end": 0.1} | made
        return p.plane(whole.pop("body"), whole.pop("t_end"), **whole), ff.Options(1e-2)

    options: dict[str, dict[str, Any]] = {
        "dt": {"dt": 0.0},
        "dt of text": {"dt": "1"},
        "scheme": {"scheme": "euler"},
        "output_every": {"output_every": 0},
        "max_halvings": {"max_halvings": -1},
        "tolerance": {"tolerance": 0.1},
        "theta": {"theta": 0.4},
        "error_tolerance": {"error_tolerance": 2.0},
        "min_step": {"min_step": -1.0},
        "step_control": {"step_control": 4.0},
    }
    found: Table = {f"problem {name}": partial(problem, given) for name, given in parts.items()}
    found |= {f"options {name}": partial(ff.Options, **({"dt": 1e-2} | given)) for name, given in options.items()}
    return found | {
        "step control buffer": lambda: ff.StepControl(-1.0),
        "step control factor": lambda: ff.StepControl(0.1, 0.5),
        "modes of a rigid body": lambda: p.natural_modes(lambda: (p.plane(rigid(), 1.0), ff.Options(1e-2)), 3),
        "modes about a wrong field": lambda: p.natural_modes(
            lambda: (p.plane(plate(), 1.0), ff.Options(1e-2)), 3, np.zeros(3)
        ),
        "disc": lambda: ff.RigidBody.disc(0.0, 1.0, 4, 8),
        "disc points": lambda: ff.RigidBody.disc(0.1, 1.0, 1, 8),
    }


def load_refusals() -> Table:
    """Loads, their courses, springs, clamps."""

    def under(load: Any) -> p.Job:
        return p.plane(plate(), 0.1, loads=(load,)), ff.Options(1e-2)

    def tied(**path: Any) -> p.Job:
        return p.plane(plate(), 0.1, effects=(ff.Spring("left", stiffness=1.0, **path),)), ff.Options(1e-2)

    return {
        "edge load": lambda: under(ff.EdgeLoad("right", (1.0,))),
        "edge load nan": lambda: under(ff.EdgeLoad("right", (1.0, NAN))),
        "body force": lambda: under(ff.BodyForce((1.0, np.inf))),
        "torque": lambda: under(ff.TangentialTraction("right", NAN)),
        "traction": lambda: under(ff.EdgeTraction("right", lambda X: X[:1])),
        "course": lambda: under(ff.EdgeLoad("right", (1.0, 0.0), 1.0)),
        "couple": lambda: ff.Couple(NAN),
        "follower": lambda: ff.FollowerTraction("right", NAN),
        "follower measure": lambda: ff.FollowerTraction("right", 1.0, measure="other"),
        "ramp": lambda: ff.Ramp(-1.0),
        "release": lambda: ff.Ramp(1.0, -1.0),
        "table": lambda: ff.Table((0.0, 1.0), (0.0,)),
        "table backwards": lambda: ff.Table((1.0, 0.0), (0.0, 1.0)),
        "function": lambda: ff.Function(1.0),
        "function breaks": lambda: ff.Function(lambda t: t, breaks=0.1),
        "lateral profile": lambda: p.lateral(1.0, "middle"),
        "lateral amplitude": lambda: p.lateral(NAN),
        "force in space": lambda: p.point_force((1.0, 0.0)),
        "force at": lambda: p.point_force((1.0, 0.0, 0.0), at=(0.0, 0.0)),
        "force course": lambda: p.point_force((1.0, 0.0, 0.0), history=1.0),
        "force on a solid": lambda: p.solid_force((1.0, 0.0)),
        "spring stiffness": lambda: ff.Spring("left", stiffness=-1.0),
        "spring of nothing": lambda: ff.Spring("left"),
        "spring rest length": lambda: ff.Spring("left", stiffness=1.0, rest_length=-1.0),
        "spring at": lambda: ff.Spring((0.0,), stiffness=1.0),
        "spring to": lambda: ff.Spring("left", (0.0, NAN), stiffness=1.0),
        "spring rates": lambda: ff.Spring("left", stiffness=1.0, rates=lambda t: (0.0, 0.0)),
        "spring path": lambda: ff.Spring("left", stiffness=1.0, path=lambda t: (0.0,)),
        "spring path later": lambda: tied(path=lambda t: (0.0, 0.0) if t < 0.01 else (0.0,)),
        "spring rates of one number": lambda: tied(path=lambda t: (0.0, 0.0), rates=lambda t: (0.0,)),
        "couple on no edge": lambda: under(ff.Couple(1.0, edge="nowhere")),
        "rigid edge": lambda: (p.plane(rigid(), 0.1, loads=(ff.EdgeLoad("nowhere", (1.0, 0.0)),)), ff.Options(1e-2)),
        "rigid follower": lambda: (
            p.plane(rigid(), 0.1, loads=(ff.FollowerTraction("nowhere", 1.0),)),
            ff.Options(1e-2),
        ),
        "course of a force on a solid": lambda: p.solid_force((1.0, 0.0, 0.0), history=1.0),
        "hinge axis": lambda: p.hinge("left", (1.0, 0.0), (0.0, 0.0, 0.0)),
        "clamp name": lambda: p.clamp("left", ("z",)),
        "clamp both": lambda: p.clamp("left", ("x",), {"x": lambda t: 0.0}),
        "clamp rate": lambda: p.clamp("left", (), {"x": 1.0}),
    }


def obstacle_refusals() -> Table:
    """Obstacles, their motion, contacts."""
    up, across = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    still = {"path": lambda t: (0.0, 0.0, 0.0)}
    wrong = {"path": lambda t: (t, 0.0, 0.0), "rates": lambda t: (2.0, 0.0, 0.0)}
    line = ff.Line((0.5, 0.0), (-1.0, 0.0), p.motion(**wrong))
    fixed = ff.Line((0.5, 0.0), (-1.0, 0.0))
    contact = {"edge": "right", "normal": friction.NormalForce(1e5)}

    def touched(motion: Any) -> p.Job:
        wall = ff.Line((0.5, 0.0), (-1.0, 0.0), motion)
        return p.plane(plate(), 0.1, contacts=(p.touch(wall, **contact),)), ff.Options(1e-2)

    def on(obstacle: Any) -> p.Job:
        ball = p.RigidSolid(mass=1.0, inertia=(1.0, 1.0, 1.0), shape=p.Ball(0.1))
        return p.rigid_in_space(ball, 0.1, contacts=(p.touch_in_space(obstacle),)), ff.Options(1e-2)

    return {
        "line point": lambda: ff.Line((0.0,), (1.0, 0.0)),
        "line normal": lambda: ff.Line((0.0, 0.0), (0.0, 0.0)),
        "line normal of one number": lambda: ff.Line((0.0, 0.0), (1.0,)),
        "circle": lambda: ff.Circle((0.0, 0.0), 0.0),
        "circle centre": lambda: ff.Circle((0.0, NAN), 1.0),
        "box centre": lambda: ff.Box((0.0,), 1.0, 1.0, 0.1),
        "chain start": lambda: ff.ArcChain((0.0,), 0.0, ((1.0, 1.0),)),
        "motion pivot": lambda: p.motion(spin=1.0, pivot=(0.0,)),
        "motion path": lambda: touched(p.motion(path=lambda t: (0.0,))),
        "motion rates of one number": lambda: touched(p.motion(path=lambda t: (t, 0.0, 0.0), rates=lambda t: (1.0,))),
        "hole": lambda: ff.CircleInCircle((0.0, 0.0), -1.0),
        "box": lambda: ff.Box((0.0, 0.0), 0.0, 1.0, 0.1),
        "box corner": lambda: ff.Box((0.0, 0.0), 0.1, 0.1, 0.2),
        "box angle": lambda: ff.Box((0.0, 0.0), 0.1, 0.1, 0.02, angle=NAN),
        "chain pieces": lambda: ff.ArcChain((0.0, 0.0), 0.0, ((0.0, 1.0),)),
        "chain turn": lambda: ff.ArcChain((0.0, 0.0), 0.0, ((7.0, 1.0),)),
        "chain closed": lambda: ff.ArcChain((0.0, 0.0), 0.0, ((1.0, 1.0),), closed=True),
        "chain heading": lambda: ff.ArcChain((0.0, 0.0), NAN, ((1.0, 1.0),)),
        "motion velocity": lambda: p.motion(velocity=(1.0,)),
        "motion spin": lambda: p.motion(spin=NAN),
        "motion rates": lambda: p.motion(rates=lambda t: (0.0, 0.0, 0.0)),
        "motion other rates": lambda: p.plane(plate(), 0.1, contacts=(p.touch(line, **contact),)),
        "contact place": lambda: p.touch(line, normal=friction.NormalForce(1e5)),
        "contact normal": lambda: (p.plane(plate(), 0.1, contacts=(p.touch(fixed, edge="right"),)), ff.Options(1e-2)),
        "contact normal of text": lambda: p.touch(line, edge="right", normal="hard"),
        "contact integration": lambda: p.touch(line, **contact, integration="simpson"),
        "contact mu": lambda: p.touch(line, **contact, mu=-1.0),
        "restitution": lambda: ff.Signorini(1.5),
        "restitution law": lambda: ff.Signorini(0.5, "hertz"),
        "half-space normal": lambda: ff.HalfSpace(normal=(0.0, 0.0, 0.0)),
        "half-space point": lambda: ff.HalfSpace((0.0, 0.0)),
        "half-space motion": lambda: ff.HalfSpace(motion=1.0),
        "half-space normal nan": lambda: ff.HalfSpace(normal=(0.0, 0.0, NAN)),
        "sphere": lambda: ff.Sphere((0.0, 0.0, 0.0), 0.0),
        "sphere centre": lambda: on(ff.Sphere((0.0, 0.0), 1.0)),
        "edge point": lambda: ff.RoundedEdge((0.0, 0.0), [up, across]),
        "edge with one normal": lambda: ff.RoundedEdge((0.0, 0.0, 0.0), [up]),
        "motion in space path of one number": lambda: p.motion_in_space(path=lambda t: (t,)),
        "motion in space rates of one number": lambda: p.motion_in_space(
            path=lambda t: (t, 0.0, 0.0), rates=lambda t: (1.0,)
        ),
        "edge normals": lambda: ff.RoundedEdge((0.0, 0.0, 0.0), [up, up]),
        "edge radius": lambda: ff.RoundedEdge((0.0, 0.0, 0.0), [up, across], -1.0),
        "motion in space": lambda: on(ff.HalfSpace(motion=p.motion_in_space(velocity=(1.0, 0.0)))),
        "motion in space rates": lambda: p.motion_in_space(rates=lambda t: up),
        "motion in space both": lambda: p.motion_in_space(velocity=across, **still),
        "motion in space path": lambda: p.motion_in_space(path=1.0),
        "motion in space other rates": lambda: on(ff.HalfSpace(motion=p.motion_in_space(**wrong))),
    }


def body_refusals() -> Table:
    """Rigid bodies in space, meshes, materials, elements, beams."""
    square, ones = [(0.0, 0.0, -0.1), (1.0, 0.0, -0.1), (0.0, 1.0, -0.1)], [1.0, 1.0, 1.0]
    law, mesh = fem.NeoHookean(1e5, 0.3), fem.rectangle(1.0, 1.0, 2, 2)

    def made(**given: Any) -> Any:
        return fem.Plate.build(mesh, **({"thickness": 0.1, "density": 1.0, "material": law} | given))

    return {
        "mass": lambda: p.RigidSolid(mass=0.0, inertia=ones),
        "inertia": lambda: p.RigidSolid(mass=1.0, inertia=[1.0, 1.0]),
        "inertia of no body": lambda: p.RigidSolid(mass=1.0, inertia=[1.0, 1.0, 3.0]),
        "inertia negative": lambda: p.RigidSolid(mass=1.0, inertia=[1.0, 1.0, -1.0]),
        "inertia skew": lambda: p.RigidSolid(mass=1.0, inertia=[[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        "shape": lambda: p.RigidSolid(mass=1.0, inertia=ones, shape=square),
        "feet": lambda: p.Feet([(0.0, 1.0)]),
        "ball": lambda: p.Ball(0.0),
        "base areas": lambda: p.Base(square, [1.0, 1.0]),
        "base flat": lambda: p.Base([*square[:2], (0.0, 1.0, -0.2)], ones),
        "rectangle": lambda: fem.rectangle(0.0, 1.0, 1, 1),
        "rectangle cells": lambda: fem.rectangle(1.0, 1.0, 0, 1),
        "rectangle cell": lambda: fem.rectangle(1.0, 1.0, 1, 1, cell="hexagon"),
        "rectangle too many": lambda: fem.rectangle(1.0, 1.0, 10**6, 10**6),
        "annulus": lambda: fem.annulus(0.2, 0.1, 2, 8),
        "disc": lambda: fem.disc(0.0, 2, 8),
        "box": lambda: fem.box(1.0, 1.0, 0.0, 1, 1, 1),
        "box cell": lambda: fem.box(1.0, 1.0, 1.0, 1, 1, 1, "prism"),
        "Young": lambda: fem.NeoHookean(0.0, 0.3),
        "Poisson": lambda: fem.NeoHookean(1e5, 0.5),
        "Poisson of text": lambda: fem.NeoHookean(1e5, "0.3"),
        "plane": lambda: fem.SmallStrain(1e5, 0.3, "strained"),
        "material": lambda: made(material="steel"),
        "thickness": lambda: made(thickness=0.0),
        "density": lambda: made(density=NAN),
        "element": lambda: made(element="Q1"),
        "element name": lambda: made(element="P3"),
        "mesh": lambda: fem.Plate.build(1.0, thickness=0.1, density=1.0, material=law),
        "field": lambda: plate().internal_force(np.zeros((2, 2))),
        "heat": lambda: fem.heated_plate(plate(), NAN),
        "beam": lambda: Beam.build(length=0.0, width=0.1, thickness=0.1, E=1.0, density=1.0, ne=4),
        "beam elements": lambda: Beam.build(length=1.0, width=0.1, thickness=0.1, E=1.0, density=1.0, ne=1),
        "equilibrium body": lambda: fem.equilibrium(rigid(), np.zeros(3), np.zeros(3)),
        "equilibrium load": lambda: fem.equilibrium(plate(), np.zeros(3), np.zeros(plate().X.shape)),
        "equilibrium steps": lambda: fem.NewtonOptions(steps=0),
    }


def law_refusals() -> Table:
    """Laws of friction, normal laws, the ground, what solvers take."""
    law = Coulomb()

    def ground(**given: Any) -> Any:
        foundation = Foundation(**({"law": law, "mu": 0.3, "pressure": 1.0} | given))
        return p.plane(rigid(), 0.1, foundation=foundation), ff.Options(1e-2)

    W = np.eye(2)
    return {
        "smooth": lambda: friction.Smooth(0.0),
        "cap": lambda: friction.Smooth(0.1, cap=-1.0),
        "sliding": lambda: friction.Sliding(0.1, 0.05, 0.8),
        "static-kinetic": lambda: friction.StaticKinetic(1.5),
        "stribeck": lambda: friction.Stribeck(0.8, 0.1, exponent=0.5),
        "elliptic": lambda: friction.Elliptic(0.0),
        "elliptic angle": lambda: friction.Elliptic(1.5, NAN),
        "limited": lambda: friction.Limited(law, 0.0),
        "stiction": lambda: friction.SlidingStiction(0.02, 0.06, 0.8, -1.0),
        "spline": lambda: friction.ForceSpline((0.0, 0.1), (0.0,)),
        "spline speeds": lambda: friction.ForceSpline((0.1, 0.2), (0.0, 1.0)),
        "spline negative": lambda: friction.CoefficientSpline((0.0, 0.2), (0.0, -1.0)),
        "normal of nothing": lambda: friction.NormalForce(),
        "normal stiffness": lambda: friction.NormalForce(-1.0),
        "normal spline": lambda: friction.NormalForce(stiffness_spline=((0.0, 1.0), (1.0, 2.0))),
        "user force": lambda: friction.UserForce(1.0),
        "reacting": lambda: friction.Reacting(-1.0, 10.0),
        "mu": lambda: ground(mu=-0.1),
        "mu of another shape": lambda: ground(mu=np.ones(3)),
        "mu expression": lambda: ground(mu="0.3*z"),
        "mu call": lambda: ground(mu="eval(x)"),
        "pressure": lambda: ground(pressure=NAN),
        "pressure function": lambda: ground(pressure=lambda X: X[:, 0]),
        "pressure negative": lambda: ground(pressure=lambda X, t: X[:, 0]),
        "pressure expression": lambda: ground(pressure="1e3*(t <"),
        "ground velocity": lambda: ground(ground_velocity=(1.0,)),
        "breaks": lambda: ground(breaks=("a",)),
        "law": lambda: ground(law="coulomb"),
        "tresca tolerance": lambda: friction.TrescaOptions(rtol=2.0),
        "impact apart": lambda: friction.routh_impact(W, np.array([1.0, 0.0]), 0.3, 0.5),
        "impact law": lambda: friction.routh_impact(W, np.array([-1.0, 0.0]), 0.3, 0.5, "hertz"),
        "impact compliance": lambda: friction.routh_impact(-W, np.array([-1.0, 0.0]), 0.3, 0.5),
        "unilateral compliance": lambda: friction.solve_unilateral(-W, np.array([[-1.0, 0.0]]), 0.3),
    }


TABLES = {
    "options": option_refusals,
    "load": load_refusals,
    "obstacle": obstacle_refusals,
    "body": body_refusals,
    "law": law_refusals,
}


def refused_part_runs() -> Iterator[tuple[str, p.Run]]:
    """All of them."""
    for table, refusals in TABLES.items():
        for name, make in refusals().items():
            yield f"refusal {table} {name}", partial(p.refused, make)
