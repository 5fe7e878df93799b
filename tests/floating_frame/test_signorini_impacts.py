"""Rigid bodies thrown at a wall with exact contact: the closed forms of planar rigid impact with Coulomb friction."""

import numpy as np
import pytest
from ff_signorini import (
    INERTIA,
    MASS,
    SCHEMES,
    block,
    corner,
    gaps,
    impulse,
    thrown,
    touches,
)

from floating_frame import RigidBody
from floating_frame.obstacle_motion import RigidMotion
from floating_frame.obstacles import Line


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_block_leaves_the_wall_with_exactly_e_of_its_approach_and_never_enters_it(scheme, e):
    run = thrown((1.0, 0.3), e=e, scheme=scheme, t_end=0.1)
    assert 1 <= np.count_nonzero(touches(run)) <= 2, "one step lands, the next one stops what is left"
    velocity = run.frame_velocity.values[-1]
    assert np.isclose(velocity[0], -e, rtol=0, atol=1e-12)
    assert np.isclose(velocity[1], 0.3, rtol=0, atol=1e-13)
    assert abs(run.frame_spin.values).max() < 1e-12
    assert np.allclose(impulse(run), [-MASS * (1.0 + e), 0.0], rtol=0, atol=1e-12)
    assert -1e-13 < gaps(run).min() < 1.01e-3, "it comes as near as one step's way"
    lost = run.dissipation_contact.values[-1]
    assert np.isclose(lost, 0.5 * MASS * (1.0 - e * e), rtol=1e-11, atol=1e-13)
    assert abs(run.dissipation_numerical.values).max() < 1e-13
    assert abs(run.balance_error.values).max() < 1e-13


@pytest.mark.parametrize("scheme", SCHEMES)
def test_oblique_impact_that_slides_loses_mu_times_the_normal_impulse_along_the_wall(scheme):
    """On its whole side the block does not turn while mu < width/length = 1/2; it slides if v_t > mu (1 + e) v_n."""
    e, mu = 0.5, 0.2
    run = thrown((1.0, 0.5), e=e, mu=mu, scheme=scheme, t_end=0.1)
    push = impulse(run)
    assert np.isclose(push[0], -MASS * 1.5, rtol=1e-12)
    assert np.isclose(push[1], -mu * MASS * 1.5, rtol=1e-11)
    assert np.isclose(run.frame_velocity.values[-1, 1], 0.5 - mu * 1.5, rtol=0, atol=1e-12)
    assert abs(run.frame_spin.values).max() < 1e-11
    start, end = np.array([1.0, 0.5]), np.array([-0.5, 0.2])
    lost = 0.5 * MASS * (start @ start - end @ end)
    assert np.isclose(run.dissipation_contact.values[-1], lost, rtol=1e-11)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_oblique_impact_that_sticks_leaves_no_velocity_along_the_wall(scheme):
    run = thrown((1.0, 0.25), e=0.5, mu=0.2, scheme=scheme, t_end=0.1)
    push = impulse(run)
    assert np.isclose(push[1], -0.25 * MASS, rtol=1e-11)
    assert 0.1 * abs(push[0]) < abs(push[1]) < 0.2 * abs(push[0])
    assert abs(run.frame_velocity.values[-1, 1]) < 1e-12
    assert np.isclose(run.frame_velocity.values[-1, 0], -0.5, rtol=0, atol=1e-12)


def corner_impact(rates, arm, e, mu):
    """Rates after the impact of the point at ``arm`` on the wall x = const: Newton's e and Coulomb's friction, in closed form.

    u = W p + u⁻ with u = (−v_x, −v_y) of the point (n = −x, t = J n = −y): stick if |p_t| <= mu p_n, else p_t = −mu p_n sgn(u_t).
    """
    G = -np.array([[1.0, 0.0, -arm[1]], [0.0, 1.0, arm[0]]])
    W = G @ np.diag([1.0 / MASS, 1.0 / MASS, 1.0 / INERTIA]) @ G.T
    normal, along = G @ rates
    p = np.linalg.solve(W, [-(1.0 + e) * normal, -along])
    kind = "stick"
    if abs(p[1]) > mu * p[0]:
        side = np.sign(p[1])
        p_n = -(1.0 + e) * normal / (W[0, 0] + side * mu * W[0, 1])
        p, kind = np.array([p_n, side * mu * p_n]), "slide"
    return rates + (G.T @ p) / np.array([MASS, MASS, INERTIA]), kind


CORNERS = {
    "sliding": ((1.0, -0.6), 0.0, 0.2, "slide"),
    "sticking": ((1.0, 0.1), 0.0, 0.6, "stick"),
    "with spin, sliding the other way": ((1.0, 1.9), 1.5, 0.1, "slide"),
    "without friction": ((1.0, 0.8), 1.0, 0.0, "slide"),
}


