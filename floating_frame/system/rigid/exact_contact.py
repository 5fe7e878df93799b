"""Exact contact in a stage of a rigid body, with the exact friction under it at the same time.

Unknown are the contact forces p of the candidates. For given p the body's rates q'(p) come from the friction problem under
the body (three unknowns) with the wrench c + Gᵀp, and u = G q' − v_o, where G (2k, 3) has the rows (n, d × n), (t, d × t) of
points at arms d. What a change of the wrench does to the rates is the inverse of the friction problem's tangent T = D/τ + Σ
Gᵢᵀ (∂λᵢ/∂vᵢ) Gᵢ on the motions that the sticking points leave free: all, rotation about one point, or none.

An impulse Δt f between v_n and v does the work Δt f·(v_n + v)/2 (Thomson & Tait). What of it the obstacle does not do is
dissipated: the impact's loss and the wall's friction. Multipliers are not mixed by θ schemes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.axes import to_axes
from floating_frame.contact.signorini import ExactContacts, Points
from floating_frame.contact.signorini_stage import StageContacts, StageStart
from floating_frame.effect.protocol import Record, Source
from floating_frame.frame.kinematics import Array, cross, to_inertial
from floating_frame.system.model import Model
from floating_frame.system.rigid.stage import solve_slip
from friction import Law
from friction.rigid.problem import RigidFrictionProblem, RigidSlip, point_maps, point_velocity

_STILL = 1e-12


class StageInitial(NamedTuple):
    """Initial values of a stage that ends at ``time`` s: q* and q'* (3,), and its lengths τ and τ_v s."""

    place: Array
    rates: Array
    tau_x: float
    tau_v: float
    time: float


class RigidContact:
    """The exact contacts of one stage of a rigid body, with a ``history``; ``force`` p (m, 2), N, to start from."""

    def __init__(self, model: Model, contacts: ExactContacts, history: StageInitial, force: Array | None) -> None:
        self._coordinates, self._rates, self._tau = history.place, history.rates, history.tau_v
        self._model, self._contacts, self._time = model, contacts, history.time
        self._rest, start = history.tau_v - history.tau_x, history.time - history.tau_x
        self._reference, _ = self._points(self._coordinates, start)
        approach = StageStart(
            place=self._places(self._coordinates, start),
            velocity=point_velocity(self._rates, to_inertial(self._reference, self._coordinates[2])),
            origin=self._places(self._coordinates - self._rest * self._rates, history.time - history.tau_v),
            tau=history.tau_v,
            time=history.time + self._rest,
            theta=history.tau_x / history.tau_v,
        )
        self.points = StageContacts(contacts, approach, force)

    def _points(self, coordinates: Array, time: float) -> Points:
        return self._contacts.of_rigid(self._model.body.X, coordinates, time)

    def _places(self, coordinates: Array, time: float) -> Array:
        """Return the points (m, 2), m, of a body at q (3,)."""
        return coordinates[:2] + to_inertial(self._points(coordinates, time)[0], coordinates[2])

    def settled(self, rates: Array, angle: float) -> bool:
        """Linearise the contacts at ``rates`` (3,), the body turned by ``angle``, rad; return whether they have converged."""
        ahead = self._coordinates + self._tau * rates
        self._reference, inactive = self._points(ahead, self._time + self._rest)
        at_end = self._places(ahead - self._rest * rates, self._time)
        place, at = ahead[:2] + to_inertial(self._reference, ahead[2]), to_inertial(self._reference, angle)
        velocity, incoming = point_velocity(rates, at), point_velocity(self._rates, at)
        return self.points.linearise(place, velocity, at_end, incoming, inactive)

    def solve(
        self, law: Law, problem: RigidFrictionProblem, start: RigidSlip, incoming: Array, angle: float, ground: Array
    ) -> tuple[RigidSlip, Array]:
        """Find friction under the body and contact forces together. Raises UnilateralError and RigidFrictionError.

        ``law``, ``problem``, ``start``, ``incoming``: of the friction under the body without contacts, see ``solve_slip``;
        ``angle`` of the body, rad; ``ground``: rates (3,) of a body at rest on the ground. Returns the slip relative to the
        ground, and the wrench (3,) of the contacts.
        """
        points, inertia, bound = self.points, problem.inertia, problem.bound
        if not points.candidates.any():
            return solve_slip(law, problem, start, incoming), np.zeros(3)
        at = to_inertial(self._reference, angle)
        slips = [start._replace(iterations=0, fallback=False)]

        def respond(which: NDArray[np.intp], p: Array) -> tuple[Array, Array]:
            maps = contact_maps(at[which], points.axes[which])
            in_contact = replace(problem, wrench=problem.wrench + p.ravel() @ maps)
            slip = solve_slip(law, in_contact, slips[-1], incoming)
            slips.append(slip)
            moving = to_axes(points.axes[which], points.obstacle[which])
            u = (maps @ (slip.rates + ground)).reshape(-1, 2) - moving
            return u, maps @ rate_compliance(law, inertia, slip.rates, problem.arms, bound) @ maps.T

        forces = (np.abs(problem.wrench[:2]).max(), bound.sum(), np.abs(points.force).max(initial=0.0))
        size = max(float(force) for force in forces)
        points.solve(respond, floor=1e-2 / float(inertia.flat[0]), tolerance=lambda: 1e-12 * size)
        wrench = points.force.ravel() @ contact_maps(at, points.axes)
        iterations, fallback = sum(slip.iterations for slip in slips), any(slip.fallback for slip in slips)
        return slips[-1]._replace(iterations=iterations, fallback=fallback), wrench


