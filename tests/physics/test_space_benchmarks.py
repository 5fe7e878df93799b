"""Rigid bodies in space against closed forms, with other numbers than the cases' defaults: ball, feet, edge, top, thick disc."""

import case_models
import numpy as np
import pytest
from rows import rows
from scipy.special import ellipk

from cases import block_in_space, curling_disc, free_top, potra_block, sphere_on_plane
from cases.references.space.block_in_space import tips
from cases.references.space.curling_disc import forces, terminal

GAMMA = 1.0 - np.sqrt(0.5)
ARREST = {"sdirk2": 0.5 * GAMMA**2, "moreau-theta": 0.125}
"""Largest error of a path by the arrest, over deceleration × dt²: that of the reversal guard, and θ(1 − θ)/2 of the trapezium."""


def computed(case, **given):
    """Parameters and run, whose ledger and rigid equations close."""
    params, data = case_models.computed(case, **given)
    size = float(np.max(data.energy_kinetic + np.abs(data.work_external)))
    assert float(np.abs(data.balance_error).max()) <= 1e-11 * size
    assert float(data.rigid_residual.max()) <= 1e-9
    return params, data


OBLIQUE = {
    "vx0": 1.0,
    "vy0": -3.0,
    "spin_x": 20.0,
    "spin_y": -20.0,
    "mu": 0.25,
    "radius": 0.05,
    "mass": 3.0,
    "gravity": 6.0,
}
BACK = {"vx0": 1.0, "vy0": 0.0, "spin_x": 0.0, "spin_y": -60.0, "spin_z": 0.0, "mu": 0.5}  # it comes back
STRAIGHT = {"spin_x": 0.0, "spin_y": 0.0, "spin_z": 0.0, "vy0": 0.0}


@rows("given, rolls", [(STRAIGHT, 5.0 / 7.0), (OBLIQUE, None), (BACK, -1.0)])
@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta", "backward-euler"])
def test_a_ball_rolls_from_the_instant_and_the_place_on_which_its_slip_ends(scheme, given, rolls):
    """The centre loses 2/7 of the slip; backward Euler's path, with each step's last velocity, errs by dt/2 times what is lost."""
    dt = 0.7 / 40
    params, data = computed(sphere_on_plane, dt=dt, scheme=scheme, **given)
    place, velocity = sphere_on_plane.exact(params, data.time.values)
    lost, brake = velocity[0] - velocity[-1], params.mu * params.gravity
    assert np.hypot(*lost) > 0.3
    stick = data.stick.values[:, 0]
    first = data.time.values[np.argmax(stick)]
    assert 0.0 <= first - sphere_on_plane.rolls_from(params) <= dt
    assert np.all(stick == (data.time.values >= first))
    np.testing.assert_allclose(data.frame_velocity.values[-1, :2], velocity[-1], atol=1e-12 * np.abs(velocity).max())
    if rolls is not None:
        assert velocity[-1, 0] == pytest.approx(rolls * params.vx0, abs=1e-12)
    off = data.frame_position.values[-1, :2] - place[-1]
    if scheme == "backward-euler":
        assert np.hypot(*(off + 0.5 * dt * lost)) <= ARREST["moreau-theta"] * brake * dt**2
        assert np.hypot(*off) > 0.4 * dt * np.hypot(*lost)
    else:
        assert np.hypot(*off) <= ARREST[scheme] * brake * dt**2
    np.testing.assert_allclose(data.normal_force.values[:, 0], params.mass * params.gravity, rtol=1e-10)
    assert np.abs(data.position.values[:, 0, 2]).max() <= 1e-14


def test_a_ball_that_spins_about_the_vertical_alone_feels_nothing():
    _, data = computed(sphere_on_plane, vx0=0.0, vy0=0.0, spin_x=0.0, spin_y=0.0, spin_z=9.0, dt=0.05)
    np.testing.assert_allclose(data.frame_spin.values, [[0.0, 0.0, 9.0]] * 15, atol=1e-13)
    assert np.abs(data.frame_position.values - [0.0, 0.0, 0.1]).max() <= 1e-15


