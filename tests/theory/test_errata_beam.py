"""Errata of case C, the beam (3.13) to (3.19): rigid equations, body components, friction, axial force.

The beam is the line X in [−ℓ/2, ℓ/2] with u = (0, w), w a cubic in X with free coefficients of time, so
that every integral is explicit; its rigid equations are ∫ρA a·∂v/∂q̇ of (2.1).
"""

import pytest
import sympy as sp
from derivation import Q, assert_erratum, c, ddx0, domega, dx0, history, move, normal, omega, s, vanishes

X = sp.Symbol("X", real=True)
LENGTH, RHO_A, EJ, WIDTH = sp.symbols("ell rhoA EJ b", positive=True)
DEFLECTION = sum(history(f"w{k}") * X**k for k in range(4))
POINT = move(sp.Matrix([X, 0]), sp.Matrix([0, DEFLECTION]))
W, DW, DDW = POINT.r[1], POINT.du[1], POINT.ddu[1]


def along(density):
    """Integral over the length."""
    return sp.integrate(sp.expand(density), (X, -LENGTH / 2, LENGTH / 2)).expand()


ROWS = [along(RHO_A * POINT.a.dot(mode)) for mode in POINT.virtual]
M, A_y, P_y, B_y = (along(RHO_A * density) for density in (sp.Integer(1), W, DW, DDW))


def test_row_1_of_3_15_has_A_y_with_a_minus_sign():
    rest = M * ddx0[0] - 2 * P_y * omega * c - B_y * s
    swing = A_y * (domega * c - omega**2 * s)
    assert_erratum(ROWS[0], printed=rest + swing, correct=rest - swing)


def test_row_2_of_3_15_has_A_y_and_P_y_with_minus_signs():
    rest = M * ddx0[1] + B_y * c
    printed = rest + A_y * (domega * s - omega**2 * c) + 2 * P_y * omega * s
    correct = rest - A_y * (domega * s + omega**2 * c) - 2 * P_y * omega * s
    assert_erratum(ROWS[1], printed, correct)
    # each of the two groups is wrong by itself
    for half_mended in (
        rest - A_y * (domega * s + omega**2 * c) + 2 * P_y * omega * s,
        rest + A_y * (domega * s - omega**2 * c) - 2 * P_y * omega * s,
    ):
        assert not vanishes(half_mended - ROWS[1])


def test_row_3_of_3_15_has_the_inertia_of_the_deflection_and_its_coriolis_moment():
    thickness = sp.Symbol("h", positive=True)
    L = along(RHO_A * X * DDW)
    K = along(RHO_A * W * DW)
    swing = A_y * (ddx0[0] * c + ddx0[1] * s)
    correct = (RHO_A * LENGTH**3 / 12 + along(RHO_A * W**2)) * domega - swing + 2 * omega * K + L
    for printed_L in (-L, L):  # with the paper's L_0z of (3.13), and with its sign mended
        printed = (RHO_A / thickness) * LENGTH**3 / 12 * domega + swing + printed_L
        assert_erratum(ROWS[2], printed, correct)
        # the missing thickness in ρbL³/12 is not the only slip
        assert_erratum(ROWS[2], printed.subs(thickness, 1), correct)


def test_moment_arms_of_3_14_are_X_and_w():
    e = sp.Matrix(sp.symbols("e_x e_y", real=True))  # direction of sliding, in space
    p_n, p = sum(sp.Symbol(f"n{k}") * X**k for k in range(3)), sp.Matrix(sp.symbols("p_tx p_ty", real=True))
    load, friction = p * (1 + X), -WIDTH * p_n * e  # μ within p_n
    mode = POINT.virtual[2]
    axial, lateral = Q.T * load
    for force, printed, correct in (
        (load, along(lateral * X), along(lateral * X - axial * W)),
        (
            friction,
            -along(WIDTH * p_n * (e[0] * X * s - e[1] * X * c)),
            -along(WIDTH * p_n * (e[1] * (X * c - W * s) - e[0] * (X * s + W * c))),
        ),
    ):
        assert_erratum(along(force.dot(mode)), printed, correct)
    # Friction is moreover f × r, the load r × f: with w = 0 the one has the wrong sign, the other is right.
    flat = dict.fromkeys(sp.symbols("w0:4", real=True), 0)
    derived = [along(force.dot(mode)).subs(flat) for force in (load, friction)]
    assert vanishes(derived[0] - along(lateral * X))
    assert vanishes(derived[1] - along(WIDTH * p_n * (e[0] * X * s - e[1] * X * c)))


