"""The moving axis of a beam: objectivity, consistent derivatives, inextensible bending."""

import numpy as np
import pytest
from beam_examples import axis
from convergence import observed_orders
from scipy.sparse import csr_matrix

from fem import heated_axis
from floating_frame.frame.kinematics import rotation

RNG = np.random.default_rng(20011)


def points(body, place, slope):
    """Points of the axis from r (N, 2) and r' (N, 2) at the nodes."""
    computed = np.empty_like(body.X)
    computed[0::2], computed[1::2] = place, place + body.beam.element_length * slope
    return computed


def test_no_rigid_motion_changes_energy_and_the_force_turns_with_it():
    body = axis(6)
    u = 0.01 * RNG.standard_normal(body.X.shape)
    Q = rotation(2.1)
    moved = (body.X + u) @ Q.T + [3.0, -2.0] - body.X
    assert body.strain_energy(u) > 1.0
    assert body.strain_energy(moved) == pytest.approx(body.strain_energy(u), rel=1e-12)
    force = body.internal_force(u)
    np.testing.assert_allclose(body.internal_force(moved), force @ Q.T, atol=1e-10 * np.abs(force).max())
    assert np.abs(force.sum(axis=0)).max() < 1e-12 * np.abs(force).max() * len(force)
    r = body.X + u
    moment = np.sum(r[:, 0] * force[:, 1] - r[:, 1] * force[:, 0])
    assert abs(moment) < 1e-12 * np.abs(force).max() * len(force)


@pytest.mark.parametrize("heat", [None, 0.05], ids=["cold", "heated"])
def test_force_and_tangent_are_the_first_and_second_derivatives_of_the_energy(heat):
    cold = axis(4)
    body = cold if heat is None else heated_axis(cold, heat + 0.03 * cold.X[:, 0])
    u, du = 0.01 * RNG.standard_normal(cold.X.shape), RNG.standard_normal(cold.X.shape)
    assert (abs(body.strain_energy(u) - cold.strain_energy(u)) > 1e-3) == (heat is not None)
    tangent = csr_matrix((body.tangent(u), cold.indices, cold.indptr))
    assert abs(tangent - tangent.T).max() <= 1e-13 * abs(tangent).max()
    first, second = [], []
    for h in (4e-4, 2e-4, 1e-4):
        slope = (body.strain_energy(u + h * du) - body.strain_energy(u - h * du)) / (2 * h)
        change = (body.internal_force(u + h * du) - body.internal_force(u - h * du)).ravel() / (2 * h)
        first.append(abs(slope + np.vdot(body.internal_force(u), du)))
        second.append(np.abs(change + tangent @ du.ravel()).max())
    for errors in (first, second):
        assert np.all((observed_orders(errors) > 1.9) & (observed_orders(errors) < 2.1)), errors


def test_an_axis_bent_to_a_circle_stores_half_EJ_curvature_squared_and_hardly_stretches():
    """A strong bend, 2 rad over the length, far from small deflections: energy to order 4 in the element length."""
    curvature = 2.0
    errors = []
    for ne in (8, 16, 32):
        body = axis(ne)
        s = body.beam.X[:, 0]
        place = np.column_stack([np.sin(curvature * s), 1.0 - np.cos(curvature * s)]) / curvature
        slope = np.column_stack([np.cos(curvature * s), np.sin(curvature * s)])
        u = points(body, place, slope) - body.X
        exact = 0.5 * body.beam.bending_stiffness * curvature**2 * body.beam.length
        errors.append(abs(body.strain_energy(u) / exact - 1.0))
        assert np.abs(body.derivatives(u)[2]).max() < 2.0 * (curvature / ne) ** 4
    assert errors[-1] < 1e-6
    assert np.all((observed_orders(errors) > 3.5) & (observed_orders(errors) < 4.6)), errors


def test_places_and_ends_are_named_and_others_refused():
    body = axis(3)
    np.testing.assert_allclose(body.X[body.boundary("left")[0]], [-0.5, 0.0])
    np.testing.assert_allclose(body.X[body.boundary("right")[0]], [0.5, 0.0])
    assert body.edge_shape("right").sum() == 1.0
    with pytest.raises(ValueError, match="no end 'top'; its ends: left, right"):
        body.boundary("top")