@rows(
    "given",
    [
        {"vx0": 0.0, "vy0": -1.3, "length": 0.5, "width": 0.2, "height": 0.15, "mu": 0.6, "mass": 2.5, "gravity": 4.0},
        {"vx0": 1.0, "vy0": 0.5, "height": 0.15, "width": 0.2, "mu": 0.9},
        {"vx0": -1.0, "vy0": 1.0, "height": 0.1, "width": 0.2, "mu": 0.5, "scheme": "moreau-theta"},
    ],
)
def test_a_block_thrown_in_any_direction_goes_straight_on_feet_loaded_by_their_place_along_the_way(given):
    """Σ p (x, y) = μ h m g d: p = ¼ m g (1 + μ h (d_x s_x/l_x + d_y s_y/l_y)), with no couple about the vertical."""
    dt = 8e-3
    params, data = computed(block_in_space, t_end=0.6, dt=dt, **given)
    distance, velocity = block_in_space.exact(params, data.time.values)
    direction = np.array([params.vx0, params.vy0]) / np.hypot(params.vx0, params.vy0)
    assert velocity[0] > 1.0
    assert velocity[-1] == 0.0
    off = data.frame_position.values[:, :2] - distance[:, None] * direction
    assert np.abs(off[-1]).max() <= ARREST["moreau-theta"] * params.mu * params.gravity * dt**2
    assert np.abs(data.frame_rotation.values[:, 1:]).max() <= 1e-12
    half, side = 0.5 * np.array([params.length, params.width]), np.sign(data.X.values[:, :2])
    share = 0.25 * (1.0 + side @ (params.mu * 0.5 * params.height * direction / half))
    assert np.ptp(share) > 0.1
    weight = params.mass * params.gravity
    np.testing.assert_allclose(data.normal_force.values[1] / weight, share, atol=1e-10)
    assert block_in_space.leading_share(params) == pytest.approx(share.max(), rel=1e-12)
    np.testing.assert_allclose(data.normal_force.values[-1] / weight, 0.25, atol=1e-10)
    assert np.abs(data.friction_force.values[-1]).max() <= 1e-11 * weight
    assert np.abs(data.frame_velocity.values[-1]).max() <= 1e-14
    assert np.abs(data.position.values[:, :, 2]).max() <= 1e-14


@rows("half, up", [(0.1, 0.2), (0.15, 0.1), (0.02, 0.03)])
def test_a_block_tips_where_friction_at_its_height_outdoes_its_length(half, up):
    """mu = l/h is the limit: two per cent below it the rear feet keep ¼ (1 − 0.98) of the weight each, above it they lift."""
    for part, lifts in ((0.98, False), (1.02, True)):
        given = {"length": 2 * half, "width": 0.1, "height": 2 * up, "mu": part * half / up}
        params, data = computed(block_in_space, t_end=4e-4, dt=1e-4, **given)
        assert tips(params) is lifts
        rear, front = data.X.values[:, 0] < 0.0, data.X.values[:, 0] > 0.0
        share = data.normal_force.values / 9.81
        np.testing.assert_allclose(share[:, rear], 0.0 if lifts else 0.25 * (1.0 - part), atol=1e-9)
        assert np.all(data.stick.values[:, rear] == (-1 if lifts else 0))
        if lifts:
            pitching = block_in_space.pitch_acceleration(params)
            # from the text: (mu h − l) g/((h² + l²)/3 − l (mu h − l)), and the edge bears 1 + l φ'/g of the weight
            excess = 0.02 * half
            assert pitching == pytest.approx(excess * 9.81 / ((half**2 + up**2) / 3.0 - half * excess), rel=1e-12)
            np.testing.assert_allclose(share[1, front].sum(), 1.0 + half * pitching / 9.81, rtol=1e-4)
            assert float(data.frame_spin[1, 1]) / 1e-4 == pytest.approx(pitching, rel=1e-4)


