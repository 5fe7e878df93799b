"""Errata of the friction force: units of (3.1), (3.4)2, (3.5), (3.11) and case B; and the law at rest."""

import sympy as sp
from derivation import assert_erratum
from sympy.physics.units import kilogram, meter, second
from sympy.physics.units.systems.si import SI, dimsys_SI

NEWTON = kilogram * meter / second**2
PRESSURE = NEWTON / meter**2
DENSITY = kilogram / meter**3


def dimension(unit):
    """Exponents of mass, length and time of a product of units."""
    return dimsys_SI.get_dimensional_dependencies(SI.get_dimensional_expr(unit))


def test_friction_per_area_is_neither_a_force_per_volume_nor_per_mass():
    h, volume, area = meter, meter**3, meter**2
    acceleration = meter / second**2
    # (3.4)2, (3.11): Div(FS), μ p_n and ρ a are added up.
    field = dimension(DENSITY * acceleration)
    assert dimension(PRESSURE / meter) == field  # Div
    assert dimension(PRESSURE) != field  # printed
    assert dimension(PRESSURE / h) == field  # correct: ρ b = μ p_n / h
    # (3.1), case B: b is used per mass in (2.3)3, (2.4) and (3.7).
    assert dimension(PRESSURE) != dimension(acceleration)
    assert dimension(PRESSURE / (DENSITY * h)) == dimension(acceleration)
    # (3.5): resultants, beside ∫ p_t dS.
    assert dimension(PRESSURE * volume) != dimension(NEWTON)
    assert dimension(PRESSURE * area) == dimension(NEWTON) == dimension(PRESSURE * meter * h)


def test_force_at_rest_is_a_disc_of_reactions_and_has_no_known_intensity():
    """(3.1) has no value at v = 0, and a body at rest under less than μ p_n needs less than μ p_n."""
    eps, w, load = sp.symbols("epsilon w load", positive=True)
    phi, psi = sp.symbols("phi psi", real=True)
    direction = sp.Matrix([sp.cos(phi), sp.sin(phi)])
    v = eps * direction
    towards_rest = (v / sp.sqrt(v.dot(v))).applyfunc(sp.simplify).limit(eps, 0)
    assert towards_rest.diff(phi) != sp.zeros(2, 1)  # printed: the limit depends on the path to it
    # Equilibrium at rest asks for the intensity |t| = load; printed: |t| = w whatever the load.
    assert_erratum(load, printed=w, correct=load)
    # Correct: λ is a subgradient of w|v| at 0 if and only if (λ·v − w|v|)/|v| is never positive; its largest
    # value over the directions of v is |λ| − w, so that every load up to w is balanced and none beyond.
    lam = load * sp.Matrix([sp.cos(psi), sp.sin(psi)])
    excess = sp.simplify(lam.dot(direction) - w)
    assert sp.simplify(excess - (load * sp.cos(phi - psi) - w)) == 0
    assert sp.simplify(excess.subs(phi, psi) - (load - w)) == 0
