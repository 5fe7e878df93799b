"""A time series that ParaView opens: NAME.pvd, and for each stored instant the deformed body and its fields as VTU, by meshio.

Fields have the names of the results; plane vectors get a third component 0. Cells of a plate also have stresses, the Cauchy stress
in space; cells of a solid have them where its run has stored them (--stress). A rigid body is written as its cells, and its
friction points as a second part; the last part is the outline of obstacles. A body in space is written as its points or its solid
cells, its frame with the body's axes e1, e2, e3, and lines on the ground and on obstacles.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

import meshio
import numpy as np
import xarray as xr
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from scipy.spatial.transform import Rotation

from cases.app.export.obstacles import wires
from cases.app.export.stresses import PlateStates, cauchy_of_solid, plate_states, problem_of
from cases.app.parts.body_mesh import BodyMesh, body_mesh
from cases.app.run.results import write_whole
from fem.analysis.cell_fields import von_mises
from fem.mesh_files import TO_VTK
from floating_frame.output.replacing import check_replaceable

Array = NDArray[np.float64]

CELL_TYPES: Mapping[tuple[int, int], str] = {
    (2, 2): "line",
    (3, 3): "triangle",
    (3, 6): "triangle6",
    (4, 4): "quad",
    (4, 9): "quad9",
}
"""Names of VTK's cells by (corners, nodes); the order of nodes is that in fem."""
UNITS = {
    "second_piola_kirchhoff": "Pa",
    "cauchy_stress": "Pa",
    "von_mises": "Pa",
    "principal_stress": "Pa",
    "strain_energy_density": "J/m3",
    "velocity": "m/s",
}


def write_vtk(data: xr.Dataset, path: Path) -> Path:
    """Write PATH.pvd and the folder PATH_vtu of its parts, and return PATH.pvd."""
    check_replaceable(path)
    parts = path.with_name(f"{path.stem}_vtu")
    temporary = path.with_name(f".{parts.name}.partial")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    try:
        index = _write_parts(data, temporary, parts.name)
        path.unlink(missing_ok=True)
        shutil.rmtree(parts, ignore_errors=True)
        os.replace(temporary, parts)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    write_whole(path, lambda where: index.write(where, encoding="utf-8", xml_declaration=True))
    return path


def _write_parts(data: xr.Dataset, folder: Path, shown: str) -> ElementTree.ElementTree[ElementTree.Element]:
    """Write the files of all instants into `folder`; return the index, which refers to them in the folder `shown` beside it."""
    root = ElementTree.Element("VTKFile", type="Collection", version="0.1", byte_order="LittleEndian")
    root.append(ElementTree.Comment(re.sub("-(?=-)", "- ", f" units: {_units(data)} ")))  # "--" would end it
    collection = ElementTree.SubElement(root, "Collection")
    console = Console(stderr=True)
    instants = track(
        range(data.sizes["time"]), "writing", console=console, transient=True, disable=not sys.stderr.isatty()
    )
    pieces = Pieces(data) if data.sizes["axis"] == 2 else SpacePieces(data)
    for instant in instants:
        for part, (name, mesh) in enumerate(pieces.at(instant)):
            file = f"{name}_{instant:06d}.vtu"
            mesh.write(folder / file, file_format="vtu")
            time = repr(float(data.time.values[instant]))
            ElementTree.SubElement(
                collection, "DataSet", timestep=time, part=str(part), name=name, file=f"{shown}/{file}"
            )
    ElementTree.indent(root)
    return ElementTree.ElementTree(root)


def _units(data: xr.Dataset) -> str:
    named = {name: str(data[name].attrs.get("units", "1")) for name in _nodal(data)} | UNITS
    return ", ".join(f"{name} {unit}" for name, unit in named.items())


def _nodal(data: xr.Dataset) -> list[str]:
    """Names of the nodal series."""
    return [str(name) for name, v in data.data_vars.items() if v.dims[:2] == ("time", "node") and name != "position"]


