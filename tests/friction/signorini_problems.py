"""Elastic blocks of eight-node cells on a plane, and the two laws written as inequalities."""

import functools
from dataclasses import replace

import numpy as np
import scipy.optimize
import scipy.sparse
import skfem
from skfem.models.elasticity import lame_parameters, linear_elasticity

from friction.nodal.contact import ContactNodes
from friction.status import STICK


class Linear:
    """g(v) = A v − b on nodes (N, 3)."""

    linear = True

    def __init__(self, matrix, b, full=False):
        """`full`: keep the zeros of a dense matrix, too."""
        csr = scipy.sparse.csr_array(matrix + (matrix == 0.0) if full else matrix)
        csr.sort_indices()
        csr.data[:] = np.ravel(matrix) if full else csr.data
        self.indptr, self.indices = csr.indptr.astype(np.int32), csr.indices.astype(np.int32)
        self.matrix, self.b = csr, b

    def gradient(self, v):
        return (self.matrix @ v.ravel()).reshape(v.shape) - self.b

    def hessian(self, v):
        return self.matrix.data

    def rounding(self, v):
        terms = abs(self.matrix) @ np.abs(v).ravel() + np.abs(self.b).ravel()
        return 16.0 * np.finfo(float).eps * float(terms.max())

    def scale(self, v):
        return float(max(np.abs(self.matrix @ v.ravel()).max(), np.abs(self.b).max()))


def flat(nodes, mu, **static):
    """Nodes on the plane z = 0 at rest, of one coefficient."""
    count = len(nodes)
    axes, mu, ground = np.tile(np.eye(3), (count, 1, 1)), np.full(count, float(mu)), np.zeros((count, 3))
    return ContactNodes(nodes=np.asarray(nodes), axes=axes, mu=mu, ground=ground, **static)


@functools.cache
def block(cells, E=1e6):
    """(places (N, 3), K, nodal masses (N,)) of a cube of 1 t that stands on z = 0, of eight-node cells (scikit-fem assembles)."""
    mesh = skfem.MeshHex.init_tensor(*(np.linspace(0.0, 1.0, n + 1) for n in cells))
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementHex1()))
    mass = skfem.LinearForm(lambda v, _: 1000.0 * v).assemble(skfem.Basis(mesh, skfem.ElementHex1()))
    return mesh.p.T.copy(), scipy.sparse.csr_array(linear_elasticity(*lame_parameters(E, 0.3)).assemble(basis)), mass


def step_problem(cells, rng, *, tau=1e-3, E=1e6, mu=0.5, push=1.0, turn=True):
    """A stage of a block that stands, moves and is pushed at random: (part, contact)."""
    places, K, mass = block(cells, E)
    base = np.flatnonzero(places[:, 2] == 0.0)
    A = tau * K  # a sum of sparse matrices would lose the zeros of the blocks
    A.setdiag(A.diagonal() + np.repeat(mass / tau, 3))
    motion, spin = rng.normal(size=3) * [1.0, 1.0, 0.1], rng.normal(size=3)
    before = motion + np.cross(spin, places - places.mean(0)) + 0.1 * rng.normal(size=places.shape)
    strained = push * 1e-3 * rng.normal(size=places.shape)
    b = (mass / tau)[:, None] * before - (K @ strained.ravel()).reshape(-1, 3)
    b[:, 2] -= 9.81 * mass
    contact = flat(base, mu)
    if turn:
        contact = replace(contact, axes=np.linalg.qr(rng.normal(size=(len(base), 3, 3)))[0])
    return Linear(A, b), replace(contact, ground=0.1 * rng.normal(size=(len(base), 3)))


def assert_laws(part, contact, result, *, fixed=None, size=1e-8):
    """Equilibrium and both laws hold, each by itself; errors of forces are judged over the largest."""
    force = np.zeros_like(result.velocity)
    np.add.at(force, contact.nodes, np.einsum("mab,ma->mb", contact.axes, result.force))
    rest = part.gradient(result.velocity) - force
    if fixed is not None:
        rest[fixed] = 0.0
    large = max(float(np.abs(result.force).max()), part.scale(result.velocity))
    assert np.abs(rest).max() <= size * large
    u = np.einsum("mab,mb->ma", contact.axes, result.velocity[contact.nodes]) - contact.ground
    speed = max(float(np.abs(u).max()), 1e-300)
    assert np.abs(u - result.slip).max() <= 1e-10 * speed
    p, u = result.force, result.slip
    assert p[:, 2].min() >= -size * large
    assert u[:, 2].min() >= -size * speed
    assert np.abs(p[:, 2] * u[:, 2]).max() == 0.0
    size_t, slip = np.hypot(p[:, 0], p[:, 1]), np.hypot(u[:, 0], u[:, 1])
    assert np.all(size_t <= contact.mu * p[:, 2] + size * large)
    moving = (slip > 0.0) & (p[:, 2] > 0.0)
    opposed = p[:, :2] * slip[:, None] + (contact.mu * p[:, 2])[:, None] * u[:, :2]
    assert np.abs(opposed[moving]).max(initial=0.0) <= size * large * speed
    assert not result.slip[result.status == STICK].any()
