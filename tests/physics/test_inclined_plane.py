"""A block from rest on an incline (RecurDyn, Table 6.24): what creeps, what settles, what rests exactly, and how it slides."""

from functools import cache

import numpy as np
import pytest
from case_models import computed
from convergence import observed_orders
from scipy.optimize import brentq

from cases import inclined_plane
from cases.app.parts import laws
from cases.references.inclined_plane import motion

G, MU = 9.81, 0.5
IMPLICIT = ("sdirk2", "backward-euler", "moreau-theta")
SET_VALUED = {
    "coulomb": {},
    "static-kinetic": {"mu": 0.45, "mu_s": MU},
    "stribeck": {"mu": 0.45, "mu_s": MU},
    "elliptic": {"mu_across": 0.2},
    "coefficient-spline": {"spline_speeds": (0.0, 0.1), "spline_values": (MU, 0.4)},
}


def step5(x, x0, h0, x1, h1):
    """RecurDyn's step, written out here."""
    s = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return h0 + (h1 - h0) * (10 * s**3 - 15 * s**4 + 6 * s**5)


@cache
def slide(law="coulomb", scheme="sdirk2", body="rigid", **given):
    params, data = computed(
        inclined_plane, **({"law": law, "scheme": scheme, "body": body, "nx": 2, "ny": 1} | dict(given))
    )
    return data, inclined_plane.summary(params, data)


@pytest.mark.parametrize("body", ["rigid", "elastic"])
@pytest.mark.parametrize("scheme", [*IMPLICIT, "radau"])
@pytest.mark.quick("sdirk2-rigid", "backward-euler-rigid", "moreau-theta-rigid", "radau-elastic")
def test_below_the_friction_angle_the_sliding_type_creeps_at_the_root_of_the_step5_equation(scheme, body):
    if (scheme, body) == ("radau", "elastic"):
        pytest.skip("radau takes rigid bodies")
    v_s = 2e-3
    root = brentq(lambda v: MU * step5(v, -v_s, -1, v_s, 1) - np.tan(np.radians(15.0)), 0.0, v_s, xtol=1e-16)
    data, summary = slide("sliding", scheme, body, v_s=v_s, t_end=0.3)
    v = data.frame_velocity.values[:, 0]
    assert v[0] == 0.0
    assert abs(v[-1] / root - 1.0) < 1e-6  # the six digits of the issue
    assert abs(summary["creep_velocity"]["exact"] / root - 1.0) < 1e-12
    late = data.frame_position.values[-11:, 0]
    np.testing.assert_allclose(np.diff(late), root * 0.01, rtol=1e-6)  # it goes on and on


@pytest.mark.parametrize("body", ["rigid", "elastic"])
@pytest.mark.parametrize("scheme", [*IMPLICIT, pytest.param("radau", marks=pytest.mark.slow)])
@pytest.mark.quick("sdirk2-rigid", "backward-euler-elastic", "moreau-theta-rigid")
def test_sliding_and_stiction_settles_with_vanishing_velocity_and_a_finite_displacement(scheme, body):
    if (scheme, body) == ("radau", "elastic"):
        pytest.skip("radau takes rigid bodies")
    most = 1e-4
    bent = brentq(lambda d: MU * step5(d, -most, -1, most, 1) - np.tan(np.radians(15.0)), 0.0, most, xtol=1e-18)
    given = {"v_s": 1e-2, "max_stiction_deformation": most, "t_end": 0.4}
    data, summary = slide("sliding-stiction", scheme, body, **given)
    v = data.frame_velocity.values[:, 0]
    assert v.max() > 1e-3  # it did move: it had to bend its bristles
    assert abs(v[-1]) < 1e-12
    assert abs(data.frame_position.values[-1, 0] / bent - 1.0) < 1e-8
    np.testing.assert_allclose(data.bristle_deformation.values[-1, :, 0], bent, rtol=1e-8)
    assert abs(summary["bristle_deformation"]["exact"] / bent - 1.0) < 1e-12
    assert 0.2 * most < bent < 0.4 * most


@pytest.mark.parametrize("body", ["rigid", "elastic"])
@pytest.mark.parametrize("law", SET_VALUED)
def test_set_valued_laws_hold_the_block_exactly_below_the_angle_and_let_it_go_above(law, body):
    given = {"body": body, "t_end": 0.1, **SET_VALUED[law]}
    still, _ = slide(law, angle=26.5, **given)  # tan = 0.4986
    assert not np.any(still.velocity.values)
    np.testing.assert_array_equal(still.position.values, np.broadcast_to(still.X.values, still.position.shape))
    assert np.all(still.stick.values == 1)
    moving, summary = slide(law, angle=26.6, **given)  # tan = 0.5008
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


