"""Clamps that turn in space: a hinge about an axis (physical pendulum, reaction, the plane code), a rigid face on a free body."""

from dataclasses import replace

import numpy as np
import pytest
from convergence import observed_orders
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk
from single_steps import initial_state, step
from solid_examples import law, solid

import fem
from floating_frame import (
    Clamped,
    EdgeLoad,
    Options,
    Problem,
    SolidForce,
    SolidInitial,
    SolidProblem,
    SpaceClamped,
    SpaceHinged,
    assemble,
    modes,
    simulate,
)  # fmt: skip
from floating_frame.frame.inertia import integrals, residual
from floating_frame.frame.kinematics import deformation
from floating_frame.system.elastic.blocks import frame_of
from friction import Coulomb, Foundation

LENGTH, WIDTH, G = 0.4, 0.1, 9.81
THROUGH = np.array([0.3, -0.2, 1.0])


def bar(young, counts=(2, 1, 1), nu=0.3):
    return solid("Q1", law("neo-hookean", nu=nu, young=young), (LENGTH, WIDTH, WIDTH), counts)


def swing(body, steps, dt, *, turn=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), rate=0.0, gravity=G, **more):
    """A bar hinged at its left end, released or spinning at ``rate`` rad/s about the axis, all of it turned by ``turn``."""
    Q = Rotation.from_rotvec(turn)
    axis, place = Q.apply(axis), THROUGH + Q.apply([LENGTH / 2, 0.0, 0.0])
    spin = rate * axis
    start = SolidInitial(
        position=place,
        rotation=np.roll(Q.as_quat(), 1),
        velocity=np.cross(spin, place - THROUGH),
        spin_space=spin,
    )
    frame = SpaceHinged("left", axis=tuple(3.0 * axis), through=tuple(THROUGH))
    problem = SolidProblem(body=body, t_end=steps * dt, frame=frame, initial=start, gravity=gravity, **more)
    return simulate(assemble(problem, Options(dt=dt)))


def turned(run):
    """Angle about +y, unwrapped."""
    w, _, y, _ = run.frame_rotation.values.T
    return np.unwrap(2.0 * np.arctan2(y, w))


def pendulum(times):
    """Angle fallen from the level at rest of the rigid bar about its end: sin(φ/2) = k sn(K − ω₀t), φ from below, k = sin 45°."""
    inertia = (LENGTH**2 + WIDTH**2) / 12.0 + (LENGTH / 2) ** 2
    rate = np.sqrt(G * LENGTH / 2 / inertia)
    sn, *_ = ellipj(ellipk(0.5) - rate * times, 0.5)
    return np.pi / 2 - 2.0 * np.arcsin(np.sqrt(0.5) * sn)


def test_a_hinged_bar_is_the_physical_pendulum_as_it_becomes_stiff():
    off = []
    for young in (2e6, 8e6):
        run = swing(bar(young), 60, 2.5e-3)
        off.append(np.abs(turned(run) - pendulum(run.time.values)).max())
    assert turned(run)[-1] > 0.3  # it has fallen
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.1)  # what it bends is as 1/E
    assert off[1] < 3e-3


def test_a_hinges_reaction_is_newtons_and_has_no_moment_about_its_axis():
    body, push = bar(1e6), np.array([0.0, 6.0, 2.0])
    run = swing(body, 40, 2e-3, loads=(SolidForce(force=push, on="right"),))
    weight = body.mass * np.array([0.0, 0.0, -G])
    assert np.abs(turned(run)).max() > 0.05
    reaction, momentum = run.clamp_reaction.values, run.linear_momentum.values
    rate = (momentum[2:] - momentum[:-2]) / 4e-3
    missed = np.abs(rate - weight - push - reaction[1:-1])[5:].max()
    assert missed < 0.05 * np.abs(reaction).max()  # of central differences
    lever = run.frame_position.values - THROUGH
    moment = run.clamp_moment.values + np.cross(lever, reaction)
    assert np.abs(moment[:, 1]).max() < 1e-8
    static = LENGTH * push[1]  # the lateral push about the vertical axis is the hinge's to bear
    assert np.abs(moment[1:, 2]).max() > 0.5 * static
    assert np.abs(run.rigid_residual.values).max() < 1e-7
    assert np.abs(run.balance_error.values).max() < 1e-9 * np.abs(run.work_external.values).max()


