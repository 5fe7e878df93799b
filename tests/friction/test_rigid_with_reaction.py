"""Friction and the pressure that it shifts, solved at once: the fixed point of solving each under what the other leaves."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from friction.redistribution import redistribution
from friction.rigid.problem import RigidFrictionProblem, RigidSlip
from friction.rigid.reaction import reacting_slip
from friction.rigid.solve import solve_rigid_friction

RADIUS, WEIGHT = 0.1, 9.81


class Reaction(NamedTuple):
    """Loads of points at rest; height of the forces; moment beside theirs, and by the spin; the time in which arms turn by it."""

    load: np.ndarray
    height: float
    moment: np.ndarray
    by_spin: np.ndarray
    turning: float


class Solved(NamedTuple):
    """Rates, multipliers, iterations, and the points' shares of their loads."""

    rates: np.ndarray
    multiplier: np.ndarray
    iterations: int
    share: np.ndarray


def solve_reacting(problem, pressing, start):
    """Friction and pressure at once; None where Newton's method does not converge to slip of all points."""
    arms, multiplier, rates = problem.arms.T.copy(), start.multiplier.T.copy(), np.array(start.rates)
    reaction = np.array([pressing.height, *pressing.moment, *pressing.by_spin, pressing.turning])
    given, share = (problem.matrix, problem.wrench, arms, pressing.load, problem.bound), np.empty(len(pressing.load))
    solved, iterations = reacting_slip(*given, reaction, rates, multiplier, share)
    return Solved(rates, multiplier.T, iterations, share) if solved else None


class Row(NamedTuple):
    """A body of 1 kg thrown on its points, and the start of a stage."""

    problem: RigidFrictionProblem
    pressing: Reaction
    start: RigidSlip


def thrown(rng, height):
    """``height``: μ h over the radius; from a quarter of it a disc's base lifts."""
    count, tau, mu = int(rng.integers(5, 300)), 10.0 ** rng.uniform(-4, -2), rng.uniform(0.1, 0.5)
    far, angle = RADIUS * np.sqrt(rng.uniform(size=count)), rng.uniform(0.0, 2.0 * np.pi, count)
    arms, load = np.stack([far * np.cos(angle), far * np.sin(angle)], 1), rng.uniform(0.5, 1.0, count)
    load *= WEIGHT / load.sum()
    arms -= load @ arms / WEIGHT
    inertia = np.array([1.0, 1.0, 0.5 * RADIUS**2]) / tau
    rates = np.array([*rng.normal(scale=0.5, size=2), rng.normal(scale=8.0)])
    driven = inertia * rates + rng.normal(size=3) * [1.0, 1.0, RADIUS]
    moment, by_spin = rng.normal(scale=0.02, size=2), rng.normal(scale=1e-3, size=2)
    pressing = Reaction(load, height * RADIUS / mu, moment, by_spin, tau)
    problem = RigidFrictionProblem(inertia=inertia, wrench=driven, arms=arms, bound=mu * load)
    return Row(problem, pressing, RigidSlip(rates, np.zeros((count, 2))))


def by_rounds(row):
    """Return rates, multipliers and shares by rounds of friction, pressure and angle, until nothing changes."""
    (problem, pressing, start), change = row, np.inf
    slip = start
    for _ in range(300):
        theta = pressing.turning * (slip.rates[2] - start.rates[2])
        c, s = np.cos(theta), np.sin(theta)
        arms = problem.arms @ np.array([[c, s], [-s, c]])
        moment = pressing.moment + pressing.by_spin * slip.rates[2] + pressing.height * slip.multiplier.sum(axis=0)
        share = redistribution(pressing.load, arms, moment)
        given = replace(problem, arms=arms, bound=problem.bound * share)
        before, slip = slip, solve_rigid_friction(given, RigidSlip(slip.rates, slip.multiplier))
        change = np.abs(slip.rates - before.rates).max() / np.abs(slip.rates).max()
        if change <= 1e-15:
            break
    assert change <= 1e-13
    return slip.rates, slip.multiplier, share


@pytest.mark.parametrize(("height", "lifts"), [(0.0, False), (0.15, False), (0.3, True)])
def test_friction_and_pressure_at_once_are_those_of_rounds_found_with_a_square(height, lifts):
    rng, lifted = np.random.default_rng(11), 0
    for _ in range(25):
        row = thrown(rng, height)
        computed = solve_reacting(*row)
        rates, multiplier, share = by_rounds(row)
        # both miss at most 1e-12 of the forces; where few points press, pressure and friction of one change by more
        np.testing.assert_allclose(computed.rates, rates, rtol=0, atol=1e-10 * np.abs(rates).max())
        np.testing.assert_allclose(computed.share, share, rtol=0, atol=1e-9)
        np.testing.assert_allclose(computed.multiplier, multiplier, rtol=0, atol=1e-9 * np.abs(multiplier).max())
        # an error of the first step's size, 1e-2, is squared: 1e-4, 1e-8, 1e-16; points that lift take steps of their own
        assert computed.iterations <= 4 + 2 * lifts
        lifted += int(not share.all())
    assert (lifted > 5) == lifts


def test_what_rests_presses_nothing_or_tips_is_left_to_rounds():
    row = thrown(np.random.default_rng(5), 0.1)
    assert solve_reacting(*row).iterations > 0
    rest = row._replace(start=RigidSlip(np.zeros(3), row.start.multiplier))
    light = row._replace(pressing=row.pressing._replace(load=np.zeros_like(row.pressing.load)))
    straight = row.start.rates * [1.0, 1.0, 0.0]  # all friction one way: its moment moves the pressure by 2 R
    high = row._replace(
        problem=replace(row.problem, wrench=row.problem.inertia * straight),
        pressing=row.pressing._replace(height=20.0 * row.pressing.height),
        start=RigidSlip(straight, row.start.multiplier),
    )
    for other in (rest, light, high):
        assert solve_reacting(*other) is None


def test_a_slip_that_overflows_is_not_taken_for_a_solution():
    row = thrown(np.random.default_rng(5), 0.15)
    start = RigidSlip(np.full(3, 1e308), np.zeros_like(row.problem.arms))
    assert solve_reacting(row.problem, row.pressing, start) is None
