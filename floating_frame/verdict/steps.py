"""Checks of whether the steps resolve turning, loads and contacts, and whether they could be solved at their length.

Steps chosen by the error (``error_tolerance``, or a method that controls its own) answer for themselves; docs/verdict.md says what
is asked of equal ones, and why.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from floating_frame.loads.histories import History, many_values
from floating_frame.stepping.step_times import StepTimes
from floating_frame.system.model import RunModel
from floating_frame.system.rows import Rows
from floating_frame.verdict import limits
from floating_frame.verdict.energy import advice, percent
from floating_frame.verdict.verdict import Check, RunWarning

NAME = "unresolved"
LOOKS = 100
_ABSCISSAE, _WEIGHTS = np.polynomial.legendre.leggauss(3)
GAUSS, WEIGHTS = 0.5 * (_ABSCISSAE + 1.0), 0.5 * _WEIGHTS


@dataclass(frozen=True)
class TurnCheck(Check):
    """Largest ``angle`` by which the body turns within a step, rad, and how fast it turned last, ``rate`` rad/s."""

    angle: float
    rate: float

    @classmethod
    def of(cls, rows: Rows) -> TurnCheck:
        return cls(0.0, float(rows.diagnostics["turn_rate"][-1]))

    def after(self, model: RunModel, rows: Rows) -> TurnCheck:
        rates = np.array([self.rate, *rows.diagnostics["turn_rate"]])
        angles = np.maximum(rates[1:], rates[:-1]) * rows.lengths
        return TurnCheck(max(self.angle, float(angles.max())), float(rates[-1]))

    def judge(self, model: RunModel) -> list[RunWarning]:
        if not self.angle > limits.STEP_ANGLE:
            return []
        text = f"the body turns by {self.angle:.3g} rad within a step: {advice(model)}"
        return [RunWarning(NAME, self.angle, limits.STEP_ANGLE, text)]


@dataclass(frozen=True)
class LoadCheck(Check):
    """How much the courses of the loads bend within the steps, whatever the motion.

    Of a course h(t) it is Σ |½ Δt (h₀ + h₁) − ∫ h dt| over Σ ∫ |h| dt, by three Gauss points a step: (Ω Δt)²/12 of cos Ωt.
    """

    def judge(self, model: RunModel) -> list[RunWarning]:
        share = max((bend(model, history) for history in model.loads.courses), default=0.0)
        if not share > limits.LOAD_BEND:
            return []
        text = f"the course of a load bends within the steps, its impulse by {percent(share)}: {advice(model)}"
        return [RunWarning(NAME, share, limits.LOAD_BEND, text)]


def bend(model: RunModel, history: History) -> float:
    """Return the share by which a course bends within the equal steps of a run, of which up to ``LOOKS`` are looked at."""
    breaks = model.loads.breaks
    times = StepTimes(model.problem.t_end, model.steps.length, breaks)
    numbers = np.unique(np.linspace(1, len(times), LOOKS).astype(np.intp))
    start, end = times.ends_of(numbers - 1), times.ends_of(numbers)
    if breaks.cut(start, end).any():
        steps = zip(start.tolist(), end.tolist(), strict=True)
        start, end = np.array([p for a, b in steps for p in itertools.pairwise([a, *breaks.between(a, b), b])]).T
    length = end - start
    line = 0.5 * (many_values(history, start, False) + many_values(history, end, True))
    inner = np.array([many_values(history, start + xi * length, True) for xi in GAUSS])
    whole = float(length @ (WEIGHTS @ np.abs(inner)))
    return float(length @ np.abs(line - WEIGHTS @ inner)) / whole if whole > 0.0 else 0.0


@dataclass(frozen=True)
class ContactStepsCheck(Check):
    """Steps from touch to release of penalty contacts.

    ``steps`` and ``impulse`` N s of the contact that is going on; of those that are ``over`` in too few steps the number of steps,
    each with the largest impulse; ``energy`` J: the largest kinetic one.
    """

    steps: int = 0
    impulse: float = 0.0
    over: tuple[tuple[int, float], ...] = ()
    energy: float = 0.0

    @classmethod
    def of(cls, rows: Rows) -> ContactStepsCheck:
        """Begin; a contact at t = 0 has not been seen to begin: it counts as long enough."""
        return cls(limits.CONTACT_STEPS if rows.diagnostics["contact_push"].any() else 0, energy=float(rows.kinetic[0]))

    def after(self, model: RunModel, rows: Rows) -> ContactStepsCheck:
        steps, impulse, best = self.steps, self.impulse, dict(self.over)
        columns = (rows.diagnostics["contact_push"], rows.lengths, rows.parts)
        for push, length, parts in zip(*(column.tolist() for column in columns), strict=True):
            if push > 0.0:
                steps, impulse = steps + parts, impulse + push * length * parts
                continue
            if 0 < steps < limits.CONTACT_STEPS:
                best[steps] = max(best.get(steps, 0.0), impulse)
            steps, impulse = 0, 0.0
        return ContactStepsCheck(
            steps, impulse, tuple(sorted(best.items())), max(self.energy, float(rows.kinetic.max()))
        )

    def judge(self, model: RunModel) -> list[RunWarning]:
        least = limits.CONTACT_IMPULSE * float(np.sqrt(2.0 * model.system.results.scales.mass * self.energy))
        short = [steps for steps, impulse in self.over if impulse > least]
        if not short:
            return []
        text = f"a contact is over within {short[0]} step{'s' if short[0] > 1 else ''}: {advice(model)}"
        return [RunWarning(NAME, float(short[0]), float(limits.CONTACT_STEPS), text)]


@dataclass(frozen=True)
class SmallestStepCheck(Check):
    """``pairs`` of equal steps at the smallest length that halving may come to; ``last`` s: length of the last step, 0 after a
    pair."""

    last: float = 0.0
    pairs: int = 0

    def after(self, model: RunModel, rows: Rows) -> SmallestStepCheck:
        """A halved step leaves two of one length: the second is counted. (One that a jump of the loads cuts off is alone.)"""
        last, pairs, halvings = self.last, self.pairs, model.options.max_halvings
        smallest = model.options.dt * 0.5**halvings * (1.0 + 1e-6)
        for length in rows.lengths.tolist():
            counts = halvings > 0 and length <= smallest and abs(length - last) <= 1e-6 * length
            last, pairs = (0.0, pairs + 1) if counts else (length, pairs)
        return SmallestStepCheck(last, pairs)

    def judge(self, model: RunModel) -> list[RunWarning]:
        if self.pairs == 0:
            return []
        times = f"{self.pairs} time{'s' if self.pairs > 1 else ''}"
        text = (
            f"{times} a step could be solved only after being halved {model.options.max_halvings} times, as often as allowed: "
            "take a smaller dt"
        )
        return [RunWarning(NAME, float(self.pairs), 0.0, text)]
