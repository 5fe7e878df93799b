"""Loads that follow the body: nodal forces and their tangent, tractions that turn with the deformed edge, couples; and motion under
them: momentum, energy, rigid limits, frames."""

import numpy as np
import problems
import pytest
from convergence import observed_orders
from ff_examples import LENGTH, WIDTH, bent, plate, rough, wobble
from problems import assembled
from scipy.sparse import csr_matrix

from floating_frame import Couple, FollowerTraction, InitialState, MeanAxis, Ramp, RigidBody, Table, Tisserand
from floating_frame.frame.kinematics import rotation, turned
from floating_frame.system.elastic.points import PlateAnchors

MEASURES = ("reference", "current")


def follower(body, load):
    return assembled(body, 1.0, 0.1, loads=(load,)).loads.followers[0][1]


def area(x, segments):
    """Area inside a closed outline of straight segments, the inside to their left."""
    a, b = x[segments[:, 0]], x[segments[:, 1]]
    return 0.5 * np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


@pytest.mark.parametrize("element", ["P1", "P2", "Q1", "Q2"])
@pytest.mark.parametrize("measure", MEASURES)
def test_a_follower_traction_on_the_straight_body_is_normal_and_tangential_as_it_says(element, measure):
    body = plate(element=element)
    for edge, outward in (("right", (1, 0)), ("left", (-1, 0)), ("top", (0, 1)), ("bottom", (0, -1))):
        n = np.array(outward, float)
        force = follower(body, FollowerTraction(edge, 3.0, 0.5, measure=measure)).force(body.X)
        np.testing.assert_allclose(force.sum(axis=0), 3.0 * n + 0.5 * turned(n), atol=1e-14)
        np.testing.assert_allclose(force, body.edge_shape(edge)[:, None] * force.sum(axis=0), atol=1e-14)


@pytest.mark.parametrize(
    "load", [FollowerTraction("right", 3.0, 0.5, measure=m) for m in MEASURES] + [Couple(2.0), Couple(2.0, edge="top")]
)
@pytest.mark.parametrize("element", ["P1", "Q2"])
def test_a_following_load_turns_with_a_body_that_is_moved_and_turned_as_a_whole(load, element):
    body = plate(element=element)
    on, r, Q = follower(body, load), body.X + bent(body.X), rotation(2.3)
    force = on.force(r)
    assert np.abs(force - on.force(body.X)).max() > 1e-3  # the bending alone changes it
    np.testing.assert_allclose(on.force(r @ Q.T + [0.7, -3.0]), force @ Q.T, atol=2e-14)


def add_tangent(body, on, x, data):
    """Add the symmetric part of the follower's tangent to the body's sparsity, as an elastic pass does."""
    blocks = on.local_tangent(x[on.nodes].reshape(-1, 2))
    points = PlateAnchors(body).segments(on.nodes)
    points.add_tangent(0.5 * (blocks + blocks.transpose(0, 3, 4, 1, 2)), np.eye(2), data)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("element", ["P1", "P2", "Q1", "Q2"])
def test_the_newton_matrix_has_the_symmetric_part_of_a_followers_tangent(element, measure):
    body = plate(element=element)
    on, x = follower(body, FollowerTraction("boundary", 3.0, 0.7, measure=measure)), body.X + bent(body.X)
    data = np.zeros(len(body.indices))
    add_tangent(body, on, x, data)
    T = csr_matrix((data, body.indices, body.indptr), shape=(body.X.size, body.X.size)).toarray()
    np.testing.assert_array_equal(T, T.T)
    assert np.abs(T).max() > 1.0
    size = body.X.size
    steps = 1e-5 * np.eye(size).reshape(size, *x.shape)
    full = np.stack([(on.force(x + step) - on.force(x - step)).ravel() / 2e-5 for step in steps], axis=1)
    np.testing.assert_allclose(T, 0.5 * (full + full.T), atol=3e-7 * np.abs(T).max())


