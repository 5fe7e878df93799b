"""Penalty contact in space, of rigid bodies and at nodes of solids: depth, restitution, creep, bristles, limits, derivatives."""

import numpy as np
import pytest
from problems import run as run_of
from rows import rows
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from space_examples import BLOCK, G, R, run

import fem
import floating_frame as ff
from floating_frame import Contact, HalfSpace
from floating_frame.effect.penalty import PenaltyContact
from friction import NormalForce, Sliding, SlidingStiction, Smooth, UserForce

BALL = ff.RigidSolid(mass=1.0, inertia=(0.004,) * 3, shape=ff.Ball(R))
HOLDS = SlidingStiction(v_s=2e-2, v_d=6e-2, dynamic_ratio=0.8, max_stiction_deformation=5e-4)
RUBS = [Smooth(v_reg=2e-3), Sliding(v_s=2e-3, v_d=6e-3, dynamic_ratio=0.8)]
SIZES, AREA, WEIGHT = (0.3, 0.2, 0.1), 0.06, 0.006 * 1200.0 * G
LONG = 0.5
"""A step, s, that is long against all periods: of what swings backward Euler leaves less than a thousandth in each."""


def solid(young=1e6, counts=(2, 2, 1), **more):
    return fem.Solid.build(fem.box(*SIZES, *counts), density=1200.0, material=fem.NeoHookean(young, 0.3), **more)


def of_solid(on, t_end, dt=2e-3, scheme="sdirk2", face="bottom", **given):
    data = run_of(on, t_end, dt, scheme, face=face, **given)
    energy = 1e-3 * WEIGHT + float(np.abs(data.energy_kinetic).max() + np.abs(data.energy_strain).max())
    assert np.abs(data.balance_error).max() <= 1e-9 * energy
    assert data.rigid_residual.max() <= 1e-6
    return data


def static(on, into=(0.0, 0.0, 0.0), **given):
    """The solid at rest at last, from a place ``into`` the obstacles, m."""
    return of_solid(on, 4.0 * LONG, LONG, "backward-euler", position=np.add((0.0, 0.0, 0.05), into), **given)


def resultant(data):
    """Sum of the friction forces at the end, (3,) N."""
    return data.friction_force.values[-1].sum(axis=0)


def test_a_ball_at_rest_in_a_groove_has_the_energy_of_both_springs():
    """Each wall of a right angle bears N = m g/√2: N²/(2k) twice."""
    k, walls = 1e5, [HalfSpace((0.0, 0.0, 0.0), (x, 0.0, 1.0)) for x in (-1.0, 1.0)]
    contacts = [Contact(obstacle=wall, normal=NormalForce(k, 600.0)) for wall in walls]
    data = run(BALL, 0.3, 5e-3, "backward-euler", contacts=contacts, position=(0.0, 0.0, np.sqrt(2.0) * R))
    assert data.contact_energy.values[-1] == pytest.approx(2.0 * (0.5 * G**2) / (2.0 * k), rel=1e-8)


@rows("m1, stiffness", [(1.0, 1e7), (1.5, 1e9), (2.2, 1e12)])
def test_a_solid_at_rest_has_sunk_in_by_what_bears_its_weight_over_its_area(m1, stiffness):
    on, deep = solid(1e9), (WEIGHT / (AREA * stiffness)) ** (1.0 / m1)
    data = static(on, (0.0, 0.0, -0.9 * deep), normal=NormalForce(stiffness, m1=m1))
    base, share, depth = on.boundary("bottom"), on.edge_shape("bottom"), -data.position.values[-1, :, 2]
    assert depth @ share == pytest.approx(deep, rel=1e-3)  # a thousandth of it is the base's own curvature
    force = data.normal_force.values[-1]
    np.testing.assert_allclose(force[base], AREA * share[base] * stiffness * depth[base] ** m1, rtol=1e-9)
    assert force.sum() == pytest.approx(WEIGHT, rel=1e-9)
    assert data.contact_energy.values[-1] == pytest.approx(WEIGHT * deep / (m1 + 1.0), rel=2e-3)


