"""A solid held in plane strain, its pressure given, is the plate of the plane code to rounding: motion, friction, stick, frame."""

import numpy as np
import pytest
from problems import run
from scipy.spatial import cKDTree
from solid_examples import CELL

import fem
from floating_frame import EdgeLoad, Ramp
from friction import Coulomb, Foundation, StaticKinetic

E, NU, DENSITY, SIZES, COUNTS = 2e5, 0.3, 1200.0, (0.4, 0.2, 0.05), (5, 3, 1)
PRESSURE, PULL = 600.0, (16.0, 4.0)
LAWS = {"coulomb": Coulomb(), "static-kinetic": StaticKinetic(0.75)}


def both(law, scheme, ground=(0.0, 0.0), spin=1.0, t_end=0.04):
    """The plate and a layer of hexahedra of the same cells that rubs with half the pressure on either face."""
    material, mu = fem.NeoHookean(E, NU, "strain"), "0.3*(1 + x)" if law == "coulomb" else 0.4
    mesh, layer = fem.rectangle(*SIZES[:2], *COUNTS[:2], "quadrilateral"), fem.box(*SIZES, *COUNTS, CELL["Q1"])
    plate = fem.Plate.build(mesh, thickness=SIZES[2], density=DENSITY, material=material, element="Q1")
    layer = layer.with_boundaries({"faces": np.union1d(layer.boundaries["bottom"], layer.boundaries["top"])})
    body = fem.Solid.build(layer, density=DENSITY, material=material)
    runs = [
        run(
            on, t_end, 1e-3, scheme, tolerance=1e-12, foundation=Foundation(LAWS[law], mu, pressure, ground_velocity=ground),
            loads=(EdgeLoad("right", force, Ramp(0.02)),), **more,
        )
        for on, pressure, force, more in (
            (plate, PRESSURE, PULL, {"spin": spin}),
            (body, PRESSURE / 2, (*PULL, 0.0), {"spin": (0.0, 0.0, spin), "gravity": 0.0, "face": "faces"}),
        )
    ]  # fmt: skip
    _, column = cKDTree(plate.X).query(body.X[:, :2])
    return *runs, column


RUNS = [("coulomb", "sdirk2", (0.0, 0.0), 0.2), ("coulomb", "backward-euler", (0.02, -0.01), 0.0)]
RUNS += [("static-kinetic", "sdirk2", (0.0, 0.0), 0.0)]


@pytest.mark.parametrize(("law", "scheme", "ground", "spin"), RUNS)
def test_plane_strain_in_space_equals_the_plane_code(law, scheme, ground, spin):
    plane, space, column = both(law, scheme, ground, spin)
    size = np.abs(plane.velocity.values).max()
    assert 0.05 < float(plane.stick.mean()) < 0.95  # some points rest, some slide
    np.testing.assert_allclose(space.position.values[..., :2], plane.position.values[:, column], rtol=0, atol=1e-11)
    velocity = plane.velocity.values[:, column]
    np.testing.assert_allclose(space.velocity.values[..., :2], velocity, rtol=0, atol=1e-8 * size)
    np.testing.assert_array_equal(space.stick.values, plane.stick.values[:, column])
    half = plane.friction_force.values[:, column] / 2
    np.testing.assert_allclose(space.friction_force.values[..., :2], half, rtol=0, atol=1e-7 * np.abs(half).max())
    rests = space.stick.values == 1
    along = space.velocity.values[..., :2] - np.asarray(ground)
    assert np.all(along[rests] == 0.0)
    assert np.all(space.velocity.values[..., 2] == 0.0)
    w, z = space.frame_rotation.values[:, 0], space.frame_rotation.values[:, 3]
    np.testing.assert_allclose(2 * np.arctan2(z, w), plane.frame_angle.values, rtol=0, atol=1e-10)
    np.testing.assert_allclose(space.frame_position.values[:, :2], plane.frame_position.values, rtol=0, atol=1e-11)
    for name in ("energy_kinetic", "energy_strain", "work_external", "dissipation_friction", "dissipation_numerical"):
        scale = float(np.abs(plane.dissipation_friction.values).max())
        np.testing.assert_allclose(space[name].values, plane[name].values, rtol=0, atol=1e-7 * scale)


def test_normal_forces_of_a_given_pressure_are_stored():
    """Weight beside it would count twice: see test_checks."""
    body = fem.Solid.build(fem.box(*SIZES, *COUNTS), density=DENSITY, material=fem.NeoHookean(E, NU))
    given = {"foundation": Foundation(Coulomb(), 0.3, PRESSURE), "velocity": (0.5, 0.0, 0.0), "gravity": 0.0}
    data, area = run(body, 0.02, 1e-3, face="bottom", **given), SIZES[0] * SIZES[1]
    np.testing.assert_allclose(data.normal_force.sum("node"), PRESSURE * area, rtol=1e-12)
    assert np.all(data.velocity.values[:, body.boundary("bottom"), 2] == 0.0)
    braked = data.linear_momentum.values[0] - data.linear_momentum.values[-1]
    assert braked[0] == pytest.approx(0.3 * PRESSURE * area * 0.02, rel=1e-3)  # narrowing, it also slides sideways
    assert np.abs(data.balance_error.values).max() < 1e-9 * float(data.energy_kinetic[0])
