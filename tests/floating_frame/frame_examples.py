"""Bodies, motions and frames for d = 2 and 3, and a frame's equation in vectors of space, in which the plane lies at z = 0."""

from dataclasses import dataclass

import numpy as np
from ff_examples import central_difference, plate, rate
from scipy.spatial.transform import Rotation
from solid_examples import solid

from floating_frame.errors import Unsolved
from floating_frame.frame.conditions import MeanAxis, Tisserand
from floating_frame.frame.kinematics import Deformation, FloatingFrame
from floating_frame.frame.moments import MassDistribution

SIZE = {2: (2.0, 1.0), 3: (2.0, 1.0, 0.7)}


def body_of(d, counts=(4, 3, 2), element="P1"):
    """A plate or a block of unequal sides."""
    if d == 2:
        return plate(*counts[:2], element=element, length=2.0, width=1.0)
    return solid(element, sizes=SIZE[3], counts=counts)


def mass_of(body):
    return MassDistribution.of(body.mass_matrix, body.X)


def spins_of(d):
    return d * (d - 1) // 2


def turn_of(vector):
    """The rotation by a vector (r,)."""
    if len(vector) == 1:
        c, s = np.cos(vector[0]), np.sin(vector[0])
        return np.array([[c, -s], [s, c]])
    return Rotation.from_rotvec(vector).as_matrix()


def random_frame(seed, d):
    """A frame without any condition, of rates of comparable sizes."""
    rng = np.random.default_rng(seed)

    def away(n):
        return rng.uniform(0.5, 2.0, n) * rng.choice([-1.0, 1.0], n)

    r = spins_of(d)
    return FloatingFrame(away(d), away(d), away(d), turn_of(away(r)), away(r), away(r))


def random_split(seed, X, size=1.0):
    rng = np.random.default_rng(seed)
    return Deformation(*(size * rng.standard_normal(X.shape) for _ in range(3)))


def in_space(field):
    """Vectors (..., d) as vectors (..., 3)."""
    return np.concatenate([field, np.zeros((*field.shape[:-1], 3 - field.shape[-1]))], axis=-1)


def spin_in_space(spin):
    """A spin or moment (r,) as a vector (3,)."""
    return np.array([0.0, 0.0, *spin]) if len(spin) == 1 else np.asarray(spin)


def rotation_in_space(Q):
    turned = np.eye(3)
    turned[: len(Q), : len(Q)] = Q
    return turned


def of_plane(vector, d):
    """The components (r,) of a spin or moment (3,)."""
    return vector[2:] if d == 2 else vector


class SmoothMotion:
    """x(X, t) = x0(t) + Q(t) (X + u(X, t)) of analytic ingredients, by plain formulas, complex t too; Q turns about z, in space
    then about x."""

    def __init__(self, X):
        self.X, self.d = X, X.shape[1]

    def origin(self, t):
        return np.array([0.7 * np.sin(1.3 * t) + 0.2 * t, np.cos(0.9 * t) * 0.5, 0.3 * np.sin(1.1 * t + 0.4)])[: self.d]

    def rotation(self, t):
        alpha, beta = 2.0 * t + 0.4 * np.sin(1.7 * t), 0.8 * np.sin(1.2 * t) + 0.5 * t
        (c, s), (p, q) = (np.cos(alpha), np.sin(alpha)), (np.cos(beta), np.sin(beta))
        about_z, about_x = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), np.array([[1, 0, 0], [0, p, -q], [0, q, p]])
        return about_z[:2, :2] if self.d == 2 else about_x @ about_z

    def displacement(self, t):
        x, y = self.X[:, 0], self.X[:, 1]
        z = self.X[:, 2] if self.d == 3 else 0.4 * y
        one = 0.3 * np.sin(1.1 * t) * x * (1 + y) + 0.1 * np.cos(2.0 * t) * y
        two = 0.2 * np.cos(0.8 * t) * x * x - 0.25 * np.sin(1.5 * t) * (y + 0.3 * x)
        three = 0.3 * np.sin(0.7 * t + 0.2) * (z + 0.5 * x * y) + 0.2 * np.cos(1.4 * t) * x
        return np.stack([one, two, three], axis=1)[:, : self.d]

    def position(self, t):
        return self.origin(t) + (self.X + self.displacement(t)) @ self.rotation(t).T

    def at(self, function, t):
        """A function of time with its first and second derivatives."""
        return function(t), rate(function, t), central_difference(lambda s: rate(function, s), t)

    def space(self, t):
        return self.at(self.position, t)

    def split(self, t):
        return Deformation(*self.at(self.displacement, t))

    def spin(self, t):
        """Q'Qᵀ as a vector (r,), real t."""
        W = rate(self.rotation, t) @ self.rotation(t).T
        return np.array([W[1, 0]]) if self.d == 2 else np.array([W[2, 1], W[0, 2], W[1, 0]])

    def frame(self, t):
        return FloatingFrame(*self.at(self.origin, t), self.rotation(t), self.spin(t), central_difference(self.spin, t))


