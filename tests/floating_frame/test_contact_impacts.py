"""Rigid bodies that hit obstacles: closed forms, momentum, energy, friction along the wall, moving obstacles."""

from dataclasses import replace

import numpy as np
import pytest
from case_models import computed
from convergence import observed_orders
from ff_contacts import DAMPED, MOVING, OBSTACLES, WALL, body, impact
from ff_examples import rough

from cases import wall_impact
from cases.references.wall_impact import damped
from floating_frame import Circle, Line, RigidMotion
from friction import Foundation, NormalForce, Smooth, UserForce

MASS, K = 0.8, 2e4  # of the plate; of the wall in all, 1e5 N/m on 0.2 m


def compressed(scheme, dt):
    """The plate is 3/4 of a half period on the spring; how its place and velocity differ from the exact ones."""
    w = np.sqrt(K / MASS)
    t_end = 0.75 * np.pi / w
    data = impact(
        Line((0.2, 0.0), (-1.0, 0.0)), NormalForce(1e5), t_end=t_end, dt=t_end / round(t_end / dt), scheme=scheme
    )
    x, v = float(data.frame_position[-1, 0]), float(data.frame_velocity[-1, 0])
    assert float(data.contact_force[-1, 0]) < -10.0
    return max(abs(x * w - np.sin(w * t_end)), abs(v - np.cos(w * t_end)))


@pytest.mark.parametrize(("scheme", "order"), [("sdirk2", 2), ("moreau-theta", 2), ("backward-euler", 1)])
@pytest.mark.quick("moreau-theta-2")
def test_on_the_spring_a_scheme_has_its_order(scheme, order):
    errors = [compressed(scheme, dt) for dt in (4e-4, 2e-4, 1e-4)]  # shorter than the contact's own steps
    orders = observed_orders(errors)
    assert np.all(np.abs(orders - order) < 0.15), (errors, orders)
    assert errors[-1] < (1e-3 if order == 2 else 0.06)


def hit(**kwargs):
    params, data = computed(wall_impact, **({"nx": 2, "ny": 2, "t_end": 0.025} | kwargs))
    return wall_impact.exact(params), {k: v["value"] for k, v in wall_impact.summary(params, data).items()}, data


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
def test_a_hit_on_a_spring_lasts_half_a_period_and_gives_the_speed_back(scheme):
    exact, found, _ = hit(scheme=scheme)
    assert exact.duration == pytest.approx(np.pi * np.sqrt(0.22 / 2e4), rel=1e-12)
    # w dt = 0.03: phase errors (w dt)^2/24, and a kink at either end that a step meets at any place
    assert found["contact_duration"] == pytest.approx(exact.duration, rel=2e-4)
    assert found["penetration_max"] == pytest.approx(exact.penetration, rel=1e-4)
    assert found["restitution"] == pytest.approx(1.0, abs=2e-4)


def test_a_hertzian_hit_lasts_as_long_and_goes_as_deep_as_in_closed_form():
    exact, found, _ = hit(m1=1.5, stiffness=4e5)
    hertz = 2.94325 * exact.penetration  # Landau & Lifshitz, Theory of Elasticity, section 9, problem 1
    assert exact.duration == pytest.approx(hertz, rel=1e-5)
    assert exact.penetration == pytest.approx((1.25 * 0.22 / 4e5) ** 0.4, rel=1e-12)
    assert found["penetration_max"] == pytest.approx(exact.penetration, rel=2e-4)
    assert found["restitution"] == pytest.approx(1.0, abs=2e-4)
    # the force falls to zero with a horizontal tangent: the end is read from stored steps to about half of one
    assert found["contact_duration"] == pytest.approx(exact.duration, abs=1.5e-4)


@pytest.mark.parametrize("ratio", [0.1, 0.6, 1.6])
@pytest.mark.quick("0.6")
def test_the_restitution_falls_with_damping_as_the_damped_oscillator_lets_go(ratio):
    critical = 2.0 * np.sqrt(0.22 * 2e4)
    exact, found, data = hit(damping=ratio * critical, dt=1e-4, t_end=0.022)
    no_cut = np.exp(-np.pi * ratio / np.sqrt(max(1e-9, 1 - ratio**2)))
    assert exact.restitution > no_cut + 1e-3  # what a wall that could pull would leave
    # the damper sets in with a jump that a step meets at any place: first order, c v dt/m of the speed at most
    bound = 2.0 * ratio * np.sqrt(2e4 / 0.22) * 1e-4
    assert found["restitution"] == pytest.approx(exact.restitution, abs=bound)
    assert found["penetration_max"] == pytest.approx(exact.penetration, rel=2 * bound)
    assert found["contact_duration"] == pytest.approx(exact.duration, abs=1e-4)
    assert float(np.max(data.contact_force[:, 0])) == 0.0  # it never pulls
    lost = 0.5 * 0.22 * (1.0 - found["restitution"] ** 2)
    assert found["contact_loss"] == pytest.approx(lost, rel=0.03)


