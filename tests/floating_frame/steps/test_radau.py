"""Rigid bodies under a regularised law by error-controlled Runge–Kutta: against the stage solver and a closed form."""

import numpy as np
import pytest
from convergence import observed_orders
from ff_examples import plate
from problems import assembled, run

from floating_frame import SCHEMES, BodyForce, InitialState, Options, RigidBody
from friction import Coulomb, Foundation, Smooth

DISC = RigidBody.disc(0.1, 1.0, 6, 12)
PRESSURE = 9.81 / (np.pi * 0.01)


def disc_run(scheme, dt, law, t_end=0.3, loads=(), **initial):
    given = {"foundation": Foundation(law, 0.3, PRESSURE), "loads": loads, "initial": InitialState(**initial)}
    return run(DISC, t_end, dt, scheme, tolerance=1e-11, **given)


@pytest.mark.slow
def test_the_stage_solver_converges_at_second_order_to_the_error_controlled_motion():
    start = {"velocity": (1.0, 0.0), "spin": 5.0}
    exact = disc_run("radau", 0.05, Smooth(0.05), **start)
    assert float(exact.frame_angle[-1]) > 0.5
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        found = disc_run("sdirk2", dt, Smooth(0.05), **start)
        errors.append(np.hypot(*(found.frame_position.values[-1] - exact.frame_position.values[-1])))
    orders = observed_orders(errors)
    assert np.all((orders > 1.8) & (orders < 2.2)), (errors, orders)
    assert errors[-1] < 2e-6


@pytest.mark.slow
def test_below_the_friction_angle_a_regularised_law_creeps_at_the_root_of_its_own_equation():
    v_reg, share = 1e-3, 0.5
    push = (BodyForce((share * 0.3 * 9.81, 0.0)),)
    crept = disc_run("radau", 0.1, Smooth(v_reg), 2.0, push)
    creep = v_reg * share / np.sqrt(1.0 - share**2)  # v/sqrt(v^2 + v_reg^2) = share
    assert float(crept.frame_velocity[-1, 0]) == pytest.approx(creep, rel=1e-6)
    assert not crept.stick.values[-1].any()
    still = disc_run("sdirk2", 0.1, Coulomb(), 2.0, push)
    assert np.all(still.frame_position.values == 0.0)
    assert still.stick.values.all()


def test_the_energy_balance_closes_at_the_integrators_tolerance():
    data = disc_run("radau", 0.02, Smooth(1e-3), velocity=(1.0, 0.0), spin=5.0)
    assert float(data.dissipation_friction[-1]) > 0.4
    assert float(np.abs(data.balance_error).max()) < 1e-8 * float(data.energy_kinetic[0])
    assert float(data.rigid_residual.max()) < 1e-12


@pytest.mark.parametrize(("body", "law"), [(DISC, Coulomb()), (plate(2, 1), Smooth(1e-3))], ids=["law", "body"])
def test_set_valued_laws_and_deformable_bodies_are_refused_in_one_line(body, law):
    with pytest.raises(ValueError, match="radau") as caught:
        assembled(body, 0.1, 1e-3, "radau", foundation=Foundation(law, 0.3, 10.0))
    assert "\n" not in str(caught.value)


def test_the_former_name_of_the_scheme_is_taken_and_the_present_one_kept():
    former, present = Options(0.1, "runge-kutta"), Options(0.1, "radau")
    assert former == present
    assert former.scheme == "radau" in SCHEMES
    assert "runge-kutta" not in SCHEMES