@pytest.mark.parametrize(("part", "warns"), [(0.09, False), (0.11, True)])
def test_a_soft_penalty_warns_where_it_lets_a_tenth_of_the_body_in(part, warns):
    """A ball that falls from a height h without damping goes d deep: k d²/2 = m g (h + d); a solid rests on its springs."""
    deepest, height = part * R, 0.02
    normal = NormalForce(2.0 * G * (height + deepest) / deepest**2)
    fallen = run(BALL, 0.12, 2e-3, normal=normal, position=(0.0, 0.0, R + height))
    assert R - fallen.frame_position.values[:, 2].min() == pytest.approx(deepest, rel=0.02)
    rests = static(solid(1e9), (0.0, 0.0, -part * SIZES[2]), normal=NormalForce(WEIGHT / AREA / (part * SIZES[2])))
    assert -rests.position.values[-1, :, 2].min() == pytest.approx(part * SIZES[2], rel=1e-3)
    for data in (fallen, rests):
        assert ("penetration" in [warning.name for warning in ff.run_warnings(data)]) == warns


@rows("law", [NormalForce(2e4, 15.0, m1=1.4, m3=0.5), UserForce(lambda d, rate, t: 2e4 * d * (1.0 + 0.3 * rate))])
def test_a_ball_bounces_off_a_penalty_as_the_equation_of_its_one_degree_of_freedom_says(law):
    speed, left = 1.0, []

    def rate(t, y):
        push = law.force(np.array([-y[0]]), np.array([-y[1]]))[0] if y[0] < 0.0 else 0.0
        return [y[1], push - G]

    exact = solve_ivp(rate, (0.0, 0.1), [0.0, -speed], "DOP853", rtol=1e-9, atol=1e-11, events=lambda t, y: y[0])
    k = int(np.flatnonzero(exact.t_events[0] > 1e-6)[0])
    leaves, up = exact.t_events[0][k], exact.y_events[0][k][1]
    assert 0.3 < up / speed <= 1.0 + 1e-9
    for dt in (4e-4, 2e-4):
        data = run(BALL, leaves + 2e-3, dt, normal=law, position=(0.0, 0.0, R), velocity=(0.0, 0.0, -speed))
        left.append(data.frame_velocity.values[-1, 2] + G * 2e-3)
    # the force has a kink at the surface, where a step may lie anywhere: second order up to a factor
    error = up * (np.pi / leaves * 2e-4) ** 2
    assert left[1] == pytest.approx(up, abs=error)
    assert abs(left[1] - up) < abs(left[0] - up) + 0.1 * error
    assert data.dissipation_contact.values[-1] == pytest.approx(0.5 * (speed**2 - up**2), abs=speed * 4.0 * error)


def incline(angle, law, mu, t_end, dt):
    """A block set on a soft inclined plane, and the direction of steepest descent."""
    n, down = np.array([[np.sin(angle), 0.0, np.cos(angle)], [np.cos(angle), 0.0, -np.sin(angle)]])
    place = {"position": 0.03 * n, "rotation": (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)}
    plane = {"obstacle": HalfSpace((0.0, 0.0, 0.0), n), "normal": NormalForce(1e5, 300.0), "law": law, "mu": mu}
    return run(BLOCK, t_end, dt, "backward-euler", **plane, **place), down


@rows("law", RUBS)
def test_a_block_creeps_down_an_incline_at_the_speed_at_which_the_law_bears_its_weight(law):
    angle, mu = 0.2, 0.35
    share = np.tan(angle) / mu
    creep = brentq(lambda s: law.force(np.array([[s, 0.0]]), np.ones(1))[0, 0] - share, 0.0, 2e-3, xtol=1e-16)
    if isinstance(law, Smooth):
        assert creep == pytest.approx(law.v_reg * share / np.sqrt(1.0 - share**2), rel=1e-9)
    data, down = incline(angle, law, mu, 0.4, 4e-3)
    assert creep > 1e-4
    np.testing.assert_allclose(data.frame_velocity.values[-1], creep * down, atol=1e-7 * creep + 1e-9)
    assert data.friction_work.values[-1].sum() == pytest.approx(mu * share * G * np.cos(angle) * creep * 0.4, rel=0.1)


def dragged(law, mu, share, t_end, **more):
    """A solid set on its springs and pulled by a share of its weight."""
    pull = (ff.EdgeLoad("body", (share * WEIGHT, 0.0, 0.0)),)
    springs = {"normal": NormalForce(1e7, 2e4), "position": (0.0, 0.0, 0.05 - WEIGHT / AREA / 1e7)}
    return of_solid(solid(**more), t_end, 2e-2, "backward-euler", loads=pull, law=law, mu=mu, **springs)


