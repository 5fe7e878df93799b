"""Compiled loops against the same sums in NumPy, the nodal minimiser against its optimality condition; arrays and sums in lanes."""

import numpy as np
import pytest
import scipy.sparse
from friction_problems import pulled_plate, random_problem
from numba import njit
from signorini_problems import step_problem

import fem.elastic
import friction.arrays
from friction import FactorCache, Quadratic
from friction.factors import gmres
from friction.lanes import LANES, clear_lanes, sum_lanes
from friction.nodal import kernels as nodes
from friction.nodal import sweeps

PLANE, SPACE = (0, 0), (0, 0, 0)


def size_of(x):
    return np.hypot(x[:, 0], x[:, 1])


def unit(x):
    size = size_of(x)[:, None]
    return np.divide(x, size, out=np.zeros_like(x), where=size > 0.0)


def dense(part, data):
    return scipy.sparse.csr_array((data, part.indices, part.indptr)).toarray()


def newton_terms(v, lam, g, w, r, held, tie):
    """Which nodes are fixed (N,), D (N, 2, 2) of the others, right-hand side (N, 2): of the laws in the plane."""
    tau, rest = lam + r[:, None] * v, size_of(v) == 0.0
    fixed = held | ((w > 0.0) & (size_of(tau) <= w + np.where(rest, tie, 0.0)))
    n, room = unit(tau), np.where(w > 0.0, np.maximum(size_of(tau) - w, w / nodes.CAP), 1.0)
    factor = np.where(fixed | (w == 0.0), 0.0, w * r / room)
    blocks = factor[:, None, None] * (np.eye(2) - n[:, :, None] * n[:, None, :])
    rhs = -(g + w[:, None] * n + np.einsum("iab,ib->ia", blocks, v))
    rhs[fixed] = -v[fixed]
    return fixed, blocks, rhs


def coupled(A, coupling):
    """The dense matrix (3N, 3N) with the coupling (N, 2) times the rows across added to those along the ground."""
    full = A.toarray()
    for i, share in enumerate(coupling):
        full[3 * i : 3 * i + 2] += share[:, None] * full[3 * i + 2]
    return full


def reduced(A, held, D, coupling, r):
    """The dense matrix (3N, 3N) with D added and r on the diagonal of what is held."""
    full, out = coupled(A, coupling), held.ravel()
    for i, block in enumerate(D):
        full[3 * i : 3 * i + 2, 3 * i : 3 * i + 2] += block
    full[out, :], full[:, out] = 0.0, 0.0
    full[out, out] = np.repeat(r, 3)[out]
    return full


def minimiser(B, c, w):
    return np.array(sweeps.minimiser(B[0, 0], B[0, 1], B[1, 1], *c, w, 0.0))


