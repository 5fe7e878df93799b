"""Hermite beam elements against closed forms: statics, patch, axial tension, weights."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse.linalg
from beam_examples import beam

from fem.beam import SUPPORTS, Beam

P = 3.0


def solved(body, support, load):
    free = body.free_dofs(support)
    computed = np.zeros(2 * len(body.X))
    computed[free] = scipy.sparse.linalg.spsolve(body.stiffness[free][:, free].tocsc(), load[free])
    return computed


@pytest.mark.parametrize("ne", [2, 7])
def test_nodal_deflections_under_uniform_and_end_loads_are_those_of_the_closed_forms(ne):
    body = beam(ne)
    L, EJ = body.length, body.bending_stiffness
    x = body.X[:, 0] + L / 2
    uniform, tip = body.load_vector(lambda X: P + 0 * X), P * body.end_load(-1)
    exact = P * x * (L**3 - 2 * L * x**2 + x**3) / (24 * EJ)
    np.testing.assert_allclose(solved(body, "simply-supported", uniform)[0::2], exact, atol=1e-11 * exact.max())
    exact = P * x**2 * (6 * L**2 - 4 * L * x + x**2) / (24 * EJ)
    np.testing.assert_allclose(solved(body, "cantilever", uniform)[0::2], exact, atol=1e-11 * exact.max())
    computed = solved(body, "cantilever", tip)
    exact = P * x**2 * (3 * L - x) / (6 * EJ)
    np.testing.assert_allclose(computed[0::2], exact, atol=1e-11 * exact.max())
    np.testing.assert_allclose(computed[1::2], P * x * (2 * L - x) / (2 * EJ), atol=1e-11 * P * L**2 / EJ)
    np.testing.assert_allclose(body.bending_moment(computed), P * (L - x), atol=1e-10 * P * L)


def test_friction_weights_are_positive_and_add_up_to_the_area():
    body = beam(9)
    assert body.nodal_area.min() > 0
    assert body.nodal_area.sum() == pytest.approx(body.area, rel=1e-14)
    assert body.nodal_area @ body.X[:, 0] == pytest.approx(0.0, abs=1e-17)


def test_unfit_sizes_elements_and_supports_are_refused_in_one_line():
    sizes = {"length": 1.0, "width": 0.1, "thickness": 0.1, "E": 1.0, "density": 1.0, "ne": 4}
    for name, value in (("length", 0.0), ("E", np.inf), ("density", -1.0), ("ne", 1)):
        with pytest.raises(ValueError, match=rf"^{name} must be .*got") as caught:
            Beam.build(**{**sizes, name: value})
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=f"one of {', '.join(SUPPORTS)}, got 'glued'"):
        beam().free_dofs("glued")
