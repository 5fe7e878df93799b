"""Impacts of wall_impact on springs: what its summary tells, steps reduced near contact, friction on the obstacle."""

import math
from functools import partial

import numpy as np
import pytest
from case_models import computed, model_of, summarised
from scipy.integrate import solve_ivp

from cases import wall_impact
from cases.references.wall_impact import damped
from floating_frame import simulate
from friction import LAWS

PER_HALF = 24
"""Steps that a half period of contact takes at least: its deepest place is met to 1 - cos(pi/48), its ends to part of a step."""

results = partial(summarised, wall_impact, nx=2, ny=2)


MISSED = {
    "fast": {"vx0": 5.0, "dt": 0.05, "t_end": 0.1},
    "slow": {"vx0": 1.0, "dt": 1e-2},
    "stored seldom": {"vx0": 2.0, "dt": 2e-4, "output_every": 100, "t_end": 0.06},
    "body at rest": {"vx0": 0.0, "wall_vx": -1.0, "dt": 2e-3},
    "moving wall": {"vx0": 3.0, "wall_vx": -1.0, "dt": 0.03, "t_end": 0.06},
    "controlled": {"vx0": 5.0, "dt": 0.02, "t_end": 0.1, "error_tolerance": 1e-3},
    "backward Euler": {"vx0": 5.0, "dt": 0.05, "t_end": 0.1, "scheme": "backward-euler"},
    "radau": {"vx0": 5.0, "dt": 0.05, "t_end": 0.1, "scheme": "radau", "law": "smooth"},
}
MISSED["radau, controlled"] = MISSED["radau"] | {"error_tolerance": 1e-3}


@pytest.mark.parametrize("kind", MISSED)
@pytest.mark.quick("fast", "body at rest", "moving wall", "backward Euler", "radau, controlled")
def test_depth_force_and_duration_are_those_of_the_impact_whatever_is_stored(kind):
    params, run, summary = results(**MISSED[kind])
    exact = wall_impact.exact(params)
    assert summary["restitution"]["value"] > 0.5, "it has hit and come back"
    stored = max(math.hypot(*force) for force in run.contact_force.values)
    assert summary["force_max"]["value"] >= stored
    damped = 0.2 if params.scheme == "backward-euler" else 0.03  # first order: about pi/PER_HALF of the amplitude
    assert summary["penetration_max"]["value"] == pytest.approx(exact.penetration, rel=damped)
    assert summary["force_max"]["value"] == pytest.approx(params.stiffness * exact.penetration, rel=damped)
    assert summary["contact_duration"]["value"] == pytest.approx(exact.duration, rel=2.0 / PER_HALF)


@pytest.mark.parametrize("share", [0.2, 0.9, 1.3, 4.0])
def test_the_closed_form_of_a_damped_impact_is_its_equation_of_motion_until_it_lets_go(share):
    """Below and above the critical damping 2 √(k m)."""
    m, k, v = 0.22, 2e4, 1.5
    c = share * 2.0 * math.sqrt(k * m)
    computed = damped(m, k, c, v)
    lets_go, turns = (lambda t, y: k * y[0] + c * y[1] + (t == 0.0)), (lambda t, y: y[1])
    lets_go.terminal, span = True, (0.0, 0.1)

    def rates(t, y):
        return [y[1], -(k * y[0] + c * y[1]) / m]

    exact = solve_ivp(rates, span, [0.0, v], "DOP853", events=(lets_go, turns), rtol=1e-12, atol=1e-15)
    (end, (depth, _)), (_, rate) = (exact.t_events[0][0], exact.y_events[1][0]), exact.y_events[0][0]
    np.testing.assert_allclose(computed, (end, depth, -rate / v), rtol=1e-8)


def test_what_has_not_been_let_go_has_no_duration_and_what_is_not_touched_neither():
    _, _, within = results(vx0=1.0, dt=1e-3, t_end=0.015)
    assert within["force_max"]["value"] > 0.0
    assert within["contact_duration"]["value"] is None
    _, _, apart = results(vx0=1.0, dt=1e-3, t_end=0.005)
    assert [apart[name]["value"] for name in ("penetration_max", "force_max", "contact_duration")] == [0.0, 0.0, None]


RADIUS = float(np.hypot(0.1, 0.05))
DT, BUFFER = 1e-3, 0.05


def hit(**values):
    given = {"nx": 1, "ny": 1, "t_end": 0.05, "dt": DT, "distance": 0.0112}
    given |= {} if values.get("contact") == "signorini" else {"damping": 60.0}
    params, model = model_of(wall_impact, **(given | values))
    run = simulate(model)
    wall, states = wall_impact.obstacle(params), zip(run.position.values, run.time.values, strict=True)
    return params, run, np.array([wall.gap(x, t).gap.min() for x, t in states])


def rebound(params, run):
    """Speed over that of approach, both as seen from the obstacle."""
    return wall_impact.summary(params, run)["restitution"]["value"]


