"""``run.fff``: methods of the dataset of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import xarray as xr

from friction.arrays import as_numbers, shown


def run_methods() -> dict[str, str]:
    """Places "module:function" of the methods that imported packages add to runs, by name: their ``RUN_METHODS``.

    The function, imported at its first call, takes the dataset of a run and the method's arguments.
    """
    packages = [module for name, module in list(sys.modules.items()) if "." not in name]
    return {
        name: at for package in packages for name, at in getattr(package, "__dict__", {}).get("RUN_METHODS", {}).items()
    }


def _moment(arm: xr.DataArray, force: xr.DataArray) -> xr.DataArray:
    """Moments of forces at arms (time, node, axis): (time, node) in the plane, (time, node, axis) in space."""
    if arm.sizes["axis"] == 3:
        return xr.DataArray(xr.cross(arm, force, dim="axis"))
    (x, y), (across, along) = ([one.isel(axis=k, drop=True) for k in (0, 1)] for one in (arm, force))
    return x * along - y * across


@xr.register_dataset_accessor("fff")
class RunMethods:
    """Methods of the dataset of a run: ``at``, ``resultants``, and those that other packages add (``run_methods``)."""

    def __init__(self, data: xr.Dataset) -> None:
        self._data = data

    def at(self, point: Sequence[float]) -> xr.Dataset:
        """Run of the node nearest to a reference ``point``, m from the centre of mass: (x, y), in space (x, y, z).

        Its own place is `X`. Raises ValueError for other values than a point, and for a point off the body: outside the box of its
        nodes, or farther from all nodes than the longest side of a cell. A body without cells counts as a ball up to its farthest
        node.
        """
        self._check("at", "X")
        place = as_numbers(point, "at: expected a point (x, y), in space (x, y, z), in m: its coordinates")
        if place.shape != (self._data.sizes["axis"],) or not np.isfinite(place).all() or not self._data.sizes["node"]:
            raise ValueError(
                f"at: expected a point (x, y), in space (x, y, z), in m of a body with nodes, got {shown(point)}"
            )
        X, data = self._data.X.values, self._data
        apart, reach = np.linalg.norm(X - place, axis=1), float(np.linalg.norm(X, axis=1).max())
        least, most, beside = X.min(axis=0), X.max(axis=0), False
        if "cells" in data and data.cells.size:
            corners = X[data.cells.values]
            beside = bool(np.any(np.maximum(least - place, place - most) > 1e-9 * reach))
            reach = float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max())
        if beside or apart.min() > reach:
            box = " x ".join(f"[{a:.6g}, {b:.6g}]" for a, b in zip(least, most, strict=True))
            raise ValueError(
                f"at: expected a point of the body, whose nodes lie in {box} m, got {shown(point)}, {apart.min():.3g} m from them"
            )
        return data.isel(node=int(np.argmin(apart)))

    def resultants(self) -> xr.Dataset:
        """Resultants of friction over time.

        `force` (time, axis) N; `moment` N m about the frame's origin x0, (time) in the plane, (time, axis) in space; `power` (time)
        W on the moving nodes; `stick_share` (time), the part of the normal force whose nodes stick.
        """
        self._check("resultants", "friction_force", "position", "frame_position", "velocity", "stick")
        data = self._data
        force, arm = data.friction_force, data.position - data.frame_position
        moment = _moment(arm, force).sum("node")
        bound = data.friction_weight if "friction_weight" in data else data.normal_force
        weight = bound / bound.sum("node").where(bound.sum("node") > 0.0, 1.0)
        sticks = ((data.stick == 1) * weight).sum("node")
        fields = {
            "force": (force.sum("node"), "N", "friction on the body, inertial"),
            "moment": (moment.transpose("time", ...), "N m", "moment of the friction on the body about x0"),
            "power": ((force * data.velocity).sum(("node", "axis")), "W", "power of the friction on the body"),
            "stick_share": (sticks, "1", "part of the normal force whose nodes stick"),
        }
        return xr.Dataset({k: v.assign_attrs(units=unit, long_name=name) for k, (v, unit, name) in fields.items()})

    def _check(self, method: str, *needed: str) -> None:
        """Refuse a dataset without variables that are needed: ValueError."""
        if absent := [name for name in needed if name not in self._data]:
            raise ValueError(f"{method}: expected the dataset of a run, got one without {', '.join(absent)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *run_methods()]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        methods = run_methods()
        if name not in methods:
            names = ", ".join(["at", "resultants", *methods])
            raise AttributeError(
                f"runs have no method {name!r}, but {names}; import cases adds plot, animate, to_vtk, to_html"
            )
        module, function = methods[name].split(":")
        return partial(getattr(import_module(module), function), self._data)
