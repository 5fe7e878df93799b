"""The axis of a beam as an elastic line in the plane: large motion, bending, nearly inextensible; a body like a plate.

Both coordinates of the axis are cubic Hermite functions of X (absolute nodal coordinates: Shabana; Berzeri and Shabana 2000),

    U = ½ ∫ EA e² + EJ |r''|² dX,   e = ½ (r'·r' − 1),

which is invariant under rigid motions. On an inextensible axis |r''| is the curvature, so U is the bending energy of the elastica,
and for small deflections w in the floating frame the energy of the Euler–Bernoulli beam (3.17): the axial force N = EA e is the
reaction of inextensibility, its power on e' = w' w'' + ... is the term (N w')', and r = (X + u_x, w) with u_x = −½ ∫ w'² carries
both second-order parts of J_zz. EA is the stiffness of the section; the stretch N/EA is of the order (b/L)² of the bending.

Instead of (r, r') each node has two *points*: its place, and a handle one element length ahead along the tangent, c = r + h r'.
All unknowns are then points of the plane, the shape functions have the sum one, and forces on handles enter resultants and
moments like other forces: the floating frame takes the points as the nodes of a plate, with friction at the places only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fem.beam import Array, Beam, gauss, hermite
from fem.elements.sparsity import scalar_matrix, sparsity
from fem.input_checks import check_type

_POINTS = 3
"""Gauss points per element: two are exact for bending; the third prevents stretching modes without energy. No locking."""


@dataclass(frozen=True, repr=False)
class BeamAxis:
    """Moving axis of a beam with P = 2N points (place, handle, place, ...), made by ``BeamAxis.build``.

    Parameters
    ----------
    beam : Beam
        The beam at rest.
    X : Array
        Positions (P, 2), m.
    cells : ndarray
        Places (ne, 2) of the elements' ends.
    nodal_area : Array
        Weights (P,), m², 0 at handles.
    mass_matrix : csr_matrix
        Consistent mass (P, P), kg.
    mass_data : Array
        The mass (nnz,), kg, in the fixed sparsity of 2P unknowns.
    nodes : ndarray
        Points (ne, 4) of the elements.
    slope_shapes, curvature_shapes : Array
        Derivatives (G, 4) of the shape functions at the Gauss points, 1/m and 1/m².
    quadrature : Array
        Weights (G,), m.
    indptr, indices, entries, row_length : ndarray
        The fixed sparsity of 2P unknowns (fem/elements/sparsity.py).
    """

    viscosity: ClassVar[float] = 0.0

    beam: Beam
    X: Array
    cells: NDArray[np.int32]
    nodal_area: Array
    mass_matrix: csr_matrix
    mass_data: Array
    nodes: NDArray[np.int64]
    slope_shapes: Array
    curvature_shapes: Array
    quadrature: Array
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    entries: NDArray[np.int32]
    row_length: NDArray[np.int32]
    material: None = None
    deformable: ClassVar[bool] = True
    planar: ClassVar[bool] = False
    objective: ClassVar[bool] = True

    @classmethod
    def build(cls, beam: Beam) -> BeamAxis:
        """Build the axis of a beam, straight along x, with the centre of mass at the origin.

        Parameters
        ----------
        beam : Beam
            The beam at rest.
        """
        check_type("beam", beam, Beam, "Beam.build(length=1.0, ...)")
        h, count = beam.element_length, len(beam.X)
        # r_i = c_2i and r_i' = (c_2i+1 − c_2i)/h
        to_hermite = np.kron(np.eye(2), np.array([[1.0, 0.0], [-1.0 / h, 1.0 / h]]))
        X = np.zeros((2 * count, 2))
        X[0::2], X[1::2] = beam.X, beam.X + np.array([h, 0.0])
        area = np.zeros(2 * count)
        area[0::2] = beam.nodal_area
        nodes = 2 * beam.cells[:, :1].astype(np.int64) + np.arange(4)
        pattern = sparsity(nodes, 2 * count)
        s, weights = gauss(4, h)
        shapes = hermite(s, h) @ to_hermite
        block = beam.mass_per_length * np.einsum("g,ga,gb->ab", weights, shapes, shapes)
        masses = scalar_matrix(pattern, nodes, np.tile(0.5 * (block + block.T), (len(nodes), 1, 1)))
        s, weights = gauss(_POINTS, h)
        return cls(
            beam=beam,
            X=X,
            cells=(2 * beam.cells).astype(np.int32),
            nodal_area=area,
            mass_matrix=masses[::2, ::2],
            mass_data=masses.data,
            nodes=nodes,
            slope_shapes=hermite(s, h, 1) @ to_hermite,
            curvature_shapes=hermite(s, h, 2) @ to_hermite,
            quadrature=weights,
            **pattern._asdict(),
        )

    def __repr__(self) -> str:
        return f"BeamAxis({self.beam!r})"

    @property
    def mass(self) -> float:
        """Total mass, kg."""
        return self.beam.mass

    @property
    def area(self) -> float:
        """Area on the plane, m²."""
        return self.beam.area

    @property
    def lumped_mass(self) -> Array:
        """Raises ValueError: the lumped mass of handles is not positive."""
        raise ValueError("the axis of a beam has no lumped mass, which scheme explicit needs: take an implicit scheme")

    def derivatives(self, u: Array) -> tuple[Array, Array, Array]:
        """Derivatives r' and r'' (G, ne, 2), 1 and 1/m, and strain e (G, ne) at the Gauss points at u (P, 2), m."""
        points = (self.X + u)[self.nodes]
        slope = np.einsum("ga,cai->gci", self.slope_shapes, points)
        bend = np.einsum("ga,cai->gci", self.curvature_shapes, points)
        return slope, bend, 0.5 * (np.einsum("gci,gci->gc", slope, slope) - 1.0)

    def internal_force(self, u: Array) -> Array:
        """Internal force −∂U/∂u (P, 2), N, in the axes of the displacements u (P, 2), m."""
        slope, bend, e = self.derivatives(u)
        axial = self.beam.axial_stiffness * np.einsum("g,gc,gci,ga->cai", self.quadrature, e, slope, self.slope_shapes)
        bending = self.beam.bending_stiffness * np.einsum("g,gci,ga->cai", self.quadrature, bend, self.curvature_shapes)
        force = np.zeros_like(self.X)
        np.add.at(force, self.nodes, -(axial + bending))
        return force

    def strain_energy(self, u: Array) -> float:
        """Strain energy U, J, at u (P, 2), m."""
        _, bend, e = self.derivatives(u)
        stretch = np.einsum("g,gc->", self.quadrature, e * e)
        curved = np.einsum("g,gci->", self.quadrature, bend * bend)
        return float(0.5 * (self.beam.axial_stiffness * stretch + self.beam.bending_stiffness * curved))

    def tangent(self, u: Array, *, share: float = 1.0, inertia: float = 0.0, out: Array | None = None) -> Array:
        """Tangent ∂²U/∂u² (nnz,), N/m, or ``share`` × ∂²U/∂u² + ``inertia`` × mass, see ``Plate.tangent``."""
        slope, _, e = self.derivatives(u)
        S, C, weights = self.slope_shapes, self.curvature_shapes, self.quadrature
        EA, EJ = self.beam.axial_stiffness, self.beam.bending_stiffness
        along = np.einsum("gci,ga->gcai", slope, S)
        blocks = EA * np.einsum("g,gcai,gcbj->caibj", weights, along, along)
        isotropic = EA * np.einsum("g,gc,ga,gb->cab", weights, e, S, S) + EJ * np.einsum("g,ga,gb->ab", weights, C, C)
        blocks[:, :, 0, :, 0] += isotropic
        blocks[:, :, 1, :, 1] += isotropic
        data = np.multiply(self.mass_data, inertia, out=out)
        blocks *= share
        rows, axes = self.row_length[self.nodes][:, :, None, None, None], np.arange(2)
        np.add.at(data, self.entries[:, :, None, :, None] + rows * axes[:, None, None] + axes, blocks)
        return data

    def smallest_jacobian(self, u: Array) -> tuple[float, int]:
        """Smallest squared stretch ``|r'|²``, -, over the Gauss points at u (P, 2), m, and its element."""
        e = self.derivatives(u)[2].min(axis=0)
        return float(2.0 * e.min() + 1.0), int(e.argmin())

    def strains(self, u: Array) -> dict[str, float]:
        """Largest strain ``|e| + |r''| b/2``, -, of the outermost fibres at u (P, 2), m, which limits the linear law."""
        _, bend, e = self.derivatives(u)
        return {"fibre": float((np.abs(e) + 0.5 * self.beam.width * np.hypot(bend[..., 0], bend[..., 1])).max())}

    def boundary(self, name: str) -> NDArray[np.int64]:
        """Both points of the end "left" or "right", whose fixing clamps place and slope. Raises ValueError for another name."""
        ends = {"left": np.array([0, 1]), "right": len(self.X) - np.array([2, 1])}
        if name not in ends:
            raise ValueError(f"the beam has no end {name!r}; its ends: left, right")
        return ends[name]

    def at_point(self, place: Array) -> tuple[NDArray[np.int64], Array]:
        """Points (B,), places and handles, and shape functions (B,), sum 1, at a ``place`` (X, 0), m, of the axis at rest. Raises
        ValueError for a place off the axis."""
        shapes = self.load_shape(self.beam.at_point(place))
        nodes = np.flatnonzero(shapes)
        return nodes, shapes[nodes]

    def edge_shape(self, name: str) -> Array:
        """Nodal shares (P,), -, of a force at the end "left" or "right": 1 at the place of the end."""
        shape = np.zeros(len(self.X))
        shape[self.boundary(name)[0]] = 1.0
        return shape

    def load_shape(self, nodal: Array) -> Array:
        """Forces (P,), N, on the points from nodal forces and couples (2N,), N and N m."""
        h, couple = self.beam.element_length, nodal[1::2]
        shape = np.empty(len(self.X))
        shape[0::2], shape[1::2] = nodal[0::2] - couple / h, couple / h
        return shape

    def hermite(self, field: Array) -> Array:
        """Values and derivatives by X (2N, 2), node by node, of a field of the points (P, 2)."""
        nodal = np.array(field, dtype=float)
        nodal[1::2] = (field[1::2] - field[0::2]) / self.beam.element_length
        return nodal
