"""Order in time of the schemes for an elastic plate that slides and turns, and through its arrest."""

import itertools
from functools import cache

import numpy as np
import pytest
import sliding_plates
from convergence import observed_orders

from floating_frame import Options, assemble, simulate

COUNTS = (20, 40, 80, 160, 320)
LATE_COUNTS = (25, 50, 100, 200, 400, 800)


@cache
def sliding(scheme: str, element: str, steps: int):
    problem = sliding_plates.sliding(element, 4)
    return simulate(assemble(problem, Options(0.2 / steps, scheme, output_every=10**9)))


def differences(runs, name: str) -> np.ndarray:
    """Largest nodal differences of the end states of consecutive step sizes."""
    ends = [run[name].values[-1] for run in runs]
    return np.array([np.abs(a - b).max() for a, b in itertools.pairwise(ends)])


@pytest.mark.parametrize("element", ["P1", "Q1"])
@pytest.mark.quick("P1")
def test_sdirk2_is_of_second_order_while_an_elastic_plate_slides_and_turns(element, verification):
    runs = [sliding("sdirk2", element, n) for n in COUNTS]
    last = runs[-1]
    assert float(last.stick[-1].max()) == 0
    assert float(last.frame_angle[-1]) > 0.3
    assert 5e-3 < float(np.abs(last.displacement[-1]).max()) < 1e-2  # a tip that bends by 3 % of its length
    assert int(sum(r.halvings.sum() + r.fallbacks.sum() for r in runs)) == 0
    positions, velocities = differences(runs, "position"), differences(runs, "velocity")
    for what, gaps, tolerance in (("positions", positions, 0.15), ("velocities", velocities, 0.3)):
        claim = f"Elastic plate that slides and turns, {element}, SDIRK2: order of {what} in the step"
        verification(claim, observed_orders(gaps), 2.0, source="order of the scheme", tolerance=tolerance)
    assert 5e-7 < positions[-1] < 3e-6  # m, after 0.5 m in 160 steps
    assert 1e-5 < velocities[-1] < 1e-4  # m/s


@pytest.mark.parametrize("scheme", ["backward-euler", "moreau-theta"])
@pytest.mark.quick("moreau-theta")
def test_backward_euler_and_moreau_theta_are_of_first_order_while_the_direction_of_slip_turns(scheme):
    """Moreau θ = ½ takes friction against the end velocity alone: second order only where its direction stands still."""
    gaps = differences([sliding(scheme, "P1", n) for n in COUNTS[1:]], "velocity")
    orders = observed_orders(gaps)
    assert np.all((orders > 0.85) & (orders < 1.2)), orders
    exact = sliding("sdirk2", "P1", 320).position.values[-1]
    error = np.abs(sliding(scheme, "P1", 320).position.values[-1] - exact).max()
    assert 2e-5 < error < 2e-3  # and it tends to the same motion


@pytest.mark.slow
def test_through_its_arrest_an_elastic_plate_converges_at_about_second_order_with_sdirk2():
    """Nodes stop one by one, each with an error of O(Δt²) that depends on where in the step: pairs scatter."""
    problem = sliding_plates.arrested("Q1", 3)
    runs = [simulate(assemble(problem, Options(0.5 / n, output_every=10**9))) for n in LATE_COUNTS]
    assert float(runs[-1].stick[-1].min()) == 1
    assert float(runs[-1].frame_angle[-1]) > 1.0
    gaps = differences(runs, "position")[1:]
    slope = np.polyfit(np.log(1.0 / np.array(LATE_COUNTS[1:-1])), np.log(gaps), 1)[0]
    assert 1.4 < slope < 2.6
    orders = observed_orders(gaps)
    assert np.all((orders > 1.0) & (orders < 3.2)), orders
    assert 5e-7 < gaps[-1] < 1e-5
