"""The rigid pass of a stage: (2.3)1 and (2.3)2, in the plane (3.4)1, solved for the frame with its condition inserted.

In the frame, spins and moments as skew matrices (``turning``), with S = ⟨r⊗X⟩, S' = ⟨u'⊗X⟩, R = ⟨r⊗r⟩, D = ⟨r⊗u'⟩ and
w = Qᵀy'' − W²r − 2 W u' = u'' + W'r, (2.3)2 about the centre of mass is

    R W' + W' R = M0 − G − ⟨r × u''⟩,    G = [W, RW + WR] + (D + Dᵀ) W + W (D + Dᵀ) + [W, ⟨r × u'⟩]

G is ω × Jω + J'ω + ω × k in space and 2 ω K in the plane, where commutators vanish. Tisserand's condition is ⟨r × u''⟩ = 0. Mean
axes have ⟨X × u''⟩ = 0: ⟨r × u''⟩ = ⟨u × u''⟩ = L₀ − ⟨u × W'r⟩ with L₀ = ⟨u × w⟩, and as ⟨r × W'r⟩ − ⟨u × W'r⟩ = ⟨X × W'r⟩,

    Sᵀ W' + W' S = M0 − G − L₀

S is symmetric where Q satisfies the condition, not during the iteration. The frame advances by the scheme's formulas, x0' = x0'* +
τ_v x0'', x0 = x0* + τ_x x0', Ω = Ω* + τ_v Ω', Q = exp(Θ) Q_n with Θ = Θ* + τ_x (Ω − ½ [Θ, Ω]), so W' follows by a fixed-point
iteration in Ω, which contracts by O(Δt)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from floating_frame.frame.kinematics import TISSERAND, FloatingFrame
from floating_frame.frame.moments import AX, VX, YA, YV, YX, YY
from floating_frame.frame.turning import (
    commutator,
    components,
    cross_moment,
    exponential,
    inertia_product,
    lincomb,
    mm,
    polar,
    rotate_tensor,
    skew_matrix,
    skew_solve,
    square_sum,
    tm,
    transpose,
    turn_after,
)
from friction.arrays import Array

MAX_SWEEPS = 60
SPIN_TOLERANCE = 1e-13
"""Last change of the spin, over 1/τ_x and the spin."""


class FrameHistory(NamedTuple):
    """State of a frame inherited by a stage: x0* (d,) m, x0'* (d,) m/s; Q_n (d, d), the turn Θ* (r,) rad since then, Ω* (r,) rad/s;
    weights ``tau_x``, ``tau_v`` s of the stage's own rates; its ``time`` s."""

    time: float
    origin: Array
    velocity: Array
    rotation: Array
    turn: Array
    spin: Array
    tau_x: float
    tau_v: float

    def advance(self, acceleration: Array, rate: Array) -> FloatingFrame:
        """Frame at the stage's end from its accelerations x0'' (d,), Ω' (r,)."""
        tau_v = self.tau_v if self.tau_v < np.inf else 0.0  # no inertia, no accelerations
        spin = self.spin + tau_v * rate
        Q = np.empty_like(self.rotation)
        rotation_after(self.rotation, self.turn, spin, self.tau_x, Q)
        return self.at_end(acceleration, Q, spin, rate)

    def at_end(self, acceleration: Array, Q: Array, spin: Array, rate: Array) -> FloatingFrame:
        """Frame at the stage's end of given attitude and spin."""
        velocity = self.velocity + (self.tau_v if self.tau_v < np.inf else 0.0) * acceleration
        return FloatingFrame(self.origin + self.tau_x * velocity, velocity, acceleration, Q, spin, rate)


@njit(cache=True, error_model="numpy")
def rotation_after(start, turn, spin, tau, Q):  # type: ignore[no-untyped-def]
    """Write exp(Θ) Q_n, Θ = Θ* + τ (Ω − ½ [Θ, Ω]), of Q_n = ``start`` (d, d), Θ* = ``turn`` and Ω = ``spin`` (r,), into Q.
    (To return a new array to Python would double the cost.)"""
    d = len(start)
    Q[:] = mm(exponential(turn_after(skew_matrix(turn, d), skew_matrix(spin, d), tau)), start)


@njit(cache=True, error_model="numpy")
def relative_second(pairs, Q, W, S):  # type: ignore[no-untyped-def]
    """⟨w⊗X⟩ (d, d) in a frame Q that spins with W, body; S = ⟨r⊗X⟩."""
    S_rate = lincomb(1.0, tm(Q, pairs[VX]), -1.0, mm(W, S))
    return lincomb(1.0, tm(Q, pairs[AX]), -1.0, mm(W, lincomb(1.0, mm(W, S), 2.0, S_rate)))


