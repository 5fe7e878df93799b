"""Step control near contact as parameters of a case: the two knobs of RecurDyn's contact (Figure 6.290)."""

from __future__ import annotations

from typing import Annotated, Protocol

from cases.app.parts.quantities import quantity
from floating_frame import StepControl

BufferRadiusFactor = Annotated[
    float,
    quantity(
        "1",
        "smaller steps while the gap is below this times the body's radius, the largest |X|; 0: never",
        ge=0,
    ),
]
MaxStepSizeFactor = Annotated[
    float,
    quantity("1", "by how much steps are reduced near contact (of error-controlled ones the largest)", ge=1),
]


class Knobs(Protocol):
    """Parameters of step control near contact."""

    buffer_radius_factor: float
    max_step_size_factor: float


def step_control(params: Knobs) -> StepControl | None:
    """Return the step control that `params` ask for; None with a buffer of no size."""
    if params.buffer_radius_factor == 0.0:
        return None
    return StepControl(params.buffer_radius_factor, params.max_step_size_factor)
