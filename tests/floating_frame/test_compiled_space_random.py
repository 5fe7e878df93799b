"""From one state a single step in space and a compiled one lead to the same motion, however many feet bear the load.

Four and more feet share a load in many ways, and where one of them bears nothing the last digit of its gap decides whether it
counts as touching in the next step. So runs may part, each of them a solution; steps from one state do not."""

import numpy as np
import pytest
from test_compiled_space import model_of

import floating_frame as ff

DT, STEPS = 2e-3, 60


def thrown(seed, scheme):
    """Return a body on three to six feet, pulled to and fro."""
    rng = np.random.default_rng(seed)
    angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, rng.integers(3, 7)))
    radii = rng.uniform(0.07, 0.15, len(angles))
    feet = [(r * np.cos(a), r * np.sin(a), -0.07) for a, r in zip(angles, radii, strict=True)]
    pull = rng.uniform([-5.0, -5.0, -3.0], [5.0, 5.0, 1.0])
    load = ff.SpaceForce(force=pull, at=rng.uniform(-0.04, 0.04, 3), history=ff.Cosine(30.0, rng.uniform(-2.0, 2.0)))
    start = {"velocity": (*rng.uniform(-0.4, 0.4, 2), 0.0), "spin_space": (0.0, 0.0, rng.uniform(-5.0, 5.0))}
    return model_of(scheme, feet, dt=DT, mu=rng.uniform(0.1, 0.8), loads=(load,), **start)


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
def test_single_and_compiled_steps_from_one_state_are_the_same(scheme):
    """To rounding of the velocities and of the sum of the forces; flags of feet that bear a load are the same."""
    pairs, idle, slid, stuck = 0, 0, 0, 0
    for seed in range(310, 318):
        model = thrown(seed, scheme)
        state, compiled = model.integrator.initial(model), model.integrator.compiled
        for k in range(STEPS):
            end = (k + 1) * DT
            new, _ = model.integrator.step(model, state, end - state.time, end)
            batch = compiled.take(state, np.array([end]), np.zeros(1, np.intp))
            if batch is not None and len(batch.times):
                twin = batch.state(0)
                np.testing.assert_allclose(twin.motion.velocity[0], new.motion.velocity[0], rtol=0, atol=1e-12)
                np.testing.assert_allclose(twin.motion.velocity[1], new.motion.velocity[1], rtol=0, atol=1e-11)
                np.testing.assert_allclose(twin.multiplier.sum(axis=0), new.multiplier.sum(axis=0), rtol=0, atol=1e-9)
                bears = new.multiplier[:, 2] < -1e-6
                assert np.array_equal(twin.friction.status[bears], new.friction.status[bears])
                pairs, idle = pairs + 1, idle + int((~bears).any())
                slid, stuck = (
                    slid + int((new.friction.status == 0).any()),
                    stuck + int((new.friction.status == 1).any()),
                )
            state = new
    assert pairs > 0.9 * 8 * STEPS
    assert min(idle, slid, stuck) > 0.1 * pairs
