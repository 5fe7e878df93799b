"""Friction that falls with speed: which of a step's several solutions the motion reaches, and when the step is too long to say.

A stage of an implicit scheme is F(v) = M (v - v*)/tau + R(v) = 0, with R(v) = lambda(v) - loads, which brakes the continuous
motion M v' = -R(v). (A deformable body adds tau K, which is monotone.) Where lambda falls, F need not be monotone: from v* = 0
there may be the creep, short of the peak of friction, and a root far beyond it, where the block slides away. Newton's method, or
a warm start that extrapolates, finds either. Which one the motion reaches is decided by the slip a that came in.

One direction of motion, a found root b, and S the slope of F. Let v_e lie between a and b with R(v_e) = 0. There the continuous
motion stops: it never reaches b. If S > 0 all the way from a to b then F rises to F(b) = 0, so that F(v_e) < 0 for a < v_e < b; yet
F(v_e) = M (v_e - v*)/tau, > 0 while the history v* has not passed v_e itself. The two exclude each other (b < a likewise): no rest
point was leapt. On a plane and for many nodes, let phi(t) = F(a + t d) . d, d = b - a. With the symmetric part of the tangent, S,

    phi(1) = 0,   phi'(t) = d . S(a + t d) d > 0   hence   phi < 0 on [0, 1):

the unbalanced force drives from a towards b all along the straight way, b is the only root on it, and where lambda has a potential
the step's energy falls all along it: there is no ridge between a and b. The test asks for it with a bound on the whole way,

    d . H(b) d + sum l_i |d_i|^2 > 0,   l_i <= the eigenvalues of sym(d lambda_i/dv) at node i anywhere between a_i and b_i.

H is taken at b. That H + diag(l_i 1) be positive definite would say the same of every way within these bounds, but a stiff body
whose nodes rub one by one fails it at steps that follow its motion well; a few nodes alone that leap a ridge while the rest goes
on are not seen here.

The test is sufficient, not necessary: a step whose way leads over the falling branch has to have w |m'| < M/tau there (one
block), so that a block which really breaks away has its steps halved until they resolve the fall, no further: log2(dt w |m'|/M)
times, rounded up. Beyond the fall, and short of it, l_i >= 0 and nothing is asked.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from friction.arrays import Array
from friction.nodal.problem import NodalFrictionProblem

FALLING = 1e-9
"""A fall of friction with speed, in units of the hessian's diagonal, below which it needs no look."""


def too_long(problem: NodalFrictionProblem, start: Array, end: Array) -> bool:
    """Say whether friction may fall too fast between the incoming slip velocities ``start`` and the root ``end`` (N, 2), m/s."""
    law = problem.law
    if not law.velocity_weakening:
        return False
    data = problem.hessian(end)
    start = np.where(problem.fixed[:, None], end, start)
    least = law.least_tangent(start, end, problem.w)
    if not np.any((least < -FALLING * problem.cache.r) & ~problem.fixed):
        return False
    way = np.where(problem.fixed[:, None], 0.0, end - start)
    matrix = csr_array((data, problem.cache.indices, problem.cache.indptr), shape=(way.size, way.size))
    inertia = float(way.ravel() @ (matrix @ way.ravel()))
    return not inertia + float(least @ np.einsum("ia,ia->i", way, way)) > 0.0
