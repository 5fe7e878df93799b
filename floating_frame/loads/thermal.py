"""Thermal strain in time: the heated body at an instant, and the work of heating.

The stored energy U(u, θ) also changes with θ(X, t) = α_T ΔT at fixed u, with the power of the eigenstress ∫ ∂W/∂θ θ' dV.
Over a step the ledger counts the mean of both orders of the changes,

    W_heat = ½ [U(u₀, θ₁) − U(u₀, θ₀)] + ½ [U(u₁, θ₁) − U(u₁, θ₀)],

exact for proportional changes of u and θ and of second order otherwise, and adds it to the external work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fem import BeamAxis, Heated, Plate, heated_axis, heated_plate
from fem.thermal import check_material
from floating_frame.frame.kinematics import Array

ThermalStrain = Callable[[Array, float], Array | float]
"""θ(X, t), dimensionless: reference X (N, 2) m and time s to (N,) or a number, or to (N, 2) along x and y. Continuous in time."""

_CACHE_SIZE = 4


@dataclass(frozen=True)
class Heating:
    """A plate or a beam's axis under a thermal strain history. ``_heated``: the last few heated bodies by time, a cache."""

    body: Plate | BeamAxis
    strain: ThermalStrain
    _heated: dict[float, Heated] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.body, Plate):
            check_material(self.body.material)

    def at(self, time: float) -> Heated:
        """Heated body at ``time`` s. Raises ValueError for unfit strains."""
        if time not in self._heated:
            if len(self._heated) >= _CACHE_SIZE:
                del self._heated[next(iter(self._heated))]
            strain = self.strain(self.body.X, time)
            body = self.body
            self._heated[time] = heated_plate(body, strain) if isinstance(body, Plate) else heated_axis(body, strain)
        return self._heated[time]

    def work(self, start: float, end: float, before: Array, after: Array) -> float:
        """W_heat of a step, J, from the displacements u (N, 2) m ``before`` at time ``start`` and ``after`` at ``end``."""
        cold, hot = self.at(start), self.at(end)
        return 0.5 * sum(hot.thermal_energy(u) - cold.thermal_energy(u) for u in (before, after))
