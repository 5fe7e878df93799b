"""Errata of the field equation: (2.3)3, (2.10), (3.4)2, (3.6), (3.9) to (3.11), from the virtual power of S.

The convention is that of (2.9), E = ½(∇u + ∇ᵀu + ∇ᵀu ∇u), hence (∇u)_iK = ∂u_i/∂X_K; the divergence contracts
the index that the normal contracts in (2.10), which is also how (3.4)2 is written out (row i, column K).
"""

import sympy as sp
from derivation import J, Q, assert_erratum, c, normal, s, vanishes

X, Y, EPS = sp.symbols("X Y epsilon", real=True)
ONE = sp.eye(2)
S = sp.Matrix(2, 2, sp.symbols("S_xx S_xy S_xy S_yy", real=True))
H = sp.Matrix(2, 2, sp.symbols("u_x_x u_x_y u_y_x u_y_y", real=True))
F = ONE + H


def green(gradient):
    """Green's strain (2.9)."""
    return (gradient + gradient.T + gradient.T * gradient) / 2


def internal_power(stress, gradient, virtual):
    """S : δE with δE from (2.9)."""
    delta = green(gradient + EPS * virtual).diff(EPS).subs(EPS, 0)
    return sp.expand((stress.T * delta).trace())


def conjugate():
    """The stress that is conjugate to δ∇u in S : δE: the coefficient of each δu_i,K."""
    virtual = sp.Matrix(2, 2, sp.symbols("v_xx v_xy v_yx v_yy", real=True))
    power = internal_power(S, H, virtual)
    return virtual.applyfunc(lambda v: power.coeff(v))


PIOLA = conjugate()


def fields():
    """Displacement gradient and stress that are polynomials over the unit square."""
    a = sp.symbols("a1:3", real=True)
    u = sp.Matrix([a[0] * X * Y + X**2 / 2 + Y / 3, a[1] * Y**2 + X * Y / 7 - X / 5])
    b = sp.symbols("b1:3", real=True)
    stress = sp.Matrix([[b[0] * X + Y, b[1] * Y], [b[1] * Y, 2 - X * Y]])
    return u.jacobian([X, Y]), stress


def div(T):
    """Divergence by columns: ∂T_iK/∂X_K."""
    return T[:, 0].diff(X) + T[:, 1].diff(Y)


def over_square(density):
    """Integral over the unit square."""
    terms = sp.Poly(density, X, Y).terms()
    return sum(coefficient / ((i + 1) * (j + 1)) for (i, j), coefficient in terms).expand()


def over_edges(T, field):
    """∮ field·T N over the edges of the unit square."""
    flux = T.T * field
    ends = [sp.integrate(sp.expand(flux[0].subs(X, e)), (Y, 0, 1)) for e in (0, 1)]
    ends += [sp.integrate(sp.expand(flux[1].subs(Y, e)), (X, 0, 1)) for e in (0, 1)]
    return sp.expand(ends[1] - ends[0] + ends[3] - ends[2])


def test_first_row_of_3_4_is_that_of_F_S():
    S_xx, S_xy, S_yy = S[0, 0], S[0, 1], S[1, 1]
    (u_xx, u_xy), (u_yx, u_yy) = H.tolist()
    printed = sp.Matrix(
        [
            [S_xx * (1 + u_xx) + S_xy * u_yy, S_xy * (1 + u_xx) + S_yy * u_yy],
            [S_xx * u_yx + S_xy * (1 + u_yy), S_xy * u_yx + S_yy * (1 + u_yy)],
        ]
    )
    correct = printed.copy()
    correct[0, 0], correct[0, 1] = S_xx * (1 + u_xx) + S_xy * u_xy, S_xy * (1 + u_xx) + S_yy * u_xy
    assert_erratum(PIOLA, printed, correct)
    assert vanishes(PIOLA - F * S)
    assert normal(printed[0, 0] - PIOLA[0, 0]) != 0
    assert normal(printed[0, 1] - PIOLA[0, 1]) != 0
    assert vanishes(printed[1, :] - PIOLA[1, :])  # the second row is right as printed


def test_divergence_of_F_S_balances_the_pulled_back_acceleration_and_body_force():
    gradient, stress = fields()
    bubble = X * (1 - X) * Y * (1 - Y)
    virtual = bubble * sp.Matrix([1 + X, Y - 2 * X])  # vanishes on the edges
    derived = over_square(internal_power(stress, gradient, virtual.jacobian([X, Y])))
    printed, correct = (
        -over_square(virtual.dot(div(T))) for T in (stress * (ONE + gradient.T), (ONE + gradient) * stress)
    )
    assert derived != 0
    assert_erratum(derived, printed, correct)
    # With the gradient's other index convention 1 + ∇ᵀu is F, and S F is wrong by either divergence.
    for T in (stress * (ONE + gradient), (stress * (ONE + gradient)).T):
        assert not vanishes(derived + over_square(virtual.dot(div(T))))
    # The power of inertia (or body force) on δx = Q δu, per δu, is ρQᵀa (ρQᵀb), not ρa (ρb) as printed.
    a, v = sp.Matrix(sp.symbols("a_x a_y", real=True)), sp.Matrix(sp.symbols("v_x v_y", real=True))
    power = sp.Matrix([a.dot(Q * v).diff(entry) for entry in v])
    assert_erratum(power, printed=a, correct=Q.T * a)
    assert vanishes((power - a).subs({c: 1, s: 0}))  # they agree as long as nothing turns


