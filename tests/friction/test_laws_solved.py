"""The friction problem under every law, against Coulomb's, a conic solver and one block by hand; falling laws, named failures."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from friction_problems import check_against_conic, distance_allowed, pulled_plate, random_problem
from law_examples import PLAIN, size
from rows import rows

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
    ForceSpline,
    FrictionSolveError,
    Limited,
    Quadratic,
    Sliding,
    SlidingStiction,
    Smooth,
    StaticKinetic,
    Stribeck,
    TrescaOptions,
    solve,
)

PROBLEMS = {
    "random": random_problem(60, seed=1),
    "stiff random": random_problem(60, seed=2, stiffness=100.0),
    "plate": pulled_plate(8, 1e6, 1e-3, 1.2),
    "stiff plate": pulled_plate(8, 1e9, 1e-3, 1.5),
}
DIRECTION = np.array([0.6, 0.8])


def walk(**things):
    ((name, values),) = things.items()
    return pytest.mark.parametrize(name, values.values(), ids=list(values))


def unbalanced(A, b, v, friction):
    """Largest force, N, that is left over."""
    return np.abs((A @ v.ravel()).reshape(b.shape) - b + friction).max()


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
def test_every_law_is_solved_with_its_own_force_in_slip_and_within_its_bound_in_stick(name, limit, problem):
    A, b, w = problem
    w = w.copy()
    w[::13] = 0.0
    held = np.arange(len(w)) % 17 == 5
    law = fitted(name, w) if limit is None else Limited(fitted(name, w), limit * w.sum())
    result = solve(Quadratic(A, b), w, law=law, fixed=held)
    own = law.with_total_load(w)
    # of an ellipse, 1/ratio more in force than in its disc
    assert unbalanced(A, b, result.velocity, result.multiplier) <= 2.5 * result.tolerance
    assert result.tolerance <= 2.51e-11 * max(np.abs(b).max(), w.max(), np.abs(A @ result.velocity.ravel()).max())
    slip = np.isin(result.state, (SLIP, REVERSED))
    assert slip.any()
    np.testing.assert_allclose(result.multiplier[slip], law.force(result.velocity, w)[slip], atol=1e-15)
    assert (result.state[held] == HELD).all()
    assert not result.velocity[held].any()
    assert size(result.multiplier[held]).max() > w[held].max()  # without a bound
    assert (result.state[(w == 0.0) & ~held] == FREE).all()
    stick = result.state == STICK
    assert own.set_valued or not stick.any()
    assert not result.velocity[stick].any()
    if own.set_valued:
        axes = np.linalg.inv(own.metric) if isinstance(own, Elliptic) else np.eye(2) / own.static
        inside = size(result.multiplier @ axes)
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
    c, s = np.cos(0.4), np.sin(0.4)
    result = solve(Quadratic(A, b), w, law=Elliptic(ratio, 0.4))
    assert SLIP in result.state
    # any D with the same D'D will do
    check_against_conic(A, b, w, result, 1e-7, np.diag([1.0, 1.0 / ratio]) @ np.array([[c, s], [-s, c]]))
    off = np.abs(result.velocity - solve(Quadratic(A, b), w).velocity).max()
    assert off >= 5e-3 * np.abs(result.velocity).max()  # the axes matter


@walk(
    make={
        "smooth": Smooth,
        "sliding": lambda v: Sliding(v, 2 * v, 1.0),
        "stiction": lambda v: SlidingStiction(v, 2 * v, 1.0, 1e3).for_stage(np.zeros((60, 2)), 0.0),
    }
)
def test_regularised_laws_creep_where_coulombs_sticks_and_tend_to_it_with_their_speed(make):
    A, b, w = PROBLEMS["random"]
    coulomb = solve(Quadratic(A, b), w)
    assert STICK in coulomb.state
    gaps = []
    for speed in (1.0, 1e-4, 1e-5, 1e-6):
        result = solve(Quadratic(A, b), w, law=make(speed))
        assert result.method == "regularised"
        assert result.velocity.any(axis=1).all()  # it creeps
        apart = result.velocity - coulomb.velocity
        # w |v| - potential <= w speed per node, and strong convexity
        assert 0.0 < 0.5 * apart.ravel() @ (A @ apart.ravel()) <= w.sum() * speed
        gaps.append(np.abs(apart).max())
    np.testing.assert_allclose(np.array(gaps[1:-1]) / gaps[2:], 10.0, rtol=0.05)


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
    assert unbalanced(A, b, v, law.force(v, w)) <= result.tolerance < 1e-9
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
    assert unbalanced(A, b, v, law.force(v, w)) <= result.tolerance < 1e-9


def one(mass_over_tau):
    return sp.csr_array(mass_over_tau * np.eye(2))


@pytest.mark.parametrize("law", [Stribeck(0.6, 0.2), Sliding(1e-3, 0.4, 0.6)], ids=["stribeck", "sliding"])
def test_a_step_too_long_for_the_falling_curve_is_refused_by_name_and_a_shorter_one_is_not(law):
    w, middle = np.array([3.0]), np.array([0.14])
    steepness = -3.0 * float(law.profile_slope(middle)[0])
    start = middle * DIRECTION[None]
    for share, unique in ((0.9, False), (1.1, True)):
        inertia = share * steepness
        push = inertia * middle + 3.0 * law.profile(middle)  # so that the start is a solution
        part = Quadratic(one(inertia), push * DIRECTION[None])
        if unique:
            result = solve(part, w, law=law, velocity=1.02 * start)
            np.testing.assert_allclose(result.velocity, start, rtol=1e-9)
        else:
            with pytest.raises(FrictionSolveError, match=r"step too long.*take a smaller step"):
                solve(part, w, law=law, velocity=start)


def test_newtons_method_on_the_falling_curve_stops_where_its_matrix_is_not_definite_and_says_with_what_residual():
    law, w, start = Stribeck(0.6, 0.2), np.array([3.0]), 0.15
    inertia = -1.5 * float(law.profile_slope(np.array([start]))[0])
    with pytest.raises(FrictionSolveError, match="step too long") as error:
        solve(Quadratic(one(inertia), 3.2 * DIRECTION[None]), w, law=law, velocity=start * DIRECTION[None])
    force = 3.0 * (0.6 + 0.4 * np.exp(-((start / 0.2) ** 2)))
    assert error.value.result.residual_slip == pytest.approx(abs(inertia * start + force - 3.2), rel=1e-12)


def test_a_block_at_rest_breaks_loose_at_the_static_bound_and_is_braked_by_the_kinetic_one():
    law, w, inertia = StaticKinetic(0.6), np.array([3.0]), 10.0
    moving = 0.1 * DIRECTION[None]
    known = ((2.5, None, 0.0), (2.5, 0.0 * moving, 0.0), (2.5, moving, 0.07))
    for push, reference, speed in (*known, (3.5, None, 0.17), (1.7, moving, 0.0), (-2.5, moving, -0.07)):
        result = solve(Quadratic(one(inertia), push * DIRECTION[None]), w, law=law, reference=reference)
        np.testing.assert_allclose(result.velocity[0], speed * DIRECTION, atol=1e-12)
        assert result.state[0] == (STICK if speed == 0.0 else REVERSED if speed < 0.0 else SLIP)
        expected = push if speed == 0.0 else np.sign(speed) * 1.8
        np.testing.assert_allclose(result.multiplier[0], expected * DIRECTION, rtol=1e-12)


def test_in_a_row_of_blocks_one_that_breaks_loose_takes_the_next_with_it_and_none_goes_back():
    nodes, spring = 6, 40.0
    chain = sp.diags_array(
        [np.full(nodes - 1, -spring), np.full(nodes, 2 * spring + 1.0), np.full(nodes - 1, -spring)], offsets=(-1, 0, 1)
    )
    A = sp.csr_array(sp.kron(chain, sp.eye_array(2)))
    b, w = np.zeros((nodes, 2)), np.ones(nodes)
    b[0, 0] = 2.4
    static = solve(Quadratic(A, b), w)
    result = solve(Quadratic(A, b), w, law=StaticKinetic(0.3))
    slid, alone = result.state != STICK, static.state != STICK
    assert slid.sum() > alone.sum() >= 1  # the load that the loose ones shed breaks others
    assert (alone <= slid).all()
    np.testing.assert_allclose(size(result.multiplier)[slid], 0.3, rtol=1e-14)
    assert unbalanced(A, b, result.velocity, result.multiplier) <= result.tolerance
    # what has not slipped keeps its static bound, and needs it
    assert 0.4 < size(result.multiplier)[~slid].max() <= 1.0
    # a start that slides everywhere does not lower the bound of what came in at rest
    again = solve(Quadratic(A, b), w, law=StaticKinetic(0.3), velocity=np.ones_like(b))
    np.testing.assert_allclose(again.velocity, result.velocity, atol=1e-12)


@dataclass(frozen=True)
class Labelled(Stribeck):
    """Stribeck's law with a field that is no number of its formula."""

    label: str = "steel on ice"


