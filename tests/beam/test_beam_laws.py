"""Friction laws other than Coulomb's under beams: true stick and its loss, totals on the body, bristles, error control."""

from dataclasses import replace

import numpy as np
import pytest
from beam_examples import axis, beam
from single_steps import initial_state, step

from floating_frame import BeamProblem, LateralLoad, Options, Problem, Ramp, Table, assemble, simulate
from floating_frame.effect.protocol import Motion
from friction import (
    CoefficientSpline,
    Coulomb,
    ForceSpline,
    Foundation,
    Limited,
    Sliding,
    SlidingStiction,
    Smooth,
    StaticKinetic,
    Stribeck,
)
from friction.factors import same_key

MU, PRESSURE = 0.5, 196.2
TOTAL = MU * PRESSURE * 0.02
"""The weights' sum of a beam of 1 m x 0.02 m, N."""


def model(law, load=20.0, *, support="simply-supported", history=None, t_end=0.1, dt=2e-3, ne=8, **options):
    course = {} if history is None else {"history": history}
    loads = (LateralLoad(load, "uniform", **course),)
    problem = BeamProblem(beam(ne), t_end, Foundation(law, MU, PRESSURE), loads, support)
    return assemble(problem, Options(dt, **{"scheme": "sdirk2", **options}))


def shares(data):
    """|F_i|/w_i, (T, N)."""
    return np.abs(data.friction_force.values[..., 1]) / data.friction_weight.values


@pytest.mark.parametrize("limit", [None, 0.2])
def test_the_bristles_under_a_free_beam_that_sticks_bend_by_what_it_has_moved(limit):
    """dΔ/dt = v below v_s, at every place of the axis; a cut of the force lets them bend just so."""
    law = SlidingStiction(1e-2, 2e-2, 1e-2, 0.8)
    law = law if limit is None else Limited(law, limit)
    body = axis(4)
    load = LateralLoad(0.3, "uniform")
    data = simulate(assemble(Problem(body, 0.01, Foundation(law, MU, PRESSURE), (load,)), Options(1e-3)))
    moved = data.position.values - data.position.values[0]
    bent = data.bristle_deformation.values
    assert bent.shape == moved.shape == (11, 5, 2)
    assert 1e-6 < moved[-1, :, 1].min() < 1e-4
    assert 1e-4 < np.abs(data.velocity.values).max() < 1e-2  # below v_s throughout
    np.testing.assert_allclose(bent, moved, atol=1e-9 * np.abs(moved).max())


@pytest.mark.parametrize(
    "law", [Stribeck(0.3, 1e-3), CoefficientSpline((0.0, 1e-3, 2e-3), (1.0, 0.3, 0.3))], ids=["stribeck", "spline"]
)
def test_friction_of_a_bending_beam_falls_along_the_laws_curve_and_energy_balances(law):
    """Where slip is faster than the fall, |F| = 0.3 w; where it just begins or ends, more; |F| = w m(|v|) on all that slides."""
    data = simulate(model(law, 8.0, support="cantilever", history=Ramp(0.0, 0.03), dt=5e-3))
    share, v = shares(data)[1:, 1:], np.abs(data.velocity.values[1:, 1:, 1])
    slides = v > 0.0
    assert slides.any()
    assert (~slides).any()
    np.testing.assert_allclose(share[slides], law.profile(v[slides]), rtol=1e-6)
    assert share[slides].min() == pytest.approx(0.3, rel=1e-6)
    assert share.max() > 0.5
    assert share.max() <= 1.0 + 1e-9
    assert np.abs(data.balance_error.values).max() < 1e-9 * data.work_external.values.max()


def test_a_factors_key_of_numpy_numbers_differs_from_one_that_holds_it():
    key = (np.float64(2.0), np.float64(3.0))
    assert same_key(key, (2.0, 3.0))
    assert same_key((key, "clamped"), ((2.0, 3.0), "clamped"))
    assert same_key(None, None)
    for other in ((key, "clamped"), (2.0, 4.0), (2.0,), None, "instant"):
        assert not same_key(key, other)
        assert not same_key(other, key)


