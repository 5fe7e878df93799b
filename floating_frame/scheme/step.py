"""The step of a scheme with stages, for every system and its effects.

    x*_s = x_n ⊕ Δt Σ_{j<s} a_sj v_j,    p*_s = p_n + Δt Σ_{j<s} â_sj p'_j,    p'_s = Σ_j f_sj F_j − λ_s

with j = 0 the start of the step; multipliers are not mixed. The stages are solved one after the other, each with its history; the
guard checks arrests; then the step is closed, and the ledger is made. For systems that are objects Python runs this text
(``step.py_func``, see ``staged``); for systems that are named tuples of arrays, with the verbs as methods, it is compiled. Failures
are returned as a status; the state before is unchanged."""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import overload_method

from floating_frame.system.borrowed import borrowed
from floating_frame.system.stages import WORK_NOT_FINITE
from friction.status import SOLVED


@njit(cache=True, error_model="numpy")
def advance(scheme, system, work, lengths, looks, holds):  # type: ignore[no-untyped-def]
    """Take steps of ``lengths`` (K,) s until one fails; return their number, and the status of the next. ``looks``: the guard
    checks steps; ``holds``: their last stages hold the body at rest."""
    scheme, system, work = borrowed(scheme), borrowed(system), borrowed(work)
    for k in range(lengths.shape[0]):
        status = step(scheme, system, work, k, lengths[k], looks, holds)
        if status != SOLVED:
            return k, status
        system.keep(scheme, k, lengths[k], work)
    return lengths.shape[0], SOLVED


@njit(cache=True, error_model="numpy", inline="always")
def step(scheme, system, work, k, dt, looks, holds):  # type: ignore[no-untyped-def]
    """Take step ``k`` of ``dt`` s: the algorithm. Return SOLVED, or the reason why it is not taken."""
    stages, status = scheme.weights.shape[0], system.begin(scheme, k, work)
    for s in range(1, stages + 1):
        if status == SOLVED:
            inherit(scheme, s, dt, work)
            status = system.solve(scheme, k, s, dt, holds and s == stages, work)
    if status == SOLVED and looks:
        status = system.looks(scheme, k, dt, work)
    if status == SOLVED:
        status = system.close(scheme, k, dt, work)
    if status == SOLVED and not np.isfinite(ledger(scheme, system.constant_mass, dt, work)):
        status = WORK_NOT_FINITE
    return status


@njit(cache=True, error_model="numpy", forceinline=True)
def inherit(scheme, s, dt, work):  # type: ignore[no-untyped-def]
    """Write the history of stage ``s``: increment, momentum, and the part of the forces at the start in its balance."""
    position, rates, share = scheme.position[s - 1], scheme.velocity[s - 1], scheme.force[s - 1, 0]
    for i in range(work.increment.shape[0]):
        increment, momentum, first = 0.0, work.momentum[i], 0.0
        for j in range(s):
            increment += dt * position[j] * work.increment_rate[j, i]
            momentum += dt * rates[j] * work.momentum_rate[j, i]
        for source in range(work.mixed.shape[0] if scheme.mixes else 0):
            if work.mixed[source]:
                first += share * work.force[0, source, i]
        work.increment[i], work.momentum_history[i], work.start_force[i] = increment, momentum, first


@njit(cache=True, error_model="numpy", forceinline=True)
def ledger(scheme, constant_mass, dt, work):  # type: ignore[no-untyped-def]
    """Write the works (m + 1, 3) J of a step, and the balance at its end; return their sum, J.

    With weights b_s, working velocities v̂_s = Σ_j work_sj v_j and M a_s = Σ_k F̂_ks, F̂_ks = Σ_j f_sj F_kj (multipliers are not
    mixed) each source k has one balance, which defines its part of the numerical dissipation (docs/theory.md, section 8):

        worked_k = Δt Σ b_s ⟨v̂_s, F̂_ks⟩ = external_k − Δstored_k − dissipated_k − numerical_k

    and the inertia's is the ``Scheme.form`` (for rotations, and a mass on a turning clamp, the difference itself). Then ΔT +
    Δstored = external − dissipated − numerical holds up to the solver's tolerance. The ground's power through the friction force is
    external, like changes of stored energy at fixed configuration."""
    stages, sources, entries, working = scheme.weights.shape[0], work.mixed.shape[0], work.entries, work.start_force
    inertial = 0.0
    for source in range(sources + 1):
        for i in range(3):
            entries[source, i] = 0.0
    for s in range(stages):
        share, force = dt * scheme.weights[s], scheme.force[s]
        for i in range(working.shape[0]):
            working[i] = 0.0
            for j in range(stages + 1):
                working[i] += scheme.work[s, j] * work.velocity[j, i]
        for source in range(sources):
            mixed = scheme.mixes and work.mixed[source]
            if mixed:
                book(share * force[0], np.int64(0), source, working, work)
            book(share * force[s + 1] if mixed else share, s + 1, source, working, work)
        if constant_mass:
            for j in range(stages):
                inertial += 0.5 * dt * dt * scheme.form[s, j] * pair(work.momentum_rate[s + 1], work.inertia[j + 1])
        else:
            inertial += share * pair(working, work.inertia[s + 1])
    change = 0.0 if constant_mass else work.kinetic[1] - work.kinetic[0]
    total = entries[sources, 2] = inertial - change if scheme.inertia else 0.0
    for source in range(sources):
        close(source, work.explicit[source], work.stored[1, source] - work.stored[0, source], entries)
        total += entries[source, 0] + entries[source, 1] + entries[source, 2]
    balance(scheme, work)
    return total


