"""Kelvin-Voigt viscosity of solids in space: objective, dissipative, damping of modes, and the pressure under a sliding block."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from convergence import observed_orders
from rows import rows
from scipy.linalg import eigh, eigvals
from solid_examples import CELL, DENSITY, finite_state, law

import fem
from floating_frame import (
    Contact,
    Options,
    Ramp,
    SolidForce,
    SolidInitial,
    SolidProblem,
    SpaceClamped,
    assemble,
    simulate,
)
from friction import Coulomb, Foundation, NormalForce, Smooth

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
        problem = SolidProblem(body=body, t_end=end, gravity=0.0, initial=SolidInitial(displacement=u0))
        run = simulate(assemble(problem, Options(dt=end / steps)))
        u = run.displacement.values[-1].ravel()
        off.append(abs(u @ M @ shape / (u0.ravel() @ M @ shape) - known))
    assert observed_orders(off)[-1] == pytest.approx(2.0, abs=0.3)
    lost = float(run.energy_strain[0] - run.energy_strain[-1] - run.energy_kinetic[-1])
    assert float(run.dissipation_viscous[-1]) == pytest.approx(lost, rel=1e-2)
    assert np.abs(run.balance_error.values).max() < 1e-8 * lost


def sliding(height, viscosity, t_end):
    """The run of a block that slides and, thrown on without having sunk under its weight, quivers."""
    body = viscous(viscosity=viscosity, sizes=(0.3, 0.2, height), counts=(3, 2, 2), young=2e5)
    problem = SolidProblem(
        body=body, t_end=t_end, mu=0.3, contact="bottom", initial=SolidInitial(velocity=(3.0, 0.0, 0.0))
    )
    return body.mass * 9.81, simulate(assemble(problem, Options(dt=2e-3)))


def lever(run):
    """Place of the normal forces' resultant ahead of the centre, m, at every instant."""
    press = run.normal_force.values
    return (press * run.position.values[..., 0]).sum(axis=1) / press.sum(axis=1) - run.frame_position.values[:, 0]


@pytest.mark.parametrize(
    ("height", "t_end", "left"), [(0.1, 0.16, 1e-4), pytest.param(0.2, 0.8, 1e-4, marks=pytest.mark.slow)]
)
def test_under_a_sliding_viscous_block_the_pressure_is_ahead_by_the_lever_of_friction(height, t_end, left):
    """Benchmark b'': in steady sliding the couple of friction μ N at the centre's height h_c is borne by N, μ h_c ahead."""
    weight, run = sliding(height, 5e-3, t_end)
    assert np.all(run.stick.values[-1][run.X.values[:, 2] < 0] != 1)
    assert float(run.frame_velocity[-1, 0]) > 0.2
    above = run.frame_position.values[-1, 2]
    assert 0.4 * height < above < 0.4995 * height  # it is lower than a rigid one
    assert lever(run)[-1] == pytest.approx(0.3 * above, rel=left)
    press = run.normal_force.values.sum(axis=1)
    assert press[-1] == pytest.approx(weight, rel=1e-3)
    assert -run.friction_force.values[-1, :, 0].sum() / press[-1] == pytest.approx(0.3, rel=1e-5)


def test_without_viscosity_a_sliding_block_quivers_and_only_its_impulse_is_the_weights():
    weight, run = sliding(0.1, 0.0, 0.16)
    press, times = run.normal_force.values.sum(axis=1), run.time.values
    late = times > 0.08
    assert np.ptp(press[late]) > 0.3 * weight
    fallen = float(run.linear_momentum[-1, 2] - run.linear_momentum[0, 2])
    assert np.trapezoid(press, times) == pytest.approx(weight * times[-1] + fallen, rel=0.02)


@rows("viscosity", [-1.0, np.nan, "much"])
def test_what_is_no_viscosity_is_refused(viscosity):
    with pytest.raises(ValueError, match="viscosity must be a finite time >= 0 s"):
        viscous(viscosity=viscosity)


def test_a_viscous_solid_under_a_given_pressure_is_refused():
    foundation = Foundation(law=Coulomb(), mu=0.3, pressure=100.0)
    pressed = SolidProblem(body=viscous(), t_end=1.0, gravity=0.0, contact="bottom", foundation=foundation)
    with pytest.raises(ValueError, match="a viscous solid takes ground whose normal forces are unknown"):
        assemble(pressed, Options(1e-3))


