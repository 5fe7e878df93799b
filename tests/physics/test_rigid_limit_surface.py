"""Friction under a rigid body: stick inside the limit surface, slip outside, against a cone solver and closed forms."""

from dataclasses import dataclass

import numpy as np
import pytest
from conic_rigid import conic_rates, energy, farthest_load, maps_of

import fem
from floating_frame import RigidBody
from floating_frame.errors import RigidFrictionError
from floating_frame.rigid_friction import RigidSlip, solve_rigid_friction
from floating_frame.rigid_step import point_velocity


@dataclass(frozen=True)
class Draw:
    inertia: np.ndarray
    wrench: np.ndarray
    arms: np.ndarray
    weights: np.ndarray
    inside: bool

    @property
    def force(self) -> float:
        return max(self.weights.sum(), np.hypot(*self.wrench[:2]))

    def solve(self, start: RigidSlip | None = None) -> RigidSlip:
        cold = RigidSlip(np.zeros(3), np.zeros_like(self.arms), 0, False)
        start = start or cold
        return solve_rigid_friction(
            self.inertia, self.wrench, self.arms, self.weights, start=start.rates, multiplier=start.multiplier
        )

    def scaled(self, factor: float) -> "Draw":
        return Draw(self.inertia, factor * self.wrench, self.arms, self.weights, self.inside)


