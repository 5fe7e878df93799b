"""Elastic solids on rough ground whose normal forces are unknown: momentum, gaps, stick, energy, frames."""

import numpy as np
import pytest
from ff_examples import pulled
from problems import run as run_problem
from rows import rows
from solid_examples import law, solid

import fem
from floating_frame import Cosine, EdgeLoad, MeanAxis, Ramp, Table, Tisserand, run_warnings
from friction.nodal.contact import ContactNodes, solve_contact

G = 9.81


def block(young=1e6, counts=(3, 2, 2), element="Q1", name="neo-hookean"):
    return solid(element, law(name, young=young), (0.3, 0.2, 0.1), counts)


def run(body, dt=1e-3, scheme="sdirk2", t_end=0.03, **given):
    return run_problem(body, t_end, dt, scheme, **{"face": "bottom", "mu": 0.3} | given)


def check_laws(data, body, mu):
    """Gaps, signs, the cone of friction and the direction of sliding, at every stored instant."""
    nodes = body.boundary("bottom")
    force, velocity = data.contact_force.values[:, nodes], data.velocity.values[:, nodes]
    size = np.abs(force).max()
    assert data.position.values[:, nodes, 2].min() > -1e-15
    assert force[..., 2].min() >= 0.0
    along = np.hypot(force[..., 0], force[..., 1])
    assert np.all(along <= mu * force[..., 2] * (1 + 1e-12) + 1e-12 * size)
    stick, slips = data.stick.values[:, nodes] == 1, data.stick.values[:, nodes] == 0
    assert np.all(velocity[stick][:, :2] == 0.0)
    np.testing.assert_allclose(along[slips], mu * force[..., 2][slips], rtol=1e-9, atol=1e-12 * size)
    assert np.einsum("ka,ka->k", force[slips][:, :2], velocity[slips][:, :2]).max(initial=0.0) <= 1e-12 * size
    assert np.all(data.contact_force.values[:, np.setdiff1d(np.arange(len(body.X)), nodes)] == 0.0)


@pytest.mark.parametrize(("element", "name"), [("Q1", "neo-hookean"), ("P1", "st-venant-kirchhoff")])
def test_a_pulled_block_sticks_slips_and_obeys_both_laws(element, name):
    body = block(element=element, name=name)
    weight = body.mass * G
    force = np.array([0.5 * weight, 0.1 * weight, 0.0])
    data = run(body, scheme="backward-euler", **pulled(force, Ramp(0.02)))
    stick = data.stick.values[:, body.boundary("bottom")]
    assert np.any((stick == 1).any(axis=1) & (stick == 0).any(axis=1))  # side by side
    check_laws(data, body, 0.3)
    # Backward Euler changes the momentum by the forces at the step's end.
    change = np.diff(data.linear_momentum.values, axis=0) / 1e-3
    load = np.outer(np.minimum(data.time.values[1:] / 0.02, 1.0), force)
    forces = data.contact_force.values[1:].sum(axis=1) + load - [0.0, 0.0, weight]
    np.testing.assert_allclose(change, forces, rtol=0, atol=1e-7 * weight)
    assert np.abs(data.balance_error.values).max() < 1e-9 * float(data.work_external[-1])


@rows("speed, density", [(1e3, 60.0), (1e6, 1e4), (1e9, 1e3)])
def test_the_forces_at_the_start_are_those_of_the_instant_however_fast_the_solid(speed, density):
    mesh, material = fem.box(0.3, 0.2, 0.1, 2, 2, 1), law("neo-hookean", young=1e5)
    body = fem.Solid.build(mesh, density=density, material=material, viscosity=0.0)
    slow, fast = (run(body, t_end=1e-3, velocity=(0.8 * v, 0.6 * v, 0.0)).isel(time=0) for v in (1.0, speed))
    press, force = float(fast.normal_force.sum()), np.asarray(slow.contact_force)
    assert press > 0.1 * body.mass * G
    np.testing.assert_allclose(fast.contact_force, force, rtol=0, atol=1e-5 * np.abs(force).max())
    rubs = -0.3 * press * np.array([0.8, 0.6, 0.0])
    np.testing.assert_allclose(fast.friction_force.sum("node"), rubs, rtol=0, atol=1e-5 * np.abs(force).sum())


@rows("rotation, sinks", [((1.0, 0.0, 0.0, 0.0), False), ((0.6, 0.0, 0.8, 0.0), True)])
def test_a_solid_whose_other_faces_are_below_the_ground_is_not_believed(rotation, sinks):
    data = run(block(), t_end=2e-3, rotation=rotation)
    assert (data.position.values[..., 2].min() < -0.01) == sinks
    assert ("penetration" in [warning.name for warning in run_warnings(data)]) == sinks


def test_a_dropped_cube_never_gains_energy_and_never_goes_below_the_ground():
    body = block(young=3e5)
    start = {"position": (0.0, 0.0, 0.055), "velocity": (0.4, 0.0, -0.5), "spin": (0.0, 2.0, 3.0)}
    data = run(body, t_end=0.05, **start)
    energy = (data.energy_kinetic + data.energy_strain).values + body.mass * G * data.frame_position.values[:, 2]
    assert data.normal_force.values.max() > 2.0 * body.mass * G  # it has hit the ground
    assert np.diff(energy).max() < 1e-9 * energy[0]
    check_laws(data, body, 0.3)


