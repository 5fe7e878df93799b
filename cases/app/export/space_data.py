"""Data of the player for a body in space: faces, motion, contact forces on its points, curves over time."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from cases.app.drawing.solid import outward, owned_faces
from cases.app.drawing.space import turned
from cases.app.drawing.space_scene import grounded, shape
from cases.app.drawing.style import BLUE, VERMILION, thinned
from cases.app.export.obstacles import Wire
from cases.app.export.page_data import ENERGIES, Field, encoded, plain_curves, quantised
from cases.app.export.stresses import cauchy_of_solid
from fem.analysis.cell_fields import von_mises

Array = NDArray[np.float64]
Integers = NDArray[np.int_]

STATES = {"sticks": BLUE, "slips": VERMILION, "open": "#dddddd"}
ARROWS_ALONG = 8
"""Number of arrows of contact forces along the body."""
BESIDE = 0.15
"""Margin of the drawn ground around the path, over the path's extent."""


class SpaceBody:
    """Corners ``X`` (n, 3) m of a body from its centre of mass, and its outward ``faces`` (F, 3 or 4); ``owner`` (F,): cells of a
    solid at the faces; ``edges``: True where their outlines are drawn."""

    def __init__(self, data: xr.Dataset) -> None:
        self.solid = "cells" in data
        if self.solid:
            self.X, cells = data.X.values, data.cells.values
            faces, self.owner = owned_faces(cells)
            self.faces, self.edges = outward(self.X, faces, self.X[cells[self.owner]].mean(axis=1)), len(faces) < 1000
            return
        self.X, faces, width = shape(data)
        self.owner, self.edges = np.zeros(0, int), width >= 0.5
        self.faces = outward(self.X, faces, np.zeros((len(faces), 3)))


def space_fields(data: xr.Dataset, body: SpaceBody) -> list[Field]:
    """Fields of a trajectory in space for the colour of its faces or points."""
    entries = []
    if "cauchy_stress" in data:
        cells = np.array([von_mises(np.asarray(cauchy_of_solid(data, i))) for i in range(data.sizes["time"])])
        entries.append(
            Field(key="stress", label="von Mises stress", unit="Pa", values=cells[:, body.owner], on_nodes=False)
        )
    if "displacement" in data:
        u = np.linalg.norm(data.displacement.values, axis=2)
        entries.append(Field(key="displacement", label="displacement |u| in the frame", unit="m", values=u))
    speed = np.linalg.norm(data.velocity.values, axis=2)
    entries.append(Field(key="speed", label="speed", unit="m/s", values=speed))
    if data.sizes["node"] and data.normal_force.values.any():
        entries.append(Field(key="normal_force", label="normal force", unit="N", values=data.normal_force.values))
        stick = data.stick.values.astype(float)
        entries.append(Field(key="stick", label="points of contact", unit="", values=stick, states=True))
        entries.append(Field(key="slip_path", label="slip path", unit="m", values=data.slip_path.values))
    return entries


def _packed(wire: Wire, times: Array) -> dict[str, object]:
    """Lines of an obstacle in its own axes, and where it moves the origin and unit points of these at ``times`` (n,) s."""
    lines = [line.round(9).tolist() for line in wire.lines]
    return {"lines": lines, "axes": [wire.axes_at(t).round(9).tolist() for t in times] if wire.moves else None}


