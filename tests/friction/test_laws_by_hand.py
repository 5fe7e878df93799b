"""One block, or a row of them, under laws that fall with speed, computed by hand; steps that are too long fail by name."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from law_examples import size
from scipy.optimize import brentq

from friction import (
    REVERSED,
    SLIP,
    STICK,
    Elliptic,
    FrictionSolveError,
    Quadratic,
    Sliding,
    SlidingStiction,
    StaticKinetic,
    Stribeck,
    solve,
)

DIRECTION = np.array([0.6, 0.8])


def one(mass_over_tau):
    return sp.csr_array(mass_over_tau * np.eye(2))


def test_a_block_on_stribecks_curve_sticks_or_slides_as_computed_by_hand():
    law, w = Stribeck(0.6, 0.2, 2.0), np.array([3.0])
    steepest = 3.0 * 0.4 / 0.2 * np.sqrt(2.0 / np.e)  # w |m'| at s = 0.2/sqrt(2)
    inertia = 1.5 * steepest
    for push, sticks in ((2.999, True), (3.001, False), (4.0, False)):
        result = solve(Quadratic(one(inertia), push * DIRECTION[None]), w, law=law)
        assert (result.state[0] == STICK) == sticks
        if sticks:
            np.testing.assert_array_equal(result.multiplier, push * DIRECTION[None])
        else:
            curve = lambda s, push=push: inertia * s + 3.0 * (0.6 + 0.4 * np.exp(-((s / 0.2) ** 2))) - push  # noqa: E731
            speed = brentq(curve, 0.0, 10.0, xtol=1e-16)
            assert speed > (push - 3.0) / inertia  # faster than Coulomb friction would let it
            np.testing.assert_allclose(result.velocity[0], speed * DIRECTION, rtol=1e-9)


@pytest.mark.parametrize("law", [Stribeck(0.6, 0.2), Sliding(1e-3, 0.4, 0.6)], ids=["stribeck", "sliding"])
def test_a_step_too_long_for_the_falling_curve_is_refused_by_name_and_a_shorter_one_is_not(law):
    w, middle = np.array([3.0]), np.array([0.14])
    steepness = -3.0 * float(law.profile_slope(middle)[0])
    start = middle * DIRECTION[None]
    for share, unique in ((0.9, False), (1.1, True)):
        inertia = share * steepness
        push = inertia * middle + 3.0 * law.profile(middle)  # so that the start is a solution
        part = Quadratic(one(inertia), push * DIRECTION[None])
        if unique:
            result = solve(part, w, law=law, velocity=1.02 * start)
            np.testing.assert_allclose(result.velocity, start, rtol=1e-9)
        else:
            with pytest.raises(FrictionSolveError, match=r"step too long.*take a smaller step") as error:
                solve(part, w, law=law, velocity=start)
            assert error.value.reason == "step too long"


def test_newtons_method_on_the_falling_curve_stops_where_its_matrix_is_not_definite_and_says_with_what_residual():
    law, w, start = Stribeck(0.6, 0.2), np.array([3.0]), 0.15
    inertia = -1.5 * float(law.profile_slope(np.array([start]))[0])
    with pytest.raises(FrictionSolveError, match="step too long") as error:
        solve(Quadratic(one(inertia), 3.2 * DIRECTION[None]), w, law=law, velocity=start * DIRECTION[None])
    force = 3.0 * (0.6 + 0.4 * np.exp(-((start / 0.2) ** 2)))
    assert error.value.result.residual_slip == pytest.approx(abs(inertia * start + force - 3.2), rel=1e-12)


def test_a_block_on_a_grooved_plane_sticks_within_the_ellipse_and_slides_normal_to_it():
    law, w, inertia = Elliptic(0.5, 0.0), np.array([3.0]), 10.0  # bounds 3 N along x, 6 N along y
    for push, slips in (
        ((0.0, 5.9), False),
        ((2.0, 4.4), False),
        ((2.9, 0.0), False),
        ((0.0, 6.5), True),
        ((2.4, 4.4), True),
    ):
        result = solve(Quadratic(one(inertia), np.array([push])), w, law=law)
        assert bool(result.velocity.any()) == slips
        lam = result.multiplier[0]
        if slips:
            assert (lam[0] / 3.0) ** 2 + (lam[1] / 6.0) ** 2 == pytest.approx(1.0, rel=1e-12)
            normal = lam / np.array([9.0, 36.0])
            v = result.velocity[0]
            assert v[0] * normal[1] == pytest.approx(v[1] * normal[0], abs=1e-12)
            assert v @ lam > 0.0
            np.testing.assert_allclose(inertia * v + lam, push, atol=1e-10)
        else:
            np.testing.assert_allclose(lam, push, rtol=1e-15)


def test_a_block_at_rest_breaks_loose_at_the_static_bound_and_is_braked_by_the_kinetic_one():
    law, w, inertia = StaticKinetic(0.6), np.array([3.0]), 10.0
    moving = 0.1 * DIRECTION[None]
    for push, reference, speed in (
        (2.5, None, 0.0),
        (2.5, np.zeros((1, 2)), 0.0),
        (2.5, moving, 0.07),
        (3.5, None, 0.17),
        (1.7, moving, 0.0),
        (-2.5, moving, -0.07),
    ):
        result = solve(Quadratic(one(inertia), push * DIRECTION[None]), w, law=law, reference=reference)
        np.testing.assert_allclose(result.velocity[0], speed * DIRECTION, atol=1e-12)
        assert result.state[0] == (STICK if speed == 0.0 else REVERSED if speed < 0.0 else SLIP)
        expected = push if speed == 0.0 else np.sign(speed) * 1.8
        np.testing.assert_allclose(result.multiplier[0], expected * DIRECTION, rtol=1e-12)


def test_in_a_row_of_blocks_one_that_breaks_loose_takes_the_next_with_it_and_none_goes_back():
    nodes, spring = 6, 40.0
    chain = sp.diags_array(
        [np.full(nodes - 1, -spring), np.full(nodes, 2 * spring + 1.0), np.full(nodes - 1, -spring)], offsets=(-1, 0, 1)
    )
    A = sp.csr_array(sp.kron(chain, sp.eye_array(2)))
    b = np.zeros((nodes, 2))
    b[0, 0] = 2.4
    w = np.full(nodes, 1.0)
    static = solve(Quadratic(A, b), w)
    result = solve(Quadratic(A, b), w, law=StaticKinetic(0.3))
    slid, alone = result.state != STICK, static.state != STICK
    assert slid.sum() > alone.sum() >= 1  # the load that the loose ones shed breaks others
    assert (alone <= slid).all()
    np.testing.assert_allclose(size(result.multiplier)[slid], 0.3, rtol=1e-14)
    assert np.abs((A @ result.velocity.ravel()).reshape(b.shape) - b + result.multiplier).max() <= result.tolerance
    # what has not slipped keeps its static bound, and needs it
    assert 0.4 < size(result.multiplier)[~slid].max() <= 1.0
    # a start that slides everywhere does not lower the bound of what came in at rest
    again = solve(Quadratic(A, b), w, law=StaticKinetic(0.3), velocity=np.ones_like(b))
    np.testing.assert_allclose(again.velocity, result.velocity, atol=1e-12)


def test_the_hold_of_bristles_is_that_of_a_spring_until_they_are_bent():
    law = SlidingStiction(0.1, 0.15, 0.7, 1e-3)
    tau, w = 1e-3, np.array([2.0])
    memory = np.array([[3e-4, 0.0]])
    result = solve(Quadratic(one(1e-6), 1.0 * DIRECTION[None]), w, law=law.for_stage(memory, tau))
    speed = size(result.velocity)[0]
    deflection = memory + tau * result.velocity
    stretch = size(deflection)[0] / 1e-3
    D = stretch * (15 - 10 * stretch**2 + 3 * stretch**4) / 8 * deflection / size(deflection)[0]
    beta = speed / 0.1 * (15 - 10 * (speed / 0.1) ** 2 + 3 * (speed / 0.1) ** 4) / 8 if speed < 0.1 else 1.0
    assert 0.0 < beta < 0.5
    np.testing.assert_allclose(
        2.0 * ((1 - beta) * D + beta * result.velocity / speed), 1.0 * DIRECTION[None], atol=1e-7
    )


@dataclass(frozen=True)
class Labelled(Stribeck):
    """Stribeck's law with a field that is no number of its formula."""

    label: str = "steel on ice"


def test_a_law_that_is_derived_with_fields_of_its_own_has_the_formula_of_its_base():
    bound, block = np.array([3.0]), Quadratic(one(4.0), 5.0 * DIRECTION[None])
    own, known = (solve(block, bound, law=law) for law in (Labelled(0.6, 0.2), Stribeck(0.6, 0.2)))
    assert size(known.velocity) > 0.0
    np.testing.assert_array_equal(own.velocity, known.velocity)
