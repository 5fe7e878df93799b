"""Rigid bodies in space: attitude and momentum, feet that slide, stick, lift and tip; random throws; what a run says of itself."""

import numpy as np
import pytest
from ff_examples import box
from problems import assembled
from problems import run as run_of
from rows import rows
from scipy.integrate import solve_ivp
from single_steps import initial_state, step

from floating_frame import Ball, Cosine, RigidSolid, SpaceForce, run_warnings
from floating_frame.frame.rotations import differential, exponential, matrix_of, quaternion, rotation_vector
from floating_frame.stepping.impacts import LANDING_GAP
from floating_frame.system.state import DISSIPATED, EXTERNAL
from floating_frame.verdict import limits
from friction.status import LANDED, STICK

G = 9.81
BALL = RigidSolid(mass=1.0, inertia=(0.004,) * 3, shape=Ball(0.1))


def run(body, t_end, dt, scheme="sdirk2", mu=0.8, **given):
    return run_of(body, t_end, dt, scheme, mu=mu, **given)


def assert_balanced(data):
    size = float(np.max(data.energy_kinetic + np.abs(data.work_external)))
    assert float(np.abs(data.balance_error).max()) <= 1e-11 * size
    assert float(data.rigid_residual.max()) <= 1e-9


def named(data):
    return [warning.name for warning in run_warnings(data)]


def test_rotations_are_exponentials_with_their_differential_and_quaternions_name_them():
    rng, h = np.random.default_rng(1), 1e-5
    for size in (1e-6, 0.3, 3.0):
        turn, change = size * rng.normal(size=3) / 2.0, rng.normal(size=3)
        Q = exponential(turn)
        np.testing.assert_allclose(Q @ Q.T, np.eye(3), atol=1e-15)
        np.testing.assert_allclose(matrix_of(quaternion(Q)), Q, atol=4e-15)
        if np.linalg.norm(turn) < np.pi:
            np.testing.assert_allclose(rotation_vector(Q), turn, atol=1e-14)
        moved = (exponential(turn + h * change) - exponential(turn - h * change)) / (2.0 * h) @ Q.T
        axial = np.array([moved[2, 1], moved[0, 2], moved[1, 0]])
        np.testing.assert_allclose(differential(turn) @ change, axial, rtol=0, atol=1e-9)  # h² and rounding/h


@rows("scheme, order", [("sdirk2", 2), ("moreau-theta", 2), ("backward-euler", 1)])
def test_a_free_top_keeps_its_moment_of_momentum_and_has_the_order_of_its_scheme(scheme, order):
    J, start = np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.0, 1.5])

    def rates(t, y):
        w, Q = y[:3], y[3:].reshape(3, 3)
        return np.concatenate([-np.cross(w, J * w) / J, np.cross(Q, w).ravel()])

    y = solve_ivp(rates, (0, 1.0), np.concatenate([start, np.eye(3).ravel()]), rtol=1e-11, atol=1e-12).y[:, -1]
    errors = []
    for dt in (0.02, 0.01) if order == 2 else (0.005, 0.0025):
        data = run(RigidSolid(mass=1.0, inertia=J), 1.0, dt, scheme, 0.0, gravity=0.0, spin=start)
        momentum = data.angular_momentum.values
        np.testing.assert_allclose(momentum, momentum[:1].repeat(len(momentum), 0), rtol=0, atol=1e-12)
        assert_balanced(data)
        errors.append(np.abs(matrix_of(data.frame_rotation.values[-1]) - y[3:].reshape(3, 3)).max())
    assert errors[0] < 0.02
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.12)


