"""Compiled loops equal their NumPy twins; the nodal minimiser is exact."""

import numpy as np
import pytest
import reference_kernels as twins
import scipy.optimize
from friction_problems import pulled_plate, random_problem

from friction import Quadratic
from friction.nodal.kernels import newton as kernels
from friction.nodal.kernels import smoothing as kernels_smoothing
from friction.nodal.kernels import truncated as kernels_truncated


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
    lam = 1.2 * rng.standard_normal(b.shape)
    lam[6] = [w[6] + 1e-9, 0.0]  # at rest, on the border
    diagonal = kernels.diagonal_blocks(part.indptr, part.indices)
    return part, part.matrix, diagonal, v, lam, part.gradient(v), w, held


def test_diagonal_blocks_and_scaling_equal_numpy(case):
    part, A, diagonal, *_ = case
    blocks = A.toarray().reshape(30, 2, 30, 2)
    np.testing.assert_array_equal(part.data[diagonal], np.einsum("iaib->iab", blocks).reshape(30, 4))
    np.testing.assert_allclose(kernels.scaling(part.data, diagonal), twins.scaling(A), rtol=1e-15)


def test_residuals_equal_numpy_and_let_nan_through(case):
    _, _, _, v, _, g, w, held = case
    ours, theirs = kernels.residuals(v, g, w, held), twins.residuals(v, g, w, held)
    assert min(theirs) > 0.1  # both kinds are there
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    for node in (0, 1, 2):  # at rest, moving, held
        bad = g.copy()
        bad[node, 1] = np.nan
        assert np.isnan(kernels.residuals(v, bad, w, held)).all()


def test_newton_terms_equal_numpy(case):
    _, A, _, v, lam, g, w, held = case
    r = twins.scaling(A)
    fixed, d, rhs = np.empty(30, bool), np.empty((30, 3)), np.empty((30, 2))
    jumps = kernels.newton_terms(v, lam, g, w, r, held, 1e-8, fixed, d, rhs)
    fixed2, d2, rhs2, jumps2 = twins.newton_terms(v, lam, g, w, r, held, 1e-8)
    assert fixed2[6]
    assert 0 < jumps2 < fixed2.sum() < 30
    assert (w[~fixed2] == 0.0).any()
    np.testing.assert_array_equal(fixed, fixed2)
    assert jumps == jumps2
    np.testing.assert_allclose(d, d2, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rhs, rhs2, rtol=1e-12, atol=1e-13)


def test_multipliers_and_states_equal_numpy(case):
    _, _, _, v, lam, g, w, held = case
    for reference in (None, lam):
        multiplier, state = np.empty_like(v), np.empty(30, np.int8)
        against = np.empty((0, 2)) if reference is None else reference
        kernels.outcome(v, g, w, held, against, multiplier, state)
        multiplier2, state2 = twins.outcome(v, g, w, held, reference)
        np.testing.assert_array_equal(state, state2)
        np.testing.assert_allclose(multiplier, multiplier2, rtol=1e-15)
        assert len(set(state)) == (4 if reference is None else 5)


def test_elimination_gives_the_reduced_system_of_the_full_matrix(case):
    part, A, diagonal, v, lam, g, w, held = case
    r = twins.scaling(A)
    fixed, d, rhs, _ = twins.newton_terms(v, lam, g, w, r, held, 0.0)
    out = np.empty(len(part.data))
    kernels.eliminate(part.indptr, part.indices, part.data, diagonal, fixed, d, r, out)
    dense = twins.eliminate(A, fixed, d, r)
    np.testing.assert_allclose(twins.matrix(part.indptr, part.indices, out).toarray(), dense, rtol=1e-15)
    closed = rhs.copy()
    kernels.close_rhs(part.indptr, part.indices, part.data, fixed, r, closed)
    np.testing.assert_allclose(closed, twins.close_rhs(A, fixed, r, rhs), rtol=1e-13, atol=1e-13)
    step = np.linalg.solve(dense, closed.ravel()).reshape(-1, 2)
    np.testing.assert_allclose(step[fixed], -v[fixed], rtol=1e-12, atol=1e-15)
    full = A.toarray() @ step.ravel() + np.einsum("iab,ib->ia", _blocks(d), step).ravel()
    np.testing.assert_allclose(full.reshape(-1, 2)[~fixed], rhs[~fixed], rtol=1e-9, atol=1e-10)


