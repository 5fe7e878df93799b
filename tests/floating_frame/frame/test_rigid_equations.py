"""(2.3) and (3.4)1 hold for any split of a nodal motion in equilibrium, in the plane and in space, and for no equation with one
term corrupted; their integrals against sums of vector products."""

from dataclasses import replace
from functools import cache

import frame_examples
import numpy as np
import pytest
from ff_examples import central_difference
from frame_examples import body_of, in_space, mass_of, of_plane, random_frame, random_split, rotation_in_space, spins_of
from scipy.sparse.linalg import spsolve

from floating_frame.frame import inertia
from floating_frame.frame.kinematics import deformation, motion_in_space
from floating_frame.frame.moments import moments
from floating_frame.frame.rigid_modes import modes_of, resultant, wrench

T, SEEDS = 0.83, range(4)
DIMENSIONS = pytest.mark.parametrize("d", [2, 3], ids=["plane", "space"])


@DIMENSIONS
def test_integrals_are_those_of_vector_products_over_the_nodes(d):
    body = body_of(d)
    split, M = random_split(1, body.X), body.mass_matrix
    computed = inertia.integrals(M, body.X, split)
    r, u1, u2 = (in_space(f) for f in (body.X + split.displacement, split.rate, split.acceleration))
    unit = np.eye(3)

    def pairs(p, q):
        """⟨(a × p) · (b × q)⟩ of all pairs of axes."""
        whole = np.array([[np.vdot(M @ np.cross(a, p), np.cross(b, q)) for a in unit] for b in unit])
        return of_plane(of_plane(whole, d).T, d).T

    expected = {name: (M @ field).sum(axis=0) for name, field in zip("APB", split, strict=True)}
    expected |= {"J": pairs(r, r), "J_rate": pairs(u1, r) + pairs(r, u1)}
    expected |= {name: of_plane(np.cross(M @ r, u).sum(axis=0), d) for name, u in (("k", u1), ("L", u2))}
    for name, value in expected.items():
        assert np.abs(value).max() > 1e-3 * computed.mass, f"{name} is too small to test anything"
        assert np.allclose(getattr(computed, name), value, rtol=0, atol=1e-13 * computed.mass * 10), name


@DIMENSIONS
def test_moments_are_the_sums_over_nodes_that_they_say(d):
    body = body_of(d)
    mass, (x, v, a) = mass_of(body), random_split(3, body.X)
    computed = moments(mass, x, v, a)
    y, w, b = (field - mass.nodal @ field / mass.total for field in (x, v, a))
    M, X = mass.matrix.toarray(), body.X
    expected = [y.T @ M @ X, w.T @ M @ X, b.T @ M @ X, y.T @ M @ y, y.T @ M @ w, y.T @ M @ b]
    assert np.allclose(computed.centre, mass.nodal @ np.stack([x, v, a]) / mass.total, rtol=0, atol=1e-14)
    assert np.allclose(computed.pairs, expected, rtol=0, atol=1e-13 * mass.total)
    assert np.allclose(mass.times(x), M @ x, rtol=0, atol=1e-14 * mass.total)
    assert np.allclose(mass.second_moments, X.T @ M @ X, rtol=0, atol=1e-14 * mass.second_moment)


@DIMENSIONS
def test_a_resultant_is_force_and_moment_and_conjugate_to_rigid_motions(d):
    rng = np.random.default_rng(5)
    force, x, about = rng.standard_normal((20, d)), rng.standard_normal((20, d)), rng.standard_normal(d)
    net = resultant(force, x, about)
    moment = of_plane(np.cross(in_space(x - about), in_space(force)).sum(axis=0), d)
    assert np.allclose(net, [*force.sum(axis=0), *moment], rtol=0, atol=1e-13)
    rates = rng.standard_normal(d + spins_of(d))
    assert wrench(x, force) @ rates == pytest.approx(np.vdot(force, np.tensordot(rates, modes_of(x), 1)), rel=1e-12)


