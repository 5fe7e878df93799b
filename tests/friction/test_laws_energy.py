"""No law creates energy: at random states, weights and memories, in steps and over cycles of the bristles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law_examples import EVERY, dissipation, size
from scipy.integrate import solve_ivp

from friction import SlidingStiction

V_S, D_MAX, NODES = 0.3, 0.05, 40
SEEDS = st.integers(0, 2**32 - 1)
SPEED = st.floats(1e-6, 1e3)
BRISTLES = SlidingStiction(V_S, 2.0, 0.6, D_MAX)


def state(seed, speed):
    """Random velocities about a speed, with some nodes at rest, weights (some 0), and memories up to full deflection."""
    rng = np.random.default_rng(seed)
    v = rng.standard_normal((NODES, 2)) * speed * rng.choice([1e-3, 0.1, 1.0], NODES)[:, None]
    v[rng.random(NODES) < 0.1] = 0.0
    w = rng.uniform(0.2, 4.0) * rng.uniform(0.0, 2.0, NODES) * (rng.random(NODES) < 0.9)
    angle = rng.uniform(0.0, 2.0 * np.pi, NODES)
    memory = (D_MAX * np.sqrt(rng.uniform(0.0, 1.0, NODES)))[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return v, w, memory


@pytest.mark.parametrize("law", EVERY.values(), ids=list(EVERY))
@given(seed=SEEDS, speed=SPEED, tau=st.just(0.0) | st.floats(1e-6, 10.0))
@settings(max_examples=20)
def test_no_law_creates_energy_in_any_state_or_stage(law, seed, speed, tau):
    v, w, memory = state(seed, speed)
    scale = w * (size(v) + (D_MAX / tau if tau > 0 else 0.0))
    assert (dissipation(law, memory, tau, v, w) >= -1e-14 * scale).all()
    end = law.updated_state(memory, v, tau)
    if law.has_internal_state:
        # so that any history from rest gives back no more than it took
        assert (size(end) <= D_MAX * (1 + 1e-15)).all()
        assert (law.stored(end, w) >= 0.0).all()
    else:
        assert (end is memory, law.for_stage(memory, tau) is law) == (True, True)
        assert not law.stored(memory, w).any() | law.internal_rate(memory, v).any()


def test_bristles_do_push_back_and_a_slow_cycle_costs_next_to_nothing_a_fast_one_something():
    w = np.array([1.0])

    def cycle(period, law):
        def rates(t, y):
            turn, memory = 2 * np.pi / period, y[None, :2]
            v = 0.4 * D_MAX * turn * np.array([[np.cos(turn * t), np.sin(2 * turn * t)]])
            power = float(np.vdot(law.for_stage(memory, 0.0).force(v, w), v))
            return np.array(
                [*law.internal_rate(memory, v)[0], power, min(power, 0.0), dissipation(law, memory, 0.0, v, w)[0]]
            )

        return solve_ivp(rates, (0.0, period), np.zeros(5), rtol=1e-8, atol=1e-13).y[:, -1]

    computed = {period: cycle(period, BRISTLES) for period in (10.0, 100.0, 1000.0)}
    for end in computed.values():
        stored = BRISTLES.stored(end[None, :2], w)[0]
        np.testing.assert_allclose(end[:2], 0.0, atol=1e-9)  # below v_s Delta is the displacement, which closes
        assert end[2] - stored == pytest.approx(end[4], rel=1e-6)  # what is not stored is dissipated
        assert end[3] < -0.1 * D_MAX  # they did push back
    work = np.array([end[2] for end in computed.values()])
    assert (work > 0.0).all()
    # w beta (|v| - D . v) is of second order in v: the work of a cycle goes as 1/period
    np.testing.assert_allclose(work[:-1] / work[1:], 10.0, rtol=0.02)
