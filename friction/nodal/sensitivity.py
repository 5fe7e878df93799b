"""How the solution of a friction problem moves when its held nodes do: bordered solves with one right-hand side a mode.

At a solution v, with sticking nodes fixed and the law's tangent D on the sliding ones, the linearised problem is
(H + D) dv = 0 on what slides, dv = mode on what is held. For modes G of the held nodes the reduced stiffness that they
feel is S = dv' (H + D) dv, the Schur complement of the rest. In this form it is off by the square of an error in dv only,
so the factor at hand, of a matrix that the last Newton steps left behind, will do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from friction.arrays import Array
from friction.nodal.problem import NodalProblem
from friction.nodal.transformed import symmetric


class Response(NamedTuple):
    """What m modes of the fixed nodes feel: S (m, m), N s/m, dv (m, N, 2) for unit amplitudes, and the factorisations, 0 or 1."""

    stiffness: Array
    velocities: Array
    factorisations: int


def reduced_stiffness(problem: NodalProblem, velocity: Array, modes: Array) -> Response:
    """Return what ``modes`` (m, N, 2) of the fixed nodes feel of the problem at a solution ``velocity`` (N, 2), m/s.

    Costs m solves and at most one factorisation: the factor in the problem's cache is used where it was made for the same key and
    sticking nodes. The fixed nodes' own friction and the skew part of the law's tangent are left out. NotPositiveDefinite passes.
    """
    data = _linearise(problem, velocity)
    responses = np.empty_like(modes)
    for mode, response in zip(modes, responses, strict=True):
        problem.jump[:] = np.where(problem.fixed[:, None], mode, 0.0)
        problem.eliminate(data)
        response[:] = problem.solve(problem.rhs)
        response[problem.held] = problem.jump[problem.held]
    flat = responses.reshape(len(modes), velocity.size)
    stiffness = flat @ (problem.matrix(data) @ flat.T) + np.einsum("kna,nab,lnb->kl", responses, problem.D, responses)
    return Response(0.5 * (stiffness + stiffness.T), responses, problem.counts.factorisations)


def compliance(problem: NodalProblem, velocity: Array, forces: Array) -> tuple[Array, int]:
    """Return what nodal ``forces`` f (m, N, 2) of size one do to a solution, f_k · (H + D)⁻¹ f_l (m, m), m/(N s), and the
    factorisations (0 or 1), as ``reduced_stiffness``. Sticking nodes do not move: a force on one has a compliance of zero."""
    _linearise(problem, velocity)
    moved = np.empty_like(forces)
    for force, response in zip(forces, moved, strict=True):
        response[:] = problem.solve(np.where(problem.held, 0.0, force))
        response[problem.held] = 0.0
    result = np.einsum("kna,lna->kl", forces, moved)
    return 0.5 * (result + result.T), problem.counts.factorisations


def _linearise(problem: NodalProblem, velocity: Array) -> Array:
    """Eliminate the nodes that do not move, have a factor of the rest, and return the hessian's data (nnz,)."""
    cache, law = problem.cache, problem.law
    held, resting = problem.imposed, ~np.any(velocity, axis=1) & (problem.w > 0.0)
    if law.set_valued:
        held[resting] = True
    tangent = symmetric(law.tangent(velocity, problem.w))
    tangent[held[:, 0]] = 0.0
    if cache.valid and np.array_equal(cache.held, held):
        problem.held[:], problem.D[:], problem.coupling[:] = held, tangent, 0.0
        return problem.hessian(velocity)
    data = problem.hessian(velocity)
    problem.factorise(data, tangent, held)
    return data
