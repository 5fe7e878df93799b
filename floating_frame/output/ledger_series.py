"""The ledger, the solver's counts and the contacts of a state as series of the trajectory: loops over sources, whatever they
are."""

from __future__ import annotations

from typing import Any

import numpy as np

from floating_frame.scheme.ledger import DISSIPATED, EXTERNAL, NUMERICAL, STRAIN
from floating_frame.system.protocol import System
from floating_frame.system.state import Counts, State


def dissipation(system: System, state: State, kind: str) -> float:
    """Return the energy, J, that the sources of one kind have dissipated so far."""
    return float(sum(state.work[k, DISSIPATED] for k, s in enumerate(system.sources) if s.dissipates == kind))


def ledger_series(system: System, state: State, energy_at_start: float) -> dict[str, Any]:
    """Return energies, works, the balance's error, what the friction points have slid and dissipated, and the sources' own
    series."""
    external, dissipated, numerical = (float(state.work[:, c].sum()) for c in (EXTERNAL, DISSIPATED, NUMERICAL))
    strain = sum(r.stored for s, r in zip(system.sources, state.records, strict=True) if s.name == STRAIN)
    slip_path, friction_work = state.sums[len(system.effects)]
    series = {
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
    return series


def count_series(counts: Counts) -> dict[str, Any]:
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


def wrench_of_contacts(system: System, state: State, name: str | None = None) -> dict[str, Any]:
    """Return force and moment about x0 of the obstacles on the body, the contacts' energy and what they have
    dissipated; of those called ``name``, if one is given."""
    of_contact = [(s, r) for s, r in zip(system.sources, state.records, strict=True) if s.dissipates == "contact"]
    of_contact = [(s, r) for s, r in of_contact if name in (None, s.name)]
    origin = state.frame.coordinates[:2]
    wrench = sum((system.wrench(r.force, state.motion, origin) for _, r in of_contact), np.zeros(3))
    return {
        "contact_force": wrench[:2],
        "contact_moment": float(wrench[2]),
        "contact_energy": float(sum(r.stored for _, r in of_contact)),
        "dissipation_contact": dissipation(system, state, "contact"),
    }
