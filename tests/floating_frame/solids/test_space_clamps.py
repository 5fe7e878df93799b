"""Clamps of solids in space: a face held, free along an axis, hinged (pendulum, the plane code), or rigid on a free body."""

import numpy as np
import pytest
from ff_examples import pulled
from problems import assembled, run
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk
from solid_examples import law, solid

import fem
from floating_frame import Clamped, MeanAxis, Ramp, SpaceClamped, SpaceHinged, modes
from friction import Coulomb, Foundation

LENGTH, WIDTH, G = 0.4, 0.1, 9.81
THROUGH = np.array([0.3, -0.2, 1.0])
FREE_FACE = SpaceClamped("left", free=("x", "y", "z", "rotation"))


def bar(young=1e6, counts=(2, 1, 1)):
    return solid("Q1", law("neo-hookean", young=young), (LENGTH, WIDTH, WIDTH), counts)


def test_long_steps_of_backward_euler_end_in_the_static_bending_and_its_reaction():
    body, force = bar(counts=(4, 1, 1)), np.array([0.0, 3.0, -20.0])
    data = run(body, 20.0, 0.5, "backward-euler", frame=SpaceClamped("left"), gravity=2.0, **pulled(force, Ramp(1.0)))
    face, held = body.boundary("left"), np.zeros(body.X.shape, bool)
    held[face] = True
    weight = np.outer(np.asarray(body.mass_matrix.sum(axis=1)).ravel(), [0.0, 0.0, -2.0])
    static = fem.equilibrium(body, weight + np.outer(body.edge_shape("right"), force), held)
    assert np.abs(static.displacement).max() > 0.01
    np.testing.assert_allclose(data.displacement.values[-1], static.displacement, rtol=0, atol=1e-7)
    np.testing.assert_allclose(data.clamp_reaction.values[-1], static.reactions.sum(axis=0), rtol=0, atol=1e-4)
    assert np.all(data.velocity.values[:, face] == 0.0)
    # later its terms are next to nothing beside the loads that cancel
    assert data.rigid_residual.values[:5].max() < 1e-7
    assert np.abs(data.balance_error.values).max() < 1e-8 * float(data.work_external[-1])


def test_a_guide_that_is_free_along_x_moves_as_newton_says_and_carries_the_rest():
    body, guide = bar(counts=(4, 1, 1)), SpaceClamped("left", free=("x",))
    data = run(body, 0.06, 2e-3, "backward-euler", frame=guide, gravity=0.0, **pulled((5.0, 4.0, 0.0)))
    momentum, reaction = data.linear_momentum.values, data.clamp_reaction.values
    np.testing.assert_allclose(momentum[-1, 0], 5.0 * 0.06, rtol=1e-9)
    assert np.abs(reaction[:, 0]).max() < 1e-7
    np.testing.assert_allclose(np.diff(momentum[:, 1]) / 2e-3, 4.0 + reaction[1:, 1], rtol=0, atol=1e-7)
    face = body.boundary("left")
    assert float(data.frame_position[-1, 0] - data.frame_position[0, 0]) > 1e-3
    assert np.ptp(data.position.values[-1, face] - data.position.values[0, face], axis=0).max() < 1e-15
    np.testing.assert_array_equal(data.frame_rotation.values, np.tile([1.0, 0, 0, 0], (31, 1)))
    assert np.abs(data.displacement.values[:, face]).max() < 1e-15
    assert np.abs(data.balance_error.values).max() < 1e-9 * float(data.work_external[-1])


def test_natural_modes_of_free_clamped_and_hinged_bars_are_those_of_beams():
    body = solid("Q1", law(nu=0.0), (1.0, 0.05, 0.05), (16, 1, 1))
    wave = np.sqrt(2e6 / 1200.0) * 0.05 / np.sqrt(12) / (2 * np.pi)

    def computed(frame, count=2):
        return modes(assembled(body, 1.0, 1e-2, frame=frame), count)

    free = computed(MeanAxis(), 1)
    assert free.attrs["rigid_modes"] == 6
    assert float(free.frequency[0]) == pytest.approx(4.730041**2 * wave, rel=1.5e-2)
    clamped = computed(SpaceClamped("left"), 4)
    assert float(clamped.frequency[0]) == pytest.approx(1.875104**2 * wave, rel=5e-3)
    assert np.abs(clamped["shape"].values[:, body.boundary("left")]).max() == 0.0
    assert computed(SpaceClamped("left", free=("z",))).attrs["rigid_modes"] == 1
    hinged = computed(SpaceHinged("left", axis=(0.0, 1.0, 0.0), through=(-0.5, 0.0, 0.0)))
    assert hinged.attrs["rigid_modes"] == 1
    # across: clamped; about the hinge: pinned and free
    assert float(hinged.frequency[0]) == pytest.approx(1.875104**2 * wave, rel=5e-3)
    assert float(hinged.frequency[1]) == pytest.approx(3.926602**2 * wave, rel=1.5e-2)


