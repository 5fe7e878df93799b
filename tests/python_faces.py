"""Every public constructor, and functions beside them, with sane arguments: for tests of pickling, copies and mistakes."""

import numpy as np

import fem
import floating_frame as ff
import friction
from fem.beam import Beam

MESH = fem.rectangle(0.4, 0.2, 2, 1)
BLOCK = fem.box(0.4, 0.2, 0.1, 2, 1, 1)
STEEL = fem.StVenantKirchhoff(E=2e5, nu=0.3)
PLATE = fem.Plate.build(MESH, thickness=0.01, density=1000.0, material=STEEL)
SOLID = fem.Solid.build(BLOCK, density=1000.0, material=STEEL)
BEAM = Beam.build(length=1.0, width=0.02, thickness=0.01, E=1e7, density=1000.0, ne=4)
RIGID = ff.RigidBody.from_plate(PLATE)
ON_GROUND = friction.Foundation(law=friction.Coulomb(), mu=0.5, pressure=98.1)
PULL = ff.EdgeLoad("right", force=(4.0, 3.0), history=ff.Ramp(0.01))
CUBE = ff.RigidSolid(mass=1.0, inertia=(0.1, 0.1, 0.1), shape=ff.Ball(0.1))
CORNERS = [(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
AHEAD = ff.Contact(
    obstacle=ff.Line(point=(0.3, 0.0), normal=(-1.0, 0.0)), edge="right", normal=friction.NormalForce(stiffness=1e4)
)


def pull_of(X):
    """A traction along an edge, N/m."""
    return np.ones_like(X)


def field_of(X, t):
    """A body force, N/kg."""
    return np.ones_like(X)


def warmth_of(X, t):
    """A thermal strain."""
    return 1e-4 * t


def way_of(t):
    """A path in the plane, m, m, rad."""
    return (0.1 * t, 0.0, 0.0)


def way_in_space(t):
    """A path in space, m."""
    return (0.1 * t, 0.0, 0.0)


def way_of_spring(t):
    """The path of a spring's other end, m."""
    return (0.1 * t, 0.0)


def push_of(d, rate, t):
    """A normal force, N."""
    return 1e4 * d


SIZES = {"length": 1.0, "width": 0.02, "thickness": 0.01, "E": 1e7, "density": 1000.0, "ne": 4}
OBJECTS = {
    "plate": (fem.Plate.build, {"mesh": MESH, "thickness": 0.01, "density": 1e3, "material": STEEL, "element": "P2"}),
    "solid body": (
        fem.Solid.build,
        {"mesh": BLOCK, "density": 1e3, "material": STEEL, "element": "Q1", "viscosity": 1e-3},
    ),
    "beam": (Beam.build, SIZES),
    "axis": (fem.BeamAxis.build, {"beam": BEAM}),
    "heated plate": (fem.heated_plate, {"plate": PLATE, "thermal_strain": 1e-4}),
    "heated axis": (fem.heated_axis, {"axis": fem.BeamAxis.build(BEAM), "thermal_strain": 1e-4}),
    "st-venant-kirchhoff": (fem.StVenantKirchhoff, {"E": 1e5, "nu": 0.3, "plane": "strain"}),
    "material": (fem.NeoHookean, {"E": 1e5, "nu": 0.3, "plane": "strain"}),
    "small strain": (fem.SmallStrain, {"E": 1e5, "nu": 0.3, "plane": "strain"}),
    "newton": (fem.NewtonOptions, {"tolerance": 1e-10, "rounding": 1e-14, "max_iterations": 20, "steps": 2}),
    "foundation": (
        friction.Foundation,
        {"law": friction.Coulomb(), "mu": 0.5, "pressure": 98.1, "ground_velocity": (0.1, 0.0), "breaks": (0.1,)},
    ),
    "coulomb": (friction.Coulomb, {"cap": 1.0}),
    "sliding": (friction.Sliding, {"v_s": 1e-3, "v_d": 1e-2, "dynamic_ratio": 0.7, "cap": 1.0}),
    "stiction": (
        friction.SlidingStiction,
        {"v_s": 1e-3, "v_d": 1e-2, "dynamic_ratio": 0.7, "max_stiction_deformation": 1e-5},
    ),
    "smooth": (friction.Smooth, {"v_reg": 1e-3}),
    "stribeck": (friction.Stribeck, {"dynamic_ratio": 0.5, "stribeck_speed": 0.01, "exponent": 2.0}),
    "static-kinetic": (friction.StaticKinetic, {"dynamic_ratio": 0.8}),
    "elliptic": (friction.Elliptic, {"ratio": 0.5, "angle": 0.3}),
    "spline": (friction.CoefficientSpline, {"speeds": [0.0, 0.1, 1.0], "coefficients": [0.0, 1.0, 0.8]}),
    "forces": (friction.ForceSpline, {"speeds": [0.0, 0.1, 1.0], "forces": [0.0, 1.0, 0.8]}),
    "limited": (friction.Limited, {"law": friction.Coulomb(), "max_force": 2.0}),
    "normal": (
        friction.NormalForce,
        {"stiffness": 1e4, "damping": 1.0, "m1": 1.5, "m2": 1.0, "m3": 1.0, "onset": 1e-4, "tensile": False},
    ),
    "normal spline": (
        friction.NormalForce,
        {
            "stiffness_spline": [(0.0, 0.0), (1e-3, 10.0), (2e-3, 30.0)],
            "damping_spline": [(0.0, 0.0), (0.1, 1.0), (0.2, 3.0)],
        },
    ),
    "user force": (friction.UserForce, {"function": push_of, "slopes": None, "tensile": False}),
    "reacting": (friction.Reacting, {"height": 0.01, "pressure": 98.1}),
    "tresca options": (
        friction.TrescaOptions,
        {"rtol": 1e-11, "max_iterations": 4, "chord_steps": 6.0, "fallback_only": False},
    ),
    "constant": (ff.Constant, {"breaks": (0.1,)}),
    "ramp": (ff.Ramp, {"ramp": 0.1, "release": 0.5}),
    "cosine": (ff.Cosine, {"angular_frequency": 2.0, "phase": 0.1, "breaks": (0.1,)}),
    "table": (ff.Table, {"times": [0.0, 1.0], "values": [0.0, 2.0]}),
    "function": (ff.Function, {"function": np.sin, "breaks": (0.1,)}),
    "edge load": (ff.EdgeLoad, {"edge": "right", "force": (1.0, 0.0), "history": ff.Ramp(0.1)}),
    "edge traction": (ff.EdgeTraction, {"edge": "right", "traction": pull_of, "history": ff.Ramp(0.1)}),
    "follower": (
        ff.FollowerTraction,
        {"edge": "right", "normal": 1.0, "tangential": 0.5, "history": ff.Ramp(0.1), "measure": "current"},
    ),
    "torque": (ff.TangentialTraction, {"edge": "right", "torque": 1.0, "history": ff.Ramp(0.1)}),
    "couple": (ff.Couple, {"moment": 1.0, "edge": "right", "history": ff.Ramp(0.1)}),
    "body force": (ff.BodyForce, {"force_per_mass": (1.0, 0.0), "history": ff.Ramp(0.1)}),
    "body force field": (ff.BodyForceField, {"force_per_mass": field_of, "breaks": (0.1,)}),
    "lateral": (ff.Lateral, {"support": "free", "motion": "translation"}),
    "lateral load": (ff.LateralLoad, {"amplitude": 1.0, "profile": "sine", "history": ff.Ramp(0.1)}),
    "spring": (ff.Spring, {"at": "left", "to": (-0.5, 0.0), "stiffness": 10.0, "damping": 0.1, "rest_length": 0.2}),
    "moving spring": (ff.Spring, {"at": (0.1, 0.0), "stiffness": 10.0, "path": way_of_spring, "rates": None}),
    "circle": (ff.Circle, {"centre": (1.0, 0.0), "radius": 0.1, "motion": ff.RigidMotion(spin=1.0)}),
    "hole": (ff.CircleInCircle, {"centre": (0.0, 0.0), "radius": 2.0}),
    "box": (ff.Box, {"centre": (1.0, 0.0), "length": 0.2, "width": 0.2, "corner": 0.01, "angle": 0.1, "inside": False}),
    "line": (ff.Line, {"point": (1.0, 0.0), "normal": (-1.0, 0.0), "motion": ff.RigidMotion(spin=1.0)}),
    "chain": (ff.ArcChain, {"start": (1.0, -1.0), "heading": 1.5, "pieces": [(1.0, 0.0), (0.5, 1.0)], "closed": False}),
    "motion": (ff.RigidMotion, {"velocity": (0.1, 0.0), "spin": 0.2, "pivot": (0.0, 0.0)}),
    "path": (ff.RigidMotion, {"path": way_of, "rates": None}),
    "contact": (
        ff.Contact,
        {
            "obstacle": ff.Line((1.0, 0.0), (-1.0, 0.0)),
            "edge": "right",
            "normal": ff.Signorini(),
            "law": friction.Coulomb(),
            "mu": 0.2,
            "integration": "gauss",
        },
    ),
    "node contact": (
        ff.Contact,
        {"obstacle": ff.Line((1.0, 0.0), (-1.0, 0.0)), "nodes": [0, 1], "normal": ff.Signorini()},
    ),
    "signorini": (ff.Signorini, {"restitution": 0.5, "restitution_law": "poisson"}),
    "initial": (
        ff.InitialState,
        {"velocity": (1.0, 0.0), "spin": 2.0, "displacement": np.zeros_like(PLATE.X), "rate": np.zeros_like(PLATE.X)},
    ),
    "options": (
        ff.Options,
        {
            "dt": 1e-3,
            "scheme": "sdirk2",
            "output_every": 2,
            "max_halvings": 3,
            "tolerance": 1e-10,
            "stress": True,
            "theta": 0.5,
            "min_step": 0.0,
        },
    ),
    "error control": (ff.Options, {"dt": 1e-3, "error_tolerance": 1e-3, "step_control": ff.StepControl(2.0)}),
    "step control": (ff.StepControl, {"buffer_radius_factor": 2.0, "max_step_size_factor": 5.0}),
    "clamp": (ff.Clamped, {"edge": "left", "free": ("x",), "rates": {"y": np.sin}}),
    "mean axis": (ff.MeanAxis, {}),
    "tisserand": (ff.Tisserand, {}),
    "rigid body": (
        ff.RigidBody,
        {
            "X": RIGID.X.copy(),
            "nodal_area": RIGID.nodal_area.copy(),
            "mass_matrix": RIGID.mass_matrix.copy(),
            "cells": RIGID.cells.copy(),
            "edges": dict(RIGID.edges),
        },
    ),
    "rigid disc": (ff.RigidBody.disc, {"radius": 0.1, "mass": 1.0, "nr": 2, "nt": 6}),
    "problem": (
        ff.Problem,
        {
            "body": PLATE,
            "t_end": 0.003,
            "foundation": ON_GROUND,
            "loads": (PULL,),
            "frame": ff.MeanAxis(),
            "initial": ff.InitialState(),
            "thermal_strain": warmth_of,
            "contacts": (AHEAD,),
            "effects": (ff.Spring("left", stiffness=1.0),),
        },
    ),
    "beam problem": (
        ff.BeamProblem,
        {
            "beam": BEAM,
            "t_end": 0.003,
            "foundation": ON_GROUND,
            "loads": (ff.LateralLoad(1.0),),
            "support": "cantilever",
            "motion": "fixed",
            "effects": (),
        },
    ),
    "rigid solid": (
        ff.RigidSolid,
        {"mass": 1.0, "inertia": (0.1, 0.2, 0.2), "shape": ff.Feet(CORNERS), "outline": [(0.0, 0.0, 0.1)]},
    ),
    "ball": (ff.Ball, {"radius": 0.1}),
    "feet": (ff.Feet, {"points": CORNERS}),
    "base": (ff.Base, {"points": CORNERS, "areas": [1.0] * 4}),
    "space force": (ff.SpaceForce, {"force": (1.0, 0.0, 0.0), "at": (0.0, 0.0, 0.1), "history": ff.Ramp(0.1)}),
    "space start": (
        ff.SpaceInitial,
        {
            "position": (0.0, 0.0, 1.0),
            "velocity": (1.0, 0.0, 0.0),
            "spin_space": (0.0, 0.0, 1.0),
            "rotation": (1.0, 0.0, 0.0, 0.0),
        },
    ),
    "half space": (ff.HalfSpace, {"point": (0.0, 0.0, 0.0), "normal": (0.0, 0.1, 1.0), "motion": ff.RigidMotion()}),
    "sphere": (ff.Sphere, {"centre": (0.0, 0.0, -1.0), "radius": 0.5, "inside": False, "motion": ff.RigidMotion()}),
    "cylinder": (ff.Cylinder, {"point": (0.0, 0.0, -1.0), "axis": (1.0, 0.0, 0.0), "radius": 0.5, "inside": False}),
    "rounded box": (ff.RoundedBox, {"centre": (0.0, 0.0, -1.0), "sides": (1.0, 2.0, 1.0), "corner": 0.1, "turn": 0.0}),
    "rounded edge": (
        ff.RoundedEdge,
        {"point": (0.0, 0.0, 0.0), "normals": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), "radius": 0.1},
    ),
    "space motion": (ff.RigidMotion, {"velocity": (0.1, 0.0, 0.0), "spin": (0.0, 0.0, 0.2), "pivot": (0.0, 0.0, 0.0)}),
    "space path": (ff.RigidMotion, {"path": way_in_space, "rates": None}),
    "space contact": (
        ff.Contact,
        {"obstacle": ff.HalfSpace(), "normal": ff.Signorini(), "law": friction.Coulomb(), "mu": 0.2},
    ),
    "space problem": (
        ff.SpaceProblem,
        {
            "body": CUBE,
            "t_end": 0.01,
            "mu": 0.3,
            "gravity": 9.81,
            "loads": (ff.SpaceForce(force=(1.0, 0.0, 0.0)),),
            "initial": ff.SpaceInitial(),
            "law": friction.Coulomb(),
        },
    ),
    "contacts in space": (ff.SpaceProblem, {"body": CUBE, "t_end": 0.01, "contacts": (ff.Contact(mu=0.3),)}),
    "space clamp": (ff.SpaceClamped, {"face": "left", "free": ("x",)}),
    "hinge": (ff.SpaceHinged, {"face": "left", "axis": (0.0, 1.0, 0.0), "through": (0.0, 0.0, 0.0)}),
    "solid force": (ff.SolidForce, {"force": (1.0, 0.0, 0.0), "on": "right", "history": ff.Ramp(0.1)}),
    "solid start": (ff.SolidInitial, {"velocity": (1.0, 0.0, 0.0), "displacement": np.zeros_like(SOLID.X)}),
    "solid problem": (
        ff.SolidProblem,
        {
            "body": SOLID,
            "t_end": 0.003,
            "mu": 0.3,
            "gravity": 9.81,
            "contact": "bottom",
            "obstacle": ff.HalfSpace(),
            "loads": (ff.SolidForce(force=(1.0, 0.0, 0.0)),),
            "frame": ff.MeanAxis(),
            "initial": ff.SolidInitial(),
            "law": friction.Coulomb(),
        },
    ),
    "guided solid": (
        ff.SolidProblem,
        {
            "body": SOLID,
            "t_end": 0.003,
            "gravity": 0.0,
            "contact": "bottom",
            "foundation": ON_GROUND,
            "guides": ("top",),
        },
    ),
}
"""Objects: the constructor, and its arguments by name."""

FUNCTIONS = {
    "rectangle": (fem.rectangle, {"length": 0.4, "width": 0.2, "nx": 2, "ny": 1, "cell": "triangle"}),
    "disc": (fem.disc, {"radius": 0.1, "nr": 2, "nt": 6, "cell": "triangle"}),
    "annulus": (fem.annulus, {"inner": 0.1, "outer": 0.2, "nr": 2, "nt": 8}),
    "box mesh": (fem.box, {"length": 0.4, "width": 0.2, "height": 0.1, "nx": 2, "ny": 1, "nz": 1}),
    "equilibrium": (
        fem.equilibrium,
        {"plate": PLATE, "load": np.zeros_like(PLATE.X), "held": np.repeat(PLATE.X[:, :1] < -0.19, 2, axis=1)},
    ),
    "read": (fem.read, {"path": "/nonexistent.msh", "merge": 1e-6}),
    "routh": (
        friction.routh_impact,
        {
            "compliance": [[2.0, 0.3], [0.3, 1.0]],
            "velocity": [-1.0, 0.5],
            "mu": 0.3,
            "restitution": 0.5,
            "law": "poisson",
        },
    ),
    "unilateral": (
        friction.solve_unilateral,
        {"compliance": np.eye(4), "velocity": np.array([[-1.0, 0.2], [-0.5, 0.1]]), "mu": np.array([0.3, 0.2])},
    ),
    "modes": (ff.modes, {"model": ff.assemble(ff.Problem(body=PLATE, t_end=1.0), ff.Options(dt=0.1)), "count": 3}),
}
"""Functions: the same."""
