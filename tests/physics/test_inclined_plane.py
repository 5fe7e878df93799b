"""A block from rest on an incline (RecurDyn, Table 6.24): what creeps, settles, rests exactly, breaks away, and how it slides."""

from functools import cache

import numpy as np
import pytest
from case_models import computed
from convergence import observed_orders
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from step5 import step5

from cases import inclined_plane
from cases.app.parts import laws
from cases.references.inclined_plane import motion
from floating_frame import BodyForce, InitialState, Options, Problem, assemble, simulate
from friction import Foundation, Sliding

G, MU, FALLEN, V_S = 9.81, 0.5, 0.3, 1e-3
FALLING = {"mu_s": MU, "mu": FALLEN, "v_s": V_S}
RUNS = [(scheme, body) for scheme in ("sdirk2", "backward-euler", "moreau-theta") for body in ("rigid", "elastic")]
RUNS += [("radau", "rigid")]


SET_VALUED = {
    "coulomb": {},
    "static-kinetic": {"mu": 0.45, "mu_s": MU},
    "stribeck": {"mu": 0.45, "mu_s": MU},
    "elliptic": {"mu_across": 0.2},
    "coefficient-spline": {"spline_speeds": (0.0, 0.1), "spline_values": (MU, 0.4)},
}


@cache
def slide(law="coulomb", scheme="sdirk2", body="rigid", **given):
    usual = {"law": law, "scheme": scheme, "body": body, "nx": 2, "ny": 1}
    params, data = computed(inclined_plane, **(usual | given))
    return data, inclined_plane.summary(params, data)


def rise(angle):
    """Where step5 from −1 at −1 to 1 at 1 is the part tan(angle)/μ."""
    return brentq(lambda x: float(step5(x, -1, -1, 1, 1)) - np.tan(np.radians(angle)) / MU, 0.0, 1.0, xtol=1e-15)


@pytest.mark.parametrize(("scheme", "body"), RUNS)
@pytest.mark.parametrize("angle", [15.0, 24.0, 25.5, 26.0])
@pytest.mark.quick("15.0-radau-rigid", "25.5-moreau-theta-elastic", "26.0-sdirk2-elastic", "26.0-backward-euler-rigid")
def test_below_the_friction_angle_the_sliding_type_creeps_at_the_root_short_of_the_peak(scheme, body, angle):
    """The other root of the same stage lies past the fall, at 0.05 to 0.5 m/s after 0.1 s."""
    root = rise(angle) * V_S
    data, summary = slide("sliding", scheme, body, angle=angle, t_end=0.3, **FALLING)
    v = data.frame_velocity.values[:, 0]
    assert v[0] == 0.0
    assert abs(v[-1] / root - 1.0) < 1e-6  # six digits
    assert v.max() < V_S
    assert abs(summary["creep_velocity"]["exact"] / root - 1.0) < 1e-12
    np.testing.assert_allclose(np.diff(data.frame_position.values[-11:, 0]), root * 0.01, rtol=1e-6)  # on and on
    assert data.halvings.values.sum() <= 8


@pytest.mark.parametrize(("scheme", "body"), RUNS)
@pytest.mark.quick("sdirk2-rigid", "backward-euler-elastic", "moreau-theta-rigid")
def test_sliding_and_stiction_settles_with_vanishing_velocity_and_a_finite_displacement(scheme, body):
    most = 1e-4
    bent, given = rise(15.0) * most, {"v_s": 1e-2, "max_stiction_deformation": most, "t_end": 0.4}
    data, summary = slide("sliding-stiction", scheme, body, **given)
    v = data.frame_velocity.values[:, 0]
    assert v.max() > 1e-3  # it did move: it had to bend its bristles
    assert abs(v[-1]) < 1e-12
    assert abs(data.frame_position.values[-1, 0] / bent - 1.0) < 1e-8
    np.testing.assert_allclose(data.bristle_deformation.values[-1, :, 0], bent, rtol=1e-8)
    assert abs(summary["bristle_deformation"]["exact"] / bent - 1.0) < 1e-12
    assert 0.2 * most < bent < 0.4 * most


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler"])
def test_bristles_of_a_falling_law_hold_the_block_just_below_the_friction_angle(scheme):
    """About the root of step5 they still ring after 0.1 s, sdirk2 damping less."""
    data, _ = slide("sliding-stiction", scheme, "elastic", angle=25.5, t_end=0.1, **FALLING)
    most, off = inclined_plane.Parameters().max_stiction_deformation, 0.2 if scheme == "sdirk2" else 0.01
    assert abs(data.frame_position.values[-1, 0] / (rise(25.5) * most) - 1.0) < off
    assert abs(data.frame_velocity.values[-1, 0]) < 2e-5


