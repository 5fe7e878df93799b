"""Rigid bodies in space: attitude and momentum, feet that slide, stick, lift and land; normal forces that nobody gives."""

import numpy as np
import pytest
from ff_examples import box
from rows import rows
from scipy.integrate import solve_ivp
from single_steps import initial_state

from floating_frame import (
    Ball,
    Base,
    Cosine,
    Feet,
    Options,
    RigidSolid,
    SolidForce,
    SpaceForce,
    SpaceInitial,
    SpaceProblem,
    assemble,
    run_warnings,
    simulate,
)
from floating_frame.frame.rotations import differential, exponential, matrix_of, quaternion, rotation_vector

G = 9.81


HANGING = RigidSolid(mass=1.0, inertia=(1.0, 1.0, 1.0), shape=Feet([(0.0, 0.0, 0.1)]))


def run(body, t_end, dt, *, scheme="sdirk2", mu=0.8, loads=(), gravity=G, **initial):
    problem = SpaceProblem(body=body, t_end=t_end, mu=mu, gravity=gravity, loads=loads, initial=SpaceInitial(**initial))
    return simulate(assemble(problem, Options(dt=dt, scheme=scheme)))


def assert_balanced(data):
    size = float(np.max(data.energy_kinetic + np.abs(data.work_external)))
    assert float(np.abs(data.balance_error).max()) <= 1e-11 * size
    assert float(data.rigid_residual.max()) <= 1e-9


# --- rotations


def test_rotations_are_exponentials_with_their_differential_and_quaternions_name_them():
    rng = np.random.default_rng(1)
    for size in (1e-6, 0.3, 3.0):
        turn, change = size * rng.normal(size=3) / 2.0, rng.normal(size=3)
        Q = exponential(turn)
        np.testing.assert_allclose(Q @ Q.T, np.eye(3), atol=1e-15)
        np.testing.assert_allclose(matrix_of(quaternion(Q)), Q, atol=4e-15)
        if np.linalg.norm(turn) < np.pi:
            np.testing.assert_allclose(rotation_vector(Q), turn, atol=1e-14)
        h = 1e-5
        moved = (exponential(turn + h * change) - exponential(turn - h * change)) / (2.0 * h) @ Q.T
        axial = np.array([moved[2, 1], moved[0, 2], moved[1, 0]])
        np.testing.assert_allclose(differential(turn) @ change, axial, rtol=0, atol=1e-9)  # h² and rounding/h


# --- a top that nothing turns


@rows("scheme, order", [("sdirk2", 2), ("moreau-theta", 2), ("backward-euler", 1)])
def test_a_free_top_keeps_its_moment_of_momentum_and_has_the_order_of_its_scheme(scheme, order):
    top = RigidSolid(mass=1.0, inertia=(1.0, 2.0, 3.0))
    start = np.array([0.5, 1.0, 1.5])

    def rates(t, y):
        w, Q = y[:3], y[3:].reshape(3, 3)
        W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        J = np.array([1.0, 2.0, 3.0])
        return np.concatenate([-np.cross(w, J * w) / J, (Q @ W).ravel()])

    y = solve_ivp(rates, (0, 1.0), np.concatenate([start, np.eye(3).ravel()]), rtol=1e-11, atol=1e-12).y[:, -1]
    errors = []
    for dt in (0.02, 0.01) if order == 2 else (0.005, 0.0025):
        data = run(top, 1.0, dt, scheme=scheme, mu=0.0, gravity=0.0, spin_space=start)
        momentum = data.angular_momentum.values
        np.testing.assert_allclose(momentum, momentum[:1].repeat(len(momentum), 0), rtol=0, atol=1e-12)
        assert_balanced(data)
        errors.append(np.abs(matrix_of(data.frame_rotation.values[-1]) - y[3:].reshape(3, 3)).max())
    assert errors[0] < 0.02
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.12)


# --- feet


