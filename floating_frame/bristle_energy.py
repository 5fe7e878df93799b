"""The energy that the bristles of a law with memory hold, in the ledger: what of the power λ·v comes back.

Bristles deformed by Δ hold ψ_i(Δ_i; w_i) J, and λ·v − ψ̇ ≥ 0 at fixed w (``friction.laws.stiction``), in a stage of length τ too:

    d_s = λ_s·v_s − (ψ(Δ_s) − ψ(Δ*_s))/τ_s ≥ 0,        D_friction = Δt Σ b_s d_s ≥ 0        (b_s ≥ 0)

so E_b = Σ ψ_i stands beside T and U in the balance, and friction dissipates what is left of λ·v. Where the pressure changes in
time w does, and with it ψ at fixed Δ; that is work of what presses the body down, as that of heating at fixed strain is:

    W_b = Σ_i {ψ(Δ_0; w_0⁺) − ψ(Δ_0; w_0⁻)} + ½ Σ_i {ψ(Δ_0; w_1) − ψ(Δ_0; w_0⁺) + ψ(Δ_1; w_1) − ψ(Δ_1; w_0⁺)}

(a jump of w at the start of the step exactly, its change within by the trapezoidal rule), and belongs to W_ext. The error of the
quadrature of ψ's rate, Δt Σ b_s (ψ(Δ_s) − ψ(Δ*_s))/τ_s + W_b − ΔE_b, is numerical. Then ΔT + ΔU + ΔE_b = W_ext − D still.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from floating_frame.kinematics import Array
from friction import Law

if TYPE_CHECKING:
    from floating_frame.memory import Bristles
    from floating_frame.model import Model
    from floating_frame.state import State


class Stored(NamedTuple):
    """What bristles took in a step: ``nodal`` (N,) J of ∫ λ·v dt, ``external`` W_b J, and the ``numerical`` remainder J."""

    nodal: Array
    external: float = 0.0
    numerical: float = 0.0


def energy(law: Law, weights: Array, memory: Array) -> float:
    """E_b J of bristles deformed by ``memory`` (N, 2) m under the nodal ``weights`` (N,) N."""
    return float(law.shared(weights).stored(memory, weights).sum())


def bristle_energy(model: Model, state: State) -> float:
    """E_b J of a state, at the left limit of the pressure; 0 where the law does not remember."""
    return 0.0 if state.memory is None else energy(model.law, model.friction_weights(state.time), state.memory)


def step_stored(
    model: Model, state: State, bristles: Sequence[Bristles | None], weights: Array, dt: float, end: float
) -> Stored:
    """``Stored`` of a step from ``state`` to ``end`` s, from the bristles of its stages and the scheme's ``weights`` b."""
    found = [b for b in bristles if b is not None]
    if state.memory is None or not found:
        return Stored(np.zeros(len(state.friction_work)))
    nodal = dt * np.tensordot(weights, [b.storing for b in found], 1)
    return balanced(model, state, nodal, found[-1].deformation, end)


def balanced(model: Model, state: State, nodal: Array, memory: Array, end: float) -> Stored:
    """``Stored`` from the quadrature ``nodal`` (N,) J of ψ's rate and the bristles at ``end`` s, (N, 2) m."""
    assert state.memory is not None
    before, after = (model.friction_weights(state.time, left=left) for left in (True, False))
    last = model.friction_weights(end)
    (start, jumped, grown), (back, final) = (
        [energy(model.law, w, state.memory) for w in (before, after, last)],
        [energy(model.law, w, memory) for w in (after, last)],
    )
    pressed = jumped - start + 0.5 * (grown - jumped + final - back)
    return Stored(nodal, pressed, float(nodal.sum()) + pressed - (final - start))
