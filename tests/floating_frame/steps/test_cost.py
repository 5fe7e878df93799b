"""Cost of a step in factorisations: counts, not seconds (those are in benchmarks/); and how a factor fails."""

import numpy as np
import pytest
import scipy.sparse as sp
from ff_examples import plate, rough
from problems import assembled
from single_steps import initial_state, step

import fem
import friction
from floating_frame import EdgeLoad, InitialState, Ramp, RigidBody
from floating_frame.system.elastic.factors import ElasticFactor
from floating_frame.system.elastic.given_pressure import GivenPressureGround
from floating_frame.system.rigid.plan import RigidPlan


def pulled(nx, ny, dt, history, start=None):
    loads = (EdgeLoad("right", (4.0, 3.0), history),)
    return assembled(plate(nx, ny, E=2e5), 1.0, dt, foundation=rough(0.5), loads=loads, initial=start or InitialState())


def stepped(model, dt, count):
    """The state after that many steps, and their counts."""
    state, counts = initial_state(model), []
    for _ in range(count):
        state, one = step(model, state, dt)
        counts.append(one)
    return state, counts


@pytest.mark.parametrize(("nx", "ny"), [(8, 4), (32, 16), (64, 32)])
@pytest.mark.quick("8-4", "32-16")
def test_a_warm_sliding_turning_step_takes_few_factorisations_on_any_mesh(nx, ny):
    model = pulled(nx, ny, 1e-3, Ramp(0.05), InitialState(velocity=(0.5, 0.1), spin=3.0))
    state, _ = step(model, initial_state(model), 1e-3)
    for _ in range(4):
        state, counts = step(model, state, 1e-3)
        assert not state.sticking().any()
        assert abs(state.frame.spin) > 1.0
        assert 1 <= counts.factorisations <= 8
        assert counts.fallbacks == 0
        assert 3 <= counts.newton <= 16  # chord steps included: work is done, and little of it
        assert counts.passes <= 6
    assert model.cache.factor.inner.analyses == 1
    assert model.cache.factor.inner.factorisations >= 5


def test_the_sparsity_and_its_analysis_are_built_once_for_a_whole_run():
    model = pulled(8, 4, 5e-3, Ramp(0.05, 0.1))
    state, shares = initial_state(model), []
    for _ in range(60):
        state, _ = step(model, state, 5e-3)
        shares.append(state.sticking().mean())
    assert min(shares) < 0.1  # it slid
    assert shares[-1] == 1.0  # and stopped
    assert model.cache.factor.inner.analyses == 1
    assert np.shares_memory(model.cache.indices, model.body.indices)


def test_steps_that_start_onward_of_the_last_take_fewer_newton_steps_to_the_same_motion(monkeypatch):
    """v* + τ a is off by O(τ²), the last velocities by O(τ)."""
    ahead, few = stepped(pulled(8, 4, 2e-3, Ramp(0.05)), 2e-3, 25)
    monkeypatch.setattr(GivenPressureGround, "predicted_velocity", lambda self, history, last, velocity: velocity)
    behind, many = stepped(pulled(8, 4, 2e-3, Ramp(0.05)), 2e-3, 25)
    assert sum(counts.newton for counts in few) <= 0.95 * sum(counts.newton for counts in many)
    assert 0.05 < ahead.sticking().mean() < 0.95  # stick and slip side by side
    np.testing.assert_allclose(ahead.position, behind.position, rtol=0, atol=1e-11)


def test_a_rigid_body_that_starts_onward_of_the_last_step_settles_in_fewer_passes_to_the_same_motion(monkeypatch):
    """The angle of a stage is then known to O(τ³), not O(τ²), and one pass of three is saved."""
    body, start = RigidBody.from_plate(plate(3, 2)), InitialState(velocity=(0.5, 0.1), spin=4.0)
    ahead, few = stepped(assembled(body, 1.0, 2e-3, foundation=rough(0.3), initial=start), 2e-3, 10)
    known = RigidPlan.parameters
    monkeypatch.setattr(RigidPlan, "parameters", lambda *given: known(*given)._replace(extrapolates=False))
    behind, many = stepped(assembled(body, 1.0, 2e-3, foundation=rough(0.3), initial=start), 2e-3, 10)
    assert ahead.frame.spin < 3.9
    assert sum(counts.passes for counts in few) <= 0.8 * sum(counts.passes for counts in many)
    np.testing.assert_allclose(ahead.frame.rates, behind.frame.rates, rtol=1e-11)


def test_an_indefinite_matrix_is_friction_s_error_and_others_stay_fem_s():
    matrix = sp.csr_array(np.array([[2.0, 1.0], [1.0, 2.0]]))
    factor = ElasticFactor(matrix.indptr, matrix.indices)
    factor.refactor(matrix.data)
    np.testing.assert_allclose(factor.solve(np.array([3.0, 3.0])), 1.0, rtol=1e-14)
    with pytest.raises(friction.NotPositiveDefinite, match="not positive definite"):
        factor.refactor(-matrix.data)
    with pytest.raises(fem.FactorError, match="non-finite"):
        factor.refactor(np.nan * matrix.data)
