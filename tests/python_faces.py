"""Every public constructor, and functions beside them, with sane arguments: for tests of pickling, copies and mistakes."""

import inspect

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


def of(make, **given):
    """A constructor or function, and its arguments by name."""
    return make, given


def usual(make, **given):
    """The same; numbers, names and switches that are not given are those of a call without them."""
    defaults = {name: parameter.default for name, parameter in inspect.signature(make).parameters.items()}
    return make, {name: value for name, value in defaults.items() if isinstance(value, (float, int, str))} | given


SIZES = {"length": 1.0, "width": 0.02, "thickness": 0.01, "E": 1e7, "density": 1000.0, "ne": 4}
OBJECTS = {
    "plate": of(fem.Plate.build, mesh=MESH, thickness=0.01, density=1e3, material=STEEL, element="P2"),
    "solid body": of(fem.Solid.build, mesh=BLOCK, density=1e3, material=STEEL, element="Q1", viscosity=1e-3),
    "beam": of(Beam.build, **SIZES),
    "axis": of(fem.BeamAxis.build, beam=BEAM),
    "heated plate": of(fem.heated_plate, plate=PLATE, thermal_strain=1e-4),
    "heated axis": of(fem.heated_axis, axis=fem.BeamAxis.build(BEAM), thermal_strain=1e-4),
    "st-venant-kirchhoff": of(fem.StVenantKirchhoff, E=1e5, nu=0.3, plane="strain"),
    "material": of(fem.NeoHookean, E=1e5, nu=0.3, plane="strain"),
    "small strain": of(fem.SmallStrain, E=1e5, nu=0.3, plane="strain"),
    "newton": of(fem.NewtonOptions, tolerance=1e-10, rounding=1e-14, max_iterations=20, steps=2),
    "foundation": of(
        friction.Foundation, law=friction.Coulomb(), mu=0.5, pressure=98.1, ground_velocity=(0.1, 0.0), breaks=(0.1,)
    ),
    "coulomb": of(friction.Coulomb, cap=1.0),
    "sliding": of(friction.Sliding, v_s=1e-3, v_d=1e-2, dynamic_ratio=0.7, cap=1.0),
    "stiction": of(friction.SlidingStiction, v_s=1e-3, v_d=1e-2, dynamic_ratio=0.7, max_stiction_deformation=1e-5),
    "smooth": of(friction.Smooth, v_reg=1e-3),
    "stribeck": of(friction.Stribeck, dynamic_ratio=0.5, stribeck_speed=0.01, exponent=2.0),
    "static-kinetic": of(friction.StaticKinetic, dynamic_ratio=0.8),
    "elliptic": of(friction.Elliptic, ratio=0.5, angle=0.3),
    "spline": of(friction.CoefficientSpline, speeds=[0.0, 0.1, 1.0], coefficients=[0.0, 1.0, 0.8]),
    "forces": of(friction.ForceSpline, speeds=[0.0, 0.1, 1.0], forces=[0.0, 1.0, 0.8]),
    "limited": of(friction.Limited, law=friction.Coulomb(), max_force=2.0),
    "normal": of(friction.NormalForce, stiffness=1e4, damping=1.0, m1=1.5, m2=1.0, m3=1.0, onset=1e-4, tensile=False),
    "normal spline": of(
        friction.NormalForce,
        stiffness_spline=[(0.0, 0.0), (1e-3, 10.0), (2e-3, 30.0)],
        damping_spline=[(0.0, 0.0), (0.1, 1.0), (0.2, 3.0)],
    ),
    "user force": of(friction.UserForce, function=push_of, slopes=None, tensile=False),
    "reacting": of(friction.Reacting, height=0.01, pressure=98.1),
    "tresca options": usual(friction.TrescaOptions),
    "constant": of(ff.Constant, breaks=(0.1,)),
    "ramp": of(ff.Ramp, ramp=0.1, release=0.5),
    "cosine": of(ff.Cosine, angular_frequency=2.0, phase=0.1, breaks=(0.1,)),
    "table": of(ff.Table, times=[0.0, 1.0], values=[0.0, 2.0]),
    "function": of(ff.Function, function=np.sin, breaks=(0.1,)),
    "edge load": of(ff.EdgeLoad, edge="right", force=(1.0, 0.0), history=ff.Ramp(0.1)),
    "edge traction": of(ff.EdgeTraction, edge="right", traction=pull_of, history=ff.Ramp(0.1)),
    "follower": of(
        ff.FollowerTraction, edge="right", normal=1.0, tangential=0.5, history=ff.Ramp(0.1), measure="current"
    ),
    "torque": of(ff.TangentialTraction, edge="right", torque=1.0, history=ff.Ramp(0.1)),
    "couple": of(ff.Couple, moment=1.0, edge="right", history=ff.Ramp(0.1)),
    "body force": of(ff.BodyForce, force_per_mass=(1.0, 0.0), history=ff.Ramp(0.1)),
    "body force field": of(ff.BodyForceField, force_per_mass=field_of, breaks=(0.1,)),
    "lateral": of(ff.Lateral, support="free", motion="translation"),
    "lateral load": of(ff.LateralLoad, amplitude=1.0, profile="sine", history=ff.Ramp(0.1)),
    "spring": of(ff.Spring, at="left", to=(-0.5, 0.0), stiffness=10.0, damping=0.1, rest_length=0.2),
    "moving spring": of(ff.Spring, at=(0.1, 0.0), stiffness=10.0, path=way_of_spring, rates=None),
    "circle": of(ff.Circle, centre=(1.0, 0.0), radius=0.1, motion=ff.RigidMotion(spin=1.0)),
    "hole": of(ff.CircleInCircle, centre=(0.0, 0.0), radius=2.0),
    "box": of(ff.Box, centre=(1.0, 0.0), length=0.2, width=0.2, corner=0.01, angle=0.1, inside=False),
    "line": of(ff.Line, point=(1.0, 0.0), normal=(-1.0, 0.0), motion=ff.RigidMotion(spin=1.0)),
    "chain": of(ff.ArcChain, start=(1.0, -1.0), heading=1.5, pieces=[(1.0, 0.0), (0.5, 1.0)], closed=False),
    "motion": of(ff.RigidMotion, velocity=(0.1, 0.0), spin=0.2, pivot=(0.0, 0.0)),
    "path": of(ff.RigidMotion, path=way_of, rates=None),
    "contact": usual(ff.Contact, obstacle=AHEAD.obstacle, edge="right", normal=ff.Signorini(), law=friction.Coulomb()),
    "node contact": of(ff.Contact, obstacle=ff.Line((1.0, 0.0), (-1.0, 0.0)), nodes=[0, 1], normal=ff.Signorini()),
    "signorini": of(ff.Signorini, restitution=0.5, restitution_law="poisson"),
    "initial": of(
        ff.InitialState, velocity=(1.0, 0.0), spin=2.0, displacement=np.zeros_like(PLATE.X), rate=np.zeros_like(PLATE.X)
    ),
    "options": usual(ff.Options, dt=1e-3),
    "error control": of(ff.Options, dt=1e-3, error_tolerance=1e-3, step_control=ff.StepControl(2.0)),
    "step control": of(ff.StepControl, buffer_radius_factor=2.0, max_step_size_factor=5.0),
    "clamp": of(ff.Clamped, edge="left", free=("x",), rates={"y": np.sin}),
    "mean axis": of(ff.MeanAxis),
    "tisserand": of(ff.Tisserand),
    "rigid body": of(
        ff.RigidBody,
        X=RIGID.X.copy(),
        nodal_area=RIGID.nodal_area.copy(),
        mass_matrix=RIGID.mass_matrix.copy(),
        cells=RIGID.cells.copy(),
        edges=dict(RIGID.edges),
    ),
    "rigid disc": of(ff.RigidBody.disc, radius=0.1, mass=1.0, nr=2, nt=6),
    "problem": of(
        ff.Problem,
        body=PLATE,
        t_end=0.003,
        foundation=ON_GROUND,
        loads=(PULL,),
        frame=ff.MeanAxis(),
        initial=ff.InitialState(),
        thermal_strain=warmth_of,
        contacts=(AHEAD,),
        effects=(ff.Spring("left", stiffness=1.0),),
    ),
    "beam problem": usual(
        ff.BeamProblem, beam=BEAM, t_end=0.003, foundation=ON_GROUND, loads=(ff.LateralLoad(1.0),), effects=()
    ),
    "rigid solid": of(
        ff.RigidSolid, mass=1.0, inertia=(0.1, 0.2, 0.2), shape=ff.Feet(CORNERS), outline=[(0.0, 0.0, 0.1)]
    ),
    "ball": of(ff.Ball, radius=0.1),
    "feet": of(ff.Feet, points=CORNERS),
    "base": of(ff.Base, points=CORNERS, areas=[1.0] * 4),
    "space force": of(ff.SpaceForce, force=(1.0, 0.0, 0.0), at=(0.0, 0.0, 0.1), history=ff.Ramp(0.1)),
    "space start": of(
        ff.SpaceInitial,
        position=(0.0, 0.0, 1.0),
        velocity=(1.0, 0.0, 0.0),
        spin_space=(0.0, 0.0, 1.0),
        rotation=(1.0, 0.0, 0.0, 0.0),
    ),
    "half space": of(ff.HalfSpace, point=(0.0, 0.0, 0.0), normal=(0.0, 0.1, 1.0), motion=ff.RigidMotion()),
    "sphere": of(ff.Sphere, centre=(0.0, 0.0, -1.0), radius=0.5, inside=False, motion=ff.RigidMotion()),
    "cylinder": of(ff.Cylinder, point=(0.0, 0.0, -1.0), axis=(1.0, 0.0, 0.0), radius=0.5, inside=False),
    "rounded box": of(ff.RoundedBox, centre=(0.0, 0.0, -1.0), sides=(1.0, 2.0, 1.0), corner=0.1, turn=0.0),
    "rounded edge": of(ff.RoundedEdge, point=(0.0, 0.0, 0.0), normals=((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), radius=0.1),
    "space motion": of(ff.RigidMotion, velocity=(0.1, 0.0, 0.0), spin=(0.0, 0.0, 0.2), pivot=(0.0, 0.0, 0.0)),
    "space path": of(ff.RigidMotion, path=way_in_space, rates=None),
    "space contact": of(ff.Contact, obstacle=ff.HalfSpace(), normal=ff.Signorini(), law=friction.Coulomb(), mu=0.2),
    "space problem": usual(
        ff.SpaceProblem,
        body=CUBE,
        t_end=0.01,
        gravity=9.81,
        loads=(ff.SpaceForce(force=(1.0, 0.0, 0.0)),),
        initial=ff.SpaceInitial(),
        law=friction.Coulomb(),
    ),
    "contacts in space": of(ff.SpaceProblem, body=CUBE, t_end=0.01, contacts=(ff.Contact(mu=0.3),)),
    "space clamp": of(ff.SpaceClamped, face="left", free=("x",)),
    "hinge": of(ff.SpaceHinged, face="left", axis=(0.0, 1.0, 0.0), through=(0.0, 0.0, 0.0)),
    "solid force": of(ff.SolidForce, force=(1.0, 0.0, 0.0), on="right", history=ff.Ramp(0.1)),
    "solid start": of(ff.SolidInitial, velocity=(1.0, 0.0, 0.0), displacement=np.zeros_like(SOLID.X)),
    "solid problem": usual(
        ff.SolidProblem,
        body=SOLID,
        t_end=0.003,
        gravity=9.81,
        contact="bottom",
        obstacle=ff.HalfSpace(),
        loads=(ff.SolidForce(force=(1.0, 0.0, 0.0)),),
        frame=ff.MeanAxis(),
        initial=ff.SolidInitial(),
        law=friction.Coulomb(),
    ),
    "guided solid": of(
        ff.SolidProblem, body=SOLID, t_end=0.003, gravity=0.0, contact="bottom", foundation=ON_GROUND, guides=("top",)
    ),
}
"""Objects: the constructor, and its arguments by name."""

FUNCTIONS = {
    "rectangle": of(fem.rectangle, length=0.4, width=0.2, nx=2, ny=1, cell="triangle"),
    "disc": of(fem.disc, radius=0.1, nr=2, nt=6, cell="triangle"),
    "annulus": of(fem.annulus, inner=0.1, outer=0.2, nr=2, nt=8),
    "box mesh": of(fem.box, length=0.4, width=0.2, height=0.1, nx=2, ny=1, nz=1),
    "equilibrium": of(
        fem.equilibrium, plate=PLATE, load=np.zeros_like(PLATE.X), fixed=np.repeat(PLATE.X[:, :1] < -0.19, 2, axis=1)
    ),
    "read": of(fem.read, path="/nonexistent.msh", merge=1e-6),
    "routh": of(
        friction.routh_impact,
        compliance=[[2.0, 0.3], [0.3, 1.0]],
        velocity=[-1.0, 0.5],
        mu=0.3,
        restitution=0.5,
        law="poisson",
    ),
    "unilateral": of(
        friction.solve_unilateral,
        compliance=np.eye(4),
        velocity=np.array([[-1.0, 0.2], [-0.5, 0.1]]),
        mu=np.array([0.3, 0.2]),
    ),
    "modes": of(ff.modes, model=ff.assemble(ff.Problem(body=PLATE, t_end=1.0), ff.Options(dt=0.1)), count=3),
}
"""Functions: the same."""