@pytest.mark.parametrize("e", [0.0, 0.4])
@pytest.mark.parametrize("case", CORNERS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_corner_hit_gives_the_spin_of_planar_rigid_impact(scheme, case, e):
    velocity, spin, mu, expected = CORNERS[case]
    body = block()
    node, dt = corner(body, 1, -1), 1e-5
    near = Line(
        (body.X[node[0], 0] + 0.8 * dt, 0.0), (-1.0, 0.0)
    )  # hit in the first steps: the arm is that of the start
    run = thrown(velocity, spin=spin, e=e, mu=mu, nodes=node, wall=near, dt=dt, t_end=5 * dt, scheme=scheme)
    assert touches(run).any()
    after, kind = corner_impact(np.array([*velocity, spin]), body.X[node[0]], e, mu)
    assert kind == expected
    found = np.array([*run.frame_velocity.values[-1], run.frame_spin.values[-1]])
    assert abs(after[2] - spin) > 0.5
    # The body has turned by some spin x dt = 1e-4 rad, and with e = 0 it stops turning into the wall at its next steps.
    assert np.allclose(found, after, rtol=0, atol=3e-4 * abs(after).max())
    arms = run.position.values[-1, node] - run.frame_position.values[-1]
    at_corner = found[:2] + found[2] * np.array([-arms[0, 1], arms[0, 0]])
    if kind == "stick":
        assert abs(at_corner[1]) < 1e-3
    turned = 0.125 * (dt * abs(run.frame_spin.values).max()) ** 2 * np.hypot(*body.X[node[0]])
    assert gaps(run, near, node).min() > -turned - 1e-13


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_energy_is_created_where_newtons_law_with_friction_would(scheme):
    """Kane & Levinson: a corner that slides one way and is turned around by the impact. e is lowered to what keeps the energy."""
    body, velocity, spin, mu = block(), (1.0, 0.35), -4.0, 0.9
    node, dt = corner(body, 1, 1), 1e-5
    weights = np.array([MASS, MASS, INERTIA])
    start = np.array([*velocity, spin])
    newton, _ = corner_impact(start, body.X[node[0]], 1.0, mu)
    before, by_newton = (0.5 * rates @ (weights * rates) for rates in (start, newton))
    assert by_newton > 1.05 * before
    near = Line((body.X[node[0], 0] + 2.0 * dt, 0.0), (-1.0, 0.0))
    run = thrown(velocity, spin=spin, e=1.0, mu=mu, nodes=node, wall=near, dt=dt, t_end=8 * dt, scheme=scheme)
    assert touches(run).any()
    energy = run.energy_kinetic.values
    assert energy[-1] < before * (1.0 + 1e-9)
    assert np.isclose(energy[-1], before, rtol=1e-4), "no more is taken than needed"
    arm = body.X[node[0]]
    leaving = -(run.frame_velocity.values[-1, 0] - run.frame_spin.values[-1] * arm[1])
    assert 0.2 < leaving / (velocity[0] - spin * arm[1]) < 0.98
    assert abs(run.balance_error.values).max() < 1e-12


def test_moving_wall_hits_a_resting_block_which_leaves_with_one_plus_e_of_its_speed():
    wall = Line((0.25, 0.0), (-1.0, 0.0), motion=RigidMotion(velocity=(-0.8, 0.0)))
    run = thrown((0.0, 0.0), e=0.5, wall=wall, t_end=0.1)
    assert np.isclose(run.frame_velocity.values[-1, 0], -0.8 * 1.5, rtol=0, atol=1e-12)
    assert gaps(run, wall).min() > -1e-13
    work, kinetic = run.work_external.values[-1], run.energy_kinetic.values[-1]
    assert np.isclose(work, 0.8 * MASS * 1.2, rtol=1e-11), "impulse x velocity of the wall"
    assert np.isclose(run.dissipation_contact.values[-1], work - kinetic, rtol=1e-10)
    assert np.isclose(work - kinetic, 0.5 * MASS * 0.8**2 * (1 - 0.25), rtol=1e-10)


def test_instant_of_the_impact_is_resolved_to_first_order():
    """After a rebound with e = 1/2 the place is late or early by at most a step; the mean over phases halves with dt."""
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        worst = []
        for phase in (0.05, 0.35, 0.65, 0.95):
            wall = Line((0.2 + dt * (10 + phase), 0.0), (-1.0, 0.0))
            run = thrown((1.0, 0.0), e=0.5, wall=wall, dt=dt, t_end=40 * dt)
            hit = dt * (10 + phase)
            exact = hit - 0.5 * (run.time.values[-1] - hit)
            worst.append(abs(run.frame_position.values[-1, 0] - exact))
        assert 0.0 < max(worst) <= 1.5 * dt
        errors.append(max(worst))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - 1.0) < 0.05)


def test_two_walls_stop_a_body_in_their_corner():
    room = Line((0.25, 0.0), (-1.0, 0.0)), Line((0.0, 0.12), (0.0, -1.0))
    from floating_frame import InitialState, Options, Problem, assemble, simulate
    from floating_frame.contact import Contact
    from floating_frame.signorini import Signorini

    body: RigidBody = block()
    contacts = (
        Contact(room[0], edge="right", normal=Signorini(), mu=0.3),
        Contact(room[1], edge="top", normal=Signorini(), mu=0.3),
    )
    problem = Problem(body, 0.4, initial=InitialState((1.0, 0.9), 0.0), contacts=contacts)
    run = simulate(assemble(problem, Options(1e-3, "moreau-theta", tolerance=1e-12)))
    assert run.dissipation_contact.values[-1] > 0.5 * run.energy_kinetic.values[0]
    assert min(gaps(run, wall).min() for wall in room) > -1e-12
    assert abs(run.balance_error.values).max() < 1e-12
    assert np.all(np.diff(run.energy_kinetic.values) < 1e-12)
