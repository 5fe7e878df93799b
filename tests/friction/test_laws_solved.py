"""The friction problem under every law: limits to Coulomb friction, balance, one degree of freedom by hand, named failures."""

import numpy as np
import pytest
import scipy.sparse as sp
from friction_problems import conic_solution, distance_allowed, pulled_plate, random_problem
from law_examples import PLAIN, size

from friction import (
    FREE,
    HELD,
    REVERSED,
    SLIP,
    STICK,
    CoefficientSpline,
    Coulomb,
    Elliptic,
    FactorCache,
    Limited,
    Quadratic,
    Sliding,
    SlidingStiction,
    StaticKinetic,
    Stribeck,
    TrescaOptions,
    solve,
)
from friction.nodal.transformed import positive_part, symmetric

PROBLEMS = {
    "random": random_problem(60, seed=1),
    "stiff random": random_problem(60, seed=2, stiffness=100.0),
    "plate": pulled_plate(8, 1e6, 1e-3, 1.2),
    "stiff plate": pulled_plate(8, 1e9, 1e-3, 1.5),
}


def walk(**things):
    ((name, values),) = things.items()
    return pytest.mark.parametrize(name, values.values(), ids=list(values))


def balance(A, b, result):
    return np.abs((A @ result.velocity.ravel()).reshape(b.shape) - b + result.multiplier)


def fitted(name, w):
    """The example law with its speeds and its memory made to fit the problem's weights."""
    law = PLAIN[name]
    if name == "force-spline":
        law = type(law)(law.speeds, tuple(f / 50.0 * w.sum() for f in law.forces))
    rng = np.random.default_rng(7)
    return law.for_stage(0.03 * rng.uniform(-1.0, 1.0, (len(w), 2)), 0.05)


@walk(problem=PROBLEMS)
@pytest.mark.parametrize("limit", [None, 0.6])
@pytest.mark.parametrize("name", list(PLAIN))
def test_every_law_is_solved_to_the_tolerance_with_its_own_force_in_slip_and_within_its_bound_in_stick(
    name, limit, problem
):
    A, b, w = problem
    w = w.copy()
    w[::13] = 0.0
    held = np.arange(len(w)) % 17 == 5
    law = fitted(name, w) if limit is None else Limited(fitted(name, w), limit * w.sum())
    result = solve(Quadratic(A, b), w, law=law, fixed=held)
    own = law.with_total_load(w)
    assert (
        balance(A, b, result).max() <= 2.5 * result.tolerance
    )  # of an ellipse, 1/ratio more in force than in its disc
    assert result.tolerance <= 2.51e-11 * max(np.abs(b).max(), w.max(), np.abs(A @ result.velocity.ravel()).max())
    slip = np.isin(result.state, (SLIP, REVERSED))
    assert slip.any()
    np.testing.assert_allclose(result.multiplier[slip], law.force(result.velocity, w)[slip], atol=1e-15)
    assert (result.state[held] == HELD).all()
    assert not result.velocity[held].any()
    assert (result.state[(w == 0.0) & ~held] == FREE).all()
    stick = result.state == STICK
    assert stick.any() == bool(own.set_valued and stick.any())
    assert not result.velocity[stick].any()
    if own.set_valued:
        if isinstance(own, Elliptic):
            inside = size(result.multiplier @ np.linalg.inv(own.metric))
        else:
            inside = size(result.multiplier) / own.static
        assert (inside[stick] <= w[stick] * (1 + 1e-15)).all()
    assert max(result.residual_stick, result.residual_slip) <= result.tolerance


