"""Step control near contact: smaller steps before a body touches an obstacle, by the two parameters of the contact definition of
RecurDyn (Figure 6.290): the step is divided by ``max_step_size_factor`` where the model's ``clearance`` is below
``buffer_radius_factor`` × the body's radius, the largest |X| of its nodes. A step that starts outside the buffer and ends inside it
is repeated with the reduced size; a jump over the whole buffer is not noticed. Every dt is cut into equal parts, so results are
stored at the same instants; error-controlled steps are limited to such a part of the interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floating_frame.input_checks import require
from friction.given import Given


@dataclass(frozen=True)
class StepControl(Given):
    """``buffer_radius_factor`` ≥ 0: distance of reduced steps over the body's radius; ``max_step_size_factor`` ≥ 1: their
    reduction. Raises ValueError for factors out of these bounds."""

    buffer_radius_factor: float
    max_step_size_factor: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        buffer, most = self.buffer_radius_factor, self.max_step_size_factor
        require(np.isfinite(buffer) and buffer >= 0.0, "the buffer radius factor", "be finite and >= 0", buffer)
        require(np.isfinite(most) and most >= 1.0, "the maximum step size factor", "be finite and >= 1", most)