def test_a_law_that_is_derived_with_fields_of_its_own_has_the_formula_of_its_base():
    bound, block = np.array([3.0]), Quadratic(one(4.0), 5.0 * DIRECTION[None])
    own, known = (solve(block, bound, law=law) for law in (Labelled(0.6, 0.2), Stribeck(0.6, 0.2)))
    assert size(known.velocity) > 0.0
    np.testing.assert_array_equal(own.velocity, known.velocity)


FALLING = {
    "sliding": Sliding(1.0, 2.0, 0.6),
    "capped sliding": Sliding(1.0, 2.0, 0.6, cap=0.8),
    "spline": CoefficientSpline((0.0, 1.0, 2.0), (0.0, 1.0, 0.5)),
    "force-spline": ForceSpline((0.0, 1.0, 2.0), (0.0, 40.0, 10.0)),
    "limited": Limited(Sliding(1.0, 2.0, 0.6), 30.0),
    "stiction": SlidingStiction(1.0, 2.0, 0.6, 0.1),
}


@pytest.mark.parametrize("name", FALLING)
def test_no_tangent_on_the_way_has_an_eigenvalue_below_the_bound_and_some_way_comes_near_it(name):
    rng = np.random.default_rng(3)
    (start, end), w = 2.0 * rng.standard_normal((2, 40, 2)), rng.uniform(0.5, 1.5, 40)
    law = FALLING[name].with_total_load(w)
    if law.has_internal_state:
        law = law.for_stage(0.05 * rng.standard_normal((40, 2)), 0.05)
    assert law.velocity_weakening
    bound = law.least_tangent(start, end, w)
    eigenvalues = []
    for t in np.linspace(0.0, 1.0, 401):
        blocks = law.tangent(start + t * (end - start), w)
        eigenvalues.append(np.linalg.eigvalsh(0.5 * (blocks + blocks.transpose(0, 2, 1)))[:, 0])
    least = np.min(eigenvalues, axis=0)
    falling = least < -0.05
    assert falling.sum() > 20
    # 0.1 % of step5, more where a path turns through the fall
    assert (bound[falling] <= least[falling] * (1.0 - 5e-3)).all()
    room = 0.15 if name in ("capped sliding", "limited") else 0.02  # where the cap ends the look goes one point further
    assert (bound[falling] >= least[falling] * (1.0 + room)).all()