@njit(cache=True, error_model="numpy")
def solve_spin_rate(kind, pairs, Q, W, moment):  # type: ignore[no-untyped-def]
    """W' (d, d) of (2.3)2 with a condition inserted, for moments ``pairs`` of nodal (x, v, a), in a frame Q that spins with
    W, under a ``moment`` M0, body components (d, d)."""
    S, R = tm(Q, pairs[YX]), tm(Q, mm(pairs[YY], Q))
    D = lincomb(1.0, tm(Q, mm(pairs[YV], Q)), 1.0, mm(R, W))
    carried = commutator(W, lincomb(1.0, inertia_product(R, W), 1.0, cross_moment(D)))
    coriolis = inertia_product(lincomb(1.0, D, 1.0, transpose(D)), W)
    right = lincomb(1.0, moment, -1.0, lincomb(1.0, coriolis, 1.0, carried))
    if kind == TISSERAND:
        return skew_solve(R, right)[0]
    rw = lincomb(1.0, tm(Q, mm(pairs[YA], Q)), 1.0, mm(lincomb(2.0, D, -1.0, mm(R, W)), W))
    relative = cross_moment(lincomb(1.0, rw, -1.0, transpose(relative_second(pairs, Q, W, S))))
    return skew_solve(transpose(S), lincomb(1.0, right, -1.0, relative))[0]


@njit(cache=True, error_model="numpy")
def solve_spin(kind, pairs, moment, start, turn, spin, taus, Q, now, rate):  # type: ignore[no-untyped-def]
    """Write Q, Ω, Ω' at a stage's end under a ``moment`` (r,) into Q (d, d), ``now`` and ``rate`` (r,), which hold the start of the
    iteration; return the sweeps, and the last change of Ω over its tolerance.

    ``start`` Q_n (d, d), ``turn`` Θ*, ``spin`` Ω* (r,), ``taus`` (τ_x, τ_v) s; all in space."""
    d, (tau_x, tau_v) = len(start), taus
    M0, history, star, W = skew_matrix(moment, d), skew_matrix(turn, d), skew_matrix(spin, d), skew_matrix(now, d)
    error, sweeps = np.inf, 0
    while sweeps < MAX_SWEEPS and error > 1.0 and square_sum(W) < 1e200:
        sweeps += 1
        W_rate = rotate_tensor(Q, solve_spin_rate(kind, pairs, Q, tm(Q, mm(W, Q)), tm(Q, mm(M0, Q))))
        before, W = W, lincomb(1.0, star, tau_v, W_rate)
        rate[:] = components(W_rate)
        Q[:] = mm(exponential(turn_after(history, W, tau_x)), start)
        change, size = np.sqrt(0.5 * square_sum(lincomb(1.0, W, -1.0, before))), np.sqrt(0.5 * square_sum(W))
        error = change / (SPIN_TOLERANCE * (1.0 / tau_x + size))
    now[:] = components(W)
    return sweeps, error


@njit(cache=True, error_model="numpy")
def mean_axes(pairs, Q, spin, rate):  # type: ignore[no-untyped-def]
    """Write Q (d, d), Ω and Ω' (r,) in space of the mean axes; return the least eigenvalue of tr S 1 − S."""
    Q[:] = polar(pairs[YX])
    S = tm(Q, pairs[YX])
    S = lincomb(0.5, S, 0.5, transpose(S))
    W, size = skew_solve(S, lincomb(-1.0, cross_moment(tm(Q, pairs[VX])), 0.0, S))
    across = lincomb(-1.0, cross_moment(relative_second(pairs, Q, W, S)), 0.0, S)
    spin[:], rate[:] = components(rotate_tensor(Q, W)), components(rotate_tensor(Q, skew_solve(S, across)[0]))
    return size


@njit(cache=True, error_model="numpy")
def tisserands_axes(pairs, Q):  # type: ignore[no-untyped-def]
    """Ω and Ω' (r,) in space of Tisserand's axes, and the least eigenvalue of tr R 1 − R."""
    W, size = skew_solve(pairs[YY], cross_moment(pairs[YV]))
    moment = tm(Q, mm(cross_moment(pairs[YA]), Q))
    rate = solve_spin_rate(TISSERAND, pairs, Q, tm(Q, mm(W, Q)), moment)
    return components(W), components(rotate_tensor(Q, rate)), size
