"""plate_clamped: the guide, momentum along it, symmetry, and how much friction acts on the deformation."""

from functools import partial

import numpy as np
import pytest
from case_models import computed, summarised

from cases import plate_clamped
from cases.plate_clamped import Parameters, clamp_moment, options, problem
from cases.references.plate_clamped import friction_on_deformation, influences

COARSE = {"nx": 8, "ny": 4, "dt": 4e-3}
simulated = partial(computed, plate_clamped, **COARSE)


@pytest.fixture(scope="module")
def bent():
    return simulated(t_end=1.4)


def test_the_clamp_runs_along_its_guide_and_the_plate_is_bent_slides_and_stops(bent):
    _, data = bent
    clamp = data.X.values[:, 0] < -0.4999
    assert clamp.sum() == 5
    for still in (data.displacement[:, clamp], data.frame_position[:, 1], data.frame_angle, data.clamp_reaction[:, 0]):
        assert not np.any(still.values)  # the guide is free of friction
    assert data.frame_position.values[-1, 0] > 0.2
    stick = data.stick.values.astype(bool)
    assert (~stick.any(axis=1)).sum() > 50
    assert stick[-1].all()
    assert np.abs(data.displacement.values[..., 1]).max() > 0.1  # of a width of 0.5 m
    assert float(np.abs(data.rigid_residual).max()) < 1e-8
    assert float(np.abs(data.balance_error).max()) < 1e-8
    assert np.abs(data.clamp_reaction.values[:, 1]).max() > 3.0


def test_the_guide_and_friction_hold_each_other_across_once_all_rests(bent):
    params, data = bent
    force = data.friction_force.values[-1]
    reaction = data.clamp_reaction.values[-1, 1]
    assert abs(reaction) > 1.0
    assert abs(reaction + force[:, 1].sum()) < 1e-7
    clamp = data.X.values[:, 0] < -0.4999
    r = data.position.values[-1] - data.position.values[-1, clamp].mean(axis=0)
    moment = float(clamp_moment(params, data)[-1])
    assert abs(moment) > 1.0
    assert abs(moment + float(np.sum(r[:, 0] * force[:, 1] - r[:, 1] * force[:, 0]))) < 1e-7


def test_without_friction_the_momentum_along_the_guide_is_the_impulse_of_push_and_pull():
    params, data = simulated(mu=0.0, push_x=6.0, pull_x=4.0, pull_y=2.0, t_end=0.6, ramp=0.2, release=0.4)
    impulse = (params.push_x + params.pull_x) * (params.release - params.ramp / 2)
    np.testing.assert_allclose(data.linear_momentum.values[-1, 0], impulse, rtol=1e-8)
    across = np.trapezoid(data.clamp_reaction.values[:, 1], data.time.values) + params.pull_y * 0.3
    np.testing.assert_allclose(data.linear_momentum.values[-1, 1], across, atol=0.02)
    assert abs(across) > 0.1


@pytest.mark.slow
def test_the_opposite_lateral_pull_bends_the_mirrored_plate(bent):
    _, data = bent
    _, other = simulated(t_end=1.4, pull_y=-Parameters().pull_y)
    X = data.X.values
    mirrored = [int(np.argmin(np.linalg.norm(X * [1, -1] - point, axis=1))) for point in X]
    np.testing.assert_allclose(other.position.values[:, mirrored] * [1, -1], data.position.values, atol=1e-7)


@pytest.mark.slow
def test_friction_acts_on_the_clamped_plates_deformation_but_hardly_on_the_sliding_plate_of_case_b():
    """Fig. 3b against Fig. 3a: same loads along x, both thrown so fast that all slides one way."""
    params = Parameters(**COARSE)
    clamped, free = influences(params, problem, options)
    assert 0.07 < clamped < 0.2
    assert 0.001 < free < 0.015  # the velocity of the lateral contraction is left
    slender = Parameters(**COARSE | {"width": 0.1, "ny": 2, "pull_x": 3.0, "push_x": 6.0, "pull_y": 0.1, "E": 6e5})
    assert influences(slender, problem, options)[1] < 0.1 * free  # as case B has it: small if the plate is a rod
    for nothing in (
        {"mu": 0.0},
        {"push_x": 0.0, "pull_x": 0.0, "pull_y": 0.0},
    ):  # the latter: displacements of rounding
        assert influences(Parameters(**COARSE | nothing), problem, options) == (None, None)


def test_the_share_of_friction_that_deforms_is_zero_in_translation_and_not_where_the_plate_bends(bent):
    _, data = bent
    share = friction_on_deformation(data)
    slides = np.isfinite(share)
    assert 50 < slides.sum() < data.sizes["time"]
    assert 0.15 < share[slides].mean() < 0.45
    moved = data.isel(time=slice(0, 2)).copy(deep=True)
    moved["friction_force"][:] = -moved.friction_weight.values[:, None] * np.array([1.0, 0.0])
    moved["stick"][:] = 0
    np.testing.assert_allclose(friction_on_deformation(moved), 0.0, atol=1e-14)
    turned = moved.copy(deep=True)
    turned["friction_force"][:] = -moved.friction_weight.values[:, None] * np.array([0.8, 0.6])
    np.testing.assert_allclose(friction_on_deformation(turned), 0.6, rtol=1e-12)  # across the guide all of it acts


def test_the_summary_has_the_residual_of_3_12_the_reaction_and_frictions_part_in_the_deformation():
    _, data, results = summarised(plate_clamped, t_end=0.3, dt=0.01, nx=4, ny=2)
    assert results["rigid_residual"]["exact"] == 0.0
    assert results["rigid_residual"]["value"] < 1e-8
    assert results["friction_influence"]["value"] > 5.0 * results["friction_influence_free"]["value"] > 0.0
    assert results["reaction_max"]["value"] == np.abs(data.clamp_reaction.values[:, 1]).max() > 0.1