def space_parts(
    data: xr.Dataset, body: SpaceBody, shown: list[Field], instants: NDArray[np.int_], obstacles: list[Wire]
) -> dict[str, object]:
    """Data of the page that only bodies in space have, at the chosen ``instants``."""
    size, place = float(np.ptp(body.X, axis=0).max()), data.frame_position.values[instants]
    rotation = data.frame_rotation.values[instants]
    strained = "displacement" in data and bool(data.displacement.values.any())
    contacts = np.flatnonzero((data.normal_force.values > 0.0).any(axis=0)) if data.sizes["node"] else np.zeros(0, int)
    force = data.contact_force.values[:, contacts] if len(contacts) else np.zeros((len(data.time), 0, 3))
    points, on_ground = data.X.values[contacts], grounded(data)
    arrows = contacts[thinned(points[:, :2], size / ARROWS_ALONG)] if len(contacts) else contacts
    return {
        "size": size,
        "first": next((field.key for field in shown if field.key in ("stress", "displacement")), "none"),
        "forceName": "contact force",
        "enlargement": 1.0,
        "frame": {"place": place.round(9).tolist(), "rotation": rotation.round(9).tolist()},
        "arms": _arms(data, instants),
        "edges": body.edges,
        "ground": _ground(data, body) if on_ground else None,
        "obstacles": [
            _packed(wire, data.time.values[instants]) for wire in obstacles if not (on_ground and wire.ground)
        ],
        "body": {"X": encoded(body.X.astype(np.float32)), "count": len(body.X), "cells": body.faces.tolist()},
        "nodes": {
            "X": encoded(data.X.values.astype(np.float32)),
            "count": data.sizes["node"],
            "sameAsBody": body.solid,
        },
        "nodeCells": body.faces.tolist() if body.solid else [],
        "moved": quantised(data.displacement.values[instants]) if strained else None,
        "friction": quantised(force[instants]) if force.any() else None,
        "contacts": contacts.tolist(),
        "strongest": float(np.linalg.norm(force, axis=2).max(initial=0.0)),
        "arrows": arrows.tolist(),
        "curves": plain_curves(data, _panels(data, contacts)),
        "states": STATES,
    }


def _arms(data: xr.Dataset, instants: NDArray[np.int_]) -> dict[str, object] | None:
    """Positions of contact points that are not fixed in the body (a ball's) from the origin of the frame, space axes; else None."""
    if "displacement" in data or not data.sizes["node"]:
        return None
    off = data.position.values - data.frame_position.values[:, None]
    follows = [turned(q, data.X.values) for q in data.frame_rotation.values]
    return None if np.allclose(off, follows, rtol=0, atol=1e-9 * np.abs(off).max()) else quantised(off[instants])


def values_per_instant(data: xr.Dataset, shown: list[Field]) -> int:
    """Number of 16-bit values per instant."""
    return 6 * int(data.sizes["node"]) + sum(int(field.values.shape[1]) for field in shown)


def _ground(data: xr.Dataset, body: SpaceBody) -> list[float]:
    """Bounds x0, x1, y0, y1 m of the drawn ground: the path and a margin."""
    reach = float(np.linalg.norm(body.X, axis=1).max())
    path = data.frame_position.values[:, :2]
    low, high = path.min(axis=0) - reach, path.max(axis=0) + reach
    apart = BESIDE * float((high - low).min())
    return [low[0] - apart, high[0] + apart, low[1] - apart, high[1] + apart]


def _panels(data: xr.Dataset, contacts: Integers) -> list[tuple[str, str, dict[str, Array]]]:
    """Panels of curves: title, unit and lines."""
    energies = {
        label: data[name].values for name, label in ENERGIES.items() if name in data and data[name].values.any()
    }
    speeds = {"centre |v₀|": np.linalg.norm(data.frame_velocity.values, axis=1)}
    if len(data.X):
        reach = float(np.linalg.norm(data.X.values, axis=1).max())
        speeds["spin × radius |Ω| r"] = np.linalg.norm(data.frame_spin.values, axis=1) * reach
    panels = [("energy", "J", energies), ("speed", "m/s", speeds)]
    if not len(data.X):
        spins = {name: data.frame_spin.values[:, k] for k, name in enumerate(("Ω x", "Ω y", "Ω z"))}
        panels[1] = ("spin", "rad/s", spins)
    if len(contacts):
        stick, along = data.stick.values[:, contacts], data.friction_force.values.sum(axis=1)
        forces = {"normal": data.normal_force.values.sum(axis=1), "friction": np.linalg.norm(along, axis=1)}
        panels.append(("contact force", "N", forces))
        shares = {name: (stick == code).mean(axis=1) for code, name in ((1, "stick"), (0, "slip"), (-1, "open"))}
        panels.append(("share of the points of contact", "1", shares))
    return panels
