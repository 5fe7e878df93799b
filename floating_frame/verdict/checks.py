"""Checks of the body itself and of the resolution of turning and loads by the steps; selection of checks by capabilities of a
model. ``limits``: sizes (lengths in millimetres), strains of linear materials and beams, Painlevé's number and depths in obstacles
in space. Error-controlled steps need no check; docs/verdict.md explains the checks of equal steps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.loads.histories import values_at
from floating_frame.stepping.step_times import StepTimes
from floating_frame.system.model import RunModel
from floating_frame.system.rows import OneStep, Rows
from floating_frame.system.state import State
from floating_frame.verdict import limits
from floating_frame.verdict.contact import ContactForceCheck, ContactStepsCheck, PenetrationCheck
from floating_frame.verdict.energy import AngularMomentumCheck, EnergyCheck, SpinCheck, advice, percent
from floating_frame.verdict.sampling import SamplingCheck, has_sampling_floor
from floating_frame.verdict.verdict import Check, RunWarning, beyond, rows_of
from friction.errors import FoundationError

EXTREMES = limits.STRAINS | limits.COURSES | limits.SIZES | limits.UNIQUE | limits.PRESSED | limits.DEPTHS

NAME = "unresolved"
MAX_SAMPLES = 100
Course = Callable[[Array, bool], Array]
"""Values (n,) of a function of time at times (n,) s; at a jump the left limits if the flag is true."""
_ABSCISSAE, _WEIGHTS = np.polynomial.legendre.leggauss(3)
GAUSS, WEIGHTS = 0.5 * (_ABSCISSAE + 1.0), 0.5 * _WEIGHTS


@dataclass(frozen=True)
class ExtremesCheck(Check):
    """The ``extremes`` so far of diagnostics with a limit, and of constant numbers of the problem, by name."""

    extremes: Mapping[str, float]

    @classmethod
    def of(cls, rows: Rows, names: Iterable[str]) -> ExtremesCheck:
        """Initial check with the ``names`` that the system has."""
        series = {name: rows.diagnostics[name].astype(float).tolist() for name in names if name in rows.diagnostics}
        return cls({name: EXTREMES[name].worst(values) for name, values in series.items()})

    def after(self, model: RunModel, rows: Rows) -> ExtremesCheck:
        new = rows.diagnostics
        return ExtremesCheck(
            {
                name: EXTREMES[name].worst([*new[name].astype(float).tolist(), value]) if name in new else value
                for name, value in self.extremes.items()
            }
        )

    def judge(self, model: RunModel) -> list[RunWarning]:
        sizes, warnings = {"radius": model.radius, "thinnest": min(model.radius, model.extent)}, []
        for name, last in self.extremes.items():
            # Loads are judged up to the end of the run, which a resumed one may have moved.
            extreme, limit = (load_bend(model) if name in limits.COURSES else last), EXTREMES[name]
            value = extreme / sizes[limit.over] if limit.over and extreme > 0.0 else extreme
            if limit.exceeded_by(value):
                numbers = {"value": value, "percent": 100.0 * value, "share": percent(value), "depth": extreme}
                text = limit.words.format(**numbers, advice=advice(model))
                warnings.append(RunWarning(limit.name, value, limit.value, text))
        return warnings

    def attributes(self, model: RunModel) -> dict[str, float]:
        named = ((EXTREMES[name].attribute, value) for name, value in self.extremes.items())
        return {name: value for name, value in named if name and np.isfinite(value)}


def has_friction(model: RunModel, state: State) -> bool:
    """True if friction acts when all points are loaded."""
    system = model.system
    slips, presses_all = np.ones_like(state.sliding), np.full_like(state.multiplier, -1.0)
    pressed = system.friction.redistributed(0.0, state.position, presses_all)
    ground = np.any(pressed.sliding(pressed.for_stage(0.0, None, 0.0), slips, presses_all))
    return bool(ground) or any(effect.rubs for effect in system.effects)


@dataclass(frozen=True)
class TurnCheck(Check):
    """Largest rotation ``angle`` within a step, rad, and last angular velocity ``rate``, rad/s."""

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
        text = f"the body turns by {self.angle:.3g} rad within a step: {advice(model)}"
        return beyond(NAME, self.angle, limits.STEP_ANGLE, text)


def load_bend(model: RunModel) -> float:
    """Largest deviation of a load history, and of the sum of the friction bounds, from straight lines within the steps: of a course
    h(t) Σ ∫ |h − line| dt over Σ ∫ |h| dt, by three Gauss points a step, (Ω Δt)²/12 of cos Ωt where that is small."""
    bends = [course_bend(model, partial(values_at, history)) for history in model.loads.all_histories]
    if not model.system.friction.constant:
        with suppress(FoundationError):  # bounds that are refused at some time have ended the run there
            bends.append(course_bend(model, partial(bounds_at, model)))
    return max(bends, default=0.0)


def bounds_at(model: RunModel, times: Array, left: bool) -> Array:
    """Sums (n,), N, of the friction bounds at ``times`` (n,) s; at a jump the ``left`` or the right limits."""
    return np.array([model.system.friction.bound(time, left=left).sum() for time in times.tolist()])


def course_bend(model: RunModel, course: Course) -> float:
    """Relative deviation of a course from straight lines within equal steps, at up to ``MAX_SAMPLES`` of them."""
    breaks = model.loads.breaks
    times = StepTimes(model.problem.t_end, model.steps.length, breaks)
    numbers = np.unique(np.linspace(1, len(times), MAX_SAMPLES).astype(np.intp))
    start, end = times.ends_of(numbers - 1), times.ends_of(numbers)
    if breaks.cut(start, end).any():
        steps = zip(start.tolist(), end.tolist(), strict=True)
        start, end = np.array([p for a, b in steps for p in itertools.pairwise([a, *breaks.between(a, b), b])]).T
    length = end - start
    first, last = course(start, False), course(end, True)
    line = np.array([(1.0 - xi) * first + xi * last for xi in GAUSS])
    inner = np.array([course(start + xi * length, True) for xi in GAUSS])
    whole = float(length @ (WEIGHTS @ np.abs(inner)))
    return float(length @ (WEIGHTS @ np.abs(line - inner))) / whole if whole > 0.0 else 0.0


@dataclass(frozen=True)
class SmallestStepCheck(Check):
    """``pairs`` of steps at the smallest length of halving; ``last`` s: length of the last step, 0 after a pair."""

    last: float = 0.0
    pairs: int = 0

    def after(self, model: RunModel, rows: Rows) -> SmallestStepCheck:
        """A halved step leaves two of one length: the second is counted. (A step cut by a jump of the loads is alone.)"""
        last, pairs, halvings = self.last, self.pairs, model.options.max_halvings
        smallest = model.options.dt * 0.5**halvings * (1.0 + 1e-6)
        for length in rows.lengths.tolist():
            counts = halvings > 0 and length <= smallest and abs(length - last) <= 1e-6 * length
            last, pairs = (0.0, pairs + 1) if counts else (length, pairs)
        return SmallestStepCheck(last, pairs)

    def judge(self, model: RunModel) -> list[RunWarning]:
        times = f"{self.pairs} time{'s' if self.pairs > 1 else ''}"
        text = (
            f"{times} a step could be solved only after being halved {model.options.max_halvings} times, as often as allowed: "
            "take a smaller dt"
        )
        return beyond(NAME, float(self.pairs), 0.0, text)


def checks_of(model: RunModel, state: State) -> tuple[Check, ...]:
    """Checks that apply to a model, from its ``state`` at t = 0, in the order of their warnings."""
    checks: list[Check] = []
    steps, given, rows = model.steps, model.system.results, rows_of(model, state, [OneStep(state, 0.0)])
    equal = model.options.error_tolerance is None and not steps.controls_error and steps.inertia
    touches = model.has_contacts
    if steps.inertia:
        checks.append(EnergyCheck.of(model, rows))
    if steps.inertia and given.turns_freely:
        checks.append(AngularMomentumCheck.of(model, rows))
    if len(given.principal_moments):
        checks.append(SpinCheck.of(rows))
    checks.append(ExtremesCheck.of(rows, limits.STRAINS))
    if has_sampling_floor(model):
        checks.append(SamplingCheck.of(state))
    if touches:
        checks += [PenetrationCheck.of(model, rows), ContactForceCheck.of(rows)]
    if equal:
        checks += [TurnCheck.of(rows), ExtremesCheck(dict.fromkeys(limits.COURSES, 0.0))]
    if equal and model.contacts:
        checks.append(ContactStepsCheck.of(rows))
    if equal and not steps.many:
        checks.append(SmallestStepCheck())
    size = 2.0 * model.radius
    sizes = {"too_large": size > limits.LARGEST_SIZE, "too_small": 0.0 < size < limits.SMALLEST_SIZE}
    checks.append(ExtremesCheck({name: size for name, doubtful in sizes.items() if doubtful}))
    if given.dimension == 3 and model.problem.foundation is None:
        pressed = limits.PRESSED if has_friction(model, state) else {}
        checks.append(ExtremesCheck.of(rows, limits.UNIQUE | pressed | limits.DEPTHS))
    return tuple(checks)
