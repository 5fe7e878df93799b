"""The rigid equations of a clamped frame, (3.4)1 with A, P, B, L that do not vanish and (3.12); its reaction and its ledger."""

import numpy as np
import pytest
from ff_examples import assert_coulombs_graph, plate, rough
from ff_records import record
from problems import assembled, run
from single_steps import initial_state, step

import fem
from floating_frame import Clamped, Couple, EdgeLoad, FollowerTraction, InitialState, Ramp, simulate
from floating_frame.frame import inertia
from floating_frame.frame.kinematics import FrameMotion, deformation
from floating_frame.frame.rigid_modes import resultant
from friction import Coulomb, Foundation

LOADS = (EdgeLoad("left", (3.5, 0.0), Ramp(0.03, 0.1)), EdgeLoad("right", (0.6, 0.25), Ramp(0.03, 0.1)))
FREE = {"x": ("x",), "all": ("x", "y", "angle"), "driven": ("x",)}


def clamped(kind, *, dt=2e-3, scheme="sdirk2", t_end=0.2, mu=0.5, material=None, loads=LOADS):
    turning = {"angle": lambda t: 3.0 * np.sin(20.0 * t)}
    frame = Clamped("left", FREE[kind], turning if kind == "driven" else {})
    return assembled(plate(material=material), t_end, dt, scheme, foundation=rough(mu), loads=loads, frame=frame)


def states(model, dt):
    """All states of a run that is taken step by step."""
    computed = [initial_state(model)]
    while computed[-1].time < model.problem.t_end - 1e-9:
        end = dt * len(computed)
        computed.append(step(model, computed[-1], dt, end)[0])
    return computed


def integrals(model, state):
    split = deformation(model.body.X, state.position, state.velocity, state.acceleration, state.frame.floating)
    return inertia.integrals(model.mass.matrix, model.body.X, split)


def test_a_clamp_free_along_x_obeys_3_12_at_every_step_and_b_is_a_large_part_of_it():
    """M x0'' = F_x + F_Cx − B_x, with F_x the loads and the friction summed here by hand; through stick, slip and arrest."""
    model = clamped("x", t_end=0.3)
    run = states(model, 4e-3)
    moving = [s for s in run if abs(s.frame.rates[0]) > 1e-6]
    assert 20 < len(moving) < len(run) - 10
    share = []
    for state in run:
        b_x = integrals(model, state).B[0]
        f_x = model.loads.nodal_force(state.time)[:, 0].sum() - state.multiplier[:, 0].sum()
        if state.time == 0.0:
            f_x = 0.0 - state.multiplier[:, 0].sum()
        left = model.mass.total * state.frame.accelerations[0]
        scale = max(abs(left), abs(f_x), abs(b_x), float(model.system.friction.bound(0.0).sum()))
        assert abs(left - (f_x - b_x)) < 2e-9 * scale
        share.append(abs(b_x) / scale)
    assert max(share) > 0.3
    assert run[-1].sticking().all()


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
@pytest.mark.parametrize("kind", list(FREE))
@pytest.mark.quick("x-sdirk2", "all-moreau-theta", "driven-backward-euler")
def test_all_of_3_4_holds_with_a_clamp_at_solver_tolerance(kind, scheme):
    data = simulate(clamped(kind, scheme=scheme, dt=4e-3))
    assert float(np.abs(data.rigid_residual).max()) < 5e-9
    mass, radius = 0.8, 0.13
    assert np.abs(data.A.values).max() > 2e-4 * mass
    assert np.abs(data.P.values).max() > 1e-2 * mass
    assert np.abs(data.B.values).max() > 0.5
    assert np.abs(data.L.values).max() > 0.1 * radius
    assert np.ptp(data.J_zz.values) > 1e-4 * data.J_zz.values[0]
    assert not np.any(data.displacement.values[:, data.X.values[:, 0] < -0.1999] > 1e-15)
    free = FREE[kind]
    reaction = np.abs(np.column_stack([data.clamp_reaction.values, data.clamp_moment.values])).max(axis=0)
    for name, size in zip(("x", "y", "angle"), reaction, strict=True):
        assert (size == 0.0) if name in free else (size > 2e-3)
    assert_coulombs_graph(data)


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
@pytest.mark.parametrize("material", [None, fem.SmallStrain(2e4, 0.3)], ids=["st-venant-kirchhoff", "small-strain"])
@pytest.mark.quick("st-venant-kirchhoff-sdirk2", "st-venant-kirchhoff-backward-euler", "small-strain-moreau-theta")
def test_the_ledger_closes_with_the_work_of_a_driving_clamp(scheme, material):
    """The clamp is the only drive here, so all work is the reaction's, ∫ R·q' dt, by quadrature over the instants."""
    model = clamped("driven", scheme=scheme, dt=4e-3, material=material, loads=())
    data = simulate(model)
    work = data.work_external.values
    assert np.abs(work).max() > 0.05
    assert float(np.abs(data.balance_error).max()) < 1e-9 * np.abs(work).max()
    power = data.clamp_moment.values * data.frame_spin.values
    rough_work = np.trapezoid(power, data.time.values)
    assert abs(work[-1] - rough_work) < 0.1 * np.abs(work).max()
    assert data.dissipation_friction.values[-1] > 0.5 * np.abs(work).max()
    assert np.all(np.diff(data.dissipation_friction.values) >= 0.0)
    assert abs(data.dissipation_numerical.values[-1]) < 0.1 * np.abs(work).max()


