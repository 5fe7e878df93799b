"""Every case in the plane takes an error tolerance: its instants stay where they were, steps are counted, the answer stays near."""

import json

import numpy as np
import pytest
from case_models import computed
from case_runs import PLANE, SMALL, run_without_picture, stored

from cases.app.registry import load


def simulated(name, **more):
    case = load(name)
    return computed(case, **SMALL[name] | more)[1]


@pytest.mark.parametrize("name", PLANE)
def test_every_case_can_be_run_with_an_error_tolerance(name):
    equal, controlled = simulated(name), simulated(name, error_tolerance=0.5)
    assert np.array_equal(equal.time, controlled.time)
    assert (controlled.steps[1:] >= 1).all()
    assert controlled.steps.values.sum() > equal.steps.values.sum(), "halves of steps no longer than dt"
    assert (controlled.step_size.values[1:] > 0.0).all()
    size = float(np.abs(equal.X.values).max())
    moved = np.abs(equal.position.values[-1] - equal.position.values[0]).max()
    apart = np.abs(equal.position.values[-1] - controlled.position.values[-1]).max()
    assert apart < 0.1 * size + 0.2 * moved
    assert apart < 0.5 * moved


def test_the_command_line_takes_an_error_tolerance_and_the_results_say_it(tmp_path):
    assert run_without_picture("block_on_table", SMALL["block_on_table"] | {"error_tolerance": 0.5}, tmp_path) == 0
    assert json.loads(stored(tmp_path).attrs["parameters"])["error_tolerance"] == 0.5