@njit(cache=True, error_model="numpy", forceinline=True)
def book(time, row, source, working, work):  # type: ignore[no-untyped-def]
    """Book a source's energies in a row over ``time`` s at ``working`` velocities (n,): supplied, dissipated, and minus its
    work."""
    worked, given = time * pair(work.force[row, source], working), work.power[row, source, 0]
    if work.driven[source] >= 0:
        work.entries[source, 0] += time * pair(work.driving[row, work.driven[source]], working)
    else:
        work.entries[source, 0] += worked if np.isnan(given) else time * given
    work.entries[source, 1] += time * work.power[row, source, 1]
    work.entries[source, 2] -= worked


@njit(cache=True, error_model="numpy", forceinline=True)
def close(source, explicit, grown, entries):  # type: ignore[no-untyped-def]
    """Close the balance of a source whose energy has ``grown``, J: the remainder is the numerical dissipation."""
    entries[source, 0] += explicit
    entries[source, 2] += entries[source, 0] - grown - entries[source, 1]


@njit(cache=True, error_model="numpy", forceinline=True)
def balance(scheme, work):  # type: ignore[no-untyped-def]
    """Write the generalised force (n,) in the last stage's balance, of sources with a resultant."""
    last = scheme.weights.shape[0]
    for i in range(work.balance.shape[0]):
        total = 0.0
        for source in range(work.mixed.shape[0]):
            mixed = scheme.mixes and work.mixed[source]
            if mixed and work.resultant[source, 1]:
                total += scheme.force[last - 1, 0] * work.force[0, source, i]
            if work.resultant[source, 0]:
                total += (scheme.force[last - 1, last] if mixed else 1.0) * work.force[last, source, i]
        work.balance[i] = total


@njit(cache=True, error_model="numpy", forceinline=True)
def pair(a, b):  # type: ignore[no-untyped-def]
    """Σ a b of rows (n,), in four sums."""
    s, t, u, v, whole = 0.0, 0.0, 0.0, 0.0, a.shape[0] // 4 * 4
    for i in range(0, whole, 4):
        s += a[i] * b[i]
        t += a[i + 1] * b[i + 1]
        u += a[i + 2] * b[i + 2]
        v += a[i + 3] * b[i + 3]
    for i in range(whole, a.shape[0]):
        s += a[i] * b[i]
    return (s + t) + (u + v)


def _verb(name):  # type: ignore[no-untyped-def]
    """Resolve a verb in the class of a named tuple in compiled text, as Python does."""

    def of_five(system, scheme, k, dt, work):  # type: ignore[no-untyped-def]
        return getattr(system.instance_class, name, None)

    return of_five


@overload_method(types.NamedTuple, "begin", strict=False, jit_options={"error_model": "numpy", "forceinline": True})
def _begin(system, scheme, k, work):  # type: ignore[no-untyped-def]
    return getattr(system.instance_class, "begin", None)


@overload_method(types.NamedTuple, "solve", strict=False, jit_options={"error_model": "numpy", "forceinline": True})
def _solve(system, scheme, k, s, dt, holds, work):  # type: ignore[no-untyped-def]
    return getattr(system.instance_class, "solve", None)


for _name in ("looks", "close", "keep"):
    overload_method(types.NamedTuple, _name, strict=False, jit_options={"error_model": "numpy", "forceinline": True})(
        _verb(_name)
    )