POTRA_DT = 0.02


@pytest.mark.slow
@rows(
    "given, rest",
    [
        ({}, -0.00869716688),  # Solfec's example: its published place at 10 s
        ({"mass": 1.5, "mu": 0.75, "amplitude": 12.0}, None),
        ({"amplitude": 5.0, "mu": 0.3, "gravity": 16.0}, None),
    ],
)
def test_the_block_of_potra_in_space_ends_where_its_closed_form_does(given, rest, verification):
    """A slip errs by at most ½ |f'| dt² in momentum at its start, over its length, and by the guard at its end."""
    params, data = computed(potra_block, dt=POTRA_DT, **given)
    x = data.frame_position.values[:, 0]
    known = potra_block.exact(params, data.time.values)[0]
    assert np.ptp(known) > 5e-3
    stuck = (data.stick.values == 1).all(axis=1)
    assert 0.5 < stuck.mean() < 0.9
    np.testing.assert_allclose(data.normal_force.sum("node"), params.mass * params.gravity, rtol=1e-9)
    bound, most = params.mu * params.gravity, params.amplitude / params.mass
    speed = 0.5 * most * np.sqrt(1.0 - (bound / most) ** 2) * POTRA_DT**2
    assert np.abs(x - known).max() <= 1.0 * speed + 0.5 * bound * GAMMA**2 * POTRA_DT**2
    assert np.abs(data.frame_position.values[:, 1]).max() <= 1e-15
    assert np.abs(data.frame_rotation.values[:, 1:]).max() <= 1e-12
    assert np.abs(np.diff(x)[stuck[1:] & stuck[:-1]]).max() <= 1e-15
    if rest is not None:
        assert known[-1] == pytest.approx(rest, abs=5e-12)
        how = {"source": "Solfec, example of Potra et al. (2006)", "tolerance": speed, "least": 1e-9, "unit": "m"}
        verification("Block of Potra et al. in space on four feet: place after 10 s", x[-1], rest, **how)


@rows(
    "moments, start",
    [((1.0, 2.0, 3.0), (0.5, 1.0, 1.5)), ((0.8, 1.0, 0.5), (1.0, -2.0, 0.3)), ((1.0, 1.0, 1.6), (0.4, 0.2, 3.0))],
)
def test_the_energy_of_a_free_top_errs_by_the_third_power_of_the_step(moments, start):
    """Local errors of momentum are nil and of spin of order three, at right angles to it to leading order."""
    changes, given = [], dict(zip(("J1", "J2", "J3", "spin1", "spin2", "spin3"), (*moments, *start), strict=True))
    for dt in (0.04, 0.02):
        params, data = computed(free_top, t_end=1.0, dt=dt, **given)
        momentum = data.angular_momentum.values
        assert np.abs(momentum - momentum[0]).max() <= 1e-13 * np.abs(momentum[0]).max() * len(momentum)
        changes.append(abs(float(data.energy_kinetic[-1] / data.energy_kinetic[0]) - 1.0))
        off = np.abs(free_top.body_spin(data)[-1] - free_top.exact(params, np.array([1.0]))[0]).max()
        assert off <= 2.0 * (dt * np.linalg.norm(start)) ** 2 * np.linalg.norm(start)
    if moments[0] != moments[1]:
        assert changes[0] > 1e-9
        assert np.log2(changes[0] / changes[1]) == pytest.approx(3.0, abs=0.35)


