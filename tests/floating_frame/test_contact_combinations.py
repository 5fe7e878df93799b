"""Contact together with laws that remember, moving ground, halved and error-controlled steps; what a failure says."""

from dataclasses import replace

import numpy as np
import pytest
from ff_contacts import DAMPED, WALL, body

from floating_frame import Contact, InitialState, Line, Options, Problem, StepFailure, assemble, simulate
from floating_frame.contact.contact import Signorini
from floating_frame.errors import Unsolved, in_pass
from friction import Coulomb, Foundation, NormalForce, SlidingStiction, Smooth
from friction.errors import UnilateralError

# The package shows the function of that name; this is the module.

BRISTLES = SlidingStiction(v_s=0.05, v_d=0.08, dynamic_ratio=0.8, max_stiction_deformation=2e-3)
SOFT, EXACT, JUMP = DAMPED, Signorini(0.4), NormalForce(1e5, 300.0)


def model(normal, scheme="sdirk2", *, rigid=True, belt=(0.0, 0.0), dt=1e-3, t_end=0.04, touching=False, **options):
    """A plate on bristles runs obliquely into a rough wall, turning; or rests there, ``touching`` it."""
    on = body(True, nx=2, ny=1) if rigid else body(False, nx=2, ny=1, E=2e5)
    law = Coulomb() if normal is EXACT else Smooth(1e-3)
    contact = Contact(Line((0.2, 0.0), (-1.0, 0.0)) if touching else WALL, edge="right", normal=normal, law=law, mu=0.3)
    ground = Foundation(BRISTLES, 0.3, 98.1, ground_velocity=belt)
    problem = Problem(
        on, t_end, ground, initial=InitialState() if touching else InitialState((1.0, 0.3), 1.0), contacts=(contact,)
    )
    return assemble(problem, Options(dt, scheme, **options))


def checked(run, most=1e-10):
    """It has hit, bent its bristles to their limit, lost energy on the wall, and every joule is accounted for."""
    start = float(run.energy_kinetic[0])
    assert float(run.frame_velocity[-1, 0]) < 0.6, "friction beneath alone would leave 0.9"
    assert 1e-3 < float(np.abs(run.bristle_deformation).max()) <= 2e-3 * (1.0 + 1e-5)
    assert float(run.dissipation_contact[-1]) > 0.01 * start
    assert float(run.dissipation_friction[-1]) > 0.0
    assert float(np.abs(run.balance_error).max()) < most * start
    return run


@pytest.mark.parametrize(
    ("normal", "scheme"),
    [(SOFT, "sdirk2"), (SOFT, "moreau-theta"), (SOFT, "backward-euler"), (EXACT, "moreau-theta")],
    ids=str,
)
@pytest.mark.parametrize("rigid", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["rigid", "elastic"])
def test_energy_is_accounted_for_to_solver_tolerance_on_bristles_against_a_wall(normal, scheme, rigid):
    checked(simulate(model(normal, scheme, rigid=rigid)))


@pytest.mark.parametrize(
    ("normal", "scheme", "belt"),
    [
        pytest.param(SOFT, "sdirk2", (0.3, 0.1), marks=pytest.mark.slow),
        pytest.param(EXACT, "moreau-theta", (0.0, 0.0), marks=pytest.mark.slow),
        (EXACT, "moreau-theta", (0.3, 0.1)),
        pytest.param(JUMP, "sdirk2", (0.3, 0.1), marks=pytest.mark.slow),
    ],
    ids=["penalty over a belt", "exact", "exact over a belt", "damper that jumps, over a belt"],
)
def test_error_controlled_steps_go_through_an_impact_on_bristles_over_a_belt(normal, scheme, belt):
    run = checked(simulate(model(normal, scheme, belt=belt, error_tolerance=1e-2, output_every=20)))
    fine = simulate(model(normal, scheme, belt=belt, dt=2e-4, output_every=200))
    for name, unit in (("frame_position", 0.22), ("frame_velocity", 0.22 / 0.04 + 1.0)):
        assert np.abs(run[name].values[-1] - fine[name].values[-1]).max() < 1e-2 * unit
    assert int(run.steps.sum()) < 200
    assert int(run.rejected_steps.sum()) < 20
    assert (float(np.abs(run.work_external).max()) > 1e-3) == (belt != (0.0, 0.0))


@pytest.mark.parametrize(("normal", "scheme"), [(SOFT, "sdirk2"), (EXACT, "moreau-theta")], ids=["penalty", "exact"])
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


@pytest.mark.slow
def test_the_runge_kutta_method_on_bristles_over_a_belt_keeps_the_balance_at_its_tolerance_through_an_impact():
    belt = (0.5, 0.1)
    wall = NormalForce(1e5, 1e4, m3=1.0)
    run = simulate(model(wall, "radau", belt=belt, dt=1e-2, tolerance=1e-6))
    # each of its own steps errs by the tolerance at most; where kinks fall in them is a matter of rounding
    checked(run, 1e-6 * float(run.steps.sum()))
    fine = simulate(model(wall, "sdirk2", belt=belt, dt=2e-4, output_every=200))
    np.testing.assert_allclose(run.frame_velocity[-1], fine.frame_velocity[-1], atol=2e-3)
    np.testing.assert_allclose(run.frame_position[-1], fine.frame_position[-1], atol=2e-5)


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
    with pytest.raises(
        StepFailure, match=r"did not settle in 60 passes \(still .* rad; contact force still by .* of the"
    ):
        simulate(model(SOFT, max_halvings=0))
    with pytest.raises(Unsolved) as caught, in_pass(3, 0.5):
        raise Unsolved("made to fail")
    assert caught.value.__notes__ == ["in pass 3 of the stage ending at t = 0.5 s"]
