"""Friction problems for the tests: random and mesh-born, with an independent KKT check and an independent conic solver."""

import clarabel
import numpy as np
import scipy.sparse as sp
import skfem
from skfem.helpers import dot
from skfem.models.elasticity import linear_elasticity

from friction import REVERSED, SLIP, STICK

DENSITY, THICKNESS, MU, GRAVITY = 2700.0, 0.01, 0.3, 9.81


def random_problem(nodes, seed, stiffness=1.0):
    """A random sparse SPD matrix with 2x2 blocks, random loads and weights of like size."""
    rng = np.random.default_rng(seed)
    B = sp.random_array((2 * nodes, 2 * nodes), density=3.0 / nodes, rng=rng, data_sampler=rng.standard_normal)
    A = sp.csr_array(stiffness * (B @ B.T) + sp.diags_array(rng.uniform(0.5, 2.0, 2 * nodes)))
    return A, rng.standard_normal((nodes, 2)), rng.uniform(0.2, 1.5, nodes)


def plate(cells, young):
    """X, stiffness, mass and nodal areas of a unit square P1 plate, plane stress (scikit-fem assembles)."""
    axis = np.linspace(-0.5, 0.5, cells + 1)
    mesh = skfem.MeshTri.init_tensor(axis, axis)
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementTriP1()))
    nu = 0.3
    mu = young / (2.0 * (1.0 + nu))
    K = linear_elasticity(young * nu / (1.0 - nu**2), mu).assemble(basis) * THICKNESS
    M = skfem.BilinearForm(lambda u, v, _: dot(u, v)).assemble(basis) * (DENSITY * THICKNESS)
    area = skfem.LinearForm(lambda v, _: v).assemble(skfem.Basis(mesh, skfem.ElementTriP1()))
    return mesh.p.T.copy(), sp.csr_array(K), sp.csr_array(M), area


def pulled_plate(cells, young, tau, pull):
    """A, b, w of one implicit step tau from rest, pulled at the right edge by `pull` times the total friction bound."""
    X, K, M, area = plate(cells, young)
    w = MU * DENSITY * THICKNESS * GRAVITY * area
    edge = np.isclose(X[:, 0], 0.5)
    share = np.where(np.isclose(np.abs(X[:, 1]), 0.5), 0.5, 1.0) * edge / cells
    b = pull * w.sum() * share[:, None] * np.array([1.0, 0.3])
    return sp.csr_array(M / tau + tau * K), b, w


def kkt_violation(A, b, w, v, lam):
    """Largest violation, N, of A v - b + lam = 0, |lam| <= w, lam |v| = w v: written from the definition alone."""
    balance = np.abs((A @ v.ravel()).reshape(v.shape) - b + lam).max()
    speed, size = np.linalg.norm(v, axis=1), np.linalg.norm(lam, axis=1)
    along = np.linalg.norm(lam - w[:, None] * v / np.where(speed > 0, speed, 1.0)[:, None], axis=1)
    return max(balance, np.max(size - w), np.max(along[speed > 0], initial=0.0))


def tolerance_allowed(A, b, w, v):
    """The largest tolerance, N, that a solver may set itself: 1e-11 of the forces, or their sums' rounding."""
    forces = max(w.max(), np.abs(b).max(), np.abs(A @ v.ravel()).max())
    return max(1.001e-11 * forces, 20 * np.finfo(float).eps * (abs(A) @ np.abs(v).ravel() + np.abs(b).ravel()).max())


def distance_allowed(A, tolerance):
    """How far apart, m/s (2-norm), two solutions with residuals below the tolerance, N, can be: A is monotone."""
    return 2.0 * np.sqrt(A.shape[0]) * tolerance / np.linalg.eigvalsh(A.toarray())[0]


def conic_solution(A, b, w, D=None):
    """The same minimiser by an interior-point conic solver: t_i >= |v_i| (|D v_i|). Scaled to unit forces and diagonal."""
    D = np.eye(2) if D is None else D
    nodes = len(w)
    force = max(w.max(), np.abs(b).max())
    # velocity unit: between what the forces give the rigid whole and what they give a single node
    scale = np.sqrt(np.abs(b).sum() / abs(A.sum()) * force / A.diagonal().mean())
    P = sp.block_diag([sp.triu(A) * (scale / force), sp.csr_array((nodes, nodes))], format="csc")
    q = np.concatenate([-b.ravel() / force, w / force])
    i = np.arange(nodes)
    rows = np.concatenate([3 * i, 3 * i + 1, 3 * i + 1, 3 * i + 2, 3 * i + 2])
    columns = np.concatenate([2 * nodes + i, 2 * i, 2 * i + 1, 2 * i, 2 * i + 1])
    entries = -np.repeat([1.0, *D.ravel()], nodes)
    cone = sp.csc_matrix((entries, (rows, columns)), shape=(3 * nodes, 3 * nodes))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.static_regularization_enable = False  # it would be of the size of the stiff plates' soft modes
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.SecondOrderConeT(3)] * nodes
    solution = clarabel.DefaultSolver(sp.csc_matrix(P), q, cone, np.zeros(3 * nodes), cones, settings).solve()
    return scale * np.array(solution.x[: 2 * nodes]).reshape(nodes, 2)


def check_against_conic(A, b, w, result, gap, D=None):
    """The energies agree to `gap` (relative), and the velocities to what strong convexity makes of the difference.

    J(conic) - J(v) >= 1/2 |conic - v|_A^2 - residual . |conic - v| holds if v is the minimiser, and only then.
    """

    def friction_power(v):
        return w @ np.hypot(*(v if D is None else v @ D.T).T)

    def energy(v):
        return 0.5 * v.ravel() @ (A @ v.ravel()) - np.vdot(b, v) + friction_power(v)

    conic, v = conic_solution(A, b, w, D), result.velocity
    difference, apart = energy(conic) - energy(v), conic - v
    size = friction_power(v) + abs(energy(v))
    strong = 0.5 * apart.ravel() @ (A @ apart.ravel())
    rounding = 1e-15 * (size + np.abs(v).ravel() @ (abs(A) @ np.abs(v).ravel()))
    slack = result.tolerance * np.abs(apart).sum() + rounding
    assert slack <= gap * size  # so that the comparison means something
    assert strong - slack <= difference <= gap * size
    assert np.abs(apart).max() <= 1e-2 * np.abs(v).max()


def check_optimal(A, b, w, result):
    """The optimality conditions hold to the stated tolerance, which is itself small."""
    assert result.tolerance <= tolerance_allowed(A, b, w, result.velocity)
    assert kkt_violation(A, b, w, result.velocity, result.multiplier) <= 2.0 * result.tolerance
    assert max(result.residual_stick, result.residual_slip) <= result.tolerance
    assert (np.hypot(*result.multiplier[result.state == STICK].T) <= w[result.state == STICK]).all()
    assert (result.velocity[result.state == STICK] == 0.0).all()
    assert result.velocity[np.isin(result.state, (SLIP, REVERSED))].any(axis=1).all()
