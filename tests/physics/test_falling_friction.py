"""Friction that falls with speed: below the friction angle a block creeps at the root it can reach; above it, it breaks away."""

from functools import cache

import numpy as np
import pytest
from case_models import computed
from scipy.optimize import brentq

from cases import inclined_plane
from floating_frame import BodyForce, InitialState, Options, Problem, assemble, simulate
from friction import Foundation, Sliding

G, MU_S, MU = 9.81, 0.5, 0.3
V_S = 1e-3


def creep(angle):
    """The root of mu_s step5(v) = tan(angle) short of the peak, the step written out."""

    def m(v):
        s = 0.5 * (v / V_S + 1.0)
        return 2.0 * (10 * s**3 - 15 * s**4 + 6 * s**5) - 1.0

    return brentq(lambda v: MU_S * m(v) - np.tan(np.radians(angle)), 0.0, V_S, xtol=1e-18)


@cache
def slide(**given):
    usual = {"mu_s": MU_S, "mu": MU, "v_s": V_S, "t_end": 0.1, "nx": 2, "ny": 1}
    return computed(inclined_plane, **(usual | dict(given)))[1]


@pytest.mark.parametrize("body", ["rigid", "elastic"])
@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler"])
@pytest.mark.parametrize("angle", [20.0, 24.0, 25.5, 26.0])
def test_below_the_friction_angle_the_block_creeps_and_does_not_leap_to_the_root_beyond_the_peak(angle, scheme, body):
    """The other root of the same stage lies past the fall, at 0.05 to 0.5 m/s after 0.1 s."""
    data = slide(law="sliding", angle=angle, scheme=scheme, body=body)
    v = data.frame_velocity.values[:, 0]
    root = creep(angle)
    assert 4e-4 < root < 8e-4
    assert v[0] == 0.0
    assert abs(v[-1] / root - 1.0) < 1e-6
    assert v.max() < V_S
    assert data.halvings.values.sum() <= 8


@pytest.mark.parametrize("body", ["rigid", "elastic"])
@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler"])
def test_bristles_hold_the_block_below_the_friction_angle(scheme, body):
    """They bend by 1e-5 m x the root of step5; about it they still ring after 0.1 s, sdirk2 damping less."""
    data = slide(law="sliding-stiction", angle=25.5, scheme=scheme, body=body)
    most = inclined_plane.Parameters().max_stiction_deformation
    assert abs(data.frame_position.values[-1, 0] / (creep(25.5) / V_S * most) - 1.0) < (
        0.2 if scheme == "sdirk2" else 0.01
    )
    assert abs(data.frame_velocity.values[-1, 0]) < 2e-5


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler"])
def test_a_spline_that_rises_and_falls_lets_an_elastic_block_creep(scheme):
    given = {"mu": 0.5, "mu_s": None, "spline_speeds": (0.0, 1e-3, 2e-3), "spline_values": (0.0, MU_S, MU)}
    data = slide(law="coefficient-spline", angle=24.0, scheme=scheme, body="elastic", **given)
    assert abs(data.frame_velocity.values[-1, 0] / 6.99e-4 - 1.0) < 1e-3  # where the cubic reaches tan 24 deg
    late = data.frame_velocity.values[-3:, 0]
    np.testing.assert_allclose(late, late[-1], rtol=1e-6)


@pytest.mark.parametrize(("scheme", "body"), [("sdirk2", "rigid"), ("sdirk2", "elastic"), ("backward-euler", "rigid")])
def test_above_the_friction_angle_it_breaks_away_with_the_exact_acceleration_after_a_bounded_number_of_halvings(
    scheme, body
):
    data = slide(law="sliding", angle=28.0, scheme=scheme, body=body)
    slope = np.radians(28.0)
    a = G * (np.sin(slope) - MU * np.cos(slope))
    v = data.frame_velocity.values[:, 0]
    assert v[-1] > 0.1
    # rounding says which nodes break away first: how they ring across the slope turns friction by v_y/v_x and takes half its square
    ring = np.abs(data.velocity.values[-6:, :, 1]).max() / v[-6]
    excess = np.diff(v[-6:]) / 0.01 - a
    assert ring < V_S / v[-6]
    assert np.all(excess < 0.5 * ring**2 * MU * G * np.cos(slope) + 1e-9 * a)
    assert np.all(excess > -1e-9 * a)
    # the fall of friction asks for tau < M/(w |m'|) = 3.1e-4 s: five halvings of 0.01 s at least; and eight levels at most
    assert 5 <= data.halvings.values.sum() <= 24


def test_a_rigid_block_on_the_falling_branch_slows_down_where_friction_exceeds_the_drive():
    """The referee of such a step is the same motion in steps a hundred times shorter, under another scheme."""
    body = inclined_plane.problem(inclined_plane.Parameters(body="rigid", nx=2, ny=1)).body
    law, dt, start = Sliding(1e-3, 2e-3, 0.2), 3.59e-4, 1.2064e-3
    ground = Foundation(law, MU_S, 1000.0 * 0.05 * G)  # the block's own weight

    def run(dt, scheme):
        push, thrown = BodyForce((0.9337 * MU_S * G, 0.0)), InitialState((start, 0.0), 0.0)
        driven = Problem(body, 3 * 3.59e-4, ground, loads=(push,), initial=thrown)
        return simulate(assemble(driven, Options(dt, scheme))).frame_velocity.values[:, 0]

    fine, coarse = run(3.59e-6, "sdirk2")[::100], run(dt, "backward-euler")
    assert 1e-3 > fine[-1] > 0.7e-3  # from the falling branch down over the peak
    assert np.all(np.diff(coarse) < 0.0)
    assert np.abs(coarse - fine).max() < 0.1 * start
