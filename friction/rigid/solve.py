"""Friction under a rigid body by any law: compiled by code and numbers, or in rounds for a user's law.

A set-valued law whose bound depends on the speed is solved by rounds of Coulomb's problem (see ``rigid.kernels``). Under a law that
is a function of v a stage is a smooth 3 × 3 system. It is monotone, and has one solution, unless friction falls with speed. Then
the one reached by the motion from the incoming slip is accepted, see ``friction.nodal.other_laws``: here the test is that
H + Σ ℓᵢ Gᵢᵀ Gᵢ is positive definite on the free entries.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from friction.arrays import Array, Bools, nonzero_rows
from friction.errors import RigidFrictionError
from friction.laws.protocol import Law, Radial
from friction.rigid.compiled_laws import CompiledLaw, compiled_law
from friction.rigid.kernels import BOUND_CHANGE, COULOMB, set_valued_slip
from friction.rigid.problem import RigidFrictionProblem, RigidSlip, point_maps, point_velocity
from friction.status import BOUNDS_UNSETTLED, MAX_BOUND_ROUNDS, MESSAGES, SEVERAL, SOLVED
from friction.stick import breakaway


def solve_rigid_friction(problem: RigidFrictionProblem, start: RigidSlip) -> RigidSlip:
    """Solve a rigid row's problem under Coulomb's law: minimise ½ pᵀHp − cᵀp + Σ ``w_i|v_i(p)|`` over the free entries of p.

    The tolerance of equilibrium is 1e-12 of the sum of the bounds. Multipliers of points all prescribed at rest are of least norm.
    Raises RigidFrictionError for loads that are not finite, or when Newton's method runs out of iterations.
    """
    return _compiled(CompiledLaw(COULOMB, np.zeros(12)), problem, start, np.zeros(len(problem.bound), np.bool_))


def _compiled(law: CompiledLaw, problem: RigidFrictionProblem, start: RigidSlip, slid: Bools) -> RigidSlip:
    """Solve the problem of a set-valued law by its code and numbers; see ``solve_set_valued``."""
    h, mask, wrench = problem.matrix, problem.mask, np.asarray(problem.wrench, float)
    given = np.where(mask, 0.0, np.asarray(problem.prescribed, float))
    p = np.array(start.rates, float)
    if not (np.all(np.isfinite(wrench)) and np.all(np.isfinite(p)) and np.all(np.isfinite(given))):
        raise RigidFrictionError("non-finite loads or velocities; check the loads and the initial velocities")
    # Forces of prescribed entries are known; their rows are no equations.
    c = np.where(mask, wrench - h @ given, 0.0)
    h[~mask] = 0.0
    h[:, ~mask] = 0.0
    # Copies, as these are overwritten; another layout would compile the kernel again, 5 s each.
    arms, lam = (np.array(array.T, float, order="C") for array in (problem.arms, start.multiplier))
    bound = np.array(problem.bound, float)
    status, iterations, fallback = set_valued_slip(
        law.code, law.numbers, h, c, arms, bound, p, lam, np.array(slid), mask, given
    )
    if not np.all(np.isfinite(p)):
        raise RigidFrictionError("non-finite velocities; check the loads and the initial velocities")
    if status != SOLVED:
        raise RigidFrictionError(MESSAGES[status])
    return RigidSlip(p, np.ascontiguousarray(lam.T), int(iterations), bool(fallback))


def solve_set_valued(law: Law, problem: RigidFrictionProblem, start: RigidSlip, slid: Bools) -> RigidSlip:
    """Solve a rigid row's problem under a set-valued law, in inertial axes, its totals shared.

    ``slid`` (N,): mask of the points that slid at the stage's start. Raises RigidFrictionError also where bounds do not settle.
    """
    mask = problem.mask
    if law.metric is not None and mask[0] != mask[1] and law.metric[0, 1] != 0.0:
        raise RigidFrictionError("a clamp that is free along one axis takes an elliptic law whose axes are x and y")
    compiled = compiled_law(law)
    if compiled is not None:
        return _compiled(compiled, problem, start, slid)
    radial, sliding, total = law.radial, slid.copy(), float(problem.bound.sum())
    bounds = _bounds(radial, point_velocity(start.rates, problem.arms), problem.bound, sliding)
    iterations, fallback = 0, False
    for _ in range(MAX_BOUND_ROUNDS):
        slip = solve_rigid_friction(replace(problem, bound=bounds), start)
        iterations, fallback = iterations + slip.iterations, fallback or slip.fallback
        velocity = point_velocity(slip.rates, problem.arms)
        sliding |= nonzero_rows(velocity)
        new = _bounds(radial, velocity, problem.bound, sliding)
        if float(np.abs(new - bounds).max(initial=0.0)) <= BOUND_CHANGE * total:
            return slip._replace(iterations=iterations, fallback=fallback)
        start, bounds = slip, new
    raise RigidFrictionError(MESSAGES[BOUNDS_UNSETTLED])


def _bounds(law: Radial, velocity: Array, bound: Array, slid: Bools) -> Array:
    """Bounds (N,), N, of ``|λ_i|`` at slip velocities (N, 2), m/s; at rest kinetic where points ``slid`` (N,)."""
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    at_rest = np.where(slid, law.kinetic, law.static)
    return bound * np.where(speed > 0.0, np.minimum(law.profile(speed), law.cap), at_rest)


def solve_at_rest(law: Law, problem: RigidFrictionProblem) -> RigidSlip:
    """Solve a rigid row's problem of an instant, from rest, with accelerations for velocities: the onset of sliding."""
    onset_law, bounds = breakaway(law, problem.bound)
    points = len(problem.arms)
    return solve_set_valued(
        onset_law, replace(problem, bound=bounds), RigidSlip.at_rest(points), np.zeros(points, dtype=np.bool_)
    )


