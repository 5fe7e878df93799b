"""Dead loads and histories: limits at jumps, profiles along edges, body forces in place and time."""

import numpy as np
import pytest
from ff_examples import LENGTH, WIDTH, bent, plate

from floating_frame import (
    BodyForce,
    BodyForceField,
    Constant,
    Cosine,
    EdgeLoad,
    EdgeTraction,
    Function,
    InitialState,
    Options,
    Problem,
    Ramp,
    RigidBody,
    Table,
    assemble,
    simulate,
)
from floating_frame.loads.histories import values_at
from friction import Coulomb, Foundation, Smooth

ELEMENTS = ("P1", "P2", "Q1", "Q2")


@pytest.mark.parametrize(
    ("history", "time", "left", "right"),
    [
        (Table((0.0, 1.0, 1.0, 3.0), (2.0, 4.0, -1.0, 3.0)), 1.0, 4.0, -1.0),
        (Table((0.0, 1.0, 1.0, 3.0), (2.0, 4.0, -1.0, 3.0)), 2.0, 1.0, 1.0),
        (Table((0.0, 1.0, 1.0, 3.0), (2.0, 4.0, -1.0, 3.0)), -1.0, 2.0, 2.0),
        (Table((0.0, 1.0, 1.0, 3.0), (2.0, 4.0, -1.0, 3.0)), 9.0, 3.0, 3.0),
        (Table((1.0, 1.0), (0.0, 5.0)), 1.0, 0.0, 5.0),
        (Ramp(0.0), 0.0, 0.0, 1.0),
        (Ramp(0.5, release=2.0), 2.0, 1.0, 0.0),
        (Function(lambda t: float(t > 1.0), (1.0,)), 1.0, 0.0, 1.0),
        (Constant(), 1.0, 1.0, 1.0),
    ],
)
def test_a_history_has_its_left_and_its_right_limit_at_a_jump(history, time, left, right):
    assert history.value(time) == pytest.approx(left, abs=1e-15)
    assert history.value(time, left=False) == pytest.approx(right, abs=1e-15)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize(
    "history",
    [
        Constant(),
        Ramp(0.0),
        Ramp(0.5, release=2.0),
        Ramp(0.5, release=0.25),
        Cosine(3.0, 0.2),
        Table((0.0, 1.0, 1.0), (2.0, 4.0, -1.0)),
    ],
)
def test_a_history_has_the_same_values_at_many_times_as_at_each_of_them(history, left):
    times = np.array([-1.0, 0.0, 0.1, 0.25, 0.4, 0.5, 0.7, 1.0, 2.0, 2.1])
    each = [history.value(float(t), left=left) for t in times]
    assert max(map(abs, each)) > 0.1
    np.testing.assert_allclose(values_at(history, times, left), each, rtol=1e-15)


def assembled(body, *loads, t_end=1.0):
    return assemble(Problem(body, t_end, None, loads), Options(0.1))


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_uniform_profile_along_an_edge_is_the_uniform_edge_load(element):
    body = plate(element=element)
    profile = EdgeTraction("right", lambda X: np.tile([3.0, -2.0], (len(X), 1)) / WIDTH)
    by_profile, by_total = (
        assembled(body, load).loads.nodal_force(0.0) for load in (profile, EdgeLoad("right", (3.0, -2.0)))
    )
    assert np.abs(by_total).max() > 0.1
    np.testing.assert_allclose(by_profile, by_total, atol=1e-14)


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_profile_along_an_edge_has_the_resultant_and_the_moment_of_its_integral(element):
    body = plate(element=element)
    force = assembled(
        body, EdgeTraction("right", lambda X: np.stack([7.0 * X[:, 1], 1.0 + 0.0 * X[:, 0]], 1))
    ).loads.nodal_force(0.0)
    np.testing.assert_allclose(force.sum(axis=0), [0.0, WIDTH], atol=1e-15)
    moment = np.sum(body.X[:, 0] * force[:, 1] - body.X[:, 1] * force[:, 0])
    # ∫ (x t_y − y t_x) dy over the right edge: W L/2 − 7 W³/12
    np.testing.assert_allclose(moment, WIDTH * LENGTH / 2 - 7.0 * WIDTH**3 / 12, rtol=1e-13)


def test_work_of_a_quadratic_profile_on_nodal_motions_is_that_of_the_interpolated_motion():
    body = plate(element="P2", ny=3)
    force = assembled(
        body, EdgeTraction("top", lambda X: np.stack([X[:, 0] ** 3, 1.0 + X[:, 0] ** 2], 1))
    ).loads.nodal_force(0.0)
    v = np.stack([body.X[:, 0], body.X[:, 0] ** 2], 1)
    a = LENGTH / 2
    # ∫ x³ x + (1 + x²) x² dx from −a to a
    assert np.vdot(force, v) == pytest.approx(4 * a**5 / 5 + 2 * a**3 / 3, rel=1e-13)


