"""Impacts of rigid bodies: location of the impact times within a step, and the impact law (docs/theory.md, section 8).

The stages of the step treat points in persistent contact (``signorini_stage``), without restitution. For all others a trial step
without contact is interpolated by a cubic in time, with a search for the first touch (``contact.tunnelling``). A substep ends
there; Newton's method on its length makes the gap zero up to rounding. Impact times have the accuracy of the scheme, no step passes
through an obstacle, and stored states penetrate by rounding only.

With the points' maps G (rows n, t at their arms) and the body's inertia D,

    D (q'⁺ − q'⁻) = Gᵀ P,   u = G q' − v_o,   du = W dP,   W = G D⁻¹ Gᵀ.

*One point* follows Routh's process (``friction.normal.routh``), *several* the algebraic law of Moreau (1988).
``ImpactRecord.restitution`` is −Σ P_n u_n⁺ / Σ P_n u_n⁻. An approach, or a rebound, slower than ``CATCH_SHARE`` × the step × the
gap's acceleration g'' = n·a + κ u_t² (less by (κ u_t − ω)²/κ at a side point) has no restitution.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from floating_frame.coefficients import Scheme
from floating_frame.contact.axes import to_axes
from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_stage import CLOSED_GAP, largest_passive_factor
from floating_frame.contact.tunnelling import MARGIN, SAMPLES, Paths
from floating_frame.effect.protocol import Motion
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array, to_inertial, turned
from floating_frame.scheme.rigid import RigidSteps
from floating_frame.system.model import Model
from floating_frame.system.protocol import System, friction_at, kinetic_energy
from floating_frame.system.rigid.batch import Batch
from floating_frame.system.rigid.exact_contact import contact_maps
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.rows import Numbers
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import CompiledStep
from friction.normal.routh import routh_impact
from friction.normal.unilateral import solve_unilateral

LANDING_GAP = 1e-12
"""Gap of a landing over the size of places."""

MAX_SUBSTEPS = 2000
"""Substeps of one step."""

_LANDINGS, _NEWTON, _WAY = 80, 12, 3.5

CATCH_SHARE = 0.1
"""Approach speed below which there is no restitution, over the speed gained by free fall in one step."""

MAX_IMPACTS = 40
"""Impacts with restitution at one instant; further ones have none."""

_BISECTIONS, _FREE = 40, 1e-12


@dataclass(frozen=True, kw_only=True)
class Points:
    """Contact points at one instant: ``gap`` (m,) m, ``axes`` n and t (m, 2, 2), ``arm`` from the centre of mass, velocity of the
    ``obstacle`` there, (m, 2); ``velocity`` u (m, 2) m/s relative to it along n, t; ``slow`` (m,) m/s: approach speed without
    restitution; ``still`` m/s: rounding of speeds; ``extent`` m: size of the coordinates; ``touching`` (m,); ``inactive`` (m,):
    points represented by a node (``sides``)."""

    gap: Array
    axes: Array
    arm: Array
    obstacle: Array
    velocity: Array
    slow: Array
    still: float
    extent: float
    touching: NDArray[np.bool_]
    inactive: NDArray[np.bool_]


def points_at(model: Model, exact: ExactContacts, state: State, dt: float) -> Points:
    """Contact points of a rigid body at ``state``, for steps of ``dt`` s."""
    motion = state.frame
    material, inactive = exact.of_rigid(model.body.X, motion.coordinates, state.time)
    arm = to_inertial(material, motion.angle)
    place = motion.coordinates[:2] + arm
    gap = exact.gap(place, state.time)
    obstacle = exact.velocity(place, state.time)
    u = to_axes(gap.axes, motion.rates[:2] + motion.spin * turned(arm) - obstacle)
    extent = float(np.abs(place).max() + np.ptp(place, axis=0).max() + model.radius)
    still, touching = CLOSED_GAP * extent / dt, gap.gap <= CLOSED_GAP * extent
    slow = np.full(len(place), still)
    if np.any(np.abs(u[touching, 0]) > still):
        internal = [r.internal for r in state.records]
        free = model.system.consistent(state.time, state.motion, internal).motion.acceleration[0]
        acceleration = free[:2] + free[2] * turned(arm) - motion.spin**2 * arm
        k, node = gap.curvature_trace, np.arange(len(place)) < len(exact.nodes)
        strays = np.where(node | (k <= 0.0), 0.0, k * u[:, 1] - motion.spin) ** 2 / np.where(k > 0.0, k, 1.0)
        towards = -to_axes(gap.axes, acceleration)[:, 0] - k * u[:, 1] ** 2 + strays
        slow = np.maximum(slow, CATCH_SHARE * dt * towards)
    return Points(
        gap=gap.gap,
        axes=gap.axes,
        arm=arm,
        obstacle=obstacle,
        velocity=u,
        slow=slow,
        still=still,
        extent=extent,
        touching=touching,
        inactive=inactive,
    )


def resting_points(points: Points, state: State) -> NDArray[np.bool_]:
    """Mask (m,) of points in persistent contact: at rest along the normal, or loaded in the step before and not separating."""
    force = state.records[-1].multiplier
    in_contact = np.zeros(len(points.gap), np.bool_) if force is None else force[:, 0] > 0.0
    normal = points.velocity[:, 0]
    rests = points.touching & np.where(in_contact, normal <= points.slow, np.abs(normal) <= points.still)
    return rests | (points.touching & points.inactive & rests.any())


def resolve_impacts(model: Model, exact: ExactContacts, state: State, dt: float) -> tuple[State, Array]:
    """State after all impacts at the instant of ``state``, and their impulsive wrench (3,) N s, N m s."""
    impulse = np.zeros(3)
    for count in range(2 * MAX_IMPACTS):
        points = points_at(model, exact, state, dt)
        rests, approach = resting_points(points, state) & ~points.inactive, -points.velocity[:, 0]
        hits = points.touching & ~rests & ~points.inactive & (approach > 0.0)
        if not hits.any():
            break
        taking_part = np.flatnonzero(hits | rests)
        bounces = hits & (np.minimum(approach, exact.restitution * approach) > points.slow) & (count < MAX_IMPACTS)
        state, given = _impact(model, exact, state, points, taking_part, np.where(bounces, exact.restitution, 0.0))
        impulse += given
    return state, impulse


def _impact(
    model: Model, exact: ExactContacts, state: State, points: Points, which: NDArray[np.intp], restitution: Array
) -> tuple[State, Array]:
    """State after one impact of the points ``which`` (k,), and its impulsive wrench (3,) N s, N m s."""
    maps, inertia = contact_maps(points.arm[which], points.axes[which]), model.system.apply_mass((np.ones(3),))[0]
    w = (maps / inertia) @ maps.T
    before, mu, kinetic = points.velocity[which], exact.mu[which], exact.kinetic[which]
    if len(which) == 1:
        e, law = float(restitution[which[0]]), exact.laws[which[0]]
        impact = routh_impact(w, before[0], float(mu[0]), e, law, kinetic=float(kinetic[0]))
        p, after = impact.impulse[None], impact.velocity[None]
    else:
        slides = np.abs(before[:, 1]) > CLOSED_GAP * np.abs(before).max()
        p, after = simultaneous_impact(w, before, mu * np.where(slides, kinetic, 1.0), restitution[which])
    loss, impulse = energy_lost(p, before, after), p.ravel() @ maps
    given = np.einsum("kb,kba->ka", p, points.axes[which])
    approach = float(p[:, 0] @ before[:, 0])
    record = state.impacts.after(
        restitution=-float(p[:, 0] @ after[:, 0]) / approach if approach < 0.0 else 0.0,
        impulse=given.sum(axis=0),
        loss=loss,
    )
    work = float(np.einsum("ka,ka->", given, points.obstacle[which]))
    new = after_impact(
        model.system, state, state.motion._replace(velocity=(state.frame.rates + impulse / inertia,)), work, loss
    )
    *others, contact = state.records
    return replace(new, impacts=record, records=(*others, contact._replace(multiplier=None))), impulse


def simultaneous_impact(w: Array, before: Array, mu: Array, restitution: Array) -> tuple[Array, Array]:
    """Impulses and velocities after a simultaneous impact, each (k, 2), by the algebraic law, with ``w`` W (2k, 2k).

    ``before`` u⁻ (k, 2) m/s, ``mu`` and ``restitution`` (k,), reduced by one factor so that no energy is created.
    Raises UnilateralError.
    """

    def solved(factor: float) -> tuple[Array, Array, float]:
        least_velocity = np.column_stack([-factor * restitution * np.minimum(before[:, 0], 0.0), np.zeros(len(mu))])
        p = np.asarray(solve_unilateral(w, before - least_velocity, mu).force)
        after = before + (w @ p.ravel()).reshape(before.shape)
        return p, after, energy_lost(p, before, after)

    p, after, loss = solved(1.0)
    if loss >= -_FREE * float(np.abs(p).max() * np.abs(before).max()):
        return p, after
    return solved(largest_passive_factor(lambda factor: solved(factor)[2], 1.0, _BISECTIONS))[:2]


def energy_lost(p: Array, before: Array, after: Array) -> float:
    """Energy loss −Σ P·(u⁻ + u⁺)/2, J, of impulses and velocities (k, 2) (Thomson & Tait)."""
    return -0.5 * float(np.einsum("ka,ka->", p, before + after))


def after_impact(system: System, state: State, motion: Motion, work: float, loss: float) -> State:
    """State after an impact: the new ``motion`` at the same instant, the obstacles' ``work`` and the energy ``loss``, J."""
    spent = state.work.copy()
    spent[len(state.records) - 1] += work, loss, 0.0
    slip = system.slip(state.time, motion, system.friction.ground(state.time))
    return replace(
        state,
        motion=motion,
        in_space=system.in_space(state.time, motion),
        friction=friction_at(slip, state.friction.multiplier, state.friction.force),
        kinetic_energy=kinetic_energy(system, motion),
        work=spent,
    )


