"""Elastic bodies in the plane and in space: forces, tangent, energies, stresses, by tables and compiled element loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_matrix
from skfem import Mesh

from fem.elements.hourglass import Hourglass
from fem.elements.outline import named_parts
from fem.elements.sparsity import scalar_matrix, sparsity
from fem.elements.tables import at_point, discretise, nodal_area
from fem.elements.tables import element as element_named
from fem.input_checks import named_part
from fem.kernels import elements, hourglass
from fem.kernels.lanes import LANES, BlockRows, in_rows
from fem.kernels.law_blocks import ENERGY, MODULI, STRESS
from fem.kernels.strain_range import smallest_jacobian, smallest_stretch, strain_range
from fem.materials import Material


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Elastic:
    """Elastic body of N nodes in d = 2 or 3 dimensions with mass and elastic forces: see ``Plate``, ``Solid``.

    C cells, B nodes per cell, Q quadrature points per cell. Vector fields are (N, d); the unknown of node i, axis a is d i + a. All
    arrays are read-only, in the axes of the mesh. Pickles and copies leave out the cached properties.

    Parameters
    ----------
    element : str
        Name in ``ELEMENTS``, of solids in ``SOLID_ELEMENTS``.
    material : Material
        The law, with its plane.
    density : float
        Density, kg/m³.
    X : ndarray
        Positions (N, d), m, from the centre of mass.
    offset : ndarray
        The centre of mass (d,), m, in the mesh's own coordinates: mesh points are ``X + offset``.
    cells, nodes : ndarray
        Corners, of plates counter-clockwise, and all nodes (C, B) of the cells, int32.
    parts : Mapping[str, ndarray]
        Nodes of the named parts of the outline: (segments, 2 or 3) of the edges of plates, (n,) of the faces of solids.
    areas : Mapping[str, ndarray]
        Nodal areas ∫φ_i dA (N,), m^(d−1), of these parts of the reference shape.
    size : float
        Area, m², of a plate, volume, m³, of a solid.
    mass : float
        Total mass, kg.
    mass_matrix : csr_matrix
        Consistent mass per component (N, N), kg.
    indptr, indices : ndarray
        Fixed sparsity (dN, dN), int32, sorted, in full d × d blocks, diagonal present.
    mass_data : ndarray
        The mass (nnz,), kg, in that pattern.
    gradients, volumes, entries, row_length : ndarray
        See ``fem/kernels/elements.py``.
    values : ndarray
        Shape functions (C or 1, Q, B) at the quadrature points.
    jacobian_gradients : ndarray
        Gradients (C, R, B, d), 1/m, at the points where det F must be positive.
    rows : tuple[ndarray, ndarray]
        Gradients and volumes in the layout of the element loops.
    hourglass : Hourglass
        Tables of the hourglass energy of Q1 (``fem/elements/hourglass.py``); without cells for other elements.
    """

    deformable: ClassVar[bool] = True

    element: str
    material: Material
    density: float
    X: np.ndarray
    offset: np.ndarray
    cells: np.ndarray
    nodes: np.ndarray
    parts: Mapping[str, np.ndarray]
    areas: Mapping[str, np.ndarray]
    size: float
    mass: float
    mass_matrix: csr_matrix
    indptr: np.ndarray
    indices: np.ndarray
    mass_data: np.ndarray
    gradients: np.ndarray
    volumes: np.ndarray
    values: np.ndarray
    jacobian_gradients: np.ndarray
    rows: tuple[np.ndarray, np.ndarray]
    hourglass: Hourglass
    entries: np.ndarray
    row_length: np.ndarray

    @classmethod
    def on_mesh(cls, mesh: Mesh, element: str, material: Material, density: float, **fields: Any) -> Self:
        """Body on a checked mesh; ``fields``: further fields of its class, such as the ``thickness`` of a plate, m."""
        thickness, d = fields.get("thickness", 1.0), mesh.dim()
        points, tables, mass, shape_integrals = discretise(mesh, element)
        nodes, sizes = tables["nodes"], tables["volumes"]
        tables["volumes"] = thickness * sizes
        if d == 2:
            fields["nodal_area"] = nodal_area(element, nodes, shape_integrals)
        pattern = sparsity(nodes, len(points), d)
        masses = scalar_matrix(pattern, nodes, density * thickness * mass)
        mass_matrix = masses[::d, ::d]
        X, nodal_mass = points, mass_matrix.sum(axis=1).A1
        for _ in range(2):  # the second pass removes the rounding error of the first
            X = X - nodal_mass @ X / nodal_mass.sum()
        has_modes = element_named(element, d).hourglass
        modes = Hourglass.of(points[nodes], material, thickness) if has_modes else Hourglass.empty()
        parts, areas = named_parts(mesh, element, len(points))
        slopes = tables["gradients"]
        if has_modes:
            slopes = np.concatenate([slopes, np.swapaxes(modes.vectors, 1, 2)[:, None]], axis=-1)
        return cls(
            element=element,
            material=material,
            density=float(density),
            X=X,
            offset=points[0] - X[0],
            parts=parts,
            areas=areas,
            size=float(sizes.sum()),
            mass=float(mass_matrix.sum()),
            mass_matrix=mass_matrix,
            mass_data=masses.data,
            rows=(in_rows(slopes), in_rows(tables["volumes"])),
            hourglass=modes,
            **tables,
            **pattern._asdict(),
            **fields,
        )

    def __repr__(self) -> str:
        kind, d = type(self).__name__, self.X.shape[1]
        size = f"{len(self.X)} nodes, {len(self.cells)} cells, {self.size:.6g} m{d}, {self.mass:.6g} kg"
        return f"{kind}({self.element}, {size}, {self.material.name})"

    def __post_init__(self) -> None:
        vars(self).update({name: read_only(value) for name, value in vars(self).items()})

    def __getstate__(self) -> dict[str, Any]:
        kind, values = type(self), vars(self).items()
        fixed = {name: value for name, value in values if not isinstance(getattr(kind, name, None), cached_property)}
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in fixed.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.__post_init__()

    def at_point(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nodes (B,) and shape functions φ (B,), sum 1, that interpolate at a place (d,), m, of the reference shape; at a node
        that node alone. Raises ValueError outside the body."""
        kind = element_named(self.element, self.X.shape[1])
        return at_point(kind.shape(), self.X, self.nodes, place, curved=kind.curved)

    def boundary(self, name: str) -> np.ndarray:
        """Nodes (n,), sorted, of a named part of the outline. ValueError lists the names for an unknown one."""
        return np.unique(self._part(name))

    def face_area(self, name: str) -> np.ndarray:
        """Nodal areas ∫φ_i dA (N,), m^(d−1), of a named part of the outline. ValueError lists the names for an unknown one."""
        self._part(name)
        return self.areas[name]

    def _part(self, name: str) -> np.ndarray:
        return named_part(self.parts, "edge" if self.X.shape[1] == 2 else "face", name)

    def edge_shape(self, name: str) -> np.ndarray:
        """Shares ∫φ_i dA / area (N,), -, sum 1, of the nodes in a uniform dead load on a named part of the outline."""
        area = self.face_area(name)
        return np.asarray(area / area.sum())

    @property
    def objective(self) -> bool:
        """True if rigid rotations leave the material free of force."""
        return self.material.finite_strain

    def _arguments(self, kind: int, *, law: bool = True) -> tuple[Any, ...]:
        """Arguments behind u of the loops of ``fem/kernels/elements.py`` for a ``kind`` of results of the law."""
        d, n, modes = self.X.shape[1], self.nodes.shape[1], self.hourglass.modes
        offsets, address, size = BlockRows.of(d, modes), 0, 0
        if modes:
            address = hourglass.block(kind, d, modes, self.material.finite_strain).address
            size = hourglass.workspace(d, modes)[-1][1]
        loops = (0,) * d, (0,) * (d + modes), (0,) * n, tuple(offsets), LANES * offsets.workspace + size
        own = self.material.block(kind, d).address if law else 0
        tables = map(contiguous, (self.material.parameters, self.nodes, *self.rows, self._modes))
        return *loops, own, address, *tables

    @cached_property
    def _modes(self) -> np.ndarray:
        """K̂ and ĝ₀ of the hourglass modes in the layout of the loops."""
        return np.asarray(self.hourglass.in_rows())

    @cached_property
    def force_arguments(self) -> tuple[Any, ...]:
        """Arguments of the compiled ``internal_force`` between u and its result."""
        return self._arguments(STRESS)

    @cached_property
    def _tangent_arguments(self) -> tuple[tuple[Any, ...], np.ndarray]:
        """Arguments of the compiled ``tangent`` between u and the factors, and the mass behind them."""
        entries, row_length, mass = map(contiguous, (self.entries, self.row_length, self.mass_data))
        return (*self._arguments(MODULI), entries, row_length), mass

    @cached_property
    def _energy_arguments(self) -> tuple[Any, ...]:
        return self._arguments(ENERGY)

    def cell_energies(self, u: np.ndarray) -> np.ndarray:
        """Strain energy of each cell (C,), J, at u (N, d), m."""
        out = np.empty(len(self.nodes))
        elements.cell_energies(self.field(u), *self._energy_arguments, out)
        return out

    def strain_energy(self, u: np.ndarray) -> float:
        """Strain energy U, J, at u (N, d), m."""
        return float(self.cell_energies(u).sum())

    def hourglass_energy(self, u: np.ndarray) -> float:
        """Hourglass energy, J, of Q1 cells at u (N, d), m: the strain energy without the energy of mean strains; 0 for other
        elements."""
        out = np.zeros(len(self.nodes))
        if self.hourglass.modes:
            elements.cell_energies(self.field(u), *self._arguments(ENERGY, law=False), out)
        return float(out.sum())

    def internal_force(self, u: np.ndarray) -> np.ndarray:
        """Internal force −∂U/∂u (N, d), N, on the nodes at displacements u (N, d), m.

        Where det F ≤ 0: NaN for neo-Hookean, formal values otherwise; see ``smallest_jacobian``.
        """
        out = np.empty_like(self.X)
        elements.internal_force(self.field(u), *self.force_arguments, out)
        return out

    def tangent(
        self, u: np.ndarray, *, share: float = 1.0, inertia: float = 0.0, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Tangent ∂²U/∂u² in the fixed sparsity, or the matrix of a time step, ``share`` × ∂²U/∂u² + ``inertia`` × mass.

        Parameters
        ----------
        u : ndarray
            Displacement (N, d), m.
        share, inertia : float
            Factors of stiffness, -, and mass, 1/s².
        out : ndarray, optional
            Array (nnz,) for the result.

        Returns
        -------
        ndarray
            (nnz,), N/m, symmetric.
        """
        data = np.empty(self.indices.size) if out is None else out
        arguments, mass = self._tangent_arguments
        elements.tangent(self.field(u), *arguments, share, inertia, mass, data)
        return data

    def tangent_matrix(self, u: np.ndarray) -> csr_matrix:
        """``tangent(u)`` as a sparse matrix (dN, dN), N/m."""
        return csr_matrix((self.tangent(u), self.indices, self.indptr), shape=(self.X.size, self.X.size))

    def smallest_jacobian(self, u: np.ndarray) -> tuple[float, int]:
        """Smallest det F over the Gauss points at u (N, d), m, and its cell; NaN where u is not finite."""
        smallest, cell = smallest_jacobian(self.field(u), *self.point_arguments)
        return float(smallest), int(cell)

    def strains(self, u: np.ndarray) -> dict[str, float]:
        """Extremes over the Gauss points at u (N, d), m, with limits by the material: the largest ``strain``, -, and
        ``rotation``, rad, of small-strain plates, the smallest ``stretch``, -, of laws that soften in compression."""
        small, softens = not self.material.finite_strain, self.material.softens_in_compression
        if self.X.shape[1] == 3 and softens:
            cell, point = smallest_stretch(self.field(u), *self.point_arguments)
            F = np.eye(3) + u[self.nodes[cell]].T @ self.jacobian_gradients[cell, point]
            return {"stretch": float(np.linalg.norm(F, -2)) if np.isfinite(F).all() else np.nan}
        if self.X.shape[1] == 3 or not (small or softens):
            return {}
        strain, rotation, stretch = strain_range(self.field(u), *self.point_arguments)
        limited = {"strain": strain, "rotation": rotation} if small else {}
        return limited | ({"stretch": stretch} if softens else {})

    def stress(self, u: np.ndarray) -> np.ndarray:
        """Second Piola-Kirchhoff stress F⁻¹P of the cells, Pa, at u (..., N, d), m; NaN where det F = 0.

        Mean over each cell, in Q1 the stress of the mean strain: (..., C, d, d), of plates (..., C, 3), [xx, yy, xy].
        """
        _, F, P = self.point_state(u)
        if self.material.finite_strain:
            P = np.linalg.solve(np.where(np.linalg.det(F)[..., None, None] == 0.0, np.nan, F), P)
        return self.cell_mean(P)

    def cauchy_stress(self, u: np.ndarray) -> np.ndarray:
        """Cauchy stress P Fᵀ / J of the cells, Pa, as ``stress``, in the axes of u; J includes F₃₃ of plates."""
        H, F, P = self.point_state(u)
        if self.material.finite_strain:
            with np.errstate(divide="ignore", invalid="ignore"):
                P = P @ np.swapaxes(F, -1, -2) / (np.linalg.det(F) * self.thickness_stretch(H))[..., None, None]
        return self.cell_mean(P)

    def thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """F₃₃ of a plate at displacement gradients H; 1 for a solid, whose det F includes it."""
        return np.ones(1)

    @property
    def weights(self) -> np.ndarray:
        """Shares (C, Q) of the quadrature points in the volume of their cells, sum 1."""
        return np.asarray(self.volumes / self.volumes.sum(axis=1, keepdims=True))

    def point_state(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """H, F and P (..., C, Q, d, d) at the quadrature points, at u (..., N, d), m."""
        H = np.einsum("...cbi,cqbj->...cqij", np.asarray(u, float)[..., self.nodes, :], self.gradients, optimize=True)
        return H, np.eye(H.shape[-1]) + H, self.material.evaluate(STRESS, H)

    def cell_mean(self, tensor: np.ndarray) -> np.ndarray:
        """Cell means (..., C, d, d), in the plane (..., C, 3), [xx, yy, xy], of a field at the quadrature points."""
        mean: np.ndarray = np.einsum("cq,...cqij->...cij", self.weights, tensor)
        return mean if mean.shape[-1] == 3 else mean[..., [0, 1, 0], [0, 1, 1]]

    @cached_property
    def point_arguments(self) -> tuple[Any, ...]:
        """Arguments of ``smallest_jacobian`` behind u."""
        loops = (0,) * self.X.shape[1], (0,) * self.nodes.shape[1]
        return *loops, contiguous(self.nodes), contiguous(self.jacobian_gradients)

    def field(self, u: np.ndarray) -> np.ndarray:
        """Nodal field (N, d) in the layout of the compiled loops. ValueError for another shape."""
        u = contiguous(np.asarray(u, np.float64))
        if u.shape != self.X.shape:
            raise ValueError(f"a nodal field must have the shape {self.X.shape}, got {u.shape}")
        return u


def read_only(value: Any) -> Any:
    """The value with its arrays, also those in tuples and mappings, as read-only views."""
    if isinstance(value, np.ndarray):
        view = value.view()
        view.flags.writeable = False
        return view
    if isinstance(value, Mapping):
        return MappingProxyType({name: read_only(part) for name, part in value.items()})
    if isinstance(value, tuple):
        return getattr(value, "_make", tuple)(map(read_only, value))
    return value


def contiguous(array: np.ndarray) -> np.ndarray:
    """The array C-contiguous and not flagged read-only, copied only if necessary.

    Numba compiles a loop again for every other layout of an argument, and for read-only ones.
    """
    if array.flags.carray:
        return array
    view = array.view()
    try:
        view.flags.writeable = True  # loops do not write into their input
    except ValueError:
        view = array.copy()
    return np.ascontiguousarray(view)
