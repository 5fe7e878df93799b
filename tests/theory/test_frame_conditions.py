"""Frame conditions: α, ω, ω̇ from the inertial motion, and what MeanAxis and Tisserand make of (3.4)1."""

import pytest
import sympy as sp
from derivation import Body, J, Q, c, cross, ddx0, domega, dx0, history, move, omega, s, vanishes

half = sp.Rational(1, 2)
# Places and masses are numbers, so that the conditions are solved with numbers for coefficients.
MASSES = tuple(sp.Integer(m) for m in (1, 2, 3, 2))
PLACES = [sp.Matrix(p) for p in ((-1, -2), (4, half), (-2, 1))]
PLACES.append(-sum((m * X for m, X in zip(MASSES, PLACES, strict=False)), sp.zeros(2, 1)) / MASSES[-1])


def body(*, mean_axis: bool) -> Body:
    """Four mass points with ∫ρu = 0; with `mean_axis`, ∫ρ X × u = 0 too, at all times."""
    u = [sp.Matrix([history(f"u{i}x"), history(f"u{i}y")]) for i in range(3)]
    if mean_axis:
        # ∫ρ X × u = 0 with the last point closing ∫ρu = 0 is linear in u0y: solve it there.
        unknown = sp.Symbol("unknown")
        u[0] = sp.Matrix([u[0][0], unknown])
    u.append(-sum((m * field for m, field in zip(MASSES, u, strict=False)), sp.zeros(2, 1)) / MASSES[-1])
    if mean_axis:
        couple = sum(m * cross(X, field) for m, X, field in zip(MASSES, PLACES, u, strict=True)).expand()
        solution = -couple.coeff(unknown, 0) / couple.coeff(unknown, 1)
        u = [field.subs(unknown, solution) for field in u]
    motions = tuple(move(X, field) for X, field in zip(PLACES, u, strict=True))
    return Body(MASSES, tuple(PLACES), motions)


def dot(body, a, b):
    """⟨a, b⟩ of the fields a(X, p), b(X, p)."""
    return body.integral(lambda X, p: a(X, p).dot(b(X, p)))


def wedge(body, a, b):
    """[a, b] of the fields a(X, p), b(X, p)."""
    return body.integral(lambda X, p: cross(a(X, p), b(X, p)))


def field_X(X, p):
    """Reference place."""
    return X


def field_r(X, p):
    """Place in the frame, r = X + u."""
    return p.r


def field_u(X, p):
    """Displacement."""
    return p.r - X


def field_y(X, p):
    """Place from the mass centre, y = Qr in space."""
    return Q * p.r


def field_dy(X, p):
    """Its rate."""
    return p.v - dx0


def field_ddy(X, p):
    """Its second rate."""
    return p.a - ddx0


def back(field):
    """Qᵀ times a field."""
    return lambda X, p: Q.T * field(X, p)


def field_du(X, p):
    """Rate of the displacement in the frame."""
    return p.du


def field_ddu(X, p):
    """Its second rate."""
    return p.ddu


MEAN, FREE = body(mean_axis=True), body(mean_axis=False)
# Tisserand's condition is [r, u̇] = 0. It is not integrable, so it is not put into u: the identities below
# have a remainder which is the condition, or its rate, and nothing else.
CONDITION = wedge(FREE, field_r, field_du)
CONDITION_RATE = sum(
    CONDITION.diff(symbol) * sp.Symbol("d" + symbol.name, real=True) for symbol in CONDITION.free_symbols
)


def test_mean_axis_frame_stays_at_the_mass_centre_but_keeps_L_and_K():
    for integral in (MEAN.A, MEAN.P, MEAN.B):
        assert vanishes(integral)
    for rates in (field_u, field_du, field_ddu):
        assert vanishes(wedge(MEAN, field_X, rates))
    assert not vanishes(MEAN.K)
    assert not vanishes(MEAN.L)
    assert vanishes(MEAN.L - wedge(MEAN, field_u, field_ddu))  # L = ∫ρ u × ü


def test_mean_axis_angle_spin_and_spin_up_follow_from_the_inertial_motion():
    E = dot(MEAN, field_X, field_r)
    assert not vanishes(E)
    # α = atan2([X, y], ⟨X, y⟩): sine and cosine times one E
    assert vanishes(wedge(MEAN, field_X, field_y) - s * E)
    assert vanishes(dot(MEAN, field_X, field_y) - c * E)
    stretch = dot(MEAN, field_X, back(field_dy))
    assert vanishes(wedge(MEAN, field_X, back(field_dy)) - omega * E)
    spin_up = wedge(MEAN, field_X, back(field_ddy)) - 2 * omega * stretch
    assert vanishes(spin_up - domega * E)
    assert not vanishes(spin_up + 2 * omega * stretch - domega * E)  # the second term is needed


def test_tisserand_spin_and_spin_up_follow_from_the_inertial_motion():
    inertia, moment = dot(FREE, field_y, field_y), wedge(FREE, field_y, field_dy)
    assert vanishes(inertia - FREE.J_zz)
    assert not vanishes(CONDITION)
    assert vanishes(moment - omega * inertia - CONDITION)
    spin_up = wedge(FREE, field_y, field_ddy) - 2 * omega * dot(FREE, field_y, field_dy)
    assert not vanishes(CONDITION_RATE)
    assert vanishes(spin_up - domega * inertia - CONDITION_RATE)


