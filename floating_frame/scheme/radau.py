"""Smooth equations of motion by an error-controlled Runge–Kutta method, as the paper proposes for (3.4)1: SciPy's Radau IIA, order
5. The accelerations of a rigid body under a regularised law are a function of time, motion and internal states: ordinary
differential equations, stiff in the velocities, solved from output to output at ``Options.error_tolerance``, by default
``Options.tolerance``. Works and dissipation are Gauss quadratures of the dense solution over the sources' records, so the balance
closes at this tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np
import scipy

from floating_frame.effect.protocol import Friction, Instant, Motion, Record
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array
from floating_frame.scheme.instants import instant_balance, instant_records, write_records
from floating_frame.scheme.step import book, close
from floating_frame.system.protocol import Consistent, kinetic_energy
from floating_frame.system.rigid.ode import RigidOde
from floating_frame.system.stages import stages_of
from floating_frame.system.state import Counts, State

_GAUSS = np.polynomial.legendre.leggauss(4)
MAX_EVALUATIONS = 50_000
"""Evaluations of y' within one step, above which its inner steps have collapsed."""


def radau_step(
    ode: RigidOde, tolerance: float, state: State, dt: float, end: float | None = None
) -> tuple[State, Counts]:
    """Advance a system by ``dt`` s to ``end`` s (default time + dt). Pure. Raises Unsolved (NotConverged)."""
    end, system = state.time + dt if end is None else end, ode.system

    evaluations = count()

    def rhs(time: float, y: Array) -> Array:
        """y': at the start with the loads' right limit; t + h c may exceed the end by rounding."""
        if next(evaluations) > MAX_EVALUATIONS:
            raise Unsolved(f"its own steps have collapsed, {MAX_EVALUATIONS} evaluations led to t = {time:.9g} s only")
        return ode.rates(min(time, end), y, left=time > state.time)[0]

    solution = scipy.integrate.solve_ivp(
        rhs,
        (state.time, end),
        ode.flat(state),
        method="Radau",
        dense_output=True,
        jac=lambda time, y: ode.jacobian(time, y, left=time > state.time),
        rtol=tolerance,
        atol=tolerance * ode.scales(state, dt),
    )
    if not (solution.success and np.all(np.isfinite(solution.y))):
        raise Unsolved(f"the Runge–Kutta integration stopped at t = {solution.t[-1]:.9g} s: {solution.message}")
    motion, records, friction = _at(ode, end, solution.y[:, -1])
    work, sums = _quadrature(ode, state, solution, motion, records)
    new = State(
        time=end,
        motion=motion,
        in_space=system.in_space(end, motion),
        friction=friction,
        records=records,
        sums=sums,
        work=state.work + work,
        balance=instant_balance(system, records),
        kinetic_energy=kinetic_energy(system, motion),
    )
    inner = len(solution.t) - 1
    return new, Counts(
        steps=inner, passes=inner, newton=int(solution.nlu), smallest_step=float(np.diff(solution.t).min())
    )


def _at(ode: RigidOde, time: float, y: Array) -> tuple[Motion, tuple[Record, ...], Friction]:
    """Motion, records of all sources, and friction at one instant of the solution."""
    _, motion, friction = ode.rates(time, y, left=True)
    internal = ode.motion(y)[1]
    now = Consistent(motion, friction, ode.system.own(time, motion))
    return motion, instant_records(ode.system, time, now, internal), friction


def _quadrature(
    ode: RigidOde, state: State, solution: scipy.optimize.OptimizeResult, motion: Motion, last: Sequence[Record]
) -> tuple[Array, tuple[tuple[Array, ...], ...]]:
    """(n + 1, 3) J of a step to a ``motion`` with its ``last`` records, as ``step.ledger``, and the time integrals of the
    sources' densities."""
    system, sums = ode.system, [list(parts) for parts in state.sums]
    work = stages_of(0, 3, len(system.sources))
    for left, right in zip(solution.t[:-1], solution.t[1:], strict=True):
        half = 0.5 * (right - left)
        for abscissa, share in zip(*_GAUSS, strict=True):
            time = left + half * (1.0 + abscissa)
            now, records, _ = _at(ode, time, solution.sol(time))
            write_records(records, 0, work)
            for k, record in enumerate(records):
                book(share * half, 0, k, now.velocity[0], work)
                sums[k] = [total + share * half * rate for total, rate in zip(sums[k], record.rates, strict=True)]
    for k, (source, old, new) in enumerate(zip(system.sources, state.records, last, strict=True)):
        start, end = Instant(state.time, state.motion, old), Instant(solution.t[-1], motion, new)
        close(k, source.explicit_work(start, end), new.stored - old.stored, work.entries)
    return work.entries, tuple(tuple(parts) for parts in sums)
