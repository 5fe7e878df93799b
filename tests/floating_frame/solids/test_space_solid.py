"""Elastic solids in space without ground: momenta, energy, orders, drift of the frame, stiff limit, stresses."""

import numpy as np
import pytest
from convergence import observed_orders
from problems import assembled, run
from single_steps import initial_state, step
from solid_examples import law, solid

from floating_frame import MeanAxis, RigidSolid, Tisserand
from floating_frame.frame.kinematics import inertia

SPIN = (2.0, -3.0, 8.0)
SOLIDS = [("P1", "st-venant-kirchhoff"), ("P2", "neo-hookean"), ("Q1", "neo-hookean")]


def soft_box(element="Q1", name="neo-hookean", counts=(3, 2, 2)):
    return solid(element, law(name, young=1e5), (0.3, 0.2, 0.15), counts)


def thrown(body, **more):
    """Arguments that throw a soft box, strained and sheared by some 5 %, with spin about no principal axis."""
    u = 0.05 * body.X * [1.0, -0.3, -0.3] + 0.02 * body.X[:, [1, 2, 0]]
    return {"velocity": (0.3, 0.1, 0.0), "spin": SPIN, "displacement": u, "gravity": 0.0} | more


@pytest.mark.parametrize(("element", "name"), SOLIDS)
def test_a_free_solid_keeps_its_momenta_and_energy_to_the_order_of_the_scheme(element, name):
    counts = (2, 1, 1) if element == "P2" else (3, 2, 2)
    lost, energies = [], []
    for dt in (2e-3, 1e-3, 5e-4):
        body = soft_box(element, name, counts)
        data = run(body, 0.016, dt, **thrown(body))
        momentum, moment = data.linear_momentum.values, data.angular_momentum.values
        energy = (data.energy_kinetic + data.energy_strain).values
        assert np.ptp(data.energy_strain.values) > 0.02 * energy[0]  # it vibrates
        assert np.abs(momentum - momentum[0]).max() < 1e-12 * np.linalg.norm(momentum[0])
        assert np.abs(data.balance_error.values).max() < 1e-9 * energy[0]
        assert data.rigid_residual.values.max() < 1e-8
        for integral in ("A", "P", "B"):
            assert np.abs(data[integral].values).max() < 1e-9 * np.abs(data.L.values).max()
        lost.append(np.linalg.norm(moment[-1] - moment[0]) / np.linalg.norm(moment[0]))
        energies.append(abs(energy[-1] / energy[0] - 1.0))
    # Both are of order 2 at least; SDIRK2 damps what the steps do not resolve.
    assert np.all(observed_orders(lost) > 1.7)
    assert np.all(observed_orders(energies) > 1.7)
    assert lost[-1] < 1e-3


def test_the_frames_equation_drifts_by_order_three_in_each_step():
    """Corrections of Q and Ω, led by (2.3)2, by the re-split of the first step."""
    body, drifts = soft_box(), []
    for dt in (2e-3, 1e-3, 5e-4):
        model = assembled(body, 0.02, dt, frame=MeanAxis(), **thrown(body))
        _, counts = step(model, initial_state(model), dt)
        drifts.append((counts.drift, counts.spin_drift))
    assert np.min(drifts) > 1e-9
    assert np.all(observed_orders(drifts) > 2.7)


def test_stiff_solids_move_as_rigid_bodies_in_long_steps():
    body = solid("Q1", law(young=1e11), (0.3, 0.2, 0.15), (2, 2, 1))
    rigid = RigidSolid(mass=body.mass, inertia=inertia(body.X.T @ body.mass_matrix @ body.X))
    start = {"velocity": (0.3, 0.1, 0.0), "spin": SPIN}
    one, other = run(body, 0.05, 1e-3, **start), run(rigid, 0.05, 1e-3, mu=0.0, **start)
    assert np.abs(one.frame_rotation.values[-1, 1:]).max() > 0.1
    np.testing.assert_allclose(one.frame_position, other.frame_position, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.frame_rotation, other.frame_rotation, rtol=0, atol=2e-4)  # both of order Δt²


def test_stresses_of_a_solid_are_stored_in_its_frame_as_the_law_has_them():
    """A homogeneous stretch and shear in a frame that keeps its attitude: S = λ tr E 1 + 2μ E, σ = F S Fᵀ/J."""
    body, H = solid("Q1", law(young=3e5, nu=0.2)), np.array([[0.1, 0.06, 0.0], [0.02, -0.05, 0.03], [0.0, 0.0, 0.04]])
    start = {"displacement": body.X @ H.T, "rotation": (0.8, 0.0, 0.6, 0.0), "gravity": 0.0}
    data = run(body, 1e-4, 1e-4, frame=Tisserand(), stress=True, **start)
    F, mu, lame = np.eye(3) + H, 3e5 / 2.4, 3e5 * 0.2 / (1.2 * 0.6)
    E = 0.5 * (F.T @ F - np.eye(3))
    S = lame * np.trace(E) * np.eye(3) + 2.0 * mu * E
    assert data.component.values.tolist() == ["xx", "yy", "zz", "yz", "xz", "xy"]
    for name, tensor in (("stress", S), ("cauchy_stress", F @ S @ F.T / np.linalg.det(F))):
        components = tensor[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
        assert np.abs(components).min() > 0.0
        expected = np.tile(components, (len(body.cells), 1))
        np.testing.assert_allclose(data[name].values[0], expected, rtol=1e-9, atol=1e-6)
