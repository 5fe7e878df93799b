"""Blocks of an elastic body with a floating frame: nodes x (N, d) m, the frame's origin x0 (d,) m and its attitude (``attitude``);
their velocities v, x0' m/s and Ω (r,) rad/s. Mass and forces belong to the nodes, which determine the frame."""

from __future__ import annotations

import numpy as np

from floating_frame.effect.protocol import Blocks, Motion
from floating_frame.frame.kinematics import Array, FloatingFrame, FrameMotion
from floating_frame.frame.rigid_pass import FrameHistory
from floating_frame.frame.rotations import attitude_of, rotation_of
from floating_frame.system.protocol import StageHistory

NO_FRAME_FORCE = {2: (np.zeros(2), np.zeros(1)), 3: (np.zeros(3), np.zeros(3))}
"""Forces act on the nodes; the frame has none of its own."""


def on_nodes(force: Array) -> Blocks:
    """Generalised force of nodal forces (N, d), N."""
    return (force, *NO_FRAME_FORCE[force.shape[1]])


def frame_of(motion: Motion) -> FloatingFrame:
    """Frame of a motion."""
    (_, x0, attitude), (_, v0, spin), (_, a0, rate) = motion
    return FloatingFrame(x0, v0, a0, rotation_of(attitude), spin, rate)


def elastic_motion(x: Array, v: Array, a: Array, frame: FloatingFrame, near: Array) -> Motion:
    """Motion of nodes (N, d), inertial, and of the frame, its attitude next to ``near``."""
    configuration = x, frame.origin, attitude_of(frame.rotation, near)
    return Motion(configuration, (v, frame.velocity, frame.spin), (a, frame.acceleration, frame.spin_rate))


def plane_motion(x: Array, v: Array, a: Array, frame: FrameMotion) -> Motion:
    """Motion of nodes (N, 2), inertial, and of a frame in the plane."""
    coordinates = frame.coordinates, frame.rates, frame.accelerations
    return Motion(*((field, q[:2], q[2:]) for field, q in zip((x, v, a), coordinates, strict=True)))


def frame_in_space(motion: Motion) -> FrameMotion:
    """Frame motion for output: q = (x0, y0, α) and its rates in the plane, x0 and its rates in space."""
    blocks = (part[1] if len(part[1]) == 3 else np.concatenate(part[1:]) for part in motion)
    return FrameMotion(*blocks)


def frame_history(history: StageHistory) -> FrameHistory:
    """History of a stage's frame."""
    return FrameHistory(
        time=history.time,
        origin=history.configuration[1],
        velocity=history.velocity[1],
        rotation=rotation_of(history.origin[2]),
        turn=history.increment[2],
        spin=history.velocity[2],
        tau_x=history.tau_x,
        tau_v=history.tau_v,
    )
