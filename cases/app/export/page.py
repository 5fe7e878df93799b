"""One self-contained HTML page with a player of a saved run: the body, its fields, friction, energies and speeds.

The page is `player/page.html` with its style and script and the data in it; it needs no network. Fields are
16-bit integers between their smallest and largest value, thinned evenly in time to stay below `MAX_BYTES` bytes.
"""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib import colormaps
from numpy.typing import NDArray

from cases.app.drawing.scene import ARROWS_ALONG, LINE_SLIPS, SLIPS, STICKS, enlargement
from cases.app.drawing.style import thinned
from cases.app.export.obstacles import wires
from cases.app.export.page_data import Arrays, Field, curves, encoded, fields
from cases.app.export.space_data import SpaceBody, space_fields, space_parts, values_per_instant
from cases.app.export.stresses import plate_states, problem_of
from cases.app.parts.body_mesh import body_mesh
from cases.app.registry import CASES
from cases.app.run.results import write_whole
from floating_frame import run_warnings

MAX_BYTES = 8_000_000
"""Largest size of a page's data, bytes; with style and script the page stays below ten million."""
MAX_FRAMES = 400
LEVELS = 256
MAPS = {"sequential": "viridis", "signed": "PuOr_r"}
"""Colour maps legible to the colour-blind."""


def write_page(data: xr.Dataset, path: Path) -> Path:
    """Write the page of a trajectory and return the file."""
    player = files("cases.app.export") / "player"
    text = (player / "page.html").read_text(encoding="utf-8")
    space = data.sizes["axis"] == 3
    files_of = {"STYLE": "style.css", "SCENE": "space.js" if space else "plane.js", "SCRIPT": "player.js"}
    parts = {name: (player / file).read_text(encoding="utf-8") for name, file in files_of.items()}
    title = str(data.attrs.get("case", path.stem.strip(".")))
    content = (space_page if space else page_data)(data, title=title)
    parts["TITLE"] = html.escape(title)
    # In a script element the text "</" would end it, and "<!--" what follows it.
    parts["DATA"] = json.dumps(content, allow_nan=False).replace("<", "\\u003c")
    text = re.sub("@([A-Z]+)@", lambda mark: parts[mark[1]], text)  # in one pass: a part may contain a mark
    write_whole(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
    return path


def space_page(data: xr.Dataset, *, title: str) -> dict[str, object]:
    """Data of the player for a body in space, as for JSON."""
    body = SpaceBody(data)
    shown = space_fields(data, body)
    instants = chosen_instants(data, values_per_instant(data, shown))
    return _common(data, title, shown, instants) | space_parts(
        data, body, shown, instants, wires(data, problem_of(data))
    )


def page_data(data: xr.Dataset, *, title: str) -> dict[str, object]:
    """Data of the player for a body in the plane, as for JSON."""
    problem = problem_of(data)
    shown = fields(data, plate_states(data, problem))
    nodes, cells = data.sizes["node"], data.sizes.get("cell", 0)
    # Two components of displacement and of friction.
    instants = chosen_instants(data, 4 * nodes + sum(nodes if field.on_nodes else cells for field in shown))
    mesh = body_mesh(data)
    arrays = Arrays(data, mesh, instants)
    size = float(np.ptp(mesh.X, axis=0).max())
    obstacles = [] if problem is None else [contact.obstacle for contact in problem.contacts]
    extent = float(np.ptp(mesh.places, axis=(0, 1)).max())
    arrows = thinned(data.X.values, size / ARROWS_ALONG) if data.sizes["node"] else np.zeros(0, int)
    return _common(data, title, shown, instants) | {
        "size": size,
        "first": "stick" if any(field.key == "stick" for field in shown) else "speed",
        "forceName": "friction force",
        "enlargement": enlargement(data),
        "frame": arrays.frame(),
        "body": {"X": encoded(mesh.X.astype(np.float32)), "count": len(mesh.X), "cells": mesh.cells.tolist()},
        "nodes": {
            "X": encoded(data.X.values.astype(np.float32)),
            "count": data.sizes["node"],
            "sameAsBody": "body_X" not in data,
        },
        "nodeCells": data.cells.values.tolist() if len(mesh.cells) else [],
        "moved": arrays.displacement(),
        "friction": arrays.friction(),
        "arrows": arrows.tolist(),
        "curves": curves(data),
        "obstacles": [
            [[np.round(line, 9).tolist() for line in obstacle.outline(t, 4.0 * extent)] for obstacle in obstacles]
            for t in (data.time.values[instants] if obstacles else ())
        ],
        "states": {"sticks": STICKS, "slips": LINE_SLIPS if mesh.cells.shape[1] == 2 else SLIPS},
    }


def _common(data: xr.Dataset, title: str, shown: list[Field], instants: NDArray[np.int_]) -> dict[str, object]:
    """Data common to the pages of all bodies."""
    return {
        "title": title,
        "about": CASES.get(title, ""),
        "notes": notes(data),
        "parameters": json.loads(data.attrs.get("parameters", "{}")),
        "times": [float(t) for t in data.time.values[instants]],
        "fields": [field.packed(instants) for field in shown],
        "maps": {name: encoded(_colours(map_)) for name, map_ in MAPS.items()},
    }


def chosen_instants(data: xr.Dataset, values: int) -> NDArray[np.int_]:
    """Indices of the instants that fit into the page with `values` numbers each: evenly spread, with the first and the last."""
    # 16 bits each; base64 writes four bytes for three.
    fit = int(MAX_BYTES / (values * 2 * 4 / 3)) if values else MAX_FRAMES
    count = max(2, min(fit, MAX_FRAMES))
    times = data.time.values
    if len(times) <= count:
        return np.arange(len(times))
    wanted = np.linspace(times[0], times[-1], count)
    after = np.searchsorted(times, wanted).clip(1, len(times) - 1)
    return np.unique(np.where(wanted - times[after - 1] < times[after] - wanted, after - 1, after))


def notes(data: xr.Dataset) -> list[str]:
    """Warnings of the run, and a note where it is incomplete."""
    lines = [warning.line for warning in run_warnings(data)]
    if not int(data.attrs.get("complete", 1)):
        lines.insert(0, f"incomplete: stopped at t = {float(data.time.values[-1]):.4g} s")
    return lines


def _colours(name: str) -> NDArray[np.uint8]:
    colours: NDArray[np.uint8] = (colormaps[name](np.linspace(0.0, 1.0, LEVELS))[:, :3] * 255).round().astype(np.uint8)
    return colours
