"""Checks of bodies in space whose normal forces are unknown: Painlevé's number, whether anything presses, what sinks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.system.model import RunModel
from floating_frame.system.protocol import Way
from floating_frame.system.state import State
from floating_frame.system.stepper import Batch
from floating_frame.verdict import limits
from floating_frame.verdict.verdict import Check, Kept, RunWarning

LOOKS, TOUCHES = 32, 1e-9
"""Places at which a way is looked at; gap, m, up to which its ends touch."""


@dataclass(frozen=True)
class PainleveCheck(Check):
    """The ``least`` W_nn − μ W_nt·n̂ of points that slide and press.

    Where it is not positive the equations in continuous time have no solution, or several; a step still has one, whose force may
    act like an impact without a collision (Painlevé 1895; Génot & Brogliato 1999)."""

    least: float

    @classmethod
    def of(cls, model: RunModel, state: State) -> PainleveCheck:
        return cls(model.system.painleve(state))

    def after(self, model: RunModel, kept: Kept) -> PainleveCheck:
        return PainleveCheck(min(self.least, model.system.painleve(kept.after)))

    def after_batch(self, model: RunModel, batch: Batch) -> PainleveCheck:
        return PainleveCheck(min(self.least, float(batch.on_ground()["painleve"].min())))

    def judge(self, model: RunModel) -> list[RunWarning]:
        if self.least > limits.PAINLEVE:
            return []
        text = (
            f"mu is too large for a pose of the body (Painlevé's number {self.least:.3g} <= 0): its motion need be neither unique "
            "nor continuous, and forces depend on the step: take a smaller mu"
        )
        return [RunWarning("painleve", self.least, limits.PAINLEVE, text)]

    def attributes(self, model: RunModel) -> dict[str, float]:
        return {"painleve_number": self.least} if np.isfinite(self.least) else {}


@dataclass(frozen=True)
class PressesCheck(Check):
    """Whether any point ``has_pressed`` where friction was asked for."""

    has_pressed: bool

    @classmethod
    def of(cls, model: RunModel, state: State) -> PressesCheck:
        system = model.system
        slips, presses_all = np.ones_like(state.sliding), np.full_like(state.multiplier, -1.0)
        pressed = system.friction.redistributed(0.0, state.position, presses_all)
        ground = np.any(pressed.sliding(pressed.for_stage(0.0, None, 0.0), slips, presses_all))
        rubs = bool(ground) or any(effect.rubs for effect in system.effects)
        return cls(not rubs or presses(model, state))

    def after(self, model: RunModel, kept: Kept) -> PressesCheck:
        return self if self.has_pressed else PressesCheck(presses(model, kept.after))

    def after_batch(self, model: RunModel, batch: Batch) -> PressesCheck:
        return PressesCheck(self.has_pressed or bool(batch.on_ground()["presses"].any()))

    def judge(self, model: RunModel) -> list[RunWarning]:
        if self.has_pressed:
            return []
        text = "nothing presses the body on the ground, so that mu does nothing: give it a weight or a load, or mu = 0"
        return [RunWarning("nothing-presses", 0.0, 0.0, text)]


@dataclass(frozen=True)
class DepthCheck(Check):
    """The largest ``depth``, m, at the ends of steps, which warns from a ``limit`` on, over the size of the body."""

    depth: float = 0.0
    limit: ClassVar[float] = limits.SUNK

    @classmethod
    def of(cls, model: RunModel, state: State) -> Self:
        return cls(cls.measured(model, state))

    @classmethod
    def measured(cls, model: RunModel, state: State) -> float:
        """Return the depth, m, at an instant."""
        return 0.0

    def after(self, model: RunModel, kept: Kept) -> DepthCheck:
        return replace(self, depth=max(self.depth, self.measured(model, kept.after)))

    def size(self, model: RunModel) -> float:
        """Return the length, m, from which the depth is judged."""
        return model.radius

    def text(self, share: float) -> str:
        """Return what is wrong, and what to do; ``share`` of the size."""
        return ""

    def judge(self, model: RunModel) -> list[RunWarning]:
        share = self.depth / self.size(model) if self.depth > 0.0 else 0.0
        return [RunWarning("penetration", share, self.limit, self.text(share))] if share > self.limit else []


class SunkCheck(DepthCheck):
    """Of parts of the body that cannot touch the ground, below it: of one that has tipped over."""

    @classmethod
    def measured(cls, model: RunModel, state: State) -> float:
        return model.system.sunk(state)

    def after_batch(self, model: RunModel, batch: Batch) -> SunkCheck:
        return SunkCheck(max(self.depth, float(batch.on_ground()["sunk"].max())))

    def text(self, share: float) -> str:
        return f"a part of the body that cannot touch the ground sinks {self.depth:.3g} m into it: end the run before it falls over"


class PressedInCheck(DepthCheck):
    """Of points within the obstacles of penalty contacts."""

    limit = limits.PENALTY_PENETRATION

    @classmethod
    def measured(cls, model: RunModel, state: State) -> float:
        return model.system.pressed_in(state)

    def size(self, model: RunModel) -> float:
        return min(model.radius, model.extent)

    def text(self, share: float) -> str:
        return f"the contact penetrates by {100.0 * share:.3g} % of the size of the body: take a larger stiffness"


class BetweenCheck(DepthCheck):
    """Of obstacles in faces of a solid between its nodes, which alone touch."""

    limit = limits.EDGE_PENETRATION

    @classmethod
    def measured(cls, model: RunModel, state: State) -> float:
        return model.system.between(state)

    def text(self, share: float) -> str:
        where = "in a face of the body between its nodes, which alone touch"
        return f"an obstacle is up to {self.depth:.3g} m deep {where}: take a finer mesh there"


class PassedCheck(DepthCheck):
    """Within an obstacle, of points on their straight way from one step's end, outside, to the next."""

    def after(self, model: RunModel, kept: Kept) -> PassedCheck:
        depths = [depth_on_way(way) for way in model.system.ways(kept.before, kept.after)]
        return PassedCheck(max([self.depth, *depths]))

    def text(self, share: float) -> str:
        return (
            f"a point of the body passes {self.depth:.3g} m deep through an obstacle within a step: take a smaller dt"
        )


def depth_on_way(way: Way) -> float:
    """Return the deepest penetration, m, on ways that begin and end outside of the obstacle; 0 for none."""

    def gaps(share: float, start: Array, end: Array) -> Array:
        time = way.begin + share * (way.finish - way.begin)
        return way.obstacle.gap(start + share * (end - start), time).gap - way.radius

    first, last = gaps(0.0, way.start, way.end), gaps(1.0, way.start, way.end)
    carried = [way.obstacle.motion.velocity_at(x, t) for x, t in ((way.start, way.begin), (way.end, way.finish))]
    own = (way.finish - way.begin) * np.max(np.linalg.norm(carried, axis=2), axis=0)
    length = np.linalg.norm(way.end - way.start, axis=1) + own
    doubtful = (np.minimum(first, last) > TOUCHES) & (first + last < length)
    if not doubtful.any():
        return 0.0
    looks = np.arange(1, LOOKS) / LOOKS
    return max(0.0, -min(float(gaps(share, way.start[doubtful], way.end[doubtful]).min()) for share in looks))


def presses(model: RunModel, state: State) -> bool:
    """Say whether the ground, or a penalty, pushes any point."""
    return bool(np.any(state.multiplier[:, 2] < 0.0)) or model.system.pressed_in(state) > 0.0
