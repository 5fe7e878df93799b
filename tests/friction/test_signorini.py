"""Contact nodes of elastic solids: Signorini's and Coulomb's laws, the normal forces unknown."""

from collections import Counter

import numpy as np
import pytest
import scipy.sparse
from friction_problems import pulled_plate
from signorini_problems import Linear, assert_laws, block, enumerated, step_problem

import friction
from friction import FactorCache
from friction.cone import OPEN, SLIPS, STICKS
from friction.nodal.contact import ContactNodes, SignoriniError, solve_contact
from friction.nodal.kernels import UNILATERAL
from friction.nodal.problem import NodalProblem, NodeLaws
from friction.nodal.transformed import LocalPart


def random_problem(rng, cells, *, static=False, turn=True):
    mu = float(rng.choice([0.1, 0.3, 0.8, 1.5, 3.0]))
    tau = float(rng.choice([0.1, 1.0] if static else [1e-4, 1e-3, 1e-2]))
    E = float(rng.choice([1e7, 1e9] if static else [1e5, 1e7]))
    return step_problem(cells, rng, tau=tau, E=E, mu=mu, push=float(rng.choice([0.1, 1.0, 10.0])), turn=turn)


@pytest.mark.parametrize("turn", [False, True])
def test_every_random_step_of_a_block_obeys_both_laws(turn):
    rng, seen, ways = np.random.default_rng(5), Counter(), Counter()
    for trial in range(40):
        part, contact = random_problem(rng, [(1, 1, 1), (2, 2, 1), (3, 3, 2)][trial % 3], turn=turn)
        result = solve_contact(part, contact, np.zeros_like(part.b))
        assert_laws(part, contact, result)
        seen.update(result.status.tolist())
        ways[result.method] += 1
        assert result.factorisations <= 25 or result.method != "newton"
    assert min(seen[OPEN], seen[SLIPS], seen[STICKS]) >= 20
    assert ways["newton"] >= 38


def test_nearly_static_steps_with_much_friction_are_solved_with_other_weights_or_along_the_smoothed_path():
    rng, ways = np.random.default_rng(6), Counter()
    for trial in range(30):
        part, contact = random_problem(rng, [(1, 1, 1), (2, 2, 1), (3, 3, 2)][trial % 3], static=True, turn=False)
        result = solve_contact(part, contact, np.zeros_like(part.b))
        assert_laws(part, contact, result)
        ways[result.method] += 1
    assert ways["newton"] >= 6
    assert ways["newton, smaller weight"] >= 2  # the diagonal of the matrix weighs too much in long steps
    assert ways["smoothed"] >= 3  # Newton's method alone would have failed


@pytest.mark.parametrize("stiff", [1.0, 1e6, 1e12])
def test_a_node_that_slips_slowly_slips_however_stiff_the_body(stiff):
    """p_t + k u_t = pull with p_t = μ p_n: u_t = (pull − μ p_n)/k, which only rounding of forces may call a stick."""
    part = Linear(
        scipy.sparse.csr_array(stiff * (np.eye(6) + 0.1 * np.ones((6, 6)))), np.array([[4.0, 0, -10.0], [0, 0, 0]])
    )
    contact = ContactNodes(nodes=np.array([0]), axes=np.eye(3)[None], mu=np.array([0.3]), ground=np.zeros((1, 3)))
    result = solve_contact(part, contact, np.zeros((2, 3)))
    assert_laws(part, contact, result)
    assert result.status[0] == SLIPS
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
            part, contact = random_problem(
                rng, [(1, 1, 1), (2, 2, 1), (4, 4, 2)][trial % 3], static=trial % 5 < 2, turn=turn
            )
            try:
                assert_laws(part, contact, solve_contact(part, contact, np.zeros_like(part.b)))
            except SignoriniError:
                unsolved += 1
                assert turn  # flat ground is always solved
    assert unsolved <= 4


def response_problem(rng, count):
    """A problem whose nodes are all in contact: (part, contact, response (3m, 3m), velocities (m, 3) without contact)."""
    root = rng.normal(size=(3 * count, 3 * count))
    A = root @ root.T + 0.3 * np.eye(3 * count)
    b = rng.normal(size=(count, 3)) * [1.0, 1.0, 1.0] - [0.0, 0.0, 1.0]
    axes = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    contact = ContactNodes(
        nodes=np.arange(count), axes=axes, mu=rng.uniform(0.1, 0.5, count), ground=0.3 * rng.normal(size=(count, 3))
    )
    T = scipy.sparse.block_diag(axes).toarray()
    inverse = np.linalg.inv(A)
    free = (T @ inverse @ b.ravel()).reshape(-1, 3) - contact.ground
    return Linear(scipy.sparse.csr_array(A), b), contact, T @ inverse @ T.T, free


