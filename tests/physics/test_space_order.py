"""Order in space of an elastic plate that slides and turns under an uneven pressure."""

import itertools
from functools import lru_cache

import numpy as np
import pytest
from convergence import observed_orders
from scipy.spatial import cKDTree
from sliding_plates import plate

from floating_frame import InitialState, Options, Problem, assemble, simulate
from friction import Coulomb, Foundation

WIDTH = 0.2


def pressure(X: np.ndarray, t: float) -> np.ndarray:
    """Heavier on the left flank, so that friction turns the plate; from zero, so that nothing rings."""
    grown = np.sin(np.pi * min(t, 0.05) / 0.1) ** 2
    return 98.1 * grown * (1.0 + 1.8 * X[:, 1] / WIDTH)


@lru_cache
def end_state(element: str, n: int):
    body = plate(element, n)
    foundation = Foundation(law=Coulomb(), mu=0.5, pressure=pressure)
    problem = Problem(body, 0.2, foundation, initial=InitialState(velocity=(2.5, 0.5)))
    return body.X, simulate(assemble(problem, Options(0.2 / 20, output_every=10**9)))


def gaps_of(element: str, sizes: tuple[int, ...]) -> np.ndarray:
    """Differences of consecutive nested meshes at the nodes of the coarsest, one step size for all."""
    coarsest = end_state(element, sizes[0])[0]
    ends = []
    for n in sizes:
        X, run = end_state(element, n)
        distance, index = cKDTree(X).query(coarsest)
        assert distance.max() < 1e-12
        ends.append(run.position.values[-1][index])
    return np.array([np.abs(a - b).max() for a, b in itertools.pairwise(ends)])


SIZES = (2, 4, 8, 16)


@pytest.mark.parametrize(
    ("element", "sizes", "finest"),
    [("P1", SIZES, 5.9e-4), ("Q1", SIZES, 5.9e-4), ("P2", SIZES[:3], 5.9e-4), ("Q2", SIZES[:3], 1.0e-6)],
)
@pytest.mark.quick("Q1-sizes1-0.00059", "Q2-sizes3-1e-06")
def test_a_sliding_turning_plate_converges_in_the_mesh_at_the_order_of_its_friction_weights(
    element, sizes, finest, verification
):
    """Weights that integrate linear functions leave an error of order h²: those of P1 and Q1, and the positive ones of P2,
    which are P1's on half the size. The weights of Q2 are Simpson's, of order four; biquadratic displacements are of order three.
    """
    _, run = end_state(element, sizes[-1])
    assert float(run.stick.max()) == 0
    assert float(run.frame_angle[-1]) > 0.1
    gaps = gaps_of(element, sizes)
    orders = observed_orders(gaps)
    claim = f"Elastic plate that slides and turns, {element}: order of positions in the mesh"
    if element == "Q2":
        verification.band(claim, orders, 3.0, 4.0, why="displacements of order three, Simpson's weights of order four")
    else:
        verification(claim, orders, 2.0, source="order of the friction weights (trapezoidal rule)", tolerance=0.1)
    assert 0.7 * finest < gaps[-1] < 1.4 * finest


def test_all_elements_converge_to_one_motion():
    ends = [float(end_state(*key)[1].frame_angle[-1]) for key in (("P1", 16), ("Q1", 16), ("P2", 8), ("Q2", 8))]
    assert np.ptp(ends) < 2e-3
    assert abs(ends[0] - ends[3]) > 1e-5
