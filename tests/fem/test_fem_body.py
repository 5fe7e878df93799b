"""Plates and beams, cold and heated, are deformable bodies by one protocol."""

import numpy as np
import pytest
from fem_examples import law, plate

import fem
from fem.beam import Beam


def bodies():
    cold = plate("Q1", law("small-strain"))
    axis = fem.BeamAxis.build(Beam.build(length=1.0, width=0.1, thickness=0.02, E=1e9, density=1e3, ne=4))
    return {
        "plate": cold,
        "axis": axis,
        "heated plate": fem.heated_plate(cold, 1e-3),
        "heated axis": fem.heated_axis(axis, 1e-3),
    }


@pytest.mark.parametrize("name", ["plate", "axis", "heated plate", "heated axis"])
def test_every_body_offers_what_the_equations_of_motion_ask_for(name):
    body = bodies()[name]
    assert isinstance(body, fem.DeformableBody)
    assert not isinstance(fem.MATERIALS, fem.DeformableBody)
    told = [
        member for key, member in vars(fem.DeformableBody).items() if not key.startswith("_") and not callable(member)
    ]
    assert len(told) > 10
    assert all(isinstance(member, property) for member in told), "a frozen body would be none to a type checker"
    mass, still = body.mass_matrix.sum(axis=1).A1, np.zeros_like(body.X)
    assert mass.sum() == pytest.approx(body.mass, rel=1e-12)
    np.testing.assert_allclose(mass @ body.X, 0.0, atol=1e-13 * body.mass)
    assert body.nodal_area.sum() == pytest.approx(body.area, rel=1e-12)
    assert body.internal_force(still).shape == body.X.shape
    assert body.tangent(still).shape == body.mass_data.shape == body.indices.shape
    assert body.smallest_jacobian(still)[0] == pytest.approx(1.0, rel=1e-12)
    assert body.edge_shape("left").sum() == pytest.approx(1.0, rel=1e-12)
    assert np.all(body.edge_shape("left")[body.boundary("left")[:1]] > 0.0)
