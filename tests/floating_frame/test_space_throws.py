"""Random throws and pushes of rigid blocks: contact creates no energy, nothing sinks, what sticks does not move."""

import numpy as np
import pytest
from ff_examples import box
from single_steps import initial_state, step

from floating_frame import Options, SpaceInitial, SpaceProblem, assemble
from floating_frame.frame.rotations import exponential, matrix_of, quaternion
from floating_frame.stepping.impacts import LANDING_GAP
from floating_frame.system.state import DISSIPATED, EXTERNAL
from friction.status import LANDED, STICK


@pytest.mark.parametrize(
    ("scheme", "seeds"),
    [
        ("sdirk2", range(3)),
        ("moreau-theta", range(3)),
        pytest.param("sdirk2", range(3, 1003), marks=pytest.mark.slow),
        pytest.param("moreau-theta", range(3, 33), marks=pytest.mark.slow),
        pytest.param("backward-euler", range(30), marks=pytest.mark.slow),
    ],
)
def test_thrown_blocks_neither_sink_nor_gain_energy_from_the_ground(scheme, seeds):
    for seed in seeds:
        throw(seed, scheme)


def made(before, after, dt):
    """What forces in the mean of a step's ends make at most: ½ dt p·u_n where slip turns round, and ¼ dt p·(ΔΩ × Δa)."""
    force, arms = -after.multiplier, [s.position - s.motion.configuration[0] for s in (before, after)]
    turned = np.cross(after.motion.velocity[1] - before.motion.velocity[1], arms[1] - arms[0])
    back = np.einsum("ia,ia->i", force, before.velocity).clip(0.0)
    return dt * (0.5 * back.sum() + 0.25 * abs(float(np.vdot(force, turned))))


def throw(seed, scheme):
    """Throw a block at random, every other one from the ground, flat, and look at each of 50 steps, compiled where they can be."""
    rng = np.random.default_rng(seed)
    body, mu = box(*rng.uniform(0.1, 0.4, 3), corners="all"), float(rng.choice([0.0, 0.2, 0.5, 1.0]))
    turn = quaternion(exponential(rng.normal(size=3)))
    velocity, spin, lift = [*rng.normal(size=2), -abs(rng.normal())], 5.0 * rng.normal(size=3), 0.02
    if seed % 2:  # pushed where it stands
        turn, velocity, spin, lift = (1.0, 0.0, 0.0, 0.0), [*velocity[:2], 0.0], spin * [0.0, 0.0, 1.0], 0.0
    low = body.shape.arms(matrix_of(np.asarray(turn)))[:, 2].min()
    start = SpaceInitial(position=(0.0, 0.0, lift - low), rotation=turn, velocity=velocity, spin_space=spin)
    model = assemble(SpaceProblem(body=body, t_end=0.25, mu=mu, initial=start), Options(dt=5e-3, scheme=scheme))
    state, ends, number, landed = initial_state(model), 5e-3 * np.arange(1, 51), 0, False
    friction, energy = len(model.system.effects), state.energy
    while number < len(ends):
        before, batch = state, model.integrator.compiled.take(state, ends[number:], np.arange(len(ends) - number))
        if batch is None:
            state, _ = step(model, state, 5e-3, ends[number])
            states = [state]
        else:
            states = [batch.state(k) for k in range(len(batch.times))]
            state = states[-1]
        contact = slice(friction, friction + 2)  # friction, and impacts
        works = np.array([s.work[contact, DISSIPATED:].sum() for s in (before, *states)])
        allowed = np.full(len(states), 1e-12 * energy)
        if scheme == "moreau-theta":  # the arms at the step's end are those before the projection
            allowed += [1.1 * made(a, b, 5e-3) for a, b in zip([before, *states], states, strict=False)]
        assert np.all(np.diff(works) >= -allowed)
        for one in states:
            height, force, slip = one.position[:, 2], -one.multiplier, one.sliding
            presses, sticks = force[:, 2] > 0.0, one.friction.status == STICK
            landed = landed or bool((presses | (one.friction.status == LANDED)).any())
            assert height.min() >= -2.0 * LANDING_GAP * (body.radius + np.abs(one.position).max())
            assert not slip[sticks, :2].any()
            assert np.all(np.hypot(*force[:, :2].T) <= mu * force[:, 2] + 1e-9 * np.abs(force).max())
        number += len(states)
    balance = state.energy - energy - state.work[:, EXTERNAL].sum() + state.work[:, DISSIPATED:].sum()
    assert abs(balance) <= 1e-12 * energy
    assert landed