def momenta(body, frame, split):
    """p = M x0' + P' with P' = ω × QA + QP, H = J ω + QA × x0' + Q k about x0 (docs/theory.md), and P'."""
    values, r = inertia.integrals(body.mass_matrix, body.X, split), len(frame.spin)
    Q = rotation_in_space(frame.rotation)
    A, P = (Q @ in_space(field) for field in (values.A, values.P))
    carried, turn = np.cross(frame_examples.spin_in_space(frame.spin), A) + P, Q[-r:, -r:]
    H = turn @ values.J @ turn.T @ frame.spin + turn @ values.k
    H = H + of_plane(np.cross(A, in_space(frame.velocity)), len(values.A))
    return values.mass * frame.velocity + carried[: len(values.A)], H, carried


def about(frame, x, field):
    """The resultant moment (r,) about x0 of nodal vectors."""
    return of_plane(np.cross(in_space(x - frame.origin), in_space(field)).sum(axis=0), x.shape[1])


@DIMENSIONS
@pytest.mark.parametrize("seed", range(3))
def test_momenta_and_kinetic_energy_in_split_variables_equal_the_nodal_sums(d, seed):
    """T = M x0'²/2 + x0' · P' + ω · Jω/2 + ω · k + ⟨u' · u'⟩/2, every part of which counts."""
    body = body_of(d)
    frame, split = random_frame(seed, d), random_split(seed, body.X)
    x, v, _ = motion_in_space(body.X, split, frame)
    weighted, values = body.mass_matrix @ v, inertia.integrals(body.mass_matrix, body.X, split)
    p, H, carried = momenta(body, frame, split)
    assert np.abs(values.A).min() > 0.0
    assert np.allclose(p, weighted.sum(axis=0), rtol=0, atol=1e-13 * np.abs(weighted).sum())
    assert np.allclose(H, about(frame, x, weighted), rtol=0, atol=1e-13 * np.abs(weighted).sum() * np.abs(x).max())
    r = len(frame.spin)
    spin, whole = rotation_in_space(frame.rotation)[-r:, -r:].T @ frame.spin, 0.5 * np.vdot(v, weighted)
    parts = [0.5 * values.mass * frame.velocity @ frame.velocity, frame.velocity @ carried[:d]]
    parts += [0.5 * spin @ values.J @ spin, spin @ values.k]
    parts += [0.5 * np.vdot(split.rate, body.mass_matrix @ split.rate)]
    assert sum(parts) == pytest.approx(whole, rel=1e-13)
    assert np.abs(parts).min() > 1e-3 * whole


@DIMENSIONS
def test_momentum_form_of_the_rigid_equations_holds_along_a_motion(d):
    """Seen from a frame that is not the nodes' own, so that A, P and B do not vanish: dH/dt = M0 − x0' × P'."""
    body = body_of(d)
    motion = frame_examples.SmoothMotion(body.X)
    frame, (x, _, a) = motion.frame(T), motion.space(T)
    dp, dH = (central_difference(lambda t, i=i: momenta(body, motion.frame(t), motion.split(t))[i], T) for i in (0, 1))
    force, carried = body.mass_matrix @ a, momenta(body, frame, motion.split(T))[2]
    transport, scale = of_plane(np.cross(in_space(frame.velocity), carried), d), np.abs(force).sum()
    assert np.abs(transport).max() > 1e-3 * scale, "the transport term of dH/dt is too small to test anything"
    assert np.allclose(dp, force.sum(axis=0), rtol=0, atol=1e-10 * scale)
    assert np.allclose(dH, about(frame, x, force) - transport, rtol=0, atol=1e-10 * scale)


