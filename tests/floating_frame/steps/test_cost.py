"""What a step costs in factorisations: counts, not seconds (those are in benchmarks/)."""

import numpy as np
import pytest
from single_steps import initial_state, step

import fem
from floating_frame import EdgeLoad, InitialState, Options, Problem, Ramp, RigidBody, assemble
from floating_frame.system.elastic.given_pressure import GivenPressureGround
from friction import Coulomb, Foundation

GROUND = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)


def plate(nx, ny):
    return fem.Plate.build(
        fem.rectangle(0.4, 0.2, nx, ny), thickness=0.01, density=1000.0, material=fem.StVenantKirchhoff(2e5, 0.3)
    )


def pulled(body, history, initial=None):
    return Problem(body, 1.0, GROUND, (EdgeLoad("right", (4.0, 3.0), history),), initial=initial or InitialState())


@pytest.mark.parametrize(("nx", "ny"), [(8, 4), (32, 16), (64, 32)])
def test_a_warm_sliding_turning_step_takes_few_factorisations_on_any_mesh(nx, ny):
    problem = pulled(plate(nx, ny), Ramp(0.05), InitialState(velocity=(0.5, 0.1), spin=3.0))
    model = assemble(problem, Options(1e-3))
    state = initial_state(model)
    state, _ = step(model, state, 1e-3)
    for _ in range(4):
        state, counts = step(model, state, 1e-3)
        assert not state.sticking().any()
        assert abs(state.frame.spin) > 1.0
        assert 1 <= counts.factorisations <= 8
        assert counts.fallbacks == 0
        assert 3 <= counts.newton <= 16  # chord steps included: work is done, and little of it
        assert counts.passes <= 6
    factor = model.cache.factor.inner
    assert factor.analyses == 1
    assert factor.factorisations >= 5


def test_the_sparsity_and_its_analysis_are_built_once_for_a_whole_run():
    body = plate(8, 4)
    model = assemble(pulled(body, Ramp(0.05, 0.1)), Options(5e-3))
    state = initial_state(model)
    shares = []
    for _ in range(60):
        state, _ = step(model, state, 5e-3)
        shares.append(state.sticking().mean())
    assert min(shares) < 0.1  # it slid
    assert shares[-1] == 1.0  # and stopped
    assert model.cache.factor.inner.analyses == 1
    assert np.shares_memory(model.cache.indices, body.indices)


def test_steps_that_start_onward_of_the_last_take_fewer_newton_steps_to_the_same_motion(monkeypatch):
    """v* + τ a is off by O(τ²), the last velocities by O(τ)."""
    problem = pulled(plate(8, 4), Ramp(0.05))

    def slid():
        model = assemble(problem, Options(2e-3))
        state, newton = initial_state(model), 0
        for _ in range(25):
            state, counts = step(model, state, 2e-3)
            newton += counts.newton
        return state, newton

    ahead, few = slid()
    monkeypatch.setattr(GivenPressureGround, "predicted_velocity", lambda self, history, last, velocity: velocity)
    behind, many = slid()
    assert few <= 0.95 * many
    assert 0.05 < ahead.sticking().mean() < 0.95  # stick and slip side by side
    np.testing.assert_allclose(ahead.position, behind.position, rtol=0, atol=1e-11)


def test_a_rigid_body_that_starts_onward_of_the_last_step_settles_in_fewer_passes_to_the_same_motion(monkeypatch):
    """The angle of a stage is then known to O(τ³), not O(τ²), and one pass of three is saved."""
    body, initial = RigidBody.from_plate(plate(3, 2)), InitialState(velocity=(0.5, 0.1), spin=4.0)
    thrown = Problem(body, 1.0, Foundation(law=Coulomb(), mu=0.3, pressure=98.1), initial=initial)

    def moved():
        model = assemble(thrown, Options(2e-3))
        state, passes = initial_state(model), 0
        for _ in range(10):
            state, counts = step(model, state, 2e-3)
            passes += counts.passes
        return state, passes

    ahead, few = moved()
    monkeypatch.setattr("floating_frame.system.rigid.plan.is_coulomb", lambda law: False)
    behind, many = moved()
    assert ahead.frame.spin < 3.9
    assert few <= 0.8 * many
    np.testing.assert_allclose(ahead.frame.rates, behind.frame.rates, rtol=1e-11)
