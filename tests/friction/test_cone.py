"""Signorini's and Coulomb's laws at points of a body whose normal forces are unknown."""

import numpy as np
import pytest

from friction.cone import ConeError, kernels, solve_cone
from friction.status import OPEN, SLIP, STICK


def rows_of(points):
    """Velocities (3m,) of points (m, 3) by the six rates of a body: (3m, 6)."""
    return np.vstack([np.hstack([np.eye(3), -np.cross(np.eye(3), point)]) for point in points])


def block(rng, count):
    """Response W (3m, 3m) of a block of 1 kg on ``count`` coplanar points, and H (3m, 6)."""
    depth = -rng.uniform(0.2, 1.5)
    points = np.column_stack([rng.uniform(-1.0, 1.0, (count, 2)), np.full(count, depth)])
    mass = np.diag([1.0, 1.0, 1.0, *rng.uniform(0.2, 1.0, 3)])
    rows = rows_of(points)
    return rows @ np.linalg.solve(mass, rows.T), rows


def assert_laws(solution, response, free, mu, scale):
    """The solution obeys both laws and the equation between forces and velocities."""
    p, u = solution.force, free + (response @ solution.force.ravel()).reshape(-1, 3)
    normal, tangential, slip = p[:, 2], np.hypot(p[:, 0], p[:, 1]), np.hypot(u[:, 0], u[:, 1])
    size = 1e-11 * scale
    assert normal.min() >= 0.0
    assert u[:, 2].min() >= -size
    assert np.abs(normal * u[:, 2]).max() <= size * scale
    assert np.all(tangential <= mu * normal + size)
    slides = slip > 1e-9
    along = np.einsum("ia,ia->i", p[:, :2], u[:, :2])
    assert np.abs(along[slides] + mu * normal[slides] * slip[slides]).max(initial=0.0) <= 1e2 * size * scale
    assert not solution.velocity[solution.status == STICK].any()
    assert np.abs(solution.velocity - u).max() <= size


@pytest.mark.parametrize("count", [1, 2, 4, 8, 12])
def test_every_random_block_that_is_hit_finds_forces_that_obey_both_laws(count):
    rng, iterations, seen = np.random.default_rng(count), [], set()
    for _ in range(30):
        response, rows = block(rng, count)
        mu = float(rng.choice([0.3, 0.8, 1.5]))
        motion = np.concatenate([rng.normal(size=2), [-abs(rng.normal())], rng.normal(size=3)])
        free = (rows @ motion).reshape(-1, 3)
        computed = solve_cone(response, free, np.full(count, mu), np.zeros((count, 3)), 1.0)
        scale = 1.0 + float(np.abs(computed.force).max())
        assert_laws(computed, response, free, mu, scale)
        iterations.append(computed.iterations)
        seen |= set(computed.status.tolist())
    assert seen == ({OPEN, SLIP, STICK} if count > 1 else seen)
    assert np.median(iterations) <= 40


def test_two_points_whose_velocities_part_by_more_than_rounding_are_not_pinched_for_ever():
    """Of a rigid body they part along their chord by what its linearisation leaves. No force stops that; those along the chord
    would grow by 1e-10/ε, 1e-4 N, in each round, without an end."""
    points = np.array([[0.1, -0.04, -0.1], [-0.06, 0.08, -0.1]])
    rows = rows_of(points)
    response = 1e-3 * rows @ np.diag(1.0 / np.array([1.0, 1.0, 1.0, 0.02, 0.02, 0.02])) @ rows.T
    free = (rows @ [0.02, 0.01, -0.03, 0.05, -0.02, 0.04]).reshape(-1, 3)
    chord = (points[0] - points[1]) / np.linalg.norm(points[0] - points[1])
    whole = solve_cone(response, free, np.full(2, 3.0), np.zeros((2, 3)), 1.0)
    parted = solve_cone(response, free + 0.5e-10 * np.array([chord, -chord]), np.full(2, 3.0), np.zeros((2, 3)), 1.0)
    assert np.all(parted.status == STICK)
    assert parted.iterations <= 2 * whole.iterations + 4
    grown = (parted.force - whole.force) @ chord
    assert 1e-5 < abs(grown[0]) < 2e-3  # a few rounds
    assert abs(grown.sum()) < 1e-9 * np.abs(whole.force).max()  # in equilibrium among themselves