def test_a_tall_block_tips_with_the_acceleration_of_its_edge_to_second_order():
    """h = 2 l, mu 0.8: pivoting about the sliding edge, against the equations of that motion alone."""
    half, up, mu = 0.1, 0.2, 0.8
    inertia = (half**2 + up**2) / 3.0

    def rates(t, y):
        _, _, p, vx, vz, w = y
        c, s = np.cos(p), np.sin(p)
        ax, az = half * c - up * s, -half * s - up * c
        N = (G + w * w * az) / (1.0 + (mu * ax * az + ax * ax) / inertia)
        return [vx, vz, w, -mu * N, N - G, (-mu * az - ax) * N / inertia]

    y = solve_ivp(rates, (0, 0.03), [0, up, 0, 1, 0, 0], rtol=1e-11, atol=1e-13).y[:, -1]
    errors = []
    for dt in (3e-3, 1.5e-3):
        data = run(box(2 * half, 0.1, 2 * up), 0.03, dt, mu=mu, velocity=(1.0, 0.0, 0.0))
        ahead = data.X.values[:, 0] > 0.0
        assert np.all(data.stick.values[1:, ~ahead] == -1)
        assert np.abs(data.position.values[:, ahead, 2]).max() < 1e-15  # projected on the ground
        place, velocity = data.frame_position.values[-1], data.frame_velocity.values[-1]
        pitch = rotation_vector(matrix_of(data.frame_rotation.values[-1]))[1]
        spin = data.frame_spin.values[-1, 1]
        errors.append(np.array([place[0], place[2], pitch, velocity[0], velocity[2], spin]) - y)
    assert np.abs(errors[0]).max() < 1e-3
    np.testing.assert_allclose(np.log2(np.abs(errors[0] / errors[1])), 2.0, atol=0.06)
    excess = mu * up - half
    pitching = excess * G / (inertia - half * excess)
    start = initial_state(
        assemble(
            SpaceProblem(
                body=box(2 * half, 0.1, 2 * up), t_end=1.0, mu=mu, initial=SpaceInitial(velocity=(1.0, 0.0, 0.0))
            ),
            Options(dt=1e-3),
        )
    )
    np.testing.assert_allclose(-start.multiplier[:, 2].sum() / G, 1.0 + half * pitching / G, rtol=1e-6)


# --- a block that rocks over the edge on which it stands


def rocking(dt, t_end, scheme="moreau-theta"):
    """A block turns about the edge (0.1, ·, −0.2) m, where it sticks, from a tilt of 0.2 with 2 rad/s: a pendulum upside down."""
    tilt, spin = 0.2, 2.0
    c, s = np.cos(tilt), np.sin(tilt)
    x, z = 0.1 * c - 0.2 * s, -0.1 * s - 0.2 * c
    return run(
        box(0.2, 0.2, 0.4, corners="all"),
        t_end,
        dt,
        scheme=scheme,
        mu=2.0,
        position=(0.0, 0.0, -z),
        rotation=(np.cos(0.5 * tilt), 0.0, np.sin(0.5 * tilt), 0.0),
        velocity=(-spin * z, 0.0, spin * x),
        spin_space=(0.0, spin, 0.0),
    )


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
def test_a_block_that_turns_about_its_edge_has_the_order_of_its_scheme(scheme):
    reach = np.hypot(0.1, 0.2)
    pull = G * reach / (0.2 / 12.0 + reach**2)
    upright = np.arctan(0.5)
    angle = solve_ivp(
        lambda t, y: [y[1], pull * np.sin(y[0] - upright)], (0, 0.2), [0.2, 2.0], rtol=1e-11, atol=1e-12
    ).y[0, -1]
    errors = []
    for dt in (0.01, 0.005):
        data = rocking(dt, 0.2, scheme)
        errors.append(abs(rotation_vector(matrix_of(data.frame_rotation.values[-1]))[1] - angle))
        assert (data.stick.values == 1).sum(axis=1).tolist() == [2] * len(data.time)
        assert_balanced(data)
    assert errors[0] > 1e-6
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)


def test_forces_in_the_mean_of_both_ends_make_a_quarter_of_what_spin_and_arms_change_by():
    """−¼ dt p·(ΔΩ × Δa) a step, to leading order −¼ dt² p·(−a) Δ(ω²/2): > 0 rising. At the end's arms: ½ dt² ω² p·(−a)."""
    dt = 0.01
    data = rocking(dt, 0.2)
    force = data.contact_force.values[1:]
    arms = (data.position.values - data.frame_position.values[:, None])[1:]
    held, spin = -np.einsum("tna,tna->t", force, arms), data.frame_spin.values[:, 1]
    made = -0.25 * dt**2 * float(held @ np.diff(0.5 * spin**2))
    assert made > 1e-5
    # the projection and the mean of the arms differ by the next power of ω dt
    assert -float(data.dissipation_numerical[-1]) == pytest.approx(made, rel=2.0 * 2.0 * dt + 0.02)
    assert made < 0.02 * 0.5 * dt**2 * float(held @ spin[1:] ** 2)


