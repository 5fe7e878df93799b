"""Contact at points, compiled: gaps of shapes, axes of contact, and derivatives of the force by position and velocity.

Vectors are triples, in the plane with 0 as the last; symmetric tensors are (xx, xy, xz, yy,
yz, zz). A shape is its kind and its numbers (``shapes``, ``chain``); the formulas of the force are derived in ``contact_force``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from floating_frame.contact.obstacles import BOX, EDGE, HALF_SPACE, ROUND

PIECE = 10
"""Numbers of a piece of a chain: its start (2), heading e (2) and angle, where it begins and ends along it, curvature, its end."""
ANTIPARALLEL = 1e-12
"""1 + n_z below which a normal is −e_z."""
FLAT = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@njit(cache=True, error_model="numpy", inline="always")
def dot(a, b):  # type: ignore[no-untyped-def]
    """Scalar product a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy", inline="always")
def combine(a, x, b, y):  # type: ignore[no-untyped-def]
    """Linear combination a x + b y of vectors."""
    return a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]


@njit(cache=True, error_model="numpy", inline="always")
def cross(a, b):  # type: ignore[no-untyped-def]
    """Vector product a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(cache=True, error_model="numpy", inline="always")
def symv(H, x):  # type: ignore[no-untyped-def]
    """Product H x of a symmetric tensor and a vector."""
    return (
        H[0] * x[0] + H[1] * x[1] + H[2] * x[2],
        H[1] * x[0] + H[3] * x[1] + H[4] * x[2],
        H[2] * x[0] + H[4] * x[1] + H[5] * x[2],
    )


@njit(cache=True, error_model="numpy", inline="always")
def triple(numbers, first):  # type: ignore[no-untyped-def]
    """Vector that begins at index ``first`` of the numbers."""
    return numbers[first], numbers[first + 1], numbers[first + 2]


@njit(cache=True, error_model="numpy", inline="always")
def rotate(R, first, v):  # type: ignore[no-untyped-def]
    """R v of a matrix (9) that begins at ``first``."""
    return dot(triple(R, first), v), dot(triple(R, first + 3), v), dot(triple(R, first + 6), v)


@njit(cache=True, error_model="numpy", inline="always")
def rotate_back(R, first, v):  # type: ignore[no-untyped-def]
    """Rᵀ v."""
    return combine(1.0, combine(v[0], triple(R, first), v[1], triple(R, first + 3)), v[2], triple(R, first + 6))


@njit(cache=True, error_model="numpy")
def rotate_tensor(R, first, H):  # type: ignore[no-untyped-def]
    """R H Rᵀ of a symmetric tensor."""
    one = rotate(R, first, symv(H, (R[first], R[first + 1], R[first + 2])))  # its columns
    two = rotate(R, first, symv(H, (R[first + 3], R[first + 4], R[first + 5])))
    return (one[0], one[1], one[2], two[1], two[2], rotate(R, first, symv(H, triple(R, first + 6)))[2])


@njit(cache=True, error_model="numpy", inline="always")
def own_place(x, place, R, first, pivot):  # type: ignore[no-untyped-def]
    """Place Rᵀ (x − ``place``) + ``pivot`` of a point x in an obstacle's axes: ``place`` of its pivot in space."""
    return combine(1.0, rotate_back(R, first, combine(1.0, x, -1.0, place)), 1.0, pivot)


@njit(cache=True, error_model="numpy", inline="always")
def spatial(v, d):  # type: ignore[no-untyped-def]
    """Triple of a vector (d,), in the plane with 0 as the last."""
    return v[0], v[1], v[d - 1] if d == 3 else 0.0


@njit(cache=True, error_model="numpy", inline="always")
def symmetric(K, d):  # type: ignore[no-untyped-def]
    """Six entries of a symmetric tensor (d, d), in the plane with 0 as the last row and column."""
    if d == 2:
        return K[0, 0], K[0, 1], 0.0, K[1, 1], 0.0, 0.0
    return K[0, 0], K[0, 1], K[0, 2], K[1, 1], K[1, 2], K[2, 2]


@njit(cache=True, error_model="numpy", inline="always")
def projection(P, n, share):  # type: ignore[no-untyped-def]
    """Scaled projection (P − n nᵀ) share of a symmetric tensor P."""
    return (
        share * (P[0] - n[0] * n[0]),
        share * (P[1] - n[0] * n[1]),
        share * (P[2] - n[0] * n[2]),
        share * (P[3] - n[1] * n[1]),
        share * (P[4] - n[1] * n[2]),
        share * (P[5] - n[2] * n[2]),
    )


