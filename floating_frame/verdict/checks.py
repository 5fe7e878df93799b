"""Which checks a model gets: the registry of the verdict, by what the model can do."""

from __future__ import annotations

from typing import Any

from fem import Plate
from fem.beam_axis import BeamAxis
from floating_frame.scheme.coefficients import RADAU
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
    equal = model.options.error_tolerance is None and model.options.scheme != RADAU
    if not model.quasi_static:
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
    if equal and not model.quasi_static:
        found += [] if linear_beam else step_checks(model)
        found += [SmallestStepCheck()] if model.explicit is None else []
    return found
