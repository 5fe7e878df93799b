"""The friction problem of a step: g(v) + lambda = 0, lambda_i in w_i d|v_i| (Tresca friction).

For a potential with gradient g this is the minimisation of the potential + sum w_i|v_i| over nodal slip velocities v.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from friction.arrays import Array, contiguous
from friction.errors import REASONS, FrictionSolveError
from friction.factors import Factor, FactorCache
from friction.laws.common import require_law
from friction.laws.profiles import Coulomb
from friction.laws.protocol import Law
from friction.nodal import coulomb, other_laws
from friction.nodal.problem import NodalProblem, NodeLaws
from friction.nodal.smooth_objective import Quadratic, SmoothPart
from friction.result import TrescaOptions, TrescaResult

__all__ = ["Quadratic", "SmoothPart", "TrescaOptions", "TrescaResult", "WarmStart", "solve"]


class WarmStart(TypedDict, total=False):
    """Data of earlier calls for ``solve``, by keyword."""

    velocity: ArrayLike | None
    """(N, 2), m/s, to start from, such as the last step's solution; default: at rest."""
    cache: FactorCache | None
    """Carries the factor from call to call, in place of ``factor``."""
    key: Hashable
    """Dependence of the cache's matrix besides v, such as the stage's step size."""


def solve(
    part: SmoothPart,
    bound: ArrayLike,
    *,
    law: Law | None = None,
    reference: ArrayLike | None = None,
    fixed: ArrayLike | None = None,
    factor: Factor | None = None,
    options: TrescaOptions | None = None,
    **warm: Unpack[WarmStart],
) -> TrescaResult:
    """Solve g(v) + lambda = 0, lambda_i in w_i ``d|v_i|``, for the slip velocity v (N, 2), m/s.

    Parameters
    ----------
    part : SmoothPart
    bound : ArrayLike
        Friction bounds w (N,), N, >= 0; nodes with w = 0 are free.
    law : Law, optional
        Default ``Coulomb``; one with an internal state comes as ``law.for_stage(...)``.
    reference : ArrayLike, optional
        Incoming slip velocity (N, 2), m/s. Nodes that slide with v . reference < 0 are reported as reversed; under
        ``StaticKinetic`` nodes that come in at rest (all, without a reference) have the static bound until they slip; of several
        roots the one reached by the motion from here is taken (``friction.nodal.other_laws``).
    fixed : ArrayLike, optional
        Bool (N,): nodes at which v = 0 is imposed.
    factor : Factor, optional
        Sparse direct solver for the part's sparsity; default SuperLU.
    options : TrescaOptions, optional
    **warm
        See ``WarmStart``.

    Raises
    ------
    ValueError
        For bad input.
    FrictionSolveError
        When it does not converge.
    NotPositiveDefinite
        The factor's own, when the hessian is not positive definite on the nodes that slide.
    """
    problem, v = _checked(part, bound, law, fixed, factor, options or TrescaOptions(), warm)
    ref = None if reference is None else _array("reference", reference, v.shape)
    result = solve_problem(problem, v, ref)
    for array in (result.velocity, result.multiplier, result.state):
        array.flags.writeable = False
    return result


def solve_problem(problem: NodalProblem, v: Array, reference: Array | None) -> TrescaResult:
    """Solve a problem from v (N, d), m/s; ``reference`` (N, nt): incoming slip. Raises as ``solve``."""
    if problem.is_coulomb_problem:
        end, method = coulomb.solve(problem, v)
    else:
        end, method = other_laws.solve(problem, v, reference)
    result = problem.result(end, reference, method)
    if end.reason != "converged":
        raise FrictionSolveError(end.reason if end.reason in REASONS else "stagnated", result)
    return result


def _checked(
    part: SmoothPart,
    bound: ArrayLike,
    law: Law | None,
    fixed: ArrayLike | None,
    factor: Factor | None,
    options: TrescaOptions,
    warm: WarmStart,
) -> tuple[NodalProblem, Array]:
    """Checked problem and start v; ValueError for bad input."""
    if unknown := warm.keys() - WarmStart.__annotations__.keys():
        raise TypeError(f"solve() got an unexpected keyword argument {min(unknown)!r}")
    nodes = (len(part.indptr) - 1) // 2
    w = _array("bound", bound, (nodes,))
    if w.min(initial=0.0) < 0.0:
        raise ValueError(f"solve: bound must not be negative, got {float(w.min())!r} at node {int(w.argmin())}")
    velocity, cache = warm.get("velocity"), warm.get("cache")
    v = np.zeros((nodes, 2)) if velocity is None else _array("velocity", velocity, (nodes, 2)).copy()
    mask = np.zeros(nodes, dtype=np.bool_) if fixed is None else contiguous(np.asarray(fixed))
    if mask.shape != (nodes,) or mask.dtype != np.bool_:
        raise ValueError(f"solve: fixed must be bool of shape ({nodes},), got {mask.dtype} {mask.shape}")
    if cache is not None and factor is not None:
        raise ValueError("solve: give either factor or cache (which holds one), not both")
    if cache is None:
        cache = FactorCache(part.indptr, part.indices, factor)
    elif len(cache.indptr) != len(part.indptr) or len(cache.indices) != len(part.indices):
        raise ValueError("solve: the cache was made for another sparsity than the part's")
    v[mask] = 0.0
    law = Coulomb() if law is None else law
    require_law("solve", law)
    key, shared = warm.get("key"), law.with_total_load(w)
    laws = NodeLaws.given(w, mask)
    return NodalProblem(part=part, laws=laws, law=shared, cache=cache, key=key, options=options), v


def _array(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Contiguous float array of a value; ValueError for another shape or entries that are not finite."""
    array = contiguous(np.asarray(value, np.float64))
    if array.shape != shape:
        raise ValueError(f"solve: {name} must have shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"solve: {name} must be finite, got {float(array[~np.isfinite(array)].flat[0])!r}")
    return array
