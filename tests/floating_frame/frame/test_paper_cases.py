"""Szefer's two examples with exact answers: case A (constant body force) and case B (uniform friction)."""

import numpy as np
import problems
import pytest
from convergence import observed_orders
from ff_examples import DENSITY, LENGTH, PRESSURE, THICKNESS, plate, rough, thrown
from rows import rows

import fem
from floating_frame import BodyForce, EdgeLoad, InitialState, MeanAxis, Tisserand, simulate

MU, SPEED = 0.3, np.array([0.8, 0.6])
DECELERATION = MU * PRESSURE / (DENSITY * THICKNESS)


@pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=lambda f: f.name)
def test_case_A_a_body_force_changes_the_translation_and_leaves_the_deformation_alone(frame, verification):
    b = np.array([3.0, -5.0])
    given = {"mu": None, "t_end": 0.2, "tolerance": 1e-13}
    without, with_force = (simulate(thrown(frame, 2e-3, loads=loads, **given)) for loads in ((), (BodyForce(b),)))
    u, again = without.displacement.values, with_force.displacement.values
    assert np.abs(u).max() > 0.02
    assert np.abs(np.diff(u, axis=0)).max() > 1e-3
    assert abs(without.frame_angle.values[-1]) > 1.5
    # Rounding of positions (0.4 m, later 0.3 m away) over 100 steps.
    claim = f"Szefer's case A, {frame.name}: displacements under a constant body force"
    verification(claim, again, u, source="the same run without it", tolerance=1e-13, unit="m")
    assert np.allclose(with_force.frame_angle, without.frame_angle, rtol=0, atol=1e-12)
    shift = with_force.frame_position.values - without.frame_position.values
    t = without.time.values
    assert np.allclose(shift, 0.5 * np.outer(t**2, b), rtol=0, atol=1e-14)


def slide(body, *, pressure=PRESSURE, loads=(), dt=2e-3, t_end=0.2):
    given = {"foundation": rough(MU, pressure), "loads": tuple(loads), "initial": InitialState(SPEED)}
    return problems.run(body, t_end, dt, **given)


@pytest.mark.parametrize("element", ["P1", "Q1", "Q2"])
def test_case_B_uniform_pressure_decelerates_the_plate_rigidly(element, verification):
    run = slide(plate(element=element))
    t = run.time.values
    expected = np.outer(1.0 - DECELERATION * t / np.linalg.norm(SPEED), SPEED)
    assert 0.3 < run.frame_velocity.values[-1, 0] / SPEED[0] < 0.6
    assert run.dissipation_friction.values[-1] > 0.5 * run.energy_kinetic.values[0]
    # v* + τ a solves the stage, so that no iteration corrects its rounding: 200 times four units of the speed, and
    # for displacements over the mean time left, 0.1 s.
    rounding = 800 * np.spacing(0.5)
    assert np.abs(run.displacement).max() < 0.1 * rounding
    assert np.allclose(run.frame_velocity, expected, rtol=0, atol=rounding)
    path = np.outer(t - 0.5 * DECELERATION * t**2 / np.linalg.norm(SPEED), SPEED)
    claim = f"Szefer's case B, {element}: displacement of an elastic plate under uniform pressure"
    source = "a rigid body decelerated by μ p_n/(ρ h)"
    verification(claim, run.frame_position.values, path, source=source, tolerance=1e-14, unit="m")
    assert np.abs(run.frame_angle).max() < 1e-14


@pytest.mark.parametrize("material", [fem.NeoHookean(2e4, 0.3), fem.SmallStrain(2e4, 0.3)], ids=lambda m: m.name)
def test_case_B_holds_for_every_material(material):
    run = slide(plate(material=material))
    assert run.frame_velocity.values[-1, 0] < 0.6 * SPEED[0]
    assert np.abs(run.displacement).max() < 2e-15


def test_case_B_six_node_triangles_deform_by_their_friction_weights_at_second_order_in_the_mesh():
    # Their friction weights are positive and so are not the consistent load of a uniform traction (which vanishes at
    # corners): friction is then in equilibrium with the inertia over patches of elements, not node by node.
    largest = np.array([np.abs(slide(plate(2 * n, n, element="P2"), dt=4e-3).displacement).max() for n in (2, 4, 8)])
    orders = observed_orders(largest)
    assert np.all((orders > 1.8) & (orders < 2.2)), orders
    assert 1e-5 < largest[-1] < 1e-4


def test_case_B_comes_to_rest_undeformed():
    run = slide(plate(), t_end=0.5)
    assert np.all(run.stick.values[-1] == 1)
    assert np.abs(run.displacement).max() < 2e-15
    stopping_distance = 0.5 / DECELERATION
    # The step in which it arrests is resolved to O(Δt²) of the deceleration.
    assert np.linalg.norm(run.frame_position.values[-1]) == pytest.approx(stopping_distance, abs=DECELERATION * 4e-6)


UNEVEN = [lambda X, t, axis=axis: PRESSURE * (1.0 + 2.0 * X[:, axis]) for axis in (0, 1)]
EDGE, EXCESS = {"loads": [EdgeLoad("right", (1.0, 0.0))]}, MU * PRESSURE * LENGTH * 0.2 * 0.2
"""Excess, N, of friction at one end over the other: 0.2 of the whole, through half the plate."""


@rows("given, force, low, high", [(EDGE, 1.0, 0.3, 2.0), *(({"pressure": p}, EXCESS, 0.05, 5.0) for p in UNEVEN)])
def test_case_B_an_edge_load_or_a_pressure_gradient_deforms_the_plate(given, force, low, high):
    """By about what a force F stretches a freely accelerated bar, F L/(2 E A): applied at once it overshoots that by up to two."""
    run, stretch = slide(plate(8, 4), **given), force * LENGTH / (2 * 2.0e4 * 0.2 * THICKNESS)
    assert low * stretch < np.abs(run.displacement.values).max() < high * stretch
    if given.get("pressure") is UNEVEN[1]:
        assert abs(run.frame_angle.values[-1]) > 1e-3, "unequal friction across the path turns the plate"