def swing(body, steps, dt, *, turn=(0.0, 0.0, 0.0), rate=0.0, **more):
    """A bar hinged at its left end, released or spinning at ``rate`` rad/s about +y, all of it turned by ``turn``."""
    Q = Rotation.from_rotvec(turn)
    axis, place = Q.apply((0.0, 1.0, 0.0)), THROUGH + Q.apply([LENGTH / 2, 0.0, 0.0])
    start = {"position": place, "rotation": np.roll(Q.as_quat(), 1), "spin": rate * axis}
    start |= {"velocity": np.cross(rate * axis, place - THROUGH)}
    frame = SpaceHinged("left", axis=tuple(3.0 * axis), through=tuple(THROUGH))
    return run(body, steps * dt, dt, frame=frame, **start, **more)


def turned(data):
    """Angle about +y, unwrapped."""
    w, _, y, _ = data.frame_rotation.values.T
    return np.unwrap(2.0 * np.arctan2(y, w))


def test_a_hinged_bar_is_the_physical_pendulum_as_it_becomes_stiff():
    """The angle fallen of the rigid bar about its end: sin(φ/2) = k sn(K − ω₀t), φ from below, k = sin 45°."""
    off, omega = [], np.sqrt(G * LENGTH / 2 / ((LENGTH**2 + WIDTH**2) / 12.0 + (LENGTH / 2) ** 2))
    for young in (2e6, 8e6):
        data = swing(bar(young), 60, 2.5e-3)
        sn, *_ = ellipj(ellipk(0.5) - omega * data.time.values, 0.5)
        off.append(np.abs(turned(data) - np.pi / 2 + 2.0 * np.arcsin(np.sqrt(0.5) * sn)).max())
    assert turned(data)[-1] > 0.3  # it has fallen
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.1)  # what it bends is as 1/E
    assert off[1] < 3e-3


def test_a_hinges_reaction_is_newtons_and_has_no_moment_about_its_axis():
    body, push = bar(), np.array([0.0, 6.0, 2.0])
    data = swing(body, 40, 2e-3, **pulled(push))
    assert np.abs(turned(data)).max() > 0.05
    reaction, momentum = data.clamp_reaction.values, data.linear_momentum.values
    rate = (momentum[2:] - momentum[:-2]) / 4e-3
    missed = np.abs(rate - [0.0, 0.0, -body.mass * G] - push - reaction[1:-1])[5:].max()
    assert missed < 0.05 * np.abs(reaction).max()  # of central differences
    moment = data.clamp_moment.values + np.cross(data.frame_position.values - THROUGH, reaction)
    assert np.abs(moment[:, 1]).max() < 1e-8
    # the lateral push about the vertical axis is the hinge's to bear
    assert np.abs(moment[1:, 2]).max() > 0.5 * LENGTH * push[1]
    assert np.abs(data.rigid_residual.values).max() < 1e-7
    assert np.abs(data.balance_error.values).max() < 1e-9 * np.abs(data.work_external.values).max()


def test_the_clamped_face_has_no_displacement_and_its_axis_stays():
    body = bar(2e5)
    data, face = swing(body, 30, 4e-3, rate=5.0), body.boundary("left")
    assert np.abs(data.displacement.values[-1]).max() > 1e-3  # the rest of the body bends
    assert np.abs(data.displacement.values[:, face]).max() < 1e-14
    Q = Rotation.from_quat(data.frame_rotation.values, scalar_first=True)
    assert np.abs(data.frame_position.values + Q.apply(body.X[face].mean(axis=0)) - THROUGH).max() < 1e-14
    velocity = np.cross(data.frame_spin.values[:, None], data.position.values[:, face] - THROUGH)
    np.testing.assert_allclose(data.velocity.values[:, face], velocity, rtol=0, atol=1e-13)
    np.testing.assert_allclose(data.frame_spin.values[:, [0, 2]], 0.0, atol=1e-14)


