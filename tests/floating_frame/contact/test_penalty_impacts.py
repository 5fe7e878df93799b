"""Plates, rigid and elastic, that hit obstacles: closed forms, waves, momentum, energy, friction along a wall, moving obstacles."""

from dataclasses import replace

import numpy as np
import pytest
from case_models import computed
from contact_examples import DAMPED, MASS, MOVING, NEAR, OBSTACLES, WALL, body, impact
from convergence import observed_orders
from ff_examples import plate, rough
from rows import rows

from cases import wall_impact
from cases.references.wall_impact import damped
from floating_frame import Circle, Line, RigidMotion
from friction import NormalForce, UserForce

K = 2e4  # N/m of the wall in all, 1e5 N/m on 0.2 m


@pytest.mark.parametrize(("scheme", "order"), [("sdirk2", 2), ("moreau-theta", 2), ("backward-euler", 1)])
@pytest.mark.quick("moreau-theta-2")
def test_on_the_spring_a_scheme_has_its_order(scheme, order):
    """The plate is 3/4 of a half period on the spring; steps are shorter than the contact's own."""
    w, errors = np.sqrt(K / MASS), []
    t_end = 0.75 * np.pi / w
    for dt in (4e-4, 2e-4, 1e-4):
        data = impact(obstacle=NEAR, t_end=t_end, dt=t_end / round(t_end / dt), scheme=scheme)
        x, v = float(data.frame_position[-1, 0]), float(data.frame_velocity[-1, 0])
        assert float(data.contact_force[-1, 0]) < -10.0
        errors.append(max(abs(x * w - np.sin(w * t_end)), abs(v - np.cos(w * t_end))))
    orders = observed_orders(errors)
    assert np.all(np.abs(orders - order) < 0.15), (errors, orders)
    assert errors[-1] < (1e-3 if order == 2 else 0.06)


def hit(**given):
    params, data = computed(wall_impact, **({"nx": 2, "ny": 2, "t_end": 0.025} | given))
    return wall_impact.exact(params), {k: v["value"] for k, v in wall_impact.summary(params, data).items()}, data


PERIOD, HERTZ = np.pi * np.sqrt(0.22 / K), (1.25 * 0.22 / 4e5) ** 0.4
"""Half a period on the spring, s; how deep a hit goes by Hertz's law, m."""
HITS = [("sdirk2", {}, PERIOD, PERIOD / np.pi), ("moreau-theta", {}, PERIOD, PERIOD / np.pi)]
# Landau & Lifshitz, Theory of Elasticity, section 9, problem 1
HITS += [("sdirk2", {"m1": 1.5, "stiffness": 4e5}, 2.94325 * HERTZ, HERTZ)]


@rows("scheme, given, lasts, deep", HITS)
def test_a_hit_lasts_as_long_and_goes_as_deep_as_in_closed_form_and_gives_the_speed_back(scheme, given, lasts, deep):
    exact, computed, _ = hit(scheme=scheme, **given)
    assert (exact.duration, exact.penetration) == pytest.approx((lasts, deep), rel=1e-5)
    assert computed["penetration_max"] == pytest.approx(deep, rel=2e-4)
    assert computed["restitution"] == pytest.approx(1.0, abs=2e-4)
    # w dt = 0.03: phase errors (w dt)^2/24, and a kink at either end that a step meets at any place; Hertz's force falls to zero
    # with a horizontal tangent: the end is read from stored steps to about half of one
    assert computed["contact_duration"] == pytest.approx(lasts, abs=1.5e-4 if given else 2e-4 * lasts)


@pytest.mark.parametrize("ratio", [0.1, 0.6, 1.6])
@pytest.mark.quick("0.6")
def test_the_restitution_falls_with_damping_as_the_damped_oscillator_lets_go(ratio):
    exact, computed, data = hit(damping=ratio * 2.0 * np.sqrt(0.22 * 2e4), dt=1e-4, t_end=0.022)
    no_cut = np.exp(-np.pi * ratio / np.sqrt(max(1e-9, 1 - ratio**2)))
    assert exact.restitution > no_cut + 1e-3  # what a wall that could pull would leave
    # the damper sets in with a jump that a step meets at any place: first order, c v dt/m of the speed at most
    bound = 2.0 * ratio * np.sqrt(2e4 / 0.22) * 1e-4
    assert computed["restitution"] == pytest.approx(exact.restitution, abs=bound)
    assert computed["penetration_max"] == pytest.approx(exact.penetration, rel=2 * bound)
    assert computed["contact_duration"] == pytest.approx(exact.duration, abs=1e-4)
    assert float(np.max(data.contact_force[:, 0])) == 0.0  # it never pulls
    assert computed["contact_loss"] == pytest.approx(0.5 * 0.22 * (1.0 - computed["restitution"] ** 2), rel=0.03)


