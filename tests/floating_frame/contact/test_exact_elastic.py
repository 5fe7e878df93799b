"""Plates with exact contact: d'Alembert's bar, exact friction on the ground beside, any frame, and the limit of penalty contact."""

import numpy as np
import pytest
from contact_examples import DENSITY, LENGTH, MASS, SCHEMES, THICKNESS, gaps, impulse, thrown, touches
from convergence import observed_orders
from ff_examples import plate

from floating_frame import BodyForce, Line, RigidMotion, Tisserand
from friction import Coulomb, Foundation

MODULUS, BREADTH = 2e5, 0.05
SPEED = np.sqrt(MODULUS / DENSITY)
STAY = 2.0 * LENGTH / SPEED
APPROACH = 1e-4 * SPEED  # strains of 1e-4: the linear wave equation
AWAY = 0.2 * LENGTH * 1e-4
HIT = AWAY / APPROACH
FORCE = DENSITY * SPEED * APPROACH * BREADTH * THICKNESS
END = Line((0.5 * LENGTH + AWAY, 0.0), (-1.0, 0.0))


def bar(cells, scheme="moreau-theta"):
    """At half the Courant number; the wall is met after 0.2 L/c. The run, its step, and where the wall pushes."""
    body, dt = plate(cells, 1, E=MODULUS, nu=0.0, width=BREADTH), 0.5 * LENGTH / cells / SPEED
    run = thrown((APPROACH, 0.0), body, wall=END, dt=dt, t_end=HIT + 1.3 * STAY, scheme=scheme)
    return run, dt, np.flatnonzero(-run.contact_force.values[:, 0] > 1e-3 * FORCE)


@pytest.fixture(scope="module")
def bars():
    return [bar(cells) for cells in (5, 10, 20)]


def exact_displacement(X, t):
    """u(X, t) in space: free until the wave from the wall comes, then at rest, then thrown back."""
    late, arrival = t - HIT, (0.5 * LENGTH - X) / SPEED
    stopped = APPROACH * (HIT + arrival)
    back = stopped - APPROACH * (late - (STAY - arrival))
    return np.where(late < arrival, APPROACH * t, np.where(late < STAY - arrival, stopped, back))


def test_bar_stays_at_the_wall_for_twice_its_length_over_the_wave_speed(bars):
    for run, dt, on in bars:
        assert np.all(np.diff(on) == 1), "one contact"
        assert abs(len(on) * dt - STAY) <= 2.0 * dt
        assert abs(run.time.values[on[0]] - HIT) <= 1.01 * dt
        assert gaps(run, END).min() > -1e-12
        assert np.abs(gaps(run, END)[on[2:-2]].min(axis=1)).max() < 1e-12


def test_force_rebound_and_displacements_converge_to_those_of_the_wave_equation(bars):
    forces, speeds, places = [], [], []
    for run, _, on in bars:
        forces.append(abs(-run.contact_force.values[on, 0].mean() / FORCE - 1.0))
        speeds.append(abs(run.frame_velocity.values[-1, 0] / APPROACH + 1.0))
        left = DENSITY * LENGTH * BREADTH * THICKNESS * (run.frame_velocity.values[-1, 0] - APPROACH)
        assert np.isclose(impulse(run)[0], left, rtol=1e-9)
        X, t = run.X.values[:, 0], run.time.values
        at = [int(np.argmin(abs(t - (HIT + share * STAY)))) for share in (0.4, 0.9)]
        off = run.position.values[at, :, 0] - X - [exact_displacement(X, t[k]) for k in at]
        places.append(np.sqrt(np.mean(off**2)) / (0.5 * APPROACH * STAY))
    for errors, low, high, least in ((forces, 0.75, 1.2, 0.03), (speeds, 0.75, 1.2, 0.03), (places, 0.9, 1.6, 5e-3)):
        orders = observed_orders(errors)
        assert np.all((orders > low) & (orders < high))
        assert errors[-1] < least


def test_only_the_mass_of_the_first_nodes_loses_energy_so_the_loss_halves_with_the_mesh(bars):
    losses = []
    for run, _, _ in bars:
        stored, lost = (run.energy_kinetic + run.energy_strain).values, run.dissipation_contact.values
        assert stored.max() <= stored[0] * (1.0 + 1e-9)
        assert np.diff(lost).min() >= -1e-9 * stored[0]
        assert abs(run.balance_error.values).max() < 1e-10 * stored[0]
        losses.append(lost[-1] / stored[0])
    assert np.all(np.abs(observed_orders(losses) - 1.0) < 0.02)
    assert 0.25 / 20 < losses[-1] < 0.5 / 20, "at most the lumped mass of the first nodes"


