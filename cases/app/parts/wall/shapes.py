"""The obstacles of wall_impact, each with its foremost point at a distance from the middle of the plate's right edge."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from floating_frame import ArcChain, Box, Circle, Line, Obstacle, RigidMotion

OBSTACLES = ("line", "circle", "box", "arc-chain")


class Place(Protocol):
    """The parameters that say what the obstacle is and where; lengths in m, the angle in degrees, the velocity in m/s."""

    length: float
    distance: float
    obstacle: str
    radius: float
    wall_y: float
    wall_angle: float
    wall_vx: float


def _turn(params: Place) -> NDArray[np.float64]:
    angle = math.radians(params.wall_angle)
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def wall_normal(params: Place) -> NDArray[np.float64]:
    """Return the obstacle's normal at its foremost point, towards the plate."""
    return _turn(params) @ [-1.0, 0.0]


def obstacle(params: Place) -> Obstacle:
    """Return the obstacle, its foremost point `distance` before the plate's right edge."""
    motion, turn, r = RigidMotion(velocity=(params.wall_vx, 0.0)), _turn(params), params.radius
    front = np.array([params.length / 2 + params.distance, params.wall_y])
    angle = math.radians(params.wall_angle)
    if params.obstacle == "line":
        return Line(tuple(front), tuple(wall_normal(params)), motion)
    if params.obstacle == "circle":
        return Circle((front[0] + r, front[1]), r, motion)
    if params.obstacle == "box":  # turned as it may be, its foremost point stays where it is along x
        reach = 0.75 * r * (abs(math.cos(angle)) + abs(math.sin(angle))) + 0.25 * r
        return Box((front[0] + reach, front[1]), 2 * r, 2 * r, r / 4, angle=angle, motion=motion)
    # A nose: two straight flanks at a right angle, a quarter of a circle between them; the plate is on the left.
    heading = 0.75 * math.pi
    back = np.array([r, 0.0]) + r * np.array([-math.sin(heading), math.cos(heading)])
    start = front + turn @ (back - r * np.array([math.cos(heading), math.sin(heading)]))
    pieces = ((r, 0.0), (0.5 * math.pi * r, -1.0 / r), (r, 0.0))
    return ArcChain(tuple(start), heading + angle, pieces, motion=motion)
