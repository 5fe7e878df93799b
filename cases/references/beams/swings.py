"""Half swings of a simply supported beam under a step load, exact and of a trajectory.

With a uniform step load p on the beam and the uniform friction q < p all points start together, and the modes n = 1, 3, 5, ...
with frequencies n^2 omega_1 come to rest together after each half swing pi/omega_1, since n^2 is odd. The beam then has the static
shape of a uniform load E_j, where E_0 = 0, and E_{j+1} = 2 (p -+ q) - E_j (friction against the swing): every mode is mirrored at
its equilibrium under p -+ q. There the driving force is p - E_j everywhere, so it sticks when `|p - E_j| <= q`. (A
sine load over uniform friction moves the middle first and has no such solution.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from cases.app.parts import laws
from cases.app.parts.beams import RoughBeam, bending_stiffness, friction_per_length

if TYPE_CHECKING:
    import xarray as xr


class LoadedBeam(RoughBeam, laws.LawParameters, Protocol):
    """The parameters of a beam on rough ground and of the load across it."""

    load: float
    profile: str
    history: str
    motion: str
    support: str


def swings(params: LoadedBeam) -> list[float] | None:
    """Loads E_0, E_1, ... up to the arrest, N/m, or None where the closed form does not hold.

    It needs motion fixed between simple supports, a uniform step load, Coulomb's law. Without friction the swings never end: the
    first 1000 are returned.
    """
    if (params.motion, params.support, params.profile, params.history) != (
        "fixed",
        "simply-supported",
        "uniform",
        "step",
    ):
        return None
    if not laws.plain_coulomb(params):
        return None
    p, q = params.load, friction_per_length(params)
    loads = [0.0]
    while abs(p - loads[-1]) > q and len(loads) < 1000:
        loads.append(2.0 * (p - np.copysign(q, p - loads[-1])) - loads[-1])
    return loads


def half_swing(params: LoadedBeam) -> float:
    """Time of half a swing, L^2 sqrt(rho A/EJ)/pi, s."""
    line_density = params.density * params.thickness * params.width
    return params.length**2 * float(np.sqrt(line_density / bending_stiffness(params))) / np.pi


def equivalent_load(params: LoadedBeam, deflection: NDArray[np.float64]) -> NDArray[np.float64]:
    """Uniform load E, N/m, under which a simply supported beam has this static deflection at its middle, m."""
    return deflection * 384.0 * bending_stiffness(params) / (5.0 * params.length**4)


def middle(data: xr.Dataset, name: str = "displacement") -> NDArray[np.float64]:
    """Component y of the variable `name` at X = 0 (times,), the mean of two nodes if the middle is between them; m, m/s."""
    distance = np.abs(data.X.values[:, 0])
    nearest = distance < distance.min() + 1e-9 * distance.max()
    result: NDArray[np.float64] = data[name].values[:, nearest, 1].mean(axis=1)
    return result


def turning_points(data: xr.Dataset) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times and deflections of the middle where it turns or stops, (n,) s and m.

    Extrapolated from the last two instants before, since friction makes the acceleration jump there.
    """
    t, w, v = data.time.values, middle(data), middle(data, "velocity")
    last = np.flatnonzero((v[1:-1] != 0) & (v[1:-1] * v[2:] <= 0)) + 1
    slope = (v[last] - v[last - 1]) / (t[last] - t[last - 1])
    slowing = slope * v[last] < 0
    last, slope = last[slowing], slope[slowing]
    wait = np.minimum(-v[last] / slope, t[last + 1] - t[last])
    return t[last] + wait, w[last] + 0.5 * v[last] * wait


def arrest(data: xr.Dataset) -> float | None:
    """First stored time from which on everything is at rest (kinetic energy below 1e-9 of its largest), s."""
    kinetic = data.energy_kinetic.values
    moving = np.flatnonzero(kinetic > 1e-9 * kinetic.max(initial=0.0))
    if not moving.size or moving[-1] + 1 == len(kinetic):
        return None
    return float(data.time.values[moving[-1] + 1])
