"""Friction on penalty contacts by laws with memory and with totals over the contact: closed forms, balances, purity."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
from ff_examples import plate

from floating_frame import (
    Contact,
    EdgeLoad,
    InitialState,
    Line,
    Options,
    Problem,
    RigidBody,
    RigidMotion,
    Table,
    assemble,
    simulate,
)
from floating_frame.instant import initial_state
from floating_frame.rigid_step import initial_rigid_state, rigid_step
from floating_frame.step import step
from friction import (
    CoefficientSpline,
    Coulomb,
    ForceSpline,
    Foundation,
    Limited,
    NormalForce,
    Sliding,
    SlidingStiction,
    Smooth,
)
from friction.step5 import step5

PRESS, MU, MASS, STIFFNESS = 4.0, 0.5, 0.8, 1e4  # N; of 2 N of friction; kg; N/m per m of the edge of 0.2 m
V_S, MOST = 0.02, 1e-3
CREEPS = Sliding(V_S, 0.03, 0.8)
HOLDS = SlidingStiction(V_S, 0.03, 0.8, max_stiction_deformation=MOST)
PULL = Table((0.0, 0.1, 0.15, 100.0), (0.0, 0.0, 1.0, 1.0))
STEPS = {"rigid": rigid_step, "elastic": step}


def pressed(
    law,
    kind="rigid",
    *,
    pull=1.0,
    wall=(0.0, 0.0),
    t_end=1.0,
    dt=5e-3,
    scheme="sdirk2",
    start=0.0,
    press=None,
    at="left",
):
    """A block whose right edge is pressed against a wall by 4 N, in equilibrium if rigid, and pulled along it by ``pull`` N."""
    body = plate(2, 2, E=2e6, nu=0.0)
    body = RigidBody.from_plate(body) if kind == "rigid" else body
    depth = PRESS / (STIFFNESS * 0.2)
    obstacle = Line((0.2 - depth, 0.0), (-1.0, 0.0), RigidMotion(velocity=wall))
    contact = Contact(obstacle, edge="right", normal=NormalForce(STIFFNESS, 1400.0), law=law, mu=MU)
    loads = (
        EdgeLoad(at, (PRESS, 0.0)) if press is None else EdgeLoad(at, (PRESS, 0.0), press),
        EdgeLoad("right", (0.0, pull), PULL),
    )
    beneath = Foundation(Smooth(1.0), 0.0, 1.0) if scheme == "runge-kutta" else None
    problem = Problem(body, t_end, beneath, loads, initial=InitialState((0.0, start)), contacts=(contact,))
    return assemble(problem, Options(dt, scheme))


def root(size):
    """x in units of its range where step5(x, -1, -1, 1, 1) = 0.5, i.e. half the limit, of a range ``size``."""
    return size * scipy.optimize.brentq(lambda x: float(step5(np.array([x]), -1.0, -1.0, 1.0, 1.0)[0]) - 0.5, 0.0, 1.0)


def right(model):
    """The nodes of the right edge."""
    return np.flatnonzero(model.body.X[:, 0] > 0.2 - 1e-9)


def edge(data, model):
    """y of the nodes of the right edge over time, less their place at the start, m."""
    nodes = right(model)
    return data.position.values[:, nodes, 1] - data.X.values[nodes, 1]


@pytest.mark.parametrize(
    ("kind", "scheme"),
    [
        ("rigid", "sdirk2"),
        ("rigid", "backward-euler"),
        ("rigid", "moreau-theta"),
        pytest.param("elastic", "sdirk2", marks=pytest.mark.slow),
        ("elastic", "backward-euler"),
    ],
)
def test_pulled_below_the_limit_the_sliding_type_creeps_and_sliding_and_stiction_settles(kind, scheme):
    for law in (CREEPS, HOLDS):
        model = pressed(law, kind, scheme=scheme, t_end=2.0, dt=0.01)
        data = simulate(model)
        assert data.contact_force.values[-1] == pytest.approx([-PRESS, -1.0], rel=1e-6)
        speed = data.velocity.values[-1, right(model), 1]
        moved = edge(data, model)[-1]
        if law is CREEPS:
            np.testing.assert_allclose(speed, root(V_S), rtol=1e-6)
            assert moved.min() > 5 * MOST
        else:
            # an elastic edge is pulled evenly where friction takes hold evenly, but for the waist that pressing gives it
            np.testing.assert_allclose(moved, root(MOST), rtol=1e-6 if kind == "rigid" else 3e-3)
            assert np.abs(speed).max() < 1e-7
        assert float(np.abs(data.balance_error).max()) < 1e-10
        assert float(data.dissipation_contact[-1]) > 1e-5
        assert int(data.halvings.sum()) == 0


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
@pytest.mark.parametrize("kind", STEPS)
def test_bristles_are_the_displacement_of_their_points_over_the_wall_also_where_that_moves(kind, scheme):
    drift = 0.002
    model = pressed(HOLDS, kind, wall=(0.0, drift), dt=0.01, scheme=scheme, at="right")
    one, state = STEPS[kind], (initial_rigid_state if kind == "rigid" else initial_state)(model)
    points = model.contacts.parts[0][1]
    chords = 0.0  # points on circles, of whose chords a scheme knows the ends' tangents
    for _ in range(16):
        before = state.motion.angle
        state, _counts = one(model, state, 0.01)
        chords += 0.23 * (state.motion.angle - before) ** 2
    moved = points.at(state.position - model.body.X)[:, 1] - drift * state.time
    chords = chords if kind == "rigid" else 0.0
    assert np.abs(moved).min() > 1e-5 + 1e4 * chords
    np.testing.assert_allclose(state.contact.bristles.deformation, -moved, rtol=0, atol=chords + 1e-13)


@pytest.mark.parametrize("kind", STEPS)
def test_a_step_is_pure_and_writes_the_bristles_only_into_what_it_returns(kind):
    model = pressed(HOLDS, kind)
    one, state = STEPS[kind], (initial_rigid_state if kind == "rigid" else initial_state)(model)
    for _ in range(30):
        state, _counts = one(model, state, 5e-3)
    kept = state.contact.bristles.deformation.copy()
    assert np.abs(kept).min() > 1e-6
    first, _counts = one(model, state, 5e-3)
    for length in (1e-3, 2e-2, 5e-3):
        again, _counts = one(model, state, length)
    np.testing.assert_array_equal(state.contact.bristles.deformation, kept)
    for new, old in zip(again.contact.bristles, first.contact.bristles, strict=True):
        np.testing.assert_array_equal(new, old)
    np.testing.assert_array_equal(first.position, again.position)
    assert np.all(first.contact.bristles.deformation != kept)


@pytest.mark.parametrize("kind", STEPS)
def test_bristles_of_points_that_leave_the_wall_are_released_and_energy_is_accounted_for(kind):
    model = pressed(HOLDS, kind, press=Table((0.0, 0.2, 0.22, 100.0), (1.0, 1.0, -1.0, -1.0)))
    one, state = STEPS[kind], (initial_rigid_state if kind == "rigid" else initial_state)(model)
    largest = 0.0
    for number in range(60):
        state, _counts = one(model, state, 5e-3)
        largest = max(largest, float(np.abs(state.contact.bristles.deformation).max()))
        if number == 30:
            assert state.contact.bristles.touching.all()
    assert largest > 1e-4
    assert not state.contact.bristles.touching.any()
    for field in state.contact.bristles[:3]:
        np.testing.assert_array_equal(field, 0.0)
    data = simulate(replace(model, problem=replace(model.problem, t_end=0.3)))
    assert float(np.abs(data.balance_error).max()) < 1e-10 * max(1.0, float(data.work_external.max()))


@pytest.mark.parametrize("law", [HOLDS, Limited(HOLDS, 0.5)], ids=["stiction", "limited stiction"])
@pytest.mark.parametrize("kind", ["rigid", "elastic"])
def test_an_oblique_impact_with_bristles_closes_its_balance_within_the_limit_of_friction(kind, law):
    on = {} if kind == "rigid" else {"on": plate(3, 2, E=2e5)}
    contact = Contact(Line((0.205, 0.0), (-1.0, 0.1)), edge="right", normal=NormalForce(1e5, 300.0), law=law, mu=0.5)
    model = impact_model(contact, **on)
    data = simulate(model)
    n, t = np.array([-1.0, 0.1]) / np.hypot(1.0, 0.1), np.array([-0.1, -1.0]) / np.hypot(1.0, 0.1)
    push, drag = data.contact_force.values @ n, np.abs(data.contact_force.values @ t)
    assert push.max() > 5.0
    assert drag.max() > 0.1
    assert np.all(drag <= 0.5 * push + 1e-9)
    if law is not HOLDS:
        assert drag.max() == pytest.approx(0.5, rel=1e-9)
    energy = float(data.energy_kinetic[0])
    assert float(np.abs(data.balance_error).max()) < 1e-9 * energy
    assert float(data.dissipation_contact[-1]) > 1e-2 * energy


def impact_model(contact, on=None):
    body = on or RigidBody.from_plate(plate(3, 2))
    start = InitialState((0.6, 0.3), 1.0)
    return assemble(Problem(body, 0.06, initial=start, contacts=(contact,)), Options(1e-3))


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta", "runge-kutta"])
@pytest.mark.parametrize("kind", STEPS)
def test_the_largest_force_and_a_spline_of_forces_are_totals_of_the_contact(kind, scheme):
    """A block slides at 0.4 m/s along the wall: M v' = −F, so v = v0 − F t/M."""
    if scheme == "runge-kutta" and kind == "elastic":
        pytest.skip("runge-kutta takes rigid bodies")
    laws = {
        "cut": (Limited(Smooth(1e-6), 0.5), 0.5),
        "not cut": (Limited(Smooth(1e-6), 50.0), None),
        "spline": (ForceSpline((0.0, 0.05, 10.0), (0.0, 0.7, 0.7)), 0.7),
        "cut spline": (Limited(CoefficientSpline((0.0, 0.05), (0.0, 0.9)), 0.3), 0.3),
    }
    tolerance = 1e-4 if scheme == "runge-kutta" else 1e-9
    for law, total in laws.values():
        model = pressed(law, kind, pull=0.0, start=0.4, t_end=0.05, dt=2.5e-3, scheme=scheme)
        data = simulate(model)
        push, drag = -data.contact_force.values[1:].T
        assert np.abs(data.frame_angle.values).max() > 1e-5  # friction's moment presses one end more
        share = slice(None) if total is None else MU * 0.9 * push > total  # an elastic block comes to the wall in jolts
        assert push[share].size > 12
        np.testing.assert_allclose(drag[share], MU * push[share] if total is None else total, rtol=0, atol=tolerance)
        if kind == "rigid" and total is not None:
            expected = 0.4 - total * data.time.values[1:] / MASS
            np.testing.assert_allclose(data.frame_velocity.values[1:, 1], expected, rtol=1e-6)
        assert float(np.abs(data.balance_error).max()) < 1e-7 * float(data.energy_kinetic[0])


@pytest.mark.parametrize(
    ("law", "scheme", "words"),
    [
        (Coulomb(), "sdirk2", "function of the slip velocity, got Coulomb; choose a regularised law, or exact"),
        (ForceSpline((0.0, 1.0), (1.0, 1.0)), "sdirk2", "function of the slip velocity, got ForceSpline"),
        (HOLDS, "runge-kutta", "memory on a contact takes an implicit scheme with stages, got scheme 'runge-kutta'"),
    ],
)
def test_laws_that_a_penalty_contact_cannot_take_are_refused_in_one_line(law, scheme, words):
    with pytest.raises(ValueError, match=words) as caught:
        pressed(law, scheme=scheme)
    assert "\n" not in str(caught.value)