def test_mean_axis_turns_the_moment_equation_into_E_domega():
    """E ω̇ = M_z − 2ωK − L0: the −ω̇⟨u, r⟩ hidden in L = ∫ρ u × ü takes J_zz down to E = ⟨X, r⟩."""
    lag = dot(MEAN, field_u, field_r)
    E = dot(MEAN, field_X, field_r)
    assert not vanishes(lag)
    assert vanishes(MEAN.J_zz - lag - E)

    def known(X, p):
        return Q.T * (p.a - ddx0) + omega**2 * p.r - 2 * omega * J * p.du

    L0 = wedge(MEAN, field_u, known)
    assert vanishes(MEAN.L - (L0 - domega * lag))
    assert vanishes(MEAN.inertia_rows[2] - (MEAN.J_zz * domega + 2 * omega * MEAN.K + MEAN.L))
    assert vanishes(MEAN.inertia_rows[2] - (E * domega + 2 * omega * MEAN.K + L0))
    assert vanishes(sp.Matrix(MEAN.inertia_rows[:2]) - MEAN.M * ddx0)


def test_tisserand_leaves_J_zz_domega_plus_2_omega_K_alone():
    assert vanishes(FREE.L - CONDITION_RATE)  # L = d[r, u̇]/dt
    kept = FREE.J_zz * domega + 2 * omega * FREE.K
    assert not vanishes(FREE.K)
    assert vanishes(FREE.inertia_rows[2] - kept - CONDITION_RATE)
    assert vanishes(sp.Matrix(FREE.inertia_rows[:2]) - FREE.M * ddx0)


@pytest.mark.slow
def test_energy_of_a_small_strain_body_in_the_mean_axis_frame_adds_a_rank_one_force():
    """−∂U/∂x = Q (f − τ ∂ω/∂V), f = −∂U/∂u, τ = Σ r × f ≠ 0, where u = Qᵀy − X takes Q from y; no moment is left."""

    def energy(u):
        """Springs between all pairs, linearised about the reference: blind to infinitesimal rotations only."""
        pairs = [(i, j) for i in range(4) for j in range(i)]
        return sum((i + 2 * j + 1) * (u[i] - u[j]).dot(PLACES[i] - PLACES[j]) ** 2 / 2 for i, j in pairs)

    # A large deformation with ∫ρu = 0, ∫ρ X × u = 0, turned by the rational rotation with cosine 3/5.
    u = [sp.Matrix(field) for field in ((1, 0), (0, -half), (half, 1))]
    u.append(-sum((m * field for m, field in zip(MASSES, u, strict=False)), sp.zeros(2, 1)) / MASSES[-1])
    excess = sum(m * cross(X, field) for m, X, field in zip(MASSES, PLACES, u, strict=True))
    inertia = sum(m * X.dot(X) for m, X in zip(MASSES, PLACES, strict=True))
    u = [field - excess / inertia * J * X for field, X in zip(u, PLACES, strict=True)]
    turned = sp.Matrix([[3, -4], [4, 3]]) / 5
    deformed = [turned * (X + field) for X, field in zip(PLACES, u, strict=True)]

    def stored(y):
        """Strain energy of a body at the places y in space, split by the mean-axis condition; and E."""
        mean = sum((m * p for m, p in zip(MASSES, y, strict=True)), sp.zeros(2, 1)) / sum(MASSES)
        y = [p - mean for p in y]
        sine = sum(m * cross(X, p) for m, X, p in zip(MASSES, PLACES, y, strict=True)).expand()
        cosine = sum(m * X.dot(p) for m, X, p in zip(MASSES, PLACES, y, strict=True)).expand()
        E = sp.sqrt((sine**2 + cosine**2).expand())
        back_turn = sp.Matrix([[cosine, sine], [-sine, cosine]]) / E
        return energy([back_turn * p - X for p, X in zip(y, PLACES, strict=True)]), E

    assert stored(deformed)[0] == energy(u)
    length = stored(deformed)[1]
    nudge = sp.Symbol("epsilon", positive=True)
    gradient = []
    for node in range(4):
        for axis in (sp.Matrix([1, 0]), sp.Matrix([0, 1])):
            moved = [p + nudge * axis if i == node else p for i, p in enumerate(deformed)]
            gradient.append(-stored(moved)[0].diff(nudge).subs(nudge, 0))
    gradient = sp.Matrix(gradient)
    marks = sp.symbols("u0:8", real=True)
    force = energy([sp.Matrix(marks[2 * i : 2 * i + 2]) for i in range(4)])
    values = dict(zip(marks, [entry for field in u for entry in field], strict=True))
    nodal = [-sp.Matrix([force.diff(v).subs(values) for v in marks[2 * i : 2 * i + 2]]) for i in range(4)]
    tau = sum(cross(X + field, f) for X, field, f in zip(PLACES, u, nodal, strict=True))
    corrected = [f - tau * m * J * X / length for f, m, X in zip(nodal, MASSES, PLACES, strict=True)]
    assert tau != 0
    assert gradient == sp.Matrix([entry for f in corrected for entry in turned * f])
    assert gradient != sp.Matrix([entry for f in nodal for entry in turned * f])
    assert sum(cross(X + field, f) for X, field, f in zip(PLACES, u, corrected, strict=True)) == 0
