"""``run.fff``: what can be asked of the dataset of a run, besides what xarray has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import xarray as xr

from floating_frame.run_methods import METHODS


@xr.register_dataset_accessor("fff")
class RunMethods:
    """Methods of the dataset of a run: ``at``, ``resultants``, and those that other packages have registered."""

    def __init__(self, data: xr.Dataset) -> None:
        self._data = data

    def at(self, point: Sequence[float]) -> xr.Dataset:
        """Return the run of the node nearest to a reference ``point`` (x, y) m from the centre of mass; its own place is `X`.

        Raises ValueError where there are no nodes, and for what is no point.
        """
        place = np.asarray(point, float)
        if place.shape != (2,) or not np.isfinite(place).all() or not self._data.sizes["node"]:
            raise ValueError(f"at: expected a point (x, y) in m of a body with nodes, got {point!r}")
        return self._data.isel(node=int(np.argmin(np.linalg.norm(self._data.X.values - place, axis=1))))

    def resultants(self) -> xr.Dataset:
        """Return the resultants of friction over time: `force` (time, axis) N, `moment` (time) N m about the frame's origin x0,
        `power` (time) W on the moving nodes, and `stick_share` (time), the part of the friction bound that sticks."""
        data = self._data
        force, arm = data.friction_force, data.position - data.frame_position
        x, y = (arm.isel(axis=k) * force.isel(axis=1 - k) for k in (0, 1))
        weight = data.friction_weight / data.friction_weight.sum() if float(data.friction_weight.sum()) else 0.0
        found = {
            "force": (force.sum("node"), "N", "friction on the body, inertial"),
            "moment": ((x - y).sum("node"), "N m", "moment of the friction on the body about x0"),
            "power": ((force * data.velocity).sum(("node", "axis")), "W", "power of the friction on the body"),
            "stick_share": ((data.stick * weight).sum("node"), "1", "part of the friction bound at t = 0 that sticks"),
        }
        return xr.Dataset({k: v.assign_attrs(units=unit, long_name=name) for k, (v, unit, name) in found.items()})

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *METHODS]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in METHODS:
            known = ", ".join(["at", "resultants", *METHODS])
            raise AttributeError(
                f"runs have no method {name!r}, but {known}; import cases adds plot, animate, to_vtk, to_html"
            )
        module, function = METHODS[name].split(":")
        return partial(getattr(import_module(module), function), self._data)
