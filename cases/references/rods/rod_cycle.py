"""The exact rod on rough ground under a slow end force, or heated and cooled, and quantities of a trajectory.

With the friction q per length, the force P on the left end is taken up over the slip length P/q, N(x) = -(P - q x), so
u(x) = q (P/q - x)^2/(2 EA) and u0 = P^2/(2 EA q). On a reversal by D friction turns round over D/(2 q), u = u_rev -+ D^2/(4 EA q),
and a cycle loses D^3/(12 EA q) (Masing; `masing`).

Heat: a thermal strain e of the stuck rod is a force EA e that lets go at both free ends: slip length EA e/q, end displacement
EA e^2/(2 q) outwards, and half of it left after cooling, as for the force P = EA e, as long as the slip length stays below L/2.
The carried force is N = p(x) - EA e with p the profile of that P. A plate that is heated along its length only, with nu = 0, is a
rod. Where its width expands too, it rubs, and turns friction away from the axis: at width/length = 0.02 and a slip length of 0.4
the hot displacement is 0.2 to 0.6 % larger and what is left after cooling 11 to 15 % (ny = 2, 1), falling with about width^1.5
and width^0.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from cases.app.parts import bodies
from cases.app.parts.body_mesh import column_means, displacements, section_means
from cases.references.rods.masing import Turn, profile, turns

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rod:
    """A rod of `stiffness` EA N, `friction` q N/m and `length` m, pushed at its left end, or `heated` with free ends.

    It is the virgin curve of `masing`: for one slipping end, of which a heated rod has two.
    """

    stiffness: float
    friction: float
    length: float
    heated: bool = False

    def displacement(self, load: float) -> float:
        """Displacement P^2/(2 EA q), m."""
        return load**2 / (2 * self.stiffness * self.friction)

    def loss(self, load: float) -> float:
        """Loss P^3/(6 EA q), J."""
        return load**3 / (6 * self.stiffness * self.friction)

    @property
    def limit(self) -> float:
        """Load, N, below which the slip zone stays within the rod, or within its half: by symmetry the middle of a
        heated rod stands still.
        """
        return self.friction * self.length * (0.5 if self.heated else 1.0)

    def turns(self, points: Sequence[float]) -> list[Turn] | None:
        """Exact state at turning points of the force, N, or of the thermal strain e, which acts as EA e.

        None where they go beyond the `limit`.
        """
        loads = [self.stiffness * point for point in points] if self.heated else list(points)
        return turns(loads, self) if max(map(abs, loads)) < self.limit else None

    def axial_force(self, turn: Turn, x: Array) -> Array:
        """Axial force N(x), N, at a turning point; x (n,) m from the left end."""
        if not self.heated:
            return -profile(turn.memory, self.friction * x)
        return profile(turn.memory, self.friction * np.minimum(x, self.length - x)) - turn.load


class RodParameters(bodies.RoughParameters, Protocol):
    """The parameters of a rod of cells that are read here."""

    length: float
    width: float
    E: float
    nx: int
    thermal_strains: tuple[float, ...]


def rod(params: RodParameters) -> Rod:
    """Exact rod of the parameters."""
    stiffness, q = params.E * params.width * params.thickness, bodies.friction_per_area(params) * params.width
    return Rod(stiffness, q, params.length, heated=bool(params.thermal_strains))


def end_displacement(params: RodParameters, data: xr.Dataset) -> Array:
    """Mean displacement of the left end, (times,) m: along x under forces, outwards under heat."""
    end = section_means(data, displacements(data), params.length)[1][:, 0]
    return -end if params.thermal_strains else end


def axial_force(params: RodParameters, data: xr.Dataset, instant: int) -> tuple[Array, Array]:
    """Middles x of the columns of cells, from the left end, (nx,) m, and the axial force there, (nx,) N."""
    x, stress = column_means(data, data.stress.values[instant, :, 0], params.length, params.nx)
    return x, stress * params.width * params.thickness


def slip_length(params: RodParameters, data: xr.Dataset, instant: int) -> float:
    """Length over which the rod has slipped from its left end, m: up to the farthest node of its half, or of the rod."""
    x = data.X.values[:, 0] + params.length / 2
    slipped = data.slip_path.values[instant] > 1e-9 * data.slip_path.values[instant].max(initial=0.0)
    within = x <= params.length / (2 if params.thermal_strains else 1) + 1e-9
    return float(x[slipped & within].max(initial=0.0))
