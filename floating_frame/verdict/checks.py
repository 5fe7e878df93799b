"""Which checks a model gets: the registry of the verdict, by what the model can do."""

from __future__ import annotations

from floating_frame.system.model import RunModel
from floating_frame.system.state import State
from floating_frame.verdict import limits
from floating_frame.verdict.body import ExtremesCheck, UnitsCheck
from floating_frame.verdict.contact import PenetrationCheck, TouchCheck
from floating_frame.verdict.energy import AngularMomentumCheck, EnergyCheck
from floating_frame.verdict.sampling import SamplingCheck, has_sampling_floor
from floating_frame.verdict.space import PressesCheck
from floating_frame.verdict.spin import SpinCheck
from floating_frame.verdict.steps import ContactStepsCheck, LoadCheck, SmallestStepCheck, TurnCheck
from floating_frame.verdict.verdict import Check, row_of


def checks_of(model: RunModel, state: State) -> tuple[Check, ...]:
    """Return the checks that apply to a model, at its ``state`` at t = 0, in the order in which they speak."""
    checks: list[Check] = []
    steps, asked, rows = model.steps, model.system.results, row_of(model, state, state, 0.0, 1)
    equal = model.options.error_tolerance is None and not steps.controls_error and steps.inertia
    touches = bool(model.contacts) or model.exact is not None
    if steps.inertia:
        checks.append(EnergyCheck.of(model, rows))
    if steps.inertia and asked.turns_freely:
        checks.append(AngularMomentumCheck.of(model, rows))
    if len(asked.principal_moments):
        checks.append(SpinCheck.of(rows))
    checks.append(ExtremesCheck.of(rows, limits.STRAINS))
    if has_sampling_floor(model):
        checks.append(SamplingCheck.of(state))
    if touches:
        checks += [PenetrationCheck.of(model, rows), TouchCheck.of(rows)]
    if equal:
        checks += [TurnCheck.of(rows), LoadCheck()]
    if equal and model.contacts:
        checks.append(ContactStepsCheck.of(rows))
    if equal and not steps.many:
        checks.append(SmallestStepCheck())
    checks.append(UnitsCheck())
    if asked.dimension == 3 and model.problem.foundation is None:
        unique, depths = ExtremesCheck.of(rows, limits.UNIQUE), ExtremesCheck.of(rows, limits.DEPTHS)
        checks += [unique, PressesCheck.of(model, rows), depths]
    return tuple(checks)
