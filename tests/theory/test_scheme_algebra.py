"""Algebra behind the SDIRK2 scheme: order, stiff accuracy, energy form, and its reversal at an arrest."""

import pytest
import sympy as sp

GAMMA = 1 - 1 / sp.sqrt(2)
TABLEAU = sp.Matrix([[GAMMA, 0], [1 - GAMMA, GAMMA]])
WEIGHTS = TABLEAU[1, :].T  # stiffly accurate: the step ends on the last stage
ONES = sp.ones(2, 1)


def energy_form(tableau, weights):
    """m_ij = b_i a_ij + b_j a_ji − b_i b_j."""
    scaled = sp.diag(*weights) * tableau
    return (scaled + scaled.T - weights * weights.T).applyfunc(sp.simplify)


def test_two_stage_sdirk_is_of_order_two_and_damps_the_stiffest_modes_entirely():
    nodes = TABLEAU * ONES
    assert sp.simplify(sum(WEIGHTS) - 1) == 0
    assert sp.simplify(WEIGHTS.dot(nodes) - sp.Rational(1, 2)) == 0
    assert sp.simplify(WEIGHTS.dot(nodes.applyfunc(lambda n: n**2)) - sp.Rational(1, 3)) != 0  # not of order three
    # The growth 1 + z bᵀ(1 − zA)⁻¹1 of the mode z tends to 1 − bᵀA⁻¹1 as z goes to minus infinity.
    assert sp.simplify((WEIGHTS.T * TABLEAU.inv() * ONES)[0]) == 1


def test_numerical_dissipation_form_is_gamma_squared_times_the_difference_of_the_stages():
    form = energy_form(TABLEAU, WEIGHTS)
    assert sp.simplify(form - GAMMA**2 * sp.diag(-1, 1)) == sp.zeros(2, 2)
    # Kinetic ledger of one step with any stage accelerations a_i and symmetric mass (here two masses).
    dt = sp.Symbol("dt", positive=True)
    mass, v_old = sp.diag(2, 5), sp.Matrix(sp.symbols("v1 v2"))
    a = [sp.Matrix(sp.symbols(f"a{i}1 a{i}2")) for i in (1, 2)]
    stages = [v_old + dt * sum((TABLEAU[i, j] * a[j] for j in (0, 1)), sp.zeros(2, 1)) for i in (0, 1)]

    def kinetic(v):
        return (v.T * mass * v)[0] / 2

    power = sum(WEIGHTS[i] * (stages[i].T * mass * a[i])[0] for i in (0, 1))
    lost = (GAMMA * dt) ** 2 * (kinetic(a[1]) - kinetic(a[0]))  # negative when the first stage is the rougher one
    gain = kinetic(stages[1]) - kinetic(v_old)
    assert sp.expand(sp.expand(gain - dt * power + lost)) == 0


def test_no_stiffly_accurate_two_stage_dirk_of_order_two_is_algebraically_stable():
    a_11, b_2 = sp.symbols("a11 b2", positive=True)
    tableau, weights = sp.Matrix([[a_11, 0], [1 - b_2, b_2]]), sp.Matrix([1 - b_2, b_2])
    order_two = sp.solve(weights.dot(tableau * ONES) - sp.Rational(1, 2), a_11)
    assert len(order_two) == 1
    form = energy_form(tableau.subs(a_11, order_two[0]), weights)
    assert sp.simplify(form - b_2**2 * sp.diag(-1, 1)) == sp.zeros(2, 2)
    # backward Euler, of order one, is
    assert energy_form(sp.Matrix([[1]]), sp.Matrix([1])) == sp.Matrix([[1]])


def shrink(v, bound):
    """Exact step of Coulomb friction: the velocity moves towards zero by at most the bound."""
    return v - bound if v > bound else (v + bound if v < -bound else sp.Integer(0))


def freely_decelerating(v_old):
    """Stage velocities of one step with w = m = Δt = 1."""
    first = shrink(v_old, GAMMA)
    acceleration = (first - v_old) / GAMMA
    return first, sp.simplify(shrink(sp.simplify(v_old + (1 - GAMMA) * acceleration), GAMMA))


@pytest.mark.parametrize("v_old", ["0.20", "0.215", "0.29", "0.30", "0.41", "0.42", "0.9"])
def test_block_arrests_with_a_backward_velocity_between_0207_and_0414_of_its_loss_per_step(v_old):
    """(√2 − 1)/2 < v < √2 − 1 reverses, at most by γ + 1 − √2 at v = γ; above γ the first stage still slides, which a guard must
    not miss."""
    v, edge = sp.Rational(v_old), sp.sqrt(2) - 1
    first, last = freely_decelerating(v)
    assert bool(first > 0) is bool(v > GAMMA)
    backward = (v - edge if v > GAMMA else GAMMA - sp.sqrt(2) * v) if edge / 2 < v < edge else sp.Integer(0)
    assert sp.simplify(last - backward) == 0
    assert backward <= 0