def rocking(dt, t_end, scheme="moreau-theta"):
    """A block turns about the edge (0.1, ·, −0.2) m, where it sticks, from a tilt of 0.2 with 2 rad/s: a pendulum upside down."""
    tilt, spin = 0.2, 2.0
    c, s = np.cos(tilt), np.sin(tilt)
    x, z = 0.1 * c - 0.2 * s, -0.1 * s - 0.2 * c
    turn = {"position": (0.0, 0.0, -z), "rotation": (np.cos(0.5 * tilt), 0.0, np.sin(0.5 * tilt), 0.0)}
    start = turn | {"velocity": (-spin * z, 0.0, spin * x), "spin": (0.0, spin, 0.0)}
    return run(box(0.2, 0.2, 0.4, corners="all"), t_end, dt, scheme, 2.0, **start)


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
def test_a_block_that_turns_about_its_edge_has_the_order_of_its_scheme(scheme):
    reach, upright, errors = np.hypot(0.1, 0.2), np.arctan(0.5), []
    pull = G * reach / (0.2 / 12.0 + reach**2)
    exact = solve_ivp(lambda t, y: [y[1], pull * np.sin(y[0] - upright)], (0, 0.2), [0.2, 2.0], rtol=1e-11, atol=1e-12)
    for dt in (0.01, 0.005):
        data = rocking(dt, 0.2, scheme)
        errors.append(abs(rotation_vector(matrix_of(data.frame_rotation.values[-1]))[1] - exact.y[0, -1]))
        assert (data.stick.values == 1).sum(axis=1).tolist() == [2] * len(data.time)
        assert_balanced(data)
    assert errors[0] > 1e-6
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)


def test_forces_in_the_mean_of_both_ends_make_a_quarter_of_what_spin_and_arms_change_by():
    """−¼ dt p·(ΔΩ × Δa) a step, to leading order −¼ dt² p·(−a) Δ(ω²/2): > 0 rising. At the end's arms: ½ dt² ω² p·(−a)."""
    dt = 0.01
    data = rocking(dt, 0.2)
    arms = (data.position.values - data.frame_position.values[:, None])[1:]
    held, spin = -np.einsum("tna,tna->t", data.contact_force.values[1:], arms), data.frame_spin.values[:, 1]
    quarter = -0.25 * dt**2 * float(held @ np.diff(0.5 * spin**2))
    assert quarter > 1e-5
    # the projection and the mean of the arms differ by the next power of ω dt
    assert -float(data.dissipation_numerical[-1]) == pytest.approx(quarter, rel=2.0 * 2.0 * dt + 0.02)
    assert quarter < 0.02 * 0.5 * dt**2 * float(held @ spin[1:] ** 2)


def test_a_run_whose_steps_make_energy_beyond_the_limit_is_told():
    for dt, warns in ((0.09, False), (0.14, True)):
        data = rocking(dt, 2.0 * dt)
        growth = -float(data.dissipation_numerical.min()) / float(data.energy_kinetic.max())
        assert growth > 0.005
        assert (growth > 0.05) is warns
        assert ("energy-growth" in named(data)) is warns


@rows("speed", [2.0, 1e3, 1e9])
def test_the_forces_at_the_start_are_those_of_the_instant_however_fast_the_body(speed):
    data = run(BALL, 1e-3, 1e-3, mu=0.3, velocity=(speed, 0.5, 0.0))
    direction = np.array([speed, 0.5]) / np.hypot(speed, 0.5)
    for instant in (0, -1):
        force = data.contact_force.values[instant, 0]
        np.testing.assert_allclose(force, [*(-0.3 * G * direction), G], rtol=1e-9, atol=1e-9)
    assert data.stick.values[:, 0].tolist() == [0, 0]


@rows("amplitude, mu, dt", [(11.0, 0.6, 0.01), (9.0, 0.5, 0.02)])
def test_a_block_that_is_stopped_bears_its_weight_at_the_instant_of_the_arrest(amplitude, mu, dt):
    """Velocities of rounding are no sliding and lift no foot."""
    pull = SpaceForce(force=(amplitude, 0.0, 0.0), history=Cosine(angular_frequency=1.0))
    data = run(box(0.3, 0.3, 0.1), 2.0, dt, mu=mu, loads=(pull,))
    assert {0, 1} <= set(data.stick.values.ravel().tolist())
    np.testing.assert_allclose(data.normal_force.sum("node"), G, rtol=1e-9)


