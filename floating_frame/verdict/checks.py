"""Which checks a model gets: the registry of the verdict, by what the model can do."""

from __future__ import annotations

from typing import Any

from fem import Plate
from fem.beam_axis import BeamAxis
from floating_frame.system.beam.model import BeamModel
from floating_frame.verdict.contact import PenetrationCheck
from floating_frame.verdict.energy import AngularMomentumCheck, EnergyCheck
from floating_frame.verdict.sampling import SamplingCheck, has_sampling_floor
from floating_frame.verdict.steps import SmallestStepCheck, step_checks
from floating_frame.verdict.strain import PlateStrain, beam_fibres, beam_slope
from floating_frame.verdict.touch import TouchCheck
from floating_frame.verdict.verdict import Check, Verdict


def verdict_of(model: Any) -> Verdict:
    """The verdict of a model's run."""
    return Verdict(model, checks_of(model))


def checks_of(model: Any) -> list[Check]:
    """The checks that apply to a model, in the order in which they speak."""
    found: list[Check] = []
    linear_beam = isinstance(model, BeamModel)
    equal = model.options.error_tolerance is None and not model.steps.controls_error
    if model.steps.inertia:
        found.append(EnergyCheck())
        if not (linear_beam or model.clamped):
            found.append(AngularMomentumCheck())
    if linear_beam:
        found.append(beam_slope())
    elif isinstance(model.body, BeamAxis):
        found.append(beam_fibres())
    elif isinstance(model.body, Plate):
        found.append(PlateStrain())
    if not linear_beam and has_sampling_floor(model):
        found.append(SamplingCheck())
    if model.contacts or model.exact is not None:
        found += [PenetrationCheck(model), TouchCheck()]
    if equal and model.steps.inertia:
        found += [] if linear_beam else step_checks(model)
        found += [SmallestStepCheck()] if not model.steps.many else []
    return found