def test_splines_of_the_case_act_as_the_coefficients_that_they_tabulate():
    _, plain, _ = hit(damping=20.0, dt=2e-4, m3=0.0)
    stiffness, damping = (0.0, 0.0, 1e-3, 20.0, 2e-3, 40.0), (0.0, 0.0, 1.0, 20.0)
    exact, tabulated, _ = hit(stiffness_spline=stiffness, damping_spline=damping, dt=2e-4)
    assert exact is None
    assert plain["restitution"] < 0.75
    for name in ("restitution", "penetration_max", "force_max"):
        assert tabulated[name] == pytest.approx(plain[name], rel=1e-8), name
    with pytest.raises(ValueError, match="stiffness_spline: expected pairs of numbers, the second a force, got 3 num"):
        hit(stiffness_spline=(0.0, 0.0, 1.0))


def test_the_closed_form_is_continuous_through_the_aperiodic_limit():
    critical = 2.0 * np.sqrt(0.22 * 2e4)
    below, at, above = (damped(0.22, 2e4, s * critical, 1.0) for s in (1 - 1e-6, 1.0, 1 + 1e-6))
    np.testing.assert_allclose([below, at], [above, above], rtol=1e-5)
    assert at.restitution == pytest.approx(np.exp(-2.0), rel=1e-5)


RUBS = {"normal": DAMPED, "mu": 0.3}
CASES = {
    "spring": {},
    "Hertz's": {"normal": NormalForce(1e5, m1=1.5)},
    "jumping damper": {"normal": NormalForce(1e5, 50.0)},
    "damped": {"normal": DAMPED},
    "friction": RUBS | {"velocity": (1.0, 0.8)},
    "tilted": RUBS | {"obstacle": Line((0.22, 0.0), (-1.0, 0.2)), "spin": 3.0},
    "circle": {"mu": 0.3, "obstacle": Circle((0.45, 0.06), 0.24), "spin": -4.0},
    "moving box": RUBS | {"obstacle": OBSTACLES["box"], "edge": "boundary"},
    "moving circle": RUBS | {"obstacle": Circle((0.455, 0.03), 0.25, MOVING)},
    "spinning circle": RUBS | {"obstacle": Circle((0.46, 0.0), 0.25, RigidMotion((-0.3, 0.0), 20.0, (0.46, 0.0)))},
    "rough plane": RUBS | {"obstacle": Line((0.21, 0.0), (-1.0, 0.1)), "foundation": rough(0.3)},
    "user": {"normal": UserForce(lambda d, rate, t: 1e5 * d * np.maximum(1.0 + 0.5 * rate, 0.0)), "spin": 1.0},
}
ELASTIC = ("Hertz's", "jumping damper", "friction", "tilted", "circle", "moving circle", "rough plane")
RIGID = [name for name in CASES if name not in ("Hertz's", "jumping damper", "moving circle")]


def collide(kind, name, scheme, dt, **more):
    return impact(body(kind == "rigid", 2, 2, E=2e5), 0.03, dt, scheme, **(CASES[name] | more))