def test_a_clamped_viscous_bar_creeps_to_its_static_bending():
    """Far above critical damping the deflection is static × (1 − exp(−t/T)), T the retardation time."""
    retardation, force = 0.5, (0.0, 0.0, -5.0)
    body = viscous(viscosity=retardation, sizes=(0.4, 0.1, 0.1), counts=(4, 1, 1), young=1e6)
    loads = (SolidForce(force=force, on="right"),)
    problem = SolidProblem(body=body, t_end=3.0, gravity=0.0, frame=SpaceClamped("left"), loads=loads)
    run = simulate(assemble(problem, Options(dt=0.1)))
    held = np.zeros(body.X.shape, bool)
    held[body.boundary("left")] = True
    static = fem.equilibrium(body, np.outer(body.edge_shape("right"), force), held).displacement[:, 2].min()
    tip, times = run.displacement.values[:, :, 2].min(axis=1), run.time.values
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


def pulled(viscosity, mu=0.45, young=6e6, share=1.3, **more):
    """A block of two cells that is pulled a little harder than friction holds."""
    body = fem.Solid.build(
        fem.box(0.25, 0.2, 0.12, 2, 1, 1), density=1100.0, material=fem.NeoHookean(young, 0.3), viscosity=viscosity
    )
    pull = SolidForce(force=(share * mu * body.mass * 9.81, 0.0, 0.0), on="right", history=Ramp(0.05))
    return SolidProblem(body=body, t_end=0.12, mu=mu, contact="bottom", loads=(pull,), **more)


def test_the_default_retardation_time_is_above_that_from_which_no_sliding_vibration_grows():
    """λ² + t κ λ + κ = 0 with the complex κ of sliding: undamped some λ grows, with the default none."""
    problem = pulled(None)
    body = assemble(problem, Options(1e-3)).problem.body
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


def test_a_pulled_solid_has_a_limit_in_dt_with_the_default_viscosity_and_none_without():
    off = {}
    for viscosity in (None, 0.0):
        ways = []
        for dt in (1.2e-3, 6e-4, 3e-4):
            run = simulate(assemble(pulled(viscosity), Options(dt=dt)))
            ways.append(float(np.ptp(run.frame_position.values[:, 0])))
        off[viscosity] = np.abs(np.diff(ways)) / ways[-1]
        assert ways[-1] > 1e-4
        assert (float(run.attrs["viscosity"]) > 0.0) == (viscosity is None)
    assert off[None][0] < 5e-3
    assert off[None][1] < 0.5 * off[None][0] + 1e-5
    assert off[0.0].max() > 0.02


@rows(
    "change, chosen",
    [
        ({"contact": None, "mu": 0.0}, "none: no friction"), ({"mu": 0.0}, "none: no friction"),
        ({"mu": 0.0, "contacts": (Contact(normal=NormalForce(1e6, 0.0), law=Smooth(1e-3), mu=0.3),)}, "none: no friction"),
        ({}, "default"),
    ],
)  # fmt: skip
def test_only_friction_under_unknown_normal_forces_brings_the_default_viscosity(change, chosen):
    body = fem.Solid.build(fem.box(0.3, 0.2, 0.1, 1, 1, 1), density=1e3, material=fem.NeoHookean(1e6, 0.3))
    given = {"body": body, "t_end": 1.0, "mu": 0.3, "contact": "bottom"} | change
    model = assemble(SolidProblem(**given), Options(1e-3))
    assert model.attributes["viscosity_choice"].startswith(chosen)
    assert (model.problem.body.viscosity > 0.0) == (chosen == "default")
    flat = replace(body, X=body.X * [1.0, 1.0, 0.1])
    thin = assemble(SolidProblem(**given | {"body": flat}), Options(1e-3)).problem.body.viscosity
    assert thin == pytest.approx(0.75 * 0.3 * 0.01 / np.sqrt(1e6 / 2.6 / 1e3) * (chosen == "default"), rel=1e-12)
    for known in (0.0, 2e-3):
        kept = assemble(
            SolidProblem(**given | {"body": replace(body, viscosity=known, viscosity_given=True)}), Options(1e-3)
        )
        assert kept.problem.body.viscosity == known
        assert str(kept.attributes["viscosity_choice"]).startswith("given")
    again = pickle.loads(pickle.dumps(model))
    assert again.attributes == model.attributes
