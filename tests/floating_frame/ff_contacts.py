"""Obstacles, contacts and impacts that the tests of penalty contact share."""

from ff_examples import plate

from floating_frame import (
    ArcChain,
    Box,
    Circle,
    CircleInCircle,
    Contact,
    InitialState,
    Line,
    Options,
    Problem,
    RigidBody,
    RigidMotion,
    assemble,
    simulate,
)
from friction import NormalForce, Smooth

MOVING = RigidMotion(velocity=(0.3, -0.2))
OBSTACLES = {
    "line": Line((0.14, 0.0), (-1.0, 0.3), MOVING),
    "circle": Circle((0.45, 0.05), 0.31, MOVING),
    "circle in circle": CircleInCircle((-0.1, 0.06), 0.25, MOVING),
    "box": Box((0.4, 0.2), 0.5, 0.5, 0.15, angle=0.6, motion=MOVING),
    "chain of arcs": ArcChain((0.21, -0.4), 1.7, ((0.3, 0.0), (0.3, 1.0), (0.3, -2.0)), motion=MOVING),
}
DAMPED = NormalForce(4e4, 3e4, m1=1.5, m2=2.0, m3=1.5)
WALL = Line((0.21, 0.0), (-1.0, 0.0))


def body(rigid=True, nx=4, ny=2, **kwargs):
    made = plate(nx, ny, **kwargs)
    return RigidBody.from_plate(made) if rigid else made


def model(
    obstacle=WALL, normal=None, *, on=None, velocity=(1.0, 0.0), spin=0.0, t_end=0.03, dt=2e-4, scheme="sdirk2",
    mu=0.0, v_reg=1e-3, edge="right", integration="gauss", frame=None, foundation=None, options=None,
):  # fmt: skip
    contact = Contact(
        obstacle, edge=edge, normal=normal or NormalForce(1e5), law=Smooth(v_reg), mu=mu, integration=integration
    )
    extra = {} if frame is None else {"frame": frame}
    problem = Problem(
        on or body(),
        t_end,
        foundation,
        initial=InitialState(velocity, spin),
        contacts=(contact,),
        **extra,
    )
    return assemble(problem, Options(dt, scheme, **(options or {})))


def impact(*args, **kwargs):
    """A plate of 0.4 m x 0.2 m runs at a wall 0.01 m before its right edge, unless told otherwise."""
    return simulate(model(*args, **kwargs))
