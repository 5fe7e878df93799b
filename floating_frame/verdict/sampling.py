"""Error of a rigid body's motion due to its friction points, estimated along the motion. Friction under a rigid body is a
quadrature over its area, whose error no time step reduces. With the wrenches W of the body's rule and W_f of a finer one at the
same velocities the error of the motion obeys

    D δv' = W_f − W − K δv,   δq' = δv,   K = Σ Gᵢᵀ (∂λᵢ/∂vᵢ) Gᵢ,

with the tangent K of friction (D = diag(M, M, J_zz), arms and forces inertial). Where all points rest δv is zero. The floor is the
larger of δq/R, R = max |X|, and δv/V, V = R/T + max |v|, as in error control (``trials``). The error of W_f is 1/8 of W's or less.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from fem.area_rule import AreaRule
from floating_frame.effect.protocol import Mask
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.frame.rigid_modes import modes_of
from floating_frame.system.model import RunModel
from floating_frame.system.rows import Rows
from floating_frame.system.state import State
from floating_frame.verdict.verdict import Check, RunWarning, beyond
from friction import Coulomb
from friction.rigid.coulomb import coulomb_wrenches
from friction.rigid.problem import point_velocity
from friction.stick import is_coulomb

NAME = "sampling-floor"
INSTANTS = 400
"""Approximate number of instants of a run at which the floor is evaluated."""


@dataclass(frozen=True, kw_only=True)
class SamplingCheck(Check):
    """Sampling floor of a rigid body's run: always an attribute; a warning for an error tolerance below it.

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
    def of(cls, state: State) -> SamplingCheck:
        speed = float(np.abs(state.velocity).max())
        return cls(time=0.0, place=np.zeros(3), rates=np.zeros(3), apart=0.0, faster=0.0, speed=speed)

    def after(self, model: RunModel, rows: Rows) -> SamplingCheck:
        """Advance δq and δv to the ends of steps, once in each four-hundredth of the run."""
        due, last, k, times, least = list[int](), self.time, 0, rows.times.tolist(), model.problem.t_end / INSTANTS
        while k < len(times):
            k = max(k, bisect_left(times, last + least, k) - 1)  # none before can be due
            if times[k] - last >= least * (1.0 - 1e-9) or times[k] >= model.problem.t_end:
                due.append(k)
                last = times[k]
            k += 1
        if not due:
            return self
        indices = np.array(due, dtype=np.intp)
        return self._at(model, rows.times[indices], *rows.look(indices))

    def _at(
        self, model: RunModel, times: Array, angles: Array, motion: Array, slides: Mask, speed: float
    ) -> SamplingCheck:
        """Check updated at ``times`` (K,) s: ``angles`` (K,) and rates ``motion`` (K, 3) of the frame, mask ``slides`` (K,), and
        largest nodal ``speed`` m/s."""
        d = model.system.apply_mass((np.ones(3),))[0]
        lengths, moving = np.diff(times, prepend=self.time), slides.nonzero()[0]
        rates = np.vstack([self.rates, np.zeros((len(times), 3))])
        error, answer = wrench_errors(model, times[moving], angles[moving], motion[moving])
        step = lengths[moving, None]
        inverse = np.linalg.inv(np.diag(d) + step[:, :, None] * answer)
        for k, one, load in zip(moving, inverse, step * error, strict=True):
            rates[k + 1] = one @ (d * rates[k] + load)
        shifts = np.vstack([self.place, 0.5 * lengths[:, None] * (rates[:-1] + rates[1:])])
        places, size = np.cumsum(shifts, axis=0)[1:], np.array([1.0, 1.0, model.radius])
        return SamplingCheck(
            time=float(times[-1]),
            place=places[-1],
            rates=rates[-1],
            apart=max(self.apart, float(np.abs(size * places).max())),
            faster=max(self.faster, float(np.abs(size * rates[1:]).max())),
            speed=max(self.speed, speed),
        )

    def floor(self, model: RunModel) -> float:
        """Larger of δq/R and δv/V."""
        speed = model.radius / model.problem.t_end + self.speed
        return max(self.apart / model.radius, self.faster / speed)

    def judge(self, model: RunModel) -> list[RunWarning]:
        floor, tolerance = self.floor(model), model.options.error_tolerance
        if tolerance is None:
            return []
        advice = (
            f"the friction points of the rigid body leave an error of {floor:.2g} at any step, below which "
            f"error_tolerance = {tolerance:.2g} lies: take a finer mesh, or a larger tolerance"
        )
        return beyond(NAME, floor, tolerance, advice)

    def attributes(self, model: RunModel) -> dict[str, float]:
        return {"sampling_floor": self.floor(model)}


def has_sampling_floor(model: RunModel) -> bool:
    """True if friction acts at points of a rule with a finer one, and is a function of points other than its own."""
    foundation = model.problem.foundation if model.system.results.quadratures else None
    if foundation is None:
        return False
    return all(callable(value) or np.ndim(value) == 0 for value in (foundation.mu, foundation.pressure_at_rest))


def wrench_errors(model: RunModel, times: Array, angles: Array, motion: Array) -> tuple[Array, Array]:
    """Wrench error W_f − W (K, 3) and tangent K (K, 3, 3) at ``angles`` (K,) and rates ``motion`` (K, 3) of the frame."""
    friction = model.system.friction
    ground = np.array([model.system.ground_rates(friction.ground(t))[0] for t in times]).reshape(-1, 3)
    rule, finer = (
        friction_wrenches(model, rule, times, angles, motion - ground) for rule in model.system.results.quadratures
    )
    return finer[0] - rule[0], finer[1]


def friction_wrenches(
    model: RunModel, rule: AreaRule, times: Array, angles: Array, rates: Array
) -> tuple[Array, Array]:
    """Wrench W (K, 3) and tangent K (K, 3, 3) of friction at the points of a rule, with slip ``rates`` (K, 3).

    Bristles have a history at the body's own points only: sliding on them counts as Coulomb's.
    """
    friction, count = model.system.friction, len(times)
    wrench, answer = np.zeros((count, 3)), np.zeros((count, 3, 3))
    X, together = np.ascontiguousarray(rule.points.T), max(count, 1) if friction.constant else 1
    for first in range(0, count, together):
        part = slice(first, first + together)
        weights = np.array(friction.bound_at(rule.points, rule.weights, float(times[first])))
        law = Coulomb() if model.law.has_internal_state else model.law.with_total_load(weights)
        if is_coulomb(law):
            coulomb_wrenches(rates[part], angles[part], X, weights, wrench[part], answer[part])
            continue
        for k in range(part.start, part.stop):
            arms = to_inertial(rule.points, float(angles[k]))
            slip, modes = point_velocity(rates[k], arms), modes_of(arms)
            wrench[k] = -np.einsum("kna,na->k", modes, law.force(slip, weights))
            answer[k] = np.tensordot(modes, law.tangent(slip, weights) @ modes.transpose(1, 2, 0), ([1, 2], [0, 1]))
    return wrench, answer
