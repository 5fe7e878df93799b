"""The obstacles of wall_impact, each with its foremost point at a distance from the middle of the plate's right edge."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

import floating_frame as ff
from cases.app.parts.parameters.model import Group
from cases.app.parts.quantities import choice, quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import fem

OBSTACLES = ("line", "circle", "box", "arc-chain")


class ObstacleShape(Group):
    """Shape, place and motion of the obstacle before a plate of `length` m."""

    length: Annotated[float, quantity("m", "size along x", gt=0)]
    obstacle: Annotated[str, choice("shape of the obstacle", OBSTACLES)] = "line"
    distance: Annotated[float, quantity("m", "distance of the obstacle's foremost point to the edge", ge=0)] = 0.01
    wall_y: Annotated[float, quantity("m", "coordinate y of the obstacle's foremost point")] = 0.0
    wall_angle: Annotated[float, quantity("deg", "angle of the obstacle about that point, counter-clockwise")] = 0.0
    wall_vx: Annotated[float, quantity("m/s", "velocity of the obstacle along x")] = 0.0
    radius: Annotated[float, quantity("m", "radius of the circle or the chain's nose; half the box's side", gt=0)] = 0.1


def _turn(params: ObstacleShape) -> NDArray[np.float64]:
    angle = math.radians(params.wall_angle)
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def wall_normal(params: ObstacleShape) -> NDArray[np.float64]:
    """Normal of the obstacle at its foremost point, towards the plate."""
    return _turn(params) @ [-1.0, 0.0]


def obstacle(params: ObstacleShape) -> ff.Obstacle:
    """Build the obstacle, its foremost point `distance` before the plate's right edge."""
    motion, turn, r = ff.RigidMotion(velocity=(params.wall_vx, 0.0)), _turn(params), params.radius
    front = np.array([params.length / 2 + params.distance, params.wall_y])
    angle = math.radians(params.wall_angle)
    if params.obstacle == "line":
        return ff.Line(tuple(front), tuple(wall_normal(params)), motion)
    if params.obstacle == "circle":
        return ff.Circle((front[0] + r, front[1]), r, motion)
    if params.obstacle == "box":  # turned as it may be, its foremost point stays where it is along x
        reach = 0.75 * r * (abs(math.cos(angle)) + abs(math.sin(angle))) + 0.25 * r
        return ff.Box((front[0] + reach, front[1]), 2 * r, 2 * r, r / 4, angle=angle, motion=motion)
    # A nose: two straight flanks at a right angle, a quarter of a circle between them; the plate is on the left.
    heading = 0.75 * math.pi
    back = np.array([r, 0.0]) + r * np.array([-math.sin(heading), math.cos(heading)])
    start = front + turn @ (back - r * np.array([math.cos(heading), math.sin(heading)]))
    pieces = ((r, 0.0), (0.5 * math.pi * r, -1.0 / r), (r, 0.0))
    return ff.ArcChain(tuple(start), heading + angle, pieces, motion=motion)


def check_apart(body: fem.Plate | ff.RigidBody, obstacle: ff.Obstacle) -> None:
    """Refuse an obstacle that reaches into the body at the start: ValueError in one line."""
    ends = body.X[body.edge_segments("boundary")[:, :2]]
    outline = (ends[:, :1] + np.linspace(0.0, 1.0, 33)[:, None] * (ends[:, 1:] - ends[:, :1])).reshape(-1, 2)
    overlap = -float(obstacle.gap(np.vstack([body.X, outline]), 0.0).gap.min())
    if overlap > 1e-12:
        raise ValueError(f"distance: the obstacle reaches {overlap:.3g} m into the plate at the start; move it away")