def test_gaps_over_a_short_step_whose_rounding_parts_four_sliding_feet_do_not_let_their_forces_creep():
    """A block that turns and slides on four feet: rounding of 2e-14 m/s tilts its ground. Each round of the proximal point method
    would shift normal forces among the feet, and friction with them, by rounding/ε, 2e-7 N, for ever."""
    half, tau, tilt = 0.2, 1.3e-4, 2e-14
    points = np.array([[a * half, b * half, -0.1] for a in (-1, 1) for b in (-1, 1)])
    rows = rows_of(points)
    response = tau * rows @ np.diag(1.0 / np.array([1.0, 1.0, 1.0, 0.03, 0.03, 0.04])) @ rows.T
    free = (rows @ [1e-3, 8e-4, -9.81 * tau, 0.0, 0.0, 6e-3]).reshape(-1, 3)
    tilted = free + tilt * np.outer([1.0, -1.0, -1.0, 1.0], [0.0, 0.0, 1.0])
    even, computed = (
        solve_cone(response, u, np.full(4, 0.3), np.zeros((4, 3)), 10.0, 4.0 * tilt) for u in (free, tilted)
    )
    assert np.all(computed.status == SLIP)
    assert computed.iterations <= even.iterations + 4
    step = tilt / (1e-4 * np.trace(response) / 12.0)
    assert 0.1 * step < np.abs(computed.force - even.force).max() < 10.0 * step


def test_four_feet_carry_a_weight_with_forces_of_least_norm():
    half, h, weight, tau = 0.15, 0.05, 9.81, 1e-3
    points = np.array([[a * half, b * half, -h] for a in (-1, 1) for b in (-1, 1)])
    rows, inverse = rows_of(points), 1.0 / np.array([1.0, 1.0, 1.0, 0.01, 0.01, 0.015])
    free = tau * (rows @ (inverse * [2.0, 0.0, -weight, 0.0, 0.0, 0.0])).reshape(-1, 3)
    response = rows @ np.diag(inverse) @ rows.T * tau
    computed = solve_cone(response, free, np.full(4, 0.8), np.zeros((4, 3)), weight)
    assert not computed.unique
    assert np.all(computed.status == STICK)
    # 2 N at the centre and the reaction h below it: the pairs differ by 2 N h over the distance 2 half between them
    front = 0.25 * weight + 0.25 * 2.0 * h / half
    np.testing.assert_allclose(computed.force[2:, 2], front, rtol=1e-10)
    np.testing.assert_allclose(computed.force[:2, 2], 0.5 * weight - front, rtol=1e-10)
    np.testing.assert_allclose(computed.force[:, 0], -0.5, rtol=1e-10)
    # any other forces with the same resultant are longer
    assert np.abs(np.linalg.svd(rows.T)[2][6:] @ computed.force.ravel()).max() <= 1e-9 * weight


def test_a_held_point_takes_more_than_friction_would_bear():
    response, free = np.eye(3), np.array([[1.0, 0.0, -0.1]])
    slides = solve_cone(response, free, np.array([0.3]), np.zeros((1, 3)), 1.0)
    assert slides.status.tolist() == [SLIP]
    np.testing.assert_allclose(slides.velocity, [[0.97, 0.0, 0.0]], atol=1e-13)
    held = solve_cone(response, free, np.array([np.inf]), np.zeros((1, 3)), 1.0)
    assert held.status.tolist() == [STICK]
    np.testing.assert_allclose(held.force, [[-1.0, 0.0, 0.1]], atol=1e-13)


def test_the_tangent_is_the_derivative_of_the_residual():
    rng = np.random.default_rng(3)
    response, _ = block(rng, 5)
    mu, weight, free = np.full(5, 0.6), np.full(5, 0.7), rng.normal(size=(5, 3))
    for _ in range(20):
        p, d = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))

        def rest(s, p=p, d=d):
            q = p + s * d
            return kernels.residual(q, free + (response @ q.ravel()).reshape(-1, 3), mu, weight)

        u = free + (response @ p.ravel()).reshape(-1, 3)
        exact = kernels.tangent(p, u, mu, weight, response) @ d.ravel()
        differences = (rest(1e-6) - rest(-1e-6)).ravel() / 2e-6
        np.testing.assert_allclose(exact, differences, atol=1e-7 * (1.0 + np.abs(exact).max()))


def test_what_has_no_solution_fails_by_name_with_the_residual_of_every_way():
    # a point that sliding presses into the ground more than it lifts it: W_nn < mu W_nt (Painlevé), thrown at the ground
    response = np.array([[1.0, 0.0, 1.2], [0.0, 1.0, 0.0], [1.2, 0.0, 1.0]])
    response[2, 2] = -1.0
    with pytest.raises(ConeError, match=r"no contact forces were found.*sweeps"):
        solve_cone(response, np.array([[0.1, 0.0, -1.0]]), np.array([0.5]), np.zeros((1, 3)), 1.0)


@pytest.mark.parametrize("free", [(np.nan, np.nan, np.nan), (0.0, 0.0, np.nan), (0.0, 0.0, -np.inf)])
def test_velocities_that_are_not_finite_are_named(free):
    with pytest.raises(ConeError, match="non-finite"):
        solve_cone(np.eye(3), np.array([free]), np.full(1, 0.3), np.zeros((1, 3)), 1.0)
