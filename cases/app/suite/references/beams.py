"""A simply supported beam on rough ground under a uniform step of load: decaying half swings (Szefer, case C).

With p and q per length (load and friction), all of the beam moves in one direction in a swing, about the static shape of p ∓ q. The
modes n = 1, 3, 5, ... have the frequencies n²ω₁, odd multiples of ω₁, so all of them are mirrored after the half swing π/ω₁. From
the static shape under the load E_j the beam comes to rest in the static shape under E_{j+1} = 2(p ∓ q) − E_j. It sticks if
|p − E_j| <= q."""

from __future__ import annotations

import math

from cases.app.suite.references import expect
from cases.app.suite.schema import Problem


def loads_of_rest(load: float, friction: float) -> list[float]:
    """Loads E_0 = 0, E_1, ... N/m of the shapes at rest, up to the final one."""
    loads = [0.0]
    while abs(load - loads[-1]) > friction:
        loads.append(2.0 * (load - math.copysign(friction, load - loads[-1])) - loads[-1])
    return loads


def swinging_beam(problem: Problem) -> dict[str, float]:
    """Deflections of the middle at the turns, and at rest; friction's work per length follows from them."""
    p, body = problem.parameters, problem.body
    stiffness = body.young * body.thickness * body.width**3 / 12.0
    line = body.density * body.thickness * body.width
    known = loads_of_rest(p["load"], p["mu"] * line * p["gravity"])
    half = body.length**2 * math.sqrt(line / stiffness) / math.pi
    expect(len(known) == 5, "the beam stays after four half swings")
    expect((len(known) - 1) * half < problem.time.end, "the beam stays before the end")
    assert abs(half - p["half_swing"]) < 1e-12 * half
    shape = 5.0 * body.length**4 / (384.0 * stiffness)
    turns = {f"turn_{k}": shape * known[k] for k in range(1, len(known))}
    return turns | {"rest": shape * known[-1]}
