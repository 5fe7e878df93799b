"""Elastic solids on rough ground whose normal forces are unknown: momentum, gaps, stick, energy, braking, order, frames."""

import itertools

import numpy as np
import pytest
from rows import rows
from solid_examples import law, solid

import fem
from floating_frame import (
    Cosine,
    MeanAxis,
    Options,
    Ramp,
    SolidForce,
    SolidInitial,
    SolidProblem,
    Table,
    Tisserand,
    assemble,
    run_warnings,
    simulate,
)
from friction.nodal.contact import ContactNodes, solve_contact

GRAVITY = 9.81


def block(young=1e6, counts=(3, 2, 2), element="Q1", sizes=(0.3, 0.2, 0.1), name="neo-hookean"):
    return solid(element, law(name, young=young), sizes, counts)


def run_of(body, dt=1e-3, scheme="sdirk2", **more):
    given = {"t_end": 0.03, "contact": "bottom", "mu": 0.3} | more
    return simulate(assemble(SolidProblem(body=body, **given), Options(dt=dt, scheme=scheme)))


def check_laws(run, body, mu, gravity=GRAVITY):
    """Gaps, signs, the cone of friction and the direction of sliding, at every stored instant."""
    nodes = body.boundary("bottom")
    force, velocity = run.contact_force.values[:, nodes], run.velocity.values[:, nodes]
    size = np.abs(force).max()
    assert run.position.values[:, nodes, 2].min() > -1e-15
    assert force[..., 2].min() >= 0.0
    along = np.hypot(force[..., 0], force[..., 1])
    assert np.all(along <= mu * force[..., 2] * (1 + 1e-12) + 1e-12 * size)
    stick, slips = run.stick.values[:, nodes] == 1, run.stick.values[:, nodes] == 0
    assert np.all(velocity[stick][:, :2] == 0.0)
    np.testing.assert_allclose(along[slips], mu * force[..., 2][slips], rtol=1e-9, atol=1e-12 * size)
    assert np.einsum("ka,ka->k", force[slips][:, :2], velocity[slips][:, :2]).max(initial=0.0) <= 1e-12 * size
    others = np.setdiff1d(np.arange(len(body.X)), nodes)
    assert np.all(run.contact_force.values[:, others] == 0.0)


@pytest.mark.parametrize(("element", "name"), [("Q1", "neo-hookean"), ("P1", "st-venant-kirchhoff")])
def test_a_pulled_block_sticks_slips_and_obeys_both_laws(element, name):
    body = block(element=element, name=name)
    weight = body.mass * GRAVITY
    pull = SolidForce(force=(0.5 * weight, 0.1 * weight, 0.0), on="right", history=Ramp(0.02))
    run = run_of(body, scheme="backward-euler", loads=(pull,))
    stick = run.stick.values[:, body.boundary("bottom")]
    assert np.any((stick == 1).any(axis=1) & (stick == 0).any(axis=1))  # side by side
    check_laws(run, body, 0.3)
    # Backward Euler changes the momentum by the forces at the step's end.
    change = np.diff(run.linear_momentum.values, axis=0) / 1e-3
    load = np.outer(np.minimum(run.time.values[1:] / 0.02, 1.0), [0.5 * weight, 0.1 * weight, 0.0])
    forces = run.contact_force.values[1:].sum(axis=1) + load - [0.0, 0.0, weight]
    np.testing.assert_allclose(change, forces, rtol=0, atol=1e-7 * weight)
    assert np.abs(run.balance_error.values).max() < 1e-9 * float(run.work_external[-1])


@rows("speed, density", [(1e3, 60.0), (1e6, 1e4), (1e9, 1e3)])
def test_the_forces_at_the_start_are_those_of_the_instant_however_fast_the_solid(speed, density):
    body = fem.Solid.build(
        fem.box(0.3, 0.2, 0.1, 2, 2, 1), density=density, material=law("neo-hookean", young=1e5), viscosity=0.0
    )
    slow, fast = (
        run_of(body, t_end=1e-3, initial=SolidInitial(velocity=(0.8 * v, 0.6 * v, 0.0))).isel(time=0)
        for v in (1.0, speed)
    )
    assert float(fast.normal_force.sum()) > 0.1 * body.mass * GRAVITY
    force = np.asarray(slow.contact_force)
    np.testing.assert_allclose(fast.contact_force, force, rtol=0, atol=1e-5 * np.abs(force).max())
    np.testing.assert_allclose(
        fast.friction_force.sum("node"), -0.3 * float(fast.normal_force.sum()) * np.array([0.8, 0.6, 0.0]), rtol=0,
        atol=1e-5 * np.abs(force).sum(),
    )  # fmt: skip