def test_velocity_and_acceleration_of_3_16_are_body_components():
    V0, A0 = Q.T * dx0, Q.T * ddx0

    def lines(velocity, acceleration):
        return sp.Matrix(
            [
                velocity[0] - omega * W,
                velocity[1] + DW + omega * X,
                acceleration[0] - domega * W - omega**2 * X - 2 * omega * DW,
                acceleration[1] + DDW + domega * X - omega**2 * W,
            ]
        )

    derived = sp.Matrix([*(Q.T * POINT.v), *(Q.T * POINT.a)])
    assert_erratum(derived, printed=lines(dx0, ddx0), correct=lines(V0, A0))
    x0 = sp.Matrix(sp.symbols("x0 y0", real=True))
    assert_erratum(POINT.x, printed=x0 + POINT.r, correct=x0 + Q * POINT.r)
    # Qᵀẍ0 is not the rate of Qᵀẋ0, so the components may not be integrated on their own.
    rate = V0.diff(c) * (-s * omega) + V0.diff(s) * (c * omega) + Q.T * ddx0
    assert not vanishes(rate - A0)


def test_friction_on_the_beam_is_per_length_with_the_width_as_a_factor():
    """(3.17) to (3.19): powers of metre and newton of EJ w⁗, μ p_n and b μ p_n."""
    newton, metre = sp.symbols("newton metre", positive=True)
    pressure, stiffness = newton / metre**2, newton * metre**2
    bending = stiffness * metre / metre**4
    assert_erratum(bending, printed=pressure, correct=metre * pressure)
    # The same from virtual power: the friction on a strip of width b, per δw.
    Z, p_n, virtual = sp.symbols("Z p_n dw", positive=True)
    power = sp.integrate(p_n * virtual, (Z, -WIDTH / 2, WIDTH / 2))
    assert_erratum(power.diff(virtual), printed=p_n, correct=WIDTH * p_n)


@pytest.mark.parametrize("axial", [sp.Integer(0), sp.Integer(3)])
def test_lateral_friction_is_V_y_over_the_speed_and_sgn_only_without_axial_velocity(axial):
    V_y = sp.Symbol("V_y", real=True)
    speed = sp.sqrt(axial**2 + V_y**2)
    lateral = speed.diff(V_y)  # power of friction is |V|; its derivative is conjugate to δw
    for value in (sp.Integer(-4), sp.Integer(4)):
        derived, correct = lateral.subs(V_y, value), value / sp.sqrt(axial**2 + value**2)
        assert derived == correct
        assert (derived == sp.sign(value)) is (axial == 0)


def beam_power(w, virtual, g, q):
    """Virtual power of an inextensible beam: axial force g on δu_X = −∫₀ˣ w′δw′, lateral force q, bending."""
    shortening = -sp.integrate(sp.expand(w.diff(X) * virtual.diff(X)), (X, 0, X))
    return along(g * shortening + q * virtual - EJ * w.diff(X, 2) * virtual.diff(X, 2))


def test_beam_equation_keeps_the_axial_force_with_the_centrifugal_term_of_the_same_order():
    w = W
    virtual = (X**2 - LENGTH**2 / 4) ** 2 * (1 + X)  # no power at the ends
    q = sp.Symbol("q") + X
    # Axial force per length: load and friction f_X and the inertia −ρA a_X, balanced along the beam.
    g = RHO_A * omega**2 * X + sp.Symbol("f1") * (X**2 - LENGTH**2 / 12)
    assert along(g) == 0
    N = -sp.integrate(g, (X, -LENGTH / 2, X))  # N′ = ρA a_X − f_X, free ends
    assert normal(N.subs(X, LENGTH / 2)) == 0
    derived = beam_power(w, virtual, g, q)
    strong = q - EJ * w.diff(X, 4)
    tension = (N * w.diff(X)).diff(X)
    assert_erratum(derived, along(strong * virtual), along((strong + tension) * virtual))
    # Same order as −ω²w: both are linear in w and quadratic in ω. N of a free spinning beam is a tension.
    spin = N.subs(sp.Symbol("f1"), 0)
    assert vanishes(spin - RHO_A * omega**2 * (LENGTH**2 / 4 - X**2) / 2)


@pytest.mark.parametrize("shape", ["turned", "bent"])
def test_inertia_of_the_deflection_to_second_order_includes_the_foreshortening(shape):
    """An exact inextensible line turned by ε, or bent to the curvature ε: J_zz and K to order ε²."""
    eps = sp.Symbol("epsilon", positive=True)
    place = {
        "turned": sp.Matrix([X * sp.cos(eps), X * sp.sin(eps)]),
        "bent": sp.Matrix([sp.sin(eps * X) / eps, (1 - sp.cos(eps * X)) / eps]),
    }[shape]
    assert sp.simplify(place.diff(X).dot(place.diff(X))) == 1  # inextensible
    series = sp.series(sp.expand_trig(place.dot(place)), eps, 0, 4).removeO()
    derived = along(series).expand()
    w = sp.series(place[1], eps, 0, 2).removeO()
    flat = LENGTH**3 / 12 + along(w**2)
    shortening = sp.integrate(w.diff(X) ** 2, (X, 0, X)) / 2
    correct = flat - 2 * along(X * shortening)
    assert_erratum(derived, printed=flat, correct=correct)
    if shape == "turned":
        assert vanishes(derived - LENGTH**3 / 12)  # K = dJ_zz/dt/2 of a pure turn is zero, ∫wẇ is not
