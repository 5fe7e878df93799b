"""Rigid bodies thrown at a wall with exact contact: the closed forms of planar rigid impact with Coulomb friction."""

import numpy as np
import pytest
from contact_examples import BLOCK, INERTIA, MASS, SCHEMES, corner, gaps, impulse, point_mass, thrown, touches
from problems import run as run_of

from floating_frame import BodyForce, Contact, Line, RigidMotion, Signorini
from friction import routh_impact

BOTH = pytest.mark.parametrize("scheme", SCHEMES)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@BOTH
@pytest.mark.quick("backward-euler-0.5", "moreau-theta-0.0", "moreau-theta-1.0")
def test_block_leaves_the_wall_with_exactly_e_of_its_approach_and_never_enters_it(scheme, e):
    run = thrown((1.0, 0.3), e=e, scheme=scheme, t_end=0.1)
    assert 1 <= np.count_nonzero(touches(run)) <= 2, "one step lands, the next one stops what is left"
    np.testing.assert_allclose(run.frame_velocity[-1], [-e, 0.3], rtol=0, atol=1e-12)
    assert abs(run.frame_spin.values).max() < 1e-12
    np.testing.assert_allclose(impulse(run), [-MASS * (1.0 + e), 0.0], rtol=0, atol=1e-12)
    assert -1e-13 < gaps(run).min() < 1.01e-3, "it comes as near as the displacement of one step"
    assert np.isclose(run.dissipation_contact[-1], 0.5 * MASS * (1.0 - e * e), rtol=1e-11, atol=1e-13)
    assert abs(run.dissipation_numerical.values).max() < 1e-13
    assert abs(run.balance_error.values).max() < 1e-13


@pytest.mark.parametrize(
    ("speed", "wall"), [((1.0, 0.5), 0.0), ((1.0, 0.25), 0.0), ((0.0, 0.0), -0.8)], ids=["slides", "sticks", "is hit"]
)
@BOTH
def test_flat_impact_has_the_impulse_that_turns_its_approach_round_and_friction_up_to_mu_times_it(scheme, speed, wall):
    """P_n = (1 + e) M times the approach, P_t what stops the block along the wall or mu P_n. On its whole side it does not turn
    while mu < width/length = 1/2."""
    moving = Line((0.25, 0.0), (-1.0, 0.0), motion=RigidMotion(velocity=(wall, 0.0)))
    run = thrown(speed, e=0.5, mu=0.2, wall=moving, scheme=scheme, t_end=0.1)
    push = 1.5 * MASS * (speed[0] - wall)
    drag = min(MASS * speed[1], 0.2 * push)
    after = np.subtract(speed, np.array([push, drag]) / MASS)
    np.testing.assert_allclose(impulse(run), [-push, -drag], rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.frame_velocity[-1], after, rtol=0, atol=1e-12)
    assert abs(run.frame_spin.values).max() < 1e-11
    assert gaps(run, moving).min() > -1e-13
    work = run.work_external.values[-1]
    assert np.isclose(work, -wall * push, rtol=1e-11), "impulse x velocity of the wall"
    lost = work + 0.5 * MASS * (np.square(speed).sum() - np.square(after).sum())
    assert lost > 0.1 * push
    assert np.isclose(run.dissipation_contact.values[-1], lost, rtol=1e-10)


def at_corner(arm):
    """(G, W): u = G q' of the corner (−v_x, −v_y), so n = −x, and u = W p + u⁻ of impulses p."""
    G = -np.array([[1.0, 0.0, -arm[1]], [0.0, 1.0, arm[0]]])
    return G, (G / [MASS, MASS, INERTIA]) @ G.T


CORNERS = {  # velocity, spin, mu, and at which side of the edge the corner is
    "sliding": ((1.0, -0.6), 0.0, 0.2, -1),
    "sticking": ((1.0, 0.1), 0.0, 0.6, -1),
    "with spin, sliding the other way": ((1.0, 1.9), 1.5, 0.1, -1),
    "without friction": ((1.0, 0.8), 1.0, 0.0, -1),
    "turned around": (
        (1.0, 0.35),
        -4.0,
        0.9,
        1,
    ),  # Kane & Levinson: it slides one way and is turned around by the impact
}
HITS = [(case, e, "newton") for case in list(CORNERS)[:4] for e in (0.0, 0.4)]
HITS += [("turned around", 1.0, law) for law in ("newton", "poisson", "stronge")]