EXACT = {"contact": "signorini", "scheme": "moreau-theta", "restitution": 0.5}
MOVING = {"vx0": 0.4, "wall_vx": -0.6}
KINDS = {"sdirk2": {}, "exact": EXACT, "moving": MOVING, "moving, exact": EXACT | MOVING}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.quick("exact", "moving, exact")
def test_steps_are_reduced_exactly_while_the_plate_is_closer_than_the_buffer(kind):
    control = {"buffer_radius_factor": BUFFER, "max_step_size_factor": 8.0}
    params, run, gap = hit(**KINDS[kind], **control)
    near = gap < BUFFER * RADIUS
    reduced = near[:-1] | near[1:]  # a step that would run into it is taken again; one that leaves it starts inside
    assert 8 < reduced.sum() < len(reduced) - 5
    assert not reduced[0], "away from the wall first"
    assert not reduced[-1], "and at last"
    steps, size = run.steps.values[1:], run.step_size.values[1:]
    hits = np.diff(run.impacts.values) if "impacts" in run else np.zeros(len(steps), int)
    assert hits.sum() == ("exact" in kind)
    assert np.array_equal(steps, np.where(reduced, 8, 1) + hits), "an exact impact cuts its step in two"
    np.testing.assert_allclose(size[hits == 0], np.where(reduced, DT / 8.0, DT)[hits == 0], rtol=1e-9)
    entries = np.count_nonzero(near[1:] & ~near[:-1])
    assert int(run.rejected_steps.sum()) == entries == 1
    assert rebound(params, run) is not None, "it has hit"
    assert rebound(params, run) == pytest.approx(wall_impact.exact(params).restitution, abs=0.06)


@pytest.mark.parametrize("kind", ["sdirk2", "moving, exact"])
@pytest.mark.quick("sdirk2")
def test_the_impact_is_that_of_a_run_with_all_its_steps_reduced(kind):
    """Flight is exact in steps of any length, so the buffer's steps make the whole of the error."""
    control = {"buffer_radius_factor": BUFFER, "max_step_size_factor": 8.0}
    _, run, _ = hit(**KINDS[kind], **control)
    _, fine, _ = hit(**KINDS[kind], dt=DT / 8.0, output_every=8)
    _, coarse, _ = hit(**KINDS[kind])
    for name in ("frame_position", "frame_velocity"):
        np.testing.assert_allclose(run[name].values, fine[name].values, rtol=0, atol=1e-9)
    apart = np.abs(coarse.frame_position.values - fine.frame_position.values).max()
    assert apart < 1e-9 if "exact" in kind else apart > 1e-5, "an exact impact is located within its step"
    assert int(run.steps.sum()) < 0.8 * int(fine.steps.sum())


SHORT = {"nx": 2, "ny": 2, "dt": 5e-4, "t_end": 0.03, "vy0": 0.4, "v_s": 0.05, "v_d": 0.1}
SPLINE = {"spline_speeds": (0.0, 0.05, 1.0), "spline_values": (0.0, 0.4, 0.4)}
TAKEN = {
    "smooth": {},
    "sliding": {"mu_s_wall": 0.4},
    "sliding-stiction": {"mu_s_wall": 0.4},
    "force-spline": SPLINE,
    "coefficient-spline": {**SPLINE, "mu_wall": 0.0},
}


@pytest.mark.parametrize("law", TAKEN)
@pytest.mark.quick("smooth", "coefficient-spline")
def test_every_law_that_is_a_function_of_slip_and_memory_acts_on_the_obstacle(law):
    _, data = computed(wall_impact, **{"mu_wall": 0.3, "wall_law": law} | SHORT | TAKEN[law])
    push, drag = -data.contact_force.values[:, 0], -data.contact_force.values[:, 1]
    pressed = push > 1e-3
    assert pressed.sum() > 5
    fast = np.abs(data.velocity.values[:, :, 1]).min(axis=1) > 0.1  # beyond v_d and the spline's middle
    expected = {"force-spline": np.full_like(push, 0.4), "coefficient-spline": 0.4 * push}.get(law, 0.3 * push)
    first = pressed & fast
    assert first.any()
    np.testing.assert_allclose(drag[first], expected[first], rtol=1e-3)
    assert float(np.abs(data.balance_error).max()) < 1e-9 * float(data.energy_kinetic[0])


def test_the_largest_force_on_the_obstacle_is_a_total():
    _, data = computed(wall_impact, mu_wall=0.3, max_force_wall=0.2, **SHORT)
    push, drag = -data.contact_force.values[:, 0], -data.contact_force.values[:, 1]
    assert np.all(0.3 * push[(push > 0.0) & (drag < 0.1)] < 0.2)
    assert drag.max() == pytest.approx(0.2, rel=1e-9)


def test_exact_contact_takes_a_static_coefficient_which_a_block_that_slides_never_feels():
    common = SHORT | {"contact": "signorini", "scheme": "moreau-theta", "mu_wall": 0.2, "restitution": 0.5}
    forces = []
    for more in ({}, {"wall_law": "static-kinetic"}, {"wall_law": "static-kinetic", "mu_s_wall": 0.6}):
        _, data = computed(wall_impact, **common | more)
        forces.append(data.contact_force.values)
        assert float(np.abs(data.balance_error).max()) < 1e-12
    assert forces[0][:, 1].min() == pytest.approx(0.2 * forces[0][:, 0].min(), rel=1e-9)
    for other in forces[1:]:
        np.testing.assert_allclose(other, forces[0], rtol=0, atol=1e-9)


def test_every_law_is_either_taken_or_refused():
    refused = {"coulomb", "static-kinetic", "stribeck", "elliptic"}
    assert set(TAKEN) | refused == set(LAWS)
