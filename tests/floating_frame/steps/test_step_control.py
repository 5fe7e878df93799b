"""Step control near contact: steps are reduced by the factor while the body is closer than the buffer, and only then."""

from dataclasses import fields

import numpy as np
import pytest
from ff_examples import plate
from ff_twins import without_batches
from problems import assembled

from floating_frame import InitialState, Model, RigidBody, StepControl, simulate

WALL, SPEED = 1.0, 2.0


class BesideWall(Model):
    """A model whose body has a wall at x = 1 m on its right: it flies through, as nothing is there but the distance."""

    def clearance(self, state):
        return abs(WALL - float(state.position[:, 0].max()))


def flying(control, dt=0.05, t_end=0.9, scheme="sdirk2", **options):
    start = InitialState((SPEED, 0.0))
    model = assembled(RigidBody.from_plate(plate()), t_end, dt, scheme, initial=start, step_control=control, **options)
    return BesideWall(**{f.name: getattr(model, f.name) for f in fields(model)})


def gaps(data):
    return np.abs(WALL - data.position.values[:, :, 0].max(axis=1))


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta", "explicit"])
def test_steps_are_reduced_by_the_factor_within_the_buffer_radius_and_nowhere_else(scheme):
    """And the step that would run into the buffer is taken again in reduced steps."""
    model = flying(StepControl(1.0, 8.0), scheme=scheme)
    assert model.radius == pytest.approx(np.hypot(0.2, 0.1))  # the largest |X|
    data, plain = simulate(model), simulate(flying(None, scheme=scheme))
    within = gaps(data) < model.radius
    near = within[1:] | within[:-1]  # at the start or the end of a stored step
    assert 3 < near.sum() < len(near) - 3
    assert np.allclose(data.step_size.values[1:], np.where(near, 0.05 / 8.0, 0.05), rtol=1e-9)
    assert np.array_equal(data.steps.values[1:], np.where(near, 8, 1))
    # The instants and the free motion stay what they are.
    assert np.array_equal(data.time, plain.time)
    assert np.allclose(data.position, plain.position, rtol=0, atol=1e-13)
    if scheme == "sdirk2":
        (entered,) = np.flatnonzero(~within[:-1] & within[1:])
        assert data.rejected_steps.values[entered + 1] == data.rejected_steps.values.sum() == 1


def test_without_anything_to_touch_the_control_changes_no_bit():
    start = InitialState((1.0, 0.0), 5.0)
    models = (assembled(plate(), 0.02, 2e-3, initial=start, step_control=c) for c in (None, StepControl(100.0, 10.0)))
    one, two = (simulate(without_batches(model)) for model in models)
    assert np.abs(one.displacement.values).max() > 1e-6
    for name in one.variables:
        assert np.array_equal(one[name], two[name]), name


def test_error_controlled_steps_obey_the_limit_near_contact_too():
    model = flying(StepControl(1.0, 8.0), output_every=3, error_tolerance=1e-2)
    run = simulate(model)
    free = simulate(flying(None, output_every=3, error_tolerance=1e-2))
    within = gaps(run) < model.radius
    inside = within[:-1]
    assert inside.any()
    assert np.all(run.step_size.values[1:][inside] <= 0.5 * 3 * 0.05 / 8.0 * (1 + 1e-9))  # halves of the largest step
    assert run.steps.values.sum() > 2 * free.steps.values.sum()
    (entered,) = np.nonzero(~inside & within[1:])  # the interval in which it comes near
    assert len(entered) == 1
    assert run.rejected_steps.values[1:][entered].min() >= 1  # a long step into the buffer is taken again
    assert np.all(run.step_size.values[1:][entered] <= 0.5 * 3 * 0.05 / 8.0 * (1 + 1e-9))
    assert free.rejected_steps.values.sum() == 0