@pytest.mark.parametrize(("case", "e", "law"), HITS)
@BOTH
def test_corner_hit_follows_rouths_process_and_says_what_newtons_law_creates(scheme, case, e, law):
    (velocity, spin, mu, side), body, dt = CORNERS[case], BLOCK, 1e-5
    node, start = corner(body, 1, side), np.array([*velocity, spin])
    maps, compliance = at_corner(body.X[node[0]])
    expected = routh_impact(compliance, maps @ start, mu, e, law)
    near, end = Line((body.X[node[0], 0] + 1e-9, 0.0), (-1.0, 0.0)), {"dt": dt, "t_end": 8 * dt, "scheme": scheme}
    run = thrown(velocity, spin=spin, mu=mu, nodes=node, wall=near, normal=Signorini(e, law), **end)
    computed = np.array([*run.frame_velocity.values[-1], run.frame_spin.values[-1]])
    after = start + (expected.impulse @ maps) / [MASS, MASS, INERTIA]
    assert abs(after[2] - spin) > 0.5
    # With e = 0 it stops turning into the wall at its next steps: by some spin x dt = 1e-4 rad.
    np.testing.assert_allclose(computed, after, rtol=0, atol=1e-6 if e else 3e-4 * abs(after).max())
    turned = 0.125 * (dt * abs(run.frame_spin.values).max()) ** 2 * np.hypot(*body.X[node[0]])
    assert gaps(run, near, node).min() > -turned - 1e-13
    assert abs(run.balance_error.values).max() < 1e-12
    if e == 0.0:
        return
    assert int(run.impacts[-1]) == 1
    effective = -expected.velocity[0] / (maps @ start)[0]
    assert np.isclose(float(run.impact_restitution[-1]), effective, rtol=0, atol=1e-6)
    assert (effective < e - 0.01) == (law != "newton")
    lost = float(run.energy_kinetic[0] - run.energy_kinetic[-1])
    assert np.isclose(float(run.impact_loss[-1]), lost, rtol=0, atol=1e-9)
    assert np.isclose(float(run.impact_energy_created[-1]), max(-lost, 0.0), rtol=0, atol=1e-9)
    assert (-lost > 0.05 * float(run.energy_kinetic[0])) == (law == "newton" and case == "turned around")
    np.testing.assert_allclose(run.impact_impulse.values[-1], impulse(run), rtol=0, atol=1e-12)


@BOTH
def test_instant_of_the_impact_is_located_within_the_step(scheme):
    """After a rebound with e = 1/2 the place is exact at whatever place of a step the body hits, however many steps there are."""
    for dt in (3e-2, 4e-3):
        for phase in (0.05, 0.35, 0.65, 0.95):
            hit = dt * (2 + phase)
            wall = Line((0.2 + hit, 0.0), (-1.0, 0.0))
            run = thrown((1.0, 0.0), e=0.5, wall=wall, dt=dt, t_end=10 * dt, scheme=scheme)
            assert int(run.impacts[-1]) == 1
            time = run.time.values
            exact = np.where(time < hit, time, hit - 0.5 * (time - hit))
            np.testing.assert_allclose(run.frame_position.values[:, 0], exact, rtol=0, atol=1e-11)


def bounce(e, dt, scheme="moreau-theta", **options):
    """A point mass that falls through 0.1 m on a floor: the run, its time of rest, and the sum of its flights."""
    fall, rest = (BodyForce((0.0, -9.81)),), np.sqrt(2.0 * 0.1 / 9.81) * (1.0 + 2.0 * e / (1.0 - e))
    floor = {"obstacle": Line((0.0, -0.1), (0.0, 1.0)), "nodes": [0], "normal": Signorini(e)}
    run = run_of(point_mass(), 1.2 * rest, dt, scheme, loads=fall, **floor, **options)
    return run, run.time.values[np.flatnonzero(np.abs(run.frame_velocity.values[:, 1]) > 1e-9)[-1] + 1], rest


@pytest.mark.parametrize(("e", "dt"), [(0.5, 2e-3), (0.7, 1e-3), (0.8, 4e-3)])
@pytest.mark.quick("0.5-0.002")
def test_bouncing_body_comes_to_rest_after_the_sum_of_its_flights(e, dt):
    """The cut-off leaves out flights of 2 e/(1 - e) times a tenth of a step, and its last instant is known to a step."""
    run, computed, rest = bounce(e, dt)
    assert int(run.impacts[-1]) > 5
    assert abs(computed - rest) < dt * (1.0 + 0.2 * e / (1.0 - e))
    assert abs(run.frame_velocity.values[-1]).max() < 1e-12
    gap = run.position.values[:, 0, 1] + 0.1
    assert gap.min() > -1e-11
    assert abs(gap[-1]) < 1e-11
    assert abs(run.balance_error.values).max() < 1e-12


@pytest.mark.slow
def test_bouncing_is_of_first_order_in_backward_euler_and_within_the_tolerance_under_error_control():
    runs = (bounce(0.5, dt, "backward-euler") for dt in (2e-3, 1e-3))
    late = [abs(computed / rest - 1.0) for _, computed, rest in runs]
    assert 1.5 < late[0] / late[1] < 2.7
    _, computed, rest = bounce(0.6, 5e-3, error_tolerance=1e-3)
    assert abs(computed - rest) < 2.0 * 5e-3


def test_two_walls_stop_a_body_in_their_corner():
    room = {"right": Line((0.25, 0.0), (-1.0, 0.0)), "top": Line((0.0, 0.12), (0.0, -1.0))}
    contacts = tuple(Contact(wall, edge=edge, mu=0.3) for edge, wall in room.items())
    run = run_of(BLOCK, 0.4, 1e-3, "moreau-theta", velocity=(1.0, 0.9), contacts=contacts, tolerance=1e-12)
    assert run.dissipation_contact.values[-1] > 0.5 * run.energy_kinetic.values[0]
    assert min(gaps(run, wall).min() for wall in room.values()) > -1e-12
    assert abs(run.balance_error.values).max() < 1e-12
    assert np.all(np.diff(run.energy_kinetic.values) < 1e-12)