class ImpactSteps(CompiledStep):
    """Steps of a rigid body with exact contacts. ``free``: steps without contact. Compiled are these, and steps in which the points
    at rest on obstacles stay there."""

    def __init__(self, system: RigidSystem, scheme: Scheme, exact: ExactContacts) -> None:
        self._system, self._scheme, self._exact = system, scheme, exact
        self._known = dict[bytes, RigidSteps]()
        self.free = self._steps(np.zeros(len(exact.mu), np.bool_))
        self.longest, self.max_stored = self.free.longest, self.free.max_stored

    def _steps(self, active: NDArray[np.bool_]) -> RigidSteps:
        """Steps in which only the points ``active`` (m,) may touch."""
        key = active.tobytes()
        if key not in self._known:
            system = self._system.with_contacts(self._exact.without_impacts(active))
            self._known[key] = RigidSteps(system, self._scheme)
        return self._known[key]

    def take(self, state: State, ends: Array, stored: Numbers) -> Batch | None:
        """See ``CompiledStep``; ``penalty_steps.exact_free_steps`` counts the valid ones."""
        points = points_at(self._system.model, self._exact, state, float(ends[0]) - state.time)
        active, frame, dt = resting_points(points, state), state.frame, float(ends[0]) - state.time
        hits = points.touching & ~active & (points.velocity[:, 0] < 0.0)
        reach = _WAY * dt * (np.hypot(*frame.rates[:2]) + self._system.model.radius * abs(frame.spin))
        near = bool((points.gap[~active] <= reach).any()) or len(self._exact.sides) > 0
        if hits.any() or (active.any() and near):  # such steps would fail or call Python back
            return None
        return self._steps(active).take(state, ends, stored)

    def step(self, model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
        """Advance by ``dt`` s to ``end_time``. Raises the errors of ``step``, and Unsolved (NotConverged)."""
        exact = model.exact
        assert exact is not None
        end, start, counts = state.time + dt if end_time is None else end_time, state.time, Counts()
        impulse = np.zeros(3)
        for _ in range(MAX_SUBSTEPS):
            if not state.time < end:
                break
            state, given = resolve_impacts(model, exact, state, dt)
            points, before = points_at(model, exact, state, dt), state
            state, more = self._flight(model, exact, points, before, end)
            state = replace(state, impacts=before.impacts)
            counts = counts.plus(more)
            impulse = impulse + given + (state.time - before.time) * state.records[-1].force[0]
        else:
            raise Unsolved(
                f"{MAX_SUBSTEPS} impacts and more in the step from t = {start:.9g} s, the last at t = {state.time:.9g} s; choose a "
                "smaller restitution"
            )
        *others, last = state.records
        return replace(state, records=(*others, last._replace(force=(impulse / (end - start),)))), counts

    def _flight(
        self, model: Model, exact: ExactContacts, points: Points, state: State, end: float
    ) -> tuple[State, Counts]:
        """Advance from ``state`` to ``end`` s, or to the first touch of a point that is not in contact yet."""
        active = resting_points(points, state)
        one, others = self._steps(active).step, ~active
        trial, counts = one(state, end - state.time, end)
        if active.all():
            return trial, counts
        paths = paths_between(model, exact, points, state, trial)
        touch = paths.touch(others)
        if touch is None or touch >= (end - state.time) * (1.0 - 1e-12):
            return trial, counts

        def lowest(at: State) -> tuple[float, float]:
            """Smallest gap of the other points at a state, m, and its rate, m/s."""
            place = exact.places(model.body.X, at.frame.coordinates, at.time)
            gaps, arm = exact.gap(place, at.time), place - at.frame.coordinates[:2]
            velocity = at.frame.rates[:2] + at.frame.spin * turned(arm) - exact.velocity(place, at.time)
            gap, rate = gaps.gap - paths.floor, np.einsum("ma,ma->m", gaps.normal, velocity)
            least = int(np.argmin(np.where(others, gap, np.inf)))
            return float(gap[least]), float(rate[least])

        return land(one, lowest, (state, trial), touch, paths.tolerance, counts)


def paths_between(model: Model, exact: ExactContacts, points: Points, state: State, trial: State) -> Paths:
    """Paths of all points from ``state`` to ``trial``: the body's coordinates are cubic in time."""
    X, length, ends = model.body.X, trial.time - state.time, (state.frame, trial.frame)
    radius = np.hypot(*X[exact.nodes].T)
    radius = np.concatenate([radius, np.full(len(exact.mu) - len(radius), radius.max())])
    places, rates = [end.coordinates for end in ends], [end.rates for end in ends]
    motion = scipy.interpolate.CubicHermiteSpline([0.0, length], places, rates)
    speed, bend = np.zeros((2, len(radius)))
    for time in np.linspace(0.0, length, SAMPLES):
        rate, second = motion(time, 1), motion(time, 2)
        speed = np.maximum(speed, np.hypot(*rate[:2]) + abs(rate[2]) * radius)
        bend = np.maximum(bend, np.hypot(*second[:2]) + (abs(second[2]) + rate[2] ** 2) * radius)
    return Paths(
        obstacles=exact,
        places=lambda time: exact.places(X, motion(time), state.time + time),
        begin=state.time,
        length=length,
        tolerance=LANDING_GAP * points.extent,
        speed=MARGIN * speed,
        bend=MARGIN * bend,
        leaving=np.where(points.touching, np.maximum(points.velocity[:, 0], 0.0), 0.0),
    )


def land(
    one: Callable[..., tuple[State, Counts]],
    lowest: Callable[[State], tuple[float, float]],
    ends: tuple[State, State],
    touch: float,
    tolerance: float,
    counts: Counts,
) -> tuple[State, Counts]:
    """State at the landing of a point, near ``touch`` s after the start, or shortly before; ``ends`` of the step to be cut.

    ``one`` takes a step; ``lowest``: a state -> the smallest gap, m, and its rate, m/s."""
    (state, trial), open_until, length = ends, 0.0, touch
    end, closed_from = trial.time, trial.time - state.time if lowest(trial)[0] < 0.0 else np.inf
    for look in range(_LANDINGS):
        new, more = one(state, length, state.time + length)
        counts = counts.plus(more._replace(steps=0))
        gap, rate = lowest(new)
        done = abs(gap) <= tolerance or closed_from - open_until <= 4.0 * np.spacing(max(end, length))
        if done or (gap > 0.0 and not np.isfinite(closed_from)):
            return new, counts.plus(Counts(smallest_step=length))
        open_until, closed_from = (length, closed_from) if gap > 0.0 else (open_until, length)
        length = length - gap / rate if rate < 0.0 else np.inf
        if look >= _NEWTON or not open_until < length < closed_from:
            length = 0.5 * (open_until + closed_from) if np.isfinite(closed_from) else 0.5 * (open_until + touch)
    raise Unsolved(f"the landing on an obstacle near t = {state.time + touch:.9g} s was not found (gap {gap:.3g} m)")
