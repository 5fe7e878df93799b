"""The arrays of a player's page: fields by which the body is coloured, motion and friction, and the curves over time."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from cases.app.export.stresses import PlateStates
from cases.app.parts.body_mesh import BodyMesh

Array = NDArray[np.float64]

STEPS = 65534
"""Steps between the smallest and the largest value of a field; the next integer stands for a missing value."""
MAX_POINTS = 2000
"""Largest number of points of a curve."""
ENERGIES = {
    "energy_kinetic": "kinetic",
    "energy_strain": "strain",
    "work_external": "external work",
    "dissipation_friction": "friction",
    "dissipation_viscous": "viscous",
    "dissipation_contact": "contact",
    "dissipation_impact": "impacts",
    "contact_energy": "in contacts",
    "dissipation_numerical": "time steps",
}


def encoded(values: np.ndarray) -> str:
    """Base64 of an array's bytes, little-endian."""
    return base64.b64encode(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()).decode()


def quantised(values: Array) -> dict[str, object]:
    """Values (frames, ...) as 16-bit integers, `low` + `step` × integer; 65535 where not finite."""
    finite = np.isfinite(values)
    low = float(np.min(values, where=finite, initial=np.inf)) if finite.any() else 0.0
    high = float(np.max(values, where=finite, initial=-np.inf)) if finite.any() else 0.0
    step = (high - low) / STEPS
    integers = np.full(values.shape, STEPS + 1, np.uint16)
    places = (values - low) / step if step > 0.0 else np.zeros(values.shape)
    integers[finite] = np.rint(places[finite]).astype(np.uint16)
    return {"low": low, "high": high, "step": step, "values": encoded(integers)}


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field that colours the body: `values` (times, nodes or cells) in `unit`; `signed`: its colours are centred on 0."""

    key: str
    label: str
    unit: str
    values: Array
    on_nodes: bool = True
    signed: bool = False
    states: bool = False

    def packed(self, instants: NDArray[np.int_]) -> dict[str, object]:
        """The field at the chosen instants, as for JSON."""
        head = {"key": self.key, "label": self.label, "unit": self.unit, "onNodes": self.on_nodes}
        return head | {"signed": self.signed, "states": self.states} | quantised(self.values[instants])


def fields(data: xr.Dataset, states: PlateStates | None) -> list[Field]:
    """Fields of a trajectory for the colour of its body."""
    u, v, f = (np.linalg.norm(data[name].values, axis=2) for name in ("displacement", "velocity", "friction_force"))
    parts = []
    if u.any():
        parts.append(Field(key="displacement", label="displacement |u| in the frame", unit="m", values=u))
    parts.append(Field(key="speed", label="speed", unit="m/s", values=v))
    bound = data.friction_weight.values
    if bound.any():
        share = np.where(bound > 0.0, f / np.where(bound > 0.0, bound, 1.0), np.nan)
        parts.append(Field(key="friction", label="friction over its bound μ pₙ", unit="1", values=share))
        stick = data.stick.values.astype(float)
        parts.append(Field(key="stick", label="stick", unit="", values=stick, states=True))
        parts.append(Field(key="slip_path", label="slip path", unit="m", values=data.slip_path.values))
    if states is not None:
        stress = np.array([states.at(i).von_mises for i in range(data.sizes["time"])])
        parts.append(Field(key="stress", label="von Mises stress", unit="Pa", values=stress, on_nodes=False))
    if "bending_moment" in data:
        moment = data.bending_moment.values
        parts.append(Field(key="stress", label="bending moment", unit="N m", values=moment, signed=True))
    return parts


class Arrays:
    """The motion of a body and the friction on it at the chosen `instants`, as for JSON."""

    def __init__(self, data: xr.Dataset, mesh: BodyMesh, instants: NDArray[np.int_]) -> None:
        self._data, self._mesh, self._instants = data, mesh, instants

    def frame(self) -> dict[str, list[float]]:
        """Position (x, y) m and angle rad of the frame."""
        x, y = self._data.frame_position.values[self._instants].T
        angle = self._data.frame_angle.values[self._instants]
        return {"x": x.tolist(), "y": y.tolist(), "angle": angle.tolist()}

    def displacement(self) -> dict[str, object] | None:
        """Displacement of the body's points in the frame, (frames, points, 2); None where it is all rounding."""
        places = self._mesh.places[self._instants]
        angle = self._data.frame_angle.values[self._instants]
        from_origin = places - self._data.frame_position.values[self._instants][:, None]
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        x, y = from_origin[..., 0], from_origin[..., 1]
        displacement = np.stack([c * x + s * y, c * y - s * x], axis=-1) - self._mesh.X
        rounding = 1e-13 * (np.abs(places).max() + np.abs(self._mesh.X).max())
        return quantised(displacement) if np.abs(displacement).max() > rounding else None

    def friction(self) -> dict[str, object] | None:
        """Friction on the nodes over the bound at t = 0, (frames, nodes, 2); None without friction."""
        bound = self._data.friction_weight.values
        if not bound.any():
            return None
        force = self._data.friction_force.values[self._instants]
        share = np.where(bound[:, None] > 0.0, force / np.where(bound > 0.0, bound, 1.0)[:, None], 0.0)
        return quantised(share) | {"bound": bound.tolist()}


def curves(data: xr.Dataset) -> list[dict[str, object]]:
    """Panels of curves over time: energies, speeds, share of sticking nodes."""
    radius = float(np.linalg.norm(data.X.values, axis=1).max())
    energies = {
        label: data[name].values for name, label in ENERGIES.items() if name in data and data[name].values.any()
    }
    speeds = {
        "frame |v₀|": np.linalg.norm(data.frame_velocity.values, axis=1),
        "spin × radius |ω| r": np.abs(data.frame_spin.values) * radius,
        "fastest node": np.linalg.norm(data.velocity.values, axis=2).max(axis=1, initial=0.0),
    }
    panels = [("energy", "J", energies), ("speed", "m/s", speeds)]
    if data.friction_weight.values.any():
        panels.append(("share of nodes that stick", "1", {"sticking": (data.stick.values == 1).mean(axis=1)}))
    return plain_curves(data, panels)


def plain_curves(data: xr.Dataset, panels: list[tuple[str, str, dict[str, Array]]]) -> list[dict[str, object]]:
    """Panels (title, unit, lines over all instants) as for JSON, thinned to `MAX_POINTS`."""
    instants = np.unique(
        np.linspace(0, data.sizes["time"] - 1, min(data.sizes["time"], MAX_POINTS)).round().astype(int)
    )
    times = data.time.values[instants].tolist()
    return [
        {
            "title": title,
            "unit": unit,
            "times": times,
            "lines": [{"label": label, "values": _plain(values[instants])} for label, values in lines.items()],
        }
        for title, unit, lines in panels
    ]


def _plain(values: Array) -> list[float | None]:
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values]
