"""The chord frame of a beam: its x axis runs through both ends, w = 0 there; A, P and B do not vanish, as in (3.13) to (3.15).

A free beam's motion in space does not depend on its frame, so the chord is not needed to integrate it: the run uses the mean
axes, ∫ρA w = 0 and ∫ρA X w = 0 (the centroidal beam frame), and every stored instant is split anew, exactly, by the chord.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floating_frame.errors import FrameUndefined
from floating_frame.frame.conditions import FRAMES, MeanAxis
from floating_frame.frame.kinematics import Array, FrameMotion, cross


@dataclass(frozen=True)
class BeamChord(MeanAxis):
    """Origin in the middle of the chord from the left to the right end, angle along it. For bodies with these two ends only."""

    name: str = "beam-chord"

    @staticmethod
    def motion(ends: Array, rates: Array, accelerations: Array, angle: float) -> FrameMotion:
        """Return q, q', q'' of the chord, from x, v, a (2, 2) of the left and the right end; ``angle`` near α unwraps it.

        With d = x_r − x_l: α = atan2(d), ω = d × d'/d², ω' = (d × d'' − 2 ω d·d')/d². Raises FrameUndefined for d = 0.
        """
        d, d1, d2 = ends[1] - ends[0], rates[1] - rates[0], accelerations[1] - accelerations[0]
        square = float(d @ d)
        if not square > 0.0:
            raise FrameUndefined("the chord frame is undefined: both ends of the beam are at the same place")
        wrapped = float(np.arctan2(d[1], d[0]))
        alpha = wrapped + 2.0 * np.pi * np.round((angle - wrapped) / (2.0 * np.pi))
        spin = float(cross(d, d1)) / square
        spin_rate = (float(cross(d, d2)) - 2.0 * spin * float(d @ d1)) / square
        return FrameMotion(
            np.array([*ends.mean(axis=0), alpha]),
            np.array([*rates.mean(axis=0), spin]),
            np.array([*accelerations.mean(axis=0), spin_rate]),
        )


BEAM_FRAMES = {**FRAMES, "beam-chord": BeamChord}
"""Frame conditions of a free beam by name."""