def draw(rng, distance: float | None, zero_weights: bool = False) -> Draw:
    """Random size, mass, weights and direction; load factor 1 + distance times the limit, or 0.2 to 3 times it."""
    n = int(rng.integers(4, 30))
    arms = rng.normal(size=(n, 2)) * 10 ** rng.uniform(-2, 1)
    weights = rng.uniform(0.1, 1.0, n) * 10 ** rng.uniform(-2, 3)
    if zero_weights:
        weights[: n // 2] = 0.0
    reach = np.abs(arms).max()
    mass = 10 ** rng.uniform(-2, 2)
    inertia = np.array([mass, mass, mass * reach**2 * rng.uniform(0.1, 1.0)]) * 10 ** rng.uniform(0, 6)
    direction = rng.normal(size=3) * np.array([1.0, 1.0, reach])
    limit = farthest_load(direction, arms, weights)
    factor = rng.uniform(0.2, 3.0) if distance is None else 1.0 + distance
    return Draw(inertia, direction * limit * factor, arms, weights, factor < 1.0)


def optimality(problem: Draw, found: RigidSlip) -> tuple[float, float, float]:
    """Relative residual of equilibrium, excess of |λ| over w, and defect of λ·v = w|v|."""
    maps = maps_of(problem.arms)
    rest = problem.inertia * found.rates - problem.wrench + np.einsum("nak,na->k", maps, found.multiplier)
    reach = np.linalg.norm(problem.arms, axis=1).max()
    velocity = maps @ found.rates
    speed = np.linalg.norm(velocity, axis=1)
    excess = np.linalg.norm(found.multiplier, axis=1) - problem.weights
    defect = np.abs(problem.weights * speed - (velocity * found.multiplier).sum(axis=1))
    size = max(speed.max(), np.finfo(float).tiny)
    return (
        float(np.abs(rest / np.array([1.0, 1.0, reach])).max() / problem.force),
        float(excess.max() / problem.weights.max()),
        float(defect.max() / (problem.force * size)),
    )


@pytest.mark.parametrize("distance", [None, 1e-2, -1e-2, 1e-4, -1e-4, 1e-7, -1e-7])
@pytest.mark.parametrize("zero_weights", [False, True])
def test_a_rigid_body_sticks_inside_the_limit_surface_and_slips_outside_as_a_cone_solver_finds(distance, zero_weights):
    rng = np.random.default_rng([17, int(zero_weights)])
    inside = 0
    for _ in range(16):
        problem = draw(rng, distance, zero_weights)
        found = problem.solve()
        assert (not np.any(found.rates)) == problem.inside  # exact zeros: stick is certified, not approximated
        inside += problem.inside
        rest, excess, defect = optimality(problem, found)
        assert rest < 5e-12
        assert excess < 2e-9
        assert defect < 1e-13
        reference = conic_rates(problem.inertia, problem.wrench, problem.arms, problem.weights)
        scale = problem.force**2 / problem.inertia[0]
        arguments = (problem.inertia, problem.wrench, problem.arms, problem.weights)
        assert energy(found.rates, *arguments) <= energy(reference, *arguments) + 1e-12 * scale
        gap = np.sqrt(problem.inertia @ (found.rates - reference) ** 2 / scale)
        assert gap < 3e-5  # the cone solver's own accuracy is about the root of its 1e-12 in energy
    assert inside == {None: inside, 1e-2: 0, 1e-4: 0, 1e-7: 0}.get(distance, 16)
    assert distance is not None or 2 <= inside <= 14


def test_a_warm_start_finds_what_a_cold_start_finds_in_fewer_iterations():
    rng = np.random.default_rng(23)
    cold_count = warm_count = slid = 0
    for _ in range(60):
        problem = draw(rng, None)
        cold = problem.solve()
        before = problem.scaled(1.0 + 1e-2 * rng.uniform(-1.0, 1.0)).solve()
        warm = problem.solve(before)
        reach = np.linalg.norm(problem.arms, axis=1).max()
        speed = problem.force / problem.inertia[0]
        assert np.abs((warm.rates - cold.rates) * np.array([1.0, 1.0, reach])).max() < 1e-9 * speed
        if np.any(cold.rates):
            slid += 1
            cold_count, warm_count = cold_count + cold.iterations, warm_count + warm.iterations
    assert slid > 20
    assert warm_count < 0.4 * cold_count
    assert warm_count > 0


def test_a_push_through_the_bearing_edge_of_a_point_turns_the_body_about_that_very_point():
    """A heavily loaded point and light ones: the body turns about the heavy one, whose velocity is exactly zero."""
    rng = np.random.default_rng(5)
    turned = 0
    for _ in range(40):
        arms = rng.normal(size=(12, 2))
        weights = np.full(12, 0.05)
        weights[3] = 10.0
        wrench = np.array([*(0.5 * rng.normal(size=2)), 0.0])
        about = wrench[0] * arms[3, 1] - wrench[1] * arms[3, 0]
        wrench[2] = -about + 4.0 * rng.choice([-1.0, 1.0])  # moment about point 3 larger than the light points resist
        problem = Draw(np.array([2.0, 2.0, 1.0]), wrench, arms, weights, False)
        found = problem.solve()
        velocity = point_velocity(found.rates, arms)
        turned += not np.any(velocity[3])
        assert found.rates[2] != 0.0
        rest, excess, defect = optimality(problem, found)
        assert max(rest, excess, defect) < 5e-12
    assert turned == 40


def test_a_body_that_bears_on_coincident_points_turns_about_them_and_they_share_the_force():
    arms = np.array([[0.3, 0.1], [0.3, 0.1], [-0.5, 0.0], [0.0, 0.4]])
    weights = np.array([6.0, 4.0, 0.1, 0.1])
    problem = Draw(np.array([2.0, 2.0, 1.0]), np.array([0.0, 9.0, 3.5]), arms, weights, False)
    found = problem.solve()
    assert abs(found.rates[2]) > 0.1
    assert not np.any(point_velocity(found.rates, arms)[:2])
    np.testing.assert_allclose(found.multiplier[0] / 6.0, found.multiplier[1] / 4.0, rtol=1e-12)
    assert 6.0 < np.linalg.norm(found.multiplier[:2].sum(axis=0)) < 10.0  # more than either could carry alone


@pytest.mark.parametrize("arm", [0.0, 0.7])
def test_one_bearing_point_carries_a_force_through_it_and_no_moment_about_it(arm):
    arms, weights = np.array([[arm, 0.0], [-1.0, 0.0]]), np.array([2.0, 0.0])
    inertia = np.array([1.0, 1.0, 0.5])
    stick = Draw(inertia, np.array([1.0, 1.5, 1.5 * arm]), arms, weights, True).solve()
    assert not np.any(stick.rates)
    np.testing.assert_allclose(stick.multiplier[0], [1.0, 1.5], rtol=1e-14)
    turning = Draw(inertia, np.array([1.0, 1.5, 1.5 * arm + 0.1]), arms, weights, False).solve()
    expected = 0.1 / (0.5 + arm**2)  # a pendulum about the point
    np.testing.assert_allclose(turning.rates, [0.0, -expected * arm, expected], rtol=1e-12, atol=1e-15)


def test_without_weights_the_body_is_free_to_the_last_bit():
    problem = Draw(np.array([3.0, 3.0, 7.0]), np.array([0.1, 0.2, 0.3]), np.eye(2), np.zeros(2), False)
    found = problem.solve()
    np.testing.assert_array_equal(found.rates, problem.wrench / problem.inertia)
    np.testing.assert_array_equal(found.multiplier, 0.0)


def limit_torque(body: RigidBody) -> float:
    """Torque per μp at which pure torsion starts, by bisection on whether the body sticks."""
    low, high = 0.0, 2.0 * body.nodal_area @ np.linalg.norm(body.X, axis=1)
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        problem = Draw(np.ones(3), np.array([0.0, 0.0, middle]), body.X, body.nodal_area, True)
        low, high = (low, middle) if np.any(problem.solve().rates) else (middle, high)
    return low


def test_a_disc_starts_to_spin_at_two_thirds_of_mu_p_area_radius():
    """∫ r dA = 2π R³/3 is a quadratic in r times dr: the disc's points integrate it exactly."""
    radius = 0.7
    torque = limit_torque(RigidBody.disc(radius, 1.0, 3, 12))
    np.testing.assert_allclose(torque, 2.0 / 3.0 * np.pi * radius**2 * radius, rtol=1e-8)


def test_a_square_starts_to_spin_at_its_mean_distance_with_an_error_of_second_order_in_the_mesh():
    exact = (np.sqrt(2.0) + np.log(1.0 + np.sqrt(2.0))) / 6.0  # ∫ r dA over the unit square, about its centre
    errors = []
    for n in (8, 16, 32):
        mesh = fem.rectangle(1.0, 1.0, n, n, cell="quadrilateral")
        plate = fem.Plate.build(
            mesh, thickness=0.1, density=1.0, material=fem.StVenantKirchhoff(1.0, 0.3), element="Q1"
        )
        errors.append(limit_torque(RigidBody.from_plate(plate)) / exact - 1.0)
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all((orders > 1.9) & (orders < 2.1))
    assert 1e-4 < errors[-1] < 1e-3  # nodal weights at the rim: too large, by a trapezoidal rule


@pytest.mark.parametrize("pieces", [10, 40, 160])
def test_a_rod_pushed_across_at_its_end_turns_about_the_point_length_over_root_two_away(pieces):
    """With the pivot a from the pushed end: q (2a − L) is the load and a² = L² − a², so the load is q L (√2 − 1)."""
    length, q = 2.0, 3.0
    x = (np.arange(pieces) + 0.5) / pieces * length - 0.5 * length
    arms, weights = np.stack([x, np.zeros(pieces)], 1), np.full(pieces, q * length / pieces)
    inertia = np.array([1.0, 1.0, length**2 / 12.0])
    unit = np.array([0.0, 1.0, 0.5 * length])
    low, high = 0.0, q * length
    while high - low > 1e-10 * high:
        middle = 0.5 * (low + high)
        stuck = not np.any(Draw(inertia, middle * unit, arms, weights, True).solve().rates)
        low, high = (middle, high) if stuck else (low, middle)
    exact = q * length * (np.sqrt(2.0) - 1.0)
    assert abs(low / exact - 1.0) < 2.0 / pieces**2
    moving = Draw(inertia, (low * (1.0 + 1e-6)) * unit, arms, weights, False).solve()
    centre = -moving.rates[1] / moving.rates[2]
    assert abs((0.5 * length - centre) - length / np.sqrt(2.0)) < length / pieces


def test_loads_that_are_not_finite_are_refused_by_name():
    problem = Draw(np.ones(3), np.array([np.nan, 0.0, 0.0]), np.eye(2), np.ones(2), False)
    with pytest.raises(RigidFrictionError, match="non-finite"):
        problem.solve()
