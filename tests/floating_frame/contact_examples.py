"""Obstacles, bodies and runs that the tests of contact share."""

import numpy as np
from ff_examples import DENSITY, LENGTH, THICKNESS, WIDTH, plate
from problems import assembled, run
from scipy.sparse import diags_array

import floating_frame as ff
from floating_frame import ArcChain, Box, Circle, Constant, EdgeLoad, Line, RigidBody, RigidMotion, Signorini, Table
from friction import Foundation, NormalForce, SlidingStiction, Smooth

MOVING = RigidMotion(velocity=(0.3, -0.2))
OBSTACLES = {
    "line": Line((0.14, 0.0), (-1.0, 0.3), MOVING),
    "circle": Circle((0.45, 0.05), 0.31, MOVING),
    "circle in circle": ff.CircleInCircle((-0.1, 0.06), 0.25, MOVING),
    "box": Box((0.4, 0.2), 0.5, 0.5, 0.15, angle=0.6, motion=MOVING),
    "chain of arcs": ArcChain((0.21, -0.4), 1.7, ((0.3, 0.0), (0.3, 1.0), (0.3, -2.0)), motion=MOVING),
}
DAMPED = NormalForce(4e4, 3e4, m1=1.5, m2=2.0, m3=1.5)
MASS = DENSITY * LENGTH * WIDTH * THICKNESS
INERTIA = MASS * (LENGTH**2 + WIDTH**2) / 12.0
NEAR, WALL, AHEAD = (Line((x, 0.0), (-1.0, 0.0)) for x in (0.2, 0.21, 0.25))
"""Walls at the right edge of the plates of 0.4 m x 0.2 m, and before it."""
SCHEMES = ("backward-euler", "moreau-theta")
"""Schemes that take exact contact."""


def body(rigid=True, nx=4, ny=2, **kwargs):
    made = plate(nx, ny, **kwargs)
    return RigidBody.from_plate(made) if rigid else made


BLOCK = body()
SPRING = {"obstacle": WALL, "edge": "right", "normal": NormalForce(1e5), "law": Smooth(1e-3), "velocity": (1.0, 0.0)}


def impact(on=None, t_end=0.03, dt=2e-4, scheme="sdirk2", **given):
    """A plate, rigid unless told otherwise, runs at a wall 0.01 m before its right edge."""
    return run(on or BLOCK, t_end, dt, scheme, **(SPRING | given))


PRESS, MU, STIFFNESS = 4.0, 0.5, 1e4  # N; of 2 N of friction; N/m per m of the edge of 0.2 m
V_S, MOST = 0.02, 1e-3
HOLDS = SlidingStiction(V_S, 0.03, 0.8, max_stiction_deformation=MOST)
ALWAYS, PULL = Constant(), Table((0.0, 0.1, 0.15, 100.0), (0.0, 0.0, 1.0, 1.0))


def pressed(law, kind="rigid", pull=1.0, wall=(0.0, 0.0), start=0.0, press=ALWAYS, at="left", **given):
    """A block whose right edge is pressed against a wall by 4 N, in equilibrium if rigid, and pulled along it by ``pull`` N."""
    obstacle = Line((0.2 - PRESS / (STIFFNESS * 0.2), 0.0), (-1.0, 0.0), RigidMotion(velocity=wall))
    given = {"t_end": 1.0, "dt": 5e-3, "scheme": "sdirk2"} | given
    return assembled(
        body(kind == "rigid", 2, 2, E=2e6, nu=0.0), **given, obstacle=obstacle, edge="right", mu=MU, law=law,
        normal=NormalForce(STIFFNESS, 1400.0), velocity=(0.0, start),
        loads=(EdgeLoad(at, (PRESS, 0.0), press), EdgeLoad("right", (0.0, pull), PULL)),
        foundation=Foundation(Smooth(1.0), 0.0, 1.0) if given["scheme"] == "radau" else None,
    )  # fmt: skip


def corner(body, x=1, y=1):
    """The node at a corner, in the direction of the signs given."""
    return [int(np.argmax(body.X @ [x, y]))]


def point_mass(mass=1.0):
    """A rigid body whose node 0 is its centre of mass: a point, but for the two masses that give it a moment of inertia."""
    X = np.array([[0.0, 0.0], [0.01, 0.0], [-0.01, 0.0]])
    matrix = diags_array(mass * np.array([0.98, 0.01, 0.01])).tocsr()
    return RigidBody(X, np.full(3, 1e-6), matrix, np.array([[0, 1, 2]], np.int32), {})


def thrown(velocity, on=None, *, e=0.0, wall=AHEAD, nodes=None, dt=1e-3, t_end=0.3, scheme="moreau-theta", **given):
    """The run of a body, a rigid block unless told otherwise, with exact contact of its right edge or of nodes with a wall."""
    place = {"edge": "right"} if nodes is None else {"nodes": nodes}
    given = {"normal": Signorini(e), "tolerance": 1e-12} | place | given
    return run(on or BLOCK, t_end, dt, scheme, obstacle=wall, velocity=velocity, **given)


def gaps(run, wall=AHEAD, nodes=None):
    """Gap of the body's mesh nodes at every stored instant, (time, node) m: of a rigid body they are not its friction points."""
    x = run.position.values
    if "body_X" in run:
        angle, X = run.frame_angle.values, run.body_X.values
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        turned = np.stack([c * X[:, 0] - s * X[:, 1], s * X[:, 0] + c * X[:, 1]], axis=2)
        x = run.frame_position.values[:, None] + turned
    x = x if nodes is None else x[:, nodes]
    return np.array([wall.gap(now, t).gap for now, t in zip(x, run.time.values, strict=True)])


def touches(run):
    """(time,) whether the wall pushes."""
    return np.linalg.norm(run.contact_force.values, axis=1) > 1e-9


def impulse(run):
    """Sum of contact forces over the steps, (2,) N s."""
    return np.diff(run.time.values) @ run.contact_force.values[1:]