@pytest.mark.slow
def test_a_top_turns_over_again_and_again_after_the_period_of_its_elliptic_functions(verification):
    """J = (1, 2, 3), spin (0.01, 1, 0): k² = 0.9999, half a period 2K/λ = 20.754610 s.

    Energy errs by ε = 1.2e-7, and so does 1 − k² by a few ε; with 2K = ln(16/(1 − k²)) the instants of turning over move by a few
    ε/(1 − k²)/λ = 2 ms, at rates of 0.5 rad/s²."""
    params, data = computed(free_top)
    spin = free_top.body_spin(data)
    known = free_top.exact(params, data.time.values)
    np.testing.assert_allclose(known[-1], [0.818878322, -0.574054260, 0.472744366], atol=2e-9)
    source = "Jacobi's elliptic functions; Landau and Lifshitz, Mechanics"
    how = {"source": source, "tolerance": 6e-3, "least": 1e-4, "unit": "rad/s"}
    verification("Top that turns over: its spin after 30 s, in body axes", spin[-1], known[-1], **how)
    energy = data.energy_kinetic.values
    assert 1e-8 < abs(energy[-1] / energy[0] - 1.0) < 2e-7
    J, start = np.array([1.0, 2.0, 3.0]), np.array([0.01, 1.0, 0.0])
    twice, squared = J @ start**2, J**2 @ start**2
    # M² > 2 E J2 does not hold: the roles of first and third axis change
    rate = np.sqrt((J[1] - J[0]) * (twice * J[2] - squared) / J.prod())
    modulus = (J[2] - J[1]) * (squared - twice * J[0]) / ((J[1] - J[0]) * (twice * J[2] - squared))
    half = 2.0 * float(ellipk(modulus)) / rate
    assert half == pytest.approx(20.754610, abs=1e-6)
    assert spin[np.searchsorted(data.time.values, half), 1] == pytest.approx(-1.0, abs=1e-6)


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta", "backward-euler"])
@rows("half, up, mu", [(0.1, 0.2, 1.6), (0.05, 0.15, 1.6), (0.2, 0.35, 2.0)])
def test_an_edge_that_jams_stops_by_an_impulse_of_its_own(scheme, half, up, mu):
    """1/m + l (l − μ h)/J < 0: sliding has no solution; (P_x, P_z) stops the edge at once, however short the step. Like an impact
    it takes energy, and no scheme may step across it (the second stage of SDIRK2 would give 0.2 of 0.5 J).

    v_x + P_x (1/m + h²/J) + P_z l h/J = 0 and P_x l h/J + P_z (1/m + l²/J) = 0, with |P_x| < μ P_z.
    """
    inertia = (half**2 + up**2) / 3.0
    assert 1.0 + half * (half - mu * up) / inertia < 0.0
    row = half * up / inertia
    drag, lift = np.linalg.solve([[1.0 + up**2 / inertia, row], [row, 1.0 + half**2 / inertia]], [-1.0, 0.0])
    assert abs(drag) < mu * lift
    given = {"length": 2 * half, "width": 0.1, "height": 2 * up, "mu": mu}
    for dt in (1e-4, 1e-5):
        _, data = computed(block_in_space, t_end=dt, dt=dt, scheme=scheme, **given)
        assert float(data.frame_velocity[-1, 0]) == pytest.approx(1.0 + drag, abs=60.0 * dt)
        assert float(data.frame_spin[-1, 1]) == pytest.approx(-(up * drag + half * lift) / inertia, abs=600.0 * dt)
        if scheme == "backward-euler":
            assert float(data.normal_force[-1].sum()) * dt == pytest.approx(lift, abs=60.0 * dt)


DISC = {"t_end": 0.1, "dt": 0.01, "model": "space"}


