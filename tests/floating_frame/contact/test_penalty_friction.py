"""Friction on penalty contacts: totals, memory that holds where the sliding type creeps, bristles over walls and belts."""

from dataclasses import replace

import numpy as np
import pytest
from contact_examples import DAMPED, HOLDS, MASS, MU, NEAR, WALL, body, pressed
from ff_records import record
from problems import assembled, run
from single_steps import initial_state, step

from floating_frame import Line, Signorini, StepFailure, Table, simulate
from floating_frame.errors import Unsolved, in_pass
from friction import CoefficientSpline, Coulomb, ForceSpline, Foundation, Limited, NormalForce, SlidingStiction, Smooth
from friction.errors import UnilateralError

SLOW = pytest.mark.slow
LAWS = [(Limited(Smooth(1e-6), 0.5), 0.5), (Limited(Smooth(1e-6), 50.0), None)]
LAWS += [(ForceSpline((0.0, 0.05, 10.0), (0.0, 0.7, 0.7)), 0.7)]
LAWS += [(Limited(CoefficientSpline((0.0, 0.05), (0.0, 0.9)), 0.3), 0.3)]


@pytest.mark.parametrize(
    ("kind", "scheme"),
    [(k, s) for k in ("rigid", "elastic") for s in ("sdirk2", "backward-euler", "moreau-theta", "radau")][:-1],
)
@pytest.mark.quick("rigid-backward-euler", "rigid-moreau-theta")
def test_the_largest_force_and_a_spline_of_forces_are_totals_of_the_contact(kind, scheme):
    """A block slides at 0.4 m/s along the wall: M v' = −F, so v = v0 − F t/M."""
    tolerance = 1e-4 if scheme == "radau" else 1e-9
    for law, total in LAWS[:: 2 if scheme == "radau" else 1]:
        data = simulate(pressed(law, kind, pull=0.0, start=0.4, t_end=0.05, dt=2.5e-3, scheme=scheme))
        push, drag = -data.contact_force.values[1:].T
        assert np.abs(data.frame_angle.values).max() > 1e-5  # friction's moment presses one end more
        share = slice(None) if total is None else MU * 0.9 * push > total  # an elastic block comes to the wall in jolts
        assert push[share].size > 12
        np.testing.assert_allclose(drag[share], MU * push[share] if total is None else total, rtol=0, atol=tolerance)
        if kind == "rigid" and total is not None:
            expected = 0.4 - total * data.time.values[1:] / MASS
            np.testing.assert_allclose(data.frame_velocity.values[1:, 1], expected, rtol=1e-6)
        assert float(np.abs(data.balance_error).max()) < 1e-7 * float(data.energy_kinetic[0])


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
@pytest.mark.parametrize("kind", ["rigid", "elastic"])
@pytest.mark.quick("rigid-sdirk2", "rigid-backward-euler", "rigid-moreau-theta", "elastic-backward-euler")
def test_bristles_are_the_displacement_of_their_points_over_the_wall_also_where_that_moves(kind, scheme):
    drift = 0.002
    model = pressed(HOLDS, kind, wall=(0.0, drift), dt=0.01, scheme=scheme, at="right")
    state, points, chords = initial_state(model), model.contacts[0][1], 0.0
    for _ in range(16):
        before = state.frame.angle
        state, _counts = step(model, state, 0.01)
        # points on circles, of whose chords a scheme knows the ends' tangents
        chords += 0.23 * (state.frame.angle - before) ** 2 * (kind == "rigid")
    moved = points.at(state.position - model.body.X)[:, 1] - drift * state.time
    assert np.abs(moved).min() > 1e-5 + 1e4 * chords
    np.testing.assert_allclose(record(model, state, "contact").internal[:, 0], -moved, rtol=0, atol=chords + 1e-13)


@pytest.mark.parametrize("kind", ["rigid", pytest.param("elastic", marks=SLOW)])
def test_bristles_of_points_that_leave_the_wall_are_released_and_energy_is_accounted_for(kind):
    model = pressed(HOLDS, kind, press=Table((0.0, 0.2, 0.22, 100.0), (1.0, 1.0, -1.0, -1.0)))
    state, largest = initial_state(model), 0.0
    for number in range(60):
        state, _counts = step(model, state, 5e-3)
        bristles = record(model, state, "contact")
        largest = max(largest, float(np.abs(bristles.internal).max()))
        if kind == "elastic":  # a rigid body's compiled step keeps no rates
            assert number != 30 or np.isfinite(bristles.internal_rate).all()
            assert number != 59 or np.isnan(bristles.internal_rate).all(), "released"
    assert largest > 1e-4
    np.testing.assert_array_equal(bristles.internal, 0.0)
    data = simulate(replace(model, problem=replace(model.problem, t_end=0.3)))
    assert float(np.abs(data.balance_error).max()) < 1e-10 * max(1.0, float(data.work_external.max()))


