"""Errors of a run's headline numbers, from the companion run with twice the step and, on request, one with half the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from cases.parts.parameters import CaseParameters
from cases.registry import Case
from cases.run.errors import BadInput
from cases.run.given import assembled, validated
from cases.run.results import Headline, Headlines
from floating_frame import RunWarning
from floating_frame.system.model import RunModel
from floating_frame.verdict.step_error import Companion, NoCompanion

if TYPE_CHECKING:
    import xarray as xr

Estimate = Literal["", "steps", "mesh"]
"""Whether errors are estimated: not, those of the steps, or those of the mesh as well."""


class HeadlineErrors(Companion):
    """The companion run of a case's run, and the ``errors`` of its headline numbers by name."""

    def __init__(self, case: Case, params: CaseParameters, estimate: Estimate) -> None:
        self._case, self._params, self._longer = case, params, params
        self._coarser = half_the_cells(case, params) if estimate == "mesh" else None
        self.errors: dict[str, float] = {}

    def model(self, model: RunModel) -> RunModel:
        """As of ``Companion``; where legs of a history are taken in increments, half of them."""
        name, params = self._case.STUDY.increments, self._params
        if not name or model.steps.inertia:
            return super().model(model)
        count = dict(params)[name]
        if count < 2:
            raise NoCompanion("a leg of the history has one increment")
        self._longer = validated(type(params), dict(params) | {name: count // 2, "dt": 1.0 / (count // 2)})
        return assembled(self._case, self._longer, stress=model.options.stress)

    def compare(self, data: xr.Dataset, other: xr.Dataset, distance: float) -> list[RunWarning]:
        """As of ``Companion``; the errors of the headline numbers are known from then on."""
        from floating_frame import simulate

        try:
            own = self._case.summary(self._params, data)
            differences = _differences(own, self._case.summary(self._longer, other), distance)
            if self._coarser is not None:
                coarse = simulate(assembled(self._case, self._coarser, stress="stress" in data))
                of_mesh = _differences(own, self._case.summary(self._coarser, coarse), 1.0)
                differences = {name: error + of_mesh.get(name, 0.0) for name, error in differences.items()}
        except (ArithmeticError, ValueError):  # numbers too large or too small: the run's own summary says so
            return []
        spacing = float(np.diff(data.time.values).max(initial=0.0))
        self.errors = {
            name: max(error, spacing) if own[name].get("kind") == "instant" else error
            for name, error in differences.items()
        }
        return []


def half_the_cells(case: Case, params: CaseParameters) -> CaseParameters:
    """Parameters with half the cells of the mesh. Raises BadInput where there is none, or none that the case takes."""
    given = dict(params)
    counts = {name: given[name] for name in case.STUDY.meshing(params)}
    if given.get("mesh") is not None:
        raise BadInput("estimate_mesh: expected a mesh with numbers of cells, got one from a file")
    if not any(count > 1 for count in counts.values()):
        raise BadInput(f"estimate_mesh: expected cells that can be halved, got {counts}")
    try:
        return validated(type(params), dict(params) | {name: max(1, count // 2) for name, count in counts.items()})
    except BadInput as error:
        raise BadInput(f"estimate_mesh: half the cells are none of this case: {error}") from error


def with_errors(results: Headlines, errors: dict[str, float]) -> Headlines:
    """Headline numbers with their estimated ``errors``, as they are stored."""
    found: Headlines = {}
    for name, entry in results.items():
        stored: Headline = {**entry}
        stored.pop("kind", None)
        if name in errors:
            stored["error"] = errors[name]
        found[name] = stored
    return found


def _differences(own: Headlines, others: Headlines, distance: float) -> dict[str, float]:
    """Differences over ``distance`` of the numbers that are computed motion and defined in both runs."""
    found = {}
    for name, entry in own.items():
        value, other = entry["value"], others.get(name, entry)["value"]
        if entry.get("kind") != "check" and value is not None and other is not None:
            found[name] = abs(value - other) / distance
    return found