def test_a_pose_in_which_mu_is_too_large_is_told():
    """A block on its front edge, h = 2 l: 1/m + l (l − mu h)/J of the edge is not positive above mu = (h² + 4 l²)/(3 h l) = 4/3."""
    half, up = 0.1, 0.2
    for mu, warns in ((1.2, False), (1.6, True)):
        data = run(box(2 * half, 0.1, 2 * up), 1e-4, 1e-4, mu=mu, velocity=(1.0, 0.0, 0.0))
        edge = 1.0 + half * (half - mu * up) / ((half**2 + up**2) / 3.0)
        assert (edge <= 0.0) is warns
        # two feet with the same force each; in the step the block turns by less than 1e-3
        assert data.attrs["painleve_number"] == pytest.approx(2.0 * edge, rel=1e-2, abs=0.0)
        assert ("painleve" in named(data)) is warns
        assert data.contact_force.values[0].any() != warns  # of sliding that jams, an impulse stops it


@rows("gravity, corners", [(G, "base"), (0.0, "base"), (0.0, "all")])
def test_a_body_at_rest_stays_at_rest_and_what_rounding_moves_is_no_energy(gravity, corners):
    """Under no force at all every size by which residuals are measured is zero; under its weight the work is that of 1e-20 m."""
    data = run(box(0.2, 0.1, 0.1, corners=corners), 0.2, 1e-2, mu=0.8 if gravity else 0.0, gravity=gravity)
    assert data.attrs["complete"] == 1
    assert float(np.abs(data.frame_position - data.frame_position[0]).max()) <= 1e-15
    assert named(data) == []


def test_the_advice_in_space_names_no_error_control():
    data = run(box(0.2, 0.1, 0.1), 0.2, 0.1, gravity=0.0, mu=0.0, spin=(0.0, 0.0, 20.0))
    assert [w.advice.split(": ")[1] for w in run_warnings(data)] == ["take a smaller dt"]


MOMENTS = (1.0, 2.0, 3.0)


def top(spin, dt, scheme="backward-euler", t_end=4.0):
    """A top, thrown; its spin is told by what its moment of momentum lets steps take of it, not by all of the energy."""
    start = {"velocity": (20.0, 0.0, 0.0), "spin": spin, "gravity": 0.0, "mu": 0.0}
    return run_of(RigidSolid(mass=1.0, inertia=MOMENTS), t_end, dt, scheme, **start)


def test_a_wobble_that_steps_damp_is_told_above_a_twentieth_of_what_they_can_take():
    """The loss of 9 % of what there is to lose is 1e-5 of the energy of the thrown body."""
    verdicts = {}
    for dt in (1e-2, 2e-3):
        data = top((0.3, 0.1, 1.0), dt)
        spin, (h,) = data.energy_kinetic.values - 200.0, data.angular_momentum.values[:1]
        lost = (spin[0] - spin[-1]) / (spin[0] - 0.5 * h @ h / MOMENTS[2])
        assert abs(np.diff(data.angular_momentum.values, axis=0)).max() < 1e-12
        verdicts[dt] = lost, {w.name: w.value for w in run_warnings(data)}
    assert verdicts[2e-3][0] < limits.NUMERICAL_ENERGY < 0.08 < verdicts[1e-2][0] < 0.1
    assert verdicts[1e-2][1] == pytest.approx({"spin-energy": verdicts[1e-2][0]}, rel=1e-6)
    assert not verdicts[2e-3][1]


@pytest.mark.parametrize(("dt", "warns"), [(0.08, True), (0.02, False)])
def test_energy_that_turns_a_top_over_too_late_is_told_by_what_lies_before_the_middle_axis(dt, warns):
    """Seven digits of the energy, yet it turns over at another time: T − h²/2J₂ is 2.5e-5 of T."""
    data = top((0.01, 1.0, 0.0), dt, "sdirk2", t_end=20.0)
    spin = data.energy_kinetic.values - 200.0
    assert abs(spin[-1] / spin[0] - 1.0) < 1e-4
    assert named(data) == ["spin-energy"] * warns


