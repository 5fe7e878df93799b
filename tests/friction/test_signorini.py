"""Contact nodes of elastic solids, also in touch with several planes: Signorini's and Coulomb's laws, normal forces unknown."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from friction_problems import pulled_plate
from rows import rows
from signorini_problems import Linear, assert_laws, block, flat, step_problem

import friction
from friction import FactorCache
from friction.nodal.contact import ContactNodes, SignoriniError, solve_contact
from friction.status import OPEN, SLIP, STICK


def random_problem(rng, cells, *, static=False, turn=True):
    mu = float(rng.choice([0.1, 0.3, 0.8, 1.5, 3.0]))
    tau = float(rng.choice([0.1, 1.0] if static else [1e-4, 1e-3, 1e-2]))
    E = float(rng.choice([1e7, 1e9] if static else [1e5, 1e7]))
    return step_problem(cells, rng, tau=tau, E=E, mu=mu, push=float(rng.choice([0.1, 1.0, 10.0])), turn=turn)


def solved(trials, make):
    """Results of problems of three sizes by turns, each obeying both laws, and how often each method was met."""
    results = []
    for trial in range(trials):
        part, contact = make([(1, 1, 1), (2, 2, 1), (3, 3, 2)][trial % 3])
        results.append(solve_contact(part, contact, np.zeros_like(part.b)))
        assert_laws(part, contact, results[-1])
        assert results[-1].factorisations <= 25 or results[-1].method != "newton"
    return results, Counter(result.method for result in results)


@pytest.mark.parametrize("turn", [False, True])
def test_every_random_step_of_a_block_obeys_both_laws(turn):
    rng = np.random.default_rng(5)
    results, methods = solved(40, lambda cells: random_problem(rng, cells, turn=turn))
    seen = Counter(np.concatenate([result.status for result in results]).tolist())
    assert min(seen[OPEN], seen[SLIP], seen[STICK]) >= 20
    assert methods["newton"] >= 38


def test_nearly_static_steps_with_much_friction_are_solved_with_other_weights_or_along_the_smoothed_path():
    rng = np.random.default_rng(7)
    _, methods = solved(20, lambda cells: random_problem(rng, cells, static=True, turn=False))
    assert methods["newton"] >= 4
    assert methods["newton, smaller weight"] >= 2  # the diagonal of the matrix weighs too much in long steps
    assert methods["smoothed"] >= 3  # Newton's method alone would have failed


def test_nodes_on_the_border_of_stick_rest_and_bear_no_ulp_more_than_their_bound():
    rng, nodes = np.random.default_rng(3), np.arange(200)
    angle, pull = 7.0 * rng.random(200), 0.3 * (1.0 + 1e-14 * rng.uniform(-1.0, 1.0, 200))
    forces = np.column_stack([pull * np.cos(angle), pull * np.sin(angle), -np.ones(200)]) * rng.uniform(1, 10, (200, 1))
    part = Linear(sp.bsr_array((np.tile(np.eye(3), (200, 1, 1)), nodes, np.arange(201))), forces)
    result = solve_contact(part, flat(nodes, 0.3), np.zeros((200, 3)))
    size, bound = np.hypot(*result.force[:, :2].T), 0.3 * result.force[:, 2]
    assert np.all((result.status == STICK) & (size <= bound) & (size > 0.999999 * bound))


@pytest.mark.parametrize("stiff", [1.0, 1e6, 1e12])
def test_a_node_that_slips_slowly_slips_however_stiff_the_body(stiff):
    """p_t + k u_t = pull with p_t = μ p_n: u_t = (pull − μ p_n)/k, which only rounding of forces may call a stick."""
    part, contact = Linear(stiff * (np.eye(6) + 0.1), np.array([[4.0, 0, -10.0], [0, 0, 0]])), flat([0], 0.3)
    result = solve_contact(part, contact, np.zeros((2, 3)))
    assert_laws(part, contact, result)
    assert result.status[0] == SLIP
    assert result.slip[0, 0] * stiff == pytest.approx(0.9, rel=0.15)


def test_a_contact_too_far_to_be_reached_changes_no_digit_and_no_tolerance():
    """The speed that would close it in the stage is 1e9 m/s, and its last digit a tenth of the velocities."""
    part, near = step_problem((2, 2, 1), np.random.default_rng(11), mu=0.4)
    alone = solve_contact(part, near, np.zeros_like(part.b))
    far = np.setdiff1d(np.arange(len(part.b)), near.nodes)
    contact = ContactNodes(
        nodes=np.concatenate([near.nodes, far]), axes=np.concatenate([near.axes, np.tile(np.eye(3), (len(far), 1, 1))]),
        mu=np.full(len(part.b), 0.4), ground=np.concatenate([near.ground, np.tile([0.0, 0.0, -1e9], (len(far), 1))]),
    )  # fmt: skip
    result = solve_contact(part, contact, np.zeros_like(part.b))
    assert_laws(part, contact, result)
    assert (alone.status != OPEN).any()
    assert result.tolerance == pytest.approx(alone.tolerance, rel=0.1)
    np.testing.assert_allclose(result.velocity, alone.velocity, atol=1e-9 * np.abs(alone.velocity).max())


@pytest.mark.slow
def test_all_but_one_of_1200_random_problems_are_solved():
    unsolved = 0
    for turn in (False, True):
        rng = np.random.default_rng(1)
        for trial in range(600):
            cells = [(1, 1, 1), (2, 2, 1), (4, 4, 2)][trial % 3]
            part, contact = random_problem(rng, cells, static=trial % 5 < 2, turn=turn)
            try:
                assert_laws(part, contact, solve_contact(part, contact, np.zeros_like(part.b)))
            except SignoriniError:
                unsolved += 1
                assert turn  # flat ground is always solved
    assert unsolved <= 4


def response_problem(rng, count):
    """A problem whose nodes are all in contact: (part, contact)."""
    root = rng.normal(size=(3 * count, 3 * count))
    A = root @ root.T + 0.3 * np.eye(3 * count)
    b = rng.normal(size=(count, 3)) - [0.0, 0.0, 1.0]
    contact = flat(np.arange(count), 0.3)
    axes, ground = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0], 0.3 * rng.normal(size=(count, 3))
    return Linear(A, b), replace(contact, axes=axes, mu=rng.uniform(0.1, 0.5, count), ground=ground)


def test_nodes_that_are_all_in_contact_through_any_matrix_obey_both_laws():
    rng = np.random.default_rng(3)
    results, _ = solved(36, lambda cells: response_problem(rng, cells[0] + 1))
    assert set(np.concatenate([result.status for result in results])) == {OPEN, SLIP, STICK}


def test_under_its_weight_a_plate_moves_as_the_plane_solver_says_with_the_given_bounds():
    A, b, w = pulled_plate(8, 1e8, 1e-3, 1.7)
    mu, nodes = 0.4, len(w)
    space = np.zeros((nodes, 3, nodes, 3))
    space[:, :2, :, :2] = A.toarray().reshape(nodes, 2, nodes, 2)
    space[np.arange(nodes), 2, np.arange(nodes), 2] = 7.0
    part = Linear(space.reshape(3 * nodes, -1), np.column_stack([b, -w / mu]), full=True)
    contact = flat(np.arange(nodes), mu)
    result = solve_contact(part, contact, np.zeros((nodes, 3)))
    plane = friction.solve(friction.Quadratic(A, b), w)
    assert 0 < np.count_nonzero(plane.state == friction.STICK) < nodes
    speed = np.abs(plane.velocity).max()
    np.testing.assert_allclose(result.velocity[:, :2], plane.velocity, atol=1e-9 * speed)
    np.testing.assert_allclose(result.force[:, :2], -plane.multiplier, atol=1e-8 * w.max())
    np.testing.assert_allclose(result.force[:, 2], w / mu, rtol=1e-10)
    np.testing.assert_array_equal(result.status == STICK, plane.state == friction.STICK)


def test_a_node_at_rest_bears_its_static_coefficient_and_slips_with_the_kinetic_one():
    places, K, mass = block((2, 2, 1))
    base, A = np.flatnonzero(places[:, 2] == 0.0), 1e-3 * K
    A.setdiag(A.diagonal() + np.repeat(mass / 1e-3, 3))

    def pulled(share, resting):
        b = np.outer(mass, [9.81 * share, 0.0, -9.81])
        contact = flat(base, 0.3, static=np.full(len(base), 0.6), resting=np.full(len(base), resting))
        return solve_contact(Linear(A, b), contact, np.zeros_like(b))

    rest, slipping, over = pulled(0.4, True), pulled(0.4, False), pulled(0.9, True)
    assert rest.status.tolist() == [STICK] * len(base)
    assert not rest.slip[:, :2].any()
    assert SLIP in slipping.status
    assert over.status.tolist() == [SLIP] * len(base)
    # the nodes' directions differ a little
    np.testing.assert_allclose(-over.force[:, 0].sum() / over.force[:, 2].sum(), 0.3, rtol=1e-3)
    assert abs(rest.force[:, 0].sum()) > 0.35 * rest.force[:, 2].sum()


def test_a_node_that_is_held_takes_more_than_friction_would_bear():
    part, contact = step_problem((2, 2, 1), np.random.default_rng(2), mu=0.05, turn=False)
    loose = solve_contact(part, contact, np.zeros_like(part.b))
    one = int(np.flatnonzero(loose.status == SLIP)[0])
    tied = replace(contact, mu=np.where(np.arange(len(contact.mu)) == one, np.inf, contact.mu))
    held = solve_contact(part, tied, np.zeros_like(part.b))
    assert held.status[one] == STICK
    assert np.hypot(*held.force[one, :2]) > 0.05 * held.force[one, 2]


def test_a_factor_serves_on_while_little_changes_and_an_unsymmetric_one_finds_the_same():
    part, contact = step_problem((6, 6, 4), np.random.default_rng(4), mu=0.4, turn=False)
    cache = FactorCache(part.indptr, part.indices, d=3)
    first = solve_contact(part, contact, np.zeros_like(part.b), cache=cache)
    part.b = 1.01 * part.b
    warm = solve_contact(part, contact, first.velocity, cache=cache)
    assert first.factorisations >= 1
    assert warm.factorisations <= 1
    assert warm.iterations <= 8
    assert_laws(part, contact, warm)
    cache = FactorCache(part.indptr, part.indices, d=3, symmetric=False)
    again = solve_contact(part, contact, first.velocity, cache=cache)
    assert again.factorisations >= 1
    np.testing.assert_allclose(again.force, warm.force, atol=1e-8 * np.abs(warm.force).max())


def test_warm_stages_of_a_pulled_cube_take_few_factorisations_on_every_mesh():
    tau, mean = 1e-2, []
    for cells in (3, 6):
        places, K, mass = block((cells, cells, cells))
        base, side = np.flatnonzero(places[:, 2] == 0.0), np.flatnonzero(places[:, 0] == 1.0)
        A = tau * K
        A.setdiag(A.diagonal() + np.repeat(mass / tau, 3))
        part = Linear(A, np.zeros((len(mass), 3)))
        cache = FactorCache(part.indptr, part.indices, d=3)
        x, v, weight, factorisations, states = 0.0 * places, 0.0 * places, 9.81 * mass.sum(), [], set()
        for step in range(12):
            force = np.outer(mass, [0.0, 0.0, -9.81])
            force[side] += 0.04 * weight * (step + 1) * np.array([1.0, 0.2, 0.0]) / len(side)
            part.b = (mass / tau)[:, None] * v + force - (K @ x.ravel()).reshape(-1, 3)
            gap = x[base, 2]
            reached = np.column_stack([np.zeros((len(base), 2)), (np.minimum(gap, 0.0) - gap) / tau])
            contact = replace(flat(base, 0.3), ground=reached)
            result = solve_contact(part, contact, v, cache=cache)
            assert result.method == "newton"
            v, x = result.velocity, x + tau * result.velocity
            states.update(result.status.tolist())
            factorisations.append(result.factorisations)
            assert result.solves <= 40 * max(result.iterations, 1)
        assert {STICK, SLIP} <= states
        assert np.abs(x[base, 2][result.status != OPEN]).max() <= 1e-15
        mean.append(np.mean(factorisations[2:]))
    assert max(mean) <= 4.0  # a stage; a step of two then takes eight
    assert mean[1] <= 1.5 * mean[0] + 0.5  # whatever the mesh


def test_prescribed_velocities_stay_and_a_block_without_contact_flies():
    part, contact = step_problem((2, 2, 2), np.random.default_rng(9), mu=0.5)
    fixed = np.zeros(part.b.shape, np.bool_)
    clamp = np.setdiff1d(np.arange(len(fixed)), contact.nodes)[-3:]
    fixed[clamp] = True
    start = np.zeros_like(part.b)
    start[clamp] = [0.1, 0.2, 0.3]
    result = solve_contact(part, contact, start, fixed=fixed)
    np.testing.assert_array_equal(result.velocity[clamp], start[clamp])
    assert_laws(part, contact, result, fixed=fixed)
    flying = solve_contact(part, flat([], 0.0), start)
    np.testing.assert_allclose(part.matrix @ flying.velocity.ravel(), part.b.ravel(), atol=1e-9 * np.abs(part.b).max())


class Hardening(Linear):
    """g(v) = A v + c v³ − b."""

    linear = False

    def gradient(self, v):
        return super().gradient(v) + 50.0 * v**3

    def hessian(self, v):
        matrix = self.matrix.copy()
        matrix.setdiag(matrix.diagonal() + 150.0 * v.ravel() ** 2)
        return matrix.data


def test_a_nonlinear_part_is_solved_to_the_same_laws():
    part, contact = step_problem((3, 3, 2), np.random.default_rng(10), mu=0.4)
    hard = Hardening(part.matrix, part.b)
    result = solve_contact(hard, contact, np.zeros_like(part.b))
    assert np.abs(result.velocity - solve_contact(part, contact, np.zeros_like(part.b)).velocity).max() > 1e-3
    assert_laws(hard, contact, result)


def test_what_has_no_solution_ends_by_name_with_the_least_residual():
    part, contact = response_problem(np.random.default_rng(1), 3)
    wrong = Linear(0.0 * part.matrix, part.b)
    words = r"the least residual is .* N, over a tolerance of .* N; take a smaller step"
    with pytest.raises(SignoriniError, match=words):
        solve_contact(wrong, contact, np.zeros_like(part.b))
    with pytest.raises(SignoriniError):
        solve_contact(Linear(part.matrix, part.b * np.nan), contact, np.zeros_like(part.b))


THREE = {"nodes": [0, 1, 2], "axes": np.tile(np.eye(3), (3, 1, 1)), "mu": [0.3] * 3, "ground": np.zeros((3, 3))}
PART, CONTACT = response_problem(np.random.default_rng(1), 3)
PAIRS = FactorCache(np.arange(0, 13, 2), np.tile([0, 1], 6) + np.repeat([0, 2, 4], 4))


def contacts(**change):
    return ContactNodes(**(THREE | change))


def solve_three(**arguments):
    return solve_contact(PART, CONTACT, np.zeros((3, 3)), **arguments)


@rows(
    ("call", "message"),
    [
        (lambda: contacts(mu=[-0.1, 0.1, 0.1]), "mu must not be negative"),
        (lambda: contacts(mu=[0.1]), "mu must have shape"),
        (lambda: contacts(axes=np.ones((3, 3, 3))), "orthonormal"),
        (lambda: contacts(ground=np.full((3, 3), np.nan)), "ground must be finite"),
        (lambda: contacts(static=[0.5, 0.5, 0.5]), "come together"),
        (lambda: contacts(static=[0.0, 0.5, 0.5], resting=[True] * 3), "static must not be below mu"),
        (lambda: solve_three(fixed=np.ones((3, 3), bool)), "may not be fixed"),
        (lambda: solve_three(fixed=np.ones(3, bool)), "fixed must have shape"),
        (lambda: solve_three(cache=PAIRS), "another sparsity"),
        (lambda: FactorCache(np.arange(4, dtype=np.int32), np.arange(3, dtype=np.int32), d=3), "3x3 node blocks"),
    ],
)
def test_contacts_that_cannot_be_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def groove_problem(rng, cells, faces):
    """A stage of a block each of whose base nodes may touch ``faces`` planes of one slope, which meet below it."""
    part, base = step_problem(cells, rng, tau=float(rng.choice([1e-4, 1e-3, 1e-2])), push=1.0)
    count, slope, around = len(base.nodes), rng.uniform(0.3, 1.2), 2.0 * np.pi * np.arange(faces) / faces
    outward = np.sin(slope) * np.array([np.cos(around), np.sin(around)])
    normals = np.vstack([outward, np.full(faces, np.cos(slope))]).T
    turned = np.linalg.qr(np.concatenate([normals[:, :, None], rng.normal(size=(faces, 3, 2))], axis=2))[0]
    axes = turned[:, :, [1, 2, 0]]
    axes *= np.sign(np.einsum("kak,ka->k", axes[:, :, [2] * faces], normals))[:, None, None]
    chosen = np.repeat(axes.transpose(0, 2, 1), count, axis=0)
    friction = float(rng.choice([0.05, 0.1, 0.3, 0.8]))
    return part, replace(flat(np.tile(base.nodes, faces), friction), axes=chosen)


@pytest.mark.parametrize("faces", [2, 3])
def test_nodes_that_touch_several_planes_obey_both_laws_at_each(faces):
    rng = np.random.default_rng(4)
    results, methods = solved(25, lambda cells: groove_problem(rng, cells, faces))
    pressed = [(result.force[:, 2] > 0.0).reshape(faces, -1).all(axis=0).sum() for result in results]
    assert sum(pressed) >= 10  # nodes in touch with all planes
    assert methods["newton"] >= 20


def test_a_node_that_sticks_in_a_groove_has_the_forces_of_least_norm():
    """Both forces are free of each other; of all splits of the load 2 p into p + q and p − q the smallest is q = 0."""
    part = Linear(np.eye(3) + 0.1, np.array([[0.3, 0.0, -10.0]]))
    slope = np.pi / 6.0
    axes = [[[np.cos(a), 0.0, -np.sin(a)], [0.0, 1.0, 0.0], [np.sin(a), 0.0, np.cos(a)]] for a in (slope, -slope)]
    contact = ContactNodes(nodes=[0, 0], axes=np.array(axes), mu=[0.7, 0.7], ground=np.zeros((2, 3)))
    result = solve_contact(part, contact, np.zeros((1, 3)))
    in_space = np.einsum("mab,ma->mb", contact.axes, result.force)
    assert np.all(result.status == STICK)
    assert not result.velocity.any()
    np.testing.assert_allclose(in_space, np.tile([-0.15, 0.0, 5.0], (2, 1)), atol=1e-9)
    part.b[:] = [[1.0, 0.0, -10.0]]  # the friction cone of one no longer takes half of it
    result = solve_contact(part, contact, np.zeros((1, 3)))
    assert_laws(part, contact, result)


@pytest.mark.parametrize("excess", [1e-2, 1e-4, 1e-5])
def test_a_node_that_slips_slowly_along_a_corner_is_solved_by_newton(excess):
    """Floor and wall bear the forces of the answer; slip across the motion meets μ p_n/|u| there, far more than the matrix."""
    weight, press, mu, matrix = 7.0, 3.0, np.array([0.55, 0.8]), 40.0 * (np.eye(3) + 0.1)
    bound = mu @ [weight, press]
    velocity = np.array([1e-2 * excess * bound, 0.0, 0.0])
    part = Linear(matrix, (matrix @ velocity + [bound, press, -weight])[None])
    axes = np.array([np.eye(3), [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]])
    contact = ContactNodes(nodes=[0, 0], axes=axes, mu=mu, ground=np.zeros((2, 3)))
    result = solve_contact(part, contact, np.zeros((1, 3)))
    assert result.method == "newton"
    assert np.all(result.status == SLIP)
    # friction across the motion counts by r |u|/w in the residual, and unloads the other plane
    across = result.tolerance / excess
    np.testing.assert_allclose(matrix @ result.velocity[0], matrix @ velocity, atol=2.0 * across)
    assert np.abs(result.force[:, 1]).max() < 2.0 * across
    np.testing.assert_allclose(result.force[:, 2], [weight, press], atol=2.0 * across)
