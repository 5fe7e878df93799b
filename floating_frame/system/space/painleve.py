"""Painlevé's number of loaded sliding points: where it is positive, forces determine their accelerations.

Normal accelerations are A p_n + b with A = N D⁻¹ (Nᵀ − μ Tᵀ); N and T take rates to the points' velocities away from the ground and
along their slip. 0 <= p_n ⟂ A p_n + b >= 0 has one solution for every b if and only if A is a P-matrix, that is, if the real
eigenvalues of A and of all its principal submatrices are positive (Cottle, Pang & Stone 1992). For one point this is W_nn − μ
W_nt·n̂ > 0. Of points that share a load indeterminately, sets that carry it alone are evaluated."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.algebra import (
    add_outer,
    at,
    back_at,
    cross3,
    dot,
    minus,
    put,
    scaled,
    times,
    turned_tensor,
)

MOST = 12
"""Points up to which all sets are evaluated; of more, the eigenvalues of all together."""
INDEPENDENT = 1e-10
"""Least determinant of the normal response of a set, over the product of its diagonal."""
REAL = 1e-18
"""Square of the imaginary part of an eigenvalue over the eigenvalue's square that is rounding."""


@njit(cache=True, error_model="numpy")
def painleve_at(body, Q, P, linear):  # type: ignore[no-untyped-def]
    """Painlevé's number of contact points with slip and forces, of a body at an attitude: see ``number_of``."""
    count = 0
    for i in range(P.shape[0]):
        if (P[i, rec.SLIP] != 0.0 or P[i, rec.SLIP + 1] != 0.0) and P[i, rec.FORCE + 2] > 0.0:
            count += 1
    if count == 0:
        return np.inf
    vectors, k = np.empty((3, count, 6)), 0
    turned_tensor(Q, body.inverse, linear.first, linear.second)
    for i in range(P.shape[0]):
        u, v = P[i, rec.SLIP], P[i, rec.SLIP + 1]
        if not ((u != 0.0 or v != 0.0) and P[i, rec.FORCE + 2] > 0.0):
            continue
        mu, n, arm = P[i, rec.KINETIC] / np.sqrt(u * u + v * v), at(P, i, rec.AXES + 6), at(P, i, rec.ARM)
        f = minus(n, back_at(P, i, rec.AXES, (mu * u, mu * v, 0.0)))
        add_point(vectors, k, body.mass, linear.second, arm, n, f)
        k += 1
    return number_of(vectors[0], vectors[1], vectors[2])


@njit(cache=True, error_model="numpy", forceinline=True)
def add_point(vectors, k, mass, compliance, arm, n, f):  # type: ignore[no-untyped-def]
    """Write N, D⁻¹ (N − μ T) and D⁻¹ N of a point with the normal n, and f = n − μ t, into row ``k`` of ``vectors`` (3, m, 6)."""
    moment = cross3(arm, n)
    put(vectors[0], k, 0, n)
    put(vectors[0], k, 3, moment)
    put(vectors[1], k, 0, scaled(1.0 / mass, f))
    put(vectors[1], k, 3, times(compliance, cross3(arm, f)))
    put(vectors[2], k, 0, scaled(1.0 / mass, n))
    put(vectors[2], k, 3, times(compliance, moment))


@njit(cache=True, error_model="numpy")
def number_of(up, pressed, turned):  # type: ignore[no-untyped-def]
    """Painlevé's number of points by their N, D⁻¹ (N − μ T) and D⁻¹ N (m, 6). For more than ``MOST`` with one normal n a matrix (3,
    3) has the eigenvalues: all N are combinations of (n, 0), (0, t1) and (0, t2)."""
    count = len(up)
    if count > MOST:
        number = least_of_one_normal(up, pressed)
        return number if number == number else least_of_many(up, pressed)
    both = np.empty((2, count, count))
    for i in range(count):
        for j in range(count):
            both[0, i, j] = both[1, i, j] = 0.0
            for a in range(6):
                both[0, i, j] += up[i, a] * pressed[j, a]
                both[1, i, j] += up[i, a] * turned[j, a]
    return least_of_sets(both[0], both[1])


@njit(cache=True, error_model="numpy")
def least_of_many(up, pressed):  # type: ignore[no-untyped-def]
    """Least nonzero real eigenvalue of A, from N and D⁻¹ (N − μ T), by a matrix (6, 6)."""
    eigenvalues = np.linalg.eigvals((pressed.T @ up).astype(np.complex128))
    least = np.inf
    for value in eigenvalues[np.argsort(np.abs(eigenvalues))[6 - np.linalg.matrix_rank(up.T @ up) :]]:
        if value.imag * value.imag <= REAL * np.abs(value) ** 2:
            least = min(least, value.real)
    return least


