"""Doubtful runs in space: Painlevé's number of several sliding points, parts that sink into the ground."""

from itertools import combinations

import numpy as np
from case_models import computed
from rows import rows

from cases import block_in_space
from floating_frame import run_warnings
from floating_frame.system.space.painleve import least_of_many, number_of


def rows_of_points(mass, arms, up, direction, mu):
    """N, D⁻¹ (N − μ T) and D⁻¹ N of points."""
    N, T = (np.hstack([d, np.cross(arms, d)]) for d in (up, direction))
    return N, *(np.ascontiguousarray(np.linalg.solve(mass, part.T).T) for part in (N - mu[:, None] * T, N))


def test_the_number_of_several_points_is_positive_where_every_load_has_one_answer():
    """Against all solutions of 0 <= p ⟂ A p + b >= 0 of three feet, for many b: one each where the number is positive."""
    rng, seen = np.random.default_rng(4), set()
    subsets = [np.array(s, int) for n in range(4) for s in combinations(range(3), n)]
    for _ in range(30):
        inertia = np.diag(rng.uniform(0.2, 1.0, 3))
        arms = np.column_stack([rng.normal(size=(3, 2)), np.full(3, -rng.uniform(0.3, 1.5))])
        slip, mu = np.column_stack([rng.normal(size=(3, 2)), np.zeros(3)]), np.full(3, rng.uniform(0.2, 1.5))
        mass = np.eye(6)
        mass[3:, 3:] = inertia
        up, direction = np.tile([0.0, 0.0, 1.0], (3, 1)), slip / np.linalg.norm(slip, axis=1)[:, None]
        number = number_of(*rows_of_points(mass, arms, up, direction, mu))
        N, T = (np.hstack([d, np.cross(arms, d)]) for d in (up, direction))
        A, counts = N @ np.linalg.solve(mass, (N - mu[:, None] * T).T), set()
        minors = [np.linalg.det(A[np.ix_(s, s)]) for s in subsets[1:]]
        assert (number > 0.0) == (min(minors) > 0.0)
        for b in rng.normal(size=(100, 3)):
            answers = 0
            for s in subsets:
                p = np.zeros(3)
                p[s] = np.linalg.solve(A[np.ix_(s, s)], -b[s])
                answers += bool(p.min() >= 0.0 and np.delete(A @ p + b, s).min(initial=0.0) >= 0.0)
            counts.add(answers)
        assert number <= 0.0 or counts == {1}
        seen.add((number > 0.0, counts == {1}))
    assert {(True, True), (False, False)} <= seen


def test_many_points_of_one_normal_have_the_number_of_all_their_real_eigenvalues():
    """Under a ring that spins two of the three that are not 0 are complex, and no eigenvalues of a pressure."""
    rng, pairs = np.random.default_rng(8), 0
    for mu, spins in ((0.3, False), (2.0, False), (0.3, True)):
        arms = np.column_stack([rng.normal(size=(25, 2)), np.full(25, -0.7)])
        slip = np.column_stack([rng.normal(size=(25, 2)), np.zeros(25)])
        mass = np.diag([2.0, 2.0, 2.0, 0.3, 0.5, 0.4])
        if spins:
            angle, mass[3, 3], mass[4, 4] = np.linspace(0.0, 2.0 * np.pi, 25, endpoint=False), 2.0, 2.0
            arms[:, :2] = np.column_stack([np.cos(angle), np.sin(angle)])
            slip = np.cross([0.0, 0.0, 1.0], arms)
        up, direction = np.tile([0.0, 0.0, 1.0], (25, 1)), slip / np.linalg.norm(slip, axis=1)[:, None]
        N, pressed, turned = rows_of_points(mass, arms, up, direction, np.full(25, mu))
        number, values = number_of(N, pressed, turned), np.linalg.eigvals(N @ pressed.T)
        largest = values[np.argsort(np.abs(values))[-3:]]  # the others are 0: A is of rank three
        real = largest.real[np.abs(largest.imag) < 1e-9 * np.abs(largest)]
        pairs += len(real) == 1
        np.testing.assert_allclose(number, real.min(), rtol=1e-10)
        np.testing.assert_allclose(least_of_many(N, pressed), number, rtol=1e-10)
    assert pairs


@rows("deep, mu, height", [(True, 0.8, 0.4), (False, 0.3, 0.4)])
def test_a_block_that_tips_over_and_sinks_its_top_is_not_believed(deep, mu, height):
    _, data = computed(block_in_space, mu=mu, length=0.2, height=height, vx0=3.0, t_end=0.6, dt=1e-2)
    w, x, y, z = data.frame_rotation.values.T
    up = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x**2 + y**2)], axis=1)  # the row of Q along z
    arms = [up @ [0.1 * a, 0.15 * b, 0.5 * height] for a in (-1, 1) for b in (-1, 1)]
    top = data.frame_position.values[:, 2] + np.min(arms, axis=0)
    assert (top.min() < -0.1 * height) == deep
    sunk = [warning for warning in run_warnings(data) if warning.name == "penetration"]
    assert len(sunk) == deep
    if deep:
        radius = np.linalg.norm([0.1, 0.15, 0.5 * height])
        np.testing.assert_allclose(sunk[0].value, -top.min() / radius, rtol=1e-9)
