"""(3.4)1 holds for any split of a nodal motion in equilibrium, and for no equation with one term corrupted."""

from dataclasses import replace

import numpy as np
import pytest
from ff_examples import plate, random_split
from scipy.sparse.linalg import spsolve

from floating_frame.frame import inertia
from floating_frame.frame.kinematics import deformation
from floating_frame.system.plate.staggered import resultant

SEEDS = range(4)


def equilibrium(seed, element="P1"):
    """Random nodal (x, v) and forces f with M a = f, a random split of it, and its resultant about x0."""
    body = plate(3, 2, element=element, length=2.0, width=1.0)
    rng = np.random.default_rng(seed)
    x, v = body.X + rng.standard_normal((2, len(body.X), 2))
    force = rng.standard_normal(x.shape) * 10.0 + [8.0, -5.0]
    a = spsolve(body.mass_matrix.tocsc(), force)
    motion, _ = random_split(seed + 100, 1)
    # Accelerations of the size of the nodal ones, so that no term of (3.4)1 drowns in the others.
    motion = replace(motion, accelerations=motion.accelerations * np.abs(a).mean(), rates=motion.rates * 3.0)
    split = deformation(body.X, x, v, a, motion)
    values = inertia.integrals(body.mass_matrix, body.X, split)
    return values, motion, resultant(force, x, motion.coordinates[:2])


def relative_residual(values, motion, forces):
    rest, size = inertia.residual(values, motion, forces)
    return max(np.abs(rest[:2]).max() / size[0], abs(rest[2]) / size[1])


@pytest.mark.parametrize("element", ["P1", "P2", "Q1", "Q2"])
@pytest.mark.parametrize("seed", SEEDS)
def test_rigid_equations_hold_for_an_arbitrary_split_of_a_motion_in_equilibrium(seed, element):
    values, motion, forces = equilibrium(seed, element)
    terms = term_sizes(values, motion)
    largest = max(np.abs(forces[:2]).max(), *terms.values())
    for name, size in terms.items():
        assert size > 2e-4 * largest, f"{name} is too small to test anything"
    # Sums over some 40 nodes of products of a few terms each: 1e2 rounding units.
    assert relative_residual(values, motion, forces) < 2e-13


def term_sizes(values, motion):
    return {
        "A in the mass matrix": np.abs(values.A).min() * abs(motion.spin_rate),
        "P": 2 * abs(motion.spin) * np.abs(values.P).max(),
        "A, centrifugal": motion.spin**2 * np.abs(values.A).max(),
        "B": np.abs(values.B).max(),
        "L": abs(values.L),
        "J_zz": abs(values.J_zz * motion.spin_rate),
        "K": abs(2 * motion.spin * values.K),
    }


def scaled(name, factor):
    """A corruption of one integral before it enters one function of inertia.py."""
    return lambda values: replace(values, **{name: factor * getattr(values, name)})


def row_swapped(name):
    """(a, b) -> (b, a), the kind of slip that the paper prints."""
    return lambda values: replace(values, **{name: getattr(values, name)[::-1]})


CORRUPTIONS = {
    "mass": ("mass_matrix", scaled("mass", 1.01)),
    "mass matrix column A": ("mass_matrix", scaled("A", 0.99)),
    "mass matrix column A, sign of A_y": ("mass_matrix", lambda v: replace(v, A=v.A * [1.0, -1.0])),
    "moment of inertia": ("mass_matrix", scaled("J_zz", 1.01)),
    "Coriolis force P": ("coriolis", scaled("P", 0.99)),
    "Coriolis force P, rows": ("coriolis", row_swapped("P")),
    "Coriolis moment K, as printed": ("coriolis", scaled("K", 0.0)),
    "Coriolis moment K": ("coriolis", scaled("K", 0.99)),
    "centrifugal A": ("centrifugal", scaled("A", 0.99)),
    "centrifugal A, rows as printed": ("centrifugal", row_swapped("A")),
    "relative force B": ("relative", scaled("B", 0.99)),
    "relative moment L": ("relative", scaled("L", 0.99)),
    "relative moment L, f × r as printed": ("relative", scaled("L", -1.0)),
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corrupting_one_term_breaks_the_rigid_equations(name, monkeypatch):
    function, corrupt = CORRUPTIONS[name]
    sound = getattr(inertia, function)
    cases = [equilibrium(seed) for seed in SEEDS]
    assert max(relative_residual(*case) for case in cases) < 2e-13
    monkeypatch.setattr(inertia, function, lambda values, *rest: sound(corrupt(values), *rest))
    # One per cent of a term that test_rigid_equations… proves to be above 2e-4 of the largest.
    assert min(relative_residual(*case) for case in cases) > 1e-6


@pytest.mark.parametrize("component", range(3))
def test_corrupting_one_component_of_the_resultant_breaks_the_rigid_equations(component):
    for seed in SEEDS:
        values, motion, forces = equilibrium(seed)
        wrong = forces.copy()
        wrong[component] *= 0.99
        assert relative_residual(values, motion, wrong) > 1e-6


def test_moments_taken_as_force_times_arm_break_the_rigid_equations():
    values, motion, forces = equilibrium(0)
    assert relative_residual(values, motion, forces * [1.0, 1.0, -1.0]) > 1e-2


def test_mass_matrix_is_symmetric_and_positive_definite_for_any_split():
    for seed in SEEDS:
        values, motion, _ = equilibrium(seed)
        matrix = inertia.mass_matrix(values, motion.angle)
        assert abs(matrix[0, 2]) > 0.0
        assert abs(matrix[1, 2]) > 0.0
        assert np.array_equal(matrix, matrix.T)
        assert np.linalg.eigvalsh(matrix).min() > 0.0
