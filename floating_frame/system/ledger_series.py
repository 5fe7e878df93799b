"""The ledger, the solver's counts and the contacts of a state as series of the trajectory: loops over sources, whatever they
are."""

from __future__ import annotations

import numpy as np

from floating_frame.effect.protocol import STRAIN, Record
from floating_frame.frame.kinematics import Array
from floating_frame.system.protocol import Series, System
from floating_frame.system.state import DISSIPATED, EXTERNAL, NUMERICAL, Counts, State


def dissipation(system: System, state: State, kind: str) -> float:
    """Return the energy, J, that the sources of one kind have dissipated so far."""
    return float(sum(state.work[k, DISSIPATED] for k, s in enumerate(system.sources) if s.dissipates == kind))


def ledger_series(system: System, state: State, energy_at_start: float) -> Series:
    """Return energies, works, the balance's error, what the friction points have slid and dissipated, and the sources' own
    series."""
    external, dissipated, numerical = (float(state.work[:, c].sum()) for c in (EXTERNAL, DISSIPATED, NUMERICAL))
    strain = sum(r.stored for s, r in zip(system.sources, state.records, strict=True) if s.name == STRAIN)
    sums = [state.sums[len(system.effects)], *(s for s in state.sums[: len(system.effects)] if s)]
    slip_path, friction_work = (np.concatenate(parts) for parts in zip(*sums, strict=True))
    series: Series = {
        "energy_kinetic": state.kinetic_energy,
        "energy_strain": strain,
        "work_external": external,
        "dissipation_friction": dissipation(system, state, "friction"),
        "dissipation_viscous": dissipation(system, state, "viscous"),
        "dissipation_numerical": numerical,
        "balance_error": state.energy - energy_at_start - external + dissipated + numerical,
        "slip_path": slip_path,
        "friction_work": friction_work,
    }
    for source, record in zip(system.sources, state.records, strict=True):
        series |= source.outputs(record)
        if source.dissipates == "impact":
            series["dissipation_impact"] = dissipation(system, state, "impact")
    return series | contact_series(system, state)


def count_series(counts: Counts) -> Series:
    """Return the solver's counts since the last stored instant."""
    return {
        "frame_drift": counts.drift,
        "passes": counts.passes,
        "newton_iterations": counts.newton,
        "factorisations": counts.factorisations,
        "fallbacks": counts.fallbacks,
        "halvings": counts.halvings,
        "steps": counts.steps,
        "rejected_steps": counts.rejected_steps,
        "step_size": counts.step_size,
    }


def contacts_of(system: System, state: State) -> list[tuple[str, Record]]:
    """Return names and records of the contacts with obstacles."""
    pairs = zip(system.sources, state.records, strict=True)
    return [(source.name, record) for source, record in pairs if source.dissipates == "contact"]


def wrench_of_contacts(system: System, state: State, name: str | None = None) -> Array:
    """Return (F_x, F_y, M about x0) of the obstacles on the body, N, N, N m; of those called ``name``, if one is given."""
    origin = state.frame.coordinates[:2]
    chosen = [record for source, record in contacts_of(system, state) if name in (None, source)]
    return sum((system.results.wrench(r.force, state.motion, origin) for r in chosen), np.zeros(3))


def energy_of_contacts(system: System, state: State) -> float:
    """Return the energy, J, stored in the contacts."""
    return float(sum(record.stored for _, record in contacts_of(system, state)))


def contact_series(system: System, state: State) -> Series:
    """Return what contacts with obstacles do to the body; nothing for a body without any."""
    if not contacts_of(system, state):
        return {}
    energies: Series = {
        "contact_energy": energy_of_contacts(system, state),
        "dissipation_contact": dissipation(system, state, "contact"),
    }
    if not any("contact" in source.results for source in system.sources):  # in space forces are nodal
        return energies
    wrench = wrench_of_contacts(system, state)
    return energies | {"contact_force": wrench[:2], "contact_moment": float(wrench[2])}
