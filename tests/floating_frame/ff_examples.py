"""Small plates, smooth motions and runs that the tests of floating_frame/ share."""

from dataclasses import replace

import numpy as np

import fem
from floating_frame import EdgeLoad, Feet, InitialState, MeanAxis, Options, Problem, RigidSolid, assemble
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


def central_difference(function, t, h=0.01):
    """The derivative of a smooth function by the eighth-order central difference; error h^8/630 of the ninth one."""
    weights = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
    return sum(w * (function(t + k * h) - function(t - k * h)) for k, w in enumerate(weights, start=1)) / h


def rate(function, t):
    """The complex-step derivative of an analytic function, exact to rounding."""
    return np.imag(function(t + 1e-30j)) / 1e-30


def box(length, width, height, *, corners="base"):
    """A block of 1 kg on its four base corners, or with all eight."""
    half = 0.5 * np.array([length, width, height])
    signs = [(a, b, c) for c in ((-1,) if corners == "base" else (-1, 1)) for a in (-1, 1) for b in (-1, 1)]
    squares = np.square(2.0 * half)
    return RigidSolid(mass=1.0, inertia=(squares.sum() - squares) / 12.0, shape=Feet(np.array(signs) * half))


def pulled(force, *history, on="right"):
    """A force on a face, its course, if any, as what is given of a problem."""
    return {"loads": (EdgeLoad(on, force, *history),)}


def assert_coulombs_graph(data):
    """The friction never exceeds its bound, is that where the node slides, and works along the slip path."""
    size, slides = np.linalg.norm(data.friction_force.values, axis=2), data.stick.values == 0
    bound = np.broadcast_to(data.friction_weight.values, size.shape)
    assert 0.1 < slides.mean() < 0.99
    assert np.all(size <= bound * (1.0 + 1e-9))
    assert np.allclose(size[slides], bound[slides], rtol=1e-9, atol=0)
    assert np.all(data.velocity.values[~slides] == 0.0)
    assert data.slip_path.values[-1].max() > 0.01
    expected = data.friction_weight.values * data.slip_path.values[-1]
    assert np.allclose(data.friction_work.values[-1], expected, rtol=1e-12, atol=0)
