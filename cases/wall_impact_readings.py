"""What is read off a stored impact: penetration, contact force, and when the first contact begins and ends."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from cases.wall_shapes import Place, obstacle


class Edge(Place, Protocol):
    """The obstacle's parameters, the ``edge`` that may touch it, and the normal law's name ``contact``."""

    edge: str
    contact: str


def penetration(params: Edge, data: xr.Dataset) -> NDArray[np.float64]:
    """Return the deepest penetration of the plate's edge at the stored times, (times,) m; negative where it is apart."""
    X = data.X.values
    where = X[:, 0] >= X[:, 0].max() - 1e-9 * params.length if params.edge == "right" else np.ones(len(X), dtype=bool)
    wall = obstacle(params)
    places = data.position.values[:, where]
    return np.array([-wall.gap(x, float(t)).gap.min() for x, t in zip(places, data.time.values, strict=True)])


def pressed(params: Edge, data: xr.Dataset) -> NDArray[np.float64]:
    """Return |F_C| at the stored times, (times,) N."""
    return np.hypot(*data.contact_force.values.T)


def contact_interval(params: Edge, data: xr.Dataset) -> tuple[float, float] | None:
    """Return beginning and end of the first contact, s; None without a whole one. An exact one, the whole steps of all contact.

    The penetration grows linearly at first, and the force falls so at last: both are continued to zero."""
    times, force, depth = data.time.values, pressed(params, data), penetration(params, data)
    (touching,) = np.nonzero(force > 0)
    if not touching.size or touching[0] == 0:
        return None
    first = touching[0]
    if params.contact == "signorini":
        return float(times[first - 1]), float(times[touching[-1]])
    free = np.flatnonzero(force[first:] == 0)
    last = first + (free[0] if free.size else 0) - 1
    if last <= first:
        return None
    start = np.interp(0.0, depth[first - 1 : first + 1], times[first - 1 : first + 1])
    fall = force[last - 1] - force[last]
    left = force[last] * (times[last] - times[last - 1]) / fall if fall > 0 else 0.0
    return float(start), float(min(times[last] + left, times[last + 1]))
