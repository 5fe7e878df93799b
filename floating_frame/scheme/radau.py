"""Smooth equations of motion by an error-controlled Runge–Kutta method, as the paper proposes for (3.4)1: SciPy's Radau IIA,
order 5.

For a system whose accelerations are a function of time, motion and internal states (a rigid body under a regularised law) the
equations are ordinary differential ones, stiff in the velocities. They are taken from output to output at
``Options.error_tolerance``, or where that is None at ``Options.tolerance``. Works and dissipation are Gauss quadratures of the
dense solution over the sources' records, so the balance closes at the integrator's tolerance."""

from __future__ import annotations

from itertools import count
from typing import Protocol

import numpy as np
import scipy
from scipy.sparse import csc_matrix

from floating_frame.effect.protocol import Friction, Instant, Motion, Record, pair
from floating_frame.errors import NotConverged
from floating_frame.frame.kinematics import Array
from floating_frame.scheme.ledger import DISSIPATED, EXTERNAL, NUMERICAL, instant_balance
from floating_frame.scheme.step import instant_records
from floating_frame.system.protocol import System
from floating_frame.system.state import Counts, State

_GAUSS = np.polynomial.legendre.leggauss(4)
MOST_EVALUATIONS = 50_000
"""Evaluations of y' within one step, above which the steps within have collapsed."""


class OdeSystem(Protocol):
    """A system as a first-order system of differential equations in y: configuration, velocity, internal states."""

    @property
    def system(self) -> System:
        """The system itself."""
        ...

    def flat(self, state: State) -> Array:
        """Return y of a state."""
        ...

    def motion(self, y: Array) -> tuple[Motion, list[Array | None]]:
        """Return the motion (accelerations zero) and the internal states of all sources that y stands for."""
        ...

    def rates(self, time: float, y: Array, *, left: bool) -> tuple[Array, Motion, Friction]:
        """Return y', the motion with its accelerations, and the friction; at a break with one limit of loads and ground."""
        ...

    def jacobian(self, time: float, y: Array, *, left: bool) -> Array | csc_matrix:
        """Return the stiff part of ∂y'/∂y, dense or sparse."""
        ...

    def scales(self, state: State, dt: float) -> Array:
        """Return the sizes of y's entries by which errors are measured."""
        ...


def radau_step(
    ode: OdeSystem, tolerance: float, state: State, dt: float, end: float | None = None
) -> tuple[State, Counts]:
    """Advance a system by ``dt`` s to ``end`` s (default time + dt). Pure. Raises NotConverged."""
    end, system = state.time + dt if end is None else end, ode.system

    evaluations = count()

    def rhs(time: float, y: Array) -> Array:
        """Return y': at the start with the loads' right limit; t + h c may exceed the end by rounding."""
        if next(evaluations) > MOST_EVALUATIONS:
            raise NotConverged(
                f"its own steps have collapsed, {MOST_EVALUATIONS} evaluations led to t = {time:.9g} s only"
            )
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
        raise NotConverged(f"the Runge–Kutta integration stopped at t = {solution.t[-1]:.9g} s: {solution.message}")
    motion, records, friction = _at(ode, end, solution.y[:, -1])
    work, sums = _quadrature(ode, state, solution, Instants(state, end, motion, records))
    new = State(
        time=end,
        motion=motion,
        in_space=system.in_space(motion),
        friction=friction,
        records=records,
        sums=sums,
        work=state.work + work,
        balance=instant_balance(system, records),
        kinetic_energy=system.kinetic_energy(motion),
    )
    taken = len(solution.t) - 1
    return new, Counts(
        steps=taken, passes=taken, newton=int(solution.nlu), smallest_step=float(np.diff(solution.t).min())
    )


def _at(ode: OdeSystem, time: float, y: Array) -> tuple[Motion, tuple[Record, ...], Friction]:
    """Return motion, records of all sources, and friction at one instant of the solution."""
    _, motion, friction = ode.rates(time, y, left=True)
    internal = ode.motion(y)[1]
    own = ode.system.own(time, motion)
    return motion, instant_records(ode.system, time, motion, friction, own, internal), friction


class Instants:
    """The sources at both ends of a step."""

    def __init__(self, state: State, end: float, motion: Motion, records: tuple[Record, ...]) -> None:
        self.before = [Instant(state.time, state.motion, r) for r in state.records]
        self.after = [Instant(end, motion, r) for r in records]


def _quadrature(
    ode: OdeSystem, state: State, solution: scipy.optimize.OptimizeResult, ends: Instants
) -> tuple[Array, tuple[tuple[Array, ...], ...]]:
    """Return (n + 1, 3) J of the step, as ``ledger.step_work``, and the time integrals of the sources' densities."""
    system = ode.system
    work, worked = np.zeros((len(system.sources) + 1, 3)), np.zeros(len(system.sources))
    sums = [list(parts) for parts in state.sums]
    for left, right in zip(solution.t[:-1], solution.t[1:], strict=True):
        half = 0.5 * (right - left)
        for abscissa, share in zip(*_GAUSS, strict=True):
            time, weight = left + half * (1.0 + abscissa), share * half
            motion, records, _ = _at(ode, time, solution.sol(time))
            for k, record in enumerate(records):
                power = pair(record.force, motion.velocity)
                worked[k] += weight * power
                work[k, EXTERNAL] += weight * record.given(power, motion.velocity)
                work[k, DISSIPATED] += weight * record.dissipated
                sums[k] = [total + weight * rate for total, rate in zip(sums[k], record.rates, strict=True)]
    for k, source in enumerate(system.sources):
        before, after = ends.before[k], ends.after[k]
        work[k, EXTERNAL] += source.explicit_work(before, after)
        grown = after.record.stored - before.record.stored
        work[k, NUMERICAL] = work[k, EXTERNAL] - worked[k] - grown - work[k, DISSIPATED]
    return work, tuple(tuple(parts) for parts in sums)
