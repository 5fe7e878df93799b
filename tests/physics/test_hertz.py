"""Elastic bodies pressed on the ground: Hertz's pressure, the annulus that slips before it slides, and Boussinesq's flat punch."""

import numpy as np
import pytest
from convergence import observed_orders

import fem
from floating_frame import Options, Ramp, SolidForce, SolidInitial, SolidProblem, SpaceClamped, assemble, simulate
from paper_figures.parts.sphere_pressed import (
    Sphere,
    hertz,
    mindlin,
    pressed,
    radius_found,
    stick_radius,
    stick_radius_found,
)


def errors(contact):
    """L1, L2 and largest error of the nodal pressure over Hertz's force, its L2 norm and its peak; error of the radius."""
    off = np.abs(contact.pressure - hertz(contact.r))
    l1, l2 = (contact.area * off).sum() / (2.0 * np.pi / 3.0), np.sqrt((contact.area * off**2).sum() / (np.pi / 2.0))
    return np.array([l1, l2, off.max(), abs(radius_found(contact) - 1.0)])


def test_the_pressure_under_a_sphere_tends_to_that_of_hertz():
    """The size of the body, six contact radii, counts by a few times 1/6³."""
    sphere = Sphere(nu=0.2, E=5e5, contact=0.05, radius=700.0, size=6.0)
    contacts = [pressed(cells, sphere) for cells in (1, 2)]
    for contact in contacts:
        total = contact.run.normal_force.values[-1].sum()
        assert total == pytest.approx(4.0 * 5e5 * 0.05**2 / (3.0 * 0.96 * 700.0), rel=1e-6)
        assert contact.run.position.values[:, contact.nodes, 2].min() >= -1e-15
    assert contacts[1].pressure[contacts[1].r < 0.1] == pytest.approx(1.0, abs=0.03)
    coarse, fine = (errors(contact) for contact in contacts)
    assert 0.2 < coarse[0] < 0.4
    assert 1.0 < np.log2(coarse[0] / fine[0]) < 2.0
    assert fine[3] < 0.02


@pytest.mark.slow
def test_hertz_pressure_converges_at_the_orders_that_the_root_at_its_edge_allows(verification):
    """p ~ √(1 − r) at the edge: in a ring of width h the nodal pressure is off by √h, so that L1 falls as h^(3/2), L2 as h and the
    largest error as √h; the second moment, in which the ring's errors cancel, as h² or better."""
    computed = np.array([errors(pressed(cells, Sphere())) for cells in (1, 2, 4)])
    orders = observed_orders(computed)
    for column, (name, order, off) in enumerate((("L1", 1.5, 0.25), ("L2", 1.0, 0.15), ("largest", 0.5, 0.15))):
        claim = f"Hertz's pressure under an elastic sphere: order of its {name} error in the mesh"
        how = {"source": "Hertz (1881); the root at the edge of contact", "tolerance": off}
        verification(claim, orders[:, column], order, **how)
    assert np.all(orders[:, 3] > 1.8)
    assert computed[-1, 0] < 0.05
    assert computed[-1, 3] < 4e-3


@pytest.mark.slow
def test_a_sphere_that_is_pulled_slips_in_the_annulus_of_cattaneo_and_mindlin():
    """ν near ½, where pressing brings no friction; Mindlin's traction neglects slip across the pull, a few per cent."""
    share, mu, cells = 0.6, 0.3, (2, 3)
    sphere, c = Sphere(nu=0.49, mu=mu), stick_radius(share)
    assert c == pytest.approx(0.4 ** (1.0 / 3.0))
    off, of_traction = [], []
    for n in cells:
        contact, h = pressed(n, sphere, share), 0.5 / n
        after = contact.stick[-1]
        assert np.all(contact.stick[1] != 0)  # pressing alone makes nothing slip
        assert min((after == 0).sum(), (after == 1).sum()) > 20
        assert np.all(after[contact.r < c - h] == 1)
        assert np.all(after[(contact.r > c + h) & (contact.r < 1.0 - h)] == 0)
        run, nodes = contact.run, contact.nodes
        sticks = nodes[after == 1]
        assert np.all(run.velocity.values[-1, sticks, :2] == 0.0)
        np.testing.assert_array_equal(run.position.values[-1, sticks, :2], run.position.values[1, sticks, :2])
        assert -run.friction_force.values[-1, nodes, 0].sum() == pytest.approx(share * mu * sphere.force, rel=1e-5)
        off.append(abs(stick_radius_found(contact) - c))
        wrong = (contact.area * np.abs(contact.traction - mindlin(contact.r, share))).sum()
        of_traction.append(wrong / (share * 2.0 * np.pi / 3.0))
    assert 0.01 < off[0] < 0.06
    assert off[1] < 0.5 * off[0]
    assert of_traction[1] < min(0.2, 0.8 * of_traction[0])


