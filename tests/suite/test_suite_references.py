"""The suite's references that are formulas or integrations of their own, against integrations that know nothing of them."""

import math

import independent
import numpy as np
import pytest
from rows import rows
from scipy.integrate import dblquad, quad, solve_ivp

from cases.app.suite import files
from cases.app.suite.references import beams, blocks, discs, holes, impacts, oscillators, space, waves

TURN = 2 * math.pi


@rows(
    "drive, end, near",
    [
        (blocks.Drive(15.0, TURN, math.pi / 2, 1.0, 1.0), 4.0, 1.5e-7),
        (blocks.Drive(1.01, TURN, math.pi / 2, 1.0, 1.0), 4.0, 1e-8),
        (blocks.Drive(0.99, TURN, math.pi / 2, 1.0, 1.0), 4.0, 1e-8),
        (blocks.Drive(8.0, 1.0, 0.0, 1.0, 0.8 * 9.81), 10.0, 1e-9),  # Potra's
    ],
)
def test_a_shaken_block_slips_as_integrated(drive, end, near):
    force, omega, phase, mass, bound = drive
    times = np.linspace(0.0, end, 401)
    x, u = blocks.motion(drive, times)
    assert (np.ptp(x) > 0.0) == (force > bound)
    known = independent.stick_slip(mass, lambda t, x: force * math.cos(omega * t + phase), bound, end)
    place, speed = known(times)
    np.testing.assert_allclose(x, place, rtol=0.0, atol=near)
    np.testing.assert_allclose(u, speed, rtol=0.0, atol=10 * near)
    length = np.abs(np.diff(known(np.linspace(1.0, end, 20001))[0])).sum()
    assert blocks.path_length(drive, 1.0, end) == pytest.approx(length, rel=1e-4, abs=1e-9)
    if end == 10.0:
        assert len(blocks.slips(drive, end)) == 4


