"""Natural modes against closed forms: beams, rods, strings, clamps; rigid motions left out; what is refused."""

import numpy as np
import pytest
from ff_examples import plate
from problems import assembled

from fem import NeoHookean, SmallStrain, StVenantKirchhoff
from fem.analysis import modes as fem_modes
from fem.beam import Beam
from floating_frame import Clamped, Lateral, RigidBody, modes

L, E, RHO = 1.0, 1e6, 1000.0
BEAM = Beam.build(length=L, width=0.02, thickness=0.02, E=E, density=RHO, ne=16)
ROOTS = {  # beta L: Blevins, Formulas for Natural Frequency and Mode Shape, table 8-1
    "free": [4.73004074, 7.85320462, 10.9956079],
    "cantilever": [1.87510407, 4.69409113, 7.85475744],
    "simply-supported": [np.pi, 2 * np.pi, 3 * np.pi],
}


def frequencies(roots):
    return np.square(roots) / L**2 * np.sqrt(BEAM.bending_stiffness / BEAM.mass_per_length) / (2 * np.pi)


@pytest.mark.parametrize("support", ROOTS)
def test_beams_vibrate_as_euler_and_bernoulli_say_but_for_the_error_of_hermite_elements(support):
    """Consistent cubic elements of length h are too stiff by (beta h)^4/720 in omega^2."""
    computed = modes(assembled(BEAM, 1.0, 1e-3, frame=Lateral(support)), 3)
    known, error = frequencies(ROOTS[support]), (np.array(ROOTS[support]) / 16) ** 4 / 1440
    relative = computed.frequency.values / known - 1
    assert np.all(relative > 0.8 * error - 2e-9)  # the roots have nine digits
    assert np.all(relative < 1.2 * error + 2e-9)
    assert computed.attrs["rigid_modes"] == {"free": 2}.get(support, 0)
    assert computed["shape"].dims == ("mode", "node", "axis")
    assert not computed["shape"][..., 0].any()


def built(size, counts, material, element="Q1"):
    return plate(*counts, material=material, element=element, length=size[0], width=size[1])


def rod(nx=40, **clamp):
    return assembled(built((L, 0.02), (nx, 1), SmallStrain(E=E, nu=0.0)), 1.0, 1e-3, **clamp)


RODS = [(None, [2, 4, 6], 3), (Clamped("left", ("x",)), [2, 4, 6], 1), (Clamped("left", ()), [1, 3, 5], 0)]
RODS += [(Clamped("left", ("x", "y", "angle")), [2, 4, 6], 3)]


@pytest.mark.parametrize(("frame", "quarters", "rigid"), RODS)
def test_rods_vibrate_along_with_n_c_over_2l_or_where_the_clamp_is_fixed_c_over_4l(frame, quarters, rigid):
    """Linear elements of length h with consistent mass are too fast by (k h)^2/24."""
    found = modes(rod(**({"frame": frame} if frame else {})), 40)
    size = np.abs(found["shape"].values).max(axis=1)
    c, computed = np.sqrt(E / RHO), found.frequency.values[size[:, 0] > size[:, 1]][:3]
    known = np.array(quarters) * c / (4 * L)
    error = (np.array(quarters) * np.pi / 2 / 40) ** 2 / 24
    assert np.all(np.abs((computed / known - 1) / error - 1) < 0.05)
    assert found.attrs["rigid_modes"] == rigid


@pytest.mark.parametrize("element", ["P1", "P2", "Q1", "Q2"])
def test_modes_are_orthogonal_by_mass_to_each_other_and_to_rigid_motions(element):
    plate = built((L, 0.5), (8, 4), StVenantKirchhoff(E=E, nu=0.3), element)
    computed = modes(assembled(plate, 1.0, 1e-3), 6)
    shapes, M = computed["shape"].values, plate.mass_matrix
    gram = np.einsum("kna,nlb->klab", shapes, np.stack([M @ s for s in shapes], axis=1)).trace(axis1=2, axis2=3)
    np.testing.assert_allclose(gram, np.eye(6), atol=1e-9)
    flows = np.stack([M @ shape for shape in shapes])
    turning = np.einsum("n,kn->k", plate.X[:, 0], flows[..., 1]) - np.einsum("n,kn->k", plate.X[:, 1], flows[..., 0])
    assert max(np.abs(flows.sum(axis=1)).max(), np.abs(turning).max()) < 1e-9 * np.sqrt(plate.mass)
    K = plate.tangent_matrix(np.zeros_like(plate.X))
    omega = 2 * np.pi * computed.frequency.values
    for shape, value in zip(shapes, omega, strict=True):
        residual = K @ shape.ravel() - value**2 * (M @ shape).ravel()
        assert np.abs(residual).max() < 1e-7 * np.abs(K @ shape.ravel()).max()


def test_few_and_all_modes_agree_on_a_free_body_under_stress(monkeypatch):
    plate = built((L, 0.4), (16, 8), NeoHookean(E=E, nu=0.3), "P1")
    model = assembled(plate, 1.0, 1e-3)
    u = 0.05 * plate.X * [1.0, -0.3]
    computed = []
    for most in (10, 10_000):
        monkeypatch.setattr(fem_modes, "MAX_DENSE", most)
        computed.append(modes(model, 8, displacement=u).frequency.values)
    np.testing.assert_allclose(computed[0], computed[1], rtol=1e-8)
    rest = modes(model, 8).frequency.values
    assert np.abs(computed[0] / rest - 1).max() > 0.02


def test_what_has_no_modes_is_refused_in_one_line():
    plate = rod(nx=4).body
    rigid = assembled(RigidBody.from_plate(plate), 1.0, 1e-3)
    beam = assembled(BEAM, 1.0, 1e-3, frame=Lateral())
    soft = built((L, 0.02), (20, 1), StVenantKirchhoff(E=E, nu=0.0))
    strut = assembled(soft, 1.0, 1e-3, frame=Clamped("left", free=()))
    pressed = np.column_stack([-0.05 * (soft.X[:, 0] + L / 2), np.zeros(len(soft.X))])
    wrong = [
        (lambda: modes(rigid, 3), "a rigid body has no natural modes"),
        (lambda: modes(beam, 3, displacement=np.zeros((17, 2))), "a linear beam has no stress"),
        (lambda: modes(rod(nx=4), 18), "expected a number of modes from 1 to 17, got 18"),
        (lambda: modes(rod(nx=4), count=[]), r"expected a number of modes from 1 to 17, got \[\]"),
        (lambda: modes(rod(nx=4), 3, displacement=np.zeros((3, 2))), "shape"),
        (lambda: modes(strut, 3, displacement=pressed), "not stable about this displacement"),
    ]
    for call, message in wrong:
        with pytest.raises(ValueError, match=message) as caught:
            call()
        assert "\n" not in str(caught.value)
