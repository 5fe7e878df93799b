"""A beam's axis at thermal strain: free expansion, and the heated and cooled rod on rough ground."""

import numpy as np
import pytest
from problems import run

from fem import heated_axis
from fem.beam import Beam
from fem.beam_axis import BeamAxis
from friction import Coulomb, Foundation

LENGTH, WIDTH, THICKNESS, E = 1.0, 0.02, 0.01, 1.0e6
PRESSURE, MU = 1000.0, 0.5


def axis(ne):
    return BeamAxis.build(Beam.build(length=LENGTH, width=WIDTH, thickness=THICKNESS, E=E, density=1000.0, ne=ne))


def test_a_free_axis_expands_without_stress_to_the_stretch_of_its_thermal_strain():
    body, theta = axis(6), 0.04
    hot = heated_axis(body, theta)
    stretched = body.X * (np.sqrt(1.0 + 2.0 * theta) - 1.0)  # e = (stretch² − 1)/2 = θ
    assert np.abs(hot.internal_force(np.zeros_like(body.X))).max() > 1.0
    assert np.abs(hot.internal_force(stretched)).max() < 1e-10 * E * WIDTH * THICKNESS
    assert hot.strain_energy(stretched) == pytest.approx(0.0, abs=1e-13)


def test_a_heated_axis_on_rough_ground_slips_from_its_ends_and_keeps_half_when_cooled():
    theta, EA, q = 0.02, E * WIDTH * THICKNESS, MU * PRESSURE * WIDTH
    exact, slip = EA * theta**2 / (2.0 * q), EA * theta / q
    assert slip < 0.5 * LENGTH
    errors = []
    for ne in (25, 50):
        heat = {"thermal_strain": lambda X, t: theta * min(t, 2.0 - t)}
        data = run(axis(ne), 2.0, 0.1, "quasi-static", foundation=Foundation(Coulomb(), MU, PRESSURE), **heat)
        ends = data.position.values[:, -1, 0] - LENGTH / 2
        assert np.all(data.stick.values[-1, len(data.node) // 2])
        hot, cold = ends[10], ends[-1]
        errors.append(abs(hot / exact - 1.0))
        assert cold / hot == pytest.approx(0.5, abs=theta)
        assert float(np.abs(data.balance_error).max()) < 1e-9 * float(data.energy_strain.max())
    # finite strain: θ and the slip's strain are of Green's kind, so EA θ²/2q holds to first order in θ
    assert max(errors) < 2.0 * theta


def test_unfit_thermal_strains_of_an_axis_are_refused_in_one_line():
    for bad in (np.nan, -0.6, np.zeros(3)):
        with pytest.raises(ValueError, match="thermal strain of a beam") as caught:
            heated_axis(axis(4), bad)
        assert "\n" not in str(caught.value)