def _blocks(d):
    return d[:, [0, 1, 1, 2]].reshape(-1, 2, 2)


def test_sweeps_that_leave_out_what_sleeps_are_those_over_all_nodes():
    A, b, w = pulled_plate(40, 1e8, 2e-4, 0.25)
    part = Quadratic(A, b)
    matrix = (part.indptr, part.indices, part.data, kernels.diagonal_blocks(part.indptr, part.indices))
    nobody, slept = np.zeros(len(w), bool), False
    (v, g), (v_all, g_all) = ((np.zeros_like(b), -b) for _ in range(2))
    awake = kernels_truncated.all_awake(len(w))
    for count in range(8):
        rest = (w, 0.0, nobody, count % 2 == 0)
        some = kernels_truncated.sweep(*matrix, *rest, awake, v, g)
        slept |= not awake.all()
        assert some == kernels_truncated.sweep(*matrix, *rest, kernels_truncated.all_awake(len(w)), v_all, g_all)
        np.testing.assert_array_equal(g, g_all)
    assert slept
    assert 0.05 < np.mean(v.any(axis=1)) < 0.5


def test_gauss_seidel_sweep_truncation_and_product_equal_numpy(case):
    part, A, diagonal, v, _, g, w, held = case
    matrix = (part.indptr, part.indices, part.data)
    for forward in (True, False):
        ours, slope = v.copy(), g.copy()
        awake = kernels_truncated.all_awake(len(w))
        change, visited = kernels_truncated.sweep(*matrix, diagonal, w, 0.0, held, forward, awake, ours, slope)
        theirs, slope2 = twins.sweep(A, g, w, held, forward, v)
        assert np.abs(theirs - v).max() > 0.1
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(slope, slope2, rtol=1e-11, atol=1e-10)
        np.testing.assert_array_equal(ours == 0.0, theirs == 0.0)
        assert change == pytest.approx(np.sum((theirs - v) ** 2), rel=1e-9)
        assert np.count_nonzero((theirs != v).any(axis=1)) <= visited < len(w)
    out = np.empty_like(v)
    kernels_truncated.product(*matrix, v, g, out)
    np.testing.assert_allclose(out.ravel(), A @ v.ravel() + g.ravel(), rtol=1e-13, atol=1e-13)
    r = twins.scaling(A)
    fixed, d, rhs = np.empty(30, bool), np.empty((30, 3)), np.empty((30, 2))
    kernels_truncated.truncate(v, g, w, r, held, fixed, d, rhs)
    fixed2, d2, rhs2 = twins.truncate(v, g, w, r, held)
    np.testing.assert_array_equal(fixed, fixed2)
    assert fixed2[1]  # too slow for Newton's correction
    np.testing.assert_allclose(d, d2, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(rhs, rhs2, rtol=1e-12, atol=1e-13)


def test_line_search_finds_the_minimum_with_and_without_a_kink(case):
    _, A, _, v, lam, _, w, _ = case
    c = lam.copy()
    c[v[:, 0] == 0.0] = 0.0
    curvature = float(c.ravel() @ (A @ c.ravel()))
    for t in (0.0, 0.3):
        slope = kernels_truncated.friction_slope(v, c, w, t)
        assert slope == pytest.approx(twins.friction_slope(v, c, w, t), rel=1e-13)
    at_rest = kernels_truncated.friction_slope(0.0 * v, lam, w, 0.0)
    assert at_rest == pytest.approx(np.sum(w * np.hypot(*lam.T)), rel=1e-13)
    slope = -3.0 * np.sum(w * np.hypot(*c.T))
    step = kernels_truncated.line_search(v, c, w, slope, curvature)
    assert 0.0 < step == pytest.approx(twins.line_search(v, c, w, slope, curvature), rel=1e-6)
    # one node whose friction stops it exactly half way: the minimum sits on the kink
    one = np.array([[1.0, 0.0]]), np.array([[-2.0, 0.0]]), np.array([5.0])
    assert kernels_truncated.line_search(*one, -1.0, 2.0) == pytest.approx(0.5, rel=1e-15)
    assert kernels_truncated.line_search(*one, 100.0, 2.0) == 0.0  # uphill


def test_smoothing_kernels_equal_numpy(case):
    _, A, _, v, lam, g, w, held = case
    inside = kernels_smoothing.projected(lam, w)
    np.testing.assert_allclose(inside, twins.projected(lam, w), rtol=1e-14)
    d, rhs = np.empty((30, 3)), np.empty((30, 2))
    kernels_smoothing.smoothed_terms(v, inside, g, w, held, 0.1, d, rhs)
    d2, rhs2 = twins.smoothed_terms(v, inside, g, w, held, 0.1)
    np.testing.assert_allclose(d, d2, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(rhs, rhs2, rtol=1e-13, atol=1e-14)
    assert np.linalg.eigvalsh(_blocks(d)).min() >= -1e-13  # so the matrix stays positive definite
    step, r = 0.3 * lam, twins.scaling(A)
    v2, lam2, sticking2, power2 = twins.advance(v, inside, step, w, held, r, 0.1)
    v1, lam1 = v.copy(), inside.copy()
    sticking1, power1 = kernels_smoothing.advance(v1, lam1, step, w, held, r, 0.1)
    np.testing.assert_allclose(v1, v2, rtol=1e-14)
    np.testing.assert_allclose(lam1, lam2, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(sticking1, sticking2)
    assert power1 == pytest.approx(power2, rel=1e-13)


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e8])
def test_nodal_minimiser_satisfies_its_optimality_condition_to_rounding(condition):
    rng = np.random.default_rng(int(condition))
    stuck = slid = 0
    for _ in range(300):
        angle, size = rng.uniform(0, np.pi), 10.0 ** rng.uniform(-3, 3)
        Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        B = size * Q @ np.diag([1.0, 1.0 / condition]) @ Q.T
        c, w = rng.standard_normal(2), rng.choice([0.3, 1.0, 3.0, 1e-9])
        v = np.array(kernels_truncated.nodal_prox(B[0, 0], B[0, 1], B[1, 1], *c, w, 0.0))
        if np.hypot(*c) <= w:
            assert (v == 0.0).all()
            stuck += 1
            continue
        slid += 1
        residual = B @ v - c + w * v / np.hypot(*v)
        assert np.abs(residual).max() <= 20 * np.finfo(float).eps * (np.abs(B) @ np.abs(v) + np.abs(c) + w).max()
        if condition <= 1e3:
            np.testing.assert_allclose(v, twins.nodal_prox(B, c, w), rtol=1e-9, atol=1e-12 * np.hypot(*v))
    assert stuck > 20
    assert slid > 100


def test_nodal_minimiser_beats_brute_force():
    rng = np.random.default_rng(8)
    for _ in range(20):
        L = rng.standard_normal((2, 2))
        B, c, w = L @ L.T + 0.1 * np.eye(2), 2.0 * rng.standard_normal(2), 0.7

        def J(v, B=B, c=c, w=w):
            return 0.5 * v @ B @ v - c @ v + w * np.hypot(*v)

        v = np.array(kernels_truncated.nodal_prox(B[0, 0], B[0, 1], B[1, 1], *c, w, 0.0))
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
    assert kernels_truncated.nodal_prox(2.0, 0.5, 1.0, w, 0.0, w, 0.0) == (0.0, 0.0)
    v = kernels_truncated.nodal_prox(2.0, 0.0, 2.0, w * (1.0 + 1e-10), 0.0, w, 0.0)
    assert v[0] == pytest.approx(0.5e-10, rel=1e-5)
    assert v[1] == 0.0
