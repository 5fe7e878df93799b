"""Plates with exact contact: beside exact friction on the ground, in any frame, and as the limit of penalty contact."""

import numpy as np
import pytest
from convergence import observed_orders
from ff_signorini import MASS, SCHEMES, elastic, gaps, thrown, touches

from floating_frame import BodyForce, Tisserand
from floating_frame.contact.motion import RigidMotion
from floating_frame.contact.shapes import Circle, Line
from friction import Coulomb, Foundation, NormalForce

GROUND = Foundation(Coulomb(), 0.1, 98.1)
GROUND_LIMIT = 0.1 * 98.1 * 0.4 * 0.2
NEAR = Line((0.205, 0.0), (-1.0, 0.0))
PUSH = (BodyForce((6.0, 1.0)),)


def rough(scheme="moreau-theta", **more):
    """A turning plate runs into a rough wall over rough ground and is pushed on."""
    body = elastic(6, 3, E=1e5)
    given = {"spin": 1.0, "mu": 0.3, "wall": NEAR, "foundation": GROUND, "loads": PUSH, "dt": 2e-3, "t_end": 0.24}
    return thrown((0.5, 0.3), body=body, scheme=scheme, **(given | more))


@pytest.fixture(scope="module")
def rough_runs():
    return {scheme: rough(scheme) for scheme in SCHEMES}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_both_frictions_are_exact_and_the_ledger_closes(rough_runs, scheme):
    run = rough_runs[scheme]
    force = run.contact_force.values
    touching = touches(run)
    assert touching.sum() > 40
    assert np.ptp(run.stick.values.mean(axis=1)) > 0.1, "nodes stick and slide on the ground"
    assert np.all(force[:, 0] <= 0.0)
    assert np.all(np.abs(force[:, 1]) <= 0.3 * np.abs(force[:, 0]) * (1.0 + 1e-9) + 1e-12)
    assert gaps(run, NEAR).min() > -1e-11
    assert run.dissipation_contact.values[-1] > 1e-3
    assert run.dissipation_friction.values[-1] > 1e-2
    assert abs(run.balance_error.values).max() < 1e-11
    size = np.linalg.norm(run.friction_force.values, axis=2)
    assert np.all(size <= run.friction_weight.values * (1.0 + 1e-9))
    assert abs(run.rigid_residual.values[1:]).max() < 1e-7


@pytest.mark.parametrize("scheme", SCHEMES)
def test_momentum_changes_by_load_friction_and_contact_force(rough_runs, scheme):
    run = rough_runs[scheme]
    dt = np.diff(run.time.values)[:, None]
    total = run.contact_force.values[1:] + run.friction_force.values.sum(axis=1)[1:] + MASS * np.array([6.0, 1.0])
    change = np.diff(run.linear_momentum.values, axis=0)
    assert np.abs(change).max() > 1e-2
    assert run.halvings.values.sum() == 0
    assert np.allclose(change, dt * total, rtol=0, atol=1e-12)


def test_motion_does_not_depend_on_the_frame(rough_runs):
    mean, tisserand = rough_runs["moreau-theta"], rough(frame=Tisserand())
    assert touches(mean).sum() > 40
    assert np.ptp(mean.position.values, axis=0).max() > 0.03
    assert np.allclose(mean.position.values, tisserand.position.values, rtol=0, atol=1e-12)


def test_nodes_leave_with_e_of_their_own_approach_in_the_step_in_which_they_hit():
    body = elastic(4, 2, E=2e4)
    front = np.flatnonzero(body.X[:, 0] > 0.2 - 1e-9)
    run = thrown((1.0, 0.3), body=body, e=0.5, wall=NEAR, t_end=0.008)
    hit = int(np.flatnonzero(touches(run))[0])
    assert np.allclose(run.velocity.values[hit - 1, front], [1.0, 0.3], rtol=0, atol=1e-12)
    assert np.allclose(run.velocity.values[hit, front, 0], -0.5, rtol=0, atol=1e-10)
    assert run.velocity.values[hit, body.X[:, 0] < 0.0, 0].min() > 0.9, "the rest has hardly felt it yet"
    assert run.energy_strain.values[-1] > 1e-4


