"""One stage of an elastic solid: the equilibrium of its nodes with what its ground and clamp know, and how its frame advances.

The frame follows from the nodes found by (2.3)2 with the frame condition put in (``frame.conditions``)."""

from __future__ import annotations

from floating_frame.frame.kinematics import Array, FloatingFrame
from floating_frame.frame.rigid_pass import FrameHistory
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import ElasticBody, NodeHistory, StageEquilibrium
from floating_frame.system.protocol import StageHistory


class SolidStage(StageEquilibrium):
    """A stage with its ``history`` in the axes and about the origin of ``frame``; ``load`` (N, 3) N, inertial."""

    def __init__(
        self, elastic: ElasticBody, history: StageHistory, frame: FloatingFrame, load: Array, effects: NodeEffects
    ) -> None:
        x, v, weights = history.configuration[0], history.velocity[0], (history.tau_x, history.tau_v, history.theta)
        super().__init__(elastic, NodeHistory(x, v, load, *weights), frame.origin, frame.rotation, effects)
        self.history, self.frame = history, frame


def frame_history(history: StageHistory) -> FrameHistory:
    """Return what a stage's frame inherits."""
    return FrameHistory(
        time=history.time,
        origin=history.configuration[1],
        velocity=history.velocity[1],
        rotation=history.origin[2],
        turn=history.way[2],
        spin=history.velocity[2],
        tau_x=history.tau_x,
        tau_v=history.tau_v,
    )


def advanced(history: StageHistory, acceleration: Array, spin_rate: Array) -> FloatingFrame:
    """Return the frame at a stage's end by the scheme's formulas, from its accelerations."""
    return frame_history(history).advanced(acceleration, spin_rate)