def all_awake(w):
    """Runs of nodes that the first sweep is given."""
    return np.ones(-(-len(w) // sweeps.BLOCK), bool)


def test_residuals_equal_numpy_and_let_nan_through():
    A, b, w = random_problem(30, seed=3)
    v, r = np.random.default_rng(4).standard_normal(b.shape), np.abs(A.diagonal()).reshape(-1, 2).mean(axis=1)
    v[::3], v[1], w[::7] = 0.0, 1e-12, 0.0
    held = np.isin(np.arange(30), (2, 3, 9))
    g, laws = Quadratic(A, b).gradient(v), (w, 0.0 * w, np.zeros(30, np.int8), held, np.zeros((30, 2), bool))
    rest = (size_of(v) == 0.0) & (w > 0.0)
    theirs = (size_of(g) - w)[rest & ~held].max(), size_of(g + w[:, None] * unit(v))[~rest & ~held].max()
    ours = nodes.residual(PLANE, PLANE, v, g, *laws, r)
    assert min(theirs) > 0.1  # both kinds are there
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    for node in (0, 1, 2):  # at rest, moving, held
        bad = g.copy()
        bad[node, 1] = np.nan
        assert np.isnan(nodes.residual(PLANE, PLANE, v, bad, *laws, r)).all()


def test_with_unknown_normal_forces_the_bound_follows_them_and_open_nodes_are_free():
    """Every state at once; along the ground the terms are those of the plane with the bound w = bound + mu sigma."""
    rng, count = np.random.default_rng(6), 60
    u, g, r = rng.normal(size=(count, 3)), rng.normal(size=(count, 3)), rng.uniform(0.5, 2.0, count)
    u[::4] *= 0.1
    g[::4] *= [0.1, 0.1, 3.0]
    bound, mu = rng.uniform(0.0, 0.3, count), rng.uniform(0.0, 2.0, count)
    kind = rng.integers(0, 3, count).astype(np.int8)
    kind[6], u[6, :2], bound[6] = nodes.GUIDED, 0.0, np.hypot(*g[6, :2]) - 1e-9  # at rest, on the border
    fixed = np.arange(count) % 20 == 2
    laws = bound, mu, kind, fixed, np.zeros((count, 3), bool)
    held, D, coupling, rhs = (
        np.empty((count, 3), bool),
        np.empty((count, 2, 2)),
        np.empty((count, 2)),
        np.empty((count, 3)),
    )
    jumps = nodes.linearise(SPACE, PLANE, u, g, *laws, r, 1e-8, held, D, coupling, rhs)
    sigma = g[:, 2] - r * u[:, 2]
    closed = (kind == nodes.GUIDED) | ((kind == nodes.UNILATERAL) & (sigma > 0.0))
    np.testing.assert_array_equal(held[:, 2], closed)
    np.testing.assert_array_equal(rhs[:, 2], np.where(closed, -u[:, 2], -g[:, 2]))
    w = bound + np.where(kind == nodes.UNILATERAL, mu * np.maximum(sigma, 0.0), 0.0)
    sticks, blocks, right = newton_terms(u[:, :2], -g[:, :2], g[:, :2], w, r, fixed, 1e-8)
    assert sticks[6]
    assert jumps == np.count_nonzero((closed & (u[:, 2] != 0.0)) | (sticks & u[:, :2].any(axis=1)))
    np.testing.assert_array_equal(held[:, 0], sticks)
    np.testing.assert_allclose(D, blocks, rtol=1e-11, atol=1e-12)
    presses = closed & ~sticks & (mu > 0.0)
    assert min(presses.sum(), sticks.sum(), (~closed).sum()) >= 5
    tau = r[:, None] * u[:, :2] - g[:, :2]
    n = tau / np.linalg.norm(tau, axis=1)[:, None]
    np.testing.assert_allclose(coupling, np.where(presses[:, None], mu[:, None] * n, 0.0), rtol=1e-12)
    now = np.where(presses, bound + mu * g[:, 2], w)
    right[presses] += ((w - now)[:, None] * n)[presses]
    np.testing.assert_allclose(rhs[:, :2], right, rtol=1e-10, atol=1e-11)


def test_the_residual_across_is_that_of_the_complementarity_of_gap_rate_and_normal_force():
    """min(g, r u) where a node may open, g where nothing guides it, none where it is guided; here without friction."""
    zeros, r = np.zeros(1), np.array([2.0])
    for rate, force in ((0.3, 0.1), (0.3, 0.8), (0.0, -0.5), (-0.2, 0.4)):
        u, g = np.array([[0.0, 0.0, rate]]), np.array([[0.0, 0.0, force]])
        expected = {nodes.GUIDED: 0.0, nodes.UNILATERAL: abs(min(force, 2.0 * rate)), nodes.UNGUIDED: abs(force)}
        for kind, size in expected.items():
            laws = zeros, zeros, np.array([kind], np.int8), np.zeros(1, bool), np.zeros((1, 3), bool)
            assert nodes.residual(SPACE, PLANE, u, g, *laws, r) == pytest.approx((0.0, size), abs=1e-15)


@pytest.mark.parametrize("couple", [False, True])
def test_elimination_gives_the_reduced_system_of_the_full_matrix(couple):
    """Held rows and columns are r times the identity, rows along the ground gain mu n times the row across, D is added."""
    part, _ = step_problem((2, 2, 1), np.random.default_rng(3))
    cache, count = FactorCache(part.indptr, part.indices, d=3), len(part.b)
    rng, data = np.random.default_rng(5), part.hessian(None)
    held, coupling = rng.random((count, 3)) < 0.3, rng.normal(size=(count, 2)) * (rng.random(count) < 0.5)[:, None]
    D, jump, r = rng.normal(size=(count, 2, 2)), rng.normal(size=(count, 3)), rng.uniform(1.0, 2.0, count)
    D = D + D.transpose(0, 2, 1)
    coupling[held[:, :2]], D[held[:, 0]], D[held[:, 1]] = 0.0, 0.0, 0.0
    out, rhs = np.empty_like(data), np.empty((count, 3))
    args = SPACE, PLANE, cache.indptr, cache.indices
    nodes.eliminate(*args, data, cache.own, held, D, coupling, couple, r, jump, out, rhs)
    full, plain = (reduced(part.matrix, held, D, c, r) for c in (coupling, 0.0 * coupling))
    scale = np.abs(full).max()
    np.testing.assert_allclose(dense(part, out), full if couple else plain, atol=1e-14 * scale)
    joint = coupled(part.matrix, coupling)
    expected = jump - (joint @ np.where(held, jump, 0.0).ravel()).reshape(-1, 3)
    np.testing.assert_allclose(rhs, np.where(held, r[:, None] * jump, expected), atol=1e-12 * scale)
    x, y = rng.normal(size=3 * count), np.empty(3 * count)
    nodes.coupled_product(*args, out, data, held, 0.0 * coupling if couple else coupling, x, y)
    np.testing.assert_allclose(y, full @ x, atol=1e-12 * scale)


def test_sweeps_end_where_what_is_left_of_the_first_change_is_small_or_visits_are_not_worth_it():
    coarse = {}
    for tau in (2e-4, 1.0):
        A, b, w = pulled_plate(40, 1e8, tau, 0.25)
        part, nobody = Quadratic(A, b), np.zeros(len(w), bool)
        matrix = (part.indptr, part.indices, part.data, FactorCache(part.indptr, part.indices).own)
        (v, g), (v_one, g_one) = ((np.zeros_like(b), -b) for _ in range(2))
        left = sweeps.relax(*matrix, w, 0.0, nobody, v, g)
        changes, awake = [], all_awake(w)
        while not changes or not np.array_equal(v, v_one):
            change, _ = sweeps.sweep(*matrix, w, 0.0, nobody, len(changes) % 2 == 0, awake, v_one, g_one)
            changes.append(np.sqrt(change))
            assert len(changes) < 200
        np.testing.assert_array_equal(g, g_one)
        coarse[tau] = left < np.inf
        assert coarse[tau] == (changes[-1] <= sweeps.COARSE_RATIO * changes[0])
        assert not coarse[tau] or left == pytest.approx(changes[-1] / changes[0], rel=1e-12)
    assert coarse == {2e-4: True, 1.0: False}


def test_steps_of_gmres_end_where_few_are_of_use_and_let_nan_through():
    assert gmres(lambda v: np.nan * v, lambda v: v, np.ones(12), 0.0, 7)[1] == np.inf
    for rate, taken in ((1.0, 7), (0.5, 2)):  # of eigenvalues over six decades few iterations reduce it little
        assert gmres(lambda v: v, lambda v: np.logspace(0, 6, 12) * v, np.ones(12), 0.0, 7, rate)[2] == taken


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e8])
def test_nodal_minimiser_satisfies_its_optimality_condition_to_rounding(condition):
    """½ v·B v − c·v + w |v| is strictly convex: no other v does."""
    rng = np.random.default_rng(int(condition))
    stuck = slid = 0
    for _ in range(300):
        angle, size = rng.uniform(0, np.pi), 10.0 ** rng.uniform(-3, 3)
        Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        B = size * Q @ np.diag([1.0, 1.0 / condition]) @ Q.T
        c, w = rng.standard_normal(2), rng.choice([0.3, 1.0, 3.0, 1e-9])
        v = minimiser(B, c, w)
        if np.hypot(*c) <= w:
            assert (v == 0.0).all()
            stuck += 1
            continue
        slid += 1
        residual = B @ v - c + w * v / np.hypot(*v)
        assert np.abs(residual).max() <= 20 * np.finfo(float).eps * (np.abs(B) @ np.abs(v) + np.abs(c) + w).max()
    assert stuck > 20
    assert slid > 100