@njit(cache=True, error_model="numpy")
def least_of_one_normal(up, pressed):  # type: ignore[no-untyped-def]
    """Least real eigenvalue of A of points with one normal, from N and D⁻¹ (N − μ T); nan for several normals, or points on a
    line."""
    n, sums = at(up, 0, 0), np.zeros((2, 3, 3))
    t1 = (
        (1.0 - n[0] * n[0], -n[0] * n[1], -n[0] * n[2])
        if abs(n[0]) < 0.6
        else (-n[0] * n[1], 1.0 - n[1] * n[1], -n[1] * n[2])
    )
    t1 = scaled(1.0 / np.sqrt(dot(t1, t1)), t1)
    t2 = cross3(n, t1)
    for i in range(up.shape[0]):
        moment, about = at(up, i, 3), at(pressed, i, 3)
        if dot(n, at(up, i, 0)) < 1.0 - 1e-14:
            return np.nan
        own = (1.0, dot(moment, t1), dot(moment, t2))
        other = (dot(at(pressed, i, 0), n), dot(about, t1), dot(about, t2))
        add_outer(sums[0], other, own)
        add_outer(sums[1], own, own)
    plain, A = sums[1], sums[0]
    if (
        not _determinant(plain, np.int64(0), np.int64(1), np.int64(2))
        > INDEPENDENT * plain[0, 0] * plain[1, 1] * plain[2, 2]
    ):
        return np.nan
    minors = A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0] + A[0, 0] * A[2, 2] - A[0, 2] * A[2, 0]
    minors += A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1]
    return _cubic(A[0, 0] + A[1, 1] + A[2, 2], minors, _determinant(A, np.int64(0), np.int64(1), np.int64(2)), np.inf)


@njit(cache=True, error_model="numpy")
def least_of_sets(response, plain):  # type: ignore[no-untyped-def]
    """Least real eigenvalue of the principal submatrices (1 to 3) of A whose points are independent by ``plain``."""
    count, least = len(response), np.inf
    for i in range(count):
        for j in range(i):
            minor = plain[i, i] * plain[j, j] - plain[i, j] * plain[j, i]
            if not minor > INDEPENDENT * plain[i, i] * plain[j, j]:
                continue
            pair = response[i, i] * response[j, j] - response[i, j] * response[j, i]
            for k in range(j):
                if _determinant(plain, i, j, k) > INDEPENDENT * plain[i, i] * plain[j, j] * plain[k, k]:
                    minors = pair + response[i, i] * response[k, k] - response[i, k] * response[k, i]
                    minors += response[j, j] * response[k, k] - response[j, k] * response[k, j]
                    trace = response[i, i] + response[j, j] + response[k, k]
                    least = min(least, _cubic(trace, minors, _determinant(response, i, j, k), least))
            least = min(least, _quadratic(response[i, i] + response[j, j], pair, least))
        least = min(least, response[i, i])
    return least


@njit(cache=True, error_model="numpy")
def _determinant(a, i, j, k):  # type: ignore[no-untyped-def]
    """Determinant of the submatrix of three points."""
    first = a[j, j] * a[k, k] - a[j, k] * a[k, j]
    second = a[j, i] * a[k, k] - a[j, k] * a[k, i]
    return a[i, i] * first - a[i, j] * second + a[i, k] * (a[j, i] * a[k, j] - a[j, j] * a[k, i])


@njit(cache=True, error_model="numpy")
def _quadratic(trace, determinant, limit):  # type: ignore[no-untyped-def]
    """Least real root of λ² − trace λ + determinant; infinite without one, or where the signs (Descartes) show that
    none is below ``limit``."""
    if 2.0 * limit <= trace and (limit - trace) * limit + determinant >= 0.0:
        return np.inf
    square = 0.25 * trace * trace - determinant
    if square < -REAL * trace * trace:
        return np.inf
    root = np.sqrt(max(square, 0.0))
    return determinant / (0.5 * trace + root) if trace > 0.0 else 0.5 * trace - root


@njit(cache=True, error_model="numpy")
def _cubic(trace, minors, determinant, limit):  # type: ignore[no-untyped-def]
    """Least real root of λ³ − trace λ² + minors λ − determinant, by Cardano's formulas and Newton's method; infinite
    where the signs (Descartes) show that none is below ``limit``."""
    slope = (3.0 * limit - 2.0 * trace) * limit + minors
    if 3.0 * limit <= trace and slope >= 0.0 and ((limit - trace) * limit + minors) * limit <= determinant:
        return np.inf
    third = trace / 3.0
    p, q = minors - trace * third, (minors - 2.0 * third * third) * third - determinant
    inside = 0.25 * q * q + p * p * p / 27.0
    if inside > 0.0:
        root = np.sqrt(inside)
        x = np.cbrt(-0.5 * q + root) + np.cbrt(-0.5 * q - root)
    elif p == 0.0:
        x = 0.0
    else:
        size = np.sqrt(-p / 3.0)
        x = 2.0 * size * np.cos((np.arccos(min(max(-0.5 * q / size**3, -1.0), 1.0)) + 2.0 * np.pi) / 3.0)
    value = third + x
    for _ in range(3):
        slope = (3.0 * value - 2.0 * trace) * value + minors
        if abs(slope) > 1e-8 * (trace * trace + abs(minors)):
            value -= (((value - trace) * value + minors) * value - determinant) / slope
    return value