def test_a_clamp_node_that_carries_much_weight_stays_exactly_at_rest_while_the_plate_turns_about_it():
    body = plate(6, 4, E=2e5)
    clamp = body.boundary("left")
    anchor = int(clamp[np.argmax(body.X[clamp, 1])])
    mu = np.full(len(body.X), 0.05)
    mu[anchor] = 100.0
    loads = (EdgeLoad("right", (0.0, 1.0), Ramp(0.02, 1.0)),)
    data = run(body, 0.24, 4e-3, foundation=rough(mu), loads=loads, frame=Clamped("left", FREE["all"]))
    assert 0.05 < data.frame_angle.values[-1] < 0.3
    assert data.stick.values[:, anchor].all()
    assert not np.any(data.velocity.values[:, anchor])
    others = np.setdiff1d(clamp, anchor)
    assert not data.stick.values[-1, others].any()
    moved = np.abs(data.position.values[-1, anchor] - body.X[anchor])
    assert moved.max() < 1e-3 * data.frame_angle.values[-1] + 1e-7 * np.abs(body.X).max()
    assert data.passes.values[1:].mean() < 7.5  # rates that turn about the node, not ones that chase it to the last bit
    held = np.hypot(*data.friction_force.values[-1, anchor])
    assert 10.0 * data.friction_weight.values[others].max() < held < data.friction_weight.values[anchor]
    assert float(np.abs(data.rigid_residual).max()) < 5e-9
    assert float(np.abs(data.balance_error).max()) < 1e-10


def test_a_step_of_a_sliding_clamped_plate_costs_few_factorisations():
    given = {"foundation": rough(), "frame": Clamped("left", FREE["all"]), "initial": InitialState((1.0, 0.3), 8.0)}
    data = run(plate(), 0.1, 2e-3, **given)
    assert not data.stick.values.any()
    assert data.factorisations.values[1:].mean() < 2.1  # two stages; one factor serves both and S, where it contracts
    assert 2.0 <= data.passes.values[1:].mean() < 8.0
    assert data.fallbacks.values.sum() == 0


@pytest.mark.parametrize("free", [("x",), ("x", "y", "angle")], ids=str)
def test_a_clamped_plate_thrown_along_its_guide_stops_as_a_rigid_body_without_a_spurious_reversal(free):
    """Uniform pressure: friction is a constant body force while all slides, and takes no part in the deformation (case B)."""
    speed, deceleration = 0.6, 0.3 * 98.1 / (1000.0 * 0.01)
    stop, distance = speed / deceleration, speed**2 / (2.0 * deceleration)
    worst = 0.0
    for dt in (4.1e-3, 3.3e-3):
        given = {"foundation": rough(), "frame": Clamped("left", free), "initial": InitialState((speed, 0.0))}
        data = run(plate(), 1.2 * stop, dt, **given)
        v = data.velocity.values[..., 0]
        assert v.min() >= 0.0
        assert data.stick.values[-1].all()
        assert np.abs(data.displacement.values).max() < 1e-11
        moving = data.time.values[~data.stick.values.all(axis=1)]
        assert abs(moving[-1] - stop) < dt
        worst = max(worst, abs(float(data.frame_position[-1, 0]) - distance) / (deceleration * dt**2))
    assert 1e-3 < worst < 0.1  # 0.04 Δt² w/m for a block


def quasi_static(pull, free=("x",), **more):
    given = {"foundation": rough(0.5), "loads": (EdgeLoad("right", pull, Ramp(1.0)),)}
    return run(plate(), 1.0, 0.05, "quasi-static", frame=Clamped("left", free, **more), **given)


