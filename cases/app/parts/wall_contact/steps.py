"""Step control near contact as parameters of a case: the two knobs of RecurDyn's contact (Figure 6.290)."""

from __future__ import annotations

from typing import Annotated

import floating_frame as ff
from cases.app.parts.parameters.model import Group
from cases.app.parts.quantities import quantity

_BUFFER = "gap below which steps are reduced, over the body's radius max |X|; 0: never"
_FACTOR = "factor of this reduction (with error control: of the largest step)"


class StepsNearContact(Group):
    """Smaller steps near contact."""

    buffer_radius_factor: Annotated[float, quantity("1", _BUFFER, ge=0)] = 0.0
    max_step_size_factor: Annotated[float, quantity("1", _FACTOR, ge=1)] = 10.0


def step_control(params: StepsNearContact) -> ff.StepControl | None:
    """Step control of `params`; None without a buffer."""
    if params.buffer_radius_factor == 0.0:
        return None
    return ff.StepControl(params.buffer_radius_factor, params.max_step_size_factor)
