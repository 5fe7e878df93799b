"""What the cases in space share besides their parameters: how they are integrated, blocks, and friction's energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import floating_frame as ff

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import NDArray

    from cases.app.parts.parameters import CaseParameters
    from floating_frame import Options

    Array = NDArray[np.float64]


def options(params: CaseParameters, *, stress: bool = False) -> Options:
    """Return how a case in space is integrated."""
    return ff.Options(dt=params.dt, scheme=params.scheme, output_every=params.output_every, stress=stress)


def box_inertia(mass: float, length: float, width: float, height: float) -> Array:
    """Return the principal moments (3,) kg m² of a homogeneous block about its centre."""
    squares = np.square([length, width, height])
    moments: Array = mass * (squares.sum() - squares) / 12.0
    return moments


def corners(length: float, width: float, height: float) -> Array:
    """Return the four base corners (4, 3) m from the centre of a block."""
    x, y = 0.5 * length, 0.5 * width
    return np.array([[a * x, b * y, -0.5 * height] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])


def rubbed(data: xr.Dataset) -> float:
    """Return the energy, J, that friction has taken at the end, on exact contact or a penalty's."""
    return float(data.friction_work.values[-1].sum())