@njit(cache=True, error_model="numpy")
def round_at(d, P, radius):  # type: ignore[no-untyped-def]
    """Gap ``|d| − radius``, normal and curvature for a vector d in the span of the projector P; at d = 0 n is any of its
    directions."""
    size = np.sqrt(dot(d, d))
    if size == 0.0:
        if P[0] >= P[3] and P[0] >= P[5]:
            return -radius, (P[0], P[1], P[2]), FLAT
        if P[3] >= P[5]:
            return -radius, (P[1], P[3], P[4]), FLAT
        return -radius, (P[2], P[4], P[5]), FLAT
    n = (d[0] / size, d[1] / size, d[2] / size)
    return size - radius, n, projection(P, n, 1.0 / size)


@njit(cache=True, error_model="numpy")
def edge_at(numbers, y):  # type: ignore[no-untyped-def]
    """Gap of an edge: numbers are its axis (3), both normals (3), the projector across the axis (6), the radius."""
    arm, radius = combine(1.0, y, -1.0, triple(numbers, 0)), numbers[15]
    one, two = triple(numbers, 3), triple(numbers, 6)
    P = (numbers[9], numbers[10], numbers[11], numbers[12], numbers[13], numbers[14])
    first, second, cosine = dot(arm, one), dot(arm, two), dot(one, two)
    # in the sector between both normals the edge is nearest
    if first - cosine * second > 0.0 and second - cosine * first > 0.0:
        return round_at(symv(P, arm), P, radius)
    if first >= second:
        return first - radius, one, FLAT
    return second - radius, two, FLAT


@njit(cache=True, error_model="numpy")
def box_at(numbers, y):  # type: ignore[no-untyped-def]
    """Gap, normal and curvature of a box. Numbers: its centre (3), half sides less the corner radius (3), that radius, side, its
    axes R (9). In the plane the last half side is infinite."""
    arm, q, beyond = combine(1.0, y, -1.0, triple(numbers, 0)), np.empty(3), 0
    n, sign, most = np.zeros(3), np.empty(3), 0
    for j in range(3):
        z = arm[0] * numbers[8 + j] + arm[1] * numbers[11 + j] + arm[2] * numbers[14 + j]
        q[j], sign[j] = abs(z) - numbers[3 + j], -1.0 if z < 0.0 else 1.0
        beyond += q[j] > 0.0
        most = j if q[j] > q[most] else most
    bent, size, gap = beyond > 1, 0.0, q[most]
    if bent:
        for j in range(3):
            size += max(q[j], 0.0) ** 2
        gap = size = np.sqrt(size)
    normal, H = np.zeros(3), np.zeros((3, 3))
    for j in range(3):
        n[j] = sign[j] * (max(q[j], 0.0) / size if bent else 1.0 if j == most else 0.0)
        for i in range(3):
            normal[i] += numbers[8 + 3 * i + j] * n[j]
    side = numbers[7]
    if bent:
        for i in range(3):
            for j in range(3):
                H[i, j] = -normal[i] * normal[j] / size
                for k in range(3):
                    H[i, j] += numbers[8 + 3 * i + k] * numbers[8 + 3 * j + k] / size if q[k] > 0.0 else 0.0
    curved = (side * H[0, 0], side * H[0, 1], side * H[0, 2], side * H[1, 1], side * H[1, 2], side * H[2, 2])
    return side * (gap - numbers[6]), (side * normal[0], side * normal[1], side * normal[2]), curved


@njit(cache=True, error_model="numpy")
def piece_at(numbers, f, y):  # type: ignore[no-untyped-def]
    """Gap, normal and curvature of the unbounded line or circle of a chain's piece, and the distance, m, from the piece."""
    x, z, ex, ey = y[0] - numbers[f], y[1] - numbers[f + 1], numbers[f + 2], numbers[f + 3]
    heading, low, high, k = numbers[f + 4], numbers[f + 5], numbers[f + 6], numbers[f + 7]
    if k == 0.0:
        gap, along = z * ex - x * ey, x * ex + z * ey
        away = along - min(max(along, low), high)
        return gap, (-ey, ex, 0.0), FLAT, np.sqrt(gap * gap + away * away)
    hollow, radius = 1.0 if k > 0.0 else -1.0, 1.0 / abs(k)
    d = (x + ey / k, z - ex / k, 0.0)
    outside, direction, bent = round_at(d, (1.0, 0.0, 0.0, 1.0, 0.0, 0.0), radius)
    # The angle from the start of the arc, along it, from 0 to 2 pi.
    angle = hollow * (np.arctan2(direction[1], direction[0]) - (heading - hollow * 0.5 * np.pi))
    gap, distance = -hollow * outside, abs(outside)
    if angle - 2.0 * np.pi * np.floor(angle / (2.0 * np.pi)) > abs(k) * high:
        to_end = np.hypot(y[0] - numbers[f + 8], y[1] - numbers[f + 9])
        distance = min(np.hypot(x, z), to_end)
    n = (-hollow * direction[0], -hollow * direction[1], 0.0)
    return gap, n, (-hollow * bent[0], -hollow * bent[1], 0.0, -hollow * bent[3], 0.0, 0.0), distance