def test_under_a_regularised_law_no_node_of_a_beam_is_ever_held_at_rest():
    """A law without true stick creeps; Coulomb's, under the same load, holds nodes exactly."""
    for law, rests in ((Coulomb(), True), (Smooth(1e-2), False), (Sliding(1e-2, 2e-2, 0.9), False)):
        data = simulate(model(law, history=Ramp(0.0, 0.05), t_end=0.15))
        v = data.velocity.values[1:, 1:-1, 1]
        reverses = np.any(np.sign(v[1:]) * np.sign(v[:-1]) < 0, axis=0)
        assert np.all(reverses | rests)  # each node turns back, where it might have been held
        assert np.any(v == 0.0) == rests


@pytest.mark.parametrize("law", [Stribeck(0.3, 1e-2), CoefficientSpline((0.0, 1e-2, 2e-2), (1.0, 0.3, 0.3))])
def test_a_beam_that_falling_friction_lets_go_starts_with_the_friction_of_no_speed(law):
    """As long as nothing moves the law is Coulomb's of the static bound: same accelerations and forces at t = 0."""
    first, other = (initial_state(model(each, 6.0, support="free")) for each in (law, Coulomb()))
    assert np.abs(other.acceleration).max() > 1.0  # far more than the speed at which the curve has fallen, as a number
    np.testing.assert_allclose(first.acceleration, other.acceleration, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(first.multiplier, other.multiplier, rtol=1e-9, atol=1e-9 * TOTAL)


def test_a_beam_that_breaks_loose_starts_with_the_kinetic_bound_where_it_moves_and_holds_up_to_the_static_one():
    held = initial_state(model(StaticKinetic(0.4), 0.8 * TOTAL, support="free"))
    assert np.all(held.acceleration[0::2] == 0.0)
    w = model(Coulomb()).system.friction.bound(0.0)
    share = held.multiplier[0::2, 0] / w
    assert 0.4 < share.max() <= 1.0  # (slopes, on which nothing rubs, turn and take a part of the load)
    loose = initial_state(model(StaticKinetic(0.4), 6.0, support="free"))
    moves = loose.acceleration[0::2] != 0.0
    assert moves.sum() > 5
    kinetic = 0.4 * np.sign(loose.acceleration[0::2][moves])
    np.testing.assert_allclose((loose.multiplier[0::2, 0] / w)[moves], kinetic, rtol=1e-9)


def test_a_maximum_force_is_shared_by_nodes_at_rest_and_moving_alike_at_the_first_instant():
    at = model(Limited(Coulomb(), 1.0), 6.0, support="free")
    start = initial_state(at)
    w = at.system.friction.bound(0.0)
    share = np.abs(start.multiplier[0::2, 0]) * w.sum() / w
    assert share.max() == pytest.approx(1.0, rel=1e-9)
    assert share.sum() > 0.9 * len(w)


def test_a_node_thrown_backwards_is_not_held_beyond_the_maximum_force():
    """A beam slides forward under a load of 0.7 Σw backwards, friction cut at 0.5 Σw. It stops early in the step, and slides back,
    as the load is the larger: the mean of friction over the step, its impulse, must be within the cut, not only within Σw."""
    cut, push = 0.5 * TOTAL, 0.7 * TOTAL
    at = model(Limited(Coulomb(), cut), -push, support="free")
    dt, mass = 1e-3, at.beam.mass
    rest = initial_state(at)
    ones = np.zeros_like(rest.velocity)
    ones[0::2] = 1.0
    for share, held in ((0.05, False), (0.1, False), (0.15, False), (0.3, True)):  # of the step, after which it stops
        speed = (cut + push) / mass * share * dt
        none = at.system.ground_rates(np.zeros(2))[1]
        motion = Motion((0.0 * ones, none), (speed * ones, none), (-(cut + push) / mass * ones, none))
        friction = rest.friction._replace(slip=np.column_stack([speed * ones, np.zeros_like(ones)]))
        start = replace(rest, motion=motion, in_space=at.system.in_space(rest.time, motion), friction=friction)
        end, _ = step(at, start, dt)
        mean = float(ones @ (at.mass @ (end.velocity - start.velocity))) / dt + push  # load and friction: −push − mean
        assert 0.4 * cut < mean <= cut * (1.0 + 1e-6), share
        assert np.all(end.velocity[0::2] == 0.0) if held else end.velocity[0::2].mean() < -3e-4, share


@pytest.mark.parametrize("law", [Limited(Coulomb(), 1.0), ForceSpline((0.0, 10.0), (1.0, 1.0))], ids=["cut", "spline"])
@pytest.mark.parametrize("support", ["simply-supported", "cantilever"])
def test_supports_carry_their_share_of_a_total_force_on_the_body(law, support):
    """Each node that slides has 1 N w_i/Σw, whether or not its neighbours may move: 1 N in all if the whole beam slid."""
    at = model(law, 20.0, support=support, history=Ramp(0.0, 0.05))
    data = simulate(at)
    w = data.friction_weight.values
    share = shares(data) * w.sum()
    slides = data.velocity.values[1:, :, 1] != 0.0
    assert slides.mean() > 0.5
    np.testing.assert_allclose(share[1:][slides], 1.0, rtol=1e-9)
    assert share.max() <= 1.0 + 1e-9
    free = float(w[at.free[at.free % 2 == 0] // 2].sum())
    assert free < 0.96 * w.sum()
    most = np.abs(data.friction_force.values[..., 1]).sum(axis=1).max()
    assert most == pytest.approx(free / w.sum(), rel=1e-9)


def test_a_cut_of_quasi_static_friction_is_a_smaller_coefficient():
    """Coulomb(cap) with μ is Coulomb with cap μ: in increments, and at the limit load."""
    ends = []
    for law, mu in ((Coulomb(cap=0.5), MU), (Coulomb(), 0.5 * MU), (Coulomb(), MU)):
        loads = (LateralLoad(0.15, "left-end", Table([0.0, 1.0], [0.0, 1.0])),)
        problem = BeamProblem(beam(16), 1.0, Foundation(law, mu, PRESSURE), loads)
        data = simulate(assemble(problem, Options(0.1, "quasi-static")))
        ends.append(float(data.displacement.values[-1, 0, 1]))
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)
    assert ends[0] > 1.5 * ends[2] > 0.0


@pytest.mark.parametrize(
    ("motion", "support"),
    [("fixed", "simply-supported"), ("fixed", "cantilever"), ("translation", "free"), ("free", "")],
)
@pytest.mark.quick("fixed-simply-supported", "translation-free")
def test_error_control_of_forces_in_the_mean_over_a_step_keeps_its_tolerance_in_every_motion(motion, support):
    """The load passes friction's bound within a step, where a mean force may still be held: the start that is missed is sought
    on the unknowns of the system, whatever they are."""
    loads, ground = (LateralLoad(40.0, "uniform", Ramp(0.0, 0.02)),), Foundation(Coulomb(), MU, PRESSURE)
    kind = (Problem, axis(4)) if motion == "free" else (BeamProblem, beam(4), support, motion)
    problem = kind[0](kind[1], 0.06, ground, loads, *kind[2:])
    given, tolerance = {"scheme": "moreau-theta", "dt": 1e-2}, 2e-3
    steps = ({"error_tolerance": tolerance}, {"dt": 3e-4})
    runs = [simulate(assemble(problem, Options(**given | more))) for more in steps]
    ends = [run.position.values[-1] for run in runs]
    half = 0.5 * np.ptp(ends[0][:, 0])
    assert np.abs(ends[1] - runs[1].position.values[0]).max() > 5.0 * tolerance * half
    assert np.abs(ends[0] - ends[1]).max() < tolerance * half
