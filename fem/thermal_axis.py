"""Thermal strain of a beam's axis: uniform over the section, θ(X) = α_T ΔT along the axis.

The stretch that stresses is e − θ, so U = ½ ∫ EA (e − θ)² + EJ |r''|² dX = U₀(u) + ∫ EA (½ θ² − e θ) dX, and the heated
axis adds to the cold one a force along the slope and a stiffness of the slopes:

    f = f₀ + ∫ EA θ r' φ' dX,      K = K₀ − ∫ EA θ φ' φ' dX ⊗ 1₂.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from fem.beam_axis import BeamAxis
from fem.given import as_numbers, check_kind

Array = np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class HeatedAxis:
    """Represent a beam's axis at given thermal strain; build it with ``HeatedAxis.of``. What is not named here is the axis' own.

    Parameters
    ----------
    axis : BeamAxis
        The cold axis.
    points : Array
        EA θ (G, ne), N, at the Gauss points.
    constant : float
        ½ ∫ EA θ² dX, J.
    """

    viscosity: ClassVar[float] = 0.0

    axis: BeamAxis
    points: Array
    constant: float

    @classmethod
    def of(cls, axis: BeamAxis, thermal_strain: Sequence[float] | Array | float) -> Self:
        """Heat an axis.

        Parameters
        ----------
        axis : BeamAxis
            The cold axis.
        thermal_strain : Sequence[float] or Array or float
            θ at its P points (P,), of which places count, or a number; linear between places.

        Raises
        ------
        ValueError
            Where it is not finite, not above −1/2, or of another shape.
        """
        check_kind("axis", axis, BeamAxis, "BeamAxis.build(beam)")
        nodal = as_numbers(thermal_strain, "the thermal strain")
        if nodal.shape not in ((), (len(axis.X),)) or not np.isfinite(nodal).all() or nodal.min() <= -0.5:
            raise ValueError(
                f"the thermal strain of a beam must be finite, > -1/2, a number or of shape ({len(axis.X)},), "
                f"got shape {nodal.shape}"
            )
        ends = np.broadcast_to(nodal, (len(axis.X),))[axis.cells]
        share = 0.5 * (np.polynomial.legendre.leggauss(len(axis.quadrature))[0] + 1.0)
        theta = np.outer(1.0 - share, ends[:, 0]) + np.outer(share, ends[:, 1])
        stiffness = axis.beam.axial_stiffness
        constant = 0.5 * stiffness * float(np.einsum("g,gc->", axis.quadrature, theta**2))
        return cls(axis, stiffness * theta, constant)

    def __getattr__(self, name: str) -> Any:
        if name == "axis":  # not yet set, as in copying
            raise AttributeError(name)
        return getattr(self.axis, name)

    def internal_force(self, u: Array) -> Array:
        """Return −∂U/∂u (P, 2), N, at u (P, 2), m; see ``BeamAxis.internal_force``."""
        axis = self.axis
        slope = axis.slopes_and_stretch(u)[0]
        pushed = np.einsum("g,gc,gci,ga->cai", axis.quadrature, self.points, slope, axis.slope_shapes)
        force = axis.internal_force(u)
        np.add.at(force, axis.nodes, pushed)
        return force

    def tangent(self, u: Array, *, share: float = 1.0, inertia: float = 0.0, out: Array | None = None) -> Array:
        """Return ∂²U/∂u² (nnz,), N/m, or the matrix of a step, see ``Plate.tangent``."""
        axis = self.axis
        S = axis.slope_shapes
        blocks = share * np.einsum("g,gc,ga,gb->cab", axis.quadrature, self.points, S, S)
        data = axis.tangent(u, share=share, inertia=inertia, out=out)
        for i in (0, 1):
            np.subtract.at(data, axis.entries(i, i), blocks)
        return data

    def thermal_energy(self, u: Array) -> float:
        """Return ∫ EA (½ θ² − e θ) dX, J: what heating adds to the strain energy at fixed u (P, 2), m."""
        stretch = self.axis.slopes_and_stretch(u)[1]
        return self.constant - float(np.einsum("g,gc,gc->", self.axis.quadrature, self.points, stretch))

    def strain_energy(self, u: Array) -> float:
        """Return the elastic energy U, J, of e − θ at u (P, 2), m."""
        return self.axis.strain_energy(u) + self.thermal_energy(u)
