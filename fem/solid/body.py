"""Elastic solids on a scikit-fem mesh of tetrahedra or hexahedra: mass, internal force, tangent, energy, named faces.

Total Lagrangian: all integrals are over the reference shape, P = F S(E) (Szefer (2.3)3 corrected).

Kelvin–Voigt viscosity is objective and dissipative. With the retardation time t, s, and the elasticity C of the
material at rest,

    S = S(E) + t C : Ė,    Ė = sym(Fᵀ Ḟ),    dissipated power t ∫ Ė : C : Ė dV >= 0.

A rigid motion has Ė = 0, so Ḟ may follow from the velocities in space or in the frame. The amplitudes ĝ = R̄ᵀg of a hexahedron's
hourglass modes, whose energy is ½ ĝ·K̂ĝ (fem/elements/hourglass.py), have the rate R̄ᵀ(ġ − W̄g), W̄ the spin of the mean Ḟ F⁻¹, and
the viscous force t K̂ times this rate; the contribution of W̄ makes the moment of the forces zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
from scipy.sparse.csgraph import connected_components
from skfem import Mesh

from fem.elastic import Elastic
from fem.elements.hourglass import Hourglass
from fem.elements.outline import check_mesh
from fem.input_checks import check_positive, is_number, shown
from fem.materials import Material, material_of


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Solid(Elastic):
    """Elastic solid, made by ``Solid.build``; see ``Elastic`` for the other parameters.

    Parameters
    ----------
    viscosity : float
        Retardation time of Kelvin and Voigt, s; 0: none.
    outline : ndarray
        Corners (T, 3) of triangles that cover the boundary; faces with four corners are covered twice.
    """

    viscosity: float = 0.0
    outline: np.ndarray

    @classmethod
    def build(
        cls,
        mesh: Mesh,
        *,
        density: float,
        material: Material | tuple[Any, ...],
        element: str = "Q1",
        viscosity: float = 0.0,
    ) -> Self:
        """Build a solid from a mesh of tetrahedra (P1, P2) or hexahedra (Q1).

        Parameters
        ----------
        mesh : Mesh
            Mesh of scikit-fem, m.
        density : float
            Density, kg/m³, finite and > 0.
        material : Material or tuple
            One of ``MATERIALS``, whose plane does not count, or the named tuple of a registered law (``register_material``).
        element : str
            Name in ``SOLID_ELEMENTS``.
        viscosity : float
            Retardation time, s, >= 0; see ``viscous_force``.

        Raises
        ------
        ValueError
            For bad numbers, an incompressible material, cells of another kind, without volume, or unconnected.
        """
        check_positive("", density=density)
        if not (is_number(viscosity) and viscosity >= 0.0):
            raise ValueError(f"viscosity must be a finite time >= 0 s, got {shown(viscosity)}")
        law = material_of(material, 3)
        mesh = check_mesh(mesh, element, 3)
        body = cls.on_mesh(
            mesh,
            element,
            law,
            density,
            viscosity=float(viscosity),
            cells=np.ascontiguousarray(mesh.t.T, dtype=np.int32),
            outline=_all_triangles(mesh.facets[:, mesh.boundary_facets()].T),
        )
        parts, _ = connected_components(body.mass_matrix, directed=False)
        if parts > 1:
            raise ValueError(f"the mesh is in {parts} unconnected parts; nodes may lie on each other")
        return body

    def viscous_force(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Viscous force on the nodes (N, 3), N, at u (N, 3), m, and velocities v (N, 3), m/s, in the same axes; its power with v is
        minus the dissipation."""
        if not self.viscosity:
            return np.zeros_like(self.X)
        nodes, gradients, hourglass = self.nodes, self.gradients, self.hourglass
        F = np.eye(3) + np.einsum("cbi,cqbj->cqij", u[nodes], gradients)
        rate = np.einsum("cbi,cqbj->cqij", v[nodes], gradients)
        strain = np.swapaxes(F, -1, -2) @ rate
        strain = 0.5 * (strain + np.swapaxes(strain, -1, -2))
        moduli = self.material.response(np.zeros((3, 3))).tangent
        P = F @ np.einsum("ijkl,cqkl->cqij", moduli, strain, optimize=True) * self.volumes[..., None, None]
        force = np.zeros((*nodes.shape, 3))
        if len(hourglass.vectors):
            force, of_spin = _hourglass_force(hourglass, u[nodes], v[nodes], F[:, 0], rate[:, 0])
            P[:, 0] += of_spin
        force -= np.einsum("cqij,cqbj->cbi", P, gradients)
        at, count = nodes.ravel(), len(u)
        return self.viscosity * np.column_stack([np.bincount(at, force[..., k].ravel(), count) for k in range(3)])


def _hourglass_force(
    hourglass: Hourglass, u: np.ndarray, v: np.ndarray, F: np.ndarray, rate: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Viscous hourglass forces (C, 8, 3), N, of cells at nodal u, v (C, 8, 3), and their part (C, 3, 3), N m, of the mean P."""
    g, rate_g = (np.einsum("cmb,cbi->cmi", hourglass.vectors, field) for field in (u, v))
    left, _, right = np.linalg.svd(F)
    rotation, inverse = left @ right, np.linalg.inv(F)
    spin = rate @ inverse
    spin = 0.5 * (spin - np.swapaxes(spin, -1, -2))
    rotated_rate = (rate_g - g @ np.swapaxes(spin, -1, -2)) @ rotation
    force_g = np.einsum("ckl,cl->ck", hourglass.stiffness, rotated_rate.reshape(len(g), 12)).reshape(g.shape)
    force_g = force_g @ np.swapaxes(rotation, -1, -2)
    couple = np.swapaxes(force_g, -1, -2) @ g
    couple = couple - np.swapaxes(couple, -1, -2)
    return -np.einsum("cmb,cmi->cbi", hourglass.vectors, force_g), -0.5 * couple @ np.swapaxes(inverse, -1, -2)


def _all_triangles(facets: np.ndarray) -> np.ndarray:
    """All triples (T, 3) of corners of each facet (F, 3) or (F, 4), whose corners are in no order."""
    triples = list(combinations(range(facets.shape[1]), 3))
    return np.ascontiguousarray(facets[:, triples].reshape(-1, 3), dtype=np.intp)
