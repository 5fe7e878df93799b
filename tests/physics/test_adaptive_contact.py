"""Error-controlled steps through impacts: the rebound's error follows the tolerance, steps crowd at the touch and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest
from case_models import computed
from scipy.integrate import solve_ivp
from single_steps import initial_state

from cases import inclined_plane, wall_impact
from floating_frame import assemble
from floating_frame.stepping.trials import StateInstant, contact_conditions, doubled, relative_distance
from friction.status import OPEN, SLIP, STICK

T_END = 0.03
RADIUS = float(np.hypot(0.1, 0.05))
SPRING = {}
DAMPER = {"damping": 60.0}
EXACT = {"contact": "signorini", "scheme": "moreau-theta", "restitution": 0.5}
PLACES = (0.0083, 0.01, 0.0113)
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4)


def hit(kind, tolerance, distance=0.01, **values):
    """The rigid plate against the wall, its steps controlled from end to end unless told otherwise: (parameters, run)."""
    given = {"nx": 1, "ny": 1, "t_end": T_END, "dt": 5e-3, "output_every": 6, "error_tolerance": tolerance}
    return computed(wall_impact, **(given | kind | {"distance": distance} | values))


def place(params):
    """Where the frame is at the end, m: by the exact law of impact, or by the equation of motion of the mass on the wall."""
    if params.contact == "signorini":
        return params.distance - params.restitution * (T_END - params.distance)
    m, k, c = wall_impact.mass(params), params.stiffness, params.damping

    def rates(_, y):
        pressed = y[0] >= 0.0
        return [y[1], -max(k * y[0] + c * y[1], 0.0) / m if pressed else 0.0]

    span, how = (params.distance, T_END), {"rtol": 1e-10, "atol": 1e-13, "max_step": 1e-5}
    return params.distance + solve_ivp(rates, span, [0.0, 1.0], "DOP853", **how).y[0, -1]


def error(kind, tolerance, distance=0.01, **values):
    """Error of the place at the end over the size, and the run."""
    params, run = hit(kind, tolerance, distance, **values)
    after = float(run.frame_velocity[-1, 0])
    assert after < -0.3, "it has come back"
    if kind is EXACT:
        assert after == pytest.approx(-0.5, abs=1e-12)
    return abs(float(run.frame_position[-1, 0]) - place(params)) / RADIUS, run


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SPRING, DAMPER], ids=str)
def test_the_error_of_a_rebound_is_below_the_tolerance_over_three_decades(kind):
    runs = [[error(kind, tolerance, place) for place in PLACES] for tolerance in TOLERANCES]
    worst = np.array([max(computed for computed, _ in several) for several in runs])
    assert np.all(worst < TOLERANCES), worst / TOLERANCES
    assert worst[-1] < 0.1 * worst[0]
    for _, run in (pair for several in runs for pair in several):
        assert float(run.step_size[-1]) > 1e-8  # not 1e-10 t_end, where the controller gives up
        assert (
            int(run.rejected_steps.sum()) < 100
        )  # decades of steps are crossed in as many tries, at touch and release
        assert float(np.abs(run.balance_error).max()) < 1e-12 * float(run.energy_kinetic[0])


@pytest.mark.parametrize("tolerance", [None, 1e-1, 1e-4])
def test_an_exact_impact_of_a_rigid_body_is_located_and_costs_no_steps_under_error_control(tolerance):
    for place in PLACES:
        computed, run = error(EXACT, tolerance, place)
        assert int(run.impacts[-1]) == 1
        assert computed < 1e-10
        assert int(run.steps.sum()) <= 20


@pytest.mark.slow
def test_steps_crowd_at_the_touch_and_are_fewer_than_equal_ones_of_the_same_error():
    kind = DAMPER
    computed, run = error(kind, 1e-3, distance=0.0104, dt=1e-3, output_every=1)
    size, ends = run.step_size.values[1:], run.time.values[1:]
    assert ends[np.argmin(size)] == pytest.approx(0.011), "the smallest ones at the touch, at 0.0104 s"
    assert size.min() < 0.02 * np.median(size)
    computed, sparse = error(kind, 1e-3)
    taken = int(sparse.steps.sum())
    equal, plain = error(kind, None, distance=0.01013, dt=T_END / (8 * taken), output_every=10**6)
    assert int(plain.steps.sum()) == 8 * taken
    assert equal > computed


@pytest.mark.slow
def test_an_elastic_plate_with_exact_contact_goes_through_its_impact_under_error_control():
    ends = {}
    for tolerance in (1e-1, 1e-2):
        _, run = hit(EXACT, tolerance, body="elastic", nx=2, ny=2)
        ends[tolerance] = run.position.values[-1]
        assert float(run.energy_kinetic[-1] + run.energy_strain[-1]) < float(run.energy_kinetic[0])
        assert float(run.step_size[-1]) > 1e-9
    _, fine = hit(EXACT, None, body="elastic", nx=2, ny=2, dt=T_END / 1000, output_every=1000)
    assert float(fine.frame_velocity[-1, 0]) < -0.5
    for tolerance, end in ends.items():
        assert np.abs(end - fine.position.values[-1]).max() < tolerance * RADIUS


@pytest.mark.parametrize("distance", [1.2e-3, 1.6e-3])  # in the second half of a step of 2 ms
@pytest.mark.parametrize("kind", ["a damper", "an exact contact"])
def test_what_one_step_misses_of_an_impact_is_half_the_step_times_the_jump(kind, distance):
    """Of the velocity, by (1 + e) v of an exact contact, or of the acceleration by a damper, at 1 m/s, until the end of the run."""
    elastic = EXACT | {"body": "elastic"}
    given = {"nx": 1, "ny": 1, "t_end": T_END, "dt": 5e-3, "error_tolerance": 1e-2, "distance": distance}
    params = wall_impact.Parameters(**(given | (DAMPER if kind == "a damper" else elastic)))
    model = assemble(wall_impact.problem(params), wall_impact.options(params))
    trial = doubled(model, StateInstant(model, model.integrator.step, initial_state(model)), 2e-3, 1e-2)
    assert trial.event
    if kind == "a damper":
        frame = trial.end.state().frame
        force = params.stiffness * (frame.coordinates[0] - distance) + params.damping * frame.rates[0]
        assert trial.gap == pytest.approx(1e-3 * T_END * force / wall_impact.mass(params) / RADIUS, rel=1e-9)
        assert trial.k == 1.0
    else:
        assert trial.gap == pytest.approx(1e-3 * 1.5 / RADIUS, rel=0.02)  # the plate is elastic


def test_an_exact_contact_is_open_sticks_or_slides_to_one_side_as_its_force_lies_in_the_cone():
    params = wall_impact.Parameters(**EXACT, body="elastic", nx=1, ny=4, mu_wall=0.3, error_tolerance=1e-2)
    model = assemble(wall_impact.problem(params), wall_impact.options(params))
    start = initial_state(model)
    force = np.array([[0.0, 0.0], [2.0, 0.5], [2.0, 0.6], [2.0, -0.6], [2.0, -0.5]])
    pressed = replace(start, records=(*start.records[:-1], start.records[-1]._replace(multiplier=force)))
    assert contact_conditions(model, pressed).tolist() == [OPEN, STICK, SLIP, -SLIP, STICK]
    assert contact_conditions(model, start).tolist() == [OPEN] * 5


def test_the_norm_is_of_places_of_velocities_over_a_step_and_of_bristles():
    params = inclined_plane.Parameters(law="sliding-stiction", nx=1, ny=1, dt=1e-2, max_stiction_deformation=1e-4)
    model = assemble(inclined_plane.problem(params), replace(inclined_plane.options(params), error_tolerance=1e-2))
    start = initial_state(model)
    *others, friction = start.records
    bent, moved, faster = friction.internal.copy(), start.position.copy(), start.velocity.copy()
    bent[0, 0] = 3e-6
    moved[1, 1] += 2e-6
    faster[0, 1] += 5e-4
    first = StateInstant(model, model.integrator.step, start).compared
    assert relative_distance(model, first, first, 0.01) == 0.0
    for other, apart in (
        ({"records": (*others, friction._replace(internal=bent))}, 3e-6),
        ({"in_space": start.in_space._replace(position=moved)}, 2e-6),
        ({"in_space": start.in_space._replace(velocity=faster)}, 5e-6),
    ):
        second = StateInstant(model, model.integrator.step, replace(start, **other)).compared
        computed = relative_distance(model, first, second, 0.01)
        assert computed == pytest.approx(apart / model.radius, rel=1e-9)
