"""Painlevé's number of points that slide and press: whether their accelerations follow from the forces.

Normal accelerations are A p_n + b with A = N D⁻¹ (Nᵀ − μ Tᵀ); N and T take rates to the points' velocities away from the ground
and along their slip. 0 <= p_n ⟂ A p_n + b >= 0 has one solution for every b if and only if A is a P-matrix, that is, if the real
eigenvalues of A and of all its principal submatrices are positive (Cottle, Pang & Stone 1992). For one point that is
W_nn − μ W_nt·n̂ > 0. Of points that share a load beyond what is determined, the sets that carry it by themselves are looked at."""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from friction.lanes import LANES, added_up

(TX, TX_X, TX_Y, TY, TY_X, TY_Y, M, M_X, M_Y, ONE, PX, PY, PXX, PXY, PYY) = range(0, 15 * LANES, LANES)
_SUMS = np.int64(15)
MOST = 12
"""Points up to which all sets are looked at; of more, the eigenvalues of all together."""
INDEPENDENT = 1e-10
"""Least determinant of the normal response of a set, over the product of its diagonal."""
REAL = 1e-18
"""Square of the imaginary part of an eigenvalue, over the eigenvalue's, that is rounding."""


def painleve_number(mass: Array, arms: Array, up: Array, along: Array, mu: Array) -> float:
    """Return the least real eigenvalue, 1/kg, over all sets of the m points; infinite without any.

    ``mass`` (6, 6): takes velocity and spin to momenta; ``arms`` (m, 3) m; ``up``, ``along`` (m, 3): the directions of
    the normals and of slip."""
    if not len(arms):
        return np.inf
    normal, tangent = (np.column_stack([d, cross(arms, d)]) for d in (up, along))
    pressed = (normal - mu[:, None] * tangent).T
    if len(arms) > MOST:
        return least_of_many(mass, pressed @ normal, normal.T @ normal)
    return float(least_of_sets(normal @ np.linalg.solve(mass, pressed), normal @ np.linalg.solve(mass, normal.T)))


def least_of_many(mass: Array, coupled: Array, plain: Array) -> float:
    """Return the least real eigenvalue of A that is not 0, from (Nᵀ − μ Tᵀ) N and NᵀN (6, 6) of all points."""
    eigenvalues = np.linalg.eigvals(np.linalg.solve(mass, coupled))  # 6 x 6, with those of A that are not 0
    kept = np.argsort(np.abs(eigenvalues))[-np.linalg.matrix_rank(plain, hermitian=True) :]
    return float(eigenvalues[kept].real.min())


@njit(cache=True, error_model="numpy")
def level_sums(arms, height, slip, multiplier, mu, coupled, plain):  # type: ignore[no-untyped-def]
    """Write (Nᵀ − μ Tᵀ) N and NᵀN (6, 6) of the points that slide and press on level ground; return their number.

    They are at ``arms`` (2, m), m, ``height`` m below the centre of mass."""
    ax, ay, sums = arms[0], arms[1], np.zeros(15 * LANES)
    for first in range(0, mu.shape[0], LANES):
        for k in range(min(LANES, mu.shape[0] - first)):
            i = np.uint64(first + k)
            x, y, vx, vy = ax[i], ay[i], slip[i, 0], slip[i, 1]
            speed = np.sqrt(vx * vx + vy * vy)
            one = 1.0 if speed > 0.0 and multiplier[i, 2] < 0.0 else 0.0
            share = mu[i] / speed if one > 0.0 else 0.0
            tx, ty = share * vx, share * vy
            moment = y * tx - x * ty
            sums[k + TX] += tx
            sums[k + TX_Y] += tx * y
            sums[k + TX_X] += tx * x
            sums[k + TY] += ty
            sums[k + TY_Y] += ty * y
            sums[k + TY_X] += ty * x
            sums[k + M] += moment
            sums[k + M_Y] += moment * y
            sums[k + M_X] += moment * x
            sums[k + ONE] += one
            sums[k + PX] += one * x
            sums[k + PY] += one * y
            sums[k + PXX] += one * x * x
            sums[k + PXY] += one * x * y
            sums[k + PYY] += one * y * y
    added_up(sums, _SUMS, mu.shape[0])
    # N has (1, y, −x) for its entries 2 to 4; a × (n − μ t) = (y − h μ t_y, −x + h μ t_x, y μ t_x − x μ t_y)
    rows = ((sums[ONE], sums[PY], -sums[PX]), (sums[PY], sums[PYY], -sums[PXY]), (-sums[PX], -sums[PXY], sums[PXX]))
    for k in range(3):
        for j in range(3):
            plain[2 + k, 2 + j] = coupled[2 + k, 2 + j] = rows[k][j]
    forces = (
        (-sums[TX], -sums[TX_Y], sums[TX_X]),
        (-sums[TY], -sums[TY_Y], sums[TY_X]),
        (sums[M], sums[M_Y], -sums[M_X]),
    )
    for j in range(3):
        coupled[0, 2 + j], coupled[1, 2 + j], coupled[5, 2 + j] = forces[0][j], forces[1][j], forces[2][j]
        coupled[3, 2 + j] += height * forces[1][j]
        coupled[4, 2 + j] -= height * forces[0][j]
    return int(sums[ONE])


