"""Natural modes: small free vibrations of a body about rest, or about a displacement with its stresses (pre-stress). K is the
tangent of the strain energy at the displacement u₀, held by dead loads. Friction, contacts, springs and damping are left out. A
clamped body vibrates with its frame: the clamp's free motions are unknowns, its nodes follow them. The modes are M-orthogonal to
the rigid motions of the body at u₀, which belong to the frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, eye_array

from fem import Solid
from fem.analysis.modes import natural_modes
from fem.deformable_body import DeformableBody
from floating_frame.frame.chord import Lateral
from floating_frame.frame.clamp import Clamped
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rigid_modes import modes_of
from floating_frame.output.variables import static_values
from floating_frame.system.beam.model import BeamModel
from floating_frame.system.model import RunModel
from friction.arrays import shown


class Vibrations(NamedTuple):
    """K (n, n) N/m and M (n, n) kg of small vibrations, rigid ``motions`` (n, r), and ``to_body`` (dN, n): unknowns to
    the displacements of each node, or to deflection and slope of a linear beam; ``at_nodes``: these (modes, N, d) to the ``SHAPES``
    of the nodes of the results."""

    stiffness: csr_matrix
    mass: csr_matrix
    motions: Array
    to_body: csr_matrix
    at_nodes: Callable[[Array], dict[str, Array]]


def modes(model: RunModel, count: int = 10, *, displacement: Array | None = None) -> xr.Dataset:
    """Lowest natural modes of a deformable body, free or clamped as its model says.

    ``displacement`` u₀ (N, d) m in the frame, of all nodes of the body (None: at rest). The dataset has `frequency` (mode) Hz and
    `shape` (mode, node, axis), scaled so that the modal mass is 1 kg, besides `X` and `cells`; beams also `rotation`; the attribute
    `rigid_modes` is the number of motions left out. Raises ValueError for a rigid body, too many modes, and a body that is not
    stable at u₀.
    """
    if not isinstance(model, RunModel):
        raise ValueError(
            "natural modes are those of a deformable body in the plane or in space, or of a beam; "
            f"modes takes its model, assemble(problem, options), got {shown(model)}"
        )
    if not model.problem.body.deformable:
        raise ValueError("a rigid body has no natural modes: take a deformable one")
    lateral = model.problem.frame.name == Lateral.name
    body_modes = (beam_vibrations if lateral else body_vibrations)(model, displacement)
    omega, unknowns = natural_modes(body_modes.stiffness, body_modes.mass, count, body_modes.motions)
    static = static_values(model)
    axes = static["X"].shape[1]
    shapes = (body_modes.to_body @ unknowns).T.reshape(count, -1, axes)
    data: dict[str, tuple[tuple[str, ...], Array, dict[str, str]]] = {
        "frequency": (("mode",), omega / (2.0 * np.pi), {"units": "Hz", "long_name": "natural frequency"}),
        "X": (("node", "axis"), static["X"], {"units": "m", "long_name": "reference coordinates"}),
        "cells": (("cell", "corner"), static["cells"], {"units": "1", "long_name": "nodes of the cells' corners"}),
    }
    for name, values in body_modes.at_nodes(shapes).items():
        dims, units, meaning = SHAPES[name]
        data[name] = (dims, values, {"units": units, "long_name": meaning})
    labels = {"mode": np.arange(1, count + 1), "axis": ["x", "y", "z"][:axes]}
    return xr.Dataset(data, labels, {"rigid_modes": body_modes.motions.shape[1]})


def body_vibrations(model: RunModel, displacement: Array | None) -> Vibrations:
    """Small vibrations of a plate, the axis of a beam or a solid in space, free or clamped; the ground is left out."""
    body = model.body_at(0.0)
    u, K, M = _matrices(body, displacement)
    points, d = body.X + u, body.X.shape[1]
    is_axis = "beam" in model.system.results.groups
    at_nodes = _axis_shapes(body.hermite) if is_axis else lambda shapes: {"shape": shapes}
    clamp = clamp_of(model)
    if clamp is None:
        motions = modes_of(points).reshape(-1, points.size).T
        return Vibrations(K, M, motions, csr_matrix(eye_array(points.size)), at_nodes)
    nodes, motions_of = clamp
    clamped = (d * nodes[:, None] + np.arange(d)).ravel()
    inner, rigid = np.setdiff1d(np.arange(points.size), clamped), motions_of(points).reshape(-1, points.size).T
    to_body = clamped_motions(inner, clamped, rigid[clamped])
    unknowns = np.vstack([rigid[inner], np.eye(rigid.shape[1])])
    K, M = (csr_matrix(to_body.T @ matrix @ to_body) for matrix in (K, M))
    return Vibrations(K, M, unknowns, to_body, at_nodes)


def clamp_of(model: RunModel) -> tuple[NDArray[np.intp], Callable[[Array], Array]] | None:
    """Clamped nodes, and the velocities (k, N, d) of points (N, d) m at unit rates of the clamp's free motions; None for a free
    body."""
    problem = model.problem
    if (standing := problem.standing) is not None:
        return None if standing.clamp is None else (standing.clamped_nodes, standing.joint.motions)
    if problem.frame.name != Clamped.name:
        return None
    free = problem.frame.free_mask
    return np.asarray(problem.body.boundary(problem.frame.edge)), lambda points: modes_of(points)[free]


def _matrices(body: Solid | DeformableBody, displacement: Array | None) -> tuple[Array, csr_matrix, csr_matrix]:
    """u₀, and K and M there."""
    u = np.zeros_like(body.X) if displacement is None else np.asarray(displacement, dtype=float)
    if u.shape != body.X.shape or not np.isfinite(u).all():
        raise ValueError(f"the displacement must be finite with shape {body.X.shape}, got shape {u.shape}")
    shape = (body.X.size, body.X.size)
    K, M = (csr_matrix((data, body.indices, body.indptr), shape=shape) for data in (body.tangent(u), body.mass_data))
    return u, K, M


def beam_vibrations(model: RunModel, displacement: Array | None) -> Vibrations:
    """Small vibrations of a linear beam, whose unknowns are deflections and slopes."""
    if displacement is not None:
        raise ValueError("a linear beam has no stress that stiffens it: take a Problem with a BeamAxis")
    assert isinstance(model, BeamModel)
    place = np.arange(len(model.free))
    to_body = csr_matrix((model.scale[model.free], (model.free, place)), shape=(len(model.scale), len(place)))
    natural = np.zeros((len(model.scale), 2))
    natural[0::2, 0] = 1.0
    natural[0::2, 1], natural[1::2, 1] = model.beam.X[:, 0], 1.0
    supported = np.setdiff1d(np.arange(len(model.scale)), model.free)
    natural = natural[:, ~natural[supported].any(axis=0)]
    motions = (natural / model.scale[:, None])[model.free]
    return Vibrations(model.stiffness, model.mass, motions, to_body, _beam_shapes)


def clamped_motions(inner: NDArray[np.intp], clamped: NDArray[np.intp], motions: Array) -> csr_matrix:
    """Displacements (2N, n) by unknowns: those of the ``inner`` degrees of freedom, then ``motions`` of the ``clamped``."""
    rows = np.concatenate([inner, np.repeat(clamped, motions.shape[1])])
    columns = np.concatenate([np.arange(len(inner)), np.tile(len(inner) + np.arange(motions.shape[1]), len(clamped))])
    values = np.concatenate([np.ones(len(inner)), motions.ravel()])
    return csr_matrix((values, (rows, columns)), shape=(len(inner) + len(clamped), len(inner) + motions.shape[1]))


def _axis_shapes(hermite: Callable[[Array], Array]) -> Callable[[Array], dict[str, Array]]:
    """Map from the shapes of an axis's points to deflections and rotations of its nodes."""

    def at_nodes(shapes: Array) -> dict[str, Array]:
        values = np.array([hermite(shape) for shape in shapes])
        return {"shape": values[:, 0::2], "rotation": values[:, 1::2, 1]}

    return at_nodes


def _beam_shapes(shapes: Array) -> dict[str, Array]:
    """Shapes of a linear beam from deflections and slopes."""
    deflection, slope = shapes[..., 0], shapes[..., 1]
    return {"shape": np.stack([np.zeros_like(deflection), deflection], axis=-1), "rotation": slope}


SHAPES = {
    "shape": (("mode", "node", "axis"), "kg-1/2", "shape, scaled to the modal mass 1 kg"),
    "rotation": (("mode", "node"), "kg-1/2 m-1", "rotation of the beam's axis in the shape"),
}
"""Dimensions, unit and meaning of the fields of ``Vibrations.at_nodes``."""
