"""Errata of the general equations (2.3) to (2.6) in three dimensions: where Q belongs, and the Coriolis moment.

The motion is expanded to second order in time about t = 0, Q = Q0 (1 + tW + t²(W² + W')/2), which is a
rotation up to O(t³); its second derivative at t = 0 is exact.
"""

import sympy as sp
from derivation import assert_erratum, vanishes

t = sp.Symbol("t")
Q0 = sp.Matrix([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) / 3  # a third of a turn about (1, 1, 1)


def vector(name):
    """Three symbols as a column."""
    return sp.Matrix(sp.symbols(f"{name}_x {name}_y {name}_z", real=True))


def axial(w):
    """Matrix of w × ."""
    return sp.Matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


W, DW, DDX0 = vector("omega"), vector("domega"), vector("ddx0")
MASSES = sp.symbols("m1 m2", positive=True)
R, DU, DDU = ([vector(f"{name}{i}") for i in (1, 2)] for name in ("r", "du", "ddu"))
Q = Q0 * (sp.eye(3) + t * axial(W) + t**2 * (axial(W) ** 2 + axial(DW)) / 2)


def total(term):
    """∫ρ term, the term a function of the point's number."""
    return sum((m * term(i) for i, m in enumerate(MASSES)), sp.zeros(3, 1))


def acceleration(i):
    """Second derivative of x0 + Q(X + u) at t = 0."""
    x = t**2 * DDX0 / 2 + Q * (R[i] + t * DU[i] + t**2 * DDU[i] / 2)
    return x.diff(t, 2).subs(t, 0).expand()


A, P, B = total(lambda i: R[i]), total(lambda i: DU[i]), total(lambda i: DDU[i])
K_0 = total(lambda i: DU[i].cross(R[i]))
FORCE = total(acceleration)
# Virtual velocity of a spin δω in body components: δv = Q(δω × r), so the power is δω·∫ρ r × Qᵀa.
MOMENT = total(lambda i: R[i].cross(Q0.T * acceleration(i)))


def part(expression, *symbols):
    """Terms of the expression that contain any of the symbols."""
    return (expression - expression.subs(dict.fromkeys(symbols, 0))).expand()


def test_expansion_is_a_rotation_with_body_spin_omega():
    defect = (Q.T * Q - sp.eye(3)).applyfunc(lambda e: sp.expand(e).coeff(t, 0))
    assert defect.is_zero_matrix
    for order in (1, 2):
        assert (Q.T * Q).applyfunc(lambda e, n=order: sp.expand(e).coeff(t, n)).is_zero_matrix
    assert (Q.T * Q.diff(t)).subs(t, 0) == axial(W)
    assert vanishes((Q.T * Q.diff(t)).diff(t).subs(t, 0) - axial(DW))


def test_spatial_terms_stand_beside_body_terms_and_Q_acts_twice_in_2_3_to_2_6():
    mass = sum(MASSES)
    # (2.5): the force of deformation.
    derived = (FORCE - mass * DDX0).expand()
    body = W.cross(W.cross(A)) + DW.cross(A) + 2 * W.cross(P) + B
    printed = Q0 * (W.cross(W.cross(A)) + Q0 * DW.cross(A) + 2 * Q0 * W.cross(P) + Q0 * B)
    assert_erratum(derived, printed, correct=Q0 * body)
    # (2.3)1: right if Qω̇ × A is read Q(ω̇ × A), wrong if it is read (Qω̇) × A.
    spin_up = part(FORCE, *DW)
    assert_erratum(spin_up, printed=(Q0 * DW).cross(A), correct=Q0 * (DW.cross(A)))
    # (2.3)2, (2.6): the term of ẍ0, in either convention of the moment.
    translation = part(MOMENT, *DDX0)
    assert_erratum(translation, printed=DDX0.cross(Q0 * A), correct=A.cross(Q0.T * DDX0))
    assert not vanishes(DDX0.cross(Q0 * A) + translation)
    # (2.3)2: the moment of a force b at r, in either convention.
    b, r = vector("b"), R[0]
    power = r.cross(Q0.T * b)
    assert_erratum(power, printed=b.cross(Q0 * r), correct=Q0.T * (Q0 * r).cross(b))
    assert not vanishes(b.cross(Q0 * r) + power)


def test_coriolis_moment_lacks_its_second_part():
    derived = part(MOMENT, *DU[0], *DU[1])
    second = 2 * total(lambda i: DU[i].cross(W.cross(R[i])))
    assert_erratum(derived, printed=-2 * W.cross(K_0), correct=-2 * W.cross(K_0) + second)
    assert vanishes(derived - 2 * total(lambda i: R[i].cross(W.cross(DU[i]))))
    # In the plane ω × K₀ vanishes, as the paper says, but the second part is 2ωK.
    plane = {v[2]: 0 for v in (*R, *DU)} | {W[0]: 0, W[1]: 0}
    assert W.cross(K_0).subs(plane).expand().is_zero_matrix
    K = sum(m * r.dot(du) for m, r, du in zip(MASSES, R, DU, strict=True))
    assert vanishes(second.subs(plane)[2] - 2 * W[2] * K.subs(plane))
    assert not vanishes(second.subs(plane))


def test_gyroscopic_terms_of_2_3_are_right_as_printed():
    inertia = sum((m * (r.dot(r) * sp.eye(3) - r * r.T) for m, r in zip(MASSES, R, strict=True)), sp.zeros(3, 3))
    rigid = MOMENT.subs(dict.fromkeys((*DDX0, *DU[0], *DU[1], *DDU[0], *DDU[1]), 0))
    assert vanishes(rigid - (inertia * DW + W.cross(inertia * W)))
