"""Friction on penalty contacts by totals over the contact; potentials of the elastic stage; laws that are refused."""

import numpy as np
import pytest
from ff_pressed import HOLDS, MASS, MU, pressed
from ff_records import contact_pass

from floating_frame import simulate
from friction import CoefficientSpline, Coulomb, ForceSpline, Limited, Smooth


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta", "radau"])
@pytest.mark.parametrize("kind", ["rigid", pytest.param("elastic", marks=pytest.mark.slow)])
@pytest.mark.quick("rigid-backward-euler", "rigid-moreau-theta")
def test_the_largest_force_and_a_spline_of_forces_are_totals_of_the_contact(kind, scheme):
    """A block slides at 0.4 m/s along the wall: M v' = −F, so v = v0 − F t/M."""
    if scheme == "radau" and kind == "elastic":
        pytest.skip("radau takes rigid bodies")
    laws = {
        "cut": (Limited(Smooth(1e-6), 0.5), 0.5),
        "not cut": (Limited(Smooth(1e-6), 50.0), None),
        "spline": (ForceSpline((0.0, 0.05, 10.0), (0.0, 0.7, 0.7)), 0.7),
        "cut spline": (Limited(CoefficientSpline((0.0, 0.05), (0.0, 0.9)), 0.3), 0.3),
    }
    tolerance = 1e-4 if scheme == "radau" else 1e-9
    for law, total in list(laws.values())[:: 2 if scheme == "radau" else 1]:
        model = pressed(law, kind, pull=0.0, start=0.4, t_end=0.05, dt=2.5e-3, scheme=scheme)
        data = simulate(model)
        push, drag = -data.contact_force.values[1:].T
        assert np.abs(data.frame_angle.values).max() > 1e-5  # friction's moment presses one end more
        share = slice(None) if total is None else MU * 0.9 * push > total  # an elastic block comes to the wall in jolts
        assert push[share].size > 12
        np.testing.assert_allclose(drag[share], MU * push[share] if total is None else total, rtol=0, atol=tolerance)
        if kind == "rigid" and total is not None:
            expected = 0.4 - total * data.time.values[1:] / MASS
            np.testing.assert_allclose(data.frame_velocity.values[1:, 1], expected, rtol=1e-6)
        assert float(np.abs(data.balance_error).max()) < 1e-7 * float(data.energy_kinetic[0])


@pytest.mark.parametrize(
    ("law", "scheme", "words"),
    [
        (Coulomb(), "sdirk2", "function of the slip velocity, got Coulomb; choose a regularised law, or exact"),
        (ForceSpline((0.0, 1.0), (1.0, 1.0)), "sdirk2", "function of the slip velocity, got ForceSpline"),
        (HOLDS, "radau", "memory on a contact takes an implicit scheme with stages, got scheme 'radau'"),
    ],
)
def test_laws_that_a_penalty_contact_cannot_take_are_refused_in_one_line(law, scheme, words):
    with pytest.raises(ValueError, match=words) as caught:
        pressed(law, scheme=scheme)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "law", [HOLDS, Limited(HOLDS, 5.0), Limited(Smooth(0.3), 5.0)], ids=["stiction", "cut", "smooth"]
)
def test_a_stages_contact_with_bristles_or_a_total_has_the_tangent_of_its_force(law):
    """Along the wall, where a total stays the same: what it changes with the normal force is left to the iteration."""
    model = pressed(law, "elastic")
    rng = np.random.default_rng(2)
    X = model.body.X
    v = rng.normal(size=X.shape) * 0.005 + [0.3, 0.004]
    along = rng.uniform(-5e-4, 5e-4, len(model.contacts[0][1].weights))
    bent = np.column_stack([along, np.zeros(len(along))]) if law.has_internal_state else None
    stage = contact_pass(model, X, 0.01, time=0.0, theta=0.7, angle=0.4, bristles=bent)
    v, direction, h = v @ stage.Q, rng.normal(size=v.shape), 1e-7
    if isinstance(law, Limited):
        direction = (direction * [0.0, 1.0]) @ stage.Q
    assert np.abs(stage.force(v)).max() > 0.1
    change = (stage.force(v + h * direction) - stage.force(v - h * direction)) / (2 * h)
    assert np.abs(change).max() > 0.1
    linear = (stage.tangent(v, model.body) @ direction.ravel()).reshape(change.shape)
    np.testing.assert_allclose(-linear, change, rtol=0, atol=1e-4 * np.abs(change).max())
