"""How far two ends of a step of h are apart, relative to the body's size: what error control measures.

The largest change of a nodal component, of positions and bristles in units of R = max |X|, and of velocities in units of R/h; of
positions alone in quasi-static increments (docs/theory.md, section 8, says why).
"""

from __future__ import annotations

import numpy as np

from floating_frame.frame.kernels import cross_sum
from floating_frame.frame.kinematics import Array
from floating_frame.system.model import RunModel
from floating_frame.system.stepper import Instant


def distance(model: RunModel, a: Instant, b: Instant, length: float) -> float:
    """Relative distance of two ends of a step of ``length`` h s: see the module; h = 0: of places alone."""
    apart = farthest(a.position, b.position)
    bent, other = a.bristles, b.bristles
    if bent is not None and other is not None:
        apart = max(apart, farthest(bent, other))
    if model.steps.inertia:
        apart = max(apart, length * farthest(a.velocity, b.velocity))
    return apart / model.radius


def farthest(one: Array, other: Array) -> float:
    """Return the largest difference of two fields."""
    return float(np.abs(one - other).max())


def speed_scale(model: RunModel, start: Instant, end: Instant) -> float:
    """Return ``V = R/T + max |v|``, m/s."""
    speed = max(float(np.abs(start.velocity).max()), float(np.abs(end.velocity).max()))
    return model.radius / model.problem.t_end + speed


def rigid_speed(a: Instant, b: Instant) -> float:
    """Return how far the rigid motions of two states are apart, m/s.

    The larger of ``|v̄|`` and ``|ω|`` times the rms arm, of the difference of velocities, in the mean over nodes.
    Of beams v̄ alone.
    """
    apart = a.velocity - b.velocity
    mean = float(np.linalg.norm(np.atleast_1d(apart.mean(axis=0))))
    if apart.ndim == 1:
        return mean
    arms = a.position - a.position.mean(axis=0)
    return max(mean, abs(float(cross_sum(arms, apart))) / float(np.sqrt(len(arms) * np.sum(arms * arms))))
