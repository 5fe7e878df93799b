"""A rigid body's stage: its data, the wrench of its loads, friction under it, and the guard against spurious reversals."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from floating_frame.contact_assembly import NO_CONTACT, ContactState
from floating_frame.kinematics import Array, cross, to_inertial
from floating_frame.memory import Bristles
from floating_frame.model import Model
from floating_frame.schemes import Scheme
from floating_frame.state import State
from friction import Law
from friction.rigid.coulomb import RigidSlip
from friction.rigid.regularised import solve_rigid_regular
from friction.rigid.set_valued import solve_at_rest, solve_set_valued


@dataclass(frozen=True)
class RigidStage:
    """A solved stage: q, q', q'' (3,), λ (F, 2) inertial, external ``wrench`` (F_x, F_y, M_z), ``sliding`` (F, 2) m/s of
    the friction points on the ground, whose rates (v_g, 0) are ``ground`` (3,); ``bristles`` of a law that remembers; penalty
    ``contact`` at its end, ``contact_wrench`` (3,) what of it the balance has (θ schemes mix the start's in); ``exact`` contacts,
    the ``exact_force`` (m, 2) N of their points and their ``exact_wrench`` (3,) about x0."""

    coordinates: Array
    rates: Array
    accelerations: Array
    multiplier: Array
    wrench: Array
    sliding: Array
    weights: Array
    ground: Array
    bristles: Bristles | None = None
    exact: ContactState = NO_CONTACT
    exact_force: Array | None = None
    exact_wrench: Array = field(default_factory=lambda: np.zeros(3))
    contact: ContactState = NO_CONTACT
    contact_wrench: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def effort(self) -> Array:
        """Wrench (3,) of loads and penalty contacts."""
        return self.wrench + self.contact_wrench


def inertia_of(model: Model) -> Array:
    """D = (M, M, J_zz), kg, kg, kg m²."""
    return np.array([model.mass.total, model.mass.total, model.mass.second_moment])


def rates_of(ground: Array) -> Array:
    """(v_g, 0) (3,): the rates of a body that rests on ground of velocity v_g (2,)."""
    return np.array([*ground, 0.0])


def external_wrench(model: Model, time: float, angle: float, *, left: bool = True) -> Array:
    """(F_x, F_y, M_z) of the loads about x0, with the body turned by ``angle`` rad."""
    arms = to_inertial(model.body.X, angle)
    force = model.loads.total_force(time, arms, left=left)
    return np.array([*force.sum(axis=0), cross(arms, force).sum()])


def slip_before(state: State, stages: list[RigidStage]) -> Array:
    """(N, 2) m/s slip velocities with which points come into a stage: those at the start of the step, or else of the last stage."""
    sliding = state.sliding
    if not stages:
        return sliding
    return np.where(np.any(sliding, axis=1)[:, None], sliding, stages[-1].sliding)


def solve_slip(
    law: Law,
    inertia: Array,
    wrench: Array,
    arms: Array,
    weights: Array,
    start: Array,
    multiplier: Array,
    incoming: Array,
) -> RigidSlip:
    """Friction under the body by the stage's law, set-valued or regularised; ``incoming`` (N, 2) m/s: see ``slip_before``."""
    if law.set_valued:
        slid = np.any(incoming, axis=1)
        return solve_set_valued(law, inertia, wrench, arms, weights, start=start, multiplier=multiplier, slid=slid)
    return solve_rigid_regular(law, inertia, wrench, arms, weights, start=start, incoming=incoming)


def would_reverse(model: Model, state: State, stages: list[RigidStage], dt: float) -> bool:
    """Whether the step ends sliding backwards although friction could have kept the body at rest on the ground in the mean.

    Backwards: s·D s_n < 0 with s = q' − (v_g, 0) and s_n the incoming one. In the mean: the wrench that takes the body to rest
    over the step, D (q'_n − (v_g, 0))/Δt + Σ b_s wrench_s, lies inside the limit surface of the mean weights.
    """
    scheme = model.scheme
    assert scheme is not None
    incoming = state.motion.rates - rates_of(state.ground)
    if not np.any(incoming):
        incoming = stages[0].rates - stages[0].ground
    d, ground = inertia_of(model), stages[-1].ground
    if not (model.law.set_valued and float((stages[-1].rates - ground) @ (d * incoming)) < 0.0):
        return False
    mean_wrench = np.array([s.effort for s in stages]).T @ scheme.weights
    mean_weights = np.array([s.weights for s in stages]).T @ scheme.weights
    needed = d * (state.motion.rates - ground) / dt + mean_wrench
    arms = to_inertial(model.body.friction.points, stages[-1].coordinates[2])
    return not np.any(solve_at_rest(model.law, d, needed, arms, mean_weights).rates)


def held_at_rest(stages: list[RigidStage], scheme: Scheme, state: State, dt: float) -> RigidStage:
    """The last stage with the body held on the ground: q' = (v_g, 0) and q'' such that q'* + τ_v q'' = q'."""
    last, ground = stages[-1], stages[-1].ground
    earlier = [s.accelerations for s in stages[:-1]]
    rates = state.motion.rates + dt * np.tensordot(scheme.velocity[-1][1:-1], np.array(earlier).reshape(-1, 3), 1)
    zero = np.zeros_like(last.sliding)
    coordinates = last.coordinates - dt * scheme.position[-1][-1] * (last.rates - ground)
    accelerations = (ground - rates) / (dt * scheme.velocity[-1][-1])
    return replace(
        last,
        coordinates=coordinates,
        rates=ground.copy(),
        accelerations=accelerations,
        multiplier=zero,
        sliding=zero,
    )
