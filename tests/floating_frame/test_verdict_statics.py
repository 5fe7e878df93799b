"""A load taken in a step that is long against the vibrations finds an equilibrium; a vibration that steps damp is lost."""

import pytest
from solid_examples import law, solid

from floating_frame import (
    Constant,
    Options,
    Ramp,
    SolidForce,
    SolidProblem,
    SpaceClamped,
    assemble,
    modes,
    run_warnings,
    simulate,
)


def model_of(dt, steps, history):
    """Return a cantilever under a load at its end."""
    body = solid("Q1", law("neo-hookean", young=3e6), (0.5, 0.1, 0.12), (5, 1, 1))
    load = SolidForce(force=(0.0, 4.0, 9.0), on="right", history=history)
    problem = SolidProblem(body=body, t_end=dt * steps, gravity=0.0, loads=(load,), frame=SpaceClamped("left"))
    return assemble(problem, Options(dt=dt, scheme="backward-euler"))


@pytest.mark.parametrize(
    ("periods", "steps", "ramp", "told"), [(200.0, 1, True, False), (40.0, 1, False, False), (0.2, 20, False, True)]
)
def test_half_of_a_loads_work_is_lost_in_statics_without_a_word_and_in_damped_vibrations_with_one(
    periods, steps, ramp, told
):
    slowest = 1.0 / float(modes(model_of(1.0, 1, Constant()), 1).frequency[0])
    dt = periods * slowest
    run = simulate(model_of(dt, steps, Ramp(dt) if ramp else Constant()))
    assert float(run.dissipation_numerical[-1]) == pytest.approx(0.5 * float(run.work_external[-1]), rel=0.05)
    named = [warning.name for warning in run_warnings(run)]
    assert named == (["numerical-dissipation"] if told else [])
