"""Step control near contact in wall_impact: where steps are reduced, what it does to the impact's error, and refusals."""

import json

import numpy as np
import pytest
from case_models import model_of
from case_runs import stored

from cases import wall_impact
from floating_frame import simulate

RADIUS = float(np.hypot(0.1, 0.05))
DT, BUFFER = 1e-3, 0.05


def hit(**values):
    given = {"nx": 1, "ny": 1, "t_end": 0.05, "dt": DT, "distance": 0.0112}
    given |= {} if values.get("contact") == "signorini" else {"damping": 60.0}
    params, model = model_of(wall_impact, **(given | values))
    run = simulate(model)
    wall, way = wall_impact.obstacle(params), zip(run.position.values, run.time.values, strict=True)
    return params, run, np.array([wall.gap(x, t).gap.min() for x, t in way])


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


@pytest.mark.slow
def test_a_damper_that_acts_at_once_is_met_at_first_touch_and_its_error_falls_with_the_factor():
    """Met at any place of a step it would err by c v dt/m of the speed; steps end where it is met."""
    worst = []
    for factor in (1.0, 8.0):
        errors = []
        for distance in (0.0102, 0.0105, 0.0108):
            control = {"buffer_radius_factor": BUFFER, "max_step_size_factor": factor, "distance": distance}
            params, run, _ = hit(**control)
            errors.append(abs(rebound(params, run) - wall_impact.exact(params).restitution))
        worst.append(max(errors))
    bound = 60.0 / 0.22 * DT
    assert 0.0 < worst[0] < 0.1 * bound
    assert worst[1] < 0.8 * worst[0]


def test_knobs_work_on_the_command_line(command, no_picture, tmp_path):
    knobs = "--buffer_radius_factor 0.05 --max_step_size_factor 8"
    assert (
        command(f"run wall_impact --nx=1 --ny=1 --dt=1e-3 --t_end=0.03 --no-estimate --quiet --out=. {knobs}")[0] == 0
    )
    data = stored(tmp_path)
    assert set(np.unique(data.steps.values[1:])) == {1, 8}
    assert json.loads(data.attrs["options"])["step_control"]["max_step_size_factor"] == 8.0