def test_border_of_the_disc_is_reached_from_outside_and_stays_at_rest():
    w = 1.0
    assert sweeps.minimiser(2.0, 0.5, 1.0, w, 0.0, w, 0.0) == (0.0, 0.0)
    v = sweeps.minimiser(2.0, 0.0, 2.0, w * (1.0 + 1e-10), 0.0, w, 0.0)
    assert v[0] == pytest.approx(0.5e-10, rel=1e-5)
    assert v[1] == 0.0


NUMBERS = np.arange(6.0).reshape(2, 3)

VIEW = NUMBERS.copy().view()

VIEW.flags.writeable = False

BYTES = np.frombuffer(NUMBERS.tobytes()).reshape(2, 3)  # of memory that nobody may write

GIVEN = {
    "as wanted": (NUMBERS.copy(), True),
    "a read-only view": (VIEW, True),
    "read-only memory": (BYTES, False),
    "columns first": (np.asfortranarray(NUMBERS), False),
    "every other number": (np.repeat(NUMBERS, 2, axis=1)[:, ::2], False),
}


@njit
def total(a):  # type: ignore[no-untyped-def]
    return a.sum()


@pytest.mark.parametrize("contiguous", [friction.arrays.contiguous, fem.elastic.contiguous])
def test_loops_are_compiled_once_whatever_kind_of_array_is_given(contiguous):
    kinds = {(array.flags.c_contiguous, array.flags.f_contiguous, array.flags.writeable) for array, _ in GIVEN.values()}
    assert len(kinds) == 4
    for array, shared in GIVEN.values():
        flags = array.flags.writeable
        computed = contiguous(array)
        assert total(computed) == 15.0
        np.testing.assert_array_equal(computed, NUMBERS)
        assert np.shares_memory(computed, array) == shared
        assert array.flags.writeable == flags, "the caller's array is as it was"
    assert len(total.signatures) == 1