def test_the_clamped_face_has_no_displacement_and_its_axis_stays():
    body = bar(2e5)
    run = swing(body, 30, 4e-3, rate=5.0)
    face = body.boundary("left")
    assert np.abs(run.displacement.values[-1]).max() > 1e-3  # the rest of the body bends
    assert np.abs(run.displacement.values[:, face]).max() < 1e-14
    middle = body.X[face].mean(axis=0)
    Q = Rotation.from_quat(run.frame_rotation.values, scalar_first=True)
    assert np.abs(run.frame_position.values + Q.apply(middle) - THROUGH).max() < 1e-14
    arms = run.position.values[:, face] - THROUGH
    velocity = np.cross(run.frame_spin.values[:, None], arms)
    np.testing.assert_allclose(run.velocity.values[:, face], velocity, rtol=0, atol=1e-13)
    np.testing.assert_allclose(run.frame_spin.values[:, [0, 2]], 0.0, atol=1e-14)


def test_space_does_not_know_how_the_hinge_lies_in_it():
    """Without weight a hinged bar that is turned with its hinge, its loads and its motion moves as before, and turned."""
    turn, push, body = (0.4, -1.1, 0.7), np.array([1.0, 2.0, -3.0]), bar(1e6)
    R = Rotation.from_rotvec(turn)
    runs = [
        swing(body, 20, 3e-3, turn=by, rate=3.0, gravity=0.0, loads=(SolidForce(force=force, on="right"),))
        for by, force in (((0.0, 0.0, 0.0), push), (turn, R.apply(push)))
    ]
    assert abs(turned(runs[0])[-1]) > 0.1
    for name, size in (("frame_spin", 1e-9), ("clamp_reaction", 1e-7), ("clamp_moment", 1e-7)):
        np.testing.assert_allclose(runs[1][name].values, R.apply(runs[0][name].values), rtol=0, atol=size)
    np.testing.assert_allclose(runs[1].displacement.values, runs[0].displacement.values, rtol=0, atol=1e-11)


def across(dt, steps, push=(0.0, 40.0), young=1e6, cells=(3, 2)):
    """A layer without Poisson's ratio hinged about z in space, and the plate of the plane code on a clamp that may turn."""
    materials = fem.NeoHookean(young, 0.0, "strain"), fem.NeoHookean(young, 0.0)
    mesh = fem.rectangle(LENGTH, 0.2, *cells, "quadrilateral")
    plate = fem.Plate.build(mesh, thickness=WIDTH, density=1200.0, material=materials[0], element="Q1")
    plane = Problem(
        body=plate,
        t_end=steps * dt,
        foundation=Foundation(law=Coulomb(), mu=0.0, pressure=0.0),
        loads=(EdgeLoad("right", force=push),),
        frame=Clamped("left", free=("angle",)),
    )
    body = fem.Solid.build(fem.box(LENGTH, 0.2, WIDTH, *cells, 1), density=1200.0, material=materials[1])
    space = SolidProblem(
        body=body,
        t_end=steps * dt,
        gravity=0.0,
        frame=SpaceHinged("left", axis=(0.0, 0.0, 1.0)),
        loads=(SolidForce(force=(*push, 0.0), on="right"),),
    )
    flat, run = (simulate(assemble(problem, Options(dt=dt, tolerance=1e-12))) for problem in (plane, space))
    w, _, _, z = run.frame_rotation.values.T
    return flat.frame_angle.values, 2.0 * np.arctan2(z, w), flat.clamp_reaction.values, run.clamp_reaction.values[:, :2]


