"""Kelvin-Voigt viscosity of solids in space: objective, dissipative, damping of modes, and the pressure under a sliding block."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from convergence import observed_orders
from problems import assembled, run
from rows import rows
from scipy.linalg import eigh, eigvals
from solid_examples import CELL, DENSITY, finite_state, law

import fem
from floating_frame import EdgeLoad, Ramp, SpaceClamped, simulate
from friction import NormalForce, Smooth

T = 0.3  # s


def viscous(element="Q1", *, viscosity=T, sizes=(1.0, 0.7, 0.5), counts=(2, 2, 1), young=2e6, name="neo-hookean"):
    mesh = fem.box(*sizes, *counts, CELL[element])
    material = law(name, young=young)
    return fem.Solid.build(mesh, density=DENSITY, material=material, element=element, viscosity=viscosity)


@rows(
    "element, name",
    [("P1", "neo-hookean"), ("P2", "st-venant-kirchhoff"), ("Q1", "neo-hookean"), ("Q1", "st-venant-kirchhoff")],
)
def test_viscous_forces_are_a_positive_form_of_the_velocities_that_rigid_ones_do_not_feel(element, name):
    body, rng = viscous(element, name=name), np.random.default_rng(3)
    u = finite_state(body, size=0.05)
    x, (v, other) = body.X + u, rng.normal(size=(2, *body.X.shape))
    force = body.viscous_force(u, v)
    size = np.abs(force).max()
    assert -np.vdot(force, v) > 0.1 * size
    assert np.vdot(force, other) == pytest.approx(np.vdot(body.viscous_force(u, other), v), rel=1e-10)
    rigid = np.array([1.0, 2.0, 3.0]) + np.cross([0.3, -0.5, 0.9], x)
    assert np.abs(body.viscous_force(u, rigid)).max() < 1e-13 * size
    assert np.abs(force.sum(axis=0)).max() < 1e-13 * size
    assert np.abs(np.cross(x, force).sum(axis=0)).max() < 1e-13 * size * len(x)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    turned = body.viscous_force(x @ turn.T - body.X, v @ turn.T)
    np.testing.assert_allclose(turned, force @ turn.T, rtol=0, atol=1e-12 * size)
    still = np.zeros_like(u)
    at_rest = -T * (body.tangent_matrix(still) @ v.ravel()).reshape(v.shape)
    np.testing.assert_allclose(body.viscous_force(still, v), at_rest, rtol=0, atol=1e-13 * np.abs(at_rest).max())


def test_a_mode_of_a_free_bar_dies_as_a_damped_oscillator_does():
    """q'' + t ω² q' + ω² q = 0; both schemes' orders, and the loss of energy is the viscosity's."""
    body = viscous(viscosity=5e-3, sizes=(0.4, 0.1, 0.1), counts=(4, 1, 1), young=1e6)
    M = np.kron(body.mass_matrix.toarray(), np.eye(3))
    squares, shapes = eigh(body.tangent_matrix(np.zeros_like(body.X)).toarray(), M)
    square, shape = squares[6], shapes[:, 6]
    u0 = 1e-7 * shape.reshape(body.X.shape) / np.abs(shape).max()
    decay, end = 0.5 * body.viscosity * square, 0.02
    rate = np.sqrt(square - decay**2)
    known = np.exp(-decay * end) * (np.cos(rate * end) + decay / rate * np.sin(rate * end))
    assert 0.05 < np.exp(-decay * end) < 0.7
    off = []
    for steps in (20, 40, 80):
        data = run(body, end, end / steps, gravity=0.0, displacement=u0)
        u = data.displacement.values[-1].ravel()
        off.append(abs(u @ M @ shape / (u0.ravel() @ M @ shape) - known))
    assert observed_orders(off)[-1] == pytest.approx(2.0, abs=0.3)
    lost = float(data.energy_strain[0] - data.energy_strain[-1] - data.energy_kinetic[-1])
    assert float(data.dissipation_viscous[-1]) == pytest.approx(lost, rel=1e-2)
    assert np.abs(data.balance_error.values).max() < 1e-8 * lost


