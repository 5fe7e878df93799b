"""What steps take of a rigid body's free spin is told by what its moment of momentum lets them take, not by all of the energy."""

import numpy as np
import pytest
from single_steps import initial_state, step

from floating_frame import Options, RigidSolid, SpaceInitial, SpaceProblem, assemble, run_warnings, simulate
from floating_frame.system.rows import OneStep
from floating_frame.verdict import limits
from floating_frame.verdict.energy import SpinCheck
from floating_frame.verdict.verdict import rows_of

MOMENTS = (1.0, 2.0, 3.0)


def top(spin, dt, scheme="backward-euler", t_end=4.0):
    body = RigidSolid(mass=1.0, inertia=MOMENTS)
    start = SpaceInitial(velocity=(20.0, 0.0, 0.0), spin_space=spin)
    return assemble(SpaceProblem(body=body, t_end=t_end, gravity=0.0, initial=start), Options(dt=dt, scheme=scheme))


def test_a_wobble_that_steps_damp_is_told_above_a_twentieth_of_what_they_can_take():
    """The loss of 9 % of what there is to lose is 1e-5 of the energy of the thrown body."""
    told = {}
    for dt in (1e-2, 2e-3):
        run = simulate(top((0.3, 0.1, 1.0), dt))
        kinetic, (h,) = run.energy_kinetic.values, run.angular_momentum.values[:1]
        spin = kinetic - 200.0
        lost = (spin[0] - spin[-1]) / (spin[0] - 0.5 * h @ h / MOMENTS[2])
        assert abs(np.diff(run.angular_momentum.values, axis=0)).max() < 1e-12
        told[dt] = lost, {w.name: w.value for w in run_warnings(run)}
    assert told[2e-3][0] < limits.NUMERICAL_ENERGY < 0.08 < told[1e-2][0] < 0.1
    assert told[1e-2][1] == pytest.approx({"spin-energy": told[1e-2][0]}, rel=1e-6)
    assert not told[2e-3][1]


@pytest.mark.parametrize(("dt", "warns"), [(0.08, True), (0.02, False)])
def test_energy_that_turns_a_top_over_too_late_is_told_by_what_lies_before_the_middle_axis(dt, warns):
    """Seven digits of the energy, yet it turns over at another time: T − h²/2J₂ is 2.5e-5 of T."""
    run = simulate(top((0.01, 1.0, 0.0), dt, "sdirk2", t_end=20.0))
    spin = run.energy_kinetic.values - 200.0
    assert abs(spin[-1] / spin[0] - 1.0) < 1e-4
    assert [w.name for w in run_warnings(run)] == ["spin-energy"] * warns


def test_steps_one_by_one_and_many_at_once_are_judged_alike():
    model = top((0.3, 0.1, 1.0), 0.05, t_end=1.0)
    state = initial_state(model)
    check = SpinCheck.of(rows_of(model, state, [OneStep(state, 0.0)]))
    for _ in range(20):
        new, _ = step(model, state, 0.05)
        check, state = check.after(model, rows_of(model, state, [OneStep(new, 0.05)])), new
    (warning,) = run_warnings(simulate(model))
    assert check.worst == pytest.approx(warning.value, rel=1e-6)
    assert check.worst > limits.NUMERICAL_ENERGY