def test_a_run_whose_steps_make_energy_beyond_the_limit_is_told():
    for dt, told in ((0.09, False), (0.14, True)):
        data = rocking(dt, 2.0 * dt)
        growth = -float(data.dissipation_numerical.min()) / float(data.energy_kinetic.max())
        assert growth > 0.005
        assert (growth > 0.05) is told
        assert ("energy-growth" in [warning.name for warning in run_warnings(data)]) is told


# --- a flat base of many points


def base(areas=(1.0, 1.0, 1.0)):
    points = [[0.1, 0.0, -0.05], [-0.1, 0.1, -0.05], [-0.1, -0.1, -0.05]]
    return RigidSolid(mass=1.0, inertia=(0.01, 0.01, 0.01), shape=Base(points, areas))


@rows("speed", [2.0, 1e3, 1e9])
def test_the_forces_at_the_start_are_those_of_the_instant_however_fast_the_body(speed):
    ball = RigidSolid(mass=1.0, inertia=(0.004,) * 3, shape=Ball(0.1))
    data = run(ball, 1e-3, 1e-3, mu=0.3, velocity=(speed, 0.5, 0.0))
    way = np.array([speed, 0.5]) / np.hypot(speed, 0.5)
    for instant in (0, -1):
        np.testing.assert_allclose(data.contact_force.values[instant, 0], [*(-0.3 * G * way), G], rtol=1e-9, atol=1e-9)
    assert data.stick.values[:, 0].tolist() == [0, 0]


@rows("amplitude, mu, dt", [(11.0, 0.6, 0.01), (9.0, 0.5, 0.02)])
def test_a_block_that_is_stopped_bears_its_weight_at_the_instant_of_the_arrest(amplitude, mu, dt):
    """What rounding leaves of its velocities is no sliding, and lifts no foot."""
    pull = SpaceForce(force=(amplitude, 0.0, 0.0), history=Cosine(angular_frequency=1.0))
    data = run(box(0.3, 0.3, 0.1), 2.0, dt, mu=mu, loads=(pull,))
    assert {0, 1} <= set(data.stick.values.ravel().tolist())
    np.testing.assert_allclose(data.normal_force.sum("node"), G, rtol=1e-9)


# --- landing


def test_a_ball_that_drops_stays_and_is_not_thrown_back():
    ball = RigidSolid(mass=1.0, inertia=(0.004,) * 3, shape=Ball(0.1))
    data = run(ball, 0.3, 3e-3, mu=0.3, position=(0.0, 0.0, 0.2))
    height = data.position.values[:, 0, 2]
    assert height[0] == pytest.approx(0.1)
    assert height.min() >= -1e-13
    assert np.abs(height[data.time.values > 0.16]).max() < 1e-13
    # free fall from 0.1 m lands with all of its energy, which the impact takes
    assert float(data.dissipation_impact[-1] + data.dissipation_numerical[-1]) == pytest.approx(G * 0.1, rel=2e-3)


# --- what is said


def test_a_pose_in_which_mu_is_too_large_is_told():
    """A block on its front edge, h = 2 l: 1/m + l (l − mu h)/J of the edge is not positive above mu = (h² + 4 l²)/(3 h l) = 4/3."""
    half, up = 0.1, 0.2
    inertia = (half**2 + up**2) / 3.0
    for mu, told in ((1.2, False), (1.6, True)):
        data = run(box(2 * half, 0.1, 2 * up), 1e-4, 1e-4, mu=mu, velocity=(1.0, 0.0, 0.0))
        edge = 1.0 + half * (half - mu * up) / inertia
        assert (edge <= 0.0) is told
        # two feet with the same force each; in the step the block turns by less than 1e-3
        assert data.attrs["painleve_number"] == pytest.approx(2.0 * edge, rel=1e-2, abs=0.0)
        assert ("painleve" in [w.name for w in run_warnings(data)]) is told


