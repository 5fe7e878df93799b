"""Exact unilateral contact with friction: against enumeration of all states, quadratic programs, and closed forms."""

import itertools

import numpy as np
import pytest
from rows import rows

from friction.errors import UnilateralError
from friction.normal import unilateral
from friction.normal.unilateral import residual, solve_unilateral, solve_unilateral_response
from friction.status import OPEN, SLIP, STICK


def definite(rng, m):
    factor = rng.normal(size=(2 * m, 2 * m + 1))
    return factor @ factor.T


def every_solution(W, q, mu):
    """All (p, u) that satisfy the law, by trying open, stick and slip either way at each contact."""
    m, computed = len(q), []
    for states in itertools.product("osfb", repeat=m):
        A, b = np.zeros((2 * m, 2 * m)), np.zeros(2 * m)
        for i, s in enumerate(states):
            n, t = 2 * i, 2 * i + 1
            if s == "o":
                A[n, n] = A[t, t] = 1.0
                continue
            A[n], b[n] = W[n], -q[i, 0]
            if s == "s":
                A[t], b[t] = W[t], -q[i, 1]
            else:
                A[t, t], A[t, n] = 1.0, mu[i] if s == "f" else -mu[i]
        p = np.linalg.solve(A, b).reshape(m, 2)
        u = (W @ p.ravel()).reshape(m, 2) + q
        fits = []
        for i, s in enumerate(states):
            slip = {"f": u[i, 1], "b": -u[i, 1], "s": 1.0, "o": 1.0}[s]
            cone = mu[i] * p[i, 0] - abs(p[i, 1]) if s == "s" else 0.0
            fits.append(min(u[i, 0], p[i, 0], cone, slip) >= -1e-9)
        if all(fits):
            computed.append((p, u))
    return computed


def test_solution_is_one_of_all_those_that_enumeration_of_the_states_finds():
    rng = np.random.default_rng(3)
    seen, several = set(), 0
    for case in range(300):
        m = int(rng.integers(1, 3))
        W, q = definite(rng, m), rng.normal(size=(m, 2))
        mu = rng.uniform(0.0, 15.0 if case % 5 == 0 else 1.2, m)
        computed, every = solve_unilateral(W, q, mu), every_solution(W, q, mu)
        distances = [np.abs(computed.force - p).max() / max(1.0, np.abs(p).max()) for p, _ in every]
        closest = int(np.argmin(distances))
        assert distances[closest] < 1e-10
        assert np.allclose(computed.velocity, every[closest][1], rtol=0, atol=1e-10)
        resting = np.array(computed.state) == STICK
        assert not computed.velocity[resting].any()
        seen |= set(computed.state.tolist())
        several += len(every) > 1
    assert seen == {OPEN, STICK, SLIP}
    assert several > 0, "large mu: more than one solution"


def test_more_contacts_than_motions_share_a_force_whose_resultant_and_velocities_are_unique():
    """A rigid bar of mass 1 and inertia 1/12 falls flat with 1 m/s on five points: only resultants are determined."""
    arms = np.linspace(-0.5, 0.5, 5)
    G = np.zeros((10, 3))
    G[0::2] = np.stack([np.zeros(5), np.ones(5), arms], axis=1)
    G[1::2, 0] = 1.0
    W = G @ np.diag([1.0, 1.0, 12.0]) @ G.T
    q = (G @ np.array([0.1, -1.0, 0.3])).reshape(5, 2)
    computed = solve_unilateral(W, q, 0.3)
    wrench = G.T @ computed.force.ravel()
    assert np.allclose(wrench, [-0.1, 1.0, -0.3 / 12.0], rtol=0, atol=1e-12)
    assert np.all(np.abs(W @ computed.force.ravel() + q.ravel()) < 1e-12)
    assert np.all(np.abs(computed.force[:, 1]) <= 0.3 * computed.force[:, 0] * (1.0 + 1e-12))


def test_where_friction_is_too_strong_for_one_solution_what_comes_is_a_solution_or_a_named_failure():
    """Painleve: W_nn + mu W_nt < 0 when sliding. Both 'apart' and 'stick' (or 'slide') satisfy the law."""
    W, mu, q = np.array([[1.0, -0.9], [-0.9, 1.0]]), np.array([2.0]), np.array([[0.1, -1.0]])
    every = every_solution(W, q, mu)
    assert len(every) == 3
    from_rest = solve_unilateral(W, q, mu)
    wedged = solve_unilateral(W, q, mu, start=[[5.0, 5.0]])
    assert from_rest.state == [OPEN]
    assert wedged.state == [STICK]
    for computed in (from_rest, wedged):
        assert min(np.abs(computed.force - p).max() for p, _ in every) < 1e-12
    jammed = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(2))  # a body between two walls that come closer
    with pytest.raises(UnilateralError, match="no solution"):
        solve_unilateral(jammed, [[-1.0, 0.0], [-1.0, 0.0]], 0.3)


