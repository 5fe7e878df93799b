"""Friction under a clamped edge: a full stiffness, some motions prescribed, against a cone solver and closed forms."""

from dataclasses import dataclass

import clarabel
import numpy as np
import pytest
from scipy import sparse

from floating_frame.errors import RigidFrictionError
from friction.rigid import kernels
from friction.rigid.problem import RigidFrictionProblem, RigidSlip
from friction.rigid.solve import solve_rigid_friction

MASKS = [(True, False, False), (False, True, False), (False, False, True), (True, True, False), (True, False, True),
         (False, True, True), (True, True, True)]  # fmt: skip


@dataclass(frozen=True)
class Row:
    """Points on a line, as a clamped edge has them."""

    stiffness: np.ndarray
    wrench: np.ndarray
    arms: np.ndarray
    weights: np.ndarray
    free: np.ndarray
    prescribed: np.ndarray

    @property
    def maps(self):
        ones, zero = np.ones(len(self.arms)), np.zeros(len(self.arms))
        d = self.arms
        return np.stack([np.stack([ones, zero, -d[:, 1]], 1), np.stack([zero, ones, d[:, 0]], 1)], 1)

    def solve(self):
        given = {"wrench": self.wrench, "arms": self.arms, "bound": self.weights}
        problem = RigidFrictionProblem(inertia=self.stiffness, free=self.free, prescribed=self.prescribed, **given)
        return solve_rigid_friction(problem, RigidSlip(np.zeros(3), np.zeros_like(self.arms)))

    def energy(self, p):
        return 0.5 * p @ self.stiffness @ p - self.wrench @ p + self.weights @ np.linalg.norm(self.maps @ p, axis=1)

    def conic(self):
        """The minimiser by Clarabel: min ½pᵀSp − cᵀp + w·t, (t_i, v_i(p)) in the second-order cone, p_j given or free."""
        n, held = len(self.arms), np.flatnonzero(~self.free)
        reach = np.abs(self.arms).max()
        unit = np.array([1.0, 1.0, 1.0 / reach])
        force = max(self.weights.sum(), np.abs(self.wrench * unit).max())
        speed = max(force / np.abs(self.stiffness).max(), np.abs(self.prescribed / unit).max())
        quadratic = self.stiffness * np.outer(unit, unit) * speed / force
        p = sparse.block_diag([quadratic, sparse.csc_matrix((n, n))]).tocsc()
        q = np.concatenate([-self.wrench * unit / force, self.weights / force])
        equal = np.zeros((len(held), 3 + n))
        equal[np.arange(len(held)), held] = 1.0
        rows = np.zeros((3 * n, 3 + n))
        for i in range(n):
            rows[3 * i, 3 + i] = -1.0
            rows[3 * i + 1 : 3 * i + 3, :3] = -self.maps[i] * unit
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
        solver = clarabel.DefaultSolver(
            sparse.triu(p).tocsc(),
            q,
            sparse.csc_matrix(np.vstack([equal, rows])),
            np.concatenate([(self.prescribed / unit / speed)[held], np.zeros(3 * n)]),
            [clarabel.ZeroConeT(len(held))] * bool(len(held)) + [clarabel.SecondOrderConeT(3)] * n,
            settings,
        )
        return np.array(solver.solve().x[:3]) * unit * speed

    def optimality(self, found):
        """Relative residual of the free equilibrium, excess of |λ| over w, and defect of λ·v = w|v|."""
        rest = self.stiffness @ found.rates - self.wrench + np.einsum("nak,na->k", self.maps, found.multiplier)
        reach = np.linalg.norm(self.arms, axis=1).max()
        force = max(self.weights.sum(), np.abs(self.wrench / [1, 1, reach]).max())
        velocity = self.maps @ found.rates
        speed = np.linalg.norm(velocity, axis=1)
        excess = (np.linalg.norm(found.multiplier, axis=1) - self.weights).max() / self.weights.max()
        defect = np.abs(self.weights * speed - (velocity * found.multiplier).sum(axis=1)).max()
        size = max(np.abs(found.rates * [1, 1, reach]).max(), np.finfo(float).tiny)
        return np.abs(rest / [1, 1, reach])[self.free].max() / force, excess, defect / (force * size)


def draw(rng, free, *, moving):
    """Random row, full stiffness, load; ``moving``: the prescribed rates are not zero."""
    n = int(rng.integers(2, 25))
    along = rng.normal(size=2)
    offset = rng.normal(size=2) * 10 ** rng.uniform(-2, 0.5)
    arms = (offset + np.linspace(-0.5, 0.5, n)[:, None] * along) * 10 ** rng.uniform(-2, 1)
    weights = rng.uniform(0.1, 1.0, n) * 10 ** rng.uniform(-2, 3)
    reach = np.abs(arms).max()
    unit = np.array([1.0, 1.0, reach])
    root = rng.normal(size=(3, 3)) * 10 ** rng.uniform(-1, 1, 3)
    stiffness = (root @ root.T + 0.1 * np.eye(3)) * np.outer(unit, unit) * 10 ** rng.uniform(-1, 4)
    wrench = rng.normal(size=3) * unit * weights.sum() * 10 ** rng.uniform(-1, 1)
    mask = np.array(free)
    speed = weights.sum() / np.abs(stiffness / np.outer(unit, unit)).max() * 10 ** rng.uniform(-1, 1)
    prescribed = np.where(mask, 0.0, rng.normal(size=3) / unit * speed * moving)
    return Row(stiffness, wrench, arms, weights, mask, prescribed)


