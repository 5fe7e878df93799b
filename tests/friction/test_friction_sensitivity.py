"""The reduced stiffness that a row of held nodes feels, against dense elimination and finite differences."""

import numpy as np
import pytest
from friction_problems import random_problem

import friction
from friction.nodal.problem import NodalProblem, NodeLaws
from friction.nodal.sensitivity import reduced_stiffness

NODES, HELD = 24, 5


class Row:
    """A random problem with its first nodes held, moved as p along three random modes."""

    def __init__(self, seed, law):
        self.law = law
        self.A, self.b, self.w = random_problem(NODES, seed)
        self.held = np.arange(NODES) < HELD
        rng = np.random.default_rng(seed + 100)
        self.modes = np.where(self.held[:, None], rng.standard_normal((3, NODES, 2)), 0.0)
        self.cache = friction.FactorCache(*(lambda q: (q.indptr, q.indices))(friction.Quadratic(self.A, self.b)))

    def part(self, p):
        lift = np.tensordot(p, self.modes, 1)
        return friction.Quadratic(self.A, self.b - (self.A @ lift.ravel()).reshape(lift.shape))

    def solved(self, p):
        """The velocities less the lift, and the force Gᵀ g that the held nodes feel."""
        part = self.part(p)
        computed = friction.solve(
            part, self.w, law=self.law, fixed=self.held, cache=self.cache, options=friction.TrescaOptions(rtol=1e-13)
        )
        return computed, np.einsum("kna,na->k", self.modes, part.gradient(computed.velocity))

    def response(self, velocity, fresh=False, **more):
        if fresh:
            self.cache.forget()
        more |= {"part": self.part(np.zeros(3)), "law": self.law, "cache": self.cache}
        problem = NodalProblem(laws=NodeLaws.given(self.w, self.held), **more)
        return reduced_stiffness(problem, velocity, self.modes)

    def dense(self, velocity, blocks=None):
        """Schur complement of A + D on what slides."""
        blocks = self.law.tangent(velocity, self.w) if blocks is None else blocks
        D = np.zeros((NODES, 2, NODES, 2))
        D[np.arange(NODES), :, np.arange(NODES), :] = np.where(self.held[:, None, None], 0.0, blocks)
        H = self.A.toarray() + D.reshape(2 * NODES, 2 * NODES)
        still = ~np.any(velocity, axis=1) & self.law.set_valued
        moves = np.repeat(~self.held & ~still, 2)
        G = self.modes.reshape(3, -1).T
        answer = G.copy()
        answer[moves] = -np.linalg.solve(H[np.ix_(moves, moves)], H[np.ix_(moves, ~moves)] @ G[~moves])
        return G.T @ (self.A @ answer), answer


LAWS = [
    friction.Coulomb(),
    friction.Smooth(0.05),
    friction.Elliptic(2.0, 0.3),
    friction.Stribeck(0.7, 1.0),
    friction.Sliding(0.05, 2.0, 0.8),
    friction.Limited(friction.Coulomb(), 12.0),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_reduced_stiffness_is_the_schur_complement_and_the_derivative_of_the_force(seed, law):
    row = Row(seed, law)
    computed, force = row.solved(np.zeros(3))
    sliding = np.any(computed.velocity, axis=1)
    assert sliding.sum() > 4
    assert law.set_valued == bool((~sliding[HELD:]).any())
    for fresh in (False, True):
        stiffness, velocities, made = row.response(computed.velocity, fresh=fresh)
        expected, answer = row.dense(computed.velocity)
        assert np.abs(stiffness - expected).max() < 1e-4 * np.abs(expected).max()  # the last factor's, at least
        np.testing.assert_allclose(stiffness, stiffness.T)
        if fresh:
            np.testing.assert_allclose(stiffness, expected, atol=1e-11 * np.abs(expected).max())
            flat = velocities.reshape(3, -1).T
            np.testing.assert_allclose(flat, answer, atol=1e-11 * np.abs(answer).max())
            assert made == 1
    h = 1e-6
    differences = [(row.solved(h * e)[1] - row.solved(-h * e)[1]) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(np.array(differences).T, expected, atol=1e-5 * np.abs(expected).max())
    assert np.abs(force).max() > 0.1


def test_of_an_unsymmetric_tangent_the_symmetric_part_is_felt():
    memory = 0.03 * np.random.default_rng(5).uniform(-1.0, 1.0, (NODES, 2))
    row = Row(1, friction.SlidingStiction(0.3, 2.0, 0.8, 0.05).for_stage(memory, 0.05))
    computed, _ = row.solved(np.zeros(3))
    exact = row.law.tangent(computed.velocity, row.w)
    skew = np.abs(exact - exact.transpose(0, 2, 1))[HELD:].max()
    assert skew > 0.05 * np.abs(exact).max()
    _, velocities, _ = row.response(computed.velocity, fresh=True)
    _, answer = row.dense(computed.velocity, 0.5 * (exact + exact.transpose(0, 2, 1)))
    np.testing.assert_allclose(velocities.reshape(3, -1).T, answer, atol=1e-11 * np.abs(answer).max())


def test_with_a_factor_from_nearby_the_error_is_of_second_order_and_no_factorisation_is_made():
    row = Row(4, friction.Smooth(0.05))
    velocity = row.solved(np.zeros(3))[0].velocity
    away = np.where(row.held[:, None], 0.0, np.random.default_rng(9).standard_normal((NODES, 2)))
    expected, _ = row.dense(velocity)
    errors = []
    for distance in (4e-2, 2e-2, 1e-2, 5e-3):
        row.response(velocity + distance * away, key="one", fresh=True)
        near, _, made = row.response(velocity, key="one")
        assert made == 0
        errors.append(np.abs(near - expected).max() / np.abs(expected).max())
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all((orders[1:] > 1.7) & (orders[1:] < 2.4)), (orders, errors)
    assert 1e-9 < errors[-1] < 1e-3
    assert row.response(velocity, key="another")[2] == 1


def test_a_change_of_the_sticking_nodes_asks_for_a_new_factor():
    row = Row(2, friction.Coulomb())
    velocity = row.solved(np.zeros(3))[0].velocity.copy()
    row.response(velocity, key="one", fresh=True)
    assert row.response(velocity, key="one")[2] == 0
    sliding = np.flatnonzero(np.any(velocity, axis=1))
    velocity[sliding[0]] = 0.0
    again, _, made = row.response(velocity, key="one")
    assert made == 1
    np.testing.assert_allclose(again, row.dense(velocity)[0], rtol=1e-9)
