"""Bodies that slip in from one end under a load history: Masing's rules, which the rod and the annulus share.

A load s >= 0 on the end of a virgin body is taken up by friction along the body: at x it still carries
max(s - m(x), 0), with m(x) what friction can take between the end and x. On a reversal by D, friction turns round wherever
it slips, as if it were doubled and the load came on anew: with the virgin curve u = g(s), G(s) its integral over the load,

    u = u_rev -+ 2 g(D/2),   carried force = the old one -+ max(D - 2 m(x), 0),
    loss on the virgin curve: d(s) = s g(s) - 2 G(s),   on a branch: 2 d(D/2),   in a closed loop: 4 d(D/2),

the loop's from its area, D 2 g(D/2) - 8 G(D/2). A branch that comes back to the load at which the one before it began
closes a loop and is forgotten; the motion goes on along the older branch (Masing 1926; for the rod: g = s^2/(2 EA q)).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Backbone(Protocol):
    """The virgin curve of a body."""

    def displacement(self, load: float) -> float:
        """Displacement g(s) at a load s >= 0."""

    def loss(self, load: float) -> float:
        """Loss d(s), J, at a load s >= 0."""


@dataclass(frozen=True)
class Turn:
    """The exact state at a turning point: `load`, `displacement` of the end, `loss` J of the leg that ends there, and the
    loads `memory` at which the branches in force began, the present one last.
    """

    load: float
    displacement: float
    loss: float
    memory: tuple[float, ...]


def turns(history: Sequence[float], backbone: Backbone) -> list[Turn]:
    """Exact state at each turning point of a load history that starts from a virgin body at rest."""
    memory: list[float] = []
    states: list[Turn] = []
    for load in history:
        loss = _advance(memory, load, backbone)
        states.append(Turn(load, _displacement(memory, backbone), loss, tuple(memory)))
    return states


def path(
    points: Sequence[float], state: Callable[[Sequence[float]], list[Turn] | None], until: float
) -> tuple[Array, Array] | None:
    """Displacements and loads (n,) along the history of turning `points`, one a unit of time, up to `until`.

    `state` gives the exact turning points of a history; where it gives None there is no curve.
    """
    times = np.linspace(0, until, 60 * len(points) + 1)
    loads = np.interp(times, np.arange(len(points) + 1), [0.0, *points])
    states = [state([*points[: int(time)], load]) for time, load in zip(times, loads, strict=True)]
    displacements = [turns[-1].displacement for turns in states if turns is not None]
    return (np.array(displacements), loads) if len(displacements) == len(loads) else None


def profile(memory: Sequence[float], capacity: Array) -> Array:
    """Force that the body carries where friction can take `capacity` m(x) from the end to there."""
    carried = np.zeros_like(capacity)
    for number, step in enumerate(np.diff([0.0, *memory])):
        carried += np.sign(step) * np.maximum(abs(step) - (1 if number == 0 else 2) * capacity, 0.0)
    return carried


def _displacement(memory: Sequence[float], backbone: Backbone) -> float:
    total = 0.0
    for number, step in enumerate(np.diff([0.0, *memory])):
        size = backbone.displacement(abs(step)) if number == 0 else 2 * backbone.displacement(abs(step) / 2)
        total += float(np.sign(step)) * size
    return total


def _advance(memory: list[float], load: float, backbone: Backbone) -> float:
    """Follow the branches to `load` and drop loops that close; return the loss."""
    loss = 0.0
    here = memory[-1] if memory else 0.0
    if load == here:
        return 0.0
    if memory and (load - here) * (here - (memory[-2] if len(memory) > 1 else 0.0)) > 0:
        memory.pop()  # onwards on the branch in force
    while True:
        if not memory:  # the virgin curve
            loss += backbone.loss(abs(load)) - backbone.loss(abs(here))
            break
        start = memory[-1]
        closing = memory[-2] if len(memory) > 1 else -start  # the first branch joins the virgin curve on the other side
        if abs(load - start) < abs(closing - start):
            loss += 2 * (backbone.loss(abs(load - start) / 2) - backbone.loss(abs(here - start) / 2))
            break
        loss += 2 * (backbone.loss(abs(closing - start) / 2) - backbone.loss(abs(here - start) / 2))
        here = closing
        del memory[-2:]
    memory.append(load)
    return loss