def solve_rigid_regular(law: Law, problem: RigidFrictionProblem, rates: Array, incoming: Array) -> RigidSlip:
    """Solve a rigid row's problem under a law whose λ is a function of v, by Newton's method with backtracking.

    The law is in inertial axes, its totals shared; ``rates`` p (3,) to start from; ``incoming`` (N, 2), m/s: the slip with which
    the stage begins. Raises RigidFrictionError, also ("step too long") where friction falls too fast from that to the solution.
    """
    h, mask, arms, wrench, bound = problem.matrix, problem.mask, problem.arms, problem.wrench, problem.bound
    maps = point_maps(arms)
    size = np.array([1.0, 1.0, max(float(np.abs(arms).max(initial=0.0)), np.finfo(float).tiny)])
    level = 1e-12 * (np.abs(wrench).max() + bound.sum()) * size

    def equation(p: Array) -> tuple[Array, Array, Array]:
        velocity = maps @ p
        lam = law.force(velocity, bound)
        residual = h @ p - wrench + np.einsum("nak,na->k", maps, lam)
        return np.where(mask, residual, 0.0), velocity, lam

    p = np.where(mask, rates, problem.prescribed)
    g, velocity, lam = equation(p)
    for iteration in range(100):
        if np.all(np.abs(g) <= level):
            if law.velocity_weakening and _nonunique(law.least_tangent(incoming, velocity, bound), h, maps, mask):
                raise RigidFrictionError(MESSAGES[SEVERAL])
            return RigidSlip(p, lam, iteration, False)
        matrix = h + np.einsum("nak,nab,nbl->kl", maps, law.tangent(velocity, bound), maps)
        try:
            direction = -np.linalg.solve(np.where(np.outer(mask, mask), matrix, np.eye(3)), g)
        except np.linalg.LinAlgError:  # at the limit of falling friction
            raise RigidFrictionError("step too long: singular where friction falls; use a smaller time step") from None
        step, previous = 1.0, np.linalg.norm(g / size)
        for _ in range(40):
            trial = p + step * direction
            g, velocity, lam = equation(trial)
            if np.linalg.norm(g / size) < previous:
                break
            step *= 0.5
        p = trial
        if not np.all(np.isfinite(p)):
            raise RigidFrictionError("non-finite velocities; check the loads and the initial velocities")
    raise RigidFrictionError("the regularised friction under the rigid body did not converge; use a smaller time step")


def _nonunique(least: Array, h: Array, maps: Array, mask: Bools) -> bool:
    """True where H + Σ ℓᵢ Gᵢᵀ Gᵢ is not positive definite, ``least`` ℓ (N,) N s/m, on the entries of p in ``mask`` (3,)."""
    if not np.any(least < 0.0) or not mask.any():
        return False
    matrix = (0.5 * (h + h.T) + np.einsum("n,nak,nal->kl", least, maps, maps))[np.ix_(mask, mask)]
    size = 1.0 / np.sqrt(np.diag(h)[mask])
    return bool(np.linalg.eigvalsh(matrix * np.outer(size, size))[0] <= 0.0)
