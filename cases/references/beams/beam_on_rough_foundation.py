"""The self-similar solution (``self_similar``) for the case's beam, and the same quantities of a trajectory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cases.app.parts.beams import bending_stiffness, friction_per_length
from cases.references.beams.self_similar import Array, SelfSimilar, solve

if TYPE_CHECKING:
    import xarray as xr

    from cases.app.parts.strip import StripParameters


def known(params: StripParameters, force: float) -> SelfSimilar | None:
    """Self-similar solution of a first leg to `force` N; None where it does not hold.

    It needs friction, a force, and a beam that reaches beyond the zones.
    """
    q = friction_per_length(params)
    if not q > 0 or force == 0:
        return None
    exact = solve(single_step=params.steps == 1)
    return exact if exact.reach * abs(force) / q <= params.length else None


def scales(params: StripParameters, force: float) -> tuple[float, float, float]:
    """P/q m of length, P^4/(EJ q^3) m of deflection, P^5/(EJ q^3) J of work (with P's sign: even)."""
    q, EJ = friction_per_length(params), bending_stiffness(params)
    P = abs(force)
    return P / q, np.copysign(P**4 / (EJ * q**3), force), P**5 / (EJ * q**3)


def first_leg(params: StripParameters, force: float) -> tuple[float, float, float] | tuple[None, None, None]:
    """Deflection, m, and rotation, rad, of the end and friction work, J, of a first leg to `force` N; None: not known."""
    exact = known(params, force)
    if exact is None:
        return None, None, None
    length, deflection, work = scales(params, force)
    lost = exact.friction_work(single_step=params.steps == 1) * work
    return exact.deflection * deflection, exact.slope * deflection / length, lost


def profile(params: StripParameters, force: float, x: Array) -> Array | None:
    """Deflection (n,) m at `x` (n,) m from the pushed end after a first leg to `force` N; None where it is not known."""
    exact = known(params, force)
    if exact is None:
        return None
    length, deflection, _ = scales(params, force)
    return np.asarray(deflection * exact.profile(x / length))


def zone_ends(params: StripParameters, force: float) -> Array | None:
    """Ends (n,) m of the slip zones after a first leg to `force` N, without the last, invisible ones; None: not known."""
    exact = known(params, force)
    return None if exact is None else exact.ends[exact.ends < exact.reach * (1 - 1e-3)] * scales(params, force)[0]


def later_zones(params: StripParameters, force: float, x: Array) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ranges of position, m, and deflection, m, for a picture of the zones after the first one; `x` (n,) m."""
    exact, w = known(params, force), profile(params, force, x)
    assert exact is not None
    assert w is not None
    unit = scales(params, force)[0]
    largest = float(np.abs(w[x > exact.ends[0] * unit]).max())
    return (0.85 * exact.ends[0] * unit, 1.02 * exact.reach * unit), (-1.5 * largest, 0.6 * largest)


def curve(params: StripParameters, force: float) -> tuple[Array, Array] | None:
    """Deflections (n,) m of the end and forces (n,) N along a first leg to `force` N; None where they are not known."""
    exact = known(params, force)
    if exact is None:
        return None
    push = force * np.linspace(0.0, 1.0, 100)[1:]
    return exact.deflection * np.array([scales(params, P)[1] for P in push]), push


def forces_at(params: StripParameters, data: xr.Dataset) -> Array:
    """Force on the pushed end at the stored times, (times,) N."""
    return np.asarray(np.interp(data.time.values, np.arange(len(params.forces) + 1.0), [0.0, *params.forces]))


def zones(params: StripParameters, data: xr.Dataset, instant: int) -> Array:
    """Ends (n,) m of the slip zones at a stored instant, from the left end.

    A zone ends where the rate of deflection changes its sign between neighbouring nodes that slide (interpolated), or in
    the middle of a sticking region between nodes that slide in opposite directions.
    """
    x = data.X.values[:, 0] + params.length / 2
    rate = data.velocity.values[instant, :, 1]
    sliding = np.flatnonzero(rate != 0)
    left, right = sliding[:-1], sliding[1:]
    turned = rate[left] * rate[right] < 0
    left, right = left[turned], right[turned]
    share = np.where(right == left + 1, rate[left] / (rate[left] - rate[right]), 0.5)
    result: Array = x[left] + share * (x[right] - x[left])
    return result


def loop_area(params: StripParameters, data: xr.Dataset, deflection: Array, cycle: slice) -> tuple[float, str]:
    """Area, J, of the loop of force and `deflection` (times,) m in a `cycle` less the change of the strain energy, and its name."""
    force, w, stored = forces_at(params, data)[cycle], deflection[cycle], data.energy_strain.values[cycle]
    loop = float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(w)))
    text = "area of the force-deflection loop less the change of the strain energy"
    return loop - float(stored[-1] - stored[0]), text
