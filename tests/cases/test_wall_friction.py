"""The case wall_impact takes friction on the obstacle by every law that fits its contact and refuses the others in one line."""

import numpy as np
import pytest
from case_models import computed

from cases import wall_impact
from friction import LAWS

SHORT = {"nx": 2, "ny": 2, "dt": 5e-4, "t_end": 0.03, "vy0": 0.4, "v_s": 0.05, "v_d": 0.1}
SPLINE = {"spline_speeds": (0.0, 0.05, 1.0), "spline_values": (0.0, 0.4, 0.4)}
TAKEN = {
    "smooth": {},
    "sliding": {"mu_s_wall": 0.4},
    "sliding-stiction": {"mu_s_wall": 0.4},
    "force-spline": SPLINE,
    "coefficient-spline": {**SPLINE, "mu_wall": 0.0},
}


@pytest.mark.parametrize("law", TAKEN)
@pytest.mark.quick("smooth", "coefficient-spline")
def test_every_law_that_is_a_function_of_slip_and_memory_acts_on_the_obstacle(law):
    _, data = computed(wall_impact, **{"mu_wall": 0.3, "wall_law": law} | SHORT | TAKEN[law])
    push, drag = -data.contact_force.values[:, 0], -data.contact_force.values[:, 1]
    pressed = push > 1e-3
    assert pressed.sum() > 5
    fast = np.abs(data.velocity.values[:, :, 1]).min(axis=1) > 0.1  # beyond v_d and the spline's middle
    expected = {"force-spline": np.full_like(push, 0.4), "coefficient-spline": 0.4 * push}.get(law, 0.3 * push)
    first = pressed & fast
    assert first.any()
    np.testing.assert_allclose(drag[first], expected[first], rtol=1e-3)
    assert float(np.abs(data.balance_error).max()) < 1e-9 * float(data.energy_kinetic[0])


def test_the_largest_force_on_the_obstacle_is_a_total():
    _, data = computed(wall_impact, mu_wall=0.3, max_force_wall=0.2, **SHORT)
    push, drag = -data.contact_force.values[:, 0], -data.contact_force.values[:, 1]
    assert np.all(0.3 * push[(push > 0.0) & (drag < 0.1)] < 0.2)
    assert drag.max() == pytest.approx(0.2, rel=1e-9)


def test_exact_contact_takes_a_static_coefficient_which_a_block_that_slides_never_feels():
    common = SHORT | {"contact": "signorini", "scheme": "moreau-theta", "mu_wall": 0.2, "restitution": 0.5}
    forces = []
    for more in ({}, {"wall_law": "static-kinetic"}, {"wall_law": "static-kinetic", "mu_s_wall": 0.6}):
        _, data = computed(wall_impact, **common | more)
        forces.append(data.contact_force.values)
        assert float(np.abs(data.balance_error).max()) < 1e-12
    assert forces[0][:, 1].min() == pytest.approx(0.2 * forces[0][:, 0].min(), rel=1e-9)
    for other in forces[1:]:
        np.testing.assert_allclose(other, forces[0], rtol=0, atol=1e-9)


def test_every_law_is_either_taken_or_refused():
    refused = {"coulomb", "static-kinetic", "stribeck", "elliptic"}
    assert set(TAKEN) | refused == set(LAWS)
