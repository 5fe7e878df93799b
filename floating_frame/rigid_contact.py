"""Penalty contacts of a rigid body: their wrench as a function of the stage's rates p = q', and its exact tangent.

In a stage q = q* + τ p, arms a = Q(α) X turn with p_ω, and the contact points have x = x0 + a, v = p_xy + p_ω J a. With
G = [1, J a] and the blocks of ``contact_force``

    W = Σ Gᵀ F,   ∂W/∂p = Σ Gᵀ (τ ∂F/∂x + ∂F/∂v) G + columns of p_ω: Gᵀ ∂F/∂v (−τ p_ω a) and, in the moment, −τ a·F.
"""

from __future__ import annotations

import numpy as np

from floating_frame.contact_assembly import NO_CONTACT, ContactState
from floating_frame.contact_force import dotted
from floating_frame.kinematics import Array, to_inertial, turned
from floating_frame.model import Model

WHOLE_TURNS = 6
"""Turns of a stage in which Newton's steps are taken whole whatever they miss."""


def kinematics(model: Model, coordinates: Array, rates: Array) -> tuple[Array, Array]:
    """Nodal (x, v) (N, 2) of a rigid body at q, q'."""
    arms = to_inertial(model.body.X, coordinates[2])
    return coordinates[:2] + arms, rates[:2] + rates[2] * turned(arms)


def contact_state(model: Model, time: float, coordinates: Array, rates: Array) -> ContactState:
    """What contacts do at q, q' (3,) and ``time``."""
    if not model.contacts:
        return NO_CONTACT
    return model.contacts.state(time, *kinematics(model, coordinates, rates))


def contact_wrench(model: Model, time: float, coordinates: Array, rates: Array) -> Array:
    """(F_C, M^C about x0) (3,) of the contacts at q, q'."""
    if not model.contacts:
        return np.zeros(3)
    x, v = kinematics(model, coordinates, rates)
    return model.contacts.state(time, x, v).wrench(x, coordinates[:2])


def contact_tangents(model: Model, time: float, coordinates: Array, rates: Array) -> tuple[Array, Array, Array]:
    """(W (3,), ∂W/∂q (3, 3), ∂W/∂q' (3, 3)) at q, q'."""
    wrench, by_place, by_rate = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    x, v = kinematics(model, coordinates, rates)
    for points, found in model.contacts.points(time, x, v):
        arms, force, weights = points.at(x) - coordinates[:2], found.force, points.weights
        lever = turned(arms)
        modes = np.zeros((len(arms), 2, 3))
        modes[:, 0, 0] = modes[:, 1, 1] = 1.0
        modes[:, :, 2] = lever
        by_x, by_v = found.derivatives()
        wrench += np.einsum("q,qik,qi->k", weights, modes, force)
        by_place += np.einsum("q,qik,qij,qjl->kl", weights, modes, by_x, modes, optimize=True)
        by_place[:, 2] -= rates[2] * np.einsum("q,qik,qij,qj->k", weights, modes, by_v, arms, optimize=True)
        by_place[2, 2] -= float(weights @ dotted(arms, force))
        by_rate += np.einsum("q,qik,qij,qjl->kl", weights, modes, by_v, modes, optimize=True)
    return wrench, by_place, by_rate


def symmetric_part(tangent: Array, inertia: Array) -> Array:
    """The symmetric part of −∂W/∂p (3, 3) without what would make H = ``inertia`` (3,) + it indefinite (geometric softening).

    Friction under the body is a convex problem only in a symmetric, positive definite H; Newton's method loses its square there,
    not its fixed point.
    """
    scale = np.sqrt(inertia)
    values, vectors = np.linalg.eigh(0.5 * (tangent + tangent.T) / np.outer(scale, scale))
    return (vectors * np.maximum(values, -0.5)) @ vectors.T * np.outer(scale, scale)


class RigidPenalty:
    """The penalty contacts of one stage while its rates p are being found: ``origin`` q* (3,), ``tau`` s, ``weight`` θ of the
    stage's own force, ``start`` (3,) what it has of the start's, ``inertia`` D/τ (3,);
    ``symmetric``: the friction problem needs a symmetric H."""

    def __init__(
        self,
        model: Model,
        time: float,
        origin: Array,
        tau: float,
        weight: float,
        start: Array,
        inertia: Array,
        symmetric: bool,
    ) -> None:
        self._model, self._time, self._origin, self._tau = model, time, origin, tau
        self._weight, self._start, self._inertia, self._symmetric = weight, start, inertia, symmetric
        self._tangent, self._constant, self._size = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
        self._from, self._turns = np.zeros(3), 0
        #: What the last linearisation has missed, see ``missed``.
        self.left = np.inf

    def linearised(self, rates: Array, ground: Array) -> tuple[Array, Array]:
        """(H (3, 3), c (3,)): H = D/τ − θ ∂W/∂p at ``rates`` p; the wrench is c − (H − D/τ) s at slip rates s = p − v_g."""
        model, coordinates = self._model, self._origin + self._tau * rates
        self._from = rates
        wrench, by_place, by_rate = contact_tangents(model, self._time, coordinates, rates)
        tangent = -self._weight * (self._tau * by_place + by_rate)
        self._tangent = symmetric_part(tangent, self._inertia) if self._symmetric else tangent
        self._constant = self._weight * wrench + self._tangent @ rates + self._start
        self._size = np.abs(wrench) + np.abs(self._inertia * rates)
        return np.diag(self._inertia) + self._tangent, self._constant - self._tangent @ ground

    def missed(self, rates: Array) -> float:
        """What the last linearisation has missed of the wrench at ``rates``, relative to it and to the momenta over τ."""
        found = self.result(rates)[1] - (self._constant - self._tangent @ rates)
        reach = np.array([1.0, 1.0, np.sqrt(self._inertia[2] / self._inertia[0])])
        size = float((self._size / reach).max())
        return float((np.abs(found) / reach).max()) / size if size > 0.0 else 0.0

    def damped(self, rates: Array) -> tuple[Array, bool]:
        """(the next rates, whether they solve the linearised stage): half the way where these do not contract.

        Regularised friction is S-shaped in the slip, and Newton's method may go to and fro over its steep middle.
        """
        before, self._turns, self.left = self.left, self._turns + 1, self.missed(rates)
        if self._turns <= WHOLE_TURNS or self.left <= max(0.5 * before, 1e-12):
            return rates, True
        return 0.5 * (self._from + rates), False

    def result(self, rates: Array) -> tuple[ContactState, Array]:
        """(what contacts do at the stage's end, their wrench (3,) in its balance) for its ``rates``."""
        coordinates = self._origin + self._tau * rates
        x, v = kinematics(self._model, coordinates, rates)
        found = self._model.contacts.state(self._time, x, v)
        return found, self._weight * found.wrench(x, coordinates[:2]) + self._start