MANY = [("sdirk2", range(2, 1002)), ("moreau-theta", range(2, 32)), ("backward-euler", range(30))]
THROWS = [(scheme, range(2)) for scheme in ("sdirk2", "moreau-theta")]
THROWS += [pytest.param(*one, marks=pytest.mark.slow) for one in MANY]


@pytest.mark.parametrize(("scheme", "seeds"), THROWS)
def test_thrown_blocks_neither_sink_nor_gain_energy_from_the_ground(scheme, seeds):
    for seed in seeds:
        throw(seed, scheme)


def made(before, after, dt):
    """Largest energy that forces in the mean of a step's ends make: ½ dt p·u_n where slip turns round, and ¼ dt p·(ΔΩ × Δa)."""
    force, arms = -after.multiplier, [s.position - s.motion.configuration[0] for s in (before, after)]
    turned = np.cross(after.motion.velocity[1] - before.motion.velocity[1], arms[1] - arms[0])
    back = np.einsum("ia,ia->i", force, before.velocity).clip(0.0)
    return dt * (0.5 * back.sum() + 0.25 * abs(float(np.vdot(force, turned))))


def throw(seed, scheme):
    """Throw a block at random, every other one from the ground, flat, and look at each of 50 steps, compiled where they can be."""
    rng = np.random.default_rng(seed)
    body, mu = box(*rng.uniform(0.1, 0.4, 3), corners="all"), float(rng.choice([0.0, 0.2, 0.5, 1.0]))
    turn = quaternion(exponential(rng.normal(size=3)))
    velocity, spin, lift = [*rng.normal(size=2), -abs(rng.normal())], 5.0 * rng.normal(size=3), 0.02
    if seed % 2:  # pushed where it stands
        turn, velocity, spin, lift = (1.0, 0.0, 0.0, 0.0), [*velocity[:2], 0.0], spin * [0.0, 0.0, 1.0], 0.0
    low = body.shape.arms(matrix_of(np.asarray(turn)))[:, 2].min()
    start = {"position": (0.0, 0.0, lift - low), "rotation": turn, "velocity": velocity, "spin": spin}
    model = assembled(body, 0.25, 5e-3, scheme, mu=mu, **start)
    state, ends, number, landed = initial_state(model), 5e-3 * np.arange(1, 51), 0, False
    friction, energy = len(model.system.effects), state.energy
    while number < len(ends):
        before, batch = state, model.integrator.compiled.take(state, ends[number:], np.arange(len(ends) - number))
        if batch is None:
            states = [step(model, state, 5e-3, ends[number])[0]]
        else:
            states = [batch.state(k) for k in range(len(batch.times))]
        state, contact = states[-1], slice(friction, friction + 2)  # friction, and impacts
        works = np.array([s.work[contact, DISSIPATED:].sum() for s in (before, *states)])
        allowed = np.full(len(states), 1e-12 * energy)
        if scheme == "moreau-theta":  # the arms at the step's end are those before the projection
            allowed += [1.1 * made(a, b, 5e-3) for a, b in zip([before, *states], states, strict=False)]
        assert np.all(np.diff(works) >= -allowed)
        for one in states:
            force, sticks = -one.multiplier, one.friction.status == STICK
            landed = landed or bool(((force[:, 2] > 0.0) | (one.friction.status == LANDED)).any())
            assert one.position[:, 2].min() >= -2.0 * LANDING_GAP * (body.radius + np.abs(one.position).max())
            assert not one.sliding[sticks, :2].any()
            assert np.all(np.hypot(*force[:, :2].T) <= mu * force[:, 2] + 1e-9 * np.abs(force).max())
        number += len(states)
    balance = state.energy - energy - state.work[:, EXTERNAL].sum() + state.work[:, DISSIPATED:].sum()
    assert abs(balance) <= 1e-12 * energy
    assert landed
