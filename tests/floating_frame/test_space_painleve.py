"""Painlevé's number of several sliding points: where accelerations follow from the forces."""

from itertools import combinations

import numpy as np

from floating_frame.system.space.painleve import painleve_number


def test_the_number_of_several_points_is_positive_where_every_load_has_one_answer():
    """Against all solutions of 0 <= p ⟂ A p + b >= 0 of three feet, for many b: one each where the number is positive."""
    rng, seen = np.random.default_rng(4), set()
    subsets = [np.array(s, int) for n in range(4) for s in combinations(range(3), n)]
    for _ in range(60):
        inertia = np.diag(rng.uniform(0.2, 1.0, 3))
        arms = np.column_stack([rng.normal(size=(3, 2)), np.full(3, -rng.uniform(0.3, 1.5))])
        slip, mu = np.column_stack([rng.normal(size=(3, 2)), np.zeros(3)]), np.full(3, rng.uniform(0.2, 1.5))
        mass = np.eye(6)
        mass[3:, 3:] = inertia
        number = painleve_number(mass, arms, slip, mu)
        up, way = np.tile([0.0, 0.0, 1.0], (3, 1)), slip / np.linalg.norm(slip, axis=1)[:, None]
        N, T = (np.hstack([d, np.cross(arms, d)]) for d in (up, way))
        A, counts = N @ np.linalg.solve(mass, (N - mu[:, None] * T).T), set()
        minors = [np.linalg.det(A[np.ix_(s, s)]) for s in subsets[1:]]
        assert (number > 0.0) == (min(minors) > 0.0)
        for b in rng.normal(size=(200, 3)):
            answers = 0
            for s in subsets:
                p = np.zeros(3)
                p[s] = np.linalg.solve(A[np.ix_(s, s)], -b[s])
                answers += bool(p.min() >= 0.0 and np.delete(A @ p + b, s).min(initial=0.0) >= 0.0)
            counts.add(answers)
        assert number <= 0.0 or counts == {1}
        seen.add((number > 0.0, counts == {1}))
    assert {(True, True), (False, False)} <= seen
