"""Exact contact in a stage of a rigid body, with the exact friction under it at the same time.

Unknown are the contact forces p of the candidates. For given p the body's rates q'(p) come from the friction problem under
the body (three unknowns) with the wrench c + Gᵀp, and u = G q' − v_o, where G (2k, 3) has the rows (n, d × n), (t, d × t) of
points at arms d. What a change of the wrench does to the rates is the inverse of the friction problem's tangent T = D/τ + Σ
Gᵢᵀ (∂λᵢ/∂vᵢ) Gᵢ on the motions that the sticking points leave free: all, rotation about one point, or none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.sides import MaterialPoints
from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_stage import StageContacts
from floating_frame.frame.clamp import point_velocity
from floating_frame.frame.kinematics import Array, cross, to_inertial
from floating_frame.model import Model
from floating_frame.system.rigid.stage import solve_slip
from friction import Law
from friction.rigid.coulomb import RigidSlip

_STILL = 1e-12


class RigidContact:
    """The exact contacts of one stage of a rigid body.

    ``coordinates`` q*, ``rates`` q'_n (3,); ``tau_x``, ``tau_v`` s of the stage that ends at ``time``; ``force`` p (m, 2) N:
    start.
    """

    def __init__(
        self,
        model: Model,
        contacts: ExactContacts,
        coordinates: Array,
        rates: Array,
        tau_x: float,
        tau_v: float,
        time: float,
        force: Array | None,
    ) -> None:
        self._model, self._contacts = model, contacts
        self._coordinates, self._rates, self._tau, self._time = coordinates, rates, tau_v, time
        self._rest = tau_v - tau_x
        self._reference = self._points(coordinates, time - tau_x).reference
        start_arms = to_inertial(self._reference, coordinates[2])
        self.points = StageContacts(
            contacts,
            coordinates[:2] + start_arms,
            point_velocity(rates, start_arms),
            tau_v,
            time + self._rest,
            force,
            origin=(self._places(coordinates - self._rest * rates, time - tau_v), tau_x / tau_v),
        )

    def _points(self, coordinates: Array, time: float) -> MaterialPoints:
        return self._contacts.of_rigid(self._model.body.X, coordinates, time)

    def _places(self, coordinates: Array, time: float) -> Array:
        return coordinates[:2] + to_inertial(self._points(coordinates, time).reference, coordinates[2])

    def settled(self, rates: Array, angle: float) -> bool:
        """Look at the contacts where ``rates`` (3,) lead, the body turned by ``angle`` rad; whether nothing moved there."""
        ahead = self._coordinates + self._tau * rates
        points, at_end = (
            self._points(ahead, self._time + self._rest),
            self._places(ahead - self._rest * rates, self._time),
        )
        self._reference = points.reference
        place, at = ahead[:2] + to_inertial(self._reference, ahead[2]), to_inertial(self._reference, angle)
        velocity, incoming = point_velocity(rates, at), point_velocity(self._rates, at)
        return self.points.linearise(place, velocity, at_end, incoming, points.idle)

    def solve(
        self,
        law: Law,
        incoming: Array,
        inertia: Array,
        drive: Array,
        angle: float,
        weights: Array,
        ground: Array,
        start: Array,
        multiplier: Array,
    ) -> tuple[RigidSlip, Array]:
        """Friction under the body and contact forces together: (slip relative to the ground, wrench (3,) of the contacts).

        ``law`` of the stage, ``incoming`` (N, 2) m/s slip before it, ``inertia`` D/τ (3,), or with penalty contacts (3, 3),
        ``drive`` c (3,) N, N, N m, ``angle`` of the body rad, ``weights`` (F,) N, ``ground`` (3,) rates, ``start`` slip
        (3,), ``multiplier`` (F, 2). Raises UnilateralError and RigidFrictionError.
        """
        points, arms = self.points, to_inertial(self._model.body.friction.points, angle)
        if not points.candidates.any():
            return solve_slip(law, inertia, drive, arms, weights, start, multiplier, incoming), np.zeros(3)
        at = to_inertial(self._reference, angle)
        slip = RigidSlip(start, multiplier, 0, False)
        iterations, fallback = 0, False

        def respond(which: NDArray[np.intp], p: Array) -> tuple[Array, Array]:
            nonlocal slip, iterations, fallback
            maps = contact_maps(at[which], points.normal[which], points.tangent[which])
            acting = drive + p.ravel() @ maps
            slip = solve_slip(law, inertia, acting, arms, weights, slip.rates, slip.multiplier, incoming)
            iterations, fallback = iterations + slip.iterations, fallback or slip.fallback
            against = points.obstacle[which]
            moving = np.stack(
                [
                    np.einsum("ka,ka->k", points.normal[which], against),
                    np.einsum("ka,ka->k", points.tangent[which], against),
                ],
                1,
            )
            u = (maps @ (slip.rates + ground)).reshape(-1, 2) - moving
            return u, maps @ rate_compliance(law, inertia, slip.rates, arms, weights) @ maps.T

        size = max(float(np.abs(drive[:2]).max()), float(weights.sum()), float(np.abs(points.force).max(initial=0.0)))
        points.solve(respond, floor=1e-2 / float(inertia.flat[0]), tolerance=lambda: 1e-12 * size)
        maps = contact_maps(at, points.normal, points.tangent)
        return slip._replace(iterations=iterations, fallback=fallback), points.force.ravel() @ maps

    def powers(self, wrench: Array, before: Array, after: Array) -> tuple[float, float]:
        """W lost, and driven by the obstacles, over the step between the rates ``before`` and ``after`` (3,): see
        ``signorini_stage``."""
        driven = self.points.power()
        return driven - 0.5 * float(wrench @ (before + after)), driven


def contact_maps(arms: Array, normal: Array, tangent: Array) -> Array:
    """G (2k, 3): velocities along ``normal`` and ``tangent`` (k, 2) of points at ``arms`` (k, 2) m for unit rates, interleaved."""
    rows = np.stack([normal, tangent], axis=1)  # (k, 2, 2)
    turning = cross(np.repeat(arms, 2, axis=0), rows.reshape(-1, 2))
    return np.column_stack([rows.reshape(-1, 2), turning])


def rate_compliance(law: Law, inertia: Array, rates: Array, arms: Array, weights: Array) -> Array:
    """∂q'/∂c (3, 3) of the friction problem under the body at slip ``rates`` (3,), ``inertia`` D/τ (3,) or (3, 3)."""
    if law.set_valued and not np.any(rates) and np.any(weights):
        return np.zeros((3, 3))
    velocity = point_velocity(rates, arms)
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    still = (
        (speed <= _STILL * speed.max(initial=0.0)) & (weights > 0.0)
        if law.set_valued
        else np.zeros(len(arms), np.bool_)
    )
    blocks = law.tangent(np.where(still[:, None], 0.0, velocity), weights)
    one, zero = np.ones(len(arms)), np.zeros(len(arms))
    maps = np.stack([np.stack([one, zero, -arms[:, 1]], 1), np.stack([zero, one, arms[:, 0]], 1)], 1)
    tangent = (np.diag(inertia) if inertia.ndim == 1 else inertia) + np.einsum("nak,nab,nbl->kl", maps, blocks, maps)
    if not still.any():
        return np.linalg.inv(tangent)
    arm = arms[int(np.argmax(still))]
    about = np.array([arm[1], -arm[0], 1.0])
    return np.outer(about, about) / float(about @ tangent @ about)
