"""Arrest: a freely decelerating body comes to rest without a backward twitch, and at the right place."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from block_exact import FRICTION, SIDE, plate
from convergence import observed_orders
from single_steps import initial_state, step

from floating_frame import BodyForce, Constant, InitialState, Options, Problem, RigidBody, assemble, simulate
from floating_frame.scheme.staged import one_step
from friction import Coulomb, Foundation, StaticKinetic

DECELERATION = FRICTION  # mu g; the block weighs 1 kg
TURNS = 4e-3
FOUNDATION = Foundation(law=Coulomb(), mu=0.8, pressure=9.81 / SIDE**2)


class Arrest(NamedTuple):
    distance: float
    backwards: float  # smallest v_n+1 · v_n of a node, m²/s²
    excess: float  # largest |λ|/w − 1
    steps: int


def arrest(body, velocity, spin: float, dt: float, guard: bool = True) -> Arrest:
    """Let a thrown body come to rest on the plane."""
    initial = InitialState(velocity=velocity, spin=spin)
    model = assemble(Problem(body, 10.0, FOUNDATION, initial=initial), Options(dt))
    model = replace(model, scheme=model.scheme._replace(guards=guard))
    state = initial_state(model)
    weights, backwards, excess = model.system.friction.bound(0.0), -np.inf, -np.inf
    for count in range(1, 1000):
        new, _ = step(model, state, dt)
        backwards = max(backwards, -(new.velocity * state.velocity).sum(axis=1).min())
        excess = max(excess, (np.linalg.norm(new.multiplier, axis=1) / weights).max() - 1.0)
        state = new
        if not np.any(state.velocity):
            return Arrest(float(np.hypot(*state.frame.coordinates[:2])), -backwards, excess, count)
    raise AssertionError("the body did not come to rest")


def speeds(count: int = 40) -> np.ndarray:
    """Speeds, m/s, whose arrests fall at evenly spread places in a step, for their distance is no simple part of a step's loss."""
    return np.linspace(0.06, 0.5, count)


def block_runs(dt: float, guard: bool = True) -> tuple[list[Arrest], np.ndarray]:
    body = RigidBody.from_plate(plate(n=1))
    runs = [arrest(body, (0.6 * v, 0.8 * v), 0.0, dt, guard) for v in speeds()]
    error = np.array([run.distance for run in runs]) - speeds() ** 2 / (2.0 * DECELERATION)
    return runs, error / (DECELERATION * dt**2)


@pytest.fixture(scope="module")
def guarded():
    return {dt: block_runs(dt) for dt in (4e-3, 2e-3)}


def plate_runs(count: int, guard: bool) -> list[Arrest]:
    rng, body = np.random.default_rng(77), plate(2e5, 3)
    spins = rng.uniform(-3.0, 3.0, 100)
    return [arrest(body, (v, 0.0), w, TURNS, guard) for v, w in zip(speeds(count), spins, strict=False)]


def test_a_block_of_any_speed_never_ends_the_step_of_its_arrest_sliding_backwards(guarded):
    for runs, _ in guarded.values():
        assert min(run.backwards for run in runs) >= 0.0
        assert max(run.steps for run in runs) > 10
        assert max(run.excess for run in runs) < 1e-9


def test_without_the_guard_about_one_arrest_in_five_throws_the_block_backwards(guarded):
    """The scheme arrests with V_n between 0.207 and 0.414 Δt a: a fifth of all phases."""
    runs, error = block_runs(4e-3, guard=False)
    assert abs(np.mean([run.backwards < 0.0 for run in runs]) - 0.207) < 2.0 / 40.0
    # and the guard halves the largest error: 0.043 against 0.071 to 0.078 Δt² a
    assert 0.5 < np.abs(guarded[4e-3][1]).max() / np.abs(error).max() < 0.65


def test_the_block_comes_to_rest_at_the_right_place_to_second_order_whatever_its_speed(guarded):
    worst = np.array([np.abs(error).max() for _, error in guarded.values()])
    assert np.all((worst > 0.03) & (worst < 0.05))  # times Δt² a: hence a fourfold fall where they are halved
    orders = observed_orders(worst * np.array(list(guarded)) ** 2)
    assert np.all((orders > 1.9) & (orders < 2.1))


@pytest.mark.parametrize("count", [12, pytest.param(100, marks=pytest.mark.slow)])
def test_no_node_of_a_turning_elastic_plate_is_thrown_back_as_it_arrests_as_some_are_without_the_guard(count):
    free, guarded = plate_runs(12, guard=False), plate_runs(count, guard=True)
    assert sum(run.backwards < 0.0 for run in free) >= 2
    assert min(run.backwards for run in guarded) >= 0.0
    assert max(run.excess for run in guarded) < 1e-9
    assert np.mean([run.steps for run in guarded]) > 8


@pytest.mark.parametrize("share", [0.75, 0.95])
def test_a_block_driven_back_by_less_than_static_friction_comes_to_rest_at_the_exact_place(share):
    """The push lies between kinetic and static friction: where the block turns round is where it stays."""
    bound, ratio, speed = FOUNDATION.mu * 9.81, 0.7, 0.3
    ground, push = replace(FOUNDATION, law=StaticKinetic(ratio)), BodyForce((-share * bound, 0.0), Constant())
    start = InitialState(velocity=(speed, 0.0))
    problem = Problem(RigidBody.from_plate(plate(n=1)), 0.1, ground, (push,), initial=start)
    run = simulate(assemble(problem, Options(1e-2)))
    stop = speed**2 / (2.0 * (ratio + share) * bound)
    assert stop > 2e-3
    assert not run.velocity.values[-1].any()
    assert abs(run.frame_position.values[-1, 0] - stop) < 1e-12  # uncut: 4e-5 m, 0.04 dt² times its deceleration


@pytest.mark.parametrize(("speed", "held"), [(0.9, False), (0.99, False), (1.01, True), (1.1, True)])
def test_an_arrest_is_held_where_friction_can_in_the_mean_and_ends_with_forces_of_the_instant(speed, held):
    """Twice the bound drives an elastic plate back: it takes 2 - speed of it to end at rest, in speeds of bound times step over
    mass."""
    dt, push = 1e-2, BodyForce((-2.0 * DECELERATION, 0.0), Constant())
    start = InitialState(velocity=(speed * DECELERATION * dt, 0.0))
    model = assemble(Problem(plate(2e5, 3), 1.0, FOUNDATION, (push,), initial=start), Options(dt))
    taken = one_step(model.scheme, model.system, initial_state(model), dt, dt, cut=False)
    _, (velocity, *_), (acceleration, *_) = taken.state.motion
    if held:
        assert not velocity.any()
    else:  # the first stage slides on under 3, the second back under 1
        stages = model.scheme.weights
        np.testing.assert_allclose(velocity[:, 0], (speed - stages @ (3.0, 1.0)) * DECELERATION * dt, rtol=1e-10)
    # The push less the bound, which cannot hold it: not what holding it has taken
    np.testing.assert_allclose(acceleration[:, 0], -DECELERATION, rtol=1e-10)
