"""Rigid bodies under a regularised law by error-controlled Runge–Kutta: against the stage solver and a closed form."""

import numpy as np
import pytest
from convergence import observed_orders

import fem
from floating_frame import SCHEMES, BodyForce, InitialState, Options, Problem, RigidBody, assemble, simulate
from friction import Coulomb, Foundation, Smooth

DISC = RigidBody.disc(0.1, 1.0, 12, 24)
PRESSURE = 9.81 / (np.pi * 0.01)


def disc_run(scheme, dt, law, t_end=0.3, **initial):
    foundation = Foundation(law=law, mu=0.3, pressure=PRESSURE)
    problem = Problem(DISC, t_end, foundation, initial=InitialState(**initial))
    return simulate(assemble(problem, Options(dt, scheme, tolerance=1e-11)))


@pytest.mark.slow
def test_the_stage_solver_converges_at_second_order_to_the_error_controlled_motion():
    start = {"velocity": (1.0, 0.0), "spin": 5.0}
    exact = disc_run("radau", 0.05, Smooth(0.05), **start)
    assert float(exact.frame_angle[-1]) > 0.5
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        run = disc_run("sdirk2", dt, Smooth(0.05), **start)
        errors.append(np.hypot(*(run.frame_position.values[-1] - exact.frame_position.values[-1])))
    orders = observed_orders(errors)
    assert np.all((orders > 1.8) & (orders < 2.2)), (errors, orders)
    assert errors[-1] < 2e-6


@pytest.mark.slow
def test_below_the_friction_angle_a_regularised_law_creeps_at_the_root_of_its_own_equation():
    v_reg, share = 1e-3, 0.5
    force = share * 0.3 * 9.81
    problem = Problem(DISC, 2.0, Foundation(law=Smooth(v_reg), mu=0.3, pressure=PRESSURE), (BodyForce((force, 0.0)),))
    run = simulate(assemble(problem, Options(0.1, "radau", tolerance=1e-11)))
    creep = v_reg * share / np.sqrt(1.0 - share**2)  # v/sqrt(v^2 + v_reg^2) = share
    assert float(run.frame_velocity[-1, 0]) == pytest.approx(creep, rel=1e-6)
    assert not run.stick.values[-1].any()
    exact = Problem(DISC, 2.0, Foundation(law=Coulomb(), mu=0.3, pressure=PRESSURE), (BodyForce((force, 0.0)),))
    still = simulate(assemble(exact, Options(0.1)))
    assert np.all(still.frame_position.values == 0.0)
    assert still.stick.values.all()


def test_the_energy_balance_closes_at_the_integrators_tolerance():
    run = disc_run("radau", 0.02, Smooth(1e-3), velocity=(1.0, 0.0), spin=5.0)
    assert float(run.dissipation_friction[-1]) > 0.4
    assert float(np.abs(run.balance_error).max()) < 1e-8 * float(run.energy_kinetic[0])
    assert float(run.rigid_residual.max()) < 1e-12


def test_set_valued_laws_and_deformable_bodies_are_refused_in_one_line():
    elastic = fem.Plate.build(
        fem.rectangle(0.4, 0.2, 2, 1), thickness=0.01, density=1000.0, material=fem.StVenantKirchhoff(2e5, 0.3)
    )
    for body, law in ((DISC, Coulomb()), (elastic, Smooth(1e-3))):
        problem = Problem(body, 0.1, Foundation(law=law, mu=0.3, pressure=10.0))
        with pytest.raises(ValueError, match="radau") as caught:
            assemble(problem, Options(1e-3, "radau"))
        assert "\n" not in str(caught.value)


def test_the_former_name_of_the_scheme_is_taken_and_the_present_one_kept():
    former, present = Options(0.1, "runge-kutta"), Options(0.1, "radau")
    assert former == present
    assert former.scheme == "radau" in SCHEMES
    assert "runge-kutta" not in SCHEMES
