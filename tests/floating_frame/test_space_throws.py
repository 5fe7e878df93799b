"""Random throws and pushes of rigid blocks: contact creates no energy, nothing sinks, what sticks does not move."""

import numpy as np
import pytest
from ff_examples import box

from floating_frame import Options, SpaceInitial, SpaceProblem, assemble
from floating_frame.frame.rotations import exponential, matrix_of, quaternion
from floating_frame.scheme.ledger import DISSIPATED, EXTERNAL
from floating_frame.stepper import initial_state, step
from friction.cone import STICKS


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 1003), marks=pytest.mark.slow)])
def test_thrown_blocks_neither_sink_nor_gain_energy_from_the_ground(seeds):
    for seed in seeds:
        throw(seed)


def throw(seed):
    """Throw a block at random, every other one from the ground, flat, and look at each of 50 steps, compiled where they can be."""
    rng = np.random.default_rng(seed)
    body, mu = box(*rng.uniform(0.1, 0.4, 3), corners="all"), float(rng.choice([0.0, 0.2, 0.5, 1.0]))
    turn = quaternion(exponential(rng.normal(size=3)))
    velocity, spin, lift = [*rng.normal(size=2), -abs(rng.normal())], 5.0 * rng.normal(size=3), 0.02
    if seed % 2:  # pushed where it stands
        turn, velocity, spin, lift = (1.0, 0.0, 0.0, 0.0), [*velocity[:2], 0.0], spin * [0.0, 0.0, 1.0], 0.0
    low = body.shape.arms(matrix_of(np.asarray(turn)))[:, 2].min()
    start = SpaceInitial(position=(0.0, 0.0, lift - low), rotation=turn, velocity=velocity, spin_space=spin)
    model = assemble(SpaceProblem(body=body, t_end=0.25, mu=mu, initial=start), Options(dt=5e-3))
    state, ends, number, landed = initial_state(model), 5e-3 * np.arange(1, 51), 0, False
    friction, energy = len(model.system.effects), state.energy
    while number < len(ends):
        before, batch = state, model.integrator.compiled.take(state, ends[number:])
        if batch is None:
            state, _ = step(model, state, 5e-3, ends[number])
            states = [state]
        else:
            states = [batch.state(k) for k in range(len(batch.times))]
            state = states[-1]
        works = np.array([before.work[friction], *(s.work[friction] for s in states)])[:, DISSIPATED:].sum(axis=1)
        assert np.diff(works).min() >= -1e-12 * energy
        for one in states:
            height, force, slip = one.position[:, 2], -one.multiplier, one.sliding
            presses, sticks = force[:, 2] > 0.0, one.friction.status == STICKS
            landed = landed or bool(presses.any())
            assert height.min() >= -1e-13
            assert not slip[sticks, :2].any()
            assert np.all(np.hypot(*force[:, :2].T) <= mu * force[:, 2] + 1e-9 * np.abs(force).max())
        number += len(states)
    balance = state.energy - energy - state.work[:, EXTERNAL].sum() + state.work[:, DISSIPATED:].sum()
    assert abs(balance) <= 1e-12 * energy
    assert landed