def sliding(height, viscosity, t_end):
    """The run of a block that slides and, thrown on without having sunk under its weight, quivers."""
    body = viscous(viscosity=viscosity, sizes=(0.3, 0.2, height), counts=(3, 2, 2), young=2e5)
    return body.mass * 9.81, run(body, t_end, 2e-3, mu=0.3, face="bottom", velocity=(3.0, 0.0, 0.0))


@pytest.mark.parametrize(("height", "t_end"), [(0.1, 0.16), pytest.param(0.2, 0.8, marks=pytest.mark.slow)])
def test_under_a_sliding_viscous_block_the_pressure_is_ahead_by_the_lever_of_friction(height, t_end):
    """Benchmark b'': in steady sliding the couple of friction μ N at the centre's height h_c is borne by N, μ h_c ahead."""
    weight, data = sliding(height, 5e-3, t_end)
    assert np.all(data.stick.values[-1][data.X.values[:, 2] < 0] != 1)
    assert float(data.frame_velocity[-1, 0]) > 0.2
    above, press = data.frame_position.values[-1, 2], data.normal_force.values[-1]
    assert 0.4 * height < above < 0.4995 * height  # it is lower than a rigid one
    lever = (press @ data.position.values[-1, :, 0]) / press.sum() - data.frame_position.values[-1, 0]
    assert lever == pytest.approx(0.3 * above, rel=1e-4)
    assert press.sum() == pytest.approx(weight, rel=1e-3)
    assert -data.friction_force.values[-1, :, 0].sum() / press.sum() == pytest.approx(0.3, rel=1e-5)


def test_without_viscosity_a_sliding_block_quivers_and_only_its_impulse_is_the_weights():
    weight, data = sliding(0.1, 0.0, 0.16)
    press, times = data.normal_force.values.sum(axis=1), data.time.values
    assert np.ptp(press[times > 0.08]) > 0.3 * weight
    fallen = float(data.linear_momentum[-1, 2] - data.linear_momentum[0, 2])
    assert np.trapezoid(press, times) == pytest.approx(weight * times[-1] + fallen, rel=0.02)


def test_a_clamped_viscous_bar_creeps_to_its_static_bending():
    """Far above critical damping the deflection is static × (1 − exp(−t/T)), T the retardation time."""
    retardation, force = 0.5, (0.0, 0.0, -5.0)
    body = viscous(viscosity=retardation, sizes=(0.4, 0.1, 0.1), counts=(4, 1, 1), young=1e6)
    data = run(body, 3.0, 0.1, gravity=0.0, frame=SpaceClamped("left"), loads=(EdgeLoad("right", force),))
    held = np.zeros(body.X.shape, bool)
    held[body.boundary("left")] = True
    static = fem.equilibrium(body, np.outer(body.edge_shape("right"), force), held).displacement[:, 2].min()
    tip, times = data.displacement.values[:, :, 2].min(axis=1), data.time.values
    assert static < -0.01
    np.testing.assert_allclose(tip / static, 1.0 - np.exp(-times / retardation), rtol=0, atol=0.02)
    assert tip[-1] / static == pytest.approx(1.0 - np.exp(-6.0), abs=1e-3)


def sliding_modes(body, mu):
    """Eigenvalues ω² exp(±iδ) of K̃ φ = κ M̃ φ of a body that slides along x on its base: rows of x plus μ times those of z."""
    base = body.boundary("bottom")
    free = np.setdiff1d(np.arange(body.X.size), 3 * base + 2)
    matrices = []
    for whole in (body.tangent_matrix(np.zeros_like(body.X)).toarray(), np.kron(body.mass_matrix.toarray(), np.eye(3))):
        whole[3 * base] += mu * whole[3 * base + 2]
        matrices.append(whole[np.ix_(free, free)])
    return eigvals(*matrices)


