"""Rigid bodies, u = 0: friction is integrated over points of the area; nodes carry loads and mass."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

import fem
import fem.input_checks
from floating_frame.frame.kinematics import Array
from floating_frame.input_checks import check_kind, finite_array, require
from friction.given import Given

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from fem.area_rule import AreaRule


@dataclass(frozen=True, repr=False)
class RigidBody(Given):
    """A rigid body: N nodes with mass, loads and contacts, and F friction points.

    ``X`` (N, 2) m from the centre of mass; ``nodal_area`` (N,) m², positive shares of the area; ``mass_matrix`` (N, N) kg, so that
    ⟨1,1⟩ is the mass and ⟨X,X⟩ the moment of inertia, whatever the friction points; ``cells`` (n, corners) for pictures; ``edges``:
    nodal shapes (N,) with sum one of named edges; ``segments``: their nodes (n, 2) or (n, 3), the body to the left
    (``fem.Plate.edge_segments``).

    ``rule``: quadrature of friction over the area, points (F, 2) m, weights (F,) m² > 0, cells for pictures; None: the body stands
    on its nodes, with ``nodal_area``. ``finer``: a rule of the same area with more points, for the estimated error of ``rule``
    (``sampling``); None: the points are feet, not a rule.
    """

    X: Array
    nodal_area: Array
    mass_matrix: csr_matrix
    cells: NDArray[np.int32]
    edges: dict[str, Array]
    segments: dict[str, NDArray[np.int32]] = field(default_factory=dict)
    rule: AreaRule | None = None
    finer: AreaRule | None = None
    deformable: ClassVar[bool] = False
    planar: ClassVar[bool] = True
    objective: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        count = len(finite_array(self.X, (-1, 2), "RigidBody: X"))
        finite_array(self.nodal_area, (count,), "RigidBody: nodal_area")
        finite_array(self.cells, (-1, -1), "RigidBody: cells")
        matrix = scipy.sparse.issparse(self.mass_matrix) and self.mass_matrix.shape == (count, count)
        require(matrix, "RigidBody: mass_matrix", f"be sparse, of shape {(count, count)}", self.mass_matrix)
        for name in ("edges", "segments"):
            check_kind("RigidBody", name, getattr(self, name), "items", "a dictionary of arrays by the names of edges")
        for edge, shape in self.edges.items():
            finite_array(shape, (count,), f"RigidBody: edge {edge!r}")
        for name in ("rule", "finer"):
            if getattr(self, name) is not None:
                check_kind("RigidBody", name, getattr(self, name), "points", "an AreaRule, or None")

    def __repr__(self) -> str:
        mass = float(self.mass_matrix.sum())
        return f"RigidBody({len(self.X)} nodes, {len(self.friction.points)} friction points, {mass:.6g} kg)"

    @property
    def friction(self) -> AreaRule:
        """The F friction points."""
        return fem.area_rule.AreaRule(self.X, self.nodal_area, self.cells) if self.rule is None else self.rule

    def on_nodes(self) -> RigidBody:
        """Body without a rule of its own: it stands on its nodes, as a deformable one does."""
        return replace(self, rule=None, finer=None)

    @classmethod
    def from_plate(cls, plate: fem.Plate) -> RigidBody:
        """Rigid twin of a plate: nodes, areas, consistent mass, edges; friction at Gauss points (``fem.area_rule``)."""
        edges = {name: plate.edge_shape(name) for name, nodes in plate.edges.items() if len(nodes)}
        segments = {}
        for name in edges:
            with suppress(ValueError):  # a line inside the body has no outward side, and no follower traction
                segments[name] = plate.edge_segments(name)
        rule, finer = (fem.area_rule.area_rule(plate, refined=refined) for refined in (False, True))
        return cls(plate.X, plate.nodal_area, plate.mass_matrix, plate.cells, edges, segments, rule, finer)

    @classmethod
    def disc(cls, radius: float, mass: float, nr: int, nt: int) -> RigidBody:
        """Uniform disc: ``nr`` rings, two Gauss points across each, ``nt`` around; mass and J_zz = m R²/2 are exact.

        About the instantaneous centre ``|v|`` is a cone, at which an equidistant sum over a circle loses accuracy: the spacing
        across counts, not around. Over random throws 24 × 48 such points have a sixth of the error of 24 Gauss points along the
        radius, and doubling ``nt`` gains nothing.

        Raises ValueError for radius or mass not > 0, nr < 2 or nt < 3, or too many points.
        """
        fem.input_checks.check_positive("", radius=radius, mass=mass)
        fem.input_checks.check_counts(2, nr=nr)
        fem.input_checks.check_counts(3, nt=nt)
        fem.meshes.check_cells(nr=nr, nt=nt)
        rule, finer = _disc_rule(radius, nr, nt), _disc_rule(radius, 2 * nr, 2 * nt)
        points, area, cells = rule
        inertia = scipy.sparse.diags_array(mass * area / area.sum()).tocsr()
        return cls(points, area, inertia, cells, {}, finer=finer)

    def edge_shape(self, name: str) -> Array:
        """Nodal shape (N,) with sum one of a named edge. Raises ValueError for an unknown one."""
        if name not in self.edges:
            names = ", ".join(sorted(self.edges)) or "none"
            raise ValueError(f"the body has no edge {name!r}; its edges: {names}")
        return self.edges[name]

    def edge_segments(self, name: str) -> NDArray[np.int32]:
        """Nodes (n, 2) or (n, 3) of a named edge's segments. Raises ValueError for an edge that has none."""
        if name not in self.segments:
            names = ", ".join(sorted(self.segments)) or "none"
            raise ValueError(f"the body has no edge {name!r} with a course; such edges: {names}")
        return self.segments[name]


def _disc_rule(radius: float, nr: int, nt: int) -> AreaRule:
    """Two Gauss points across each of ``nr`` rings, ``nt`` around."""
    near = 0.5 - 0.5 / np.sqrt(3.0)
    r = (np.arange(nr)[:, None] + [near, 1.0 - near]).ravel() * radius / nr
    angle = 2.0 * np.pi * (np.arange(nt) + 0.5) / nt
    points = np.stack([np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle))], axis=-1).reshape(-1, 2)
    area = np.repeat(np.pi * radius / (nr * nt) * r, nt)
    index = np.arange(2 * nr * nt, dtype=np.int32).reshape(2 * nr, nt)
    following = np.roll(index, -1, axis=1)
    cells = np.stack([index[:-1], index[1:], following[1:], following[:-1]], axis=-1).reshape(-1, 4)
    return fem.area_rule.AreaRule(points, area, cells)
