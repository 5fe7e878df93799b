"""An elastic bar hits an exact wall: it stays for 2L/c, pushes with rho c v A, and leaves as it came (d'Alembert)."""

import numpy as np
import pytest
from convergence import observed_orders
from ff_signorini import DENSITY, LENGTH, SCHEMES, THICKNESS, elastic, gaps, impulse, thrown

from floating_frame.contact.shapes import Line

MODULUS = 2e5
SPEED = np.sqrt(MODULUS / DENSITY)
STAY = 2.0 * LENGTH / SPEED
APPROACH = 1e-4 * SPEED  # strains of 1e-4: the linear wave equation
NEAR = 0.2 * LENGTH * 1e-4
HIT = NEAR / APPROACH
BREADTH = 0.05
FORCE = DENSITY * SPEED * APPROACH * BREADTH * THICKNESS


def bar(cells, scheme="moreau-theta"):
    """At half the Courant number; the wall is met after 0.2 L/c."""
    body = elastic(cells, 1, E=MODULUS, nu=0.0, width=BREADTH)
    wall = Line((0.5 * LENGTH + NEAR, 0.0), (-1.0, 0.0))
    dt = 0.5 * LENGTH / cells / SPEED
    return thrown((APPROACH, 0.0), body=body, wall=wall, dt=dt, t_end=HIT + 1.3 * STAY, scheme=scheme), wall, dt


def exact_displacement(X, t):
    """u(X, t) in space: free until the wave from the wall comes, then at rest, then thrown back."""
    late, arrival = t - HIT, (0.5 * LENGTH - X) / SPEED
    stopped = APPROACH * (HIT + arrival)
    back = stopped - APPROACH * (late - (STAY - arrival))
    return np.where(late < arrival, APPROACH * t, np.where(late < STAY - arrival, stopped, back))


@pytest.fixture(scope="module")
def bars():
    return {cells: bar(cells) for cells in (10, 20, 40)}


def test_bar_stays_at_the_wall_for_twice_its_length_over_the_wave_speed(bars):
    for run, wall, dt in bars.values():
        push = -run.contact_force.values[:, 0]
        on = np.flatnonzero(push > 1e-3 * FORCE)
        assert np.all(np.diff(on) == 1), "one contact"
        assert abs(len(on) * dt - STAY) <= 2.0 * dt
        assert abs(run.time.values[on[0]] - HIT) <= 1.01 * dt
        assert gaps(run, wall).min() > -1e-12


def test_force_and_rebound_converge_to_those_of_the_wave_equation(bars):
    forces, speeds = [], []
    for run, _, _ in bars.values():
        push = -run.contact_force.values[:, 0]
        forces.append(abs(push[push > 1e-3 * FORCE].mean() / FORCE - 1.0))
        speeds.append(abs(run.frame_velocity.values[-1, 0] / APPROACH + 1.0))
        mass = DENSITY * LENGTH * BREADTH * THICKNESS
        left = mass * (run.frame_velocity.values[-1, 0] - APPROACH)
        assert np.isclose(impulse(run)[0], left, rtol=1e-9)
    for errors in (forces, speeds):
        orders = observed_orders(errors)
        assert np.all((orders > 0.75) & (orders < 1.2))
        assert errors[-1] < 0.015


def test_displacements_converge_to_the_wave_solution(bars):
    errors = []
    for run, _, _ in bars.values():
        X, t = run.X.values[:, 0], run.time.values
        at = [int(np.argmin(abs(t - (HIT + share * STAY)))) for share in (0.4, 0.9)]
        found = run.position.values[at, :, 0] - X
        exact = np.array([exact_displacement(X, t[k]) for k in at])
        errors.append(np.sqrt(np.mean((found - exact) ** 2)) / (0.5 * APPROACH * STAY))
    orders = observed_orders(errors)
    assert np.all((orders > 0.9) & (orders < 1.6))
    assert errors[-1] < 2e-3


def test_only_the_mass_of_the_first_nodes_loses_energy_so_the_loss_halves_with_the_mesh(bars):
    losses = []
    for run, _, _ in bars.values():
        stored = (run.energy_kinetic + run.energy_strain).values
        assert stored.max() <= stored[0] * (1.0 + 1e-9)
        lost = run.dissipation_contact.values
        assert np.diff(lost).min() >= -1e-9 * stored[0]
        assert abs(run.balance_error.values).max() < 1e-10 * stored[0]
        losses.append(lost[-1] / stored[0])
    orders = observed_orders(losses)
    assert np.all(np.abs(orders - 1.0) < 0.02)
    assert 0.25 / 40 < losses[-1] < 0.5 / 40, "at most the lumped mass of the first nodes"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_energy_is_created_and_the_wall_is_met_exactly(scheme):
    run, wall, dt = bar(10, scheme)
    stored = (run.energy_kinetic + run.energy_strain).values
    assert run.energy_strain.values.max() > 0.3 * stored[0]
    # The quadrature of the internal power by the theta rule is of either sign, 1e-7 for strains of 1e-4.
    assert np.diff(stored).max() < 1e-6 * stored[0]
    push = -run.contact_force.values[:, 0] > 1e-3 * FORCE
    pushed = np.flatnonzero(push)
    assert np.abs(gaps(run, wall)[pushed[2:-2]].min(axis=1)).max() < 1e-12
    assert abs(len(pushed) * dt - STAY) <= 2.0 * dt
