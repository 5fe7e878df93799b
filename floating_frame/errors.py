"""What can go wrong in a run, by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from friction.arrays import Array
from friction.errors import Failure
from friction.errors import RigidFrictionError as RigidFrictionError

if TYPE_CHECKING:
    import xarray as xr


ADVICE = {
    "InvertedElement": "a smaller load, a stiffer or neo-Hookean material, or a finer mesh near that element",
    "NotPositiveDefinite": "a smaller dt; the material may have buckled or softened in compression (neo-hookean resists)",
    "FrameUndefined": "frame tisserand",
    **dict.fromkeys(
        ("FactorError", "LinAlgError", "OverflowError", "FloatingPointError"),
        "numbers that are not as large, or as small",
    ),
    "NotFinite": "smaller loads or velocities, or a smaller dt",
    "FoundationError": "a pressure and a coefficient of friction that are >= 0 until the end",
    "Tips": "a smaller friction coefficient, or forces that act nearer to the ground",
    "Lifts": "a weight or a load that presses the base on the ground, or feet, which may lift",
    "EnergyGrowth": "dt = 0, the automatic step, a smaller dt, or an implicit scheme",
}
"""What to try against the failures of a step, by name; against all others ``attempts.default_advice``. See docs/failures.md."""


class Unsolved(Failure):
    """A step could not be solved; a smaller one may be."""


class EnergyGrowth(Unsolved):
    """Explicit steps have produced more energy than a stated share of the largest at play (see ``leapfrog.stability``)."""

    def __init__(self, time: float, produced: float, largest: float, step: float, stable: float) -> None:
        super().__init__(
            f"up to t = {time:.6g} s the explicit steps have produced {produced:.3g} J, {100.0 * produced / largest:.3g} % of the "
            f"largest energy ({largest:.3g} J): at finite strain steps of {step:.3g} s, {step / stable:.3g} of the stable one of "
            "linear vibrations, feed energy into the highest modes"
        )


class FrameUndefined(Unsolved):
    """The frame condition does not determine the frame at this configuration (E = ⟨X, r⟩ → 0)."""


class InvertedElement(Unsolved):
    """An element's deformation gradient has det F ≤ 0. ``cell``: its index, ``jacobian``: the smallest det F."""

    def __init__(self, cell: int, jacobian: float, centre: Array) -> None:
        super().__init__(
            f"element {cell} at X = ({', '.join(f'{c:.4g}' for c in centre)}) m inverted: smallest det F = {jacobian:.3g}"
        )
        self.cell = cell
        self.jacobian = jacobian


class NotConverged(Unsolved):
    """The staggered passes of a stage, or the rigid sweeps in one, did not reach their tolerance."""


class NotFinite(Unsolved):
    """A step ends in energies that are no finite numbers."""


class WentThrough(Unsolved):
    """A point leaves its side of an obstacle within a step."""


class LimitLoad(Unsolved):
    """The load exceeds what friction can carry; ``factor``: the part of it at which the body starts to move as a whole."""

    def __init__(self, time: float, factor: float) -> None:
        super().__init__(
            f"limit load: at t = {time:.6g} the load is {1.0 / factor:.6g} times what friction alone can hold "
            "(it lies outside the body's limit surface), so no equilibrium exists"
        )
        self.factor = factor


class StepFailure(Failure):
    """A time step could not be solved, even after halving. ``time`` s; ``trajectory``: what was computed until then.

    The message names the time, the pass, the residuals and what to try.
    """

    def __init__(self, time: float, reason: str, advice: str) -> None:
        super().__init__(f"the step at t = {time:.9g} s could not be solved: {reason}; try: {advice}")
        self.time = time
        self.reason = reason
        self.advice = advice
        self.trajectory: xr.Dataset | None = None


@contextmanager
def in_pass(number: int, time: float) -> Iterator[None]:
    """Note on a solver's failure the pass, counted from 1, of the stage that ends at ``time`` s in which it happened."""
    try:
        yield
    except RuntimeError as error:
        error.add_note(f"in pass {number} of the stage ending at t = {time:.9g} s")
        raise
