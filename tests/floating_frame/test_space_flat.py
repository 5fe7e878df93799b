"""A flat base of many points in space: it slides and turns as the plane body whose pressure reacts, and says where it cannot."""

from dataclasses import replace

import numpy as np
import pytest
from case_models import computed
from rows import rows

from cases import curling_disc
from cases.references.space.curling_disc import forces, terminal
from floating_frame import (
    Base,
    Feet,
    Options,
    RigidSolid,
    SpaceForce,
    SpaceInitial,
    SpaceProblem,
    assemble,
    run_warnings,
    simulate,
)
from floating_frame.errors import StepFailure

SMALL = {"nr": 5, "nt": 12, "dt": 5e-3, "t_end": 0.3}


@pytest.fixture(scope="module", params=["sdirk2", "moreau-theta", "backward-euler"])
def both(request):
    found = []
    for model in ("space", "plane"):
        found.append(computed(curling_disc, model=model, scheme=request.param, **SMALL)[1])
    return found


def test_the_body_in_space_and_the_one_in_the_plane_agree(both):
    space, plane = both
    assert abs(float(plane.frame_position[-1, 1])) > 1e-3  # it curls
    assert np.all(plane.stick.values[-1] == 1)
    place = space.frame_position.values
    np.testing.assert_allclose(place[:, :2], plane.frame_position.values, rtol=0, atol=1e-11)
    np.testing.assert_allclose(place[:, 2], 0.05, rtol=0, atol=1e-16)
    np.testing.assert_allclose(space.frame_spin.values[:, 2], plane.frame_spin.values, rtol=0, atol=1e-9)
    slides = plane.stick.values.sum(axis=1) == 0
    np.testing.assert_allclose(
        space.normal_force.values[slides], plane.normal_force.values[slides], rtol=0, atol=1e-9 * 9.81
    )


def test_pressure_carries_the_weight_and_the_moment_of_friction(both):
    space, _ = both
    arms = space.position.values - space.frame_position.values[:, None]
    force = space.contact_force.values
    np.testing.assert_allclose(force[:, :, 2].sum(axis=1), 9.81, rtol=1e-12)
    moment = np.cross(arms, force).sum(axis=1)
    np.testing.assert_allclose(moment[:, :2], 0.0, atol=1e-10)
    assert np.abs(force[:, :, :2].sum(axis=1)).max() > 0.1
    assert np.abs(space.balance_error.values).max() < 1e-12


@pytest.mark.parametrize(("share", "ratio", "side"), [(0.0, 0.6530, 0.0), (0.06, 0.6549, 0.068), (0.24, 0.6759, 0.268)])
def test_the_quadrature_finds_the_known_ratios(share, ratio, side):
    found = terminal(share)
    assert found.ratio == pytest.approx(ratio, abs=1.5e-4)
    assert found.side == pytest.approx(side, abs=6e-4)
    drag, _, torque = forces(found.ratio, share)
    assert drag / found.ratio == pytest.approx(2.0 * torque, rel=1e-8)


def test_a_base_that_would_tip_fails_by_name_and_one_that_is_not_flat_is_refused():
    square = [(a, b, -0.3) for a in (-0.1, 0.0, 0.1) for b in (-0.1, 0.0, 0.1)]
    body = RigidSolid(mass=1.0, inertia=(0.1, 0.1, 0.1), shape=Base(square, np.ones(9)))
    problem = SpaceProblem(body=body, t_end=0.1, mu=0.8, initial=SpaceInitial(velocity=(1.0, 0.0, 0.0)))
    with pytest.raises((StepFailure, RuntimeError), match="the body tips"):
        simulate(assemble(problem, Options(dt=1e-3)))
    with pytest.raises(ValueError, match="a base is flat"):
        Base([(0, 0, -1), (1, 0, -1), (0, 1, -1.1)], np.ones(3))
    with pytest.raises(ValueError, match="a finite area > 0 m2 for each"):
        Base([(0, 0, -1), (1, 0, -1), (0, 1, -1)], np.ones(2))
    assert Feet([(0, 0, -1)]).shares.tolist() == [1.0]


@rows(
    "given, rest, ends",
    [
        ({"t_end": 0.01}, None, False),  # it still slides: the ratio is not yet the last
        ({"vx0": 0.0, "spin0": 0.0, "t_end": 0.01}, 0.0, False),
        ({"vx0": 0.0, "spin0": 8.0, "t_end": 0.01}, None, False),  # it spins in its place
        ({"t_end": 0.3}, "some", True),
    ],
)
def test_the_last_ratio_is_told_of_a_disc_that_comes_to_rest(given, rest, ends):
    params = curling_disc.Parameters(**SMALL | {"model": "plane"} | given)
    told = curling_disc.summary(params, simulate(assemble(curling_disc.problem(params), curling_disc.options(params))))
    stop = told["t_stop"]["value"]
    assert 0.0 < stop <= 0.3 if rest == "some" else stop == rest
    assert (told["ratio_end"]["value"] is not None) is ends
    assert (told["side_end"]["value"] is not None) is ends


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
def test_a_base_without_weight_slides_on_freely_and_says_that_mu_does_nothing(scheme):
    params, data = computed(curling_disc, **SMALL | {"model": "space", "gravity": 0.0, "t_end": 0.1, "scheme": scheme})
    np.testing.assert_allclose(
        data.frame_position[-1], [params.vx0 * params.t_end, 0.0, params.half_height], rtol=1e-12
    )
    np.testing.assert_allclose(data.frame_spin[-1], [0.0, 0.0, params.spin0], rtol=1e-12)
    assert not np.any(data.contact_force)
    assert [w.name for w in run_warnings(data)] == ["nothing-presses"]


def test_a_base_that_is_pulled_off_the_ground_fails_with_an_advice_that_helps():
    params = curling_disc.Parameters(**SMALL | {"model": "space", "gravity": 1.0, "t_end": 0.01})
    raised = SpaceForce(force=(0.0, 0.0, 2.0 * params.mass * params.gravity))
    problem = replace(curling_disc.problem(params), loads=(raised,))
    with pytest.raises(StepFailure, match=r"nothing presses the base.*try: a weight or a load"):
        simulate(assemble(problem, curling_disc.options(params)))
