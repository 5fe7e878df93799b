"""Friction under a rigid body for given forces, compiled or by Python, and what a wrench changes of its slip."""

from __future__ import annotations

from numba import njit

from fem.kernels.lanes import call
from floating_frame.system.rigid.kernels.records import SOLVE_FRICTION
from floating_frame.system.stages import EXCEPTION, SLIP, SOLVED
from friction.rigid.kernels import rate_compliance, rigid_slip, slip_tangents


@njit(cache=True, error_model="numpy", inline="always")
def call_python(data, request, s, turn, time, tau, angle, scratch):  # type: ignore[no-untyped-def]
    """Call friction in Python with a request; arguments and results are in ``scratch``."""
    now = scratch.now[0]
    now.request, now.stage, now.iteration, now.time = request, s, turn, time
    now.tau, now.angle = tau, angle
    return call(data.callback, 0, 0, 0)


@njit(cache=True, error_model="numpy")
def slip_under(data, bound, s, turn, time, tau, angle, scratch):  # type: ignore[no-untyped-def]
    """Solve friction under the body with given bounds (N,) and the wrench in ``drive``; return SOLVED, EXCEPTION or SLIP + k."""
    now = scratch.now[0]
    if data.callback != 0:
        answer = call_python(data, SOLVE_FRICTION, s, turn, time, tau, angle, scratch)
        return EXCEPTION if answer < 0.0 else SOLVED
    status, iterations, fallback = rigid_slip(
        data.code, data.numbers, scratch.matrix, scratch.drive, scratch.arms, bound, scratch.rates,
        scratch.multiplier[s], scratch.slip[0], scratch.slip[s - 1], scratch.stage_bristles, tau,
    )  # fmt: skip
    now.newton += iterations
    now.fallbacks += fallback
    return SLIP - 1 + status if status != 0 else SOLVED


@njit(cache=True, error_model="numpy")
def slip_compliance(data, bound, tau, scratch, compliance):  # type: ignore[no-untyped-def]
    """Write ∂q'/∂c (3, 3) at the solution of ``slip_under``; friction in Python has left its tangents where they belong."""
    if data.callback == 0:
        law = data.code, data.numbers
        slip_tangents(*law, scratch.arms, bound, scratch.rates, scratch.stage_bristles, tau, scratch.tangents)
    set_valued = data.set_valued
    rate_compliance(set_valued, scratch.matrix, scratch.arms, bound, scratch.rates, scratch.tangents, compliance)
