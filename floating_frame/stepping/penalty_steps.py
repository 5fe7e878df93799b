"""Step control near penalty contact: no step goes through an obstacle, and an impact takes a number of steps.

A spring of energy W E(d) stops a mass m that comes with u at d_m, W E(d_m) = m u²/2 + what it holds already, within a half period
of about π d_m/u. In contact a step is at most ``PER_HALF`` of it; before contact it ends at first touch, or that much later. Under
error control a step may end half of the half period after first touch (docs/theory.md, section 8).
"""

from __future__ import annotations

import numpy as np
import scipy

from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.contact.obstacles import Obstacles
from floating_frame.contact.tunnelling import StraightWay
from floating_frame.frame.kinematics import Array, cross, turned
from floating_frame.system.model import RunModel
from floating_frame.system.state import State

PER_HALF = 24
"""Steps in a half period of a contact."""

CALM = 0.1
"""Share of its penetration by which a contact swings about its balance, below which it asks for no steps of its own."""

_ROUNDING = 1e-12


def longest_step(model: RunModel, state: State, left: float, *, controlled: bool = False) -> float:
    """Longest step, s, that penalty contacts allow from ``state`` on, of ``left`` s; infinite where nothing comes near.

    ``controlled``: by an estimate of its error.
    """
    return min((_longest(model, state, left, *part, controlled) for part in model.contacts.parts), default=np.inf)


def _longest(
    model: RunModel, state: State, left: float, contact: Contact, points: ContactPoints, controlled: bool
) -> float:
    place, velocity = points.at(state.position), points.at(state.velocity)
    gap = contact.obstacle.gap(place, state.time)
    relative = velocity - contact.obstacle.velocity(place, state.time)
    approach = -np.einsum("qa,qa->q", gap.normal, relative)
    depth = np.maximum(-gap.gap, 0.0)
    rounding = _ROUNDING * (float(np.abs(place).max()) + model.radius)
    touching = bool(np.any(depth > rounding))
    touch = 0.0 if touching else _touch(contact, place, velocity, state.time, left)
    if touch is None or (touching and controlled):
        return np.inf
    near = gap.gap <= max(float(gap.gap.min()), 0.0) + np.maximum(approach, 0.0) * left
    near &= (approach > 0.0) | (depth > 0.0)
    if not near.any():
        return np.inf
    arm = place - state.frame.coordinates[:2]
    period = half_period(model, contact, points.weights * near, depth, approach, arm, gap.normal)
    if not np.isfinite(period) or (touching and _calm(state, period, depth, approach, arm, gap.normal)):
        return np.inf
    if controlled:
        return touch + 0.5 * period
    return max(touch, period / PER_HALF)


def half_period(
    model: RunModel, contact: Contact, weights: Array, depth: Array, approach: Array, arm: Array, normal: Array
) -> float:
    """About how long the impact of points with ``weights`` (Q,) takes from first touch to the deepest place and back, s.

    ``depth`` (Q,) m, ``approach`` (Q,) m/s, ``arm`` (Q, 2) m from the centre of mass, ``normal`` (Q, 2).
    """
    near = weights > 0.0
    mass = rigid_mass(model, weights, arm, normal)
    energy = float(weights @ contact.normal.energy(depth)) + 0.5 * mass * float(np.abs(approach[near]).max()) ** 2
    if not energy > 0.0:
        return np.inf
    speed, whole = np.sqrt(2.0 * energy / mass), float(weights.sum())

    def energy_at(d: float) -> float:
        return whole * float(np.asarray(contact.normal.energy(np.array([d])))[0])

    least, most = 0.0, max(1e-9 * model.radius, float(depth.max()))
    while energy_at(most) < energy:
        least, most = most, 2.0 * most
        if most > 1e3 * model.radius:  # next to no spring
            return np.inf
    number = np.finfo(float)
    deepest = scipy.optimize.brentq(
        lambda d: energy_at(d) - energy, least, most, xtol=number.tiny, rtol=4.0 * number.eps
    )
    return float(np.pi * deepest / speed)


def rigid_mass(model: RunModel, weights: Array, arm: Array, normal: Array) -> float:
    """Return the mass, kg, of the stiffest rigid motion on springs Σ w n nᵀ at points.

    It is Σ w over the largest eigenvalue of D⁻¹ Σ w Gᵀ n nᵀ G.
    """
    _, mass, inertia = model.system.results.scales
    rows = np.column_stack([normal / np.sqrt(mass), cross(arm, normal) / np.sqrt(inertia)])
    return float(weights.sum() / np.linalg.eigvalsh((rows.T * weights) @ rows)[-1])


def _calm(state: State, period: float, depth: Array, approach: Array, arm: Array, normal: Array) -> bool:
    """Say whether the points that press, ``depth`` (Q,) m, hardly swing about the place where the contact balances the rest."""
    rate, motion = np.pi / period, state.frame
    acceleration = motion.accelerations[:2] + motion.spin_rate * turned(arm) - motion.spin**2 * arm
    push = np.abs(np.einsum("qa,qa->q", normal, acceleration))
    pressed = depth > 0.0
    swing = np.hypot(approach[pressed] / rate, push[pressed] / rate**2)
    return bool(swing.max(initial=0.0) < CALM * depth.max(initial=0.0))


def _touch(contact: Contact, place: Array, velocity: Array, time: float, left: float) -> float | None:
    """When the first point touches, going straight ahead, s from now; None if none does in ``left`` s."""
    obstacles = Obstacles(groups=((contact.obstacle, slice(None)),))
    tolerance = _ROUNDING * float(np.abs(place).max())
    way = StraightWay(obstacles, place, place + left * velocity, time, time + left, tolerance)
    return way.touch(np.ones(len(place), np.bool_))