def test_a_hinge_across_the_plane_is_the_plane_codes_clamp_that_turns():
    """Both are of order two; they differ by how a stage accelerates the clamp's nodes: by the frame's rates, or its velocities'."""
    coarse, fine = across(4e-3, 10), across(2e-3, 20)
    assert fine[0][-1] > 0.01
    error = np.abs(coarse[0][1:] - fine[0][2::2]).max()  # about three times the fine run's error of time
    for flat, space, _, _ in (coarse, fine):
        assert np.abs(space - flat).max() < 1e-3 * error
    assert np.abs(fine[1] - fine[0]).max() < 0.5 * np.abs(coarse[1] - coarse[0]).max()
    np.testing.assert_allclose(fine[3], fine[2], rtol=0, atol=1e-3 * np.abs(fine[2]).max())


def test_a_rigid_face_on_a_free_body_has_no_resultant_and_keeps_the_momenta():
    body = solid("Q1", law("neo-hookean", young=2e5), (0.3, 0.2, 0.1), (3, 2, 1))
    u = np.zeros_like(body.X)
    u[:, 0] = 0.05 * (body.X[:, 0] + 0.15) ** 2 / 0.3
    start = SolidInitial(velocity=(1.0, 0.0, 0.5), spin_space=(2.0, -3.0, 8.0), displacement=u)
    frame = SpaceClamped("left", free=("x", "y", "z", "rotation"))
    run = simulate(
        assemble(SolidProblem(body=body, t_end=0.06, gravity=0.0, frame=frame, initial=start), Options(dt=2e-3))
    )
    face = body.boundary("left")
    assert np.abs(np.diff(run.frame_spin.values, axis=0)).max() > 0.1
    assert np.abs(run.displacement.values[:, face]).max() < 1e-14
    momentum, turning = run.linear_momentum.values, run.angular_momentum.values
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (31, 1)), rtol=0, atol=1e-8 * np.abs(momentum).max())
    assert np.linalg.norm(turning - turning[0], axis=1).max() < 0.01 * np.linalg.norm(turning[0])
    assert max(np.abs(run.clamp_reaction.values).max(), np.abs(run.clamp_moment.values).max()) < 1e-7
    assert np.abs(run.rigid_residual.values).max() < 1e-7


@pytest.mark.parametrize("kind", ["hinged", "rigid face"])
def test_each_term_of_the_rigid_equations_is_seen_on_a_clamp_that_turns(kind):
    """A, P and B are not zero there: (2.3)1 and (2.3)2 hold with the clamp's reaction, and with no term left out."""
    body, place = bar(2e5, counts=(3, 1, 1)), THROUGH + np.array([LENGTH / 2, 0.0, 0.0])
    frame, spin, velocity = {
        "hinged": (SpaceHinged("left", through=tuple(THROUGH)), (0.0, 6.0, 0.0), (0.0, 0.0, -6.0 * LENGTH / 2)),
        "rigid face": (SpaceClamped("left", free=("x", "y", "z", "rotation")), (3.0, 6.0, -4.0), (1.0, 0.0, 2.0)),
    }[kind]
    start = SolidInitial(position=place, velocity=velocity, spin_space=spin)
    push = SolidForce(force=(2.0, 6.0, -1.0), on="right")
    model = assemble(SolidProblem(body=body, t_end=1.0, frame=frame, initial=start, loads=(push,)), Options(dt=3e-3))
    state = initial_state(model)
    for _ in range(15):
        state, _ = step(model, state, 3e-3)
    motion = frame_of(state.motion)
    split = deformation(body.X, state.position, state.velocity, state.acceleration, motion)
    values, net = integrals(body.mass_matrix, body.X, split), model.system.results.resultant(state, motion.origin)
    rest, size = residual(values, motion, net)
    assert np.abs(rest).max() < 1e-9 * size.min()
    for name in ("A", "P", "B", "J_rate", "k", "L"):
        without = replace(values, **{name: np.zeros_like(getattr(values, name))})
        missed, _ = residual(without, motion, net)
        assert max(np.abs(missed[:3]).max() / size[0], np.abs(missed[3:]).max() / size[1]) > 0.01, name