def test_the_smooth_law_creeps_at_its_own_root_and_a_force_spline_at_the_spline_s():
    slope = np.tan(np.radians(15.0))
    data, _ = slide("smooth", t_end=0.3)
    assert abs(data.frame_velocity.values[-1, 0] / (1e-3 * slope / np.sqrt(MU**2 - slope**2)) - 1.0) < 1e-6
    drive = G * np.sin(np.radians(15.0))  # of 1 kg
    spline = {"spline_speeds": (0.0, 1e-3), "spline_values": (0.0, 2.0 * drive)}  # two points: a straight line
    data, _ = slide("force-spline", t_end=0.3, **spline)
    assert abs(data.frame_velocity.values[-1, 0] / 0.5e-3 - 1.0) < 1e-6


@pytest.mark.parametrize("law", SET_VALUED)
@pytest.mark.parametrize("body", ["rigid", "elastic"])
@pytest.mark.quick(
    "rigid-static-kinetic", "rigid-stribeck", "rigid-elliptic", "rigid-coefficient-spline", "elastic-coulomb"
)
def test_half_of_the_limit_for_ten_seconds_moves_nothing_under_a_law_with_stick(law, body):
    half = float(np.degrees(np.arctan(0.5 * MU)))
    data, _ = slide(law, body=body, angle=half, t_end=10.0, dt=0.1, **SET_VALUED[law])
    pull = -data.friction_force.values[1:].sum(axis=1)[:, 0]
    np.testing.assert_allclose(pull, G * np.sin(np.radians(half)), rtol=1e-9)  # the load is there
    assert not np.any(data.velocity.values)
    np.testing.assert_array_equal(data.position.values, np.broadcast_to(data.X.values, data.position.shape))


@pytest.mark.slow
@pytest.mark.parametrize("body", ["rigid", "elastic"])
def test_half_of_the_limit_for_ten_seconds_moves_regularised_laws_by_what_their_equations_say(body):
    half = float(np.degrees(np.arctan(0.5 * MU)))
    root = brentq(lambda x: step5(x, -1, -1, 1, 1) - 0.5, 0.0, 1.0, xtol=1e-15)
    ways = {}
    for law, way in {
        "smooth": 1e-3 / np.sqrt(3.0) * 10.0,
        "sliding": root * 1e-3 * 10.0,
        "sliding-stiction": root * 1e-5,
    }.items():
        data, _ = slide(law, "backward-euler", body, angle=half, t_end=10.0, dt=0.1)
        ways[law] = float(data.frame_position.values[-1, 0])
        assert abs(ways[law] / way - 1.0) < 1e-3, law  # the first steps, of a start of 1e-4 s
    assert ways["sliding"] > 900.0 * ways["sliding-stiction"] > 0.0


@pytest.mark.parametrize(
    ("scheme", "order", "bound"), [("sdirk2", 2.0, 3e-6), ("moreau-theta", 1.0, 2e-3), ("backward-euler", 1.0, 2e-3)]
)
@pytest.mark.parametrize("law", ["sliding", pytest.param("sliding-stiction", marks=pytest.mark.slow)])
@pytest.mark.quick("sliding-moreau-theta-1.0-0.002")
def test_the_motion_under_resolved_laws_converges_at_the_order_of_the_scheme(law, scheme, order, bound):
    """moreau-theta takes friction at the end velocity: order 1 where it depends on the speed (theory, section 8)."""
    given = {"v_s": 0.5, "max_stiction_deformation": 0.1, "t_end": 0.5}
    errors = []
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
    """The classical Runge-Kutta method with 20000 steps, the law written out."""
    params = inclined_plane.Parameters(law="sliding", v_s=0.2, v_d=0.3, mu_s=0.6, mu=0.5, angle=33.0, t_end=0.5)
    acting = inclined_plane.forces(params)
    known = motion(params, acting, np.array([0.0, 0.5]))
    slope = np.radians(33.0)

    def rate(y):
        v = y[1]
        mu = 0.6 * step5(v, -0.2, -1, 0.2, 1) if v <= 0.2 else step5(v, 0.2, 0.6, 0.3, 0.5)
        return np.array([v, G * np.sin(slope) - mu * G * np.cos(slope)])

    y, h = np.zeros(2), 0.5 / 5000
    for _ in range(5000):
        k1 = rate(y)
        k2 = rate(y + 0.5 * h * k1)
        k3 = rate(y + 0.5 * h * k2)
        k4 = rate(y + h * k3)
        y = y + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
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
    still, told = slide("elliptic", angle=edge - 0.05, **given)
    assert not np.any(still.velocity.values)
    assert told["friction_angle"]["value"] == pytest.approx(edge, rel=1e-4)
    assert told["displacement_end"]["exact"] == told["creep_velocity"]["exact"] == 0.0
    moving, told = slide("elliptic", angle=edge + 0.05, **given)
    x, y = moving.frame_position.values[-1]
    assert x > 1e-6
    assert abs(y) > x  # slip is normal to the ellipse: mostly across the slope
    assert told["creep_velocity"]["value"] is None
    assert "exact" not in told["displacement_end"]
