"""Where whole neighbourhoods stick, the matrix is factorised without them, and the solution is the same."""

import numpy as np
import pytest
from fem_examples import law, plate, rectangle

import fem
from fem.factorisation.coupled import Coupled, neighbourhoods


@pytest.fixture(scope="module")
def body():
    return plate("Q1", law("small-strain"), rectangle("Q1", 2.0, 1.0, 60, 30))


def stuck(body, free):
    """A matrix whose nodes but the ``free`` are replaced by multiples of the identity, and a right-hand side."""
    matrix = body.tangent_matrix(np.zeros_like(body.X))
    matrix.data = matrix.data + 1e6 * body.mass_data
    rows = np.repeat(np.arange(body.X.size), np.diff(body.indptr))
    unknown = np.repeat(free, 2)
    matrix.data[~(unknown[rows] & unknown[body.indices])] = 0.0
    matrix.data[(rows == body.indices) & ~unknown[rows]] = 3.0
    return matrix, np.random.default_rng(5).standard_normal(body.X.size)


@pytest.mark.parametrize("backend", ["auto", "superlu"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.4, 1.0])
def test_what_sticks_is_left_out_and_the_solution_is_that_of_the_whole(body, share, backend):
    free = body.X[:, 0] > np.quantile(body.X[:, 0], 1.0 - share) if share else np.zeros(len(body.X), bool)
    matrix, rhs = stuck(body, free)
    whole = fem.factor(body.indptr, body.indices, backend=backend)
    part = fem.factor(body.indptr, body.indices, backend=backend, places=body.X)
    assert isinstance(part, Coupled)
    for factor in (whole, part):
        factor.refactor(matrix.data)
    assert len(part._unknowns) <= (0.6 * len(rhs) if share <= 0.1 else len(rhs))
    assert part.analyses == (0 if share == 0.0 else 1)
    np.testing.assert_allclose(part.solve(rhs), whole.solve(rhs), rtol=0, atol=1e-11 * np.abs(whole.solve(rhs)).max())
    many = np.column_stack([rhs, 2.0 * rhs])
    np.testing.assert_allclose(matrix @ part.solve(many), many, rtol=0, atol=1e-9)


def test_the_factor_does_not_depend_on_what_was_factorised_before(body):
    end = body.X[:, 0] > 0.9
    few, more = (stuck(body, free) for free in (end & (body.X[:, 1] > 0.1), end))
    factor, alone = (fem.factor(body.indptr, body.indices, places=body.X) for _ in range(2))
    for matrix, _ in (few, more, few, more):
        factor.refactor(matrix.data)
    assert factor.analyses == 2
    alone.refactor(more[0].data)
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