@walk(problem=PROBLEMS)
@walk(
    law={
        "static-kinetic": StaticKinetic(1.0),
        "stribeck": Stribeck(1.0, 0.1),
        "elliptic": Elliptic(1.0, 0.3),
        "spline": CoefficientSpline((0.0, 1.0), (1.0, 1.0)),
        "limited": Limited(Coulomb(), 1e9),
    }
)
def test_laws_without_a_difference_are_coulombs(law, problem):
    A, b, w = problem
    coulomb = solve(Quadratic(A, b), w)
    result = solve(Quadratic(A, b), w, law=law)
    assert {SLIP} <= set(coulomb.state)
    apart = np.linalg.norm(result.velocity - coulomb.velocity)
    assert apart <= distance_allowed(A, max(result.tolerance, coulomb.tolerance)) < 1e-3 * size(coulomb.velocity).max()
    np.testing.assert_array_equal(result.state, coulomb.state)


@walk(problem=PROBLEMS)
@pytest.mark.parametrize("ratio", [0.3, 4.0])
def test_elliptic_friction_has_the_minimiser_that_a_conic_solver_finds(ratio, problem):
    A, b, w = problem
    law = Elliptic(ratio, 0.4)
    c, s = np.cos(0.4), np.sin(0.4)
    D = np.diag([1.0, 1.0 / ratio]) @ np.array([[c, s], [-s, c]])  # any D with the same D'D will do
    result = solve(Quadratic(A, b), w, law=law)
    assert SLIP in result.state

    def energy(v):
        return 0.5 * v.ravel() @ (A @ v.ravel()) - np.vdot(b, v) + w @ size(v @ D.T)

    v, conic = result.velocity, conic_solution(A, b, w, D)
    scale = w @ size(v @ D.T) + abs(energy(v))
    apart = conic - v
    slack = result.tolerance * np.abs(apart).sum() + 1e-15 * (scale + np.abs(v).ravel() @ (abs(A) @ np.abs(v).ravel()))
    # strong convexity: what the conic solution is above the minimum bounds its distance from it, if v is the minimiser
    assert 0.5 * apart.ravel() @ (A @ apart.ravel()) - slack <= energy(conic) - energy(v) <= 1e-7 * scale
    assert np.abs(apart).max() <= 1e-2 * np.abs(v).max()
    isotropic = solve(Quadratic(A, b), w)
    assert np.abs(v - isotropic.velocity).max() >= 5e-3 * np.abs(v).max()  # the axes matter


def test_elliptic_friction_turned_with_the_problem_turns_the_solution():
    A, b, w = PROBLEMS["random"]
    c, s = np.cos(0.7), np.sin(0.7)
    R = np.array([[c, -s], [s, c]])
    big = sp.csr_array(sp.kron(sp.eye_array(len(w)), R))
    law = Elliptic(3.0, 0.4)
    plain = solve(Quadratic(A, b), w, law=law)
    turned = solve(Quadratic(sp.csr_array(big.T @ A @ big), b @ R), w, law=law.rotated(0.7))
    assert np.linalg.norm(turned.velocity - plain.velocity @ R) <= distance_allowed(A, 3.0 * plain.tolerance)
    np.testing.assert_array_equal(turned.state, plain.state)


def test_the_sliding_types_tend_to_coulomb_friction_with_the_threshold_speed():
    A, b, w = PROBLEMS["random"]
    coulomb = solve(Quadratic(A, b), w)
    assert STICK in coulomb.state
    for make in (
        lambda v: Sliding(v, 2 * v, 1.0),
        lambda v: SlidingStiction(v, 2 * v, 1.0, 1e3).for_stage(np.zeros_like(b), 0.0),
    ):
        gaps = []
        for v_s in (1e-3, 1e-4, 1e-5):
            result = solve(Quadratic(A, b), w, law=make(v_s))
            assert result.velocity.any(axis=1).all()  # it creeps
            apart = result.velocity - coulomb.velocity
            # w |v| - potential <= w v_s per node, and strong convexity
            assert 0.0 < 0.5 * apart.ravel() @ (A @ apart.ravel()) <= w.sum() * v_s
            gaps.append(np.abs(apart).max())
        np.testing.assert_allclose(np.array(gaps[:-1]) / gaps[1:], 10.0, rtol=0.05)


