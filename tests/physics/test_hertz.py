"""An elastic body with a spherical face on the ground: Hertz's pressure, and the annulus that slips before it slides."""

import numpy as np
import pytest
from convergence import observed_orders

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
    return np.array(
        [
            (contact.area * off).sum() / (2.0 * np.pi / 3.0),
            np.sqrt((contact.area * off**2).sum() / (np.pi / 2.0)),
            off.max(),
            abs(radius_found(contact) - 1.0),
        ]
    )


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
    found = np.array([errors(pressed(cells, Sphere())) for cells in (1, 2, 4)])
    orders = observed_orders(found)
    for column, (name, order, off) in enumerate((("L1", 1.5, 0.25), ("L2", 1.0, 0.15), ("largest", 0.5, 0.15))):
        verification(
            f"Hertz's pressure under an elastic sphere: order of its {name} error in the mesh",
            orders[:, column],
            order,
            source="Hertz (1881); the root at the edge of contact",
            tolerance=off,
        )
    assert np.all(orders[:, 3] > 1.8)
    assert found[-1, 0] < 0.05
    assert found[-1, 3] < 4e-3


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
        of_traction.append(
            (contact.area * np.abs(contact.traction - mindlin(contact.r, share))).sum() / (share * 2.0 * np.pi / 3.0)
        )
    assert 0.01 < off[0] < 0.06
    assert off[1] < 0.5 * off[0]
    assert of_traction[1] < min(0.2, 0.8 * of_traction[0])