def test_splines_of_the_case_act_as_the_coefficients_that_they_tabulate():
    _, plain, _ = hit(damping=20.0, dt=2e-4, m3=0.0)
    exact, tabulated, _ = hit(
        stiffness_spline=(0.0, 0.0, 1e-3, 20.0, 2e-3, 40.0), damping_spline=(0.0, 0.0, 1.0, 20.0), dt=2e-4
    )
    assert exact is None
    assert plain["restitution"] < 0.75
    for name in ("restitution", "penetration_max", "force_max"):
        assert tabulated[name] == pytest.approx(plain[name], rel=1e-8), name
    with pytest.raises(ValueError, match="stiffness_spline: expected abscissae and forces by turns, got 3 numbers"):
        hit(stiffness_spline=(0.0, 0.0, 1.0))


def test_the_closed_form_is_continuous_through_the_aperiodic_limit():
    critical = 2.0 * np.sqrt(0.22 * 2e4)
    below, at, above = (damped(0.22, 2e4, s * critical, 1.0) for s in (1 - 1e-6, 1.0, 1 + 1e-6))
    np.testing.assert_allclose(below, above, rtol=1e-5)
    np.testing.assert_allclose(at, above, rtol=1e-5)
    assert at.restitution == pytest.approx(np.exp(-2.0), rel=1e-5)