def test_a_pulled_solid_creeps_at_the_speed_at_which_the_law_bears_the_pull():
    law, creep = RUBS[0], 8e-4
    share = 0.35 * law.force(np.array([[creep, 0.0]]), np.ones(1))[0, 0]
    assert 0.2 < share / 0.35 < 0.8
    data = dragged(law, 0.35, share, 0.6, viscosity=1e-2)
    np.testing.assert_allclose(data.frame_velocity.values[-1], [creep, 0.0, 0.0], atol=1e-5 * creep)
    base = data.velocity.values[-1][data.stick.values[-1] >= 0]
    np.testing.assert_allclose(base, [creep, 0.0, 0.0] * np.ones((9, 1)), atol=1e-3 * creep)
    assert resultant(data)[0] == pytest.approx(-share * WEIGHT, rel=1e-6)


def test_bodies_hang_on_their_bristles_where_the_pull_is_less_than_friction_and_come_to_rest():
    """They bend until they bear it; without memory the bodies would creep."""
    (block, down), pulled = incline(0.15, HOLDS, 0.4, 1.0, 1e-2), dragged(HOLDS, 0.4, 0.15, 0.6)
    distance = (block.frame_position.values[-1] - 0.03 * np.array([np.sin(0.15), 0.0, np.cos(0.15)])) @ down
    for data, moved in ((block, distance), (pulled, pulled.frame_position.values[-1, 0])):
        assert 1e-6 < moved < 5e-4
        assert np.abs(data.velocity.values[-1]).max() < 1e-3 * np.sqrt(G * 5e-4)
    assert -resultant(block) @ down == pytest.approx(G * np.sin(0.15), rel=1e-3)
    assert resultant(pulled)[0] == pytest.approx(-0.15 * WEIGHT, rel=1e-3)


def test_bristles_turn_with_a_table_on_which_a_block_stands():
    """They bear the centripetal force, which turns with the table. In axes at rest the block would have to slide by ω z for them to
    follow: 0.6 mm in half a turn."""
    rate, place, end = 2.0 * np.pi, 0.05, 0.5
    law = SlidingStiction(v_s=2e-2, v_d=6e-2, dynamic_ratio=0.8, max_stiction_deformation=1e-3)
    table = {"obstacle": HalfSpace(motion=ff.RigidMotion(spin=(0.0, 0.0, rate))), "normal": NormalForce(1e5, 600.0)}
    start = {"position": (place, 0.0, 0.03), "velocity": (0.0, rate * place, 0.0), "spin": (0.0, 0.0, rate)}
    data = run(BLOCK, end, 5e-3, law=law, mu=1.0, **table, **start)
    x, y = data.frame_position.values[-1, :2]
    assert 1e-5 < np.hypot(x, y) - place < 1e-3  # they have bent
    assert abs(np.arctan2(y, x) % (2.0 * np.pi) - rate * end) * place < 1e-4
    inward = -np.array([x, y, 0.0]) / np.hypot(x, y)
    assert resultant(data) @ inward == pytest.approx(rate**2 * place, rel=0.1)


def test_bristles_of_a_point_that_opens_are_released_at_the_end_of_its_stage_and_bend_no_more():
    effect = PenaltyContact(Contact(normal=NormalForce(1e5, 300.0), law=HOLDS, mu=0.3), None, np.ones(2))
    bent, x, v = np.full((2, 2), 5e-5), np.array([[0.0, 0.0, -1e-4], [1.0, 0.0, 1e-4]]), np.full((2, 3), 1e-2)
    stage = effect.for_stage(0.0, bent, 1e-3)
    record = stage.record(x, v, (stage.at(x, v).force,))
    assert record.force[0][0, 2] > 1.0
    assert not record.force[0][1].any()
    assert np.all(record.internal[0] > bent[0])
    np.testing.assert_array_equal(record.internal[1], 0.0)
    np.testing.assert_array_equal(effect.inherited(bent + 1e-5, [record]), [bent[0] + 1e-5, [0.0, 0.0]])
    rate = effect.rate(0.0, bent, x, v)
    assert np.all(rate[0] > 0.0)
    np.testing.assert_array_equal(rate[1], 0.0)


def test_as_the_penalty_stiffens_a_solid_comes_to_exact_contact_with_order_one():
    """Lifted at one side: which nodes press is found too."""
    on, push = solid(2e6, (4, 1, 1)), (ff.EdgeLoad("left", (0.0, 0.0, 25.0)),)
    exact = static(on, mu=0.0, loads=push)
    lifts = exact.normal_force.values[-1][on.boundary("bottom")] == 0.0
    assert 0 < lifts.sum() < len(lifts) - 3
    errors = []
    for stiffness in (2.5e8, 1e9):
        soft = static(on, (0.0, 0.0, -1e3 / stiffness), normal=NormalForce(stiffness), loads=push)
        errors.append(np.abs(soft.displacement.values[-1] - exact.displacement.values[-1]).max())
    assert errors[0] < 0.05 * np.abs(exact.displacement.values[-1]).max()
    assert np.log(errors[0] / errors[1]) / np.log(4.0) == pytest.approx(1.0, abs=0.05)


