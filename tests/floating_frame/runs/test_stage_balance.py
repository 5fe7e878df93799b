"""The balance of the nodes in a stage: forces are the slope of its potential, the matrix theirs, and on moving ground it is the
same. Weights of places, velocities and forces differ, as they do in the θ schemes."""

import numpy as np
import pytest
from ff_examples import central_difference
from ff_records import stage_at
from frame_examples import body_of, turn_of
from scipy.sparse import csr_array

from floating_frame.system.elastic.arc_predictor import ArcPredictor
from floating_frame.system.elastic.equilibrium import ElasticBody

DIMENSIONS = pytest.mark.parametrize("d", [2, 3], ids=["plane", "space"])
TAU_X, TAU_V, THETA = 0.02, 0.05, 0.6


def stage_of(d):
    """A stage in turned axes, and random velocities and a direction of change (N, d)."""
    body, rng = body_of(d), np.random.default_rng(d)
    axes, origin = turn_of(0.7 * np.ones(d * (d - 1) // 2)), np.linspace(0.3, -0.4, d)
    v, direction, velocity, load = rng.standard_normal((4, *body.X.shape))
    x = origin + body.X @ axes.T
    return stage_at(ElasticBody.of(body), x, velocity, 50.0 * load, (TAU_X, TAU_V, THETA), (origin, axes)), v, direction


def potential(part, v):
    """The incremental potential of a stage without viscosity, W."""
    history, (place, a) = part.history, part.kinematics(v)
    strain = part.body.strain_energy(place) * history.theta / history.tau_x
    inertia = 0.5 * history.tau_v * np.vdot(a, part.elastic.mass.times(a))
    return inertia + strain - np.vdot(part._load, v + part.lift)


@DIMENSIONS
def test_the_forces_of_a_stage_are_the_slope_of_its_potential_and_the_matrix_that_of_the_forces(d):
    part, v, direction = stage_of(d)
    part.set_lift(np.full((1, d), 0.3))
    g = part.gradient(v)
    matrix = csr_array((part.hessian(v), part.indices, part.indptr), shape=(v.size, v.size))
    slope = central_difference(lambda t: potential(part, v + t * direction), 0.0)
    bend = central_difference(lambda t: part.gradient(v + t * direction), 0.0)
    # Differences of order 8 with h = 0.01: 1e-16 of the energy over h, and (h u'/u)^8 of the rest
    assert slope == pytest.approx(np.vdot(g, direction), rel=1e-9)
    np.testing.assert_allclose((matrix @ direction.ravel()).reshape(v.shape), bend, atol=1e-9 * np.abs(bend).max())


@DIMENSIONS
def test_on_moving_ground_a_stage_has_the_same_balance_in_velocities_against_it(d):
    part, v, _ = stage_of(d)
    alone, lift = part.gradient(v).copy(), np.random.default_rng(9).standard_normal(v.shape)
    part.set_lift(lift)
    assert np.abs(part.gradient(v - lift) - alone).max() <= part.rounding(v)
    assert np.abs(part.kinematics(v - lift)[0] - part.to_axes(TAU_X * part.to_space(v))).max() <= 1e-15


@DIMENSIONS
def test_a_turning_frame_carries_no_node_that_sticks_and_none_across_the_ground_that_lies_on_it(d):
    rng, up = np.random.default_rng(4), np.eye(d)[-1]
    arms, stuck, level = rng.standard_normal((9, d)), np.array([1, 4]), np.array([2, 6])
    turn, before = turn_of(0.5 * np.ones(d * (d - 1) // 2)), np.eye(d)
    spin = turn - turn.T
    carried = ArcPredictor(arms, stuck, level, np.tile(up, (2, 1)), np.ones(2, bool))
    for field in (carried.along_arc(turn), carried.velocity(spin, turn), carried.remainder(spin, turn, 0.3)):
        assert not field[stuck].any()
        assert not field[level, -1].any()
        assert np.abs(field[[0, 3, 5, 7, 8]]).min(axis=1).max() > 0.0
    # Counted from the mean of those that stick, all others go along arcs of one rigid turn
    free, arc = [0, 3, 5, 7, 8], arms @ (turn - before).T
    np.testing.assert_allclose(carried.along_arc(turn)[free], (arc - arc[stuck].mean(axis=0))[free], rtol=0, atol=1e-14)
    beside = carried.along_arc(turn) - 0.3 * carried.velocity(spin, turn)
    np.testing.assert_allclose(carried.remainder(spin, turn, 0.3), beside, rtol=0, atol=1e-14)
