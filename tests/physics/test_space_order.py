"""Order in space of an elastic plate that slides and turns under an uneven pressure."""

import itertools
from functools import lru_cache

import numpy as np
import pytest
from scipy.spatial import cKDTree

import fem
from floating_frame import InitialState, Options, Problem, assemble, simulate
from friction import Coulomb, Foundation

LENGTH, WIDTH = 0.4, 0.2


def pressure(X: np.ndarray, t: float) -> np.ndarray:
    """Heavier on the left flank, so that friction turns the plate; from zero, so that nothing rings."""
    grown = np.sin(np.pi * min(t, 0.05) / 0.1) ** 2
    return 98.1 * grown * (1.0 + 1.8 * X[:, 1] / WIDTH)


@lru_cache
def end_state(element: str, n: int):
    cell = "quadrilateral" if element.startswith("Q") else "triangle"
    material = fem.StVenantKirchhoff(2e5, 0.3)
    mesh = fem.rectangle(LENGTH, WIDTH, 2 * n, n, cell=cell)
    plate = fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=material, element=element)
    foundation = Foundation(law=Coulomb(), mu=0.5, pressure=pressure)
    problem = Problem(plate, 0.2, foundation, initial=InitialState(velocity=(2.5, 0.5)))
    return plate.X, simulate(assemble(problem, Options(0.2 / 40, output_every=10**9)))


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


@pytest.mark.parametrize(
    ("element", "sizes", "lowest", "highest", "finest"),
    [
        ("P1", (2, 4, 8, 16), 1.9, 2.1, 5.9e-4),
        ("Q1", (2, 4, 8, 16), 1.9, 2.1, 5.9e-4),
        ("P2", (2, 4, 8), 1.9, 2.1, 5.9e-4),  # its positive weights integrate no better than P1 on half the size
        ("Q2", (2, 4, 8), 3.0, 4.0, 1.0e-6),  # its weights are Simpson's
    ],
)
def test_a_sliding_turning_plate_converges_in_the_mesh_at_the_order_of_its_friction_weights(
    element, sizes, lowest, highest, finest, verification
):
    _, run = end_state(element, sizes[-1])
    assert float(run.stick.max()) == 0
    assert float(run.frame_angle[-1]) > 0.1
    gaps = gaps_of(element, sizes)
    orders = np.log2(gaps[:-1] / gaps[1:])
    verification(
        f"Elastic plate that slides and turns, {element}: order of positions in the mesh",
        orders,
        (lowest + highest) / 2,
        source="order of the friction weights",
        tolerance=(highest - lowest) / 2,
    )
    assert 0.7 * finest < gaps[-1] < 1.4 * finest


def test_all_elements_converge_to_one_motion():
    ends = [float(end_state(*key)[1].frame_angle[-1]) for key in (("P1", 16), ("Q1", 16), ("P2", 8), ("Q2", 8))]
    assert abs(ends[0] - ends[3]) < 2e-3
    assert abs(ends[1] - ends[3]) < 2e-3
    assert abs(ends[2] - ends[3]) < 2e-3
    assert abs(ends[0] - ends[3]) > 1e-5