@rows("rotation, sinks", [((1.0, 0.0, 0.0, 0.0), False), ((0.6, 0.0, 0.8, 0.0), True)])
def test_a_solid_whose_other_faces_are_below_the_ground_is_not_believed(rotation, sinks):
    run = run_of(block(), t_end=2e-3, initial=SolidInitial(rotation=rotation))
    assert (run.position.values[..., 2].min() < -0.01) == sinks
    assert ("penetration" in [warning.name for warning in run_warnings(run)]) == sinks


def test_a_dropped_cube_never_gains_energy_and_never_goes_below_the_ground():
    body = block(young=3e5)
    start = SolidInitial(position=(0.0, 0.0, 0.055), velocity=(0.4, 0.0, -0.5), spin_space=(0.0, 2.0, 3.0))
    run = run_of(body, initial=start, t_end=0.05)
    height = run.frame_position.values[:, 2]
    energy = (run.energy_kinetic + run.energy_strain).values + body.mass * GRAVITY * height
    assert run.normal_force.values.max() > 2.0 * body.mass * GRAVITY  # it has hit the ground
    assert np.diff(energy).max() < 1e-9 * energy[0]
    check_laws(run, body, 0.3)


def dropped(rng):
    """A block that falls on a corner, an edge or a face, with a spin."""
    body = block(young=10.0 ** rng.uniform(5, 7), counts=(2, 2, 1))
    start = SolidInitial(
        position=(0.0, 0.0, 0.01 + np.linalg.norm([0.15, 0.1, 0.05])),
        rotation=rng.standard_normal(4),
        velocity=(*rng.uniform(-1, 1, 2), -1.0),
        spin_space=rng.uniform(-5, 5, 3),
    )
    mu = float(rng.uniform(0.0, 1.5))
    return body, run_of(body, initial=start, mu=mu, t_end=0.16, dt=2e-3, contact="boundary")


def pushed(rng):
    """A block that slides and spins on the ground, pushed and lifted at two faces by forces that change."""
    body, end = block(young=10.0 ** rng.uniform(5, 7), counts=(2, 2, 1)), 0.1
    size = body.mass * GRAVITY * np.array([1.0, 1.0, 0.5])
    loads = tuple(
        SolidForce(
            force=size * rng.uniform(-1, 1, 3), on=face, history=Table(np.linspace(0, end, 5), rng.uniform(-1, 1, 5))
        )
        for face in rng.choice(["left", "right", "front", "back", "top"], 2)
    )
    start = SolidInitial(velocity=(*rng.uniform(-0.5, 0.5, 2), 0.0), spin_space=(0.0, 0.0, rng.uniform(-5, 5)))
    mu = float(rng.uniform(0.0, 1.5))
    return body, run_of(body, initial=start, mu=mu, t_end=end, dt=2e-3, contact="boundary", loads=loads)


@pytest.mark.slow
@pytest.mark.parametrize("make", [dropped, pushed])
@pytest.mark.parametrize("seeds", range(5))
def test_energy_is_never_created_by_contact(make, seeds):
    """A hundred runs: contact takes energy in every step, all of it but the loads' work falls, and nothing sinks. What spins keeps
    its energy to the third power of its turn in a step, 0.02 rad."""
    for seed in range(10 * seeds, 10 * seeds + 10):
        body, run = make(np.random.default_rng(seed))
        energy = (run.energy_kinetic + run.energy_strain).values
        assert run.normal_force.values.sum(axis=1).max() > body.mass * GRAVITY, seed
        assert float(run.dissipation_friction[-1]) > 1e-3 * energy.max(), seed
        assert np.diff(run.dissipation_friction.values).min() >= 0.0, seed
        assert np.diff(energy - run.work_external.values).max() < 1e-4 * energy.max(), seed
        assert np.abs(run.balance_error.values).max() < 1e-8 * energy.max(), seed  # what the solver leaves
        assert run.position.values[..., 2].min() > -1e-15, seed


