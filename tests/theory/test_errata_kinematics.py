"""Errata of the kinematics: Remark after (2.1), (2.3) as a closed system, (2.11), (3.2), r in (3.5)."""

import sympy as sp
from derivation import (
    J,
    Q,
    assert_erratum,
    c,
    cross,
    ddx0,
    domega,
    dx0,
    generic_body,
    history,
    move,
    normal,
    omega,
    s,
    vanishes,
)

X = sp.Matrix(sp.symbols("X Y", real=True))
POINT = move(X, sp.Matrix([history("ux"), history("uy")]))
DU, DDU = POINT.du, POINT.ddu
A_, B_ = POINT.r  # the paper's script A and B


def test_pulled_back_velocity_and_acceleration_are_those_of_section_1_of_the_theory():
    assert vanishes(Q.T * POINT.v - (Q.T * dx0 + omega * J * POINT.r + DU))
    centripetal_and_coriolis = -(omega**2) * POINT.r + 2 * omega * J * DU
    assert vanishes(Q.T * POINT.a - (Q.T * ddx0 + domega * J * POINT.r + centripetal_and_coriolis + DDU))


def test_x0_is_the_centre_of_mass_only_where_A_P_and_B_vanish():
    body = generic_body()
    places = body.integral(lambda X, p: p.x)
    x0 = sp.Matrix(sp.symbols("x0 y0", real=True))
    # Printed: the centre of mass is x0 for any u.  Correct: it is x0 + QA/M.
    assert_erratum(derived=places, printed=body.M * x0, correct=body.M * x0 + Q * body.A)
    # With ∫ρu = 0 at all times P and B vanish too, and (3.4)1 reduces to M ẍ0 = F and
    # J_zz ω̇ + 2ωK + L = M_z, in which K and L stay.
    centred = generic_body(centred=True)
    for integral in ("A", "P", "B"):
        assert not vanishes(getattr(body, integral))
        assert vanishes(getattr(centred, integral))
    for some, reduces in ((body, False), (centred, True)):
        reduced = sp.Matrix([*(some.M * ddx0), some.J_zz * domega + 2 * omega * some.K + some.L])
        assert vanishes(some.inertia_rows - reduced) is reduces
    assert not vanishes(centred.K)
    assert not vanishes(centred.L)


def test_rigid_equations_are_projections_of_the_field_equation_so_that_a_frame_condition_is_missing():
    """A second split (x0 + d, α + β) of the same motion solves the same equations: (2.3) does not fix it."""
    d, k = sp.Matrix(sp.symbols("d1 d2", real=True)), sp.Symbol("k", real=True)
    turn = sp.Matrix([[1 - k**2, -2 * k], [2 * k, 1 - k**2]]) / (1 + k**2)  # any rotation β, k = tan β/2
    u, x0 = POINT.r - X, sp.Matrix(sp.symbols("x0 y0", real=True))
    other_u = turn.T * (X + u - Q.T * d) - X
    assert vanishes(x0 + d + Q * turn * (X + other_u) - POINT.x)
    assert not vanishes(other_u - u)
    # Rows x0, y0, α of (3.4)1 are sums of the nodal equations Qᵀ(m a − f) = 0: no new information.
    body = generic_body()
    nodal = [Q.T * p.a * m for m, p in zip(body.m, body.motion, strict=True)]
    resultant = Q * sum(nodal[1:], nodal[0])
    moment = sum(cross(p.r, f) for p, f in zip(body.motion, nodal, strict=True))
    assert vanishes(body.inertia_rows - sp.Matrix([*resultant, moment]))


def test_initial_data_without_the_angle_and_a_frame_condition_leave_the_motion_or_the_split_open():
    # Printed (2.11): x0, ẋ0, ω, u, u̇ at t0.  Two angles then give two different places.
    place = POINT.x
    assert not vanishes(place.subs({c: 1, s: 0}) - place.subs({c: sp.Rational(3, 5), s: sp.Rational(4, 5)}))
    # And ẋ0, ω, u̇ at one velocity v are not unique: any (d, η) may be moved from the frame into u̇.
    shift, eta = sp.Matrix(sp.symbols("d1 d2", real=True)), sp.Symbol("eta", real=True)

    def moved(v, r):
        swap = dict(zip((*dx0, omega), (*(dx0 + shift), omega + eta), strict=True))
        swap |= {rate: rate - change for rate, change in zip(DU, Q.T * shift + eta * J * r, strict=True)}
        return v.subs(swap, simultaneous=True)

    assert vanishes(moved(POINT.v, POINT.r) - POINT.v)
    # With the mean-axis conditions ∫ρu̇ = 0, ∫ρ X × u̇ = 0 nothing is left to move: the change of the
    # conditions is regular in (d, η) as long as ∫ρ X·r is not zero.
    body = generic_body()
    change = [-(Q.T * shift + eta * J * p.r) for p in body.motion]
    force = sum((m * du for m, du in zip(body.m, change, strict=True)), sp.zeros(2, 1))
    couple = sum(m * cross(X, du) for m, X, du in zip(body.m, body.X, change, strict=True))
    matrix = sp.Matrix([*force, couple]).jacobian([*shift, eta])
    E = body.integral(lambda X, p: X.dot(p.r))
    assert vanishes(matrix.det(method="berkowitz") + body.M**2 * E)


def test_centripetal_acceleration_of_3_2_points_along_minus_Qr():
    derived = POINT.a.applyfunc(lambda e: e.coeff(omega, 2))
    printed = -sp.Matrix([A_ * c + B_ * s, A_ * s - B_ * c])
    correct = -sp.Matrix([A_ * c - B_ * s, A_ * s + B_ * c])
    assert_erratum(derived, printed, correct)
    # both printed rows are wrong, not only one of them
    assert all(normal(entry) != 0 for entry in printed - derived)


def test_every_other_line_of_3_2_is_right_as_printed():
    v = sp.Matrix(
        [
            dx0[0] - omega * (A_ * s + B_ * c) + DU[0] * c - DU[1] * s,
            dx0[1] - omega * (-A_ * c + B_ * s) + DU[0] * s + DU[1] * c,
        ]
    )
    a_w = sp.Matrix([DDU[0] * c - DDU[1] * s, DDU[0] * s + DDU[1] * c])
    a_u_but_centripetal = ddx0 - domega * sp.Matrix([A_ * s + B_ * c, -A_ * c + B_ * s])
    a_c = -2 * omega * sp.Matrix([DU[0] * s + DU[1] * c, -DU[0] * c + DU[1] * s])
    assert vanishes(POINT.v - v)
    derived = POINT.a - sp.Matrix([e.coeff(omega, 2) * omega**2 for e in POINT.a])
    assert vanishes(derived - (a_w + a_u_but_centripetal + a_c))


def test_arm_r_y_of_3_5_is_the_second_component_of_Qr():
    x0 = sp.Matrix(sp.symbols("x0 y0", real=True))
    arm = POINT.x - x0
    assert vanishes(arm[0] - (A_ * c - B_ * s))
    assert_erratum(derived=arm[1], printed=A_ * s - B_ * c, correct=A_ * s + B_ * c)