@pytest.mark.parametrize("body", ["rigid", "elastic"])
@pytest.mark.parametrize("law", SET_VALUED)
@pytest.mark.quick("coulomb-elastic", *(f"{law}-rigid" for law in SET_VALUED if law != "coulomb"))
def test_set_valued_laws_hold_the_block_exactly_below_the_angle_for_ten_seconds_and_let_it_go_above(law, body):
    half = float(np.degrees(np.arctan(0.5 * MU)))
    for angle, times in ((half, {"t_end": 10.0, "dt": 0.1}), (26.5, {"t_end": 0.1})):  # tan = 0.4986
        still, _ = slide(law, body=body, angle=angle, **times, **SET_VALUED[law])
        pull = -still.friction_force.values[1:].sum(axis=1)[:, 0]
        np.testing.assert_allclose(pull, G * np.sin(np.radians(angle)), rtol=1e-9)  # the load is there
        assert not np.any(still.velocity.values)
        np.testing.assert_array_equal(still.position.values, np.broadcast_to(still.X.values, still.position.shape))
        assert np.all(still.stick.values == 1)
    moving, summary = slide(law, body=body, angle=26.6, t_end=0.1, **SET_VALUED[law])  # tan = 0.5008
    assert moving.frame_position.values[-1, 0] > 1e-6
    known = summary["displacement_end"]
    wanted = known["exact"] if "exact" in known else known["reference"]["value"]
    tolerance = 1e-9 if "exact" in known else 3e-3  # ten steps along an exponential of rate 9 1/s: (0.09)^2/6
    assert abs(moving.frame_position.values[-1, 0] / wanted - 1.0) < tolerance


@pytest.mark.parametrize("body", ["rigid", "elastic"])
@pytest.mark.parametrize(
    ("law", "more"), [("coulomb", {}), ("static-kinetic", {"mu_s": 0.6}), ("coulomb", {"max_force": 2.0})]
)
@pytest.mark.quick("coulomb-more0-elastic", "static-kinetic-more1-rigid", "coulomb-more2-rigid")
def test_above_the_friction_angle_the_acceleration_is_the_exact_one(law, more, body):
    slope, t_end = np.radians(35.0), 0.4
    density, volume = 1000.0, 0.2 * 0.1 * 0.05
    braking = min(MU * G * np.cos(slope), more.get("max_force", np.inf) / (density * volume))
    a = G * np.sin(slope) - braking
    for scheme, error in (("sdirk2", 0.0), ("moreau-theta", 0.0), ("backward-euler", 0.5 * 0.01 * a * t_end)):
        data, _ = slide(law, scheme, body, angle=35.0, t_end=t_end, **more)
        assert abs(data.frame_velocity.values[-1, 0] / (a * t_end) - 1.0) < 1e-9
        off = data.frame_position.values[-1, 0] - 0.5 * a * t_end**2
        assert abs(off - error) < 1e-9


@pytest.mark.parametrize(("scheme", "body"), [("sdirk2", "rigid"), ("sdirk2", "elastic"), ("backward-euler", "rigid")])
def test_above_the_friction_angle_it_breaks_away_exactly_after_a_bounded_number_of_halvings(scheme, body):
    data, _ = slide("sliding", scheme, body, angle=28.0, t_end=0.1, **FALLING)
    slope = np.radians(28.0)
    a = G * (np.sin(slope) - FALLEN * np.cos(slope))
    v = data.frame_velocity.values[:, 0]
    assert v[-1] > 0.1
    # rounding says which nodes break away first: how they ring across the slope turns friction by v_y/v_x and takes half its square
    ring = np.abs(data.velocity.values[-6:, :, 1]).max() / v[-6]
    excess = np.diff(v[-6:]) / 0.01 - a
    assert ring < V_S / v[-6]
    assert np.all(excess < 0.5 * ring**2 * FALLEN * G * np.cos(slope) + 1e-9 * a)
    assert np.all(excess > -1e-9 * a)
    # the fall of friction asks for tau < M/(w |m'|) = 3.1e-4 s: five halvings of 0.01 s at least; and eight levels at most
    assert 5 <= data.halvings.values.sum() <= 24


