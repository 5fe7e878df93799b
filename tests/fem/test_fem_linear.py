"""Sparse factors: right answers from both backends, one analysis, without what sticks; failures by name, memory given back."""

import ctypes
import gc

import numpy as np
import pytest
from fem_examples import finite_state, law, plate, rectangle
from scipy.sparse import csr_matrix

import fem
from fem.factorisation.coupled import Coupled, neighbourhoods

EPS = np.finfo(float).eps


@pytest.fixture(params=list(fem.BACKENDS))
def backend(request):
    if request.param == "pardiso":
        pytest.importorskip("pypardiso")
    return request.param


@pytest.fixture(scope="module")
def system():
    """A plate's sparsity and two positive definite matrices on it, differently scaled."""
    body = plate("P1", law("st-venant-kirchhoff"), rectangle("P1", nx=12, ny=8))
    stiffness = body.tangent(np.zeros_like(body.X))
    other = 0.1 * body.tangent(0.02 * finite_state(body)) + 1e6 * body.mass_data
    return body, [stiffness + 1e4 * body.mass_data, other]


def factored(body, data, **how):
    factor = fem.factor(body.indptr, body.indices, **how)
    factor.refactor(data)
    return factor


def residual(body, data, x, rhs):
    A = csr_matrix((data, body.indices, body.indptr))
    return np.abs(A @ x - rhs).max() / (abs(A).sum(axis=1).max() * np.abs(x).max() + np.abs(rhs).max())


def test_one_analysis_serves_many_matrices_and_many_right_hand_sides(system, backend):
    body, matrices = system
    rng = np.random.default_rng(1)
    factor = fem.factor(body.indptr, body.indices, backend=backend)
    for data in (*matrices, matrices[0]):
        factor.refactor(data)
        for shape in ((body.X.size,), (body.X.size, 1), (body.X.size, 3)):
            rhs = rng.standard_normal(shape)
            copy = rhs.copy()
            x = factor.solve(rhs)
            assert x.shape == shape
            assert x.flags.c_contiguous
            assert residual(body, data, x, rhs) < 10 * EPS
            np.testing.assert_array_equal(rhs, copy)
    assert (factor.analyses, factor.factorisations, factor.solves) == (1, 3, 9)


def test_unsymmetric_matrices_are_solved_where_asked_for(system, backend):
    body, (data, _) = system
    rng = np.random.default_rng(3)
    data = data * (1 + 0.3 * rng.random(data.size))
    factor = factored(body, data, backend=backend, symmetric=False)
    rhs = rng.standard_normal((body.X.size, 2))
    assert residual(body, data, factor.solve(rhs), rhs) < 100 * EPS
    with pytest.raises(fem.FactorError, match="singular") as caught:
        factor.refactor(np.zeros_like(data))
    assert caught.value.reason == "singular"


def test_indefinite_singular_and_non_finite_matrices_fail_by_name_and_leave_no_stale_factor(system, backend):
    body, (data, _) = system
    stiffness = body.tangent(np.zeros_like(body.X))
    factor = fem.factor(body.indptr, body.indices, backend=backend)
    rhs = np.ones(body.X.size)
    with pytest.raises(RuntimeError, match="solve needs a successful refactor"):
        factor.solve(rhs)
    factor.refactor(data)
    # Just below the fourth eigenvalue: three rigid motions and nothing else are negative.
    for bad in (stiffness - 1.0 * body.mass_data, -data, 0 * data):
        with pytest.raises(fem.FactorError, match="not positive definite") as caught:
            factor.refactor(bad)
        assert caught.value.reason == "not positive definite"
        assert caught.value.advice
        with pytest.raises(RuntimeError, match="solve needs a successful refactor"):
            factor.solve(rhs)
    for entry in (np.nan, np.inf):
        spoiled = data.copy()
        spoiled[17] = entry
        with pytest.raises(fem.FactorError, match="non-finite") as caught:
            factor.refactor(spoiled)
        assert caught.value.reason == "non-finite"
    factor.refactor(data)
    assert residual(body, data, factor.solve(rhs), rhs) < 10 * EPS
    assert factor.analyses == 1


def test_the_same_system_gives_the_same_bits_wherever_its_arrays_lie(backend):
    body = plate("P1", law("st-venant-kirchhoff"), rectangle("P1", nx=60, ny=60))
    data = body.tangent(np.zeros_like(body.X)) + 1e4 * body.mass_data
    values = np.random.default_rng(4).standard_normal(body.X.size)
    answers = []
    for offset in range(8):
        # Vector instructions take the ends of unaligned arrays apart, so a careless library sums in another order.
        rhs = np.empty(values.size + 8)[offset : offset + values.size]
        rhs[:] = values
        answers.append(factored(body, data, backend=backend).solve(rhs).tobytes())
    assert len(set(answers)) == 1


