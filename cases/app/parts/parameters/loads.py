"""Loads and throws of a case."""

from __future__ import annotations

from typing import Annotated

from cases.app.parts.parameters.model import Group
from cases.app.parts.quantities import quantity

Spin = Annotated[float, quantity("rad/s", "initial spin, counter-clockwise")]
SpinZ = Annotated[float, quantity("rad/s", "initial spin about z, counter-clockwise seen from above")]
SpeedX = Annotated[float, quantity("m/s", "initial velocity of the centre of mass along x")]
SpeedY = Annotated[float, quantity("m/s", "initial velocity of the centre of mass along y")]
PullX = Annotated[float, quantity("N", "force along x on the face of largest x")]
PullY = Annotated[float, quantity("N", "force along y on the face of largest x")]
Ramp = Annotated[float, quantity("s", "time over which the force grows linearly from 0", ge=0)]
Release = Annotated[float, quantity("s", "time after which the force is zero; inf: never", ge=0, allow_inf_nan=True)]


def course_unread(*forces: float) -> dict[str, str]:
    """Parameters of the course in time of a pull that is zero, as ``Group.unread``."""
    return {} if any(forces) else dict.fromkeys(("ramp", "release"), "no pull")


class Pull(Group):
    """A pull at the face of largest x of a solid, and its course in time."""

    pull_x: PullX
    pull_y: PullY
    ramp: Ramp
    release: Release

    def unread(self) -> dict[str, str]:
        """Also the course of a pull that is zero."""
        return super().unread() | course_unread(self.pull_x, self.pull_y)