def test_a_pressure_all_around_is_the_gradient_of_pressure_times_area_and_its_tangent_is_symmetric():
    body = plate(6, 3)
    segments, x = body.edge_segments("boundary"), body.X + bent(body.X)
    length = 2 * (LENGTH + WIDTH)
    on = follower(body, FollowerTraction("boundary", -5.0 * length, measure="current"))
    force = on.force(x)
    d = np.random.default_rng(11).standard_normal(x.shape)
    slope = (area(x + 1e-4 * d, segments) - area(x - 1e-4 * d, segments)) / 2e-4  # the area is quadratic in x: exact
    assert abs(slope) > 0.05
    assert np.vdot(force, d) == pytest.approx(-5.0 * slope, rel=1e-9)
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=1e-13)
    data = np.zeros(len(body.indices))
    add_tangent(body, on, x, data)
    y = x + 1e-2 * d  # linear in x, so the symmetric tangent gives the whole change
    change = csr_matrix((data, body.indices, body.indptr)) @ (y - x).ravel()
    np.testing.assert_allclose(on.force(y) - force, change.reshape(x.shape), atol=1e-13)


@pytest.mark.parametrize("edge", [None, "right", "boundary"])
def test_a_couple_has_no_resultant_its_moment_about_any_point_and_the_power_of_its_spin(edge):
    body = plate(element="P2")
    on, x, v = follower(body, Couple(2.0, edge=edge)), body.X + bent(body.X), wobble(body.X)
    force = on.force(x)
    assert np.abs(force).max() > 0.1
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=1e-13)
    for about in ((0.0, 0.0), (3.0, -7.0)):
        arms = x - about
        assert np.sum(arms[:, 0] * force[:, 1] - arms[:, 1] * force[:, 0]) == pytest.approx(2.0, rel=1e-13)
    _, weighted, polar = on.arms(x)

    def spin(v):
        return np.sum(weighted[:, 0] * v[:, 1] - weighted[:, 1] * v[:, 0]) / polar

    assert np.vdot(force, v) == pytest.approx(2.0 * spin(v), rel=1e-13)
    assert spin(1.3 * turned(x) + 5.0) == pytest.approx(1.3, rel=1e-13)


def run_of(body, *loads, dt=1e-3, scheme="sdirk2", t_end=0.05, spin=6.0, frame=None, mu=None, shape=None, **options):
    start = InitialState((0.4, -0.2), spin, shape)
    given = {"foundation": None if mu is None else rough(mu), "loads": loads, "frame": frame or MeanAxis()}
    return problems.run(body, t_end, dt, scheme, initial=start, **given, **options)


def thrust(data, body, edge, normal, tangential):
    """Force and moment about the origin, at all instants, of a traction of fixed size on straight segments."""
    segments = body.edge_segments(edge)
    X, x = body.X, data.position.values
    length = np.linalg.norm(X[segments[:, 1]] - X[segments[:, 0]], axis=1)
    a, b = x[:, segments[:, 0]], x[:, segments[:, 1]]
    e = (b - a) / np.linalg.norm(b - a, axis=2, keepdims=True)
    force = (tangential * e - normal * turned(e)) * (length / length.sum())[:, None]
    middle = 0.5 * (a + b)
    moment = middle[..., 0] * force[..., 1] - middle[..., 1] * force[..., 0]
    return force.sum(axis=1), moment.sum(axis=1)


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
@pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=["mean-axis", "tisserand"])
@pytest.mark.quick("mean-axis-moreau-theta", "tisserand-sdirk2")
def test_a_couple_over_the_body_spins_it_up_and_deforms_it_only_by_its_rotation(scheme, frame):
    body = plate(E=2e6)
    J = float(np.einsum("ia,ia->", body.mass_matrix @ body.X, body.X))
    run = run_of(body, Couple(J * 20.0), spin=0.0, t_end=0.1, scheme=scheme, frame=frame)
    assert float(run.frame_spin[-1]) == pytest.approx(2.0, rel=2e-4)  # J_zz grows with the strain, ρω²L²/E = 3e-4
    assert float(run.angular_momentum[-1]) == pytest.approx(J * 2.0, rel=1e-6)
    assert float(abs(run.displacement).max()) < 1e-4 * LENGTH
    assert float(run.work_external[-1]) == pytest.approx(0.5 * J * 4.0, rel=2e-4)
    assert float(abs(run.balance_error).max()) < 1e-12