class RigidExactContact(Source):
    """The exact ``contacts`` of a rigid body."""

    name, dissipates, results = "exact contact", "contact", ("contact", "impacts")

    def __init__(self, model: Model, contacts: ExactContacts) -> None:
        self._model, self.contacts = model, contacts

    @property
    def idle(self) -> bool:
        """All points are open."""
        return self.contacts.active is not None and not self.contacts.active.any()

    def in_stage(self, history: StageInitial, rates: Array, force: Array | None) -> RigidContact:
        """Return the contacts of one stage, looked at where ``rates`` q' (3,) lead; ``force`` (m, 2), N, to start from."""
        contact = RigidContact(self._model, self.contacts, history, force)
        contact.settled(rates, history.place[2] + history.tau_x * rates[2])
        return contact

    def record(self, contact: RigidContact, wrench: Array, before: Array, after: Array) -> Record:
        """Return the record of a solved stage from rates ``before`` to ``after`` (3,)."""
        driven, force = contact.points.power(), contact.points.force
        lost = driven - 0.5 * float(wrench @ (before + after))
        return Record((wrench,), external=driven, dissipated=lost, mixed=False, multiplier=force)


def contact_maps(arms: Array, axes: Array) -> Array:
    """Return G (2k, 3): velocities of points at ``arms`` (k, 2), m, along their ``axes`` (k, 2, 2), for unit rates."""
    rows = axes.reshape(-1, 2)
    return np.column_stack([rows, cross(np.repeat(arms, 2, axis=0), rows)])


def rate_compliance(law: Law, inertia: Array, rates: Array, arms: Array, bound: Array) -> Array:
    """Return ∂q'/∂c (3, 3) of the friction problem under the body at slip ``rates`` (3,), ``inertia`` D/τ (3,) or (3, 3)."""
    if law.set_valued and not np.any(rates) and np.any(bound):
        return np.zeros((3, 3))
    velocity = point_velocity(rates, arms)
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    still = (speed <= _STILL * speed.max(initial=0.0)) & (bound > 0.0) & law.set_valued
    blocks, maps = law.tangent(np.where(still[:, None], 0.0, velocity), bound), point_maps(arms)
    tangent = (np.diag(inertia) if inertia.ndim == 1 else inertia) + np.einsum("nak,nab,nbl->kl", maps, blocks, maps)
    if not still.any():
        return np.linalg.inv(tangent)
    arm = arms[int(np.argmax(still))]
    about = np.array([arm[1], -arm[0], 1.0])
    return np.outer(about, about) / float(about @ tangent @ about)