def test_two_nodes_take_the_forces_that_trying_all_states_finds():
    rng, seen = np.random.default_rng(3), set()
    for _ in range(12):
        part, contact, response, free = response_problem(rng, 2)
        solutions = enumerated(response, free, contact.mu)
        assert solutions
        result = solve_contact(part, contact, np.zeros_like(part.b))
        assert min(np.abs(result.force - p).max() for p in solutions) <= 1e-7 * (1.0 + np.abs(result.force).max())
        seen |= set(result.status.tolist())
    assert seen == {OPEN, SLIPS, STICKS}


def test_under_its_weight_a_plate_moves_as_the_plane_solver_says_with_the_given_bounds():
    A, b, w = pulled_plate(8, 1e8, 1e-3, 1.7)
    mu = 0.4
    nodes = len(w)
    places = np.array([3 * (i // 2) + i % 2 for i in range(2 * nodes)])
    entries = scipy.sparse.coo_array(A)
    upright = 3 * np.arange(nodes) + 2
    cells = entries.row, entries.col
    full = np.stack(np.meshgrid(np.arange(3), np.arange(3)), -1).reshape(-1, 2)
    pairs = np.unique(np.stack(cells, 1) // 2, axis=0)
    zeros = np.concatenate([3 * pairs + own for own in full])
    rows = np.concatenate([places[cells[0]], upright, zeros[:, 0]])
    columns = np.concatenate([places[cells[1]], upright, zeros[:, 1]])
    data = np.concatenate([entries.data, np.full(nodes, 7.0), np.zeros(len(zeros))])
    space = scipy.sparse.csr_array(scipy.sparse.coo_array((data, (rows, columns)), shape=(3 * nodes,) * 2))
    part = Linear(space, np.column_stack([b, -w / mu]))
    flat = np.tile(np.eye(3), (nodes, 1, 1))
    contact = ContactNodes(nodes=np.arange(nodes), axes=flat, mu=np.full(nodes, mu), ground=np.zeros((nodes, 3)))
    result = solve_contact(part, contact, np.zeros((nodes, 3)))
    plane = friction.solve(friction.Quadratic(A, b), w)
    assert 0 < np.count_nonzero(plane.state == friction.STICK) < nodes
    speed = np.abs(plane.velocity).max()
    np.testing.assert_allclose(result.velocity[:, :2], plane.velocity, atol=1e-9 * speed)
    np.testing.assert_allclose(result.force[:, :2], -plane.multiplier, atol=1e-8 * w.max())
    np.testing.assert_allclose(result.force[:, 2], w / mu, rtol=1e-10)
    np.testing.assert_array_equal(result.status == STICKS, plane.state == friction.STICK)


def test_a_newton_step_is_that_of_all_velocities_and_forces_together():
    """The step with eliminated rows against the full linearised system in (v, p), solved densely."""
    rng = np.random.default_rng(8)
    part, contact = step_problem((2, 2, 1), rng, mu=0.6)
    faced, count, m, n = (LocalPart(part, contact.nodes, contact.axes), len(part.b), len(contact.nodes), part.b.size)
    mu, kind, none = np.zeros(count), np.zeros(count, np.int8), np.zeros(count, bool)
    mu[contact.nodes], kind[contact.nodes] = contact.mu, UNILATERAL
    laws = NodeLaws(np.zeros(count), mu, kind, none, np.zeros((count, 3), bool))
    cache = FactorCache(part.indptr, part.indices, d=3, symmetric=False)
    ground = np.zeros(part.b.shape)
    ground[contact.nodes] = contact.ground
    problem = NodalProblem(part=faced, laws=laws, cache=cache, ground=ground)
    u = 0.1 * rng.normal(size=part.b.shape)
    part.b[contact.nodes[0]] += 1e5 * contact.axes[0, 2]  # pulled off
    data = problem.hessian(u)
    at, v = problem.evaluate(u), faced.velocity(u)
    problem.linearise(u, at.g, 0.0)
    p, kappa = at.g[contact.nodes], problem.cache.r[contact.nodes]
    assert len({tuple(held) for held in problem.held[contact.nodes]}) == 3  # open, slipping and sticking nodes
    ahead = faced.velocity(u + problem.newton_step(data, at)[0])
    B = np.zeros((3 * m, n))
    for i, node in enumerate(contact.nodes):
        B[3 * i : 3 * i + 3, 3 * node : 3 * node + 3] = contact.axes[i]
    matrix, rhs = np.zeros((n + 3 * m, n + 3 * m)), np.zeros(n + 3 * m)
    matrix[:n, :n], matrix[:n, n:] = part.matrix.toarray(), -B.T
    rhs[:n] = -part.gradient(v).ravel()
    for i in range(m):
        own, row, u = n + 3 * i, n + 3 * i, problem.relative(at.v)[contact.nodes[i]]
        tau, sigma = p[i, :2] - kappa[i] * u[:2], p[i, 2] - kappa[i] * u[2]
        velocity = B[3 * i : 3 * i + 3]
        if sigma <= 0.0:
            matrix[row : row + 3, own : own + 3] = np.eye(3)
        elif np.hypot(*tau) <= contact.mu[i] * sigma:
            matrix[row : row + 3, :n], rhs[row : row + 3] = velocity, -u
        else:
            normal, q = tau / np.hypot(*tau), contact.mu[i] * sigma / np.hypot(*tau)
            across = np.eye(2) - np.outer(normal, normal)
            matrix[row + 2, :n], rhs[row + 2] = velocity[2], -u[2]
            matrix[row : row + 2, own : own + 2] = np.eye(2) - q * across
            matrix[row : row + 2, own + 2] = -contact.mu[i] * normal
            matrix[row : row + 2, :n] = q * kappa[i] * across @ velocity[:2]
            rhs[row : row + 2] = -q * kappa[i] * across @ u[:2]
    step = np.linalg.solve(matrix, rhs)[:n].reshape(-1, 3)
    np.testing.assert_allclose(ahead - v, step, atol=1e-9 * np.abs(step).max())


def test_a_node_at_rest_bears_its_static_coefficient_and_slips_with_the_kinetic_one():
    places, K, mass = block((2, 2, 1))
    base = np.flatnonzero(places[:, 2] == 0.0)
    A = 1e-3 * K
    A.setdiag(A.diagonal() + np.repeat(mass / 1e-3, 3))

    def pulled(share, resting):
        b = np.outer(mass, [9.81 * share, 0.0, -9.81])
        flat, kinetic = np.tile(np.eye(3), (len(base), 1, 1)), np.full(len(base), 0.3)
        contact = ContactNodes(
            nodes=base, axes=flat, mu=kinetic, ground=np.zeros((len(base), 3)),
            static=np.full(len(base), 0.6), resting=np.full(len(base), resting),
        )  # fmt: skip
        return solve_contact(Linear(A, b), contact, np.zeros_like(b))

    rest, slipping, over = pulled(0.4, True), pulled(0.4, False), pulled(0.9, True)
    assert rest.status.tolist() == [STICKS] * len(base)
    assert not rest.slip[:, :2].any()
    assert SLIPS in slipping.status
    assert over.status.tolist() == [SLIPS] * len(base)
    drag = -over.force[:, 0].sum() / over.force[:, 2].sum()
    np.testing.assert_allclose(drag, 0.3, rtol=1e-3)  # the nodes' directions differ a little
    assert abs(rest.force[:, 0].sum()) > 0.35 * rest.force[:, 2].sum()


def test_a_node_that_is_held_takes_more_than_friction_would_bear():
    rng = np.random.default_rng(2)
    part, contact = step_problem((2, 2, 1), rng, mu=0.05, turn=False)
    loose = solve_contact(part, contact, np.zeros_like(part.b))
    one = int(np.flatnonzero(loose.status == SLIPS)[0])
    mu = contact.mu.copy()
    mu[one] = np.inf
    tied = solve_contact(
        part, ContactNodes(nodes=contact.nodes, axes=contact.axes, mu=mu, ground=contact.ground), np.zeros_like(part.b)
    )
    if tied.status[one] != OPEN:
        assert tied.status[one] == STICKS
        assert np.hypot(*tied.force[one, :2]) > 0.05 * tied.force[one, 2]
    assert np.isfinite(tied.force).all()


def test_a_factor_serves_on_while_little_changes_and_an_unsymmetric_one_finds_the_same():
    rng = np.random.default_rng(4)
    part, contact = step_problem((6, 6, 4), rng, mu=0.4, turn=False)
    cache = FactorCache(part.indptr, part.indices, d=3)
    first = solve_contact(part, contact, np.zeros_like(part.b), cache=cache)
    part.b = 1.01 * part.b
    warm = solve_contact(part, contact, first.velocity, cache=cache)
    assert first.factorisations >= 1
    assert warm.factorisations <= 1
    assert warm.iterations <= 8
    assert_laws(part, contact, warm)
    direct = FactorCache(part.indptr, part.indices, d=3, symmetric=False)
    again = solve_contact(part, contact, first.velocity, cache=direct)
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
            contact = ContactNodes(
                nodes=base, axes=np.tile(np.eye(3), (len(base), 1, 1)), mu=np.full(len(base), 0.3),
                ground=np.column_stack([np.zeros((len(base), 2)), (np.minimum(gap, 0.0) - gap) / tau]),
            )  # fmt: skip
            result = solve_contact(part, contact, v, cache=cache)
            assert result.method == "newton"
            v, x = result.velocity, x + tau * result.velocity
            states.update(result.status.tolist())
            factorisations.append(result.factorisations)
            assert result.solves <= 40 * max(result.iterations, 1)
        assert {STICKS, SLIPS} <= states
        assert np.abs(x[base, 2][result.status != OPEN]).max() <= 1e-15
        mean.append(np.mean(factorisations[2:]))
    assert max(mean) <= 4.0  # a stage; a step of two then takes eight
    assert mean[1] <= 1.5 * mean[0] + 0.5  # whatever the mesh


def test_prescribed_velocities_stay_and_a_block_without_contact_flies():
    rng = np.random.default_rng(9)
    part, contact = step_problem((2, 2, 2), rng, mu=0.5)
    fixed = np.zeros(part.b.shape, np.bool_)
    clamp = np.setdiff1d(np.arange(len(fixed)), contact.nodes)[-3:]
    fixed[clamp] = True
    start = np.zeros_like(part.b)
    start[clamp] = [0.1, 0.2, 0.3]
    result = solve_contact(part, contact, start, fixed=fixed)
    np.testing.assert_array_equal(result.velocity[clamp], start[clamp])
    assert_laws(part, contact, result, fixed=fixed)
    none = ContactNodes(nodes=[], axes=np.zeros((0, 3, 3)), mu=[], ground=np.zeros((0, 3)))
    flying = solve_contact(part, none, start)
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
    rng = np.random.default_rng(10)
    part, contact = step_problem((3, 3, 2), rng, mu=0.4)
    hard = Hardening(part.matrix, part.b)
    result = solve_contact(hard, contact, np.zeros_like(part.b))
    assert np.abs(result.velocity - solve_contact(part, contact, np.zeros_like(part.b)).velocity).max() > 1e-3
    assert_laws(hard, contact, result)


def test_what_has_no_solution_ends_by_name_with_the_least_residual():
    part, contact, _, _ = response_problem(np.random.default_rng(1), 3)
    wrong = Linear(0.0 * part.matrix, part.b)
    with pytest.raises(
        SignoriniError, match=r"the least residual is .* N, over a tolerance of .* N; take a smaller step"
    ):
        solve_contact(wrong, contact, np.zeros_like(part.b))
    nothing = Linear(part.matrix, part.b * np.nan)
    with pytest.raises(SignoriniError):
        solve_contact(nothing, contact, np.zeros_like(part.b))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mu": [-0.1, 0.1, 0.1]}, "mu must not be negative"),
        ({"mu": [0.1]}, "mu must have shape"),
        ({"axes": np.ones((3, 3, 3))}, "orthonormal"),
        ({"ground": np.full((3, 3), np.nan)}, "ground must be finite"),
        ({"static": [0.5, 0.5, 0.5]}, "come together"),
        ({"static": [0.0, 0.5, 0.5], "resting": [True] * 3}, "static must not be below mu"),
    ],
)
def test_contacts_that_cannot_be_are_refused_in_one_line(change, message):
    given = {"nodes": [0, 1, 2], "axes": np.tile(np.eye(3), (3, 1, 1)), "mu": [0.3] * 3, "ground": np.zeros((3, 3))}
    with pytest.raises(ValueError, match=message):
        ContactNodes(**(given | change))


def test_fixed_contact_nodes_and_other_sparsities_are_refused():
    part, contact, _, _ = response_problem(np.random.default_rng(1), 3)
    v = np.zeros((3, 3))
    for arguments, message in (
        ({"fixed": np.ones((3, 3), bool)}, "may not be fixed"),
        ({"fixed": np.ones(3, bool)}, "fixed must have shape"),
        (
            {"cache": FactorCache(np.arange(0, 13, 2), np.tile([0, 1], 6) % 2 + np.repeat([0, 2, 4], 4))},
            "another sparsity",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            solve_contact(part, contact, v, **arguments)
    with pytest.raises(ValueError, match="3x3 node blocks"):
        FactorCache(np.arange(4, dtype=np.int32), np.arange(3, dtype=np.int32), d=3)
