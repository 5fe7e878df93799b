"""The stable step from single cells: never above the true one, and equal to it on a row of bars."""

import numpy as np
import pytest
import scipy.linalg

from fem import Plate, SmallStrain, rectangle


def true_and_bound(mesh, element, nu):
    body = Plate.build(mesh, thickness=0.02, density=1000.0, material=SmallStrain(1e5, nu), element=element)
    K = body.tangent_matrix(np.zeros_like(body.X)).toarray()
    top = scipy.linalg.eigh(K, np.diag(np.repeat(body.lumped_mass, 2)), eigvals_only=True)[-1]
    return 2 / np.sqrt(top), body.stable_step_of_cells(), body.stable_time_step()


@pytest.mark.parametrize("element", ["P1", "Q1"])
@pytest.mark.parametrize("nu", [0.0, 0.3])
def test_the_cell_bound_is_safe_and_within_half_on_a_distorted_mesh(element, nu):
    mesh = rectangle(1.0, 0.7, 6, 5, "triangle" if element == "P1" else "quadrilateral")
    moved = mesh.p + 0.03 * np.random.default_rng(2).uniform(-1, 1, mesh.p.shape)
    true, bound, step = true_and_bound(type(mesh)(moved, mesh.t), element, nu)
    assert 0.5 * true < bound < true
    assert (1 - 2e-4) * true < step < true


def test_a_row_of_q1_cells_no_longer_than_wide_has_the_step_of_a_bar():
    true, bound, step = true_and_bound(rectangle(1.0, 0.05, 20, 1, "quadrilateral"), "Q1", 0.0)
    assert true == pytest.approx(0.05 / 10.0, rel=1e-12)
    assert bound == pytest.approx(true, rel=1e-12)
    assert step == pytest.approx(true, rel=1e-12)