@njit(cache=True, error_model="numpy")
def least_response(points, soft, inverse, arms, slip, multiplier, mu):  # type: ignore[no-untyped-def]
    """Return the same of the points that slide and press, of up to MOST; 1/M and J⁻¹ (3, 3) in space instead of the mass."""
    vectors, count = np.empty((3, points, 3)), 0
    up, pressed, turned = vectors[0], vectors[1], vectors[2]
    for i in range(points):
        if not ((slip[i, 0] != 0.0 or slip[i, 1] != 0.0) and multiplier[i, 2] < 0.0):
            continue
        x, y, z = arms[i, 0], arms[i, 1], arms[i, 2]
        size = np.sqrt(slip[i, 0] ** 2 + slip[i, 1] ** 2)
        tx, ty = mu[i] * slip[i, 0] / size, mu[i] * slip[i, 1] / size
        up[count, 0], up[count, 1] = y, -x
        # a × (n − μ t)
        pressed[count, 0], pressed[count, 1], pressed[count, 2] = y + z * ty, -x - z * tx, y * tx - x * ty
        for a in range(3):
            turned[count, a] = y * inverse[0, a] - x * inverse[1, a]
        count += 1
    both = np.empty((2, count, count))
    response, plain = both[0], both[1]
    for i in range(count):
        x, y, z = turned[i, 0], turned[i, 1], turned[i, 2]
        for j in range(count):
            response[i, j] = soft + x * pressed[j, 0] + y * pressed[j, 1] + z * pressed[j, 2]
            plain[i, j] = soft + x * up[j, 0] + y * up[j, 1]
    return least_of_sets(response, plain)


@njit(cache=True, error_model="numpy")
def least_of_sets(response, plain):  # type: ignore[no-untyped-def]
    """Return the least real eigenvalue of the principal submatrices (1 to 3) of A whose points are independent by ``plain``."""
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
    """Return the determinant of the submatrix of three points."""
    first = a[j, j] * a[k, k] - a[j, k] * a[k, j]
    second = a[j, i] * a[k, k] - a[j, k] * a[k, i]
    return a[i, i] * first - a[i, j] * second + a[i, k] * (a[j, i] * a[k, j] - a[j, j] * a[k, i])


@njit(cache=True, error_model="numpy")
def _quadratic(trace, determinant, known):  # type: ignore[no-untyped-def]
    """Return the least real root of λ² − trace λ + determinant; infinite without one, or where the signs (Descartes) show that
    none is below a ``known`` number."""
    if 2.0 * known <= trace and (known - trace) * known + determinant >= 0.0:
        return np.inf
    square = 0.25 * trace * trace - determinant
    if square < -REAL * trace * trace:
        return np.inf
    root = np.sqrt(max(square, 0.0))
    return determinant / (0.5 * trace + root) if trace > 0.0 else 0.5 * trace - root


@njit(cache=True, error_model="numpy")
def _cubic(trace, minors, determinant, known):  # type: ignore[no-untyped-def]
    """Return the least real root of λ³ − trace λ² + minors λ − determinant, by Cardano's formulas and Newton's method; infinite
    where the signs (Descartes) show that none is below a ``known`` number."""
    slope = (3.0 * known - 2.0 * trace) * known + minors
    if 3.0 * known <= trace and slope >= 0.0 and ((known - trace) * known + minors) * known <= determinant:
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