def test_a_body_force_field_that_is_constant_is_the_body_force():
    body = plate(element="P2")
    field, plain = BodyForceField(lambda X, t: np.tile([2.0, -1.0], (len(X), 1))), BodyForce((2.0, -1.0))
    found = [assembled(body, load).loads.nodal_force(0.3) for load in (field, plain)]
    np.testing.assert_allclose(*found, atol=1e-15)
    np.testing.assert_allclose(found[0].sum(axis=0), [2.0 * body.mass, -body.mass], rtol=1e-13)


@pytest.mark.parametrize("scheme", ["sdirk2", "explicit"])
def test_a_linear_body_force_field_spins_a_plate_up_without_deforming_it(scheme):
    body = plate()
    spin_up = BodyForceField(lambda X, t: 3.0 * t * np.stack([-X[:, 1], X[:, 0]], 1))
    run = simulate(assemble(Problem(body, 0.2, None, (spin_up,)), Options(1e-3, scheme)))
    # b = ω' J X with ω' = 3 t: ω = 1.5 t², α = t³/2; X instead of r and ω²r deform a little, O(α²)
    assert float(run.frame_spin[-1]) == pytest.approx(1.5 * 0.2**2, rel=2e-4)
    assert float(run.frame_angle[-1]) == pytest.approx(0.5 * 0.2**3, rel=2e-4)
    assert float(abs(run.displacement[-1]).max()) < 2e-4 * LENGTH
    assert float(abs(run.balance_error).max()) < 1e-12


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta", "explicit"])
def test_a_body_force_that_ends_at_a_break_leaves_its_impulse_exactly(scheme):
    body = RigidBody.from_plate(plate())
    pulse = BodyForceField(lambda X, t: np.tile([4.0 * (t < 0.25), 0.0], (len(X), 1)), breaks=(0.25,))
    run = simulate(assemble(Problem(body, 0.4, None, (pulse,)), Options(0.1, scheme)))
    assert float(run.frame_velocity[-1, 0]) == pytest.approx(1.0, rel=1e-13)


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta", "explicit"])
@pytest.mark.parametrize("rigid", [True, False], ids=["rigid", "plate"])
def test_a_pressure_that_is_taken_off_at_a_break_lets_the_body_fly_on(scheme, rigid):
    body = plate(element="Q1")
    decelerated = Foundation(Coulomb(), 0.3, "98.1*(t < 0.25)", breaks=(0.25,))
    body = RigidBody.from_plate(body) if rigid else body
    start = InitialState((2.0, 0.0))
    run = simulate(assemble(Problem(body, 0.4, decelerated, initial=start), Options(0.1 if rigid else 0.01, scheme)))
    speed = 2.0 - 0.3 * 9.81 * 0.25
    assert float(run.frame_velocity[-1, 0]) == pytest.approx(speed, rel=1e-12)
    kinetic = 0.5 * 0.8 * (4.0 - speed**2)
    lost = float(run.dissipation_friction[-1] + run.dissipation_numerical[-1])
    assert lost == pytest.approx(kinetic, rel=1e-9)


def test_loads_refuse_what_they_cannot_use():
    body = plate()
    for load, message in (
        (EdgeTraction("rim", lambda X: X), "edge must be one of"),
        (EdgeTraction("left", lambda X: X[:, 0]), "the traction on edge 'left' must be finite with shape"),
        (BodyForceField(lambda X, t: X[:, 0]), "a body force field must be finite with shape"),
        (BodyForceField(lambda X, t: X / 0.0 if t > 1 else np.full_like(X, np.inf)), "must be finite"),
    ):
        with pytest.raises(ValueError, match=message):
            assembled(body, load)
    with pytest.raises(ValueError, match="no edge 'left' with a course"):
        assembled(RigidBody.disc(0.1, 1.0, 3, 6), EdgeTraction("left", lambda X: X))


def test_a_bent_plate_feels_the_same_dead_traction_as_a_straight_one():
    body = plate()
    load = EdgeTraction("right", lambda X: X + 1.0)
    model = assembled(body, load)
    straight, bowed = (model.loads.total_force(0.0, body.X + u) for u in (0.0 * body.X, bent(body.X)))
    assert np.abs(straight).max() > 0.0
    np.testing.assert_array_equal(straight, bowed)


def test_a_smooth_law_on_a_pressure_in_time_slows_a_rigid_body_by_its_integral():
    body = RigidBody.from_plate(plate())
    ground = Foundation(Smooth(1e-6), 0.3, "98.1*t")
    run = simulate(assemble(Problem(body, 0.5, ground, initial=InitialState((2.0, 0.0))), Options(0.1, "radau")))
    assert float(run.frame_velocity[-1, 0]) == pytest.approx(2.0 - 0.3 * 9.81 * 0.125, rel=1e-9)