class Pieces:
    """The parts of a trajectory as meshes, instant by instant."""

    def __init__(self, data: xr.Dataset) -> None:
        problem = problem_of(data)
        self._data, self._mesh = data, body_mesh(data)
        self._states: PlateStates | None = plate_states(data, problem)
        self._series = {name: data[name].values for name in _nodal(data)}
        self._static = {name: data[name].values for name in ("X", "friction_weight") if name in data}
        self._obstacles = [] if problem is None else [contact.obstacle for contact in problem.contacts]
        self._reach = 4.0 * float(np.ptp(self._mesh.places, axis=(0, 1)).max())

    def at(self, instant: int) -> Iterator[tuple[str, meshio.Mesh]]:
        """Yield the name and the mesh of each part."""
        places, fields = self._data.position.values[instant], self._fields(instant)
        if "body_X" in self._data:
            yield "body", self._rigid(instant, self._mesh)
            yield "friction_points", _mesh(places, ("vertex", np.arange(len(places))[:, None]), fields)
        elif len(self._mesh.cells):
            yield "body", self._deformable(instant, places, fields)
        else:
            yield "body", _mesh(places, ("vertex", np.arange(len(places))[:, None]), fields)
        lines = [line for obstacle in self._obstacles for line in obstacle.outline(self._time(instant), self._reach)]
        if lines:
            yield "obstacles", _polylines(lines)

    def _time(self, instant: int) -> float:
        return float(self._data.time.values[instant])

    def _fields(self, instant: int) -> dict[str, Array]:
        return {name: values[instant] for name, values in self._series.items()} | self._static

    def _deformable(self, instant: int, places: Array, fields: dict[str, Array]) -> meshio.Mesh:
        if self._states is None:
            return _mesh(places, _cells(self._mesh.cells, self._mesh.cells.shape[1]), fields)
        state = self._states.at(instant)
        cell_fields = {
            "second_piola_kirchhoff": state.second_piola_kirchhoff,
            "cauchy_stress": state.cauchy.reshape(-1, 9),
            "von_mises": state.von_mises,
            "principal_stress": state.principal,
        }
        if state.energy_density is not None:
            cell_fields["strain_energy_density"] = state.energy_density
        return _mesh(places, _cells(self._states.plate.nodes, self._mesh.cells.shape[1]), fields, cell_fields)

    def _rigid(self, instant: int, mesh: BodyMesh) -> meshio.Mesh:
        """Mesh of a rigid body, with the rigid velocity at its corners."""
        place = mesh.places[instant]
        arm = place - self._data.frame_position.values[instant]
        turned = np.stack([-arm[:, 1], arm[:, 0]], axis=1)
        velocity = self._data.frame_velocity.values[instant] + float(self._data.frame_spin.values[instant]) * turned
        return _mesh(place, _cells(mesh.cells, mesh.cells.shape[1]), {"X": mesh.X, "velocity": velocity})


class SpacePieces:
    """The parts of a trajectory in space: its points, with the cells of a solid, its frame at the centre of mass with the axes of
    the body, and the ground and obstacles as lines on their surfaces."""

    def __init__(self, data: xr.Dataset) -> None:
        self._data, self._cells = data, ("vertex", np.arange(data.sizes["node"])[:, None])
        if "cells" in data:
            cells = data.cells.values
            self._cells = ("tetra", cells) if cells.shape[1] == 4 else ("hexahedron", cells[:, TO_VTK])
        self._series = {name: data[name].values for name in _nodal(data)}
        self._obstacles = wires(data, problem_of(data))

    def at(self, instant: int) -> Iterator[tuple[str, meshio.Mesh]]:
        """Yield the name and the mesh of each part."""
        data = self._data
        fields = {name: values[instant] for name, values in self._series.items()} | {"X": data.X.values}
        axes = Rotation.from_quat(data.frame_rotation.values[instant], scalar_first=True).as_matrix()
        if data.sizes["node"]:
            points, stress = data.position.values[instant], cauchy_of_solid(data, instant)
            of_cells = {}
            if stress is not None:
                of_cells = {"cauchy_stress": (axes @ stress @ axes.T).reshape(-1, 9), "von_mises": von_mises(stress)}
            yield "body" if "cells" in data else "points", _mesh(points, self._cells, fields, of_cells)
        motion = {"velocity": data.frame_velocity.values[instant], "spin": data.frame_spin.values[instant]}
        motion |= {f"e{k + 1}": axes[:, k] for k in range(3)}
        place = data.frame_position.values[instant][None]
        yield "frame", _mesh(place, ("vertex", np.zeros((1, 1), int)), {k: v[None] for k, v in motion.items()})
        lines = [line for wire in self._obstacles for line in wire.at(float(data.time.values[instant]))]
        if lines:
            yield "obstacles", _polylines(lines)


def _cells(nodes: NDArray[np.int_], corners: int) -> tuple[str, NDArray[np.int_]]:
    return CELL_TYPES[corners, nodes.shape[1]], nodes


def _mesh(
    places: Array,
    cells: tuple[str, NDArray[np.int_]],
    fields: Mapping[str, Array],
    cell_fields: Mapping[str, Array] | None = None,
) -> meshio.Mesh:
    """Mesh of a part with nodes at `places` (n, 2) m; plane vectors get a third component 0."""
    point_data = {name: _in_space(np.asarray(values)) for name, values in fields.items()}
    cell_data = {name: [values] for name, values in (cell_fields or {}).items()}
    return meshio.Mesh(_in_space(places), [cells], point_data=point_data, cell_data=cell_data)


def _in_space(values: Array) -> Array:
    return np.pad(values, ((0, 0), (0, 1))) if values.ndim == 2 and values.shape[1] == 2 else values


def _polylines(lines: list[Array]) -> meshio.Mesh:
    """Mesh of polylines (points, d) m."""
    segments, count = [], 0
    for line in lines:
        first = np.arange(count, count + len(line) - 1)
        segments.append(np.stack([first, first + 1], axis=1))
        count += len(line)
    return _mesh(np.vstack(lines), ("line", np.vstack(segments)), {})