@rows("gravity, corners", [(G, "base"), (0.0, "base"), (0.0, "all")])
def test_a_body_at_rest_stays_at_rest_and_what_rounding_moves_is_no_energy(gravity, corners):
    """Under no force at all every size by which residuals are measured is zero; under its weight the work is that of 1e-20 m."""
    data = run(box(0.2, 0.1, 0.1, corners=corners), 0.2, 1e-2, mu=0.8 if gravity else 0.0, gravity=gravity)
    assert data.attrs["complete"] == 1
    assert float(np.abs(data.frame_position - data.frame_position[0]).max()) <= 1e-15
    assert run_warnings(data) == []


def test_the_advice_in_space_names_no_error_control():
    data = run(box(0.2, 0.1, 0.1), 0.2, 0.1, gravity=0.0, mu=0.0, spin_space=(0.0, 0.0, 20.0))
    assert [w.advice.split(": ")[1] for w in run_warnings(data)] == ["take a smaller dt"]


def test_friction_without_weight_is_told():
    data = run(box(0.2, 0.1, 0.1), 2e-3, 1e-3, gravity=0.0, velocity=(1.0, 0.0, 0.0))
    assert [w.name for w in run_warnings(data)] == ["nothing-presses"]


@rows(
    "make, text",
    [
        (lambda: RigidSolid(mass=0.0, inertia=(1, 1, 1)), "mass of a body must be a finite number > 0"),
        (lambda: RigidSolid(mass=1.0, inertia=(1, 1, 2.5)), "no body has principal moments"),
        (lambda: RigidSolid(mass=1.0, inertia=((1, 1, 0), (0, 1, 0), (0, 0, 1))), "must be symmetric"),
        (lambda: RigidSolid(mass=1.0, inertia=(1, -1, 1)), "must be positive definite"),
        (lambda: Ball(-1.0), "radius of a ball"),
        (lambda: Ball("1"), "radius of a ball"),
        (lambda: RigidSolid(mass=1.0, inertia=(1, 1, np.nan)), "inertia must be finite"),
        (lambda: RigidSolid(mass=1.0, inertia=(1, 1, 1), outline=[1.0, 2.0]), "points of the outline"),
        (lambda: run(box(1, 1, 1), 1e-3, 1e-3, loads=(SolidForce(force=(1, 0, 0)),)), "loads must be SpaceForce"),
        (lambda: run(HANGING, 1e-3, 1e-3), "feet are all above its centre of mass"),
        (lambda: Feet([[0.0, 0.0, np.nan]]), "contact points must be finite"),
        (lambda: base([1.0, 1.0, -1.0]), "a finite area > 0 m2"),
        (lambda: run(base(), 1e-3, 1e-3, position=(0.0, 0.0, 1.0)), "a flat base stays on the ground"),
        (lambda: run(base(), 1e-3, 1e-3, rotation=(1.0, 0.1, 0.0, 0.0)), "a flat base stays on the ground"),
        (lambda: run(base(), 1e-3, 1e-3, rotation=(0.0, 1.0, 0.0, 0.0)), "a flat base stays on the ground"),
        (lambda: run(base(), 1e-3, 1e-3, velocity=(0.0, 0.0, 1.0)), "without a velocity along z"),
        (lambda: run(base(), 1e-3, 1e-3, spin_space=(1.0, 0.0, 0.0)), "spinning about z only"),
        (lambda: SpaceForce(force=(1.0, np.inf, 0.0)), "a force in space must be finite"),
        (lambda: SpaceProblem(body=box(1, 1, 1), t_end=1.0, mu=-0.1), "mu of a contact must be a finite number >= 0"),
        (lambda: SpaceProblem(body=box(1, 1, 1), t_end=1.0, gravity=np.inf), "gravity must be a finite number"),
        (lambda: run(box(1, 1, 1), 1e-3, 1e-3, rotation=(0.0, 0.0, 0.0, 0.0)), "quaternion .* that is not zero"),
        (lambda: run(box(1, 1, 1), 1e-3, 1e-3, position=(0.0, 0.0, 0.4)), "0.1 m below the ground .* to z = 0.5 m"),
        (lambda: run(box(1, 1, 1), 1e-3, 1e-3, scheme="explicit"), "takes scheme sdirk2, backward-euler, moreau-theta"),
        (lambda: run(box(1, 1, 1), 1e-3, 1e-13), "more than"),
    ],
)
def test_what_no_body_is_or_does_is_refused_in_one_line(make, text):
    with pytest.raises(ValueError, match=text) as refused:
        make()
    assert "\n" not in str(refused.value)
