"""Small plates, smooth motions and runs that the tests of floating_frame/ share."""

from dataclasses import replace

import numpy as np

import fem
from floating_frame import Feet, InitialState, MeanAxis, Options, Problem, RigidSolid, assemble
from floating_frame.frame.kinematics import Deformation, FrameMotion
from friction import Coulomb, Foundation

LENGTH, WIDTH, THICKNESS, DENSITY = 0.4, 0.2, 0.01, 1000.0
PRESSURE = 98.1


def plate(nx=4, ny=2, *, E=2.0e4, nu=0.3, element="P1", density=DENSITY, material=None, length=LENGTH, width=WIDTH):
    cell = "triangle" if element.startswith("P") else "quadrilateral"
    return fem.Plate.build(
        fem.rectangle(length, width, nx, ny, cell=cell),
        thickness=THICKNESS,
        density=density,
        material=material or fem.StVenantKirchhoff(E, nu),
        element=element,
    )


def rough(mu=0.3, pressure=PRESSURE):
    return Foundation(Coulomb(), mu, pressure)


def bent(X):
    """A smooth, unsymmetric displacement with strains of about 0.15, (N, 2) m."""
    x, y = X.T
    return np.stack([0.15 * x + 0.3 * x * y, -0.05 * y + 0.2 * x**2 + 0.04 * x], axis=1)


def wobble(X):
    """A smooth, unsymmetric displacement rate, (N, 2) m/s, that neither translates nor turns alone."""
    x, y = X.T
    return np.stack([0.9 * x - 2.0 * y * y, 0.7 * y + 1.1 * x * y + 0.6 * x], axis=1)


def thrown(frame=None, dt=1e-3, *, body=None, mu=0.3, t_end=0.1, spin=8.0, loads=(), scheme="sdirk2", **options):
    """A soft, stretched plate thrown with spin over a rough plane (mu None: no plane at all)."""
    body = body or plate()
    start = InitialState((1.0, 0.3), spin, bent(body.X), wobble(body.X))
    foundation = None if mu is None else rough(mu)
    problem = Problem(body, t_end, foundation, tuple(loads), frame or MeanAxis(), start)
    return assemble(problem, Options(dt, scheme, **options))


def without_guard(model):
    """The model with plain SDIRK2 stages: no node is held at rest against a reversal."""
    return replace(model, scheme=model.scheme._replace(guards=False))


def random_split(seed, n_nodes):
    """Random (q, q', q'') and (u, u', u''), of comparable sizes, without any frame condition."""
    rng = np.random.default_rng(seed)
    motion = FrameMotion(*(rng.uniform(0.5, 2.0, 3) * rng.choice([-1.0, 1.0], 3) for _ in range(3)))
    return motion, Deformation(*(rng.standard_normal((n_nodes, 2)) for _ in range(3)))


def central_difference(function, t, h=0.01):
    """The derivative of a smooth function by the eighth-order central difference; error h^8/630 of the ninth one."""
    weights = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
    return sum(w * (function(t + k * h) - function(t - k * h)) for k, w in enumerate(weights, start=1)) / h


class SmoothMotion:
    """x(X, t) = x0(t) + Q(α(t)) (X + u(X, t)) with analytic ingredients, evaluated here by plain formulas, complex t too."""

    def __init__(self, X):
        self.X = X

    def coordinates(self, t):
        return np.array([0.7 * np.sin(1.3 * t) + 0.2 * t, np.cos(0.9 * t) * 0.5, 2.0 * t + 0.4 * np.sin(1.7 * t)])

    def displacement(self, t):
        x, y = self.X.T
        one = 0.3 * np.sin(1.1 * t) * x * (1 + y) + 0.1 * np.cos(2.0 * t) * y
        two = 0.2 * np.cos(0.8 * t) * x * x - 0.25 * np.sin(1.5 * t) * (y + 0.3 * x)
        return np.stack([one, two], axis=1)

    def position(self, t):
        x0, y0, angle = self.coordinates(t)
        r = self.X + self.displacement(t)
        c, s = np.cos(angle), np.sin(angle)
        return np.stack([x0 + c * r[:, 0] - s * r[:, 1], y0 + s * r[:, 0] + c * r[:, 1]], axis=1)

    def velocity(self, t):
        return rate(self.position, t)

    def acceleration(self, t):
        return central_difference(self.velocity, t)

    def frame_motion(self, t):
        return FrameMotion(
            self.coordinates(t), rate(self.coordinates, t), central_difference(lambda s: rate(self.coordinates, s), t)
        )

    def split(self, t):
        return Deformation(
            self.displacement(t),
            rate(self.displacement, t),
            central_difference(lambda s: rate(self.displacement, s), t),
        )


def rate(function, t):
    """The complex-step derivative of an analytic function, exact to rounding."""
    return np.imag(function(t + 1e-30j)) / 1e-30


def box(length, width, height, *, corners="base"):
    """A block of 1 kg on its four base corners, or with all eight."""
    half = 0.5 * np.array([length, width, height])
    signs = [(a, b, c) for c in ((-1,) if corners == "base" else (-1, 1)) for a in (-1, 1) for b in (-1, 1)]
    squares = np.square(2.0 * half)
    return RigidSolid(mass=1.0, inertia=(squares.sum() - squares) / 12.0, shape=Feet(np.array(signs) * half))
