"""Whether the body has a size that its units can mean: numbers in millimetres make houses of plates."""

from __future__ import annotations

from floating_frame.model import RunModel
from floating_frame.system.state import State
from floating_frame.verdict import limits
from floating_frame.verdict.verdict import Check, Kept, RunWarning


class UnitsCheck(Check[None]):
    """The body's size at rest, twice its largest distance from the centre of mass."""

    def begin(self, model: RunModel, state: State) -> None:
        return None

    def observe(self, model: RunModel, record: None, kept: Kept) -> None:
        return None

    def judge(self, model: RunModel, record: None) -> list[RunWarning]:
        size = 2.0 * model.radius
        if size == 0.0 or limits.SMALLEST_SIZE <= size <= limits.LARGEST_SIZE:
            return []
        large = size > limits.LARGEST_SIZE
        limit = limits.LARGEST_SIZE if large else limits.SMALLEST_SIZE
        text = f"the body is {size:.3g} m in size, {'more' if large else 'less'} than {limit:g} m: are all lengths in metres?"
        return [RunWarning("units", size, limit, text)]
