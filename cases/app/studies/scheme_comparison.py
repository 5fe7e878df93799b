"""The block of Potra et al. under several schemes and steps: errors against the closed form, observed orders, effort, in one table.

Reference: F. A. Potra, M. Anitescu, B. Gavrea, J. Trinkle, Int. J. Numer. Meth. Engng 66 (2006) 1079-1124.

Analysis: the rigid block of `block_on_table`, once per scheme and step.

Purpose: cost of each scheme's accuracy on the problem of the paper, with the paper's linearly implicit trapezoidal method.

Summary: errors of single runs scatter, as stick and slip begin anywhere within a step. The order is therefore also fitted
through all steps. The linearly implicit trapezoidal method equals Moreau's theta = 1/2 here to rounding, because
the load does not depend on the block's position; it solves friction once a step.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cases import block_on_table
from floating_frame import assemble, simulate

COMPARED = ("sdirk2", "moreau-theta", "linearly-implicit-trapezoidal", "backward-euler")
STEPS = tuple(0.1 / 2**k for k in range(7))
"""s; from 100 to 6400 steps."""


@dataclass(frozen=True)
class Row:
    """One run. `dt` s; `error` of x(10), m; `max_error` of x at all steps, m; `order`: observed between this step and the last
    longer one, from the largest errors, nan for the longest; `steps`; `solves` of friction; `seconds` of wall time.
    """

    scheme: str
    dt: float
    error: float
    max_error: float
    order: float
    steps: int
    solves: int
    seconds: float


def compare(schemes: Sequence[str] = COMPARED, steps: Sequence[float] = STEPS) -> list[Row]:
    """Run the block with each of `schemes` and `steps` (s, from long to short) and return one row for each.

    Raises floating_frame.StepFailure where a run fails.
    """
    rows: list[Row] = []
    for scheme in schemes:
        longer: Row | None = None
        for dt in steps:
            row = _run(scheme, dt, longer)
            rows.append(row)
            longer = row
    return rows


def _run(scheme: str, dt: float, longer: Row | None) -> Row:
    params = block_on_table.Parameters(scheme=scheme, dt=dt, nx=1, ny=1)
    model = assemble(block_on_table.problem(params), block_on_table.options(params))
    start = time.perf_counter()
    data = simulate(model)
    seconds = time.perf_counter() - start
    x = data.frame_position.values[:, 0]
    gaps = np.abs(x - block_on_table.exact(params, data.time.values)[0])
    worst = float(gaps.max())
    order = math.nan if longer is None else math.log(longer.max_error / worst) / math.log(longer.dt / dt)
    return Row(scheme, dt, float(gaps[-1]), worst, order, int(data.steps.sum()), int(data.passes.sum()), seconds)


def fitted_order(rows: Sequence[Row], scheme: str, *, at_end: bool = False) -> float:
    """Slope of log error over log dt through all rows of `scheme`, of the largest errors or of the errors of x(10)."""
    own = [row for row in rows if row.scheme == scheme]
    errors = [row.error if at_end else row.max_error for row in own]
    return float(np.polyfit(np.log([row.dt for row in own]), np.log(errors), 1)[0])


def table(rows: Sequence[Row]) -> str:
    """Rows as text, one line each, with the fitted order below each scheme."""
    lines = [
        "scheme                          dt [s]    error x(10) [m]  max error [m]  order   steps  solves  time [s]"
    ]
    for scheme in dict.fromkeys(row.scheme for row in rows):
        for row in (row for row in rows if row.scheme == scheme):
            order = "    -" if math.isnan(row.order) else f"{row.order:5.2f}"
            lines.append(
                f"{row.scheme:30}  {row.dt:8.3g}  {row.error:15.2e}  {row.max_error:13.2e}  {order}  {row.steps:6d}  "
                f"{row.solves:6d}  {row.seconds:8.2f}"
            )
        if sum(row.scheme == scheme for row in rows) > 1:
            ends, largest = fitted_order(rows, scheme, at_end=True), fitted_order(rows, scheme)
            lines.append(f"{scheme:30}  slope of x(10) {ends:.2f}, of max {largest:.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(compare()))
