"""Elastic solids in grooves and corners: nodes that touch several obstacles, against closed forms and rigid bodies."""

import numpy as np
import pytest

from fem import Solid, StVenantKirchhoff, box
from floating_frame import (
    Contact,
    Feet,
    HalfSpace,
    Options,
    RigidSolid,
    SolidForce,
    SolidInitial,
    SolidProblem,
    SpaceInitial,
    SpaceProblem,
    Sphere,
    assemble,
    simulate,
)

G, EDGES = 9.81, (0.2, 0.1, 0.1)


def block(E=1e9, cells=(1, 1, 1)):
    return Solid.build(box(*EDGES, *cells), density=1000.0, material=StVenantKirchhoff(E, 0.3), viscosity=0.0)


def groove(opening, mu):
    """Two walls along x that meet in z = 0 at an angle ``opening``."""
    n = np.array([0.0, np.cos(0.5 * opening), np.sin(0.5 * opening)])
    return tuple(Contact(obstacle=HalfSpace(normal=(0.0, side * n[1], n[2])), mu=mu) for side in (1.0, -1.0))


def run(body, t_end, contacts, *, dt=2e-3, loads=(), **initial):
    problem = SolidProblem(
        body=body, t_end=t_end, contact="boundary", contacts=contacts, loads=loads, initial=SolidInitial(**initial)
    )
    data = simulate(assemble(problem, Options(dt=dt)))
    assert np.abs(data.balance_error).max() <= 1e-10
    gaps = [c.obstacle.gap(data.position.values.reshape(-1, 3), 0.0).gap.min() for c in contacts]
    assert min(gaps) >= -1e-14
    return data


IN_GROOVE = {"position": (0.0, 0.0, 0.05 * np.sqrt(2.0)), "rotation": (np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0, 0.0)}


def test_a_block_slides_along_a_groove_under_twice_what_its_walls_press():
    """N = W/(2 sin(θ/2)) at each wall; the nodes of its lower edge touch both. Rigid but for 1e-7."""
    mu, body, t_end = 0.2, block(), 0.1
    data = run(body, t_end, groove(0.5 * np.pi, mu), velocity=(1.0, 0.0, 0.0), **IN_GROOVE)
    slowed = mu * G / np.sin(0.25 * np.pi)
    np.testing.assert_allclose(data.frame_velocity.values[-1], [1.0 - slowed * t_end, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(data.frame_position.values[-1, 0], t_end - 0.5 * slowed * t_end**2, atol=1e-6)
    pressing = 2.0 * body.mass * G / (2.0 * np.sin(0.25 * np.pi))
    np.testing.assert_allclose(
        data.normal_force.sum("node").values[10:], pressing, rtol=1e-5
    )  # vibrations have died down


@pytest.mark.parametrize(("share", "moves"), [(0.9, False), (1.5, True)])
def test_a_block_in_a_groove_is_pulled_along_from_the_limit_on(share, moves):
    mu, body, t_end = 0.3, block(), 0.04
    limit = mu * body.mass * G / np.sin(0.25 * np.pi)
    pull = SolidForce(force=(share * limit, 0.0, 0.0))
    data = run(body, t_end, groove(0.5 * np.pi, mu), loads=(pull,), **IN_GROOVE)
    speed = data.frame_velocity.values[-1, 0]
    touching = data.normal_force.values[-1] > 0.0
    assert touching.sum() == 6  # two edges, and the one between them
    if moves:
        assert speed == pytest.approx((share - 1.0) * limit / body.mass * t_end, rel=1e-3)
    else:
        assert (
            np.abs(data.velocity.values[-1][touching]).max() < 1e-9
        )  # nodes at their bound may yet be moving elastically


def test_a_block_pushed_into_a_corner_rests_on_three_walls_that_each_bear_their_part():
    body, push = block(1e7, (2, 1, 1)), np.array([-3.0, -5.0, 0.0])
    walls = tuple(Contact(obstacle=HalfSpace(normal=tuple(n))) for n in np.eye(3))
    load = SolidForce(force=tuple(push))
    data = run(body, 0.2, walls, loads=(load,), dt=0.02, position=tuple(0.5 * np.array(EDGES)))
    # long steps damp all vibrations
    force = data.contact_force.sum("node").values[-1]
    np.testing.assert_allclose(force, [3.0, 5.0, body.mass * G], rtol=1e-3)
    corner = np.argmin(np.linalg.norm(data.position.values[-1], axis=1))
    assert np.all(data.contact_force.values[-1][corner] > 0.0)
    assert np.abs(data.position.values[-1][corner]).max() < 1e-15


@pytest.mark.slow
def test_a_stiff_block_that_falls_into_a_groove_askew_moves_as_the_rigid_one():
    """With friction, all corners before both walls; E = 1e9 Pa in one cell."""
    body, walls = block(), groove(2.0, 0.15)
    start = {"position": (0.0, 0.01, 0.1), "velocity": (0.5, 0.2, 0.0), "spin_space": (1.0, 0.5, -1.0)}
    soft = run(body, 0.25, walls, dt=1e-3, **start)
    J = soft.J.values[0]
    rigid = RigidSolid(mass=body.mass, inertia=0.5 * (J + J.T), shape=Feet(body.X))
    problem = SpaceProblem(body=rigid, t_end=0.25, contacts=walls, initial=SpaceInitial(**start))
    stiff = simulate(assemble(problem, Options(dt=1e-3)))
    way = np.linalg.norm(stiff.frame_position.values[-1] - start["position"])
    off = np.linalg.norm(soft.frame_position.values - stiff.frame_position.values, axis=1)
    assert off.max() < 0.02 * way


@pytest.mark.slow
@pytest.mark.parametrize("E", [1e5, 1e6])
def test_solids_thrown_into_a_groove_with_a_sphere_in_it_neither_sink_in_nor_gain_energy(E):
    """Where nothing presses stages of order two may gain a little."""
    rng, touched = np.random.default_rng(7), 0
    obstacles = [HalfSpace(normal=(side * 0.8, 0.0, 0.6)) for side in (1.0, -1.0)] + [Sphere((0.1, 0.0, -0.1), 0.2)]
    body = Solid.build(box(0.2, 0.15, 0.1, 2, 2, 1), density=1000.0, material=StVenantKirchhoff(E, 0.3), viscosity=0.0)
    for _ in range(6):
        spins, speeds, turn = 3.0 * rng.normal(size=3), 0.5 * rng.normal(size=3) - [0.0, 0.0, 1.0], rng.normal(size=4)
        walls = tuple(Contact(obstacle=obstacle, mu=float(rng.choice([0.0, 0.2, 0.6]))) for obstacle in obstacles)
        start = {"rotation": tuple(turn / np.linalg.norm(turn)), "velocity": tuple(speeds), "spin_space": tuple(spins)}
        data = run(body, 0.15, walls, dt=5e-3, position=(0.0, 0.0, 0.4), **start)
        energy = (data.energy_kinetic + data.energy_strain).values + body.mass * G * data.frame_position.values[:, 2]
        rise = np.maximum(np.diff(energy), 0.0).sum()
        assert rise <= 5e-3 * data.energy_kinetic.values.max()
        touched += np.count_nonzero(data.normal_force.values > 0.0)
    assert touched > 30