@rows("law", [Coulomb(), Smooth(0.1), Sliding(1.0, 2.0, 1.0), Limited(Smooth(0.1), 3.0)])
def test_laws_that_do_not_fall_say_so(law):
    assert not law.velocity_weakening


def test_of_two_roots_that_one_is_taken_which_the_motion_reaches_and_a_way_over_the_fall_is_refused():
    """One node, 0.3 v + 2 m(v) = 1.6: one root short of the peak m(1) = 1, one where m = 0.3 at v = 10/3, one between."""
    mass, w, law = 0.3, np.array([2.0]), Sliding(1.0, 2.0, 0.3)
    part = Quadratic(sp.csr_array(mass * np.eye(2)), np.array([[1.6, 0.0]]))
    far = solve(part, w, law=law, velocity=np.array([[4.0, 0.0]]))  # without a reference any root will do
    assert abs(far.velocity[0, 0] - (1.6 - 0.6) / mass) < 1e-9
    near = solve(part, w, law=law, velocity=np.array([[0.1, 0.0]]), reference=np.zeros((1, 2)))
    assert 0.3 < near.velocity[0, 0] < 0.6
    assert abs(mass * near.velocity[0, 0] + law.force(near.velocity, w)[0, 0] - 1.6) < 1e-9
    with pytest.raises(FrictionSolveError) as caught:  # the start that extrapolates past the peak
        solve(part, w, law=law, velocity=np.array([[4.0, 0.0]]), reference=np.zeros((1, 2)))
    assert caught.value.reason == "step too long"
    alone = solve(part, w, law=law, velocity=far.velocity, reference=np.array([[3.0, 0.0]]))  # it slides already
    assert abs(alone.velocity[0, 0] - far.velocity[0, 0]) < 1e-9
