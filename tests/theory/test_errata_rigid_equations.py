"""Errata of the rigid equations (3.4)1 of plane motion, term by term, against ∫ρ a·∂v/∂q̇ of (2.1)."""

import pytest
import sympy as sp
from derivation import Q, assert_erratum, c, cross, ddx0, domega, dx0, generic_body, normal, omega, s, vanishes

BODY = generic_body()
ROWS = BODY.inertia_rows
MASS = ROWS.jacobian([*ddx0, domega])
# What is left of each row is B and L (no rate of q), and what is linear and quadratic in ω.
BY_SPIN = [
    ROWS.applyfunc(lambda e, n=n: normal(e.subs(dict.fromkeys((*ddx0, domega), 0))).coeff(omega, n)) for n in range(3)
]
(A_x, A_y), (P_x, P_y), (B_x, B_y) = BODY.A, BODY.P, BODY.B


def corrected_terms():
    """The terms of (3.4)1 as corrected, by name; their sum is the left-hand side."""
    swept = -A_x * s - A_y * c, A_x * c - A_y * s
    zero = sp.Integer(0)
    return {
        "M": sp.Matrix([*(BODY.M * ddx0), zero]),
        "A domega": sp.Matrix([swept[0] * domega, swept[1] * domega, zero]),
        "A ddx0": sp.Matrix([zero, zero, swept[0] * ddx0[0] + swept[1] * ddx0[1]]),
        "J_zz": sp.Matrix([zero, zero, BODY.J_zz * domega]),
        "P": 2 * omega * sp.Matrix([-P_x * s - P_y * c, P_x * c - P_y * s, zero]),
        "K": sp.Matrix([zero, zero, 2 * omega * BODY.K]),
        "centrifugal": -(omega**2) * sp.Matrix([A_x * c - A_y * s, A_x * s + A_y * c, zero]),
        "B": sp.Matrix([B_x * c - B_y * s, B_x * s + B_y * c, zero]),
        "L": sp.Matrix([zero, zero, BODY.L]),
    }


def test_corrected_rigid_equations_are_the_virtual_power_of_inertia_on_the_rigid_modes_and_no_term_vanishes():
    """So none of them can be dropped, nor its sign be turned."""
    assert vanishes(sum(corrected_terms().values(), -ROWS))
    for name, term in corrected_terms().items():
        assert not vanishes(term), name


def test_mass_matrix_entry_1_3_has_minus_A_y_cos():
    assert_erratum(MASS[0, 2], printed=-A_x * s + A_y * c, correct=-A_x * s - A_y * c)
    assert vanishes(MASS[1, 2] - (A_x * c - A_y * s))  # entry (2,3) is right as printed


def test_moments_of_inertia_and_load_need_one_convention_and_then_the_mass_matrix_is_symmetric():
    printed = MASS.copy()
    printed[0, 2] = -A_x * s - A_y * c  # its own erratum, corrected here
    printed[2, :] = sp.Matrix([[A_x * s + A_y * c, -A_x * c + A_y * s, BODY.J_zz]])
    assert vanishes(MASS - MASS.T)
    assert not vanishes(printed - printed.T)
    # Printed entries (3,1), (3,2) and L are moments f × r: minus those of virtual power ...
    printed_L = BODY.integral(lambda X, p: p.r[1] * p.ddu[0] - p.r[0] * p.ddu[1])
    assert vanishes(printed[2, :2] + MASS[2, :2])
    assert_erratum(BY_SPIN[0][2], printed=printed_L, correct=BODY.L)
    assert vanishes(printed_L + BODY.L)
    # ... and so are the printed moments of load and friction, while J_zz keeps its plus sign.
    f = sp.Matrix(sp.symbols("fx fy", real=True))
    point = BODY.motion[0]
    power, arm = f.dot(point.virtual[2]), Q * point.r
    assert_erratum(power, printed=f[0] * arm[1] - f[1] * arm[0], correct=cross(arm, f))
    assert vanishes(power - cross(point.r, Q.T * f))  # M_z may be taken in body components
    # Hence no common sign turns the printed row into the derived one.
    row = (ROWS[2] - 2 * omega * BODY.K).expand()
    mixed = (printed[2, :] * sp.Matrix([*ddx0, domega]))[0] + printed_L
    assert not vanishes(mixed - row)
    assert not vanishes(mixed + row)
    assert vanishes(mixed + row - 2 * BODY.J_zz * domega)


def test_coriolis_force_of_row_2_has_the_sign_of_row_1():
    derived = BY_SPIN[1]
    assert_erratum(derived[1], printed=-2 * (P_x * c - P_y * s), correct=2 * (P_x * c - P_y * s))
    assert vanishes(derived[0] + 2 * (P_x * s + P_y * c))  # row 1 is right as printed


def test_coriolis_moment_is_2_omega_K_and_K_is_half_the_rate_of_J_zz():
    assert_erratum(BY_SPIN[1][2], printed=sp.Integer(0), correct=2 * BODY.K)
    rate = sum(
        sp.diff(BODY.J_zz, u) * sp.Symbol("d" + u.name, real=True)
        for u in sp.ordered(BODY.J_zz.free_symbols)
        if u.name.startswith("u")
    )
    assert vanishes(rate - 2 * BODY.K)
    assert not vanishes(rate - BODY.K)


def test_centrifugal_forces_point_along_QA():
    derived = BY_SPIN[2]
    printed = sp.Matrix([-A_x * c - A_y * s, -A_x * s + A_y * c, 0])
    correct = -sp.Matrix([A_x * c - A_y * s, A_x * s + A_y * c, 0])
    assert_erratum(derived, printed, correct)
    assert all(normal(entry) != 0 for entry in (printed - derived)[:2])


def test_q_dot_squared_is_componentwise_and_not_the_product_of_q_dot_with_itself():
    matrix = sp.zeros(3, 3)
    matrix[0, 2], matrix[1, 2] = -(A_x * c - A_y * s), -(A_x * s + A_y * c)
    rates = sp.Matrix([*dx0, omega])
    derived = BY_SPIN[2] * omega**2
    assert vanishes(matrix * rates.applyfunc(lambda rate: rate**2) - derived)
    product = rates.T * rates
    assert product.shape == (1, 1)
    with pytest.raises(sp.matrices.exceptions.ShapeError):
        matrix * product
    # Read as a scalar factor it leaves a 3 × 3 matrix, and a force where nothing spins.
    assert (matrix * product[0]).shape == (3, 3) != derived.shape
    assert derived.subs(omega, 0).is_zero_matrix
    assert not vanishes((matrix * product[0]).subs(omega, 0))