def test_plate_at_rest_on_the_wall_is_held_by_its_push():
    run = thrown(
        (0.0, 0.0), body=elastic(4, 2, E=2e4), wall=NEAR, loads=(BodyForce((2.0, 0.0)),), dt=2e-2, t_end=6.0,
        scheme="backward-euler",
    )  # fmt: skip
    assert gaps(run.isel(time=slice(0, 1)), NEAR).min() > 4e-3
    assert np.allclose(run.contact_force.values[-1], [-2.0 * MASS, 0.0], rtol=0, atol=1e-6)
    assert abs(gaps(run, NEAR)[-1].min()) < 1e-12
    assert run.position.values[-1, :, 0].max() - run.position.values[-1, :, 0].min() < 0.4, "compressed"


def test_wall_that_comes_breaks_the_ground_s_hold_node_by_node_and_then_pays_all_of_it():
    wall = Line((0.2005, 0.0), (-1.0, 0.0), motion=RigidMotion(velocity=(-0.1, 0.0)))
    given = {"body": elastic(6, 3, E=2e5), "wall": wall, "foundation": GROUND}
    run = thrown((0.0, 0.0), scheme="moreau-theta", dt=4e-3, t_end=0.05, **given)
    stick = run.stick.values.mean(axis=1)
    assert stick[0] == 1.0, "the wall has not come yet"
    assert np.count_nonzero((stick > 0.02) & (stick < 0.98)) > 4, "some have given way, others not yet"
    assert gaps(run, wall).min() > -1e-12
    run = thrown((0.0, 0.0), scheme="backward-euler", dt=1e-2, t_end=1.0, **given)
    assert np.allclose(run.contact_force.values[-10:, 0], -GROUND_LIMIT, rtol=1e-4)
    assert np.allclose(run.velocity.values[-1], [-0.1, 0.0], rtol=0, atol=1e-6)
    assert abs(run.balance_error.values).max() < 1e-11


def test_plate_thrown_at_a_round_rough_obstacle_does_not_enter_it_with_its_nodes():
    wall = Circle((0.33, 0.05), 0.1)
    run = thrown((1.0, 0.0), body=elastic(6, 3, E=2e5), wall=wall, mu=0.4, e=0.3, t_end=0.15)
    assert touches(run).sum() > 10
    assert abs(run.frame_spin.values[-1]) > 0.3
    assert gaps(run, wall).min() > -((1e-3 * 2.0) ** 2) / 0.8
    stored = (run.energy_kinetic + run.energy_strain).values
    assert stored[-1] < stored[0]
    assert abs(run.balance_error.values).max() < 1e-11


@pytest.mark.slow
def test_penalty_contact_converges_to_exact_contact_like_one_over_its_stiffness(monkeypatch):
    """In equal steps on both sides: a penalty contact's own steps would resolve a transient that those of exact contact do not."""
    monkeypatch.setattr("floating_frame.stepping.substeps.longest_step", lambda *_: np.inf)

    def pressed(**more):
        return thrown(
            (0.05, 0.02), body=elastic(4, 2, E=2e4), wall=Line((0.2, 0.0), (-1.0, 0.0)), loads=(BodyForce((4.0, 0.5)),),
            dt=4e-3, t_end=0.2, scheme="backward-euler", **more,
        )  # fmt: skip

    exact = pressed()
    assert touches(exact)[1:].all()
    errors = []
    for stiffness in (1e6, 2e6, 4e6, 8e6):  # N/m per metre of the edge
        run = pressed(normal=NormalForce(stiffness=stiffness))
        errors.append(np.abs(run.position.values - exact.position.values).max())
    orders = observed_orders(errors)
    assert np.all(np.abs(orders - 1.0) < 0.1)
    assert errors[-1] < 1e-4
