"""Which checks a model gets: the registry of the verdict, by what the model can do."""

from __future__ import annotations

from typing import Any

from floating_frame.model import RunModel
from floating_frame.verdict.contact import PenetrationCheck
from floating_frame.verdict.energy import AngularMomentumCheck, EnergyCheck
from floating_frame.verdict.sampling import SamplingCheck, has_sampling_floor
from floating_frame.verdict.size import UnitsCheck
from floating_frame.verdict.space import PainleveCheck, PressesCheck
from floating_frame.verdict.steps import SmallestStepCheck, step_checks
from floating_frame.verdict.strain import StrainCheck
from floating_frame.verdict.touch import TouchCheck
from floating_frame.verdict.verdict import Check, Checks, Verdict

BY_DIMENSION: dict[int, tuple[type[Check[Any]], ...]] = {2: (), 3: (PainleveCheck, PressesCheck)}
"""Checks of every body in the plane, and in space."""


def verdict_of(model: RunModel) -> Verdict:
    """Return the verdict of a model's run."""
    return Verdict(model, checks_of(model))


def checks_of(model: RunModel) -> Checks:
    """Return the checks that apply to a model, in the order in which they speak."""
    checks: list[Check[Any]] = []
    equal = model.options.error_tolerance is None and not model.steps.controls_error
    if model.steps.inertia:
        checks.append(EnergyCheck())
        if model.system.turns_freely:
            checks.append(AngularMomentumCheck())
    checks.append(StrainCheck())
    if has_sampling_floor(model):
        checks.append(SamplingCheck())
    if model.contacts or model.exact is not None:
        checks += [PenetrationCheck(model), TouchCheck()]
    if equal and model.steps.inertia:
        checks += step_checks(model)
        checks += [SmallestStepCheck()] if not model.steps.many else []
    checks.append(UnitsCheck())
    return checks + [check() for check in BY_DIMENSION[model.system.dimension]]