@pytest.mark.parametrize("name", list(PLAIN))
def test_a_warm_start_and_a_carried_factor_end_at_the_same_solution(name):
    A, b, w = PROBLEMS["plate"]
    part = Quadratic(A, b)
    law = fitted(name, w)
    cache = FactorCache(part.indptr, part.indices)
    cold = solve(part, w, law=law, cache=cache, key=1)
    near = Quadratic(A, 1.01 * b)
    again = solve(near, w, law=law, cache=cache, key=1, velocity=cold.velocity)
    fresh = solve(near, w, law=law, options=TrescaOptions(chord_steps=0.0))
    assert np.abs(again.velocity - cold.velocity).max() > 1e-3 * np.abs(cold.velocity).max()
    assert np.linalg.norm(again.velocity - fresh.velocity) <= 4.0 * distance_allowed(A, again.tolerance)
    coulomb = solve(near, w, cache=cache, key=1)
    assert np.linalg.norm(coulomb.velocity - solve(near, w).velocity) <= distance_allowed(A, coulomb.tolerance)


@walk(problem=PROBLEMS)
def test_the_sliding_type_with_a_steep_fall_is_solved_from_rest_in_few_steps(problem):
    A, b, w = problem
    law = Sliding(3e-4, 1.2e-3, 0.6)
    result = solve(Quadratic(A, b), w, law=law)
    v = result.velocity
    assert (size(v) < 3e-4).any() or b is PROBLEMS["stiff plate"][1]
    assert (size(v) > 1.2e-3).any()
    assert np.abs((A @ v.ravel()).reshape(b.shape) - b + law.force(v, w)).max() <= result.tolerance < 1e-9
    assert result.iterations + result.fallback_iterations <= 40


@pytest.mark.parametrize("v_s", [0.3, 3.0])
def test_the_unsymmetric_tangent_of_bristles_gives_newtons_few_steps(v_s):
    A, b, w = PROBLEMS["random"]
    memory = 0.028 * np.random.default_rng(0).standard_normal(b.shape).clip(-1.0, 1.0)
    law = SlidingStiction(v_s, 4.0 * v_s, 1.0, 0.05).for_stage(memory, 0.03)
    result = solve(Quadratic(A, b), w, law=law, options=TrescaOptions(chord_steps=0.0))
    tangent = law.tangent(result.velocity, w)
    assert np.abs(tangent - tangent.transpose(0, 2, 1)).max() > 0.1 * np.abs(tangent).max()
    assert result.iterations <= 9  # 52 and 17 with the skew part's sign changed


def test_where_the_line_search_stalls_the_way_of_a_body_with_more_inertia_leads_to_the_solution():
    A, b, w = pulled_plate(8, 1e6, 1e-2, 1.5)
    memory = 2.8e-5 * np.random.default_rng(0).standard_normal(b.shape).clip(-1.0, 1.0)
    law = SlidingStiction(1e-3, 2e-3, 0.6, 1e-4).for_stage(memory, 0.03)
    result = solve(Quadratic(A, b), w, law=law)
    assert 0 < result.fallback_iterations < 150  # it was needed
    v = result.velocity
    assert np.abs((A @ v.ravel()).reshape(b.shape) - b + law.force(v, w)).max() <= result.tolerance < 1e-9


def test_the_definite_part_of_a_block_is_its_projection_on_semidefinite_matrices():
    blocks = np.random.default_rng(8).standard_normal((30, 2, 2))
    exact, found = symmetric(blocks), positive_part(blocks)
    assert (np.linalg.eigvalsh(exact)[:, 0] < -0.1).sum() > 5
    assert np.linalg.eigvalsh(found).min() > -1e-15
    assert np.linalg.eigvalsh(found - exact).min() > -1e-15
    np.testing.assert_allclose(np.einsum("nab,nbc->nac", found, found - exact), 0.0, atol=1e-14)