@njit(cache=True, error_model="numpy")
def gap_at(kind, numbers, y):  # type: ignore[no-untyped-def]
    """Gap, normal and curvature of a shape at a point y in its own axes."""
    if kind == HALF_SPACE:  # a point of it (3), its normal (3)
        n = triple(numbers, 3)
        return dot(combine(1.0, y, -1.0, triple(numbers, 0)), n), n, FLAT
    if kind == ROUND:  # the centre (3), radius, side, the projector across the axis (6)
        P, side = (numbers[5], numbers[6], numbers[7], numbers[8], numbers[9], numbers[10]), numbers[4]
        gap, n, H = round_at(symv(P, combine(1.0, y, -1.0, triple(numbers, 0))), P, numbers[3])
        curved = (side * H[0], side * H[1], side * H[2], side * H[3], side * H[4], side * H[5])
        return side * gap, (side * n[0], side * n[1], side * n[2]), curved
    if kind == EDGE:
        return edge_at(numbers, y)
    if kind == BOX:
        return box_at(numbers, y)
    nearest, gap, n, H = np.inf, np.inf, (0.0, 0.0, 0.0), FLAT
    for piece in range(len(numbers) // PIECE):
        offset, normal, bent, distance = piece_at(numbers, PIECE * piece, y)
        if distance < nearest:
            nearest, gap, n, H = distance, offset, normal, bent
    return gap, n, H


@njit(cache=True, error_model="numpy")
def gaps(kind, numbers, y, gap, normal, curvature):  # type: ignore[no-untyped-def]
    """Write gaps (M,), normals (M, d) and curvatures (M, d, d) at points y (M, d)."""
    d = y.shape[1]
    for p in range(len(y)):
        gap[p], n, H = gap_at(kind, numbers, spatial(y[p], d))
        for i in range(d):
            normal[p, i] = n[i]
            for j in range(d):
                curvature[p, i, j] = tensor_entry(H, i, j)


@njit(cache=True, error_model="numpy", inline="always")
def tensor_entry(H, i, j):  # type: ignore[no-untyped-def]
    """Entry i, j of a symmetric tensor."""
    low, high = min(i, j), max(i, j)
    return H[2 * low + high - (low == 2)]


@njit(cache=True, error_model="numpy")
def axes_at(n, H, plane):  # type: ignore[no-untyped-def]
    """Tangents t1, t2 at a normal n, in the plane t = J n and zero, and their twist ∇∇g w about n."""
    x, y, z = n
    if plane:
        return (-y, x, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    up = 1.0 + z
    share = 1.0 / up if up > ANTIPARALLEL else 0.0
    t1 = (1.0 - x * x * share, -x * y * share, -x)
    t2 = (-x * y * share, 1.0 - y * y * share if up > ANTIPARALLEL else -1.0, -y)
    least = max(up, ANTIPARALLEL)
    return t1, t2, symv(H, (y / least, -x / least, 0.0))


@njit(cache=True, error_model="numpy")
def axes_of(normal, curvature, tangents, twist):  # type: ignore[no-untyped-def]
    """Write tangents (M, d − 1, d) and their twist (M, d) at normals (M, d) of curvatures (M, d, d)."""
    d = normal.shape[1]
    for p in range(len(normal)):
        t1, t2, q = axes_at(spatial(normal[p], d), symmetric(curvature[p], d), d == 2)
        for i in range(d):
            tangents[p, 0, i], twist[p, i] = t1[i], q[i]
            if d == 3:
                tangents[p, 1, i] = t2[i]


@njit(cache=True, error_model="numpy", inline="always")
def add_outer(K, a, b):  # type: ignore[no-untyped-def]
    """Sum K + a bᵀ, row by row."""
    return (
        K[0] + a[0] * b[0],
        K[1] + a[0] * b[1],
        K[2] + a[0] * b[2],
        K[3] + a[1] * b[0],
        K[4] + a[1] * b[1],
        K[5] + a[1] * b[2],
        K[6] + a[2] * b[0],
        K[7] + a[2] * b[1],
        K[8] + a[2] * b[2],
    )


@njit(cache=True, error_model="numpy")
def derivatives_at(gap, n, H, t1, t2, q, spin, c, rate, normal, a, b, u, rubs, viscous):  # type: ignore[no-untyped-def]
    """∂F/∂x and ∂F/∂v (9, row by row) at a point: see ``contact_force``. f_n ``normal`` and its slopes a, b; λ ``rubs`` (2),
    ∂λ/∂u ``viscous`` (4); the obstacle's ``spin`` (3), whose columns A_j = Ω × (1 − n nᵀ − g H)_j."""
    x, y, z = n
    drag, Hc = combine(rubs[0], t1, rubs[1], t2), symv(H, c)
    A1 = cross(spin, (1.0 - x * x - gap * H[0], -x * y - gap * H[1], -x * z - gap * H[2]))
    A2 = cross(spin, (-x * y - gap * H[1], 1.0 - y * y - gap * H[3], -y * z - gap * H[4]))
    A3 = cross(spin, (-x * z - gap * H[2], -y * z - gap * H[4], 1.0 - z * z - gap * H[5]))
    by_x = combine(b, combine(1.0, (dot(n, A1), dot(n, A2), dot(n, A3)), -1.0, Hc), -a, n)
    by_v, over = (-b * x, -b * y, -b * z), 1.0 / normal if normal > 0.0 else 0.0  # no friction under tension
    lead = combine(1.0, n, -over, drag)
    v1, v2 = combine(viscous[0], t1, viscous[2], t2), combine(viscous[1], t1, viscous[3], t2)
    m1 = combine(1.0, (dot(t1, A1), dot(t1, A2), dot(t1, A3)), -rate, symv(H, t1))
    m2 = combine(1.0, (dot(t2, A1), dot(t2, A2), dot(t2, A3)), -rate, symv(H, t2))
    swung = combine(1.0, combine(u[1], v1, -u[0], v2), 1.0, combine(-rubs[1], t1, rubs[0], t2))
    bent = (H[0], H[1], H[2], H[1], H[3], H[4], H[2], H[4], H[5])
    K = (
        normal * bent[0], normal * bent[1], normal * bent[2],
        normal * bent[3], normal * bent[4], normal * bent[5],
        normal * bent[6], normal * bent[7], normal * bent[8],
    )  # fmt: skip
    K = add_outer(add_outer(K, lead, by_x), n, symv(H, drag))
    K = add_outer(add_outer(add_outer(K, v1, m1), v2, m2), (-swung[0], -swung[1], -swung[2]), q)
    C = add_outer((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), lead, by_v)
    return K, add_outer(add_outer(C, (-v1[0], -v1[1], -v1[2]), t1), (-v2[0], -v2[1], -v2[2]), t2)


@njit(cache=True, error_model="numpy")
def force_at(gap, n, H, t1, t2, q, spin, carried, c, rate, normal, u, rubs, viscous):  # type: ignore[no-untyped-def]
    """F (3), ∂F/∂x and ∂F/∂v (9) of a point, power of the obstacle and dissipation, W: see ``contact_force``. ``normal``: f_n, its
    slopes a, b and its elastic part; ``carried``: the obstacle's velocity; else as ``derivatives_at``."""
    f, a, b, elastic = normal
    F = combine(1.0, (f * n[0], f * n[1], f * n[2]), -1.0, combine(rubs[0], t1, rubs[1], t2))
    K, C = derivatives_at(gap, n, H, t1, t2, q, spin, c, rate, f, a, b, u, rubs, viscous)
    return F, K, C, dot(F, carried), (f - elastic) * rate + rubs[0] * u[0] + rubs[1] * u[1]


@njit(cache=True, error_model="numpy")
def forces(values, normal, H, tangents, viscous, spin, force, slopes):  # type: ignore[no-untyped-def]
    """Write F (P, d) and its slopes by places and velocities (2, P, d, d); return the sums of the powers. ``values`` (P, 10 + 3 d):
    gap, d', f_n, its elastic part and slopes a and b, λ (2), u (2), twist, relative velocity and the obstacle's at the points;
    normals (P, d), curvatures and tangents, ∂λ/∂u (P, 2, 2), the spin (3)."""
    d, given, lost = normal.shape[1], 0.0, 0.0
    for p in range(len(normal)):
        k, t2 = values[p], (0.0, 0.0, 0.0)
        if d == 3:
            t2 = spatial(tangents[p, 1], d)
        F, stiff, damp, power, loss = force_at(
            k[0], spatial(normal[p], d), symmetric(H[p], d), spatial(tangents[p, 0], d), t2, spatial(k[10:], d),
            (spin[0], spin[1], spin[2]), spatial(k[10 + 2 * d :], d), spatial(k[10 + d :], d), k[1],
            (k[2], k[4], k[5], k[3]), (k[8], k[9]), (k[6], k[7]),
            (viscous[p, 0, 0], viscous[p, 0, 1], viscous[p, 1, 0], viscous[p, 1, 1]),
        )  # fmt: skip
        given, lost = given + power, lost + loss
        for i in range(d):
            force[p, i] = F[i]
            for j in range(d):
                slopes[0, p, i, j], slopes[1, p, i, j] = stiff[3 * i + j], damp[3 * i + j]
    return given, lost
