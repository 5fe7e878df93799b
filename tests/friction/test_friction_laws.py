"""Friction laws: direction, dissipation and derivative; the foundation's weights and its refusals."""

import numpy as np
import pytest
from convergence import observed_orders
from law_examples import CAP, CONVEX, EVERY, STAGES, V, W, size
from rows import rows

from friction import Coulomb, Elliptic, Foundation, Limited, Smooth


def walk(laws):
    return pytest.mark.parametrize("law", laws.values(), ids=list(laws))


@walk(EVERY)
def test_friction_opposes_sliding_dissipates_and_keeps_its_bound(law):
    lam = law.force(V, W)
    power = np.einsum("ia,ia->i", lam, V)
    assert power.min() > 0.0
    if not isinstance(law.with_total_load(W), Elliptic):
        np.testing.assert_allclose(lam[:, 0] * V[:, 1], lam[:, 1] * V[:, 0], atol=2e-15)  # parallel
    cap = law.with_total_load(W).cap
    assert (size(lam) <= W * min(1.0, cap) * (1 + 1e-15)).all()
    if isinstance(law, Limited):
        assert cap == CAP
        uncut = law.law.force(V, W)
        np.testing.assert_array_equal(lam[size(uncut) < 0.3 * W], uncut[size(uncut) < 0.3 * W])
    zero = np.zeros_like(V)
    assert not law.force(zero, W).any()


@walk(STAGES)
def test_tangent_is_the_derivative_of_the_force(law):
    c = np.random.default_rng(2).standard_normal(V.shape) * size(V)[:, None]
    exact = np.einsum("iab,ib->ia", law.tangent(V, W), c)
    assert np.abs(exact).max() > 0.1
    smooth = np.ones(len(V), bool)  # but for states within a step of a kink, where the tangent jumps
    for h in (0.02, -0.02):
        jump = law.tangent(V + h * c, W) - law.tangent(V, W)
        smooth &= np.abs(jump).max(axis=(1, 2)) < 0.3 * W / size(V)
    assert smooth.mean() > 0.5
    steps = 10.0 ** -np.arange(2, 6)
    errors = [np.abs((law.force(V + h * c, W) - law.force(V, W)) / h - exact)[smooth].max() for h in steps]
    orders = np.diff(np.log10(errors)) / -1.0
    assert (np.abs(orders - 1.0) < 0.1).all(), orders
    assert errors[-1] < 1e-3


@walk({name: law for name, law in EVERY.items() if not law.has_internal_state})
def test_the_tangent_of_a_law_without_memory_is_symmetric(law):
    tangent = law.tangent(V, W)
    np.testing.assert_allclose(tangent, tangent.transpose(0, 2, 1), atol=1e-15 * np.abs(tangent).max())


@walk({name: law for name, law in EVERY.items() if name.split(" with")[0] in CONVEX})
def test_laws_that_never_fall_with_speed_are_monotone(law):
    assert np.linalg.eigvalsh(law.tangent(V, W)).min() > -1e-12


def test_coulomb_force_in_slip_has_exactly_the_bound_at_any_speed_and_no_direction_at_rest():
    tiny = 1e-200 * V
    np.testing.assert_allclose(np.hypot(*Coulomb().force(tiny, W).T), W, rtol=1e-14)
    assert not Coulomb().tangent(np.zeros((50, 2)), W).any()
    assert Coulomb.set_valued
    assert not Smooth.set_valued


def test_smooth_friction_tends_to_coulomb_as_the_square_of_v_reg():
    gaps = [
        np.abs(Smooth(v).force(V[-1:], W[-1:]) - Coulomb().force(V[-1:], W[-1:])).max() for v in (1e-2, 5e-3, 2.5e-3)
    ]
    orders = observed_orders(gaps)
    assert (np.abs(orders - 2.0) < 0.01).all()
    speed = np.hypot(*V[-1])
    assert gaps[0] == pytest.approx(0.5 * (1e-2 / speed) ** 2 * np.abs(Coulomb().force(V[-1:], W[-1:])).max(), rel=1e-2)


@rows("v_reg", [0.0, -1.0, np.nan, np.inf])
def test_smooth_law_refuses_a_regularisation_speed_that_is_not_positive(v_reg):
    with pytest.raises(ValueError, match="v_reg must be a positive finite speed"):
        Smooth(v_reg)


def test_weights_are_mu_times_pressure_times_area():
    X, area = np.random.default_rng(3).standard_normal((4, 2)), np.array([0.1, 0.2, 0.3, 0.4])
    plain = Foundation(Coulomb(), 0.5, 100.0)
    assert plain.constant
    np.testing.assert_allclose(plain.bound(X, area, 0.0), 50.0 * area, rtol=1e-15)
    field = Foundation(Coulomb(), lambda X: X[:, 0] ** 2, lambda X, t: (1.0 + t) * X[:, 1] ** 2)
    assert not field.constant
    np.testing.assert_allclose(field.bound(X, area, 2.0), 3.0 * (X[:, 0] * X[:, 1]) ** 2 * area, rtol=1e-14)
    assert Foundation(Coulomb(), 0.0, np.zeros(4)).bound(X, area, 0.0).tolist() == [0.0] * 4


@rows(
    ("mu", "pressure", "message"),
    [
        (-0.1, 1.0, "mu must not be negative, got -0.1$"),
        (np.nan, 1.0, "mu must be finite"),
        (0.1, [1.0, np.inf], "pressure must be finite"),
        (None, 1.0, "mu must be a number, an array or a function, got None"),
        ("z", 1.0, "mu: 'z' uses 'z'; the names are X, Y, pi"),
        (0.1, [], "pressure is empty"),
    ],
)
def test_foundation_refuses_bad_numbers_in_one_line(mu, pressure, message):
    with pytest.raises(ValueError, match=message) as error:
        Foundation(Coulomb(), mu, pressure)
    assert "\n" not in str(error.value)


def test_foundation_refuses_bad_fields_when_they_are_evaluated_and_a_law_that_is_none():
    X, area = np.zeros((3, 2)), np.ones(3)
    for foundation, message in (
        (Foundation(Coulomb(), 0.1, np.ones(2)), r"pressure must have shape \(3,\), got \(2,\)"),
        (Foundation(Coulomb(), 0.1, lambda X, t: -1.0), "pressure must not be negative"),
        (Foundation(Coulomb(), lambda X: X, 1.0), r"mu must have shape \(3,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            foundation.bound(X, area, 0.0)
    with pytest.raises(ValueError, match="nodal_area must not be negative"):
        Foundation(Coulomb(), 0.1, 1.0).bound(X, -area, 0.0)
    with pytest.raises(ValueError, match="law must be a friction law"):
        Foundation("coulomb", 0.1, 1.0)