def test_bad_shapes_and_names_are_refused(system, backend):
    body, (data, _) = system
    factor = fem.factor(body.indptr, body.indices, backend=backend)
    with pytest.raises(ValueError, match="data must have the shape"):
        factor.refactor(data[:-1])
    factor.refactor(data)
    with pytest.raises(ValueError, match="rhs must have the shape"):
        factor.solve(np.ones(3))
    with pytest.raises(ValueError, match="backend must be one of auto, pardiso, superlu, got 'umfpack'"):
        fem.factor(body.indptr, body.indices, backend="umfpack")


def test_auto_falls_back_to_superlu_where_pardiso_is_missing(system, monkeypatch):
    body, (data, _) = system

    def missing(*_):
        raise ImportError

    monkeypatch.setattr("fem.factorisation.Pardiso", missing)
    factor = factored(body, data)
    assert factor.backend == "superlu"
    rhs = np.ones(body.X.size)
    assert residual(body, data, factor.solve(rhs), rhs) < 10 * EPS


def test_deleted_pardiso_factors_give_their_memory_back(system):
    solver = pytest.importorskip("pypardiso.scipy_aliases").pypardiso_solver
    body, (data, _) = system

    def allocated():
        gc.collect()
        solver.libmkl.MKL_Free_Buffers()
        solver.libmkl.MKL_Mem_Stat.restype = ctypes.c_int64
        return solver.libmkl.MKL_Mem_Stat(ctypes.byref(ctypes.c_int32()))

    factored(body, data, backend="pardiso")
    before = allocated()
    factors = [factored(body, data, backend="pardiso") for _ in range(5)]
    size = (allocated() - before) / 5
    assert size > 8 * data.size / 2
    del factors
    assert allocated() - before < size


@pytest.fixture(scope="module")
def body():
    return plate("Q1", law("small-strain"), rectangle("Q1", 2.0, 1.0, 60, 30))


def stuck(body, free):
    """A matrix whose nodes but the ``free`` are replaced by multiples of the identity, and a right-hand side."""
    matrix = body.tangent_matrix(np.zeros_like(body.X))
    matrix.data = matrix.data + 1e6 * body.mass_data
    rows, unknown = np.repeat(np.arange(body.X.size), np.diff(body.indptr)), np.repeat(free, 2)
    matrix.data[~(unknown[rows] & unknown[body.indices])] = 0.0
    matrix.data[(rows == body.indices) & ~unknown[rows]] = 3.0
    return matrix, np.random.default_rng(5).standard_normal(body.X.size)


@pytest.mark.parametrize("backend", ["auto", "superlu"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.4, 1.0])
def test_what_sticks_is_left_out_and_the_solution_is_that_of_the_whole(body, share, backend):
    free = body.X[:, 0] > np.quantile(body.X[:, 0], 1.0 - share) if share else np.zeros(len(body.X), bool)
    matrix, rhs = stuck(body, free)
    whole, part = (factored(body, matrix.data, backend=backend, **how) for how in ({}, {"places": body.X}))
    assert isinstance(part, Coupled)
    assert len(part._unknowns) <= (0.6 * len(rhs) if share <= 0.1 else len(rhs))
    assert part.analyses == (0 if share == 0.0 else 1)
    np.testing.assert_allclose(part.solve(rhs), whole.solve(rhs), rtol=0, atol=1e-11 * np.abs(whole.solve(rhs)).max())
    many = np.column_stack([rhs, 2.0 * rhs])
    np.testing.assert_allclose(matrix @ part.solve(many), many, rtol=0, atol=1e-9)


def test_the_factor_does_not_depend_on_what_was_factorised_before(body):
    end = body.X[:, 0] > 0.9
    few, more = (stuck(body, free) for free in (end & (body.X[:, 1] > 0.1), end))
    factor, alone = fem.factor(body.indptr, body.indices, places=body.X), factored(body, more[0].data, places=body.X)
    for matrix, _ in (few, more, few, more):
        factor.refactor(matrix.data)
    assert factor.analyses == 2
    assert np.array_equal(factor.solve(more[1]), alone.solve(more[1]))


def test_a_pivot_that_is_not_positive_is_found_in_the_part_and_beside_it(body):
    matrix, _ = stuck(body, body.X[:, 0] > 0.9)
    factor = fem.factor(body.indptr, body.indices, places=body.X)
    rows = np.repeat(np.arange(body.X.size), np.diff(body.indptr))
    for node in (np.argmin(body.X[:, 0]), np.argmax(body.X[:, 0])):
        data = matrix.data.copy()
        data[(rows == body.indices) & (rows == 2 * node)] *= -1.0
        with pytest.raises(fem.FactorError, match="not positive definite"):
            factor.refactor(data)
    factor.refactor(matrix.data)


def test_neighbourhoods_are_compact_and_of_one_size(body):
    labels = neighbourhoods(body.X)[::2]
    sizes = np.bincount(labels)
    assert len(sizes) >= 8
    assert sizes.max() <= sizes.min() + 1
    for label in range(len(sizes)):
        assert np.ptp(body.X[labels == label], axis=0).max() < 0.6
    assert not neighbourhoods(body.X[:100]).any()