def test_natural_modes_of_a_hinged_bar_are_those_of_a_pinned_free_beam():
    body = solid("Q1", law(nu=0.0), (1.0, 0.05, 0.05), (16, 1, 1))
    hinge = SpaceHinged("left", axis=(0.0, 1.0, 0.0), through=(-0.5, 0.0, 0.0))
    found = modes(assemble(SolidProblem(body=body, t_end=1.0, frame=hinge), Options(dt=1e-2)), 2)
    assert found.attrs["rigid_modes"] == 1
    wave = np.sqrt(2e6 / 1200.0) * 0.05 / np.sqrt(12) / (2 * np.pi)
    assert float(found.frequency[0]) == pytest.approx(1.875104**2 * wave, rel=5e-3)  # across: clamped
    assert float(found.frequency[1]) == pytest.approx(
        3.926602**2 * wave, rel=1.5e-2
    )  # about the hinge: pinned and free


def test_a_hinged_bar_falls_on_the_ground_like_a_drawbridge():
    body = bar(1e6, counts=(3, 1, 1))
    frame = SpaceHinged("left", through=(-LENGTH / 2, 0.0, 0.06))
    problem = SolidProblem(
        body=body, t_end=0.1, gravity=50.0, frame=frame, contact="bottom", mu=0.3,
        initial=SolidInitial(position=(0.0, 0.0, 0.06)),
    )  # fmt: skip
    run = simulate(assemble(problem, Options(dt=2e-3)))
    assert run.normal_force.values[-1].max() > 0.0
    assert run.position.values[:, problem.standing.nodes, 2].min() > -1e-14
    assert turned(run)[-1] > 0.01
    assert np.abs(run.balance_error.values).max() < 1e-8


@pytest.mark.slow
def test_the_attitude_of_a_clamp_that_turns_is_of_order_two():
    runs = [swing(bar(2e5), n, 0.12 / n, rate=6.0) for n in (60, 120, 240, 480)]
    ends = np.array([(turned(run)[-1], float(run.frame_spin[-1, 1])) for run in runs])
    assert abs(ends[-1, 0]) > 0.5
    orders = observed_orders(np.abs(np.diff(ends, axis=0)))
    assert np.all(orders[-1] > 1.7)
    assert np.all(orders[-1] < 2.6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SpaceClamped("left", free=("rotation",)), "is free along x, y and z, too"),
        (lambda: SpaceHinged("left", axis=(0.0, 0.0, 0.0)), "the axis of a hinge needs a direction"),
        (lambda: SpaceHinged("left", axis=(1.0, 0.0)), "the axis of a hinge"),
        (lambda: SpaceHinged("left", through=(np.nan, 0.0, 0.0)), "the point on a hinge's axis"),
    ],
)
def test_clamps_that_mean_nothing_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_hinged_body_that_begins_off_its_hinge_is_told_the_velocity():
    spin = SolidInitial(spin_space=(1.0, 4.0, 0.0))
    hinge = SpaceHinged("left", through=(-0.2, 0.0, 0.0))
    with pytest.raises(ValueError, match=r"with spin_space \(0, 4, 0\) rad/s .* has the velocity \(0, 0, -0.8\) m/s"):
        SolidProblem(body=bar(1e6), t_end=1.0, frame=hinge, initial=spin)
    told = SolidInitial(spin_space=(0.0, 4.0, 0.0), velocity=(0.0, 0.0, -0.8))
    SolidProblem(body=bar(1e6), t_end=1.0, frame=hinge, initial=told)