@pytest.mark.slow
def test_a_stiff_block_brakes_as_a_rigid_one_and_presses_more_ahead():
    mu, speed = 0.4, 0.1
    body = block(young=1e9)
    stop = speed / (mu * GRAVITY)
    start = SolidInitial(velocity=(speed, 0.0, 0.0))
    run = run_of(body, initial=start, mu=mu, t_end=1.5 * stop, dt=stop / 50, scheme="backward-euler")
    assert run.frame_position.values[-1, 0] == pytest.approx(speed**2 / (2 * mu * GRAVITY), rel=0.05)
    assert np.abs(run.frame_velocity.values[-1]).max() < 1e-4 * speed
    sliding = slice(10, 45)
    press, x = run.normal_force.values[sliding], run.position.values[sliding, :, 0]
    ahead = ((press * x).sum(axis=1) / press.sum(axis=1) - run.frame_position.values[sliding, 0]).mean()
    assert press.sum(axis=1).mean() == pytest.approx(body.mass * GRAVITY, rel=1e-3)
    assert ahead == pytest.approx(mu * 0.05, rel=0.02)  # the friction's lever under the centre


@pytest.mark.slow
def test_sdirk2_keeps_its_order_while_contact_persists():
    body = block(young=2e6, counts=(2, 2, 1))
    start = SolidInitial(velocity=(1.0, 0.2, 0.0), spin_space=(0.0, 0.0, 1.0))
    ends = []
    for dt in (1e-3, 5e-4, 2.5e-4, 1.25e-4):
        run = run_of(body, initial=start, dt=dt, t_end=0.012, gravity=GRAVITY)
        ends.append(run.position.values[-1])
        if dt < 1e-3:
            assert np.all(run.stick.values[1:, body.boundary("bottom")] == 0)
    errors = [np.abs(a - b).max() for a, b in itertools.pairwise(ends)]
    assert np.log2(errors[1] / errors[2]) > 1.7


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
    weight = body.mass * GRAVITY
    pull = np.array([0.6 * weight, 0.5 * weight, 0.3 * weight])
    run = run_of(
        body, dt=dt, scheme="backward-euler", t_end=count * dt, mu=mu, loads=(SolidForce(force=pull, on="right"),)
    )
    nodes, x, v = body.boundary("bottom"), run.position.values[0], np.zeros_like(body.X)
    load = np.outer(body.edge_shape("right"), pull)
    load[:, 2] -= GRAVITY * np.asarray(body.mass_matrix.sum(axis=1)).ravel()
    m = len(nodes)
    for _ in range(count):
        ground = np.column_stack([np.zeros((m, 2)), (np.minimum(x[nodes, 2], 0.0) - x[nodes, 2]) / dt])
        contact = ContactNodes(nodes=nodes, axes=np.tile(np.eye(3), (m, 1, 1)), mu=np.full(m, mu), ground=ground)
        part = WithoutFrame(body, x, v, load, dt)
        found = solve_contact(part, contact, v)
        v = found.velocity
        x = x + dt * v
    turned = 2.0 * np.arccos(run.frame_rotation.values[-1, 0])
    assert turned > 0.02
    stick = run.stick.values[-1, nodes]
    assert (stick == -1).any()
    assert (stick == 0).any()
    np.testing.assert_allclose(run.position.values[-1], x, rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.velocity.values[-1], v, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.contact_force.values[-1, nodes], found.force, rtol=0, atol=1e-7 * weight)


def test_the_frame_moves_nothing_of_a_body_in_contact():
    body, pull = block(), SolidForce(force=(6.0, 9.0, 0.0), on="right", history=Cosine(angular_frequency=100.0))
    runs = [run_of(body, loads=(pull,), frame=frame, t_end=0.02) for frame in (MeanAxis(), Tisserand())]
    apart = [np.abs(runs[0][n].values - runs[1][n].values).max() for n in ("position", "contact_force", "frame_spin")]
    assert apart[2] > 1e-6
    assert apart[0] < 1e-12
    assert apart[1] < 1e-7 * body.mass * GRAVITY


def test_nothing_presses_is_told():
    run = run_of(block(counts=(1, 1, 1)), gravity=0.0, t_end=2e-3)
    assert "nothing-presses" in run.attrs["warnings"]
