"""A flat punch on an elastic block, without friction: p = P/(2πa √(a² − r²)), singular at its edge (Boussinesq 1885)."""

import numpy as np
import pytest
from convergence import observed_orders

import fem
from floating_frame import Options, Ramp, SolidForce, SolidInitial, SolidProblem, SpaceClamped, assemble, simulate

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
    problem = SolidProblem(
        body=body,
        t_end=LONG,
        gravity=0.0,
        contact="punch",
        loads=(SolidForce(force=(0.0, 0.0, -force), on="top", history=Ramp(LONG)),),
        frame=SpaceClamped("top", free=("z",)),
        initial=SolidInitial(position=(0.0, 0.0, -float(body.X[:, 2].min()))),
    )
    run = simulate(assemble(problem, Options(dt=LONG, scheme="backward-euler")))
    nodes = problem.standing.nodes
    share, area = run.normal_force.values[-1, nodes] / force, body.face_area("punch")[nodes] / (np.pi * A**2)
    return np.hypot(*body.X[nodes, :2].T) / A, share / area, share


def errors(cells):
    """Return those of the pressure at the centre, half the mean, the largest over p within 0.7 a, and that of ⟨r²⟩ = 2/3."""
    r, pressure, share = punched(cells)
    assert share.sum() == pytest.approx(1.0, rel=1e-6)
    assert share.min() > 0.0
    inner = r < 0.7
    off = np.abs(pressure[inner] * 2.0 * np.sqrt(1.0 - r[inner] ** 2) - 1.0)
    return np.array([abs(2.0 * pressure[np.argmin(r)] - 1.0), off.max(), abs(share @ r**2 - 2.0 / 3.0)])


def test_the_pressure_under_a_flat_punch_tends_to_that_of_boussinesq():
    coarse, fine = errors(1), errors(2)
    assert np.all(fine < [0.1, 0.15, 0.07])
    assert np.all(fine < 0.8 * coarse)


@pytest.mark.slow
def test_the_pressure_under_a_flat_punch_converges_at_order_one():
    """Elements at the edge bear √h of the force, off by a part of it, within h of the edge: moments are off by h, and the pressure
    within by as much, up and down with where its nodes are. The size of the block counts by a few times 1/8³."""
    coarse, middle, fine = (errors(cells) for cells in (1, 2, 4))
    assert observed_orders([coarse, middle, fine])[:, 2] == pytest.approx(1.0, abs=0.15)
    assert np.log2(coarse[:2] / fine[:2]) / 2.0 == pytest.approx(1.0, abs=0.4)
    assert np.all(fine < [0.06, 0.09, 0.035])