def pulled(viscosity, dt=1e-3, mu=0.45, young=6e6):
    """The model of a block of two cells that is pulled a little harder than friction holds."""
    mesh, material = fem.box(0.25, 0.2, 0.12, 2, 1, 1), fem.NeoHookean(young, 0.3)
    body = fem.Solid.build(mesh, density=1100.0, material=material, viscosity=viscosity)
    pull = (EdgeLoad("right", (1.3 * mu * body.mass * 9.81, 0.0, 0.0), Ramp(0.05)),)
    return assembled(body, 0.12, dt, mu=mu, face="bottom", loads=pull)


def test_the_default_retardation_time_is_above_that_from_which_no_sliding_vibration_grows():
    """λ² + t κ λ + κ = 0 with the complex κ of sliding: undamped some λ grows, with the default none."""
    body = pulled(None).problem.body
    shear = 6e6 / 2.6
    assert body.viscosity == pytest.approx(3.0 * 0.12 / 0.25 * 0.45 * 0.12 / np.sqrt(shear / 1100.0), rel=1e-12)
    kappa = sliding_modes(body, 0.45)
    kappa = kappa[np.abs(kappa) > 1e-7 * np.abs(kappa).max()]
    size = np.sqrt(np.abs(kappa))

    def growth(time):
        return max((np.roots([1.0, time * k, k]).real / w).max() for k, w in zip(kappa, size, strict=True))

    assert growth(0.0) > 0.01
    assert growth(body.viscosity) < -0.01
    angle = np.abs(np.angle(kappa))
    threshold = np.max(np.sin(angle) / (size * np.sqrt(np.cos(angle))))  # docs/space.md
    assert growth(0.9 * threshold) > 0.0 > growth(1.1 * threshold)


@pytest.mark.slow
def test_a_pulled_solid_has_a_limit_in_dt_with_the_default_viscosity_and_none_without():
    off = {}
    for viscosity in (None, 0.0):
        distances = []
        for dt in (1.2e-3, 6e-4, 3e-4):
            data = simulate(pulled(viscosity, dt))
            distances.append(float(np.ptp(data.frame_position.values[:, 0])))
        off[viscosity] = np.abs(np.diff(distances)) / distances[-1]
        assert distances[-1] > 1e-4
        assert (float(data.attrs["viscosity"]) > 0.0) == (viscosity is None)
    assert off[None][0] < 5e-3
    assert off[None][1] < 0.5 * off[None][0] + 1e-5
    assert off[0.0].max() > 0.02


SMOOTH = {"mu": 0.3, "normal": NormalForce(1e6, 0.0), "law": Smooth(1e-3)}


@rows("change, chosen", [({"face": None}, "none"), ({"mu": 0.0}, "none"), (SMOOTH, "none"), ({}, "default")])
def test_only_friction_under_unknown_normal_forces_brings_the_default_viscosity(change, chosen):
    body = fem.Solid.build(fem.box(0.3, 0.2, 0.1, 1, 1, 1), density=1e3, material=fem.NeoHookean(1e6, 0.3))
    given = {"t_end": 1.0, "dt": 1e-3, "mu": 0.3, "face": "bottom"} | change
    given = given if given["face"] else {"t_end": 1.0, "dt": 1e-3}
    model = assembled(body, **given)
    assert model.attributes["viscosity_choice"].startswith("default" if chosen == "default" else "none: no friction")
    assert (model.problem.body.viscosity > 0.0) == (chosen == "default")
    thin = assembled(replace(body, X=body.X * [1.0, 1.0, 0.1]), **given).problem.body.viscosity
    assert thin == pytest.approx(0.75 * 0.3 * 0.01 / np.sqrt(1e6 / 2.6 / 1e3) * (chosen == "default"), rel=1e-12)
    for known in (0.0, 2e-3):
        own = assembled(replace(body, viscosity=known, viscosity_given=True), **given)
        assert own.problem.body.viscosity == known
        assert str(own.attributes["viscosity_choice"]).startswith("given")
    assert pickle.loads(pickle.dumps(model)).attributes == model.attributes