@cache
def equilibrium(seed, d, element="P1"):
    """Random nodal (x, v) and forces f with M a = f, a random split of it, and its resultant about x0."""
    body = body_of(d, (3, 2, 1), element)
    rng = np.random.default_rng(seed)
    x, v = body.X + rng.standard_normal((2, *body.X.shape))
    force = rng.standard_normal(x.shape) * 10.0 + np.array([8.0, -5.0, 6.0])[:d]
    a = spsolve(body.mass_matrix.tocsc(), force)
    frame = random_frame(seed + 100, d)
    # Accelerations of the size of the nodal ones, so that no term drowns in the others.
    size = np.abs(a).mean()
    frame = frame._replace(acceleration=frame.acceleration * size, spin_rate=frame.spin_rate * size)
    pace = np.sqrt(size) if d == 3 else 3.0
    frame = frame._replace(velocity=frame.velocity * pace, spin=frame.spin * pace)
    values = inertia.integrals(body.mass_matrix, body.X, deformation(body.X, x, v, a, frame))
    return values, frame, resultant(force, x, frame.origin)


def relative_residual(values, frame, net):
    rest, size = inertia.residual(values, frame, net)
    d = len(values.A)
    return max(np.abs(rest[:d]).max() / size[0], np.abs(rest[d:]).max() / size[1])


ELEMENTS = [(2, "P1"), (2, "P2"), (2, "Q1"), (2, "Q2"), (3, "P1"), (3, "P2"), (3, "Q1")]


@pytest.mark.parametrize(("d", "element"), ELEMENTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_rigid_equations_hold_for_an_arbitrary_split_of_a_motion_in_equilibrium(seed, d, element):
    # Sums over some 40 nodes of products of a few terms each: 1e2 rounding units.
    assert relative_residual(*equilibrium(seed, d, element)) < 4e-13


def scaled(name, factor):
    """A corruption of one integral before it enters one function of inertia.py."""
    return lambda values: replace(values, **{name: factor * getattr(values, name)})


def row_swapped(name):
    """(a, b) -> (b, a), the kind of slip that the paper prints."""
    return lambda values: replace(values, **{name: getattr(values, name)[::-1]})


CORRUPTIONS = {
    "mass": ("mass_matrix", scaled("mass", 1.01)),
    "mass matrix column A": ("mass_matrix", scaled("A", 0.99)),
    "mass matrix column A, order": ("mass_matrix", row_swapped("A")),
    "moments of inertia": ("mass_matrix", scaled("J", 1.01)),
    "Coriolis force P": ("coriolis", scaled("P", 0.99)),
    "Coriolis force P, order": ("coriolis", row_swapped("P")),
    "Coriolis moment J' (2 K), as printed": ("coriolis", scaled("J_rate", 0.0)),
    "Coriolis moment J' (2 K)": ("coriolis", scaled("J_rate", 0.99)),
    "Coriolis moment k": ("coriolis", scaled("k", 0.99)),
    "centrifugal A": ("centrifugal", scaled("A", 0.99)),
    "centrifugal A, order as printed": ("centrifugal", row_swapped("A")),
    "gyroscopic J": ("centrifugal", scaled("J", 0.99)),
    "relative force B": ("relative", scaled("B", 0.99)),
    "relative moment L": ("relative", scaled("L", 0.99)),
    "relative moment L, f × r as printed": ("relative", scaled("L", -1.0)),
}
ONLY_IN_SPACE = ("Coriolis moment k", "gyroscopic J")


@pytest.mark.parametrize("name", CORRUPTIONS)
@DIMENSIONS
def test_corrupting_one_term_breaks_the_rigid_equations(d, name, monkeypatch):
    function, corrupt = CORRUPTIONS[name]
    sound = getattr(inertia, function)
    cases = [equilibrium(seed, d) for seed in SEEDS]
    assert max(relative_residual(*case) for case in cases) < 4e-13
    monkeypatch.setattr(inertia, function, lambda values, *rest: sound(corrupt(values), *rest))
    if d == 2 and name in ONLY_IN_SPACE:
        assert max(relative_residual(*case) for case in cases) < 4e-13
        return
    assert min(relative_residual(*case) for case in cases) > 1e-6
