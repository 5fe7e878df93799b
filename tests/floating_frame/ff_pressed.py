"""A block pressed against a wall and pulled along it, which the tests of friction on penalty contacts share."""

from ff_examples import plate

from floating_frame import (
    Contact,
    EdgeLoad,
    InitialState,
    Line,
    Options,
    Problem,
    RigidBody,
    RigidMotion,
    Table,
    assemble,
)
from friction import Foundation, NormalForce, Sliding, SlidingStiction, Smooth

PRESS, MU, MASS, STIFFNESS = 4.0, 0.5, 0.8, 1e4  # N; of 2 N of friction; kg; N/m per m of the edge of 0.2 m
V_S, MOST = 0.02, 1e-3
CREEPS = Sliding(V_S, 0.03, 0.8)
HOLDS = SlidingStiction(V_S, 0.03, 0.8, max_stiction_deformation=MOST)
PULL = Table((0.0, 0.1, 0.15, 100.0), (0.0, 0.0, 1.0, 1.0))
KINDS = ("rigid", "elastic")


def pressed(
    law,
    kind="rigid",
    *,
    pull=1.0,
    wall=(0.0, 0.0),
    t_end=1.0,
    dt=5e-3,
    scheme="sdirk2",
    start=0.0,
    press=None,
    at="left",
):
    """A block whose right edge is pressed against a wall by 4 N, in equilibrium if rigid, and pulled along it by ``pull`` N."""
    body = plate(2, 2, E=2e6, nu=0.0)
    body = RigidBody.from_plate(body) if kind == "rigid" else body
    depth = PRESS / (STIFFNESS * 0.2)
    obstacle = Line((0.2 - depth, 0.0), (-1.0, 0.0), RigidMotion(velocity=wall))
    contact = Contact(obstacle, edge="right", normal=NormalForce(STIFFNESS, 1400.0), law=law, mu=MU)
    loads = (
        EdgeLoad(at, (PRESS, 0.0)) if press is None else EdgeLoad(at, (PRESS, 0.0), press),
        EdgeLoad("right", (0.0, pull), PULL),
    )
    beneath = Foundation(Smooth(1.0), 0.0, 1.0) if scheme == "radau" else None
    problem = Problem(body, t_end, beneath, loads, initial=InitialState((0.0, start)), contacts=(contact,))
    return assemble(problem, Options(dt, scheme))
