"""Exact contact in a stage of a rigid body, simultaneous with the exact friction under it. Unknown are the contact forces p of the
candidates. For given p the body's rates q'(p) solve the friction problem under the body (three unknowns) with the wrench c + Gᵀp,
and u = G q' − v_o, where G (2k, 3) has the rows (n, d × n), (t, d × t) of points at arms d. ∂q'/∂c is the inverse of the friction
problem's tangent T = D/τ + Σ Gᵢᵀ (∂λᵢ/∂vᵢ) Gᵢ on the motions left free by sticking points: all, rotation about one point, or none.
An impulse Δt f between v_n and v does the work Δt f·(v_n + v)/2 (Thomson & Tait). Its part without the obstacle's work is
dissipated: the impact's loss and the wall's friction. Multipliers are not mixed by θ schemes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.axes import to_axes
from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_stage import StageContacts
from floating_frame.effect.protocol import OwnSource, Record
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.system.model import Model
from floating_frame.system.rigid.stage import solve_slip
from friction import Law
from friction.rigid.problem import RigidFrictionProblem, RigidSlip, point_maps, point_velocity

_STILL = 1e-12

EXACT_CONTACT = OwnSource("exact contact", dissipates="contact", results=("contact", "impacts"))
"""Exact contacts of a rigid body."""


class RigidContact:
    """The exact contacts of one stage of a rigid body that ends at ``time`` s, from ``place`` q* and ``rates`` q'* (3,), with
    ``lengths`` τ and τ_v s; ``force`` p (m, 2), N, to start from."""

    def __init__(
        self,
        model: Model,
        contacts: ExactContacts,
        place: Array,
        rates: Array,
        lengths: tuple[float, float],
        time: float,
        force: Array | None,
    ) -> None:
        self._coordinates, self._rates, (tau_x, self._tau) = place, rates, lengths
        self._X, self._contacts, self._time, self._rest = model.body.X, contacts, time, self._tau - tau_x
        start = time - tau_x
        self._reference, _ = contacts.of_rigid(self._X, place, start)
        arms = to_inertial(self._reference, place[2])
        begun, before = place[:2] + arms, place - self._rest * rates
        self.points = StageContacts(
            contacts,
            force,
            places=(begun, contacts.places(self._X, before, time - self._tau) if self._rest else begun),
            velocity=point_velocity(rates, arms),
            lengths=lengths,
            time=time,
        )

    def converged(self, rates: Array, angle: float) -> bool:
        """Linearise the contacts at ``rates`` (3,), the body turned by ``angle``, rad; True where they have converged."""
        ahead = self._coordinates + self._tau * rates
        self._reference, inactive = self._contacts.of_rigid(self._X, ahead, self._time + self._rest)
        place, at = ahead[:2] + to_inertial(self._reference, ahead[2]), to_inertial(self._reference, angle)
        end = ahead - self._rest * rates
        at_end = self._contacts.places(self._X, end, self._time) if self._rest else place
        velocity, incoming = point_velocity(rates, at), point_velocity(self._rates, at)
        return self.points.linearise(place, velocity, at_end, incoming, inactive)

    def solve(
        self, law: Law, problem: RigidFrictionProblem, start: RigidSlip, incoming: Array, angle: float, ground: Array
    ) -> tuple[RigidSlip, Array]:
        """Solve for friction under the body and contact forces together. Raises UnilateralError and RigidFrictionError.

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

    def record(self, wrench: Array, rates: Array) -> Record:
        """Record of a solved stage that ends with ``rates`` (3,)."""
        driven, force = self.points.power(), self.points.force
        lost = driven - 0.5 * float(wrench @ (self._rates + rates))
        return Record((wrench,), external=driven, dissipated=lost, mixed=False, multiplier=force)


def contact_maps(arms: Array, axes: Array) -> Array:
    """G (2k, 3): velocities of points at ``arms`` (k, 2), m, along their ``axes`` (k, 2, 2), for unit rates."""
    return np.asarray((axes @ point_maps(arms)).reshape(-1, 3))


def rate_compliance(law: Law, inertia: Array, rates: Array, arms: Array, bound: Array) -> Array:
    """∂q'/∂c (3, 3) of the friction problem under the body at slip ``rates`` (3,), ``inertia`` D/τ (3,) or (3, 3)."""
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
