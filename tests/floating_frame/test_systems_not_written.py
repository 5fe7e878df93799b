"""A step leaves the system of its model as it was: what it sees at its start is in a copy."""

import numpy as np
import pytest
from single_steps import initial_state, step

from cases import block_on_table, plate_sliding, solid_pulled, sphere_on_plane
from floating_frame import assemble

CASES = {
    "rigid": block_on_table,
    "plate": plate_sliding,
    "solid": solid_pulled,
    "ball": sphere_on_plane,
}


@pytest.mark.parametrize("body", CASES)
def test_a_step_writes_nothing_into_its_system(body):
    params = CASES[body].Parameters()
    model = assemble(CASES[body].problem(params), CASES[body].options(params))
    state = initial_state(model)
    before = dict(vars(model.system))
    ahead, _ = step(model, state, model.steps.length)
    assert any(np.any(a != b) for a, b in zip(ahead.motion.configuration, state.motion.configuration, strict=True))
    after = vars(model.system)
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] is not after[name]] == []
    again, _ = step(model, state, model.steps.length)
    assert all(np.array_equal(a, b) for a, b in zip(again.motion.velocity, ahead.motion.velocity, strict=True))