@pytest.mark.parametrize(
    ("kind", "name", "scheme"),
    [
        *(("rigid", name, scheme) for scheme in ("sdirk2", "backward-euler", "moreau-theta") for name in RIGID),
        *(("elastic", name, "sdirk2") for name in ELASTIC),
        *(("elastic", name, "backward-euler") for name in ("Hertz's", "friction")),
        ("elastic", "rough plane", "moreau-theta"),
    ],
)
@pytest.mark.quick(
    "rigid-spring-sdirk2", "rigid-damped-backward-euler", "rigid-tilted-backward-euler", "rigid-moving box-backward-euler",
    "rigid-rough plane-backward-euler", "rigid-friction-moreau-theta", "rigid-circle-moreau-theta",
    "rigid-spinning circle-moreau-theta", "rigid-user-moreau-theta", "elastic-jumping damper-sdirk2",
    "elastic-moving circle-sdirk2", "elastic-tilted-sdirk2", "elastic-friction-backward-euler",
)  # fmt: skip
def test_energy_is_accounted_for_no_contact_creates_any_and_its_impulse_is_the_change_of_momentum(kind, name, scheme):
    data = collide(kind, name, scheme, 1e-3 if scheme == "sdirk2" else 5e-4)
    energy, lost = float(data.energy_kinetic[0]), data.dissipation_contact.values
    assert float(np.abs(data.contact_force).max()) > (1.0 if kind == "rigid" else 5.0)
    assert kind == "rigid" or float(data.energy_strain.max()) > 1e-3 * energy
    assert float(np.abs(data.balance_error).max()) < (1e-11 if kind == "rigid" else 1e-9) * energy
    assert float(data.rigid_residual.max()) < (1e-8 if kind == "rigid" else 1e-7)
    assert kind == "rigid" or int(data.halvings.sum()) == 0
    if name in ("spring", "Hertz's"):
        assert np.all(lost == 0.0)
    elif name != "user":
        assert np.all(np.diff(lost) >= -1e-13)
        assert lost[-1] > 1e-3 * energy
    moves = "moving" in name or "spinning" in name
    assert (np.abs(data.work_external.values).max() > 1e-3 * energy) == moves
    if scheme == "sdirk2":  # which takes forces within its steps, that are not stored
        return
    before, after = (0.0, 1.0) if scheme == "backward-euler" else (0.5, 0.5)
    force, steps = data.contact_force.values, np.diff(data.time.values)[:, None]
    impulse = steps * (before * force[:-1] + after * force[1:])
    impulse += steps * data.friction_force.values.sum(axis=1)[1:]  # of the plane beneath, against the end velocity
    whole = (data.halvings.values[1:] == 0) & (data.steps.values[1:] == 1)  # instants between parts are not stored
    change = np.diff(data.linear_momentum.values, axis=0)
    assert whole.mean() > 0.3
    assert np.abs(change[whole]).max() > 1e-3
    np.testing.assert_allclose(change[whole], impulse[whole], atol=1e-12 if kind == "rigid" else 1e-9)


@pytest.mark.parametrize(
    ("kind", "name"), [("rigid", "friction"), ("rigid", "tilted"), ("rigid", "circle"), ("elastic", "circle")]
)
@pytest.mark.quick("rigid-circle")
def test_an_impact_on_a_moving_obstacle_is_that_on_a_resting_one_seen_from_a_train(kind, name):
    obstacle, train = CASES[name].get("obstacle", WALL), np.array(MOVING.velocity)
    velocity, small = CASES[name].get("velocity", (1.0, 0.0)), 1e-10 if kind == "rigid" else 1e-9
    resting = collide(kind, name, "sdirk2", 1e-3)
    seen = {"obstacle": replace(obstacle, motion=MOVING), "velocity": np.add(velocity, train)}
    moving = collide(kind, name, "sdirk2", 1e-3, **seen)
    assert float(np.abs(resting.contact_force).max()) > 10.0
    shift = moving.time.values[:, None, None] * train
    np.testing.assert_allclose(moving.position.values - shift, resting.position.values, atol=small)
    np.testing.assert_allclose(moving.contact_force, resting.contact_force, atol=1e3 * small)
    np.testing.assert_allclose(moving.dissipation_contact, resting.dissipation_contact, atol=small)
    # the obstacle's work is its force on the body times its own displacement
    change = (moving.linear_momentum[-1] - moving.linear_momentum[0]).values
    assert float(moving.work_external[-1]) == pytest.approx(float(change @ train), abs=1e-4)


@pytest.mark.parametrize("element", ["P2", "Q2"])
def test_quadratic_edges_take_contact_too(element):
    data = impact(plate(2, 1, element=element, E=2e5), 0.04, 1e-3, **(CASES["circle"] | {"normal": DAMPED, "mu": 0.1}))
    assert float(np.abs(data.contact_force).max()) > 5.0
    assert float(np.abs(data.balance_error).max()) < 1e-9 * float(data.energy_kinetic[0])