A, E, NU, SIZE, LONG = 0.1, 2e6, 0.3, 8.0, 100.0


"""Radius of the punch m, E Pa, nu, height and radius of the block over a; a step, s, long against the elastic periods."""


def punched(cells):
    """Return the places r/a, the pressure πa² p/P and the forces f/P of the nodes under a punch with ``cells`` in half its radius.

    The punch is the plane z = 0, the face that may touch it a disc of the block's lower end."""
    mesh = fem.spherical_end(1e9 * A, SIZE * A, A, cells)
    bottom = mesh.boundaries["bottom"]
    middle = mesh.p[:2, mesh.facets[:, bottom]].mean(axis=1)
    mesh = type(mesh)(mesh.p, mesh.t, {**mesh.boundaries, "punch": bottom[np.hypot(*middle) < A]})
    body = fem.Solid.build(mesh, density=1.0, material=fem.NeoHookean(E, NU), viscosity=0.0)
    force = 2.0 * A * E * 1e-4 * A / (1.0 - NU**2)  # goes in by a ten-thousandth of a
    press = SolidForce(force=(0.0, 0.0, -force), on="top", history=Ramp(LONG))
    initial = SolidInitial(position=(0.0, 0.0, -float(body.X[:, 2].min())))
    held = {"gravity": 0.0, "contact": "punch", "frame": SpaceClamped("top", free=("z",)), "initial": initial}
    problem = SolidProblem(body=body, t_end=LONG, loads=(press,), **held)
    run = simulate(assemble(problem, Options(dt=LONG, scheme="backward-euler")))
    nodes = problem.standing.nodes
    share, area = run.normal_force.values[-1, nodes] / force, body.face_area("punch")[nodes] / (np.pi * A**2)
    return np.hypot(*body.X[nodes, :2].T) / A, share / area, share


def punch_errors(cells):
    """Return those of the pressure at the centre, half the mean, the largest over p within 0.7 a, and that of ⟨r²⟩ = 2/3."""
    r, pressure, share = punched(cells)
    assert share.sum() == pytest.approx(1.0, rel=1e-6)
    assert share.min() > 0.0
    inner = r < 0.7
    off = np.abs(pressure[inner] * 2.0 * np.sqrt(1.0 - r[inner] ** 2) - 1.0)
    return np.array([abs(2.0 * pressure[np.argmin(r)] - 1.0), off.max(), abs(share @ r**2 - 2.0 / 3.0)])


def test_the_pressure_under_a_flat_punch_tends_to_that_of_boussinesq():
    coarse, fine = punch_errors(1), punch_errors(2)
    assert np.all(fine < [0.1, 0.15, 0.07])
    assert np.all(fine < 0.8 * coarse)


@pytest.mark.slow
def test_the_pressure_under_a_flat_punch_converges_at_order_one():
    """Elements at the edge bear √h of the force, off by a part of it, within h of the edge: moments are off by h, and the pressure
    within by as much, up and down with where its nodes are. The size of the block counts by a few times 1/8³."""
    coarse, middle, fine = (punch_errors(cells) for cells in (1, 2, 4))
    assert observed_orders([coarse, middle, fine])[:, 2] == pytest.approx(1.0, abs=0.15)
    assert np.log2(coarse[:2] / fine[:2]) / 2.0 == pytest.approx(1.0, abs=0.4)
    assert np.all(fine < [0.06, 0.09, 0.035])
