"""The clamped frame in space: u = 0 on a face, the frame moves with the clamp, which does not turn (Szefer, case B, in space)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class SpaceClamped:
    """u = 0 on the named ``face``; ``free``: along which of the body's axes "x", "y", "z" the clamp may move, without a rotation.
    Raises ValueError for other names."""

    face: str
    free: tuple[str, ...] = ()
    name: str = "clamped"

    def __post_init__(self) -> None:
        if not isinstance(self.free, (tuple, list)):
            raise ValueError(f'the axes along which a clamp is free must be a tuple such as ("x",), got {self.free!r}')
        for what in self.free:
            if what not in AXES:
                raise ValueError(
                    f"a clamp in space is fixed or free along x, y, z, and does not turn; got {what!r} (a hinge is not offered)"
                )

    @property
    def free_mask(self) -> NDArray[np.bool_]:
        """(3,) true where the clamp is free."""
        return np.array([axis in self.free for axis in AXES])