@pytest.mark.parametrize("free", MASKS, ids=str)
@pytest.mark.parametrize("moving", [False, True], ids=["at rest", "driven"])
def test_a_clamp_with_a_full_stiffness_moves_as_a_cone_solver_finds(free, moving):
    rng = np.random.default_rng([3, int(moving), *map(int, free)])
    rested = 0
    for _ in range(25):
        row = draw(rng, free, moving=moving)
        found = row.solve()
        np.testing.assert_array_equal(found.rates[~row.free], row.prescribed[~row.free])
        rested += not np.any(found.rates)
        rest, excess, defect = row.optimality(found)
        assert rest < 5e-12
        assert excess < 2e-9
        assert defect < 1e-13
        reference = row.conic()
        assert row.energy(found.rates) <= row.energy(reference) + 1e-10 * abs(row.wrench @ reference) + 1e-300
        reach = np.abs(row.arms).max()
        gap = np.abs((found.rates - reference) * [1, 1, reach]).max() / np.abs(reference * [1, 1, reach]).max()
        assert gap < 1e-3 or not np.any(found.rates)  # the cone solver's accuracy is the root of its 1e-12, at best
    assert (rested == 0) if moving and not all(free) else 2 <= rested <= 23


@pytest.mark.parametrize("near", [0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4])
@pytest.mark.parametrize("share", [-0.9, 0.3, 0.9])
def test_a_driven_clamp_whose_middle_node_almost_stands_still_balances_its_friction(near, share):
    """Free along y, turned at 1 rad/s about a point ``near`` m beside the middle node, which takes up ``share`` of its bound:
    v = (−d_y, p_y + d_x) stands still, to within ``near``, at p_y = 0.2."""
    d_y = np.linspace(-0.1, 0.1, 5)
    arms = np.stack([np.full(5, -0.2), d_y + near], axis=1)
    weights = np.array([0.5, 1.0, 1.0, 1.0, 0.5])
    stiffness = np.diag([3.0, 3.0, 0.1]) + 0.05
    free, prescribed = np.array([False, True, False]), np.array([0.0, 0.0, 1.0])
    p = np.array([0.0, 0.2, 1.0])
    wrench = stiffness @ p + [0.0, share, 0.0]
    found = Row(stiffness, wrench, arms, weights, free, prescribed).solve()
    # λ_y = share of the middle node's 1 N: v_y/|v_x| = share/√(1 − share²) with |v_x| = near. As v_y is not zero, the
    # stiffness 3.05 and the other nodes' friction, Σ w/|d_y| = 50, take 53.05 v_y of it: second order in near.
    beside = near * share / np.sqrt(1.0 - share**2)
    second = 53.05 * near * abs(beside) / (1.0 - share**2) ** 1.5
    np.testing.assert_allclose(found.rates, [0.0, 0.2 + beside, 1.0], rtol=0, atol=1.1 * second + 4e-16)
    assert abs(found.multiplier[2, 1] - (share - 53.05 * beside)) < 53.05 * 1.1 * second + 1e-13
    rest, excess, defect = Row(stiffness, wrench, arms, weights, free, prescribed).optimality(found)
    assert max(rest, excess) < 1e-11
    assert defect < 1e-13
    if near == 0.0:
        assert found.rates[1] == 0.2
        assert abs(found.multiplier[2, 1]) < 1.0


def test_a_pushed_clamp_sticks_up_to_the_friction_of_its_nodes_and_no_further():
    arms = np.stack([np.full(4, -0.3), np.linspace(-0.1, 0.1, 4)], axis=1)
    weights = np.full(4, 0.25)
    free, none = np.array([True, False, False]), np.zeros(3)
    stiffness = np.diag([2.0, 2.0, 0.1]) + 0.3
    for push, moves in ((1.0 - 1e-9, False), (1.0 + 1e-6, True), (-1.5, True)):
        row = Row(stiffness, np.array([push, 50.0, -7.0]), arms, weights, free, none)  # what is held does not matter
        found = row.solve()
        assert np.any(found.rates) == moves
        expected = np.sign(push) * max(0.0, abs(push) - 1.0) / 2.3
        np.testing.assert_allclose(found.rates, [expected, 0.0, 0.0], rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(found.multiplier[:, 0].sum(), np.clip(push, -1.0, 1.0), rtol=1e-12)


def test_a_clamp_with_no_free_motion_slides_as_it_is_driven():
    row = draw(np.random.default_rng(1), (False, False, False), moving=True)
    found = row.solve()
    np.testing.assert_array_equal(found.rates, row.prescribed)
    velocity = row.maps @ found.rates
    expected = row.weights[:, None] * velocity / np.linalg.norm(velocity, axis=1, keepdims=True)
    np.testing.assert_allclose(found.multiplier, expected, rtol=1e-13)


def test_prescribed_rates_that_are_not_finite_are_refused_by_name():
    row = draw(np.random.default_rng(1), (True, False, False), moving=True)
    broken = Row(row.stiffness, row.wrench, row.arms, row.weights, row.free, np.array([0.0, np.inf, 0.0]))
    with pytest.raises(RigidFrictionError, match="non-finite"):
        broken.solve()


def test_arrays_that_may_not_be_written_meet_the_kernel_that_was_compiled_for_the_others():
    arrays = {"wrench": np.ones(3), "arms": np.array([[0.0, 1.0], [0.5, 0.0]])}
    arrays |= {"bound": np.ones(2), "free": np.ones(3, bool)}
    for name in ("none", *arrays):
        given = {key: array.copy() for key, array in arrays.items()}
        for array in (given[name], given["bound"]) if name != "none" else ():
            array.flags.writeable = False
        rates = solve_rigid_friction(RigidFrictionProblem(inertia=np.ones(3), **given), RigidSlip.at_rest(2)).rates
        assert len(kernels.set_valued_slip.signatures) == 1, name
    assert np.all(np.isfinite(rates))
