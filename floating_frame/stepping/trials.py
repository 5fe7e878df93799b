"""Trials of error control by the states of any step function."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from floating_frame.frame.kinematics import Array
from floating_frame.stepping.overrun import with_entries
from floating_frame.system.model import RunModel
from floating_frame.system.state import Counts, State
from floating_frame.system.stepper import Instant, Stepper, Trial


@dataclass(frozen=True)
class StateInstant:
    """A state ``kept`` of a model whose steps ``one`` takes."""

    model: RunModel
    one: Stepper[RunModel]
    kept: State

    @property
    def time(self) -> float:
        """When, s."""
        return self.kept.time

    @property
    def position(self) -> Array:
        """Nodal positions, m."""
        return self.kept.position

    @property
    def velocity(self) -> Array:
        """Nodal velocities, m/s."""
        return self.kept.velocity

    @property
    def sliding(self) -> Array:
        """Slip velocities of the friction points, m/s."""
        return self.kept.sliding

    @property
    def multiplier(self) -> Array:
        """λ of the friction points, N."""
        return self.kept.multiplier

    @property
    def bristles(self) -> Array | None:
        """Those of the friction points, m, if there are any."""
        return self.kept.records[len(self.model.system.effects)].internal

    def tried(self, middle: float, end: float) -> Trial:
        """See ``Instant``; the verdict does not look at the whole step, which is not kept."""
        whole, spent = replace(self, kept=replace(self.kept, verdict=())).stepped(end)
        half, first = self.stepped(middle)
        new, second = half.stepped(end)
        return Trial(whole, half, new, (spent, first, second))

    def stepped(self, end: float) -> tuple[Self, Counts]:
        """See ``Instant``."""
        state, counts = self.one(self.model, self.kept, end - self.kept.time, end)
        return replace(self, kept=state), counts

    def follows(self, earlier: Self) -> Self:
        """See ``Instant``: the points in penalty contacts remember how they came in. Raises StepFailure past an obstacle."""
        return replace(self, kept=with_entries(self.model, self.kept, earlier.kept))

    def state(self) -> State:
        """See ``Instant``."""
        return self.kept


def instant_of(model: RunModel, one: Stepper[RunModel], state: State) -> Instant:
    """Return the instant of a state from which trials start."""
    made = model.integrator.instant
    return StateInstant(model, one, state) if made is None else made(model, state)
