"""A beam's axis at thermal strain: derivatives, free expansion, and the heated and cooled rod on rough ground."""

import numpy as np
import pytest

from fem import heated_axis
from fem.beam import Beam
from fem.beam_axis import BeamAxis
from floating_frame import Options, Problem, assemble, simulate
from friction import Coulomb, Foundation

LENGTH, WIDTH, THICKNESS, E, DENSITY = 1.0, 0.02, 0.01, 1.0e6, 1000.0
PRESSURE, MU = 1000.0, 0.5


def axis(ne):
    return BeamAxis.build(Beam.build(length=LENGTH, width=WIDTH, thickness=THICKNESS, E=E, density=DENSITY, ne=ne))


def test_force_and_tangent_are_the_derivatives_of_the_heated_energy():
    body = axis(4)
    random = np.random.default_rng(5)
    hot = heated_axis(body, 0.05 + 0.03 * body.X[:, 0])
    u, du = 0.02 * random.normal(size=body.X.shape), random.normal(size=body.X.shape)
    assert abs(hot.strain_energy(u) - body.strain_energy(u)) > 1e-3
    step = 1e-6
    slope = (hot.strain_energy(u + step * du) - hot.strain_energy(u - step * du)) / (2.0 * step)
    assert slope == pytest.approx(-float(np.vdot(hot.internal_force(u), du)), rel=1e-7)
    change = (hot.internal_force(u + step * du) - hot.internal_force(u - step * du)) / (2.0 * step)
    data = hot.tangent(u)
    rows = np.repeat(np.arange(body.X.size), np.diff(body.indptr))
    product = np.bincount(rows, data * du.ravel()[body.indices], body.X.size)
    np.testing.assert_allclose(product, -change.ravel(), rtol=1e-5, atol=1e-6 * np.abs(product).max())


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
    for ne in (50, 100):
        problem = Problem(
            axis(ne),
            2.0,
            Foundation(law=Coulomb(), mu=MU, pressure=PRESSURE),
            thermal_strain=lambda X, t: theta * min(t, 2.0 - t),
        )
        run = simulate(assemble(problem, Options(0.1, "quasi-static")))
        ends = run.position.values[:, -1, 0] - LENGTH / 2
        assert np.all(run.stick.values[-1, len(run.node) // 2])
        hot, cold = ends[10], ends[-1]
        errors.append(abs(hot / exact - 1.0))
        assert cold / hot == pytest.approx(0.5, abs=theta)
        assert float(np.abs(run.balance_error).max()) < 1e-9 * float(run.energy_strain.max())
    # finite strain: θ and the slip's strain are of Green's kind, so EA θ²/2q holds to first order in θ
    assert max(errors) < 2.0 * theta


def test_unfit_thermal_strains_of_an_axis_are_refused_in_one_line():
    for bad in (np.nan, -0.6, np.zeros(3)):
        with pytest.raises(ValueError, match="thermal strain of a beam") as caught:
            heated_axis(axis(4), bad)
        assert "\n" not in str(caught.value)
