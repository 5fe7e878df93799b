"""A factor of fem fails in friction's names."""

import numpy as np
import pytest
import scipy.sparse as sp

import fem
import friction
from floating_frame.system.elastic.factors import ElasticFactor


def test_an_indefinite_matrix_is_friction_s_error_and_others_stay_fem_s():
    matrix = sp.csr_array(np.array([[2.0, 1.0], [1.0, 2.0]]))
    factor = ElasticFactor(matrix.indptr, matrix.indices)
    factor.refactor(matrix.data)
    np.testing.assert_allclose(factor.solve(np.array([3.0, 3.0])), 1.0, rtol=1e-14)
    with pytest.raises(friction.NotPositiveDefinite, match="not positive definite"):
        factor.refactor(-matrix.data)
    with pytest.raises(fem.FactorError, match="non-finite"):
        factor.refactor(np.nan * matrix.data)
