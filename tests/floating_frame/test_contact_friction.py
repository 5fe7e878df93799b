"""Friction with memory on penalty contacts: it holds where the sliding type creeps; bristles, balances, purity."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
from ff_examples import plate
from ff_pressed import CREEPS, HOLDS, KINDS, MOST, PRESS, V_S, pressed
from ff_records import record
from single_steps import initial_state, step
from step5 import step5

from floating_frame import Contact, InitialState, Line, Options, Problem, RigidBody, Table, assemble, simulate
from friction import Limited, NormalForce


def root(size):
    """x in units of its range where step5(x, -1, -1, 1, 1) = 0.5, i.e. half the limit, of a range ``size``."""
    return size * scipy.optimize.brentq(lambda x: float(step5(np.array([x]), -1.0, -1.0, 1.0, 1.0)[0]) - 0.5, 0.0, 1.0)


def right(model):
    """The nodes of the right edge."""
    return np.flatnonzero(model.body.X[:, 0] > 0.2 - 1e-9)


def bristles(model, state):
    """The record of the contact, whose internal state the bristles are."""
    return record(model, state, "contact")


def edge(data, model):
    """y of the nodes of the right edge over time, less their place at the start, m."""
    nodes = right(model)
    return data.position.values[:, nodes, 1] - data.X.values[nodes, 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "scheme"),
    [
        ("rigid", "sdirk2"),
        ("rigid", "moreau-theta"),
        ("elastic", "backward-euler"),
    ],
)
def test_pulled_below_the_limit_the_sliding_type_creeps_and_sliding_and_stiction_settles(kind, scheme):
    for law in (CREEPS, HOLDS):
        model = pressed(law, kind, scheme=scheme, t_end=1.8, dt=0.01)
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
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.quick("rigid-sdirk2", "rigid-backward-euler", "rigid-moreau-theta", "elastic-backward-euler")
def test_bristles_are_the_displacement_of_their_points_over_the_wall_also_where_that_moves(kind, scheme):
    drift = 0.002
    model = pressed(HOLDS, kind, wall=(0.0, drift), dt=0.01, scheme=scheme, at="right")
    state = initial_state(model)
    points = model.contacts[0][1]
    chords = 0.0  # points on circles, of whose chords a scheme knows the ends' tangents
    for _ in range(16):
        before = state.frame.angle
        state, _counts = step(model, state, 0.01)
        chords += 0.23 * (state.frame.angle - before) ** 2
    moved = points.at(state.position - model.body.X)[:, 1] - drift * state.time
    chords = chords if kind == "rigid" else 0.0
    assert np.abs(moved).min() > 1e-5 + 1e4 * chords
    np.testing.assert_allclose(bristles(model, state).internal[:, 0], -moved, rtol=0, atol=chords + 1e-13)


@pytest.mark.parametrize("kind", ["rigid", pytest.param("elastic", marks=pytest.mark.slow)])
def test_bristles_of_points_that_leave_the_wall_are_released_and_energy_is_accounted_for(kind):
    model = pressed(HOLDS, kind, press=Table((0.0, 0.2, 0.22, 100.0), (1.0, 1.0, -1.0, -1.0)))
    state = initial_state(model)
    largest = 0.0
    for number in range(60):
        state, _counts = step(model, state, 5e-3)
        largest = max(largest, float(np.abs(bristles(model, state).internal).max()))
        if number == 30:
            assert np.isfinite(bristles(model, state).internal_rate).all()
    assert largest > 1e-4
    assert np.isnan(bristles(model, state).internal_rate).all(), "released"
    np.testing.assert_array_equal(bristles(model, state).internal, 0.0)
    data = simulate(replace(model, problem=replace(model.problem, t_end=0.3)))
    assert float(np.abs(data.balance_error).max()) < 1e-10 * max(1.0, float(data.work_external.max()))


@pytest.mark.parametrize("law", [HOLDS, Limited(HOLDS, 0.5)], ids=["stiction", "limited stiction"])
@pytest.mark.parametrize("kind", ["rigid", pytest.param("elastic", marks=pytest.mark.slow)])
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