def test_body_held_by_friction_elsewhere_is_pushed_with_exactly_what_breaks_it_loose():
    """u = (|p - threshold|)+ / d: the wall comes with 0.2 m/s and must push with threshold + d 0.2, from W = 0."""
    threshold, d = 50.0, 0.3

    def response(p):
        slides = abs(p[0, 0]) > threshold
        u = np.sign(p[0, 0]) * max(abs(p[0, 0]) - threshold, 0.0) / d
        return np.array([[u - 0.2, 0.0]]), np.diag([slides / d, 0.0])

    computed = solve_unilateral_response(response, 0.3, np.zeros((1, 2)), floor=1.0, tolerance=lambda: 1e-10)
    assert np.isclose(computed.force[0, 0], threshold + 0.2 * d, rtol=1e-12)
    assert 2 < computed.iterations < 12


def test_nonlinear_response_is_solved_at_its_own_velocities_and_quadratically(monkeypatch):
    rng = np.random.default_rng(8)
    W, q = definite(rng, 3), rng.normal(size=(3, 2)) - [1.0, 0.0]

    def response(p):
        flat = p.ravel()
        return (W @ flat + 0.2 * flat**3).reshape(3, 2) + q, W + np.diag(0.6 * flat**2)

    computed = solve_unilateral_response(response, 0.2, np.zeros((3, 2)), floor=1e-3, tolerance=lambda: 1e-13)
    u, tangent = response(computed.force)
    assert SLIP in computed.state
    assert residual(computed.force, u, np.full(3, 0.2), 1.0 / np.diag(tangent).reshape(3, 2)) < 1e-12
    assert np.allclose(u, computed.velocity, rtol=0, atol=1e-12)
    assert computed.iterations < 9
    monkeypatch.setattr(unilateral, "MAX_ITERATIONS", 2)
    with pytest.raises(UnilateralError, match="out of iterations"):
        solve_unilateral_response(response, 0.2, np.zeros((3, 2)), floor=1e-3, tolerance=lambda: 1e-13)


@rows(
    ("compliance", "velocity", "mu", "words"),
    [
        (np.eye(2), [[1.0, 0.0]], -0.1, "mu must not be negative"),
        (np.eye(3), [[1.0, 0.0]], 0.1, "shape"),
        ([[1.0, 0.3], [0.0, 1.0]], [[1.0, 0.0]], 0.1, "symmetric"),
        (np.diag([1.0, -0.5]), [[1.0, 0.0]], 0.1, "positive semidefinite, smallest eigenvalue -5"),
        (np.eye(2), [[np.nan, 0.0]], 0.1, "finite"),
        (np.eye(2), [[1.0, 0.0]], (0.1, 0.2), "mu must be a number or have shape"),
    ],
)
def test_bad_input_is_refused_in_one_line(compliance, velocity, mu, words):
    with pytest.raises(ValueError, match=words) as caught:
        solve_unilateral(compliance, velocity, mu)
    assert "\n" not in str(caught.value)


def test_a_response_whose_compliance_is_monotone_but_not_symmetric_is_solved_and_an_indefinite_one_named():
    """Bristles under a body push across its slip, so that velocities answer forces by a W whose halves differ."""
    rng = np.random.default_rng(11)
    skew = np.array([[0.0, -1.0], [1.0, 0.0]])
    for _ in range(50):
        # Singular along one direction and turning the rest: eigenvalues of the lower triangle alone are negative.
        W = np.kron(np.array([[1.0, 0.9], [0.9, 1.0]]), np.eye(2) + 1.5 * skew) + 1e-6 * definite(rng, 2)
        assert np.linalg.eigvalsh(W)[0] < -0.1
        q, mu = rng.normal(size=(2, 2)), rng.uniform(0.0, 1.2, 2)
        response, options = lambda p, W=W, q=q: ((W @ p.ravel()).reshape(2, 2) + q, W), {"tolerance": lambda: 1e-9}
        computed = solve_unilateral_response(response, mu, np.zeros((2, 2)), floor=1e-3, **options)
        u = (W @ computed.force.ravel()).reshape(2, 2) + q
        assert residual(computed.force, u, mu, np.ones((2, 2))) < 1e-7
    indefinite = lambda p: (np.array([[-1.0, 0.3]]) - p, -np.eye(2))  # noqa: E731
    with pytest.raises(UnilateralError, match=r"not solved \(indefinite\): .* take a smaller step"):
        solve_unilateral_response(indefinite, 0.3, np.zeros((1, 2)), floor=1e-3, **options)