def test_space_does_not_know_how_the_hinge_lies_in_it():
    """Without weight a hinged bar that is turned with its hinge, its loads and its motion moves as before, and turned."""
    turn, push = (0.4, -1.1, 0.7), np.array([1.0, 2.0, -3.0])
    R = Rotation.from_rotvec(turn)
    cases = ((0.0, 0.0, 0.0), push), (turn, R.apply(push))
    runs = [swing(bar(), 20, 3e-3, turn=by, rate=3.0, gravity=0.0, **pulled(force)) for by, force in cases]
    assert abs(turned(runs[0])[-1]) > 0.1
    for name, size in (("frame_spin", 1e-9), ("clamp_reaction", 1e-7), ("clamp_moment", 1e-7)):
        np.testing.assert_allclose(runs[1][name].values, R.apply(runs[0][name].values), rtol=0, atol=size)
    np.testing.assert_allclose(runs[1].displacement.values, runs[0].displacement.values, rtol=0, atol=1e-11)


def across(dt, steps, push=(0.0, 40.0)):
    """A layer without Poisson's ratio hinged about z in space, and the plate of the plane code on a clamp that may turn: angle and
    reaction of each."""
    mesh, cells = fem.rectangle(LENGTH, 0.2, 3, 2, "quadrilateral"), fem.box(LENGTH, 0.2, WIDTH, 3, 2, 1)
    strained = fem.NeoHookean(1e6, 0.0, "strain")
    plate = fem.Plate.build(mesh, thickness=WIDTH, density=1200.0, material=strained, element="Q1")
    body = fem.Solid.build(cells, density=1200.0, material=fem.NeoHookean(1e6, 0.0))
    bare, hinge = Foundation(law=Coulomb(), mu=0.0, pressure=0.0), SpaceHinged("left", axis=(0.0, 0.0, 1.0))
    given = {"t_end": steps * dt, "dt": dt, "tolerance": 1e-12}
    flat = run(plate, **given, foundation=bare, frame=Clamped("left", free=("angle",)), **pulled(push))
    data = run(body, **given, gravity=0.0, frame=hinge, **pulled((*push, 0.0)))
    w, _, _, z = data.frame_rotation.values.T
    reactions = flat.clamp_reaction.values, data.clamp_reaction.values[:, :2]
    return flat.frame_angle.values, 2.0 * np.arctan2(z, w), *reactions


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
    start = {"velocity": (1.0, 0.0, 0.5), "spin": (2.0, -3.0, 8.0), "displacement": u, "gravity": 0.0}
    data = run(body, 0.06, 2e-3, frame=FREE_FACE, **start)
    assert np.abs(np.diff(data.frame_spin.values, axis=0)).max() > 0.1
    assert np.abs(data.displacement.values[:, body.boundary("left")]).max() < 1e-14
    momentum, turning = data.linear_momentum.values, data.angular_momentum.values
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (31, 1)), rtol=0, atol=1e-8 * np.abs(momentum).max())
    assert np.linalg.norm(turning - turning[0], axis=1).max() < 0.01 * np.linalg.norm(turning[0])
    assert max(np.abs(data.clamp_reaction.values).max(), np.abs(data.clamp_moment.values).max()) < 1e-7
    assert np.abs(data.rigid_residual.values).max() < 1e-7


FALLS = {
    "clamped": (SpaceClamped("left"), 0.055, 100.0),
    "hinged, like a drawbridge": (SpaceHinged("left", through=(-LENGTH / 2, 0.0, 0.06)), 0.06, 50.0),
}


@pytest.mark.parametrize("kind", FALLS)
def test_a_bar_falls_on_the_ground_with_its_free_end(kind):
    (frame, height, gravity), body = FALLS[kind], bar(counts=(3, 1, 1))
    ground = {"face": "bottom", "mu": 0.3, "position": (0.0, 0.0, height)}
    data = run(body, 0.1, 2e-3, frame=frame, gravity=gravity, **ground)
    assert data.normal_force.values[-1].max() > 0.0
    touching = np.setdiff1d(body.boundary("bottom"), body.boundary("left"))
    assert data.position.values[:, touching, 2].min() > -1e-14
    assert kind == "clamped" or turned(data)[-1] > 0.01
    assert np.abs(data.balance_error.values).max() < 1e-8
