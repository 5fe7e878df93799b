"""Shared parts of the cases in space: options, blocks, headline numbers, motion of the base."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import floating_frame as ff
from cases.app.run.results import headline

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

    from cases.app.parts.parameters import CaseParameters
    from cases.app.run.results import Headline
    from floating_frame import Options

    Array = NDArray[np.float64]


def options(params: CaseParameters, *, stress: bool = False) -> Options:
    """Options of the time integration and output of a case in space."""
    return ff.Options(dt=params.dt, scheme=params.scheme, output_every=params.output_every, stress=stress)


def box_inertia(mass: float, length: float, width: float, height: float) -> Array:
    """Principal moments (3,) kg m² of a homogeneous block about its centre."""
    squares = np.square([length, width, height])
    moments: Array = mass * (squares.sum() - squares) / 12.0
    return moments


def corners(length: float, width: float, height: float) -> Array:
    """The four base corners (4, 3) m from the centre of a block."""
    x, y = 0.5 * length, 0.5 * width
    return np.array([[a * x, b * y, -0.5 * height] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])


def friction_energy(data: xr.Dataset) -> float:
    """Energy dissipated by friction until the end, J, under exact contact or a penalty."""
    return float(data.friction_work.values[-1].sum())


def friction_work(data: xr.Dataset) -> Headline:
    """Headline of the energy dissipated by friction."""
    return headline(friction_energy(data), "J", "energy dissipated by friction")


def displacement_max(data: xr.Dataset) -> Headline:
    """Headline of the largest elastic displacement."""
    largest = float(np.linalg.norm(data.displacement.values, axis=2).max())
    return headline(largest, "m", "largest displacement in the frame")


def stuck(data: xr.Dataset) -> NDArray[np.bool_]:
    """Instants (times,) at which all nodes of the base stick."""
    all_stick: NDArray[np.bool_] = np.all(data.stick.values[:, base_of(data)] == 1, axis=1)
    return all_stick


def base_of(data: xr.Dataset) -> NDArray[np.intp]:
    """Numbers (m,) of the nodes of the base."""
    z = data.X.values[:, 2]
    return np.flatnonzero(z <= z.min(initial=np.inf) + 1e-9 * float(np.ptp(z)))


def angle_turned(data: xr.Dataset) -> Array:
    """Angle (times,) rad turned about z, unwrapped."""
    w, _, _, z = data.frame_rotation.values.T
    return np.unwrap(2.0 * np.arctan2(z, w))
