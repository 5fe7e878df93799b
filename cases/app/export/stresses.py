"""Stresses and strain energy of the cells of a saved plate, from the stored displacement; stored stresses of a solid."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from cases.app.drawing.plotting import parameters
from cases.app.registry import case_of, load
from fem.analysis.cell_fields import cauchy_tensor, principal_values, strain_energy_density, von_mises
from fem.bodies import Plate
from floating_frame.loads.thermal import Heating
from floating_frame.problem import Problem

Array = NDArray[np.float64]
VOIGT = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])
"""Component (xx, yy, zz, yz, xz, xy) of each entry of a tensor."""


class CellState(NamedTuple):
    """Fields of the cells at an instant: second Piola-Kirchhoff stress (C, 3) [xx, yy, xy] in the frame, Cauchy stress (C, 3, 3)
    in space, von Mises stress (C,) and principal stresses (C, 3), the largest first, all in Pa; strain energy density (C,) J/m3
    of the reference volume, None for a heated plate.
    """

    second_piola_kirchhoff: Array
    cauchy: Array
    von_mises: Array
    principal: Array
    energy_density: Array | None


class PlateStates:
    """The cell states of a trajectory whose body is a `plate`."""

    def __init__(self, data: xr.Dataset, plate: Plate, heating: Heating | None) -> None:
        self._data, self.plate, self._heating = data, plate, heating

    def at(self, instant: int) -> CellState:
        """State at a stored instant."""
        u = self._data.displacement.values[instant]
        time, angle = float(self._data.time.values[instant]), float(self._data.frame_angle.values[instant])
        body = self.plate if self._heating is None else self._heating.at(time)
        cauchy = cauchy_tensor(body, u)
        c, s = np.cos(angle), np.sin(angle)
        Q = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return CellState(
            second_piola_kirchhoff=body.stress(u),
            cauchy=Q @ cauchy @ Q.T,
            von_mises=von_mises(cauchy),
            principal=principal_values(cauchy),
            energy_density=strain_energy_density(self.plate, u) if self._heating is None else None,
        )


def cauchy_of_solid(data: xr.Dataset, instant: int) -> Array | None:
    """Cauchy stress (C, 3, 3) Pa of a solid's cells in its frame; None where it is not stored (--stress)."""
    if "cauchy_stress" not in data:
        return None
    tensor: Array = data.cauchy_stress.values[instant][:, VOIGT]
    return tensor


def problem_of(data: xr.Dataset) -> Problem | None:
    """Problem of a case's trajectory; None where the case is unknown or a linear beam's."""
    try:
        problem = load(case_of(data.attrs)).problem(parameters(data))
    except (KeyError, ValueError, OSError):  # no case, another version, or a missing mesh file
        return None
    return problem if isinstance(problem, Problem) else None


def plate_states(data: xr.Dataset, problem: Problem | None) -> PlateStates | None:
    """Cell states of a trajectory whose problem has an elastic plate on the same nodes, else None."""
    plate = None if problem is None else problem.body
    if problem is None or not isinstance(plate, Plate) or plate.X.shape != data.X.shape:
        return None
    size = float(np.abs(plate.X).max())
    if np.abs(plate.X - data.X.values).max() > 1e-6 * size:
        return None
    heating = None if problem.thermal_strain is None else Heating(plate, problem.thermal_strain)
    return PlateStates(data, plate, heating)
