"""Which checks a model gets: the registry of the verdict, by what the model can do."""

from __future__ import annotations

from floating_frame.system.model import RunModel
from floating_frame.system.state import State
from floating_frame.verdict.body import StrainCheck, UnitsCheck
from floating_frame.verdict.contact import PenetrationCheck, TouchCheck
from floating_frame.verdict.energy import AngularMomentumCheck, EnergyCheck
from floating_frame.verdict.sampling import SamplingCheck, has_sampling_floor
from floating_frame.verdict.space import (
    BetweenCheck,
    PainleveCheck,
    PassedCheck,
    PressedInCheck,
    PressesCheck,
    SunkCheck,
)
from floating_frame.verdict.spin import SpinCheck
from floating_frame.verdict.steps import ContactStepsCheck, LoadCheck, SmallestStepCheck, TurnCheck
from floating_frame.verdict.verdict import Check


def checks_of(model: RunModel, state: State) -> tuple[Check, ...]:
    """Return the checks that apply to a model, at its ``state`` at t = 0, in the order in which they speak."""
    checks: list[Check] = []
    steps = model.steps
    equal = model.options.error_tolerance is None and not steps.controls_error and steps.inertia
    touches = bool(model.contacts) or model.exact is not None
    if steps.inertia:
        checks.append(EnergyCheck.of(model, state))
    if steps.inertia and model.system.turns_freely:
        checks.append(AngularMomentumCheck.of(model, state))
    if len(model.system.principal_moments):
        checks.append(SpinCheck.of(model, state))
    checks.append(StrainCheck.of(model, state))
    if has_sampling_floor(model):
        checks.append(SamplingCheck.of(model, state))
    if touches:
        checks += [PenetrationCheck.of(model, state), TouchCheck.of(model, state)]
    if equal:
        checks += [TurnCheck(), LoadCheck()]
    if equal and model.contacts:
        checks.append(ContactStepsCheck.of(model, state))
    if equal and not steps.many:
        checks.append(SmallestStepCheck())
    checks.append(UnitsCheck())
    if model.system.dimension == 3 and model.problem.foundation is None:
        checks += [PainleveCheck.of(model, state), PressesCheck.of(model, state), SunkCheck.of(model, state)]
        checks += [PassedCheck.of(model, state), PressedInCheck.of(model, state), BetweenCheck.of(model, state)]
    return tuple(checks)