def dropped(rng):
    """A block that falls on a corner, an edge or a face, with a spin."""
    body = block(young=10.0 ** rng.uniform(5, 7), counts=(2, 2, 1))
    start = {"position": (0.0, 0.0, 0.01 + np.linalg.norm([0.15, 0.1, 0.05])), "rotation": rng.standard_normal(4)}
    start |= {"velocity": (*rng.uniform(-1, 1, 2), -1.0), "spin": rng.uniform(-5, 5, 3)}
    return body, run(body, 2e-3, t_end=0.16, mu=float(rng.uniform(0.0, 1.5)), face="boundary", **start)


def pushed(rng):
    """A block that slides and spins on the ground, pushed and lifted at two faces by forces that change."""
    body, end = block(young=10.0 ** rng.uniform(5, 7), counts=(2, 2, 1)), 0.1
    size, times = body.mass * G * np.array([1.0, 1.0, 0.5]), np.linspace(0, end, 5)
    faces = rng.choice(["left", "right", "front", "back", "top"], 2)
    loads = tuple(EdgeLoad(f, size * rng.uniform(-1, 1, 3), Table(times, rng.uniform(-1, 1, 5))) for f in faces)
    start = {"velocity": (*rng.uniform(-0.5, 0.5, 2), 0.0), "spin": (0.0, 0.0, rng.uniform(-5, 5))}
    return body, run(body, 2e-3, t_end=end, mu=float(rng.uniform(0.0, 1.5)), face="boundary", loads=loads, **start)


@pytest.mark.slow
@pytest.mark.parametrize("make", [dropped, pushed])
@pytest.mark.parametrize("seeds", range(5))
def test_energy_is_never_created_by_contact(make, seeds):
    """A hundred runs: contact takes energy in every step, all of it but the loads' work falls, and nothing sinks. What spins keeps
    its energy to the third power of its turn in a step, 0.02 rad."""
    for seed in range(10 * seeds, 10 * seeds + 10):
        body, data = make(np.random.default_rng(seed))
        energy = (data.energy_kinetic + data.energy_strain).values
        assert data.normal_force.values.sum(axis=1).max() > body.mass * G, seed
        assert float(data.dissipation_friction[-1]) > 1e-3 * energy.max(), seed
        assert np.diff(data.dissipation_friction.values).min() >= 0.0, seed
        assert np.diff(energy - data.work_external.values).max() < 1e-4 * energy.max(), seed
        assert np.abs(data.balance_error.values).max() < 1e-8 * energy.max(), seed  # what the solver leaves
        assert data.position.values[..., 2].min() > -1e-15, seed


class WithoutFrame:
    """A step of backward Euler in space axes, M (v − v0)/dt = f_int(x0 + dt v − X) + f + Σ p, for ``solve_contact``."""

    linear = False

    def __init__(self, body, x, v, load, dt):
        self.body, self.x, self.v, self.load, self.dt = body, x, v, load, dt
        self.indptr, self.indices = body.indptr, body.indices

    def displacement(self, v):
        return self.x + self.dt * v - self.body.X

    def gradient(self, v):
        inertia = self.body.mass_matrix @ ((v - self.v) / self.dt)
        return inertia - self.body.internal_force(self.displacement(v)) - self.load

    def hessian(self, v):
        return self.body.tangent(self.displacement(v), share=self.dt, inertia=1.0 / self.dt)

    def scale(self, v):
        return float(np.abs(self.body.internal_force(self.displacement(v))).max() + np.abs(self.load).max())

    def rounding(self, v):
        return 1e-11


def test_the_motion_of_a_body_in_contact_is_that_of_a_step_without_any_frame():
    """Benchmark e: pulled beside its centre the block slides, turns, and lifts a part of its base."""
    body, dt, count, mu = block(counts=(2, 2, 1), young=2e5), 2e-3, 40, 0.3
    weight = body.mass * G
    pull = np.array([0.6 * weight, 0.5 * weight, 0.3 * weight])
    data = run(body, dt, "backward-euler", count * dt, mu=mu, **pulled(pull))
    nodes, x, v = body.boundary("bottom"), data.position.values[0], np.zeros_like(body.X)
    load = np.outer(body.edge_shape("right"), pull)
    load[:, 2] -= G * np.asarray(body.mass_matrix.sum(axis=1)).ravel()
    m = len(nodes)
    for _ in range(count):
        ground = np.column_stack([np.zeros((m, 2)), (np.minimum(x[nodes, 2], 0.0) - x[nodes, 2]) / dt])
        contact = ContactNodes(nodes=nodes, axes=np.tile(np.eye(3), (m, 1, 1)), mu=np.full(m, mu), ground=ground)
        computed = solve_contact(WithoutFrame(body, x, v, load, dt), contact, v)
        v = computed.velocity
        x = x + dt * v
    assert 2.0 * np.arccos(data.frame_rotation.values[-1, 0]) > 0.02
    assert {-1, 0} <= set(data.stick.values[-1, nodes])
    np.testing.assert_allclose(data.position.values[-1], x, rtol=0, atol=1e-11)
    np.testing.assert_allclose(data.velocity.values[-1], v, rtol=0, atol=1e-9)
    np.testing.assert_allclose(data.contact_force.values[-1, nodes], computed.force, rtol=0, atol=1e-7 * weight)


def test_the_frame_moves_nothing_of_a_body_in_contact():
    body, pull = block(), pulled((6.0, 9.0, 0.0), Cosine(angular_frequency=100.0))
    runs = [run(body, t_end=0.02, frame=frame, **pull) for frame in (MeanAxis(), Tisserand())]
    apart = [np.abs(runs[0][n].values - runs[1][n].values).max() for n in ("position", "contact_force", "frame_spin")]
    assert apart[2] > 1e-6
    assert apart[0] < 1e-12
    assert apart[1] < 1e-7 * body.mass * G
