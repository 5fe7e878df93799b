"""Compiled loops equal their NumPy twins; the nodal minimiser is exact."""

import numpy as np
import pytest
import reference_kernels as twins
import scipy.optimize
import scipy.sparse
from friction_problems import pulled_plate, random_problem
from signorini_problems import step_problem

from friction import FactorCache, Quadratic
from friction.factors import gmres
from friction.nodal import kernels as nodes
from friction.nodal import sweeps

PLANE, SPACE = (0, 0), (0, 0, 0)


@pytest.fixture(scope="module")
def case():
    """A random problem with moving, resting, free, held and borderline nodes."""
    A, b, w = random_problem(30, seed=3)
    part = Quadratic(A, b)
    rng = np.random.default_rng(4)
    v = rng.standard_normal(b.shape)
    v[::3] = 0.0
    v[1] = [1e-12, -1e-12]
    w[::7] = 0.0
    held = np.zeros(30, bool)
    held[[2, 3, 9]] = True
    return part, part.matrix, v, part.gradient(v), w, held


def all_awake(w):
    """What the first sweep is told of the runs of nodes."""
    return np.ones(-(-len(w) // sweeps.BLOCK), bool)


def laws_of(w, held, d=2):
    """Arguments of the kernels for given bounds alone."""
    count = len(w)
    return w, np.zeros(count), np.zeros(count, np.int8), held, np.zeros((count, d), bool)


def linearised(dims, u, g, laws, r, tie):
    """held, D, coupling, rhs and jumps of the kernel."""
    count, d = u.shape
    held, D, coupling, rhs = (
        np.empty((count, d), bool),
        np.empty((count, 2, 2)),
        np.empty((count, 2)),
        np.empty((count, d)),
    )
    return held, D, coupling, rhs, nodes.linearise(dims, PLANE, u, g, *laws, r, tie, held, D, coupling, rhs)


@pytest.mark.parametrize("d", [2, 3])
def test_own_blocks_and_scaling_equal_numpy(d):
    part = (
        Quadratic(*random_problem(30, seed=3)[:2]) if d == 2 else step_problem((2, 2, 1), np.random.default_rng(1))[0]
    )
    A, cache = part.matrix, FactorCache(part.indptr, part.indices, d=d)
    blocks = A.toarray().reshape(-1, d, A.shape[0] // d, d)
    np.testing.assert_array_equal(part.hessian(None)[cache.diagonal], np.einsum("iaib->iab", blocks).reshape(-1, d * d))
    nodes.scaling(cache.dims, cache.indptr, part.hessian(None), cache.own, 1.0, cache.r)
    np.testing.assert_allclose(cache.r, twins.scaling(A, d), rtol=1e-15)


def test_residuals_equal_numpy_and_let_nan_through(case):
    _, A, v, g, w, held = case
    laws, r = laws_of(w, held), twins.scaling(A)
    ours, theirs = nodes.residual(PLANE, PLANE, v, g, *laws, r), twins.residuals(v, g, w, held)
    assert min(theirs) > 0.1  # both kinds are there
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    for node in (0, 1, 2):  # at rest, moving, held
        bad = g.copy()
        bad[node, 1] = np.nan
        assert np.isnan(nodes.residual(PLANE, PLANE, v, bad, *laws, r)).all()


def test_the_linearised_laws_equal_numpy(case):
    _, A, v, g, w, held = case
    r, tight = twins.scaling(A), w.copy()
    tight[6] = np.hypot(*g[6]) - 1e-9  # at rest, on the border
    ours, D, _, rhs, jumps = linearised(PLANE, v, g, laws_of(tight, held), r, 1e-8)
    fixed, blocks, right, count = twins.newton_terms(v, -g, g, tight, r, held, 1e-8)
    assert fixed[6]
    assert 0 < count < fixed.sum() < 30
    assert (tight[~fixed] == 0.0).any()
    np.testing.assert_array_equal(ours, np.column_stack([fixed, fixed]))
    assert jumps == count
    np.testing.assert_allclose(D, blocks, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rhs, right, rtol=1e-12, atol=1e-13)


def test_with_unknown_normal_forces_the_bound_follows_them_and_open_nodes_are_free():
    """Every state at once; along the ground the terms are those of the plane with the bound w = bound + mu sigma."""
    rng, count = np.random.default_rng(6), 60
    u, g, r = rng.normal(size=(count, 3)), rng.normal(size=(count, 3)), rng.uniform(0.5, 2.0, count)
    u[::4] *= 0.1
    g[::4] *= [0.1, 0.1, 3.0]
    bound, mu = rng.uniform(0.0, 0.3, count), rng.uniform(0.0, 2.0, count)
    kind = rng.integers(0, 3, count).astype(np.int8)
    none = np.zeros(count, bool)
    laws = bound, mu, kind, none, np.zeros((count, 3), bool)
    held, D, coupling, rhs, _ = linearised(SPACE, u, g, laws, r, 0.0)
    sigma = g[:, 2] - r * u[:, 2]
    closed = (kind == nodes.GUIDED) | ((kind == nodes.UNILATERAL) & (sigma > 0.0))
    np.testing.assert_array_equal(held[:, 2], closed)
    np.testing.assert_array_equal(rhs[:, 2], np.where(closed, -u[:, 2], -g[:, 2]))
    w = bound + np.where(kind == nodes.UNILATERAL, mu * np.maximum(sigma, 0.0), 0.0)
    sticks, blocks, right, _ = twins.newton_terms(u[:, :2], -g[:, :2], g[:, :2], w, r, none, 0.0)
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


def test_multipliers_and_states_equal_numpy(case):
    _, _, v, g, w, held = case
    for reference in (None, 1.2 * g):
        multiplier, state = np.empty_like(v), np.empty(30, np.int8)
        against = np.empty((0, 2)) if reference is None else reference
        bound, _, *laws = laws_of(w, held)
        nodes.forces_and_states(PLANE, PLANE, v, g, bound, *laws, against, multiplier, state)
        multiplier2, state2 = twins.outcome(v, g, w, held, reference)
        np.testing.assert_array_equal(state, state2)
        np.testing.assert_allclose(multiplier, multiplier2, rtol=1e-15)
        assert len(set(state)) == (4 if reference is None else 5)


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
    full, plain = (twins.reduced(part.matrix, held, D, c, r) for c in (coupling, 0.0 * coupling))
    scale = np.abs(full).max()
    np.testing.assert_allclose(
        twins.matrix(part.indptr, part.indices, out).toarray(), full if couple else plain, atol=1e-14 * scale
    )
    joint = twins.coupled(part.matrix, coupling)
    expected = jump - (joint @ np.where(held, jump, 0.0).ravel()).reshape(-1, 3)
    np.testing.assert_allclose(rhs, np.where(held, r[:, None] * jump, expected), atol=1e-12 * scale)
    x, y = rng.normal(size=3 * count), np.empty(3 * count)
    nodes.coupled_product(*args, out, data, held, 0.0 * coupling if couple else coupling, x, y)
    np.testing.assert_allclose(y, full @ x, atol=1e-12 * scale)


def test_sweeps_that_leave_out_what_sleeps_are_those_over_all_nodes():
    A, b, w = pulled_plate(40, 1e8, 2e-4, 0.25)
    part = Quadratic(A, b)
    matrix = (part.indptr, part.indices, part.data, FactorCache(part.indptr, part.indices).own)
    nobody, slept = np.zeros(len(w), bool), False
    (v, g), (v_all, g_all) = ((np.zeros_like(b), -b) for _ in range(2))
    awake = all_awake(w)
    for count in range(8):
        rest = (w, 0.0, nobody, count % 2 == 0)
        some = sweeps.sweep(*matrix, *rest, awake, v, g)
        slept |= not awake.all()
        assert some == sweeps.sweep(*matrix, *rest, all_awake(w), v_all, g_all)
        np.testing.assert_array_equal(g, g_all)
    assert slept
    assert 0.05 < np.mean(v.any(axis=1)) < 0.5


def test_gauss_seidel_sweeps_equal_numpy(case):
    part, A, v, g, w, held = case
    own = FactorCache(part.indptr, part.indices).own
    for forward in (True, False):
        ours, slope = v.copy(), g.copy()
        awake = all_awake(w)
        change, visited = sweeps.sweep(
            part.indptr, part.indices, part.data, own, w, 0.0, held, forward, awake, ours, slope
        )
        theirs, slope2 = twins.sweep(A, g, w, held, forward, v)
        assert np.abs(theirs - v).max() > 0.1
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(slope, slope2, rtol=1e-11, atol=1e-10)
        np.testing.assert_array_equal(ours == 0.0, theirs == 0.0)
        assert change == pytest.approx(np.sum((theirs - v) ** 2), rel=1e-9)
        assert np.count_nonzero((theirs != v).any(axis=1)) <= visited < len(w)


def test_sweeps_end_where_what_is_left_of_the_first_change_is_small_or_visits_are_not_worth_it():
    told = {}
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
        told[tau] = left < np.inf
        assert told[tau] == (changes[-1] <= sweeps.COARSE_RATIO * changes[0])
        assert not told[tau] or left == pytest.approx(changes[-1] / changes[0], rel=1e-12)
    assert told == {2e-4: True, 1.0: False}


def test_steps_of_gmres_leave_the_least_residual_of_their_krylov_space():
    rng, n, m = np.random.default_rng(5), 12, 7
    A, b = np.eye(n) + 0.3 * rng.standard_normal((n, n)), rng.standard_normal(n)
    factor, space = np.linalg.inv(np.eye(n) + 0.1 * rng.standard_normal((n, n))), []
    for k in range(1, m + 1):
        space.append(factor @ (A @ space[-1] if space else b))
        images = A @ np.array(space).T
        best = np.linalg.lstsq(images, b, rcond=None)[0]
        x, residual, spent = gmres(lambda v: factor @ v, lambda v: A @ v, b, 0.0, k)
        assert spent == k
        assert residual == pytest.approx(np.linalg.norm(images @ best - b), rel=1e-9)
        assert np.linalg.norm(A @ x - b) == pytest.approx(residual, rel=1e-9)
    assert residual < 0.2 * np.linalg.norm(b)
    assert gmres(lambda v: factor @ v, lambda v: A @ v, b, 0.5 * np.linalg.norm(b), m)[2] < m
    assert gmres(lambda v: np.nan * v, lambda v: A @ v, b, 0.0, m)[1] == np.inf


def test_a_field_along_the_axes_of_contact_and_back():
    rng = np.random.default_rng(6)
    axes, field, number, out = (
        rng.standard_normal((4, 3, 3)),
        rng.standard_normal((9, 3)),
        np.full(9, -1),
        np.empty((9, 3)),
    )
    chosen = np.array([1, 8, 3, 4])
    number[chosen] = np.arange(4)
    for back in (False, True):
        nodes.rotate_vectors(SPACE, number, axes, back, field, out)
        expected = field.copy()
        expected[chosen] = np.einsum("mba,mb->ma" if back else "mab,mb->ma", axes, field[chosen])
        np.testing.assert_allclose(out, expected, rtol=1e-14)


def test_a_turned_matrix_is_that_in_the_axes_of_contact():
    part, contact = step_problem((2, 2, 1), np.random.default_rng(3))
    number = np.full(len(part.b), -1)
    number[contact.nodes] = np.arange(len(contact.nodes))
    out, T = np.empty_like(part.hessian(None)), np.tile(np.eye(3), (len(part.b), 1, 1))
    nodes.rotate_matrix(SPACE, part.indptr, part.indices, part.hessian(None), number, contact.axes, out)
    T[contact.nodes] = contact.axes
    whole = scipy.sparse.block_diag(T).toarray()
    expected = whole @ part.matrix.toarray() @ whole.T
    assert np.abs(expected - part.matrix.toarray()).max() > 1e-3 * np.abs(expected).max()
    np.testing.assert_allclose(
        twins.matrix(part.indptr, part.indices, out).toarray(), expected, atol=1e-13 * np.abs(expected).max()
    )


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e8])
def test_nodal_minimiser_satisfies_its_optimality_condition_to_rounding(condition):
    rng = np.random.default_rng(int(condition))
    stuck = slid = 0
    for _ in range(300):
        angle, size = rng.uniform(0, np.pi), 10.0 ** rng.uniform(-3, 3)
        Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        B = size * Q @ np.diag([1.0, 1.0 / condition]) @ Q.T
        c, w = rng.standard_normal(2), rng.choice([0.3, 1.0, 3.0, 1e-9])
        v = np.array(sweeps.minimiser(B[0, 0], B[0, 1], B[1, 1], *c, w, 0.0))
        if np.hypot(*c) <= w:
            assert (v == 0.0).all()
            stuck += 1
            continue
        slid += 1
        residual = B @ v - c + w * v / np.hypot(*v)
        assert np.abs(residual).max() <= 20 * np.finfo(float).eps * (np.abs(B) @ np.abs(v) + np.abs(c) + w).max()
        if condition <= 1e3:
            np.testing.assert_allclose(v, twins.minimiser(B, c, w), rtol=1e-9, atol=1e-12 * np.hypot(*v))
    assert stuck > 20
    assert slid > 100


def test_nodal_minimiser_beats_brute_force():
    rng = np.random.default_rng(8)
    for _ in range(20):
        L = rng.standard_normal((2, 2))
        B, c, w = L @ L.T + 0.1 * np.eye(2), 2.0 * rng.standard_normal(2), 0.7

        def J(v, B=B, c=c, w=w):
            return 0.5 * v @ B @ v - c @ v + w * np.hypot(*v)

        v = np.array(sweeps.minimiser(B[0, 0], B[0, 1], B[1, 1], *c, w, 0.0))
        grid = scipy.optimize.brute(J, [(-20, 20)] * 2, Ns=41, finish=None)
        best = min(
            (
                scipy.optimize.minimize(J, x, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
                for x in (grid, v + 0.1)
            ),
            key=lambda found: found.fun,
        )
        assert J(v) <= best.fun + 1e-13
        np.testing.assert_allclose(v, best.x, atol=1e-5)


def test_border_of_the_disc_is_reached_from_outside_and_stays_at_rest():
    w = 1.0
    assert sweeps.minimiser(2.0, 0.5, 1.0, w, 0.0, w, 0.0) == (0.0, 0.0)
    v = sweeps.minimiser(2.0, 0.0, 2.0, w * (1.0 + 1e-10), 0.0, w, 0.0)
    assert v[0] == pytest.approx(0.5e-10, rel=1e-5)
    assert v[1] == 0.0
