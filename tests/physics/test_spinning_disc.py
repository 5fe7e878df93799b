"""A disc that slides and spins, against quadrature in a desingularised time: end, terminal ratio, order, spatial error."""

from functools import lru_cache

import numpy as np
import pytest
from convergence import observed_orders
from single_steps import initial_state, step

from cases.references.spinning_disc import friction_force, friction_torque, stop, terminal_ratio
from floating_frame import InitialState, Options, Problem, RigidBody, assemble, simulate
from friction import Coulomb, Foundation

RADIUS, SPIN, MU, GRAVITY = 0.1, 10.0, 0.5, 9.81
MU_G = MU * GRAVITY
FOUNDATION = Foundation(law=Coulomb(), mu=MU, pressure=GRAVITY / (np.pi * RADIUS**2))


@lru_cache
def reference(ratio: float):
    return stop(RADIUS, MU_G, ratio * RADIUS * SPIN, SPIN)


def throw(body, velocity, spin: float, dt: float, t_end: float, foundation=FOUNDATION):
    initial = InitialState(velocity=velocity, spin=spin)
    return assemble(Problem(body, t_end, foundation, initial=initial), Options(dt))


@lru_cache
def run(ratio: float, steps: float, nr: int, nt: int):
    """A run with about ``steps`` steps until the stop."""
    exact = reference(ratio)
    dt, disc = exact.time / steps, RigidBody.disc(RADIUS, 1.0, nr, nt)
    return simulate(throw(disc, (ratio * RADIUS * SPIN, 0.0), SPIN, dt, exact.time + 3 * dt))


def extrapolated_stop(trajectory) -> tuple[float, int]:
    """Stopping time from a saved run: √(2T) falls almost linearly to zero, so extend its last two values above zero.

    Near the end the direction of motion tends to a fixed point at which the deceleration of √(2T) is stationary: the
    error falls as Δt^2.2 there, but slower while the direction still turns. Also the index of the last sliding instant.
    """
    time, speed = trajectory.time.values, np.sqrt(2.0 * trajectory.energy_kinetic.values)
    last = int(np.flatnonzero(speed > 0.0)[-1])
    slope = (speed[last - 1] - speed[last]) / (time[last] - time[last - 1])
    return time[last] + speed[last] / slope, last


def continued_stop(trajectory, nr: int, nt: int) -> float:
    """Stopping time by continuing a run, from its last sliding instant but one, with steps of a tenth of the time left."""
    time, speed = trajectory.time.values, np.sqrt(2.0 * trajectory.energy_kinetic.values)
    last = extrapolated_stop(trajectory)[1] - 1
    velocity, spin = trajectory.frame_velocity.values[last], trajectory.frame_spin.values[last]
    now, size = time[last], speed[last]
    slope = (speed[last - 1] - size) / (time[last] - time[last - 1])
    body = RigidBody.disc(RADIUS, 1.0, nr, nt)
    while size > 1e-5 * speed[last]:
        dt = 0.1 * size / slope
        model = throw(body, velocity, spin, dt, 10.0 * dt)
        state, _ = step(model, initial_state(model), dt)
        velocity, spin = state.frame.rates[:2], state.frame.spin
        now, smaller = now + dt, np.sqrt(2.0 * state.kinetic_energy)
        slope, size = (size - smaller) / dt, smaller
    return now + size / slope


def test_the_terminal_ratio_of_a_uniform_disc_is_that_of_farkas_et_al(verification):
    claim = "Uniform disc, quadrature of its motion: v/(R ω) at the stop"
    verification(claim, terminal_ratio(), 0.6530, source="Farkas et al. (2003)", tolerance=5e-5)


@pytest.mark.parametrize(("ratio", "bound"), [(0.1, 2e-4), (0.65, 2e-5), (3.0, 2e-5)])
def test_sliding_and_spinning_end_together_when_the_last_two_speeds_extended_say(ratio, bound):
    trajectory, steps, exact = run(ratio, 80, 16, 48), 80, reference(ratio).time
    v, spin = np.linalg.norm(trajectory.frame_velocity.values, axis=1), trajectory.frame_spin.values
    np.testing.assert_array_equal(v == 0.0, spin == 0.0)
    assert v[-1] == 0.0
    computed, last = extrapolated_stop(trajectory)
    assert v[last] < 0.05 * v[0] or ratio < 0.65
    assert spin[last] < 0.05 * SPIN
    assert abs(computed / exact - 1.0) < bound  # a step is 0.0125 of the stopping time
    time = trajectory.time.values
    assert time[last] < computed <= time[last] + 1.5 * exact / steps


