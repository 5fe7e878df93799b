"""The integrals A, P, B, L, J_zz, K of (3.3) against closed forms, K = J_zz'/2, and momenta in the split variables."""

import numpy as np
import pytest
from ff_examples import DENSITY, THICKNESS, SmoothMotion, central_difference, plate, random_split

from floating_frame.frame import inertia
from floating_frame.frame.kinematics import Deformation, cross, deformation, motion_in_space, to_inertial

LENGTH, WIDTH = 2.0, 1.0
T = 0.83


class Polynomial:
    """Σ c_ij x^i y^j with its exact integral over the rectangle |x| < LENGTH/2, |y| < WIDTH/2."""

    def __init__(self, coefficients):
        self.c = np.asarray(coefficients, float)

    def __call__(self, X):
        return np.polynomial.polynomial.polyval2d(X[:, 0], X[:, 1], self.c)

    def __add__(self, other):
        size = np.maximum(self.c.shape, other.c.shape)
        total = np.zeros(size)
        for c in (self.c, other.c):
            total[: c.shape[0], : c.shape[1]] += c
        return Polynomial(total)

    def __neg__(self):
        return Polynomial(-self.c)

    def __mul__(self, other):
        n, m = self.c.shape
        p, q = other.c.shape
        total = np.zeros((n + p - 1, m + q - 1))
        for i in range(n):
            for j in range(m):
                total[i : i + p, j : j + q] += self.c[i, j] * other.c
        return Polynomial(total)

    def integral(self):
        def moment(k, side):
            return (side / 2) ** (k + 1) * (1 + (-1) ** k) / (k + 1)

        rows = np.array([moment(i, LENGTH) for i in range(self.c.shape[0])])
        columns = np.array([moment(j, WIDTH) for j in range(self.c.shape[1])])
        return DENSITY * THICKNESS * float(rows @ self.c @ columns)


def quadratic(rng):
    """A random polynomial of total degree 2, which six-node triangles represent exactly."""
    c = rng.uniform(0.2, 1.0, (3, 3)) * rng.choice([-1.0, 1.0], (3, 3))
    c[1, 2] = c[2, 1] = c[2, 2] = 0.0
    return Polynomial(c)


@pytest.fixture(scope="module")
def quadratic_case():
    body = plate(3, 2, element="P2", length=LENGTH, width=WIDTH)
    rng = np.random.default_rng(4)
    fields = [[quadratic(rng), quadratic(rng)] for _ in range(3)]
    split = Deformation(*(np.stack([f(body.X) for f in pair], axis=1) for pair in fields))
    r = [Polynomial([[0, 0], [1, 0]]) + fields[0][0], Polynomial([[0, 1], [0, 0]]) + fields[0][1]]
    return inertia.integrals(body.mass_matrix, body.X, split), fields, r


def test_integrals_of_a_polynomial_deformation_equal_their_closed_forms(quadratic_case):
    found, (u, rate, second), r = quadratic_case
    expected = {
        "mass": DENSITY * THICKNESS * LENGTH * WIDTH,
        "A": [f.integral() for f in u],
        "P": [f.integral() for f in rate],
        "B": [f.integral() for f in second],
        "L": (r[0] * second[1] + -(r[1] * second[0])).integral(),
        "J": (r[0] * r[0] + r[1] * r[1]).integral(),
        "J_rate": 2 * (r[0] * rate[0] + r[1] * rate[1]).integral(),
    }
    scale = expected["mass"]
    for name, value in expected.items():
        assert np.abs(value).min() > 0.01 * scale, f"{name} is too small to test anything"
        assert np.allclose(getattr(found, name), value, rtol=0, atol=1e-13 * scale), name