def test_a_rigid_block_on_the_falling_branch_slows_down_where_friction_exceeds_the_drive():
    """The referee of such a step is the same motion in steps a hundred times shorter, under another scheme."""
    body = inclined_plane.problem(inclined_plane.Parameters(body="rigid", nx=2, ny=1)).body
    law, dt, start = Sliding(1e-3, 2e-3, 0.2), 3.59e-4, 1.2064e-3
    ground = Foundation(law, MU, 1000.0 * 0.05 * G)  # the block's own weight

    def run(dt, scheme):
        push, thrown = BodyForce((0.9337 * MU * G, 0.0)), InitialState((start, 0.0), 0.0)
        driven = Problem(body, 3 * 3.59e-4, ground, loads=(push,), initial=thrown)
        return simulate(assemble(driven, Options(dt, scheme))).frame_velocity.values[:, 0]

    fine, coarse = run(3.59e-6, "sdirk2")[::100], run(dt, "backward-euler")
    assert 1e-3 > fine[-1] > 0.7e-3  # from the falling branch down over the peak
    assert np.all(np.diff(coarse) < 0.0)
    assert np.abs(coarse - fine).max() < 0.1 * start


@pytest.mark.parametrize(
    ("scheme", "order", "bound"), [("sdirk2", 2.0, 3e-6), ("moreau-theta", 1.0, 2e-3), ("backward-euler", 1.0, 2e-3)]
)
@pytest.mark.parametrize("law", ["sliding", pytest.param("sliding-stiction", marks=pytest.mark.slow)])
@pytest.mark.quick("sliding-moreau-theta-1.0-0.002")
def test_the_motion_under_resolved_laws_converges_at_the_order_of_the_scheme(law, scheme, order, bound):
    """moreau-theta takes friction at the end velocity: order 1 where it depends on the speed (theory, section 8)."""
    given, errors = {"v_s": 0.5, "max_stiction_deformation": 0.1, "t_end": 0.5}, []
    for dt in (0.02, 0.01, 0.005):
        params = inclined_plane.Parameters(law=law, scheme=scheme, dt=dt, **given)
        data, _ = slide(law, scheme, dt=dt, **given)
        known = motion(params, inclined_plane.forces(params), data.time.values)
        errors.append(np.abs(data.frame_position.values[:, 0] - known[0]).max())
    orders = observed_orders(errors)
    assert np.all(np.abs(orders - order) < 0.25), (orders, errors)
    assert errors[-1] < bound
    assert errors[-1] > 1e-3 * bound


def test_the_reference_of_the_case_is_that_of_an_equation_integrated_by_another_method():
    params = inclined_plane.Parameters(law="sliding", v_s=0.2, v_d=0.3, mu_s=0.6, mu=0.5, angle=33.0, t_end=0.5)
    known = motion(params, inclined_plane.forces(params), np.array([0.0, 0.5]))
    slope = np.radians(33.0)

    def rate(_, y):
        mu = 0.6 * step5(y[1], -0.2, -1, 0.2, 1) if y[1] <= 0.2 else step5(y[1], 0.2, 0.6, 0.3, 0.5)
        return [y[1], G * np.sin(slope) - mu * G * np.cos(slope)]

    y = solve_ivp(rate, (0.0, 0.5), [0.0, 0.0], "LSODA", rtol=1e-10, atol=1e-13, max_step=1e-3).y[:, -1]
    assert y[1] > 0.3 / 10
    np.testing.assert_allclose([known[0][-1], known[1][-1]], y, rtol=1e-7)
    assert laws.static_coefficient(params) == 0.6


@pytest.mark.parametrize("body", ["rigid", "elastic"])
def test_a_turned_ellipse_holds_the_block_up_to_where_the_slope_s_pull_leaves_the_ellipse(body):
    """Pull (p, 0) = R (p cos, -p sin) along and across the axis: p^2 (cos^2/mu^2 + sin^2/mu_across^2) = N^2 on the ellipse."""
    across, turn = 0.1, 0.7
    most = 1.0 / np.hypot(np.cos(turn) / MU, np.sin(turn) / across)
    edge = float(np.degrees(np.arctan(most)))
    given = {"body": body, "mu_across": across, "axis_angle": turn, "t_end": 0.1}
    still, headlines = slide("elliptic", angle=edge - 0.05, **given)
    assert not np.any(still.velocity.values)
    assert headlines["friction_angle"]["value"] == pytest.approx(edge, rel=1e-4)
    assert headlines["displacement_end"]["exact"] == headlines["creep_velocity"]["exact"] == 0.0
    moving, headlines = slide("elliptic", angle=edge + 0.05, **given)
    x, y = moving.frame_position.values[-1]
    assert x > 1e-6
    assert abs(y) > x  # slip is normal to the ellipse: mostly across the slope
    assert headlines["creep_velocity"]["value"] is None
    assert "exact" not in headlines["displacement_end"]
