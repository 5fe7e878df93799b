"""The floor that friction points set on the accuracy of a rigid body's motion, estimated along the motion itself.

Friction under a rigid body is a quadrature over its area. Its error does not depend on the time step, so no error tolerance of
the steps gets below it. With the wrench W of the body's rule and W_f of a finer one at the same velocities the motion is wrong by

    D δv' = W_f − W − K δv,   δq' = δv,   K = Σ Gᵢᵀ (∂λᵢ/∂vᵢ) Gᵢ,

where K is how friction answers a change of the rates (D = diag(M, M, J_zz), arms and forces inertial). Where all points rest
δv is zero. δq is put in units of R = max |X|, δv in units of V = R/T + max |v|, as error control does (``error_norm``); the floor
is the largest of both. W_f has an error of its own, 1/8 or less of that of W.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem.area_rule import AreaRule
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.frame.rigid_modes import modes_of
from floating_frame.model import RunModel
from floating_frame.system.state import State
from floating_frame.verdict.verdict import Check, Kept, RunWarning
from friction import Coulomb
from friction.rigid.problem import point_velocity

NAME = "sampling-floor"
INSTANTS = 400
"""About as many instants of a run are looked at."""


@dataclass(frozen=True, kw_only=True)
class SamplingCheck(Check):
    """The sampling floor of a rigid body's run: told always, and a warning where error control was asked to get below it.

    Errors ``place`` δq and ``rates`` δv (3,) at ``time`` s, the largest sizes ``apart`` m and ``faster`` m/s so far, and
    the body's largest ``speed`` m/s.
    """

    time: float
    place: Array
    rates: Array
    apart: float
    faster: float
    speed: float

    @classmethod
    def of(cls, model: RunModel, state: State) -> SamplingCheck:
        speed = float(np.abs(state.velocity).max())
        return cls(time=0.0, place=np.zeros(3), rates=np.zeros(3), apart=0.0, faster=0.0, speed=speed)

    def after(self, model: RunModel, kept: Kept) -> SamplingCheck:
        """Advance δq and δv to the end of a step, where a four-hundredth of the run has passed since they were last advanced."""
        state, end = kept.after, model.problem.t_end
        length = state.time - self.time
        if length < end / INSTANTS * (1.0 - 1e-9) and state.time < end:
            return self
        rates: Array = np.zeros(3)
        if np.any(state.sliding):
            error, answer = wrench_error(model, state)
            d = model.system.apply_mass((np.ones(3),))[0]
            rates[:] = np.linalg.solve(np.diag(d) + length * answer, d * self.rates + length * error)
        place = self.place + 0.5 * length * (self.rates + rates)
        size = np.array([1.0, 1.0, model.radius])
        return SamplingCheck(
            time=state.time,
            place=place,
            rates=rates,
            apart=max(self.apart, float(np.abs(size * place).max())),
            faster=max(self.faster, float(np.abs(size * rates).max())),
            speed=max(self.speed, float(np.abs(state.velocity).max())),
        )

    def floor(self, model: RunModel) -> float:
        """Return the larger of δq/R and δv/V."""
        speed = model.radius / model.problem.t_end + self.speed
        return max(self.apart / model.radius, self.faster / speed)

    def judge(self, model: RunModel) -> list[RunWarning]:
        floor, wanted = self.floor(model), model.options.error_tolerance
        if wanted is None or floor <= wanted:
            return []
        advice = (
            f"the friction points of the rigid body leave an error of {floor:.2g} at any step, below which "
            f"error_tolerance = {wanted:.2g} lies: take a finer mesh, or a larger tolerance"
        )
        return [RunWarning(NAME, floor, wanted, advice)]

    def attributes(self, model: RunModel) -> dict[str, float]:
        return {"sampling_floor": self.floor(model)}


def has_sampling_floor(model: RunModel) -> bool:
    """Whether friction acts at points of a rule with a finer one beside it, and is known at points other than its own."""
    foundation = model.problem.foundation if model.system.quadratures else None
    if foundation is None:
        return False
    given = [
        value
        for value in (foundation.mu, foundation.pressure_at_rest)
        if not (isinstance(value, str) or callable(value))
    ]
    return all(np.ndim(value) == 0 for value in given)


def wrench_error(model: RunModel, state: State) -> tuple[Array, Array]:
    """(W_f − W (3,), K (3, 3)) at the slip rates of ``state``."""
    ground = model.system.ground_rates(model.system.friction.ground(state.time))[0]
    rates = state.frame.rates - ground
    rule, finer = model.system.quadratures
    fine, answer = friction_wrench(model, finer, rates, state)
    return fine - friction_wrench(model, rule, rates, state)[0], answer


def friction_wrench(model: RunModel, rule: AreaRule, rates: Array, state: State) -> tuple[Array, Array]:
    """(W (3,), K (3, 3)) of friction at the points of a rule, with slip ``rates`` (3,).

    Bristles have a history at the body's own points only: sliding on them is taken as Coulomb's.
    """
    arms = to_inertial(rule.points, state.frame.angle)
    weights = model.system.friction.bound_at(rule.points, rule.weights, state.time)
    law = Coulomb() if model.law.has_internal_state else model.law.with_total_load(weights)
    slip, modes = point_velocity(rates, arms), modes_of(arms)
    answer = np.tensordot(modes, law.tangent(slip, weights) @ modes.transpose(1, 2, 0), ([1, 2], [0, 1]))
    return -np.einsum("kna,na->k", modes, law.force(slip, weights)), answer