def hat(w):
    return np.cross(np.eye(3), w)


def axial(a):
    """⟨a × b⟩ of ⟨a⊗b⟩."""
    return np.array([a[1, 2] - a[2, 1], a[2, 0] - a[0, 2], a[0, 1] - a[1, 0]])


def inertia(a):
    return np.trace(a) * np.eye(3) - a


TERMS = ("gyroscopic", "growth", "carried", "relative", "moment", "force", "inertia")


def spin_rate(name, of, Q, spin, moment, factors):
    """ω' (3,) of (2.3)2 in vectors of space, body components, its terms taken times ``factors``; the inertia is E for mean axes,
    with no term u'' left, J for Tisserand's."""
    pairs = np.zeros((6, 3, 3))
    pairs[:, : len(Q), : len(Q)] = of.pairs
    yX, vX, aX, yy, yv, ya = pairs
    Q, w = rotation_in_space(Q), rotation_in_space(Q).T @ spin_in_space(spin)
    W = hat(w)
    S, R = Q.T @ yX, Q.T @ yy @ Q
    S_rate, D = Q.T @ vX - W @ S, Q.T @ yv @ Q + R @ W
    J, J_rate, k = inertia(R), inertia(D + D.T), axial(D)
    rw = Q.T @ ya @ Q - R @ W @ W + 2.0 * D @ W
    Xw = (Q.T @ aX).T - S.T @ W @ W + 2.0 * S_rate.T @ W
    f = dict.fromkeys(TERMS, 1.0) | factors
    net = f["moment"] * Q.T @ spin_in_space(moment)
    net = net - f["gyroscopic"] * np.cross(w, J @ w) - f["growth"] * J_rate @ w - f["carried"] * np.cross(w, k)
    if name == "mean-axis" and f["relative"]:
        return np.linalg.solve(f["inertia"] * inertia(S), net - f["relative"] * axial(rw - Xw))
    return np.linalg.solve(f["inertia"] * J, net)  # mean axes, too, where the whole of L is left out


class Plain:
    """A frame whose rigid pass is done in vectors, with terms times ``factors``."""

    factors = ()

    def solve(self, of, mass, history, net, start):
        frame, d, factors = start, len(start.origin), dict(self.factors)
        for sweep in range(80):
            Q, before = frame.rotation, frame.spin
            rate = spin_rate(self.name, of, Q, before, net[d:], factors)
            rate = of_plane(rotation_in_space(Q) @ rate, d)
            frame = history.advance(factors.get("force", 1.0) * net[:d] / mass.total, rate)
            if np.abs(frame.spin - before).max() <= 1e-13 * (1.0 / history.tau_x + np.abs(before).max()):
                return frame, sweep
        raise Unsolved("the plain rigid pass")


@dataclass(frozen=True)
class PlainMeanAxis(Plain, MeanAxis):
    factors: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class PlainTisserand(Plain, Tisserand):
    factors: tuple[tuple[str, float], ...] = ()


PLAIN = {"mean-axis": PlainMeanAxis, "tisserand": PlainTisserand}


def plain(name, **factors):
    """The condition with a plain rigid pass whose terms are taken times factors."""
    return PLAIN[name](factors=tuple(factors.items()))