@pytest.mark.slow
@pytest.mark.parametrize(("ratio", "steps", "tolerance"), [(0.65, 80, 0.003), (3.0, 320, 0.03)])
def test_the_ratio_of_sliding_to_spinning_tends_to_its_terminal_value_from_above_and_stays_there(
    ratio, steps, tolerance, verification
):
    trajectory = run(ratio, steps, 32, 96)
    last = extrapolated_stop(trajectory)[1]
    ratios = trajectory.frame_velocity.values[: last + 1, 0] / (RADIUS * trajectory.frame_spin.values[: last + 1])
    claim = f"Rigid disc thrown with v/(R ω) = {ratio}: the ratio in its last sliding step"
    how = {"source": "quadrature; Farkas et al. (2003)", "tolerance": tolerance}
    verification(claim, ratios[-1], terminal_ratio(), **how)
    if ratio > 1.0:
        assert np.all(np.diff(ratios) < 0.0)
        assert ratios[0] - ratios[-1] > 2.0


def worst_over_phases(ratio: float, steps: int, nr: int, nt: int) -> np.ndarray:
    """Largest relative error of (distance, angle) over four placements of the stop within a step: an arrest costs up to
    0.04 Δt² a, depending on where in the step it falls, so single runs scatter between nothing and that."""
    exact = reference(ratio)
    errors = []
    for shift in np.arange(4) / 4.0:
        trajectory = run(ratio, steps + shift, nr, nt)
        distance = float(np.linalg.norm(trajectory.frame_position[-1]))
        errors.append([distance / exact.distance - 1.0, float(trajectory.frame_angle[-1]) / exact.angle - 1.0])
    return np.abs(errors).max(axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [0.1, 0.65, 3.0])
def test_distance_and_angle_converge_to_the_quadrature_at_second_order_in_the_step(ratio, verification):
    levels, nr = np.array([1, 2, 4]) * (5 if ratio == 0.1 else 4), 32 if ratio == 3.0 else 40
    # The wrench of nr by 3 nr sample points is off by 1/(3 nr²): a fifth of the finest step's error at most.
    errors = np.array([worst_over_phases(ratio, steps, nr, 3 * nr) for steps in levels])
    claim = f"Rigid disc thrown with v/(R ω) = {ratio}: order of distance and angle in the step"
    verification(claim, observed_orders(errors), 2.0, source="order of SDIRK2", tolerance=0.4)
    scaled = errors * levels[:, None] ** 2
    assert np.all(scaled < 0.25)
    assert np.all(scaled > 0.02)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [0.1, 0.65])
def test_near_the_terminal_ratio_the_stopping_time_has_hardly_any_time_error(ratio, verification):
    """The deceleration of √(2T) is stationary there: what is left at twenty steps is the error of the sample points."""
    claim = f"Rigid disc thrown with v/(R ω) = {ratio}, twenty steps: time of the stop"
    how = {
        "source": "quadrature in desingularised time",
        "least": 1e-12,
        "tolerance": 3e-6,
        "unit": "s",
        "relative": True,
    }
    verification(claim, continued_stop(run(ratio, 20, 32, 96), 32, 96), reference(ratio).time, **how)


def wrench_error(nr: int, nt: int) -> float:
    """Root mean square error of (F, T) of the sample points over ε in [0.2, 0.9] and directions, in units of μmg, μmgR."""
    body = RigidBody.disc(1.0, 1.0, nr, nt)
    errors = []
    for ratio in np.linspace(0.2, 0.9, 29):
        for angle in np.linspace(0.0, 2 * np.pi / nt, 4, endpoint=False):
            along = np.array([np.cos(angle), np.sin(angle)])
            v = ratio * along + np.stack([-body.X[:, 1], body.X[:, 0]], 1)
            pull = body.nodal_area[:, None] / np.pi * v / np.linalg.norm(v, axis=1, keepdims=True)
            moment = (body.X[:, 0] * pull[:, 1] - body.X[:, 1] * pull[:, 0]).sum()
            force = pull.sum(axis=0)
            across = force @ np.array([-along[1], along[0]])
            errors.append([force @ along - friction_force(ratio), across, moment - friction_torque(ratio)])
    return float(np.sqrt(np.mean(np.square(errors), axis=0)).max())


def test_the_spatial_error_of_the_disc_falls_as_one_over_the_number_of_its_sample_points():
    """Where the centre of rotation lies between sample points the unit vectors turn within a cell: error ~ its area."""
    errors = np.array([wrench_error(nr, 3 * nr) for nr in (8, 16, 32)])
    scaled = errors * 3.0 * np.array([8, 16, 32]) ** 2
    assert np.all((scaled > 0.25) & (scaled < 1.5)), scaled
    orders = observed_orders(errors)
    assert np.all((orders > 1.2) & (orders < 2.9)), orders
    assert 1.6 < 0.5 * orders.sum() < 2.4
