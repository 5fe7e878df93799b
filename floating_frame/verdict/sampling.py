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
from floating_frame.frame.kinematics import Array, FrameMotion, rotation, to_inertial
from floating_frame.frame.rigid_modes import modes_of
from floating_frame.model import RunModel
from floating_frame.stepper import Batch
from floating_frame.system.state import State
from floating_frame.verdict.verdict import Check, Kept, RunWarning
from friction import Coulomb
from friction.rigid.coulomb import coulomb_answer
from friction.rigid.problem import point_velocity
from friction.stick import is_coulomb

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
        state = kept.after
        if not self._due(model, state.time):
            return self
        speed = float(np.abs(state.velocity).max())
        return self._at(model, state.time, state.frame, speed, slides=bool(np.any(state.sliding)))

    def after_batch(self, model: RunModel, batch: Batch) -> SamplingCheck:
        found, times, k = self, batch.times, 0
        while True:
            k = max(k, int(np.searchsorted(times, found.time + model.problem.t_end / INSTANTS * (1.0 - 2e-9))))
            while k < len(times) and not found._due(model, float(times[k])):
                k += 1
            if k == len(times):
                return found
            frame, slides, speed = batch.look(k)
            found = found._at(model, float(times[k]), frame, speed, slides=slides)

    def _due(self, model: RunModel, time: float) -> bool:
        end = model.problem.t_end
        return not (time - self.time < end / INSTANTS * (1.0 - 1e-9) and time < end)

    def _at(self, model: RunModel, time: float, frame: FrameMotion, speed: float, *, slides: bool) -> SamplingCheck:
        """Return the check at ``time`` s, with the body's largest nodal ``speed`` m/s."""
        rates, length = np.zeros(3), time - self.time
        if slides:
            error, answer = wrench_error(model, time, frame)
            d = model.system.apply_mass((np.ones(3),))[0]
            rates[:] = np.linalg.solve(np.diag(d) + length * answer, d * self.rates + length * error)
        place = self.place + 0.5 * length * (self.rates + rates)
        size = np.array([1.0, 1.0, model.radius])
        return SamplingCheck(
            time=time,
            place=place,
            rates=rates,
            apart=max(self.apart, float(np.abs(size * place).max())),
            faster=max(self.faster, float(np.abs(size * rates).max())),
            speed=max(self.speed, speed),
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


def wrench_error(model: RunModel, time: float, frame: FrameMotion) -> tuple[Array, Array]:
    """Return (W_f − W (3,), K (3, 3)) at a motion of the ``frame``."""
    rates = frame.rates - model.system.ground_rates(model.system.friction.ground(time))[0]
    rule, finer = (friction_wrench(model, rule, rates, time, frame.angle) for rule in model.system.quadratures)
    return finer[0] - rule[0], finer[1]


def friction_wrench(model: RunModel, rule: AreaRule, rates: Array, time: float, angle: float) -> tuple[Array, Array]:
    """Return (W (3,), K (3, 3)) of friction at the points of a rule, with slip ``rates`` (3,).

    Bristles have a history at the body's own points only: sliding on them is taken as Coulomb's.
    """
    weights = model.system.friction.bound_at(rule.points, rule.weights, time)
    law = Coulomb() if model.law.has_internal_state else model.law.with_total_load(weights)
    if is_coulomb(law):
        arms = rotation(angle) @ rule.points.T
        return coulomb_answer(rates, arms, weights)
    arms = to_inertial(rule.points, angle)
    slip, modes = point_velocity(rates, arms), modes_of(arms)
    wrench = -np.einsum("kna,na->k", modes, law.force(slip, weights))
    return wrench, np.tensordot(modes, law.tangent(slip, weights) @ modes.transpose(1, 2, 0), ([1, 2], [0, 1]))
