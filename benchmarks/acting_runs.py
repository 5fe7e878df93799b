"""The block on the table with effects: the cost that a spring, a wall or a reacting pressure adds to its step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from units import Row, least

import floating_frame as ff
import friction
from cases import block_on_table

STEPS, DT = 4000, 1e-3
SIDE = 0.5 * block_on_table.LENGTH
LEANS = 4.0
"""Force, N, by which the block leans on a wall."""
PLAIN = {"sdirk2": "the plain step", "backward-euler": "the plain step, backward-euler"}
"""Runs by scheme over which the others of ``ACTING`` are set."""


def _wall(place: float, **normal: Any) -> tuple[ff.Contact, ...]:
    return (ff.Contact(ff.Line((place, 0.0), (-1.0, 0.0)), edge="right", mu=0.2, **normal),)


SOFT = {"normal": friction.NormalForce(1e4, 10.0), "law": friction.Smooth(1e-3)}
PUSH: Mapping[str, Any] = {"loads": (ff.EdgeLoad("left", (LEANS, 0.0)),)}
ACTING: dict[str, tuple[str, Mapping[str, Any]]] = {
    "the plain step": ("sdirk2", {}),
    "a spring": ("sdirk2", {"effects": (ff.Spring("right", stiffness=10.0, damping=0.1),)}),
    "a penalty wall, out of reach": ("sdirk2", {"contacts": _wall(SIDE + 9.0, **SOFT)}),
    "a penalty wall, leant on": ("sdirk2", {"contacts": _wall(SIDE, **SOFT), **PUSH}),
    "a pressure that reacts": ("sdirk2", {"reacting": True}),
    "the plain step, backward-euler": ("backward-euler", {}),
    "a stop, out of reach": ("backward-euler", {"contacts": _wall(SIDE + 9.0)}),
    "a stop, leant on": ("backward-euler", {"contacts": _wall(SIDE), **PUSH}),
}


def model(name: str) -> ff.Model:
    """Rigid block, 48 points, a hundredth of its steps stored, with one of ``ACTING``."""
    scheme, given = ACTING[name]
    params = block_on_table.Parameters(
        body="rigid", nx=4, ny=3, dt=DT, scheme=scheme, t_end=STEPS * DT, output_every=100
    )
    problem, more = block_on_table.problem(params), dict(given)
    if more.pop("reacting", False):
        pressure = friction.Reacting(height=0.5 * block_on_table.HEIGHT, pressure=problem.foundation.pressure)
        more["foundation"] = replace(problem.foundation, pressure=pressure)
    return ff.assemble(replace(problem, **more), block_on_table.options(params))


def acting_rows() -> Iterator[Row]:
    """Yield the block with an effect, over its plain step by the same scheme."""
    costs = {name: 1e6 * least(partial(ff.simulate, model(name))) / STEPS for name in ACTING}
    for name, cost in costs.items():
        plain = PLAIN[ACTING[name][0]]
        if name != plain:
            yield Row(name=f"block, {name}: a step", cost=cost, unit="µs", floor=costs[plain], floor_is=plain)
