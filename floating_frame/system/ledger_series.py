"""Ledger, solver counts and contacts at the ends of steps as series of the trajectory, by loops over sources."""

from __future__ import annotations

import operator
from functools import reduce

import numpy as np

from floating_frame.effect.protocol import STRAIN
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


def contacts_of(system: System, name: str | None = None) -> list[int]:
    """Numbers of the contacts with obstacles among the sources; or of those called ``name``."""
    return [k for k, s in enumerate(system.sources) if s.dissipates == "contact" and name in (None, s.name)]


def wrenches_of_contacts(system: System, rows: Rows, name: str | None = None) -> Array:
    """(F_x, F_y, M about x0) (K, 3), N, N, N m, of the obstacles on a body in the plane; or of the contacts called ``name``."""
    forces = [rows.forces(k) for k in contacts_of(system, name)]
    return sum((system.results.wrenches(force, rows) for force in forces), np.zeros((len(rows.times), 3)))


def energy_of_contacts(system: System, state: State) -> float:
    """Energy, J, stored in the contacts."""
    return float(sum(state.records[k].stored for k in contacts_of(system)))


def contact_series(system: System, rows: Rows) -> Series:
    """Energies (K,), J, stored in the contacts, and the force and moment of obstacles on a body in the plane."""
    energies: Series = {"contact_energy": rows.stored[:, contacts_of(system)].sum(axis=1)}
    if not any("contact" in source.results for source in system.sources):  # in space forces are nodal
        return energies
    wrenches = wrenches_of_contacts(system, rows)
    return energies | {"contact_force": wrenches[:, :2], "contact_moment": wrenches[:, 2]}
