"""The ledger of a step: what each source puts in, stores and dissipates, and what the scheme makes of it.

With weights b_s, working velocities v̂_s = Σ_j work_sj v_j and M a_s = Σ_k F̂_ks, F̂_ks = Σ_j mix_sj F_kj (multipliers are not mixed)
each source k has one balance, which defines its part of the numerical dissipation (docs/theory.md, section 8):

    worked_k = Δt Σ b_s ⟨v̂_s, F̂_ks⟩ = external_k − Δstored_k − dissipated_k − numerical_k

and the inertia's is the form of ``Scheme.kinetic_form`` (for a mass that follows a turning clamp, the difference itself). Then
ΔT + Δstored = external − dissipated − numerical holds up to the solver's tolerance. The ground's power through the friction force
is external, as is what changes stored energy at fixed configuration (``Source.explicit_work``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.protocol import Blocks, Instant, Motion, Record, Source, axpy, pair, scaled
from floating_frame.frame.kinematics import Array
from floating_frame.system.protocol import Partial, Stage, System, kinetic_energy
from floating_frame.system.state import NUMERICAL


def working_velocity(row: Array, velocities: Sequence[Blocks]) -> Blocks:
    """Return v̂ = Σ_j work_j v_j; a velocity itself where that is all."""
    entries = [int(j) for j in np.flatnonzero(row)]
    if len(entries) == 1 and row[entries[0]] == 1.0:
        return velocities[entries[0]]
    total = scaled(0.0, velocities[0])
    for j in entries:
        total = axpy(total, row[j], velocities[j])
    return total


def step_work(
    scheme: Scheme, system: System, partial: Partial, start: tuple[Record, ...] | None, end: float, motion: Motion
) -> Array:
    """Return (n + 1, 3) J of a step that ends with ``motion`` at ``end`` s: external work, dissipation and numerical dissipation of
    every source, the inertia's last."""
    state, dt, stages = partial.state, partial.dt, partial.stages
    velocities = [state.motion.velocity, *(s.motion.velocity for s in stages)]
    working = [working_velocity(row, velocities) for row in scheme.work]
    entries = np.zeros((len(system.sources) + 1, 3))
    shares = (dt * scheme.weights).tolist()
    for k, source in enumerate(system.sources):
        acting = (
            (shares[s] * c, record, working[s])
            for s, stage in enumerate(stages)
            for c, record in _acting(scheme, stage.records[k], None if start is None else start[k], s)
        )
        before, after = state.records[k], stages[-1].records[k]
        entries[k] = booked(source, acting, Instant(state.time, state.motion, before), Instant(end, motion, after))
    if scheme.inertia:
        entries[-1, NUMERICAL] = _inertia(scheme, system, partial, working, motion)
    return entries


def booked(
    source: Source, acting: Iterable[tuple[float, Record, Blocks]], start: Instant, end: Instant
) -> tuple[float, float, float]:
    """Return external work, dissipation and numerical dissipation, J, of a source between two instants, whose records act for so
    many seconds, with the velocities at which they work."""
    worked = external = dissipated = 0.0
    for time, record, velocity in acting:
        power = pair(record.force, velocity)
        worked += time * power
        external += time * record.given(power, velocity)
        dissipated += time * record.dissipated
    external += source.explicit_work(start, end)
    return external, dissipated, external - worked - (end.record.stored - start.record.stored) - dissipated


def _acting(scheme: Scheme, record: Record, start: Record | None, s: int) -> list[tuple[float, Record]]:
    """Return the records, with their weights, of which the force in stage ``s`` consists."""
    if start is None or not record.mixed:
        return [(1.0, record)]
    return [(c, r) for c, r in ((scheme.force[s, 0], start), (scheme.force[s, s + 1], record)) if c != 0.0]


def _inertia(scheme: Scheme, system: System, partial: Partial, working: Sequence[Blocks], motion: Motion) -> float:
    """Return the numerical dissipation of the inertia, J."""
    dt, stages = partial.dt, partial.stages
    accelerations = [s.motion.acceleration for s in stages]
    forces = [system.apply_mass(a) for a in accelerations]
    if system.constant_mass:
        form, count = scheme.kinetic_form, range(len(stages))
        quadratic = sum(form[i, j] * pair(accelerations[i], forces[j]) for i in count for j in count)
        return float(0.5 * dt * dt * quadratic)
    change = kinetic_energy(system, motion) - partial.state.kinetic_energy
    return float(dt * sum(b * pair(v, f) for b, v, f in zip(scheme.weights, working, forces, strict=True)) - change)


def integrals(partial: Partial) -> tuple[tuple[Array, ...], ...]:
    """Return the time integrals of the sources' densities at their points, Δt Σ b_s of the stages' added to the state's."""
    shares = (partial.dt * partial.weights).tolist()

    def grown(k: int, i: int, total: Array) -> Array:
        for share, stage in zip(shares, partial.stages, strict=True):
            total = total + share * stage.records[k].rates[i]
        return total

    return tuple(tuple(grown(k, i, old) for i, old in enumerate(sums)) for k, sums in enumerate(partial.state.sums))


def balance(scheme: Scheme, system: System, stage: Stage, start: tuple[Record, ...] | None) -> Blocks:
    """Return the generalised force on the body in the last stage's balance, without what has no resultant."""
    total = scaled(0.0, stage.motion.velocity)
    for k, (source, record) in enumerate(zip(system.sources, stage.records, strict=True)):
        for c, acting in _acting(scheme, record, None if start is None else start[k], scheme.stages - 1):
            if source.in_resultant(own=acting is record):
                total = axpy(total, c, acting.force)
    return total


def instant_balance(system: System, records: Sequence[Record]) -> Blocks:
    """Return the same of the ``records`` at one instant."""
    total = scaled(0.0, records[0].force)
    for source, record in zip(system.sources, records, strict=True):
        total = axpy(total, 1.0, record.force) if source.in_resultant(own=True) else total
    return total