CASES = {
    "spring": {"normal": NormalForce(1e5)},
    "damped": {"normal": DAMPED},
    "friction": {"normal": DAMPED, "mu": 0.3, "velocity": (1.0, 0.8)},
    "tilted": {"normal": DAMPED, "mu": 0.3, "obstacle": Line((0.22, 0.0), (-1.0, 0.2)), "spin": 3.0},
    "circle": {"normal": NormalForce(1e5), "mu": 0.3, "obstacle": Circle((0.45, 0.06), 0.24), "spin": -4.0},
    "moving box": {"normal": DAMPED, "mu": 0.3, "obstacle": OBSTACLES["box"], "edge": "boundary"},
    "spinning circle": {
        "normal": DAMPED,
        "mu": 0.3,
        "obstacle": Circle((0.46, 0.0), 0.25, RigidMotion((-0.3, 0.0), 20.0, (0.46, 0.0))),
    },
    "rough plane": {"normal": DAMPED, "mu": 0.3, "obstacle": Line((0.21, 0.0), (-1.0, 0.1)), "foundation": rough(0.3)},
    "user": {"normal": UserForce(lambda d, rate, t: 1e5 * d * np.maximum(1.0 + 0.5 * rate, 0.0)), "spin": 1.0},
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
@pytest.mark.quick(
    "sdirk2-spring",
    "backward-euler-damped",
    "backward-euler-tilted",
    "backward-euler-moving box",
    "backward-euler-rough plane",
    "moreau-theta-friction",
    "moreau-theta-circle",
    "moreau-theta-spinning circle",
    "moreau-theta-user",
)
def test_energy_is_accounted_for_and_no_contact_creates_any(name, scheme):
    data = impact(**CASES[name], scheme=scheme, dt=1e-3, t_end=0.03, on=body(nx=2, ny=2))
    energy = float(data.energy_kinetic[0])
    assert float(np.abs(data.contact_force).max()) > 1.0
    assert float(np.abs(data.balance_error).max()) < 1e-11 * energy
    assert float(data.rigid_residual.max()) < 1e-8
    lost = data.dissipation_contact.values
    if name == "spring":
        assert np.all(lost == 0.0)
    elif name != "user":
        assert np.all(np.diff(lost) >= -1e-14)
        assert lost[-1] > 1e-3 * energy
    moves = "moving" in name or "spinning" in name
    assert (np.abs(data.work_external.values).max() > 1e-3 * energy) == moves


@pytest.mark.parametrize("name", CASES)
@pytest.mark.quick("damped", "tilted", "user")
def test_the_impulse_of_the_contact_force_is_the_change_of_momentum(name):
    for scheme, weights in (("backward-euler", (0.0, 1.0)), ("moreau-theta", (0.5, 0.5))):
        data = impact(
            **CASES[name], scheme=scheme, dt=5e-4, t_end=0.03, on=body(nx=2, ny=2), options={"max_halvings": 8}
        )
        force, steps = data.contact_force.values, np.diff(data.time.values)[:, None]
        impulse = steps * (weights[0] * force[:-1] + weights[1] * force[1:])
        impulse += steps * data.friction_force.values.sum(axis=1)[1:]  # of the plane beneath, against the end velocity
        whole = (data.halvings.values[1:] == 0) & (data.steps.values[1:] == 1)  # instants between parts are not stored
        change = np.diff(data.linear_momentum.values, axis=0)
        assert whole.mean() > 0.7
        assert np.abs(change[whole]).max() > 5e-3
        np.testing.assert_allclose(change[whole], impulse[whole], atol=1e-12)


def test_a_plate_that_slides_all_through_an_oblique_hit_gets_mu_times_the_normal_impulse_along_the_wall():
    data = impact(mu=0.1, velocity=(1.0, 3.0), v_reg=1e-4, t_end=0.04, dt=5e-4)
    change = data.linear_momentum.values[-1] - data.linear_momentum.values[0]
    assert change[0] < -1.2
    assert float(data.frame_spin[-1]) < -0.3  # friction at the edge turns the plate
    slip = data.velocity.values[..., 1]
    assert slip.min() > 1.0
    # smooth friction lacks (v_reg/s)^2/2 of the bound
    assert change[1] / change[0] == pytest.approx(0.1, rel=1e-7)
    assert float(data.contact_force[-1, 0]) == 0.0


@pytest.mark.parametrize("name", ["friction", "tilted", "circle"])
@pytest.mark.quick("circle")
def test_an_impact_on_a_moving_obstacle_is_that_on_a_resting_one_seen_from_a_train(name):
    case = dict(CASES[name])
    obstacle, train = case.pop("obstacle", WALL), np.array(MOVING.velocity)
    velocity = np.array(case.pop("velocity", (1.0, 0.0)))
    resting = impact(obstacle, **case, velocity=velocity, dt=1e-3, t_end=0.03)
    moving = impact(replace(obstacle, motion=MOVING), **case, velocity=velocity + train, dt=1e-3, t_end=0.03)
    assert float(np.abs(resting.contact_force).max()) > 10.0
    shift = moving.time.values[:, None] * train
    np.testing.assert_allclose(moving.frame_position.values - shift, resting.frame_position.values, atol=1e-10)
    np.testing.assert_allclose(moving.contact_force, resting.contact_force, atol=1e-7)
    np.testing.assert_allclose(moving.dissipation_contact, resting.dissipation_contact, atol=1e-10)
    # the obstacle's work is its force on the body times its own way
    assert float(moving.work_external[-1]) == pytest.approx(
        float((moving.linear_momentum[-1] - moving.linear_momentum[0]).values @ train), abs=1e-4
    )


def test_a_wall_that_moves_at_its_own_speed_pushes_a_resting_plate_ahead_of_it():
    wall = Line((-0.205, 0.0), (1.0, 0.0), RigidMotion(velocity=(0.5, 0.0)))
    damping = 0.9 * 2 * np.sqrt(1e5 * MASS / 0.2)
    on = Foundation(Smooth(1e-3), 0.3, 98.1)
    data = impact(wall, NormalForce(1e5, damping), edge="left", velocity=(0, 0), foundation=on, t_end=0.16, dt=1e-3)
    late = data.time.values > 0.12
    np.testing.assert_allclose(data.frame_velocity.values[late, 0], 0.5, atol=2e-3)
    push = data.contact_force.values[late, 0]
    np.testing.assert_allclose(push, 0.3 * 98.1 * 0.08, rtol=2e-2)  # against friction under the plate
    assert float(np.abs(data.balance_error).max()) < 1e-11


@pytest.mark.slow
def test_the_runge_kutta_method_finds_the_same_impact_under_friction():
    case = {
        "obstacle": Line((0.22, 0.0), (-1.0, 0.2)),
        "normal": NormalForce(1e5, 1e4, m3=1.0),
        "mu": 0.3,
        "v_reg": 0.05,
    }
    on = Foundation(Smooth(1e-2), 0.3, 98.1)
    fine = impact(**case, foundation=on, dt=1e-4, t_end=0.04)
    adaptive = impact(**case, foundation=on, dt=2e-3, t_end=0.04, scheme="radau", options={"tolerance": 1e-8})
    assert float(np.abs(fine.contact_force).max()) > 20.0
    np.testing.assert_allclose(adaptive.frame_position[-1], fine.frame_position[-1], atol=3e-6)
    np.testing.assert_allclose(adaptive.frame_velocity[-1], fine.frame_velocity[-1], atol=3e-4)
    assert float(adaptive.dissipation_contact[-1]) == pytest.approx(float(fine.dissipation_contact[-1]), rel=2e-3)
    assert float(np.abs(adaptive.balance_error).max()) < 1e-6