def test_traction_is_F_S_N_in_body_components():
    gradient, stress = fields()
    virtual = sp.Matrix([1 + X * Y, Y - 2 * X])  # does not vanish on the edges
    deformation = ONE + gradient
    inside = over_square(virtual.dot(div(deformation * stress)))
    derived = over_square(internal_power(stress, gradient, virtual.jacobian([X, Y]))) + inside
    assert derived != 0
    assert_erratum(
        derived,
        printed=over_edges(stress * (ONE + gradient.T), virtual),
        correct=over_edges(deformation * stress, virtual),
    )
    # ... and the power of a spatial traction p on δx = Qδu is Qᵀp·δu.
    p, v = sp.Matrix(sp.symbols("p_x p_y", real=True)), sp.Matrix(sp.symbols("v_x v_y", real=True))
    assert_erratum(sp.Matrix([p.dot(Q * v).diff(entry) for entry in v]), printed=p, correct=Q.T * p)


def test_increment_of_F_S_has_the_gradient_on_the_left():
    dS = sp.Matrix(2, 2, sp.symbols("dS_xx dS_xy dS_xy dS_yy", real=True))
    dH = sp.Matrix(2, 2, sp.symbols("dH_xx dH_xy dH_yx dH_yy", real=True))
    path = (ONE + H + EPS * dH) * (S + EPS * dS)
    derived = path.diff(EPS).subs(EPS, 0)
    printed = S * dH + dS * (ONE + H)
    assert_erratum(derived, printed, correct=dH * S + (ONE + H) * dS)
    # Nor is it the increment of the paper's own S(1 + ∇ᵀu), nor its transpose.
    assert not vanishes(printed - ((S + EPS * dS) * (ONE + H + EPS * dH).T).diff(EPS).subs(EPS, 0))
    assert not vanishes(printed.T - derived)


def test_increment_of_the_right_hand_side_turns_with_the_frame_and_carries_the_density():
    """(3.6): Δ(ρQᵀa) and Δ(ρQᵀb) have a part from ΔQᵀ, and b is per mass as in (2.3)3 and (3.7)."""
    rho, alpha, dalpha = sp.symbols("rho alpha dalpha", real=True)
    a, da = sp.Matrix(sp.symbols("a_x a_y", real=True)), sp.Matrix(sp.symbols("da_x da_y", real=True))
    angle = alpha + EPS * dalpha
    turn = sp.Matrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]])
    derived = (rho * turn.T * (a + EPS * da)).diff(EPS).subs(EPS, 0)
    derived = derived.subs({sp.cos(alpha): c, sp.sin(alpha): s})
    assert_erratum(derived, printed=rho * da, correct=rho * Q.T * (da - dalpha * J * a))
    assert not vanishes(derived - rho * Q.T * da)  # pulling Δa back is not enough
    assert_erratum(derived, printed=da, correct=rho * Q.T * (da - dalpha * J * a))  # and Δb lacks ρ


def test_deformation_gradient_is_1_plus_grad_u_and_case_A_needs_a_force_that_does_not_react():
    stretch = sp.Symbol("e", real=True)
    u = sp.Matrix([stretch * X, 0])
    current = (sp.Matrix([X, Y]) + u).jacobian([X, Y])
    laplacian = sp.Matrix([f.diff(X, 2) + f.diff(Y, 2) for f in u])
    assert laplacian.shape != current.shape  # Δuᵀ as a Laplacian is no matrix, and it is zero here
    assert_erratum(current, printed=ONE + sp.diag(*laplacian), correct=ONE + u.jacobian([X, Y]))
    # (3.10): with ẍ0 = b + (F_C − F_u)/M the force left in the field equation is −ρ(F_C − F_u)/M.
    M, rho = sp.symbols("M rho", positive=True)
    b, F_C, F_u = (sp.Matrix(sp.symbols(f"{name}_x {name}_y", real=True)) for name in ("b", "FC", "Fu"))
    left = rho * Q.T * b - rho * Q.T * (b + (F_C - F_u) / M)
    assert vanishes(left + rho * Q.T * (F_C - F_u) / M)
    assert vanishes(left.jacobian(b))  # a given F_C: b is gone, as case A has it
    # A support that holds x0 answers with F_C = F_u − M b, and b is back with full weight.
    held = left.subs(dict(zip(F_C, F_u - M * b, strict=True)), simultaneous=True)
    assert_erratum(held.jacobian(b), printed=sp.zeros(2, 2), correct=rho * Q.T)