def test_a_released_mass_turns_where_integration_turns_it():
    m, k, bound, x0 = 1.0, 1e4, 1.0, 0.85e-3
    turns = blocks.turns(x0, bound / k)
    assert len(turns) == 4
    half = math.pi * math.sqrt(m / k)
    known = independent.stick_slip(m, lambda t, x: -k * x, bound, 5 * half, x0=x0)
    place, _ = known(half * np.array([1, 2, 3, 4, 4.9]))
    np.testing.assert_allclose(place, [*turns, turns[-1]], rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(
    ("ratio", "share", "stops"), [(2.0, 0.7, True), (0.6, 0.4, False), (1.25, 0.6, False), (0.5, 0.85, True)]
)
@pytest.mark.quick("2.0-0.7-True")
def test_den_hartogs_amplitude_is_that_of_the_integrated_motion(ratio, share, stops):
    computed = oscillators.steady(ratio, share)
    assert (computed.stuck > 0.0) == stops
    period = 2 * math.pi / ratio
    known = independent.stick_slip(1.0, lambda t, x: math.cos(ratio * t) - x, share, 16 * period)
    times = np.linspace(14 * period, 16 * period, 4001)
    place, speed = known(times)
    assert np.abs(place).max() == pytest.approx(computed.amplitude, rel=2e-3)
    assert np.mean(np.abs(speed) < 1e-9) == pytest.approx(computed.stuck, abs=2e-3)
    if not stops:
        assert oscillators.amplitude_without_stops(ratio, share) == pytest.approx(computed.amplitude, rel=1e-10)


def test_leines_limit_cycle_is_that_of_the_integrated_motion():
    cycle = oscillators.belt_cycle(1.0, 1.0, 0.2, 1.0, 3.0)
    known = independent.stick_slip(1.0, lambda t, x: -x, lambda s: 1.0 / (1.0 + 3.0 * s), 45.0, ground=lambda t: 0.2)
    times = np.linspace(20.0, 45.0, 50001)
    x, v = known(times)
    up = times[:-1][(x[:-1] < 0.0) & (x[1:] >= 0.0)]
    assert len(up) == 2
    assert np.diff(up)[0] == pytest.approx(cycle.period, abs=2e-3)
    assert (x.min(), x.max()) == pytest.approx((cycle.low, cycle.high), abs=1e-5)
    slips = np.abs(v - 0.2) > 1e-7
    whole = times < times[0] + 2 * cycle.period
    assert slips[whole].mean() * cycle.period == pytest.approx(cycle.slip, abs=2e-2)


@rows("inner, ratio", [(0.0, 0.4), (0.25, 0.7), (0.5, 1.6), (0.9, 0.95), (1.0, 0.3), (1.0, 2.5)])
def test_friction_of_an_annulus_is_its_quadrature(inner, ratio):
    def parts(r, a):
        u, v = ratio - r * math.sin(a), r * math.cos(a)
        size = math.hypot(u, v)
        return u / size, (r * math.cos(a) * v - r * math.sin(a) * u) / size

    def mean(k):
        if inner == 1.0:
            return quad(lambda a: parts(1.0, a)[k], 0, TURN, limit=200)[0] / TURN
        area = math.pi * (1 - inner**2)
        return dblquad(lambda r, a: r * parts(r, a)[k], 0, TURN, inner, 1.0, epsabs=1e-7)[0] / area

    assert discs.drag(ratio, inner) == pytest.approx((mean(0), mean(1)), abs=2e-6)


def test_terminal_ratios_are_those_of_weidman_and_malhotra():
    """Their limits: 0.653 of a disc, 1 of a ring, sliding alone below J = m R²/4, spin alone above 2 m R²/3."""
    disc = discs.terminal_ratio(0.0, 0.5)
    assert disc == pytest.approx(0.653, abs=5e-4)
    assert discs.terminal_ratio(1.0, 1.0) == pytest.approx(1.0, abs=1e-9)
    assert discs.terminal_ratio(0.0, 0.26) < math.inf == discs.terminal_ratio(0.0, 0.24)
    assert discs.terminal_ratio(0.0, 0.66) > 0.0 == discs.terminal_ratio(0.0, 0.68)
    between = [discs.terminal_ratio(eta, (1 + eta**2) / 2) for eta in (0.25, 0.5)]
    assert disc < between[0] < between[1] < 1.0


@rows("inner, kappa", [(0.0, 0.5), (0.5, 0.625), (0.0, 0.35), (0.0, 1.0)])
def test_a_thrown_annulus_stops_where_integration_in_time_stops_it(inner, kappa):
    throw = discs.Throw(0.1, inner, kappa, 2.0, 1.0, 8.0)
    known = discs.stop(throw, 0.4)

    def rates(t, y):
        force, torque = discs.drag(max(y[0] / (0.1 * y[1]), 1e-9), inner)
        return [-2.0 * force, -2.0 * torque / (kappa * 0.1), y[0], y[1]]

    end = 0.98 * known.time
    done = solve_ivp(rates, (0.0, end), [1.0, 8.0, 0.0, 0.0], "LSODA", [0.4, end], rtol=1e-10, atol=1e-12)
    v, w, distance, angle = done.y[:, -1]
    assert done.y[0, 0] / (0.1 * done.y[1, 0]) == pytest.approx(known.ratio, rel=1e-7)
    left = 0.02 * known.time  # the rest of the distance takes a fiftieth of the time, at a speed that falls to zero
    assert distance < known.distance < distance + v * left
    assert angle < known.angle < angle + w * left


@pytest.mark.slow
def test_a_thick_disc_curls_as_its_sampled_base_does():
    """Its base as 4000 points whose linear pressure balances the moment of their own friction, integrated in time."""
    throw, share = discs.Throw(0.1, 0.0, 0.5, 2.45, 1.5, 15.0), 0.1
    known = discs.curl(throw, share)
    r, a = (np.arange(50) + 0.5) / 50, TURN * (np.arange(80) + 0.5) / 80
    x, y = 0.1 * np.outer(r, np.cos(a)).ravel(), 0.1 * np.outer(r, np.sin(a)).ravel()
    weight = np.repeat(r, 80) / np.repeat(r, 80).sum()

    def rates(t, s):
        u, v = s[0] - s[2] * y, s[1] + s[2] * x
        size = np.hypot(u, v) + 1e-12
        u, v = u / size, v / size
        pressure, force = weight, np.zeros(2)
        for _ in range(30):  # pressure and friction answer each other
            force = -np.array([(pressure * u).sum(), (pressure * v).sum()])
            b = -4 * share / 0.1 * force
            pressure = weight * (1 + b[0] * x + b[1] * y)
        torque = -(pressure * (x * v - y * u)).sum()
        return [*(2.45 * force), 2.45 * torque / (0.5 * 0.01), s[0], s[1]]

    done = solve_ivp(rates, (0.0, 0.97 * known.time), [1.5, 0.0, 15.0, 0.0, 0.0], "RK45", rtol=1e-6, atol=1e-8)
    v, place = done.y[:2, -1], done.y[3:, -1]
    left = 0.03 * known.time
    assert known.y < -0.02
    assert np.abs(place + 0.5 * left * v - [known.x, known.y]).max() < 0.3 * left * np.hypot(*v)
    assert place[1] == pytest.approx(known.y, abs=left * abs(v[1]) + 1e-4)


def test_the_front_from_a_hole_dies_where_its_own_equation_ends_it():
    r0, tau, f = 0.05, 3 * 0.05, 1.0
    done = solve_ivp(
        lambda r, T: -T / (2 * r) - f / 2, (r0, 1.0), [tau], rtol=1e-11, atol=1e-13, events=lambda r, T: T[0]
    )
    assert holes.front_radius(r0, tau, f) == pytest.approx(float(done.t_events[0][0]), rel=1e-7)
    assert holes.front_radius(0.05, 3 * 0.05, 1.0) == pytest.approx(0.2321, abs=5e-5)


def test_the_plate_around_a_hole_moves_as_rings_on_springs_do():
    """Rings of mass 2πr³ on shear springs 2πr³ (in the angle u/r), by leapfrog with a step that stops what would reverse."""
    r0, tau, f, n = 0.05, 3 * 0.05, 1.0, 1600
    h = (0.26 - r0) / n
    r = r0 + h * np.arange(n + 1)
    inertia = 2 * np.pi * r**3 * h
    inertia[0] *= 0.5
    stiffness = 2 * np.pi * (0.5 * (r[1:] + r[:-1])) ** 3 / h
    bound = 2 * np.pi * f * r**2 * h
    bound[0] *= 0.5
    angle, spin, dt = np.zeros(n + 1), np.zeros(n + 1), 0.98 * h
    for k in range(int(0.3 / dt)):
        if k > 10 and not spin.any():
            break
        torque = np.zeros(n + 1)
        torque[:-1] += stiffness * np.diff(angle)
        torque[1:] -= stiffness * np.diff(angle)
        torque[0] += tau * 2 * np.pi * r0**2
        share = 0.5 if k == 0 else 1.0
        spin = spin + share * dt * torque / inertia
        spin = np.sign(spin) * np.maximum(np.abs(spin) - share * dt * bound / inertia, 0.0)
        angle = angle + dt * spin
    assert not spin.any()
    known = holes.residual(r0, tau, f, 1.0, 1.0, rings=800)
    for place, limit in ((0.05, 2e-3), (0.1, 2e-2), (0.15, 4e-2)):
        computed = place * np.interp(place, r, angle)
        assert computed == pytest.approx(float(np.interp(place, known.radius, known.displacement)), rel=limit)
    assert known.displacement[np.searchsorted(known.radius, 0.2321) + 1 :].max(initial=0.0) == 0.0


def test_residuals_around_a_hole_converge_with_the_square_of_the_grid():
    ends = [holes.residual(0.05, 0.15, 1.0, 1.0, 1.0, rings=n).displacement[0] for n in (200, 400, 800, 1600)]
    first, second, third = np.abs(np.diff(ends))
    assert first / second > 3.0
    assert second / third > 2.5
    assert third < 1e-5 * ends[-1]


def _collisions(count):
    rng = np.random.default_rng(7)
    while count:
        m, J, mu, e = rng.uniform(0.5, 2.0), rng.uniform(0.01, 0.2), rng.uniform(0.05, 0.8), rng.uniform(0.1, 0.9)
        x, y = rng.uniform(-0.4, 0.4), rng.uniform(-0.4, -0.05)
        speeds = rng.uniform(-2, 2), rng.uniform(-2, -0.3)
        hit = impacts.Collision(1 / m + y * y / J, -x * y / J, 1 / m + x * x / J, *speeds)
        if hit.nn - mu * abs(hit.tn) > 0.05:
            count -= 1
            yield hit, mu, e


@rows("law", ["newton", "poisson", "stronge"])
def test_rouths_process_is_that_integrated_over_the_impulse(law):
    """With friction smoothed over 1e-4 m/s, compression and restitution in turn."""
    turned = 0
    for hit, mu, e in _collisions(12):
        tangential, normal = impacts.impulses(hit, mu, e, law)

        def rates(P, y, hit=hit, mu=mu):
            friction = -mu * math.tanh(y[0] / 1e-4)
            return [hit.tt * friction + hit.tn, hit.tn * friction + hit.nn, friction, y[1]]

        def compressed(P, y):
            return y[1]

        compressed.terminal, compressed.direction = True, 1.0
        options = {"method": "LSODA", "rtol": 1e-9, "atol": 1e-11}
        first = solve_ivp(rates, (0.0, 1e3), [hit.tangential, hit.normal, 0.0, 0.0], events=compressed, **options)
        Pc, work = first.t[-1], first.y[3, -1]

        def ended(P, y, law=law, e=e, Pc=Pc, work=work, hit=hit):
            if law == "newton":
                return y[1] + e * hit.normal
            return P - (1 + e) * Pc if law == "poisson" else (y[3] - work) + e**2 * work

        ended.terminal, ended.direction = True, 1.0
        last = solve_ivp(rates, (Pc, 1e3), first.y[:, -1], events=ended, **options)
        assert normal == pytest.approx(last.t[-1], rel=2e-3)
        assert tangential == pytest.approx(last.y[2, -1], abs=3e-3 * normal)
        turned += hit.tangential * last.y[0, -1] <= 1e-3
    assert turned > 2


def test_the_critical_friction_of_a_slender_rod_is_least_at_two_to_one():
    """A = W_nn − μ W_tn of the end's compliance, over all angles."""

    def least(angle):
        c, s = math.cos(angle), math.sin(angle)
        return (1 + 3 * c * c) / (3 * s * c)

    angles = np.linspace(0.05, 1.5, 20001)
    best = min(angles, key=least)
    assert (least(best), math.tan(best)) == (pytest.approx(4 / 3, rel=1e-6), pytest.approx(2.0, rel=1e-2))
    assert impacts.critical_friction(2.0) == pytest.approx(4 / 3)
    assert impacts.critical_friction(math.tan(0.7)) == pytest.approx(least(0.7))


def test_a_block_tips_over_its_front_edge_as_the_multiplier_makes_it():
    inertia = (0.1**2 + 0.2**2) / 3
    distance, pitch, rate = impacts.tipping(1.0, inertia, (0.1, 0.2), 0.8, 9.81, 3.0, 0.15)
    known = independent.on_one_point(1.0, inertia, (0.1, -0.2), 0.8, 9.81, [0.0, 0.2, 0.0, 3.0, 0.0, 0.0], 0.15)
    assert pitch > 0.3
    assert (distance, pitch, rate) == pytest.approx((known[0], -known[2], -known[5]), rel=1e-7)


def test_painleves_rod_slides_as_the_multiplier_makes_it():
    regular, jammed = files.load("painleve_rod")
    computed = impacts.painleve_rod(regular)
    c, s = math.cos(math.atan(2)), math.sin(math.atan(2))
    start = [0.0, 0.5 * s, 0.0, 3.0, 0.0, 0.0]
    known = independent.on_one_point(1.0, 0.25 / 3, (0.5 * c, -0.5 * s), 1.0, 9.81, start, regular.time.end)
    wanted = pytest.approx((known[0], known[1], -known[5]), rel=1e-7)
    assert (computed["x_end"], computed["z_end"], computed["spin_end"]) == wanted
    assert (computed["painleve"], impacts.painleve_rod(jammed)) == (0.0, {"painleve": 1.0})


def test_a_ball_rolls_as_integrated():
    velocity, spins, R, mu, g = np.array([2.0, 0.5]), np.array([-30.0, 10.0, 5.0]), 0.1, 0.3, 9.81

    def slip(y):
        return y[2:4] + R * np.array([-y[5], y[4]])

    def rates(t, y):
        direction = slip(y) / np.hypot(*slip(y))
        turn = np.cross([0.0, 0.0, -R], [*(-mu * g * direction), 0.0]) / (0.4 * R**2)
        return [*y[2:4], *(-mu * g * direction), *turn]

    def rolls(t, y):
        return np.hypot(*slip(y)) - 1e-7

    rolls.terminal = True
    done = solve_ivp(rates, (0.0, 5.0), [0, 0, *velocity, *spins], rtol=1e-10, atol=1e-12, events=rolls)
    place, v, turned, time = space.roll(R, mu, g, velocity, spins, done.t[-1])
    assert time == pytest.approx(done.t[-1], abs=1e-6)
    np.testing.assert_allclose([*place, *v, *turned], done.y[:, -1], atol=2e-6)


def masses(total, n):
    """Of a bar's nodes, with halves at its ends."""
    computed = np.full(n + 1, total / n)
    computed[[0, -1]] *= 0.5
    return computed


def test_a_bar_on_a_floor_bounces_as_the_lattice_does():
    n, dt, mass = 200, 10.0 / 200 / 30.0, masses(10.0, 200)
    steps = round(2.0 / dt)
    places = independent.lattice(mass, 90.0 * n, lambda t: 0, lambda t: 0, steps, dt, velocity=-10.0, floor=5.0)
    centre = 10.0 + places @ mass / 10.0
    known = waves.bouncing_bar(files.load("bouncing_bar")[0])
    assert centre.min() == pytest.approx(known["lowest"], rel=2e-3)
    assert centre[-1] == pytest.approx(known["place_after"], rel=5e-3)
    assert known["force"] * 2 / 3 == pytest.approx(2 * 10.0 * 10.0)


def test_a_bar_pulled_at_its_end_moves_as_the_lattice_does():
    n, c, EA, length, rho = 400, math.sqrt(1e3), 400.0, 1.0, 0.4
    dt, mass, pull = length / n / c, masses(rho * length, n), waves.Pull(2.0, 0.05)

    def force(t):
        return 2.0 * math.sin(math.pi * t / 0.1) ** 2 if t < 0.05 else 2.0

    steps = round(0.2 / dt)
    places = independent.lattice(mass, EA * n / length, lambda t: 0.0, force, steps, dt)
    left, right = waves.free_bar_ends(pull, c, EA, length, steps * dt)
    assert right - left > 1e-3
    assert (places[-1, 0], places[-1, -1]) == pytest.approx((left, right), rel=1e-4)
    assert places[-1] @ mass / rho == pytest.approx(pull.second_integral(steps * dt) / rho, rel=1e-5)


@pytest.mark.slow
def test_a_beam_swings_as_its_modes_do_until_it_stays():
    """Modes n = 1, 3, ..., 19 under p ∓ q, each a pendulum, integrated from turn to turn."""
    p, q = 15.0, 1.962
    known = beams.loads_of_rest(p, q)
    assert len(known) == 5
    n = np.arange(1, 21, 2)
    shape = 1.0 / n**5
    state, sign = np.zeros((2, 10)), 1.0
    for turn in known[1:]:

        def rates(t, y, sign=sign):
            w, v = y.reshape(2, 10)
            return np.concatenate([v, n**4 * ((p - sign * q) * shape - w)])

        done = solve_ivp(rates, (0.0, math.pi), state.ravel(), "DOP853", rtol=1e-10, atol=1e-12)
        state = done.y[:, -1].reshape(2, 10)
        np.testing.assert_allclose(state[1], 0.0, atol=1e-6)
        np.testing.assert_allclose(state[0], turn * shape, atol=1e-7)
        sign = -sign
    assert abs(p - known[-1]) <= q
