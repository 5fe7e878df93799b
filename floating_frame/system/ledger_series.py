"""Ledger, solver counts and contacts at the ends of steps as series of the trajectory, by loops over sources."""

from __future__ import annotations

import operator
from functools import reduce

import numpy as np

from floating_frame.effect.protocol import STRAIN, Record
from floating_frame.frame.kinematics import Array
from floating_frame.system.protocol import Series, System
from floating_frame.system.rows import Numbers, Rows
from floating_frame.system.state import COUNT_NAMES, DISSIPATED, EXTERNAL, NUMERICAL, Counts, State


def dissipated_by(system: System, work: Array, kind: str) -> Array:
    """Energy (K,), J, dissipated so far by the sources of one kind, from their ``work`` (K, n + 1, 3) J."""
    chosen = [k for k, source in enumerate(system.sources) if source.dissipates == kind]
    return np.asarray(work[:, chosen, DISSIPATED].sum(axis=1))


def ledger_series(system: System, rows: Rows, energy_at_start: float) -> Series:
    """Energies, works, error of the balance, slip paths and dissipation of friction points, and series of the sources, (K, …)."""
    sources, smooth, work = system.sources, len(system.effects), rows.work
    external, dissipated, numerical = (work[:, :, column].sum(axis=1) for column in (EXTERNAL, DISSIPATED, NUMERICAL))
    sums = [rows.ends.sums[smooth], *(s for s in rows.ends.sums[:smooth] if s)]
    slip_path, friction_work = (np.concatenate(p, axis=1) if len(p) > 1 else p[0] for p in zip(*sums, strict=True))
    series: Series = {
        "energy_kinetic": rows.kinetic,
        "energy_strain": rows.stored[:, [k for k, s in enumerate(sources) if s.name == STRAIN]].sum(axis=1),
        "work_external": external,
        "dissipation_friction": dissipated_by(system, work, "friction"),
        "dissipation_viscous": dissipated_by(system, work, "viscous"),
        "dissipation_numerical": numerical,
        "balance_error": rows.energy - energy_at_start - external + dissipated + numerical,
        "slip_path": slip_path,
        "friction_work": friction_work,
        **rows.outputs(sources),
    }
    kinds = {source.dissipates for source in sources}
    if "impact" in kinds:
        series["dissipation_impact"] = dissipated_by(system, work, "impact")
    if "contact" in kinds:
        series["dissipation_contact"] = dissipated_by(system, work, "contact")
        series |= contact_series(system, rows)
    return series


COUNTS = {
    "frame_drift": "drift",
    "passes": "passes",
    "newton_iterations": "newton",
    "factorisations": "factorisations",
    "fallbacks": "fallbacks",
    "halvings": "halvings",
    "steps": "steps",
    "rejected_steps": "rejected_steps",
    "step_size": "smallest_step",
}
"""Series of the solver's counts since the last stored instant, and the entries of ``Counts``."""


def count_series(count_rows: Array, stored: Numbers, pending: Counts) -> tuple[Series, Counts]:
    """Counts of steps with ``count_rows`` (K, 11), each ``stored`` step since its predecessor, and those after the last;
    ``pending``: counts before the first step. Drifts are added up step by step, independent of batches."""
    table = np.vstack(
        [pending.row, count_rows, Counts().row]
    )  # the last row allows for no step after the last stored one
    starts = np.concatenate([[0], stored + 2])
    sums = np.add.reduceat(table, starts)
    sums[:, -1] = np.minimum.reduceat(table[:, -1], starts)
    for column in (COUNT_NAMES.index("drift"), COUNT_NAMES.index("spin_drift")):
        if table[:, column].any():
            parts = np.split(table[:, column], starts[1:])
            sums[:, column] = [reduce(operator.add, part.tolist()) for part in parts]
    series: Series = {name: sums[:-1, COUNT_NAMES.index(counted)] for name, counted in COUNTS.items()}
    series["step_size"] = np.where(series["steps"], series["step_size"], 0.0)
    return series, Counts.of_row(sums[-1])


def contacts_of(system: System, state: State) -> list[tuple[str, Record]]:
    """Names and records of the contacts with obstacles."""
    pairs = zip(system.sources, state.records, strict=True)
    return [(source.name, record) for source, record in pairs if source.dissipates == "contact"]


def wrench_of_contacts(system: System, state: State, name: str | None = None) -> Array:
    """(F_x, F_y, M about x0) of the obstacles on the body, N, N, N m; or of the contacts called ``name``."""
    origin = state.frame.coordinates[:2]
    chosen = [record for source, record in contacts_of(system, state) if name in (None, source)]
    return sum((system.results.wrench(r.force, state.motion, origin) for r in chosen), np.zeros(3))


def energy_of_contacts(system: System, state: State) -> float:
    """Energy, J, stored in the contacts."""
    return float(sum(record.stored for _, record in contacts_of(system, state)))


def contact_series(system: System, rows: Rows) -> Series:
    """Energies (K,), J, stored in the contacts, and the force and moment of obstacles on a body in the plane."""
    contacts = [k for k, source in enumerate(system.sources) if source.dissipates == "contact"]
    energies: Series = {"contact_energy": rows.stored[:, contacts].sum(axis=1)}
    if not any("contact" in source.results for source in system.sources):  # in space forces are nodal
        return energies
    wrenches = np.array([wrench_of_contacts(system, rows.state(k)) for k in range(len(rows.times))])
    return energies | {"contact_force": wrenches[:, :2], "contact_moment": wrenches[:, 2]}