def test_moment_of_inertia_of_the_undeformed_rectangle_is_the_textbook_one():
    body = plate(3, 2, length=LENGTH, width=WIDTH)
    still = Deformation(*(np.zeros_like(body.X) for _ in range(3)))
    found = inertia.integrals(body.mass_matrix, body.X, still)
    assert found.J[0, 0] == pytest.approx(found.mass * (LENGTH**2 + WIDTH**2) / 12, rel=1e-14)
    assert np.all(found.A == 0.0)
    assert found.J_rate[0, 0] == found.L[0] == 0.0


def test_K_is_half_the_rate_of_the_moment_of_inertia():
    body = plate(length=LENGTH, width=WIDTH)
    motion = SmoothMotion(body.X)

    def moment_of_inertia(t):
        return inertia.integrals(body.mass_matrix, body.X, motion.split(t)).J[0, 0]

    K = 0.5 * inertia.integrals(body.mass_matrix, body.X, motion.split(T)).J_rate[0, 0]
    half_rate = 0.5 * central_difference(moment_of_inertia, T)
    assert abs(K) > 0.01 * moment_of_inertia(T)
    assert pytest.approx(half_rate, rel=1e-11) == K


@pytest.mark.parametrize("seed", range(3))
def test_momenta_in_split_variables_equal_the_nodal_sums(seed):
    body = plate(length=LENGTH, width=WIDTH)
    frame, split = random_split(seed, len(body.X))
    x, v, _ = motion_in_space(body.X, split, frame)
    p, H = momenta(body, frame, split)
    weighted = body.mass_matrix @ v
    assert np.abs(inertia.integrals(body.mass_matrix, body.X, split).A).min() > 0.0
    assert np.allclose(p, weighted.sum(0), rtol=0, atol=1e-13 * np.abs(weighted).sum())
    about_origin = cross(x - frame.coordinates[:2], weighted).sum()
    assert pytest.approx(about_origin, abs=1e-13 * np.abs(weighted).sum() * np.abs(x).max()) == H


def momenta(body, frame, split):
    """p = M x0' + Q(ω J A + P) and H = J_zz ω + (A × Qᵀx0')_z + ∫ρ r × u' (docs/theory.md)."""
    values = inertia.integrals(body.mass_matrix, body.X, split)
    A_turned = np.array([-values.A[1], values.A[0]])
    p = values.mass * frame.rates[:2] + to_inertial(frame.spin * A_turned + values.P, frame.angle)
    c, s = np.cos(frame.angle), np.sin(frame.angle)
    body_velocity = np.array([[c, s], [-s, c]]) @ frame.rates[:2]
    relative = cross(body.X + split.displacement, body.mass_matrix @ split.rate).sum()
    return p, values.J[0, 0] * frame.spin + cross(values.A, body_velocity) + relative


def test_momentum_form_of_the_rigid_equations_holds_along_a_motion():
    body = plate(length=LENGTH, width=WIDTH)
    motion = SmoothMotion(body.X)

    def at(t):
        # The nodes' displacement as seen from a frame that is not theirs, so that A, P and B do not vanish.
        return momenta(body, motion.frame_motion(t), motion.split(t))

    dp = central_difference(lambda t: at(t)[0], T)
    dH = central_difference(lambda t: at(t)[1], T)
    frame, split = motion.frame_motion(T), motion.split(T)
    values = inertia.integrals(body.mass_matrix, body.X, split)
    force = body.mass_matrix @ motion.acceleration(T)
    arm = motion.position(T) - frame.coordinates[:2]
    M_z = cross(arm, force).sum()
    carried = to_inertial(values.P + frame.spin * np.array([-values.A[1], values.A[0]]), frame.angle)
    transport = cross(frame.rates[:2], carried)
    scale = np.abs(force).sum()
    assert abs(transport) > 1e-3 * scale, "the transport term of dH/dt is too small to test anything"
    assert np.allclose(dp, force.sum(0), rtol=0, atol=1e-10 * scale)
    assert pytest.approx(M_z - transport, abs=1e-10 * scale) == dH
    assert np.allclose(deformation(body.X, *[motion.position(T)] * 3, frame).displacement, split.displacement)
