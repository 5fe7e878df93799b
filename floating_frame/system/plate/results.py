"""What of a deformable body is stored: a plate as its nodes have it, the axis of a beam at its places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fem import BeamAxis
from floating_frame.frame.kinematics import FrameMotion
from floating_frame.model import Model
from floating_frame.system.protocol import Fields, Series
from floating_frame.system.state import State

_AT_NODES = (
    *("displacement", "position", "velocity", "friction_force", "stick", "slip_path", "friction_work"),
    "bristle_deformation",  # under a law that remembers
)


class PlateResults:
    """Results at the nodes of any ``model``, as they are; ``groups`` of series that are added."""

    groups: tuple[str, ...] = ()

    def __init__(self, model: Model) -> None: ...

    def frame(self, state: State) -> FrameMotion:
        """Return the motion of the frame in which results are given."""
        return state.frame

    def reference(self, values: Fields) -> Fields:
        """Return what does not change in time."""
        return values

    def series(self, values: Series) -> Series:
        """Return all series at one instant."""
        return values


class AxisResults(PlateResults):
    """Results at the N places of a ``BeamAxis``; ``displacement`` is (0, w). ``seen``: the frame's motion, where it is another."""

    groups = ("beam",)

    def __init__(self, body: BeamAxis, seen: Callable[[State], FrameMotion]) -> None:
        self._body, self._seen = body, seen

    def frame(self, state: State) -> FrameMotion:
        return self._seen(state)

    def reference(self, values: Fields) -> Fields:
        beam = self._body.beam
        return {"X": beam.X, "cells": beam.cells, "friction_weight": values["friction_weight"][0::2]}

    def series(self, values: Series) -> Series:
        u = self._body.hermite(np.asarray(values["displacement"]))
        slope = np.array([1.0, 0.0]) + u[1::2]
        at_places = values | {name: np.asarray(values[name])[0::2] for name in _AT_NODES if name in values}
        at_places["displacement"] = np.column_stack([np.zeros(len(slope)), u[0::2, 1]])
        at_places["rotation"] = np.arctan2(slope[:, 1], slope[:, 0])
        at_places["bending_moment"] = self._body.beam.bending_moment(u[:, 1])
        at_places["foreshortening"] = u[0::2, 0]
        return at_places