@pytest.mark.parametrize("law", [HOLDS, Limited(HOLDS, 0.5)], ids=["stiction", "limited stiction"])
@pytest.mark.parametrize("kind", ["rigid", pytest.param("elastic", marks=SLOW)])
def test_an_oblique_impact_with_bristles_closes_its_balance_within_the_limit_of_friction(kind, law):
    wall = {"obstacle": Line((0.205, 0.0), (-1.0, 0.1)), "edge": "right", "normal": NormalForce(1e5, 300.0)}
    on = body(kind == "rigid", 3, 2, E=2e5)
    data = run(on, 0.06, 1e-3, **wall, law=law, mu=0.5, velocity=(0.6, 0.3), spin=1.0)
    n, t = np.array([[-1.0, 0.1], [-0.1, -1.0]]) / np.hypot(1.0, 0.1)
    push, drag = data.contact_force.values @ n, np.abs(data.contact_force.values @ t)
    assert push.max() > 5.0
    assert drag.max() > 0.1
    assert np.all(drag <= 0.5 * push + 1e-9)
    assert law is HOLDS or drag.max() == pytest.approx(0.5, rel=1e-9)
    energy = float(data.energy_kinetic[0])
    assert float(np.abs(data.balance_error).max()) < 1e-9 * energy
    assert float(data.dissipation_contact[-1]) > 1e-2 * energy


BRISTLES = SlidingStiction(v_s=0.05, v_d=0.08, dynamic_ratio=0.8, max_stiction_deformation=2e-3)
EXACT, JUMP = Signorini(0.4), NormalForce(1e5, 300.0)


def model(normal, scheme="sdirk2", *, rigid=True, belt=(0.0, 0.0), dt=1e-3, touching=False, **options):
    """A plate on bristles runs obliquely into a rough wall, turning; or rests there, ``touching`` it."""
    start = {} if touching else {"velocity": (1.0, 0.3), "spin": 1.0}
    return assembled(
        body(rigid, 2, 1, E=2e5), 0.04, dt, scheme, **start, **options, normal=normal, edge="right", mu=0.3,
        obstacle=NEAR if touching else WALL, law=Coulomb() if normal is EXACT else Smooth(1e-3),
        foundation=Foundation(BRISTLES, 0.3, 98.1, ground_velocity=belt),
    )  # fmt: skip


def checked(run, most=1e-10):
    """It has hit, bent its bristles to their limit, lost energy on the wall, and every joule is accounted for."""
    start = float(run.energy_kinetic[0])
    assert float(run.frame_velocity[-1, 0]) < 0.6, "friction beneath alone would leave 0.9"
    assert 1e-3 < float(np.abs(run.bristle_deformation).max()) <= 2e-3 * (1.0 + 1e-5)
    assert float(run.dissipation_contact[-1]) > 0.01 * start
    assert float(run.dissipation_friction[-1]) > 0.0
    assert float(np.abs(run.balance_error).max()) < most * start
    return run


@pytest.mark.parametrize("rigid", [True, pytest.param(False, marks=SLOW)], ids=["rigid", "elastic"])
def test_energy_is_accounted_for_to_solver_tolerance_on_bristles_against_a_wall(rigid):
    for scheme in ("sdirk2", "moreau-theta", "backward-euler"):
        checked(simulate(model(DAMPED, scheme, rigid=rigid)))
    checked(simulate(model(EXACT, "moreau-theta", rigid=rigid)))


BELT, GROUND = (0.3, 0.1), (0.0, 0.0)
OVER = [
    (DAMPED, "sdirk2", BELT),
    (EXACT, "moreau-theta", GROUND),
    (JUMP, "sdirk2", BELT),
    (EXACT, "moreau-theta", BELT),
]


@pytest.mark.parametrize(("normal", "scheme", "belt"), [*(pytest.param(*one, marks=SLOW) for one in OVER[:3]), OVER[3]])
def test_error_controlled_steps_go_through_an_impact_on_bristles_over_a_belt(normal, scheme, belt):
    run = checked(simulate(model(normal, scheme, belt=belt, error_tolerance=1e-2, output_every=20)))
    fine = simulate(model(normal, scheme, belt=belt, dt=2e-4, output_every=200))
    for name, unit in (("frame_position", 0.22), ("frame_velocity", 0.22 / 0.04 + 1.0)):
        assert np.abs(run[name].values[-1] - fine[name].values[-1]).max() < 1e-2 * unit
    assert int(run.steps.sum()) < 200
    assert int(run.rejected_steps.sum()) < 20
    assert (float(np.abs(run.work_external).max()) > 1e-3) == (belt != (0.0, 0.0))