FIRST, SECOND, ROWS = 0, LANES, np.int64(2)


@njit
def two_sums(x, y, sums):  # type: ignore[no-untyped-def]
    """The loop that the head of ``friction.lanes`` shows: Σ x and Σ x y."""
    clear_lanes(sums, ROWS)
    for first in range(0, len(x), LANES):
        for k in range(min(LANES, len(x) - first)):
            i = np.uint64(first + k)
            sums[k + FIRST] += x[i]
            sums[k + SECOND] += x[i] * y[i]
    sum_lanes(sums, ROWS, len(x))
    return sums[FIRST], sums[SECOND]


def in_order(terms):
    """The sum as the head of ``friction.lanes`` states it: point i adds to lane i mod LANES, then the lanes in their order."""
    lanes = [0.0] * LANES
    for i, term in enumerate(terms.tolist()):
        lanes[i % LANES] += term
    return sum(lanes[1:], lanes[0])


@pytest.mark.parametrize("points", [0, 1, 2, LANES - 1, LANES, LANES + 1, 3 * LANES, 1152, 1157])
def test_a_sum_in_lanes_has_the_bits_of_its_stated_order_whatever_was_in_the_room(points):
    rng = np.random.default_rng(points)
    x, y = rng.standard_normal((2, points)) * 10.0 ** rng.integers(-8, 8, (2, points))
    computed = two_sums(x, y, np.full(2 * LANES, np.nan))
    assert computed == (in_order(x), in_order(x * y))
    if points > 1000:  # else a compiler that reorders would not be noticed
        assert in_order(x) != sum(x.tolist())
        assert in_order(x) == pytest.approx(sum(x.tolist()), abs=points * 2.0**-52 * np.abs(x).sum())
