"""Sensitivity of the solution of a friction problem to its fixed nodes: bordered solves with one right-hand side per mode.

At a solution v, with sticking nodes fixed and the law's tangent D on the sliding ones, the linearised problem is (H + D) dv = 0 on
the sliding nodes, dv = mode on the fixed ones. For modes G of the fixed nodes the reduced stiffness is S = dv' (H + D) dv, the
Schur complement of the others. Its error is quadratic in the error of dv, so that the factor of the last Newton steps suffices.
"""

from __future__ import annotations

import numpy as np

from friction.arrays import Array
from friction.nodal.problem import NodalProblem
from friction.nodal.transformed import symmetric


def reduced_stiffness(problem: NodalProblem, velocity: Array, modes: Array) -> tuple[Array, Array, int]:
    """Reduced stiffness S (m, m), N s/m, of ``modes`` (m, N, 2) of the fixed nodes at a solution ``velocity`` (N, 2), m/s; the
    responses dv (m, N, 2) to unit amplitudes; the factorisations, 0 or 1.

    Costs m solves and at most one factorisation: the factor in the problem's cache is reused for the same key and
    sticking nodes. The fixed nodes' own friction and the skew part of the law's tangent are left out. NotPositiveDefinite passes.
    """
    data = _linearise(problem, velocity)
    responses = np.empty_like(modes)
    for mode, response in zip(modes, responses, strict=True):
        problem.jump[:] = np.where(problem.fixed[:, None], mode, 0.0)
        problem.eliminate(data)
        response[:] = problem.solve(problem.rhs)
        response[problem.constrained] = problem.jump[problem.constrained]
    flat = responses.reshape(len(modes), velocity.size)
    stiffness = flat @ (problem.matrix(data) @ flat.T) + np.einsum("kna,nab,lnb->kl", responses, problem.D, responses)
    return 0.5 * (stiffness + stiffness.T), responses, problem.counts["factorisations"]


def compliance(problem: NodalProblem, velocity: Array, forces: Array) -> tuple[Array, int]:
    """Compliance of a solution to nodal unit ``forces`` f (m, N, 2), f_k · (H + D)⁻¹ f_l (m, m), m/(N s), and the
    factorisations (0 or 1), as ``reduced_stiffness``. Sticking nodes do not move: a force on one has a compliance of zero."""
    _linearise(problem, velocity)
    responses = np.empty_like(forces)
    for force, response in zip(forces, responses, strict=True):
        response[:] = problem.solve(np.where(problem.constrained, 0.0, force))
        response[problem.constrained] = 0.0
    result = np.einsum("kna,lna->kl", forces, responses)
    return 0.5 * (result + result.T), problem.counts["factorisations"]


def _linearise(problem: NodalProblem, velocity: Array) -> Array:
    """Factorise the problem without the nodes at rest; return the hessian's data (nnz,)."""
    cache, law = problem.cache, problem.law
    constrained, resting = problem.imposed, ~np.any(velocity, axis=1) & (problem.w > 0.0)
    if law.set_valued:
        constrained[resting] = True
    tangent = symmetric(law.tangent(velocity, problem.w))
    tangent[constrained[:, 0]] = 0.0
    if cache.valid and np.array_equal(cache.constrained, constrained):
        problem.constrained[:], problem.D[:], problem.coupling[:] = constrained, tangent, 0.0
        return problem.hessian(velocity)
    data = problem.hessian(velocity)
    problem.factorise(data, tangent, constrained)
    return data
