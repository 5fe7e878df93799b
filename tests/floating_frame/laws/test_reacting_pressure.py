"""Forces at a height above the ground: friction shifts the weight, pressure is found where points lift, and a high body tips."""

import numpy as np
import pytest
from ff_examples import LENGTH, WIDTH, plate
from problems import run

from floating_frame import InitialState, RigidBody, StepFailure
from floating_frame.system.rigid import plan
from friction import LAWS, Coulomb, Foundation, Limited, Reacting
from friction.redistribution import Tips, redistribution

MU, PRESSURE = 0.3, 250.0
RECTANGLE = plate(element="Q1", nx=6, ny=3)
RIGID = RigidBody.from_plate(RECTANGLE)
FALLING = {"sliding": LAWS["sliding"](0.01, 0.0125, 0.8)}
FALLING["spline"] = LAWS["coefficient-spline"]((0.0, 0.01, 0.012), (0.0, 1.0, 0.7))


def ground(height):
    return Foundation(Coulomb(), MU, Reacting(height=height, pressure=PRESSURE))


def thrown(body, height):
    """Along x with 0.8 m/s."""
    return run(body, 0.04, 2e-3, foundation=ground(height), initial=InitialState((0.8, 0.0)))


@pytest.fixture(scope="module", params=[RIGID, RECTANGLE], ids=["rigid", "elastic"])
def slide(request):
    """A rectangle thrown along x, 5 mm between the ground and its forces; what friction does in the middle of the slide."""
    return thrown(request.param, 5e-3)


def test_the_centre_of_friction_of_a_sliding_body_is_ahead_by_mu_h(slide):
    sizes = np.hypot(*np.moveaxis(slide.friction_force.values, -1, 0))
    assert sizes[-1].sum() > 0.0
    assert slide.frame_velocity.values[-1, 0] > 0.5  # it slides all the time
    places = slide.position.values - slide.frame_position.values[:, None]
    centre = np.einsum("tn,tna->ta", sizes, places) / sizes.sum(axis=1)[:, None]
    # Σ d p = −h F with |F| = μ N; an elastic body's strains turn friction by less than 1e-6
    np.testing.assert_allclose(centre[1:, 0], MU * 5e-3, rtol=1e-6)
    np.testing.assert_allclose(centre[1:, 1], 0.0, atol=1e-9)


def test_a_body_that_does_not_turn_is_braked_by_mu_g_all_the_same_and_the_energy_balance_closes(slide):
    weight = PRESSURE * LENGTH * WIDTH
    mass = slide.linear_momentum.values[0, 0] / 0.8
    np.testing.assert_allclose(slide.friction_force.values[1:].sum(axis=1)[:, 0], -MU * weight, rtol=1e-6)
    lost = 0.8 - slide.frame_velocity.values[-1, 0]
    np.testing.assert_allclose(lost, MU * weight / mass * 0.04, rtol=1e-6)
    assert slide.dissipation_friction.values[-1] > 0.0
    assert np.abs(slide.balance_error.values).max() <= 1e-9 * slide.energy_kinetic.values[0]


def test_pressure_on_a_few_points_is_found_up_to_where_the_body_tips():
    """Near an edge of the hull, where two points alone press up to it, and hardly beyond it."""
    rng, lifted = np.random.default_rng(7), 0
    for _ in range(200):
        count = int(rng.integers(3, 7))
        arms, load = rng.normal(size=(count, 2)), rng.uniform(0.1, 1.0, count)
        arms -= load @ arms / load.sum()
        corner = 0.998 * rng.dirichlet(0.05 * np.ones(count)) @ arms
        pressed = load * redistribution(load, arms, load.sum() * corner)
        rounding = 1e-11 * load.sum() * np.abs(arms).max()
        np.testing.assert_allclose(pressed @ arms, load.sum() * corner, rtol=0, atol=rounding)
        assert pressed.min() >= 0.0
        lifted += int(not pressed.all())
        with pytest.raises(Tips):
            redistribution(load, arms, 1.1 * load.sum() * arms[np.argmax(np.linalg.norm(arms, axis=1))])
    assert lifted > 50


def test_a_body_whose_weight_cannot_bear_the_moment_tips_by_name():
    assert np.abs(RIGID.friction.points).max() < MU * 0.8
    with pytest.raises((StepFailure, RuntimeError), match="the body tips"):
        thrown(RIGID, 0.8)


@pytest.mark.parametrize("law", FALLING)
def test_falling_friction_under_a_reacting_pressure_is_compiled_and_moves_as_by_python(law, monkeypatch):
    """Over the peak of friction to rest; without a turn Σ λ = m(v) μ N, by the law's own formula."""
    ground = Foundation(FALLING[law], MU, Reacting(height=5e-3, pressure=PRESSURE))
    given = {"t_end": 0.12, "dt": 5e-3, "foundation": ground}
    turning = {"velocity": (0.2, 0.0), "spin": 1.0}
    straight, turned = run(RIGID, velocity=(0.2, 0.0), **given), run(RIGID, **turning, **given)
    monkeypatch.setattr(plan, "compiled_law", lambda law: None)
    called = run(RIGID, **turning, **given)
    assert turned.execution == "compiled"
    assert called.execution.startswith(f"interpreted: {FALLING[law]!r}; ")
    speeds = straight.frame_velocity.values[1:, 0]
    assert speeds[-1] < 0.01 < 0.1 < speeds[0]
    expected = np.sign(speeds) * FALLING[law].profile(np.abs(speeds)) * MU * PRESSURE * LENGTH * WIDTH
    np.testing.assert_allclose(-straight.friction_force.values[1:].sum(axis=1)[:, 0], expected, rtol=1e-9)
    assert np.ptp(turned.normal_force.values[1:], axis=0).max() > 1e-3 * turned.normal_force.values.max()
    for name in ("frame_position", "frame_velocity", "frame_spin", "normal_force", "friction_force"):
        theirs = called[name].values
        np.testing.assert_allclose(turned[name].values, theirs, rtol=0, atol=1e-10 * np.abs(theirs).max())


@pytest.mark.parametrize("mu", [MU, "0.3 + x"])
def test_a_limit_under_a_reacting_pressure_is_compiled_where_its_share_is_known_before(mu):
    """Under one coefficient: Σ w stays. At μ N = 6 N above the limit friction is the limit itself, whatever the pressure."""
    law = Limited(Coulomb(), 4.0)
    slide = run(RIGID, 0.04, 2e-3, velocity=(0.8, 0.0), foundation=Foundation(law, mu, Reacting(5e-3, PRESSURE)))
    said = f"interpreted: {law!r} under a pressure that reacts and a coefficient that varies; "
    assert slide.execution.startswith("compiled" if mu == MU else said)
    assert PRESSURE * LENGTH * WIDTH * MU > 5.0
    np.testing.assert_allclose(slide.friction_force.values[1:].sum(axis=1), [[-4.0, 0.0]] * 20, rtol=1e-9, atol=1e-9)
    ahead = slide.position.values[1:, :, 0] - slide.frame_position.values[1:, None, 0]
    np.testing.assert_allclose((slide.normal_force.values[1:] * ahead).sum(axis=1), 5e-3 * 4.0, rtol=1e-9)