def test_as_it_stiffens_a_solid_moves_as_a_rigid_one_on_the_same_springs():
    """Dropped with a spin and a side velocity on a rough penalty; the difference falls as 1/E."""
    start = {"position": (0.0, 0.0, 0.0501), "velocity": (0.4, 0.1, -0.2), "spin": (0.0, 0.0, 2.0)}
    feet, squares = ff.Feet([[0.15 * a, 0.1 * b, -0.05] for a in (-1, 1) for b in (-1, 1)]), np.square(SIZES)
    rigid = ff.RigidSolid(mass=WEIGHT / G, inertia=WEIGHT / G * (squares.sum() - squares) / 12.0, shape=feet)
    given = start | {"law": Smooth(2e-2), "mu": 0.3}
    known = run_of(rigid, 0.02, 1e-3, normal=NormalForce(2.5e4, 50.0), **given)
    assert known.normal_force.max() > 2.0 * WEIGHT / 4.0
    spread, errors = NormalForce(1e5 / AREA, 200.0 / AREA), []
    for young in (1e7, 4e7):
        data = of_solid(solid(young, (1, 1, 1)), 0.02, 1e-3, normal=spread, **given)
        errors.append(np.abs(data.frame_position.values - known.frame_position.values).max())
    assert errors[0] < 1e-2 * np.ptp(known.frame_position.values[:, 2])
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)


@rows("scheme", ["sdirk2", "backward-euler"])
def test_what_a_dropped_solid_loses_is_lost_in_its_damper_and_friction(scheme):
    """It bounces off, spinning: every entry of the ledger is at work, and they close to rounding."""
    rough = {"normal": NormalForce(4e7, 2e4, m1=1.2, m3=0.3), "law": Smooth(1e-2), "mu": 0.3}
    start = {"position": (0.0, 0.0, 0.051), "velocity": (0.5, 0.0, -0.8), "spin": (0.5, 0.3, 3.0)}
    data = of_solid(solid(counts=(2, 1, 1)), 0.04, 1e-3, scheme, **rough, **start)
    assert data.contact_energy.max() > 0.1
    assert data.frame_velocity.values[-1, 2] > 0.1
    assert data.normal_force.values[-1].sum() == 0.0
    assert data.frame_drift.max() < 1e-5  # 1e-4 and more where the frame's own equations lack the contact
    if scheme == "sdirk2":
        assert np.abs(data.dissipation_numerical).max() < 0.01 * data.energy_kinetic[0]
    lost, rubbed = data.dissipation_contact.values[-1], data.friction_work.values[-1].sum()
    assert 0.01 < rubbed < lost
    assert np.all(np.diff(data.dissipation_contact.values) >= -1e-12)
    assert np.all(data.slip_path.values[-1][data.X.values[:, 2] > 0.0] == 0.0)


def test_a_clamped_solid_rests_partly_on_its_clamp_and_partly_on_the_springs():
    data = static(solid(counts=(4, 1, 1)), normal=NormalForce(1e7), frame=ff.SpaceClamped("left"))
    pressed = data.normal_force.values[-1].sum()
    assert 0.1 * WEIGHT < pressed < 0.9 * WEIGHT
    assert data.clamp_reaction.values[-1, 2] + pressed == pytest.approx(WEIGHT, rel=1e-8)


def test_exact_ground_and_a_soft_wall_share_the_nodes_of_a_face():
    wall = Contact(obstacle=HalfSpace((0.15, 0.0, 0.0), (-1.0, 0.0, 0.0)), normal=NormalForce(1e7, 1e4))
    both = {"face": "boundary", "contacts": (Contact(mu=0.1), wall), "loads": (ff.EdgeLoad("body", (20.0, 0.0, 0.0)),)}
    data = static(solid(), (1e-4, 0.0, 0.0), **both)
    force, right = data.contact_force.values[-1], data.X.values[:, 0] > 0.14
    np.testing.assert_allclose(force.sum(axis=0)[[0, 2]], [-20.0, WEIGHT], rtol=1e-7)
    assert force[right, 0].sum() < -20.0 + 0.1 * WEIGHT
    assert data.contact_energy.values[-1] > 1e-6
