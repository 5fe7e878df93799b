"""Errors of a run's headline numbers, from the companion run with twice the step and, on request, one with half the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from cases.app.parts.parameters import CaseParameters
from cases.app.registry import Case
from cases.app.run.errors import BadInput
from cases.app.run.inputs import assembled, validated
from cases.app.run.results import Headline, Headlines
from floating_frame import RunWarning, StepFailure, simulate
from floating_frame.system.model import RunModel
from floating_frame.verdict.energy import percent
from floating_frame.verdict.limits import STEP_ERROR
from floating_frame.verdict.step_error import NAME, Companion, NoCompanion

if TYPE_CHECKING:
    import xarray as xr

Estimate = Literal["", "steps", "mesh"]
"""Which errors are estimated: none, those of the steps, or those of the mesh as well."""
MIN_SHARE = 1e-3
"""Headline numbers below this part of their scale are not judged: they are small differences of large ones."""


class HeadlineErrors(Companion):
    """Companion run of a case, and the estimated ``errors`` of its headline numbers by name."""

    def __init__(self, case: Case, params: CaseParameters, estimate: Estimate) -> None:
        self._case, self._params, self._longer = case, params, params
        self._coarser = half_the_cells(case, params) if estimate == "mesh" else None
        self.errors: dict[str, float] = {}
        self.subject = "steps" if self._coarser is None else "steps and the mesh"
        self.coarser = "" if self._coarser is None else ", and a run with half the cells"

    def model(self, model: RunModel) -> RunModel:
        """As in ``Companion``; quasi-static: half the increments of each leg."""
        name, params = self._case.STUDY.increments, self._params
        if not name or model.steps.inertia:
            return super().model(model)
        count = dict(params)[name]
        if count < 2:
            raise NoCompanion("a leg of the history has one increment")
        self._longer = validated(type(params), dict(params) | {name: count // 2, "dt": 1.0 / (count // 2)})
        return assembled(self._case, self._longer, stress=model.options.stress)

    def compare(self, data: xr.Dataset, other: xr.Dataset, distance: float) -> list[RunWarning]:
        """As in ``Companion``; also sets ``errors``."""
        try:
            own = self._case.summary(self._params, data)
            of_steps = _differences(own, self._case.summary(self._longer, other), distance)
            errors = of_steps if self._coarser is None else self._with_mesh(own, of_steps, stress="stress" in data)
        except (ArithmeticError, ValueError):  # numbers too large or too small: the run's own summary says so
            return []
        except StepFailure as failure:
            text = (
                f"the run with half the cells fails at t = {failure.time:.6g} s: no error estimate; take a finer mesh"
            )
            return [RunWarning(NAME, 1.0, STEP_ERROR, text)]
        spacing = float(np.diff(data.time.values).max(initial=0.0))
        self.errors = {
            name: max(error, spacing) if own[name].get("kind") == "instant" else error for name, error in errors.items()
        }
        return _warnings(own, of_steps, data)

    def _with_mesh(self, own: Headlines, errors: dict[str, float], *, stress: bool) -> dict[str, float]:
        """Errors of steps and mesh of the numbers defined in all three runs. Raises StepFailure."""
        assert self._coarser is not None
        coarse = simulate(assembled(self._case, self._coarser, stress=stress))
        of_mesh = _differences(own, self._case.summary(self._coarser, coarse), 1.0)
        return {name: error + of_mesh[name] for name, error in errors.items() if name in of_mesh}


def half_the_cells(case: Case, params: CaseParameters) -> CaseParameters:
    """Parameters with half the cells of the mesh. Raises BadInput where there is no such mesh or the case refuses it."""
    given = dict(params)
    counts = {name: given[name] for name in case.STUDY.meshing(params)}
    if given.get("mesh") is not None:
        raise BadInput("estimate_mesh: expected a mesh with numbers of cells, got one from a file")
    if not any(count > 1 for count in counts.values()):
        raise BadInput(f"estimate_mesh: expected cells that can be halved, got {counts}")
    try:
        return validated(type(params), dict(params) | {name: max(1, count // 2) for name, count in counts.items()})
    except BadInput as error:
        raise BadInput(f"estimate_mesh: half the cells are refused: {error}") from error


def with_errors(results: Headlines, errors: dict[str, float]) -> Headlines:
    """Headline numbers with their estimated ``errors``."""
    entries: Headlines = {}
    for name, entry in results.items():
        stored: Headline = {**entry}
        stored.pop("kind", None)
        if name in errors:
            stored["error"] = errors[name]
        entries[name] = stored
    return entries


def _differences(own: Headlines, others: Headlines, distance: float) -> dict[str, float]:
    """Differences over ``distance`` of the numbers defined in both runs, checks excepted."""
    differences = {}
    for name, entry in own.items():
        value, other = entry["value"], others[name]["value"] if name in others else None
        if entry.get("kind") != "check" and value is not None and other is not None:
            differences[name] = abs(value - other) / distance
    return differences


def _warnings(own: Headlines, errors: dict[str, float], data: xr.Dataset) -> list[RunWarning]:
    """Warning of the headline number of the motion with the largest relative error, where it exceeds the limit."""
    shares, scales = {}, _scales(data)
    for name, error in errors.items():
        size, scale = abs(own[name]["value"] or 0.0), scales.get(own[name]["unit"], 0.0)
        if own[name].get("kind") == "motion" and size > MIN_SHARE * scale > 0.0 and error > STEP_ERROR * size:
            shares[name] = error / size
    if not shares:
        return []
    worst, others = max(shares, key=shares.__getitem__), len(shares) - 1
    also = f", and too large in {others} more" if others else ""
    text = (
        f"{own[worst]['description']}: the estimated error is {percent(shares[worst])} of it{also}: take a smaller dt"
    )
    return [RunWarning(NAME, shares[worst], STEP_ERROR, text)]


def _scales(data: xr.Dataset) -> dict[str, float]:
    """Scales of a run by unit: largest displacement m, largest energy or work J, 1 rad."""
    places = data["position" if data.sizes.get("node", 0) else "frame_position"].values
    size = np.linalg.norm(places - places[:1], axis=-1).max(initial=0.0)
    energies = ("energy_kinetic", "energy_strain", "work_external", "dissipation_friction")
    largest = max((float(np.abs(data[name].values).max()) for name in energies if name in data), default=0.0)
    return {"m": float(size), "J": largest, "rad": 1.0}
