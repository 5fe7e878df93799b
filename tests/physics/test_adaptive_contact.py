"""Error-controlled steps through impacts: the rebound's error follows the tolerance, steps crowd at the touch and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest

from cases import inclined_plane, wall_impact
from floating_frame import Options, assemble, simulate
from floating_frame.error_norm import bristle_frequency, distance, speed_scale
from floating_frame.rigid_step import initial_rigid_state

T_END = 0.03
RADIUS = float(np.hypot(0.1, 0.05))
SPEED = RADIUS / T_END + 1.0  # R/T + max |v|
SPRING = {}
DAMPER = {"damping": 60.0}
EXACT = {"contact": "signorini", "scheme": "moreau-theta", "restitution": 0.5}
PLACES = (0.0083, 0.01, 0.0113)
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4)


def hit(kind, tolerance, distance=0.01, **values):
    """The rigid plate against the wall, its steps controlled from end to end unless told otherwise: (parameters, run)."""
    given = {"nx": 1, "ny": 1, "t_end": T_END, "dt": 5e-3, "output_every": 6, "error_tolerance": tolerance}
    params = wall_impact.Parameters(**(given | kind | {"distance": distance} | values))
    return params, simulate(assemble(wall_impact.problem(params), wall_impact.options(params)))


def error(kind, tolerance, distance=0.01, **values):
    """Relative error of the rebound: of its speed with a penalty; of its place with exact contact."""
    params, run = hit(kind, tolerance, distance, **values)
    known, after = wall_impact.exact(params), float(run.frame_velocity[-1, 0])
    assert after < -0.3, "it has come back"
    if kind is not EXACT:
        return abs(after + known.restitution) / SPEED, run
    assert after == pytest.approx(-0.5, abs=1e-12)
    place = distance - 0.5 * (T_END - distance)
    return abs(float(run.frame_position[-1, 0]) - place) / RADIUS, run


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "least", "most"), [(SPRING, 0.004, 0.2), (DAMPER, 0.02, 0.3)], ids=str)
def test_the_error_of_a_rebound_is_proportional_to_the_tolerance_over_three_decades(kind, least, most):
    """EVENT_SHARE = 0.1 of the tolerance at first touch, as much at release, and the smooth contact between them."""
    runs = [[error(kind, tolerance, place) for place in PLACES] for tolerance in TOLERANCES]
    worst = np.array([max(found for found, _ in several) for several in runs])
    ratios = worst / TOLERANCES
    assert np.all((ratios > least) & (ratios < most)), ratios
    slope = np.polyfit(np.log(TOLERANCES), np.log(worst), 1)[0]
    assert 0.75 < slope < 1.2, slope
    for _, run in (pair for several in runs for pair in several):
        assert float(run.step_size[-1]) > 1e-8  # not 1e-10 t_end, where the controller gives up
        assert int(run.rejected_steps.sum()) < 20  # decades of steps are crossed in as many tries, not more
        assert float(np.abs(run.balance_error).max()) < 1e-14


@pytest.mark.parametrize("tolerance", [None, 1e-1, 1e-4])
def test_an_exact_impact_of_a_rigid_body_is_located_and_costs_no_steps_under_error_control(tolerance):
    for place in PLACES:
        found, run = error(EXACT, tolerance, place)
        assert int(run.impacts[-1]) == 1
        assert found < 1e-10
        assert int(run.steps.sum()) <= 20


def test_steps_crowd_at_the_touch_and_are_fewer_than_equal_ones_of_the_same_error():
    kind = DAMPER
    found, run = error(kind, 1e-3, distance=0.0104, dt=1e-3, output_every=1)
    size, ends = run.step_size.values[1:], run.time.values[1:]
    assert ends[np.argmin(size)] == pytest.approx(0.011), "the smallest ones at the touch, at 0.0104 s"
    assert size.min() < 0.02 * np.median(size)
    found, sparse = error(kind, 1e-3)
    taken = int(sparse.steps.sum())
    equal, plain = error(kind, None, distance=0.01013, dt=T_END / (8 * taken), output_every=10**6)
    assert int(plain.steps.sum()) == 8 * taken
    assert equal > found


@pytest.mark.slow
def test_an_elastic_plate_with_exact_contact_goes_through_its_impact_under_error_control():
    speeds = {}
    for tolerance in (1e-1, 1e-2):
        _, run = hit(EXACT, tolerance, body="elastic", nx=2, ny=2)
        speeds[tolerance] = float(run.frame_velocity[-1, 0])
        assert float(run.energy_kinetic[-1] + run.energy_strain[-1]) < float(run.energy_kinetic[0])
        assert float(run.step_size[-1]) > 1e-9
    _, fine = hit(EXACT, None, body="elastic", nx=2, ny=2, dt=T_END / 1000, output_every=1000)
    limit = float(fine.frame_velocity[-1, 0])
    assert limit < -0.5
    for tolerance, speed in speeds.items():
        assert abs(speed - limit) < 2.0 * tolerance * SPEED


def incline(tolerance, **values):
    given = {"law": "sliding-stiction", "t_end": 0.5, "dt": 1e-2, "output_every": 50, "nx": 1, "ny": 1}
    params = inclined_plane.Parameters(**(given | {"error_tolerance": tolerance} | values))
    run = simulate(assemble(inclined_plane.problem(params), inclined_plane.options(params)))
    return inclined_plane.summary(params, run), run


@pytest.mark.parametrize(("scheme", "tolerance"), [("sdirk2", 1e-2), ("sdirk2", 1e-3), ("backward-euler", 1e-2)])
def test_a_block_on_bristles_settles_under_error_control_at_the_root_of_its_law(scheme, tolerance):
    found, run = incline(tolerance, scheme=scheme)
    bent = found["bristle_deformation"]
    assert bent["exact"] > 1e-6
    assert bent["value"] == pytest.approx(bent["exact"], rel=tolerance * 1e-3)
    assert found["displacement_end"]["value"] == pytest.approx(bent["exact"], rel=tolerance * 1e-3)
    assert abs(found["velocity_end"]["value"]) < 1e-9
    assert found["balance_error"]["value"] < 1e-12 * float(run.work_external[-1]) + 1e-16


def test_bristles_count_in_the_norm_as_the_velocity_that_their_energy_makes():
    params = inclined_plane.Parameters(law="sliding-stiction", nx=1, ny=1, dt=1e-2, max_stiction_deformation=1e-4)
    model = assemble(inclined_plane.problem(params), replace(inclined_plane.options(params), error_tolerance=1e-2))
    assert isinstance(model.options, Options)
    slope = (
        1.875 * 0.5 * 9.81 * np.cos(np.radians(15.0)) / 1e-4
    )  # k/M: step5 rises by 15/8 of its way where it is steepest
    assert bristle_frequency(model, 0.0) == pytest.approx(np.sqrt(slope), rel=1e-5)
    start = initial_rigid_state(model)
    bent = start.memory.copy()
    bent[0, 0] = 3e-6
    other = replace(start, memory=bent)
    assert distance(model, start, start, start) == 0.0
    assert distance(model, start, start, other) == pytest.approx(
        np.sqrt(slope) * 3e-6 / speed_scale(model, start, start), rel=1e-5
    )