@pytest.mark.parametrize(("normal", "scheme"), [(DAMPED, "sdirk2"), (EXACT, "moreau-theta")], ids=["penalty", "exact"])
@pytest.mark.quick("exact")
def test_a_halved_step_with_contacts_and_memory_is_two_steps_of_half_the_length(normal, scheme):
    long = model(normal, scheme)
    sound = long.integrator.step

    def fails_if_long(model, state, dt, end=None):
        if dt > 0.7e-3:
            raise Unsolved("made to fail")
        return sound(model, state, dt, end)

    fine = checked(simulate(model(normal, scheme, dt=0.5e-3, output_every=2)))
    failing = long.integrator._replace(step=fails_if_long, compiled=None)
    halved = simulate(replace(long, integrator_of=lambda model: failing))
    assert np.all(halved.halvings.values[1:] == 1)
    assert np.all(halved.steps.values[1:] == 2) if normal is not EXACT else np.all(halved.steps.values[1:] >= 2)
    # Times of halves differ in the last bit, and a bound on a velocity is a gap over the step: an exact impact amplifies rounding.
    rounding = 1e-6 if normal is EXACT else 1e-9
    for name in ("position", "velocity", "bristle_deformation", "dissipation_contact", "friction_work"):
        np.testing.assert_allclose(halved[name].values, fine[name].values, rtol=0, atol=rounding, err_msg=name)


@SLOW
def test_the_runge_kutta_method_finds_the_same_impact_under_friction_with_and_without_memory():
    """Each of its own steps errs by the tolerance at most; where kinks fall in them is a matter of rounding."""
    given, wall = {"belt": (0.5, 0.1)}, NormalForce(1e5, 1e4, m3=1.0)
    run = checked(simulate(model(wall, "radau", **given, dt=1e-2, tolerance=1e-6)), 1e-3)
    assert float(np.abs(run.balance_error).max()) < 1e-6 * float(run.steps.sum() * run.energy_kinetic[0])
    fine = simulate(model(wall, "sdirk2", **given, dt=2e-4, output_every=200))
    np.testing.assert_allclose(run.frame_velocity[-1], fine.frame_velocity[-1], atol=2e-3)
    np.testing.assert_allclose(run.frame_position[-1], fine.frame_position[-1], atol=2e-5)
    assert float(run.dissipation_contact[-1]) == pytest.approx(float(fine.dissipation_contact[-1]), rel=2e-3)


@pytest.mark.parametrize("rigid", [True, False], ids=["rigid", "elastic"])
def test_a_failed_contact_names_the_time_the_pass_the_residual_and_what_to_try(rigid, monkeypatch):
    where = "system.rigid.exact_contact.RigidContact" if rigid else "system.elastic.exact_contact.ExactContactGround"

    def never(*arguments, **more):
        raise UnilateralError("out of iterations", 1.5e-3, 1e-9)

    monkeypatch.setattr(f"floating_frame.{where}.solve", never)
    with pytest.raises(StepFailure) as caught:
        simulate(model(EXACT, "moreau-theta", rigid=rigid, touching=rigid, max_halvings=0))
    assert str(caught.value) == (
        "the step at t = 0 s could not be solved: UnilateralError: unilateral contact not solved (out of iterations): "
        "residual 1.500e-03 N, tolerance 1.000e-09 N; take a smaller step, in pass 1 of the stage ending at t = 0.001 s "
        "(step 0.001 s); try: a smaller dt, steps chosen by their error (error_tolerance), "
        "or more halvings (max_halvings, from Python)"
    )


def test_a_stage_that_does_not_settle_says_after_how_many_passes_and_by_how_much(monkeypatch):
    monkeypatch.setattr("floating_frame.system.rigid.plan.ANGLE_SETTLED", -1.0)
    words = r"did not settle in 60 passes \(still .* rad; contact force still by .* of the"
    with pytest.raises(StepFailure, match=words):
        simulate(model(DAMPED, max_halvings=0))
    with pytest.raises(Unsolved) as caught, in_pass(3, 0.5):
        raise Unsolved("made to fail")
    assert caught.value.__notes__ == ["in pass 3 of the stage ending at t = 0.5 s"]