def test_a_quasi_static_clamp_holds_across_its_guide_and_slips_at_the_friction_of_the_whole_plate():
    """Free along x the limit load is μ p times the area, 3.924 N, whatever the lateral pull, which the guide takes up."""
    weight = 0.5 * 98.1 * 0.4 * 0.2
    data = quasi_static((0.9 * weight, 1.0))
    assert data.complete == 1
    assert float(np.abs(data.rigid_residual).max()) < 1e-8
    assert float(np.abs(data.balance_error).max()) < 1e-9 * float(data.work_external[-1])
    friction = data.friction_force.values[-1].sum(axis=0)
    np.testing.assert_allclose(friction[0], -0.9 * weight, rtol=1e-8)
    np.testing.assert_allclose(data.clamp_reaction.values[-1], [0.0, -1.0 - friction[1]], rtol=1e-8)
    with pytest.raises(RuntimeError, match=r"limit load: at t = 0.95 the load is 1.045 times"):
        quasi_static((1.1 * weight, 1.0))


@pytest.mark.parametrize("free", [("y",), ()], ids=str)
def test_a_quasi_static_clamp_follows_its_prescribed_motion_and_drags_the_plate(free):
    data = quasi_static((0.0, 0.0), free=free, rates={"x": lambda t: 0.05})
    np.testing.assert_allclose(data.frame_position.values[-1, 0], 0.05, rtol=1e-12)
    assert not data.stick.values[-1].any()  # all of it follows, so the clamp drags against all friction
    np.testing.assert_allclose(data.clamp_reaction.values[-1, 0], 0.5 * 98.1 * 0.08, rtol=2e-3)
    assert float(np.abs(data.balance_error).max()) < 1e-9 * float(data.work_external[-1])


def test_the_first_instant_has_the_accelerations_of_the_prescribed_motion():
    rates = {"x": lambda t: 2.0 * t, "angle": lambda t: 5.0 * t}
    model = assembled(plate(), 0.1, 1e-3, foundation=rough(0.5), frame=Clamped("left", ("y",), rates))
    state = initial_state(model)
    reaction = np.concatenate(record(model, state, "reaction").driving[1:])
    np.testing.assert_allclose(state.frame.accelerations[[0, 2]], [2.0, 5.0], rtol=1e-9)
    motion = FrameMotion(np.zeros(3), np.zeros(3), state.frame.accelerations).floating
    net = resultant(-state.multiplier, state.position, np.zeros(2)) + reaction
    rest, size = inertia.residual(integrals(model, state), motion, net)
    assert np.abs(rest).max() < 1e-9 * size.max()
    assert np.abs(reaction[[0, 2]]).min() > 1e-3


def test_a_clamped_plate_on_a_belt_is_carried_by_it_at_rest_to_the_last_bit():
    """Free to move with the belt it has no reason to slip; held across it, the guide takes μ p A up."""
    carried, across = (Foundation(Coulomb(), 0.3, 98.1, ground_velocity=v) for v in ((0.2, 0.1), (0.0, 0.4)))
    data = run(plate(), 0.1, 2e-3, foundation=carried, velocity=(0.2, 0.1), frame=Clamped("left", FREE["all"]))
    assert data.stick.values.all()
    displacement = data.position.values[-1] - data.X.values
    np.testing.assert_allclose(displacement, [[0.02, 0.01]] * data.sizes["node"], rtol=1e-12)
    data = run(plate(E=2e6), 1.0, 1e-2, "backward-euler", foundation=across, frame=Clamped("left"))
    np.testing.assert_allclose(data.clamp_reaction.values[-1], [0.0, -0.3 * 98.1 * 0.08], rtol=1e-3, atol=1e-9)
    assert float(data.work_external[-1]) > 0.5 * 0.4 * 0.3 * 98.1 * 0.08  # the belt's
    assert float(np.abs(data.balance_error).max()) < 1e-9


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
@pytest.mark.parametrize("free", [("x", "angle"), ()], ids=str)
@pytest.mark.quick("('x', 'angle')-moreau-theta", "()-sdirk2", "()-backward-euler")
def test_loads_that_follow_a_clamped_plate_are_those_of_its_final_shape(free, scheme):
    given = {"foundation": rough(0.1), "frame": Clamped("left", free)}
    loads = (FollowerTraction("right", 0.5, 0.5, Ramp(0.05, 1.0)), Couple(0.05, Ramp(0.05, 1.0)))
    data = run(plate(), 0.1, 4e-3, scheme, loads=loads, **given)
    assert np.abs(data.displacement.values).max() > 5e-3
    assert float(np.abs(data.rigid_residual).max()) < 1e-6
    assert float(np.abs(data.balance_error).max()) < 1e-7 * float(data.work_external[-1])
