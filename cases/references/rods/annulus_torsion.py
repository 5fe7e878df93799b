"""The exact solution of an annulus between rough planes, turned slowly at its inner rim, and quantities of a trajectory.

With friction tau_f = faces mu p_n against circumferential slip in a < r < c, the torque carried across r obeys
dT/dr = -2 pi r^2 tau_f, so T(r) = (2 pi/3) tau_f (c^3 - r^3), T(c) = 0. The shear stress T/(2 pi r^2 h) = G r d(u/r)/dr turns
circles by d phi/dr = -T/(2 pi G h r^3), whence the rim's angle phi = tau_f/(3 G h) int_a^c (c^3/r^3 - 1) dr = tau_f/(3 G h)
(c^3/(2 a^2) - 3 c/2 + a). Unloading slips against twice the friction (`masing`). At T = (2 pi/3) tau_f (b^3 - a^3) all of it
slips. The traction on the rim is dead, so the exact solution holds for small angles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from cases.app.parts import bodies
from cases.app.parts.histories import QUASI_STATIC, history
from cases.references.rods.masing import Turn, profile, turns

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Annulus:
    """An annulus of radii `inner`, `outer` m, `stiffness` G h N/m, friction traction `friction` tau_f Pa of all faces.

    It gives the virgin curve of `masing`, with the angle of the inner rim for the displacement.
    """

    inner: float
    outer: float
    stiffness: float
    friction: float

    def capacity(self, r: Array) -> Array:
        """Torque that friction can take between the inner rim and r (n,) m, N m."""
        return 2 * np.pi / 3 * self.friction * (r**3 - self.inner**3)

    @property
    def limit(self) -> float:
        """Torque, N m, at which all of it slips."""
        return float(self.capacity(np.array(self.outer)))

    def slip_radius(self, torque: float) -> float:
        """Slip radius c, m, from T(a) = (2 pi/3) tau_f (c^3 - a^3)."""
        return float(np.cbrt(self.inner**3 + 3 * torque / (2 * math.pi * self.friction)))

    def displacement(self, load: float) -> float:
        """Angle phi = tau_f/(3 G h) (c^3/(2 a^2) - 3 c/2 + a), rad."""
        a, c = self.inner, self.slip_radius(load)
        return self.friction / (3 * self.stiffness) * (c**3 / (2 * a**2) - 1.5 * c + a)

    def loss(self, load: float) -> float:
        """Loss T phi - 2 int phi dT, J, the integral with dT = 2 pi tau_f c^2 dc."""
        a, c = self.inner, self.slip_radius(load)
        integral = (c**6 - a**6) / (12 * a**2) - 3 * (c**4 - a**4) / 8 + a * (c**3 - a**3) / 3
        work = 2 * math.pi * self.friction**2 / (3 * self.stiffness) * integral
        return load * self.displacement(load) - 2 * work

    def turns(self, torques: Sequence[float]) -> list[Turn] | None:
        """Exact state at turning points of the torque, N m; None where they reach the limit."""
        return turns(torques, self) if max(map(abs, torques)) < self.limit else None

    def torque(self, turn: Turn, r: Array) -> Array:
        """Torque T(r) that the annulus carries across r (n,) m at a turning point, N m."""
        return profile(turn.memory, self.capacity(r))


class AnnulusParameters(bodies.RoughParameters, Protocol):
    """The parameters used here."""

    scheme: str
    inner_radius: float
    outer_radius: float
    faces: int
    E: float
    nu: float
    elements: str
    nr: int
    torques: tuple[float, ...]


def annulus(params: AnnulusParameters) -> Annulus:
    """Exact annulus of the parameters."""
    stiffness = params.E / (2 * (1 + params.nu)) * params.thickness
    friction = bodies.friction_per_area(params) * params.faces
    return Annulus(params.inner_radius, params.outer_radius, stiffness, friction)


def torque_at(params: AnnulusParameters, times: Array) -> Array:
    """Torque on the inner rim at `times` (n,) s, after a step at t = 0."""
    if params.scheme != QUASI_STATIC:
        return np.full(len(times), params.torques[0])
    given = history(params.torques)
    return np.array([given.value(time) for time in times])


def rim_angle(params: AnnulusParameters, data: xr.Dataset) -> Array:
    """Mean angle by which the nodes of the inner rim have turned, (times,) rad."""
    X = data.X.values
    rim = np.hypot(*X.T) < params.inner_radius * (1 + 1e-9)
    x, y = np.moveaxis(data.position.values[:, rim], 2, 0)
    result: Array = np.arctan2(X[rim, 0] * y - X[rim, 1] * x, X[rim, 0] * x + X[rim, 1] * y).mean(axis=1)
    return result


def carried_torque(params: AnnulusParameters, data: xr.Dataset, instant: int) -> tuple[Array, Array]:
    """Radii between the rings of nodes, (rings,) m, and the torque carried across them without inertia, N m."""
    X = data.X.values
    f = data.friction_force.values[instant]
    rings = params.nr * (2 if params.elements in ("P2", "Q2") else 1)
    width = (params.outer_radius - params.inner_radius) / rings
    ring = np.round((np.hypot(*X.T) - params.inner_radius) / width).astype(int).clip(0, rings)
    taken = np.bincount(ring, X[:, 0] * f[:, 1] - X[:, 1] * f[:, 0], rings + 1)
    edges = np.asarray(params.inner_radius + (np.arange(rings) + 0.5) * width, float)
    return edges, torque_at(params, data.time.values[[instant]])[0] + np.cumsum(taken)[:-1]


def slip_radius(params: AnnulusParameters, data: xr.Dataset, instant: int) -> float:
    """Radius of the outermost node that has slipped so far, m."""
    path = data.slip_path.values[instant]
    slipped = path > 1e-9 * path.max(initial=0.0)
    return float(np.hypot(*data.X.values[slipped].T).max(initial=params.inner_radius))