@pytest.mark.parametrize("mu", [None, 0.3], ids=["free", "rough"])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta", "explicit"])
@pytest.mark.quick(
    "sdirk2-current-free", "backward-euler-current-rough", "moreau-theta-current-free", "explicit-reference-free",
    "explicit-current-rough",
)  # fmt: skip
def test_the_energy_balance_closes_under_follower_and_couple(scheme, measure, mu):
    body = plate()
    couple = Couple(0.02, Table((0.0, 0.02, 0.02, 0.05), (0.0, 1.0, 3.0, 0.0)), edge="top")
    loads = (FollowerTraction("left", -3.0, 1.0, Ramp(0.02), measure), couple)
    run = run_of(body, *loads, scheme=scheme, mu=mu, shape=bent(body.X))
    size = float(run.energy_kinetic.max())
    assert float(run.work_external[-1]) > 0.02 * size
    assert float(abs(run.balance_error).max()) < 1e-10 * size
    assert float(run.rigid_residual.max()) < 1e-8
    assert int(run.halvings.sum()) == 0


def test_momentum_and_angular_momentum_change_by_the_followers_impulse_step_by_step():
    body, dt, normal, tangential = plate(), 1e-3, -3.0, 1.0
    run = run_of(body, FollowerTraction("left", normal, tangential), scheme="backward-euler", dt=dt, shape=bent(body.X))
    force, moment = thrust(run, body, "left", normal, tangential)
    assert np.linalg.norm(force[-1] - force[0]) > 0.3  # it has turned
    p, H = run.linear_momentum.values, run.angular_momentum.values
    np.testing.assert_allclose(np.diff(p, axis=0), dt * force[1:], atol=1e-10 * dt * 4.0)
    # x_{n+1} × M (v_{n+1} − v_n) = Δt x_{n+1} × f and x_{n+1} = x_n + Δt v_{n+1}
    Mv = np.einsum("ij,tja->tia", body.mass_matrix.toarray(), run.velocity.values)
    v = run.velocity.values[1:]
    lag = np.sum(v[..., 0] * Mv[:-1, :, 1] - v[..., 1] * Mv[:-1, :, 0], axis=1)
    np.testing.assert_allclose(np.diff(H), dt * (moment[1:] + lag), atol=1e-10 * dt)


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta", "explicit"])
def test_a_rigid_body_pushed_along_its_own_axis_runs_round_the_circle_of_its_spin(scheme):
    body = RigidBody.from_plate(plate())
    spin, force, t_end = 3.0, 2.0, 1.0
    errors = []
    for dt in (0.02, 0.01):
        run = run_of(body, FollowerTraction("left", -force), scheme=scheme, dt=dt, t_end=t_end, spin=spin)
        # a = (F/m) (cos ωt, sin ωt); the push through the centre of mass leaves the spin alone
        gained = force / 0.8 / spin * np.array([np.sin(spin * t_end), 1.0 - np.cos(spin * t_end)])
        errors.append(np.abs(run.frame_velocity[-1].values - [0.4, -0.2] - gained).max())
        np.testing.assert_allclose(run.frame_spin.values, spin, rtol=1e-12)
        assert float(abs(run.balance_error).max()) < 1e-13
    order = 1.0 if scheme == "backward-euler" else 2.0
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)
    assert errors[1] < (3e-2 if order == 1.0 else 4e-4)


def test_an_increment_with_a_follower_is_in_equilibrium_with_the_turned_force():
    body = plate(8, 2, E=2e4, element="Q1")
    push = FollowerTraction("right", 0.0, 2.0, Ramp(1.0))
    run = problems.run(body, 1.0, 0.25, "quasi-static", foundation=rough(0.5, 300.0), loads=(push,))
    force, _ = thrust(run, body, "right", 0.0, 2.0)
    assert abs(force[-1, 0]) > 1e-3  # it has turned with the edge
    np.testing.assert_allclose(run.friction_force[-1].sum("node").values, -force[-1], atol=1e-8)


def test_the_rigid_equations_carry_the_followers_so_that_the_frame_drifts_at_third_order():
    loads = (FollowerTraction("left", -3.0, 2.0), Couple(0.1))
    runs = (run_of(plate(), *loads, dt=dt, t_end=0.032) for dt in (4e-3, 2e-3, 1e-3))
    drifts = [np.abs(run.frame_drift.values[1:]).max() for run in runs]
    assert drifts[-1] > 1e-12
    orders = observed_orders(drifts)
    assert np.all((orders > 2.6) & (orders < 3.4)), orders
    assert drifts[-1] < 1e-5