def test_no_energy_is_created_and_the_wall_is_met_exactly_by_backward_euler_too():
    run, dt, pushed = bar(5, "backward-euler")
    stored = (run.energy_kinetic + run.energy_strain).values
    assert run.energy_strain.values.max() > 0.3 * stored[0]
    # The quadrature of the internal power by the theta rule is of either sign, 1e-7 for strains of 1e-4.
    assert np.diff(stored).max() < 1e-6 * stored[0]
    assert np.abs(gaps(run, END)[pushed[2:-2]].min(axis=1)).max() < 1e-12
    assert abs(len(pushed) * dt - STAY) <= 2.0 * dt


GROUND = Foundation(Coulomb(), 0.1, 98.1)
CLOSE = Line((0.205, 0.0), (-1.0, 0.0))


def rough(scheme="moreau-theta", **more):
    """A turning plate runs into a rough wall over rough ground and is pushed on."""
    given = {"spin": 1.0, "mu": 0.3, "wall": CLOSE, "foundation": GROUND, "loads": (BodyForce((6.0, 1.0)),)}
    return thrown((0.5, 0.3), plate(6, 3, E=1e5), scheme=scheme, dt=2e-3, t_end=0.16, **given, **more)


@pytest.fixture(scope="module")
def rough_runs():
    return {scheme: rough(scheme) for scheme in SCHEMES}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_both_frictions_are_exact_momentum_changes_by_all_forces_and_the_ledger_closes(rough_runs, scheme):
    run = rough_runs[scheme]
    force, touching = run.contact_force.values, touches(run)
    assert touching.sum() > 40
    assert np.ptp(run.stick.values.mean(axis=1)) > 0.1, "nodes stick and slide on the ground"
    assert np.all(force[:, 0] <= 0.0)
    assert np.all(np.abs(force[:, 1]) <= 0.3 * np.abs(force[:, 0]) * (1.0 + 1e-9) + 1e-12)
    assert gaps(run, CLOSE).min() > -1e-11
    assert run.dissipation_contact.values[-1] > 1e-3
    assert run.dissipation_friction.values[-1] > 1e-2
    assert abs(run.balance_error.values).max() < 1e-11
    size = np.linalg.norm(run.friction_force.values, axis=2)
    assert np.all(size <= run.friction_weight.values * (1.0 + 1e-9))
    assert abs(run.rigid_residual.values[1:]).max() < 1e-7
    total = force[1:] + run.friction_force.values.sum(axis=1)[1:] + MASS * np.array([6.0, 1.0])
    change = np.diff(run.linear_momentum.values, axis=0)
    assert np.abs(change).max() > 1e-2
    assert run.halvings.values.sum() == 0
    assert np.allclose(change, np.diff(run.time.values)[:, None] * total, rtol=0, atol=1e-12)


def test_motion_does_not_depend_on_the_frame(rough_runs):
    mean, tisserand = rough_runs["moreau-theta"], rough(frame=Tisserand())
    assert np.ptp(mean.position.values, axis=0).max() > 0.03
    assert np.allclose(mean.position.values, tisserand.position.values, rtol=0, atol=1e-12)


def test_nodes_leave_with_e_of_their_own_approach_in_the_step_in_which_they_hit():
    body = plate(4, 2, E=2e4)
    front = np.flatnonzero(body.X[:, 0] > 0.2 - 1e-9)
    run = thrown((1.0, 0.3), body, e=0.5, wall=CLOSE, t_end=0.008)
    hit = int(np.flatnonzero(touches(run))[0])
    assert np.allclose(run.velocity.values[hit - 1, front], [1.0, 0.3], rtol=0, atol=1e-12)
    assert np.allclose(run.velocity.values[hit, front, 0], -0.5, rtol=0, atol=1e-10)
    assert run.velocity.values[hit, body.X[:, 0] < 0.0, 0].min() > 0.9, "the rest has hardly felt it yet"
    assert run.energy_strain.values[-1] > 1e-4


def test_wall_that_comes_breaks_the_ground_s_hold_node_by_node_and_then_pays_all_of_it():
    wall = Line((0.2005, 0.0), (-1.0, 0.0), motion=RigidMotion(velocity=(-0.1, 0.0)))
    given = {"on": plate(6, 3, E=2e5), "wall": wall, "foundation": GROUND}
    run = thrown((0.0, 0.0), scheme="moreau-theta", dt=4e-3, t_end=0.05, **given)
    stick = run.stick.values.mean(axis=1)
    assert stick[0] == 1.0, "the wall has not come yet"
    assert np.count_nonzero((stick > 0.02) & (stick < 0.98)) > 4, "some have given way, others not yet"
    assert gaps(run, wall).min() > -1e-12
    run = thrown((0.0, 0.0), scheme="backward-euler", dt=2e-2, t_end=1.0, **given)
    assert np.allclose(run.contact_force.values[-10:, 0], -0.1 * 98.1 * 0.4 * 0.2, rtol=1e-4)
    assert np.allclose(run.velocity.values[-1], [-0.1, 0.0], rtol=0, atol=1e-6)
    assert abs(run.balance_error.values).max() < 1e-11