@rows("share", [0.1, 0.2])
def test_a_disc_that_starts_with_its_terminal_ratio_keeps_it_and_curls_with_the_quadratures_side_force(share):
    """The points are a quadrature of the uniform base, which errs by less on more points; the ratio is an attractor."""
    goal = terminal(share)
    sides, radius, mu = [], 0.1, 0.3
    for rings, spokes in ((6, 24), (12, 48)):
        given = DISC | {"half_height": share * radius / mu, "nr": rings, "nt": spokes}
        _, data = computed(curling_disc, vx0=8.0 * radius * goal.ratio, spin0=8.0, **given)
        speed, spin = curling_disc.speeds(data)
        assert speed[-1] < 0.75 * speed[0]
        assert np.abs(speed / (radius * spin) - goal.ratio).max() < 3e-4
        sides.append(curling_disc.side_force(data)[0] + goal.side)
    assert 0.0 < 3.0 * abs(sides[1]) < abs(sides[0]) < 2e-3 * goal.side
    _, data = computed(curling_disc, vx0=0.5 * 8.0 * radius * goal.ratio, spin0=8.0, **given)
    speed, spin = curling_disc.speeds(data)
    assert (speed[-1] / (radius * spin[-1]) - goal.ratio) ** 2 < (0.5 * goal.ratio) ** 2


def test_the_quadratures_drag_side_force_and_torque_are_those_of_another_quadrature():
    """Polar nodes about the instantaneous centre of rotation instead of the disc's, where the direction of slip jumps."""
    ratio, share = 0.66, 0.13
    drag, side, torque = forces(ratio, share)
    # the pole lies at (0, ratio): slip there is zero, and along (s, φ) about it slip is s at right angles to the ray
    angle = 2.0 * np.pi * (np.arange(4000) + 0.5) / 4000
    reach = -ratio * np.sin(angle) + np.sqrt(1.0 - (ratio * np.cos(angle)) ** 2)
    nodes, weights = np.polynomial.legendre.leggauss(6)
    s = 0.5 * (nodes + 1.0)[:, None] * reach
    area = 0.5 * weights[:, None] * reach * s * (2.0 * np.pi / 4000) / np.pi
    x, y = s * np.cos(angle), ratio + s * np.sin(angle)
    u, v = -np.sin(angle), np.cos(angle)
    pressure = area * (1.0 + 4.0 * share * (drag * x + side * y))
    assert np.sum(area) == pytest.approx(1.0, rel=1e-9)
    assert side > 0.1 * drag
    expected = [np.sum(pressure * u), np.sum(pressure * v), np.sum(pressure * (x * v - y * u))]
    np.testing.assert_allclose([drag, side, torque], expected, atol=2e-5)


def test_the_side_force_of_a_disc_changes_with_the_sense_of_its_spin():
    given = DISC | {"t_end": 0.05, "nr": 4, "nt": 16}
    left, right = (computed(curling_disc, spin0=spin, **given)[1].frame_position.values for spin in (-8.0, 8.0))
    assert left[-1, 1] > 1e-4
    np.testing.assert_allclose(left * [1.0, -1.0, 1.0], right, atol=1e-10)


def test_the_base_of_a_disc_that_does_not_spin_lifts_beyond_a_quarter():
    """p = (m g/n)(1 + μ h x/⟨x²⟩), ⟨x²⟩ = R²/4 of a disc, to the instant at which the rearmost point bears nothing."""
    radius, mu = 0.1, 0.3
    for share, lifts in ((0.22, False), (0.27, True)):
        given = {"half_height": share * radius / mu, "spin0": 0.0, "nr": 24, "nt": 24, "dt": 5e-3, "t_end": 5e-3}
        params, data = computed(curling_disc, **given)
        base = curling_disc.problem(params).body.shape
        x, weights = base.reference[:, 0], base.shares
        pressure = data.normal_force.values[-1] / (params.mass * params.gravity * weights)
        linear = 1.0 + share * radius * x / (weights @ x**2)
        assert bool(linear.min() < 0.0) is lifts
        assert 0.25 * radius**2 == pytest.approx(weights @ x**2, rel=0.01)
        if lifts:
            assert np.sum(pressure == 0.0) > 3
            assert weights @ (pressure * x) == pytest.approx(share * radius, rel=1e-9)
        else:
            np.testing.assert_allclose(pressure, linear, atol=1e-9)
