"""The free beam in its floating frame, (3.15) and (3.17): conservation, frames, centrifugal tension, rigid limit, stick."""

import numpy as np
import pytest
import scipy.linalg
from beam_examples import axis, ground
from convergence import observed_orders
from problems import run
from skfem import Basis, BilinearForm, ElementLineHermite, MeshLine

from floating_frame import BeamProblem, InitialState, LateralLoad, Options, Ramp, RigidBody, assemble, simulate
from floating_frame.frame.chord import BEAM_FRAMES

THROWN = InitialState(velocity=(0.5, 0.8), spin=4.0)


def kicked(frame="mean-axis", n=50, **given):
    """A soft beam, thrown and hit at its right end: w reaches a seventh of the length, the frame turns by 1.1 rad."""
    given |= {"foundation": ground(), "loads": (LateralLoad(5.0, "tip", Ramp(0.0, 0.1)),)}
    start = InitialState(velocity=(0.3, 0.0), spin=1.0)
    return run(axis(12, 2e7), 0.2, 0.2 / n, frame=BEAM_FRAMES[frame](), initial=start, **given)


@pytest.fixture(scope="module")
def by_frame():
    return {frame: kicked(frame) for frame in BEAM_FRAMES}


def bent(body, mode, amplitude):
    """Displacement (P, 2) of the axis, bent by amplitude × mode (2N,), inextensible to second order."""
    w, h = amplitude * mode, body.beam.element_length
    slope, middle = w[1::2], 1.5 * np.diff(w[0::2]) / h - 0.25 * (w[1:-2:2] + w[3::2])
    shortening = h / 6 * (slope[:-1] ** 2 + 4 * middle**2 + slope[1:] ** 2) / 2
    along = -np.concatenate([[0.0], np.cumsum(shortening)])
    u = np.zeros_like(body.X)
    u[0::2] = np.column_stack([along - along.mean(), w[0::2]])
    u[1::2] = u[0::2] + h * np.column_stack([-0.5 * slope**2, slope])
    return u


@BilinearForm
def drawn(u, v, w):
    return w.axial * u.grad[0] * v.grad[0]


def geometric_stiffness(beam, axial):
    """∫ N φ_i' φ_j' dX (2N, 2N), the weak form of −(N w')'; `axial`: X (n,), m -> N (n,), N, tension positive."""
    basis = Basis(MeshLine(beam.X[:, 0]), ElementLineHermite(), intorder=7)
    order = basis.nodal_dofs.T.ravel()
    return drawn.assemble(basis, axial=axial(np.asarray(basis.global_coordinates()[0])))[order][:, order]


def first_mode(line, spin):
    """(frequency, the same without the axial force, mode (2N,) of largest deflection 1) of the free beam spinning at `spin`."""
    tension = geometric_stiffness(line, lambda X: line.mass_per_length * spin**2 * (0.25 - X**2) / 2)
    K, M = line.stiffness.toarray(), line.mass_matrix.toarray()
    squares, modes = scipy.linalg.eigh(K + tension.toarray() - spin**2 * M, M)
    printed = np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True)[2] - spin**2)
    return np.sqrt(squares[2]), printed, modes[:, 2] / np.abs(modes[::2, 2]).max()


@pytest.mark.parametrize("spin", [0.0, 12.0])
def test_a_spinning_beam_vibrates_with_the_frequency_that_keeps_the_axial_force(spin):
    """(3.17) with (N w')': K + K_N − ω² M; without N, as printed, the frequency at ω = 12 rad/s would be lower by 12 %."""
    body = axis(12, 1e8)
    frequency, printed, mode = first_mode(body.beam, spin)
    period = 2 * np.pi / frequency
    initial = InitialState(spin=spin, displacement=bent(body, mode, 1e-3))
    data = run(body, 1.25 * period, period / 100, initial=initial)
    w = data.displacement.values[:, [0, 6], 1]
    expected = w[0] * np.cos(frequency * data.time.values)[:, None]
    assert np.abs(w - expected).max() < 0.03 * np.abs(w).max()
    if spin:
        assert printed / frequency == pytest.approx(0.881, abs=2e-3)
        wrong = w[0] * np.cos(printed * data.time.values)[:, None]
        assert np.abs(w - wrong).max() > 0.5 * np.abs(w).max()


def test_without_friction_momenta_are_kept_and_energy_to_the_order_of_the_scheme():
    body = axis(10, 2e7)
    initial = InitialState(velocity=(0.4, -0.2), spin=3.0, displacement=bent(body, first_mode(body.beam, 3.0)[2], 0.03))
    lost, turned = [], []
    for n in (25, 50, 100):
        data = run(body, 0.2, 0.2 / n, initial=initial)
        momentum = data.linear_momentum.values
        assert np.abs(momentum - momentum[0]).max() < 1e-11 * np.abs(momentum).max()
        turned.append(np.abs(data.angular_momentum.values / data.angular_momentum.values[0] - 1).max())
        total = (data.energy_kinetic + data.energy_strain).values
        lost.append(np.abs(total / total[0] - 1).max())
        assert np.abs(data.balance_error.values).max() < 1e-10 * total[0]
    assert np.abs(data.displacement.values).max() > 0.02
    assert 1e-9 < turned[-1] < 1e-3
    assert np.all(np.diff(lost) < 0)
    assert lost[-1] < 0.02
    assert np.all(observed_orders(turned) > 1.5), turned


def test_the_motion_in_space_does_not_depend_on_the_frame_and_w_does(by_frame):
    reference = by_frame["mean-axis"]
    assert np.abs(reference.displacement.values[..., 1]).max() > 0.1
    for name in ("tisserand", "beam-chord"):
        other = by_frame[name]
        for what in ("position", "velocity", "friction_force", "bending_moment"):
            size = np.abs(reference[what].values).max()
            tolerance = 0.02 if what == "bending_moment" else 1e-9  # EJ w'' in the frame: first order in w
            assert np.abs(other[what].values - reference[what].values).max() < tolerance * size * 10, what
        assert np.abs(other.displacement.values - reference.displacement.values).max() > 1e-3
        assert abs(float(other.frame_angle[-1] - reference.frame_angle[-1])) > 1e-4


def test_each_frame_satisfies_its_condition_and_3_15_with_the_integrals_that_it_leaves(by_frame):
    for data in by_frame.values():
        assert data.rigid_residual.values.max() < 1e-8
    for name in ("mean-axis", "tisserand"):
        for what, size in (("A", 0.1), ("P", 1.0), ("B", 100.0)):
            assert np.abs(by_frame[name][what].values).max() < 1e-12 * size
    chord = by_frame["beam-chord"]
    assert np.abs(chord.displacement.values[:, [0, -1], 1]).max() < 1e-14
    assert np.abs(chord.A.values[:, 1]).max() > 0.02  # A_y, P_y, B_y of (3.13) drive the chord's equations
    assert np.abs(chord.B.values[:, 1]).max() > 50.0


def test_the_chord_frame_moves_with_the_derivatives_of_its_origin_and_angle():
    """Against central differences along any smooth motion of the two ends, with the angle unwrapped."""

    def ends(t):
        turn = 3.0 + 2.0 * t + np.sin(t)
        half = (1.0 + 0.3 * np.sin(2 * t)) * np.array([np.cos(turn), np.sin(turn)])
        return np.array([t**2, np.cos(t)]) + np.array([-half, half])

    frame, t, h = BEAM_FRAMES["beam-chord"](), 0.7, 1e-4
    x = [ends(t + k * h) for k in (-1, 0, 1)]
    motion = frame.motion(x[1], (x[2] - x[0]) / (2 * h), (x[2] - 2 * x[1] + x[0]) / h**2, 5.0)
    q = [frame.motion(place, 0 * place, 0 * place, 5.0).coordinates for place in x]
    assert motion.angle == pytest.approx(3.0 + 2.0 * t + np.sin(t), rel=1e-12)
    np.testing.assert_allclose(motion.rates, (q[2] - q[0]) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(motion.accelerations, (q[2] - 2 * q[1] + q[0]) / h**2, atol=1e-5)


def test_the_position_is_that_of_x0_alpha_w_and_the_foreshortening(by_frame):
    for data in by_frame.values():
        a = data.frame_angle.values
        Q = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]).transpose(2, 0, 1)
        r = data.X.values + data.displacement.values
        assert np.all(data.displacement.values[..., 0] == 0.0)
        r[..., 0] += data.foreshortening.values
        place = data.frame_position.values[:, None, :] + np.einsum("tij,tnj->tni", Q, r)
        np.testing.assert_allclose(place, data.position.values, atol=1e-13)
        slope = np.gradient(data.displacement.values[-1, :, 1], data.X.values[:, 0])
        np.testing.assert_allclose(np.tan(data.rotation.values[-1, 1:-1]), slope[1:-1], atol=0.1)
    # second order in w: u_x' = −w'²/2, about the mass centre
    data = by_frame["mean-axis"]
    at = int(np.argmax(np.abs(data.foreshortening.values).max(axis=1)))
    X = data.X.values[:, 0]
    expected = -np.trapezoid(0.5 * np.sin(data.rotation.values[at]) ** 2, X)
    computed = data.foreshortening.values[at, -1] - data.foreshortening.values[at, 0]
    assert computed < -0.01
    assert computed == pytest.approx(expected, rel=0.15)


@pytest.mark.slow
def test_the_stiff_beam_slides_as_the_rigid_line_does_and_the_softer_one_differs_as_one_over_E():
    """At E = 1e10 the step no longer resolves the bending; there the difference is that of the time scheme."""
    differences = []
    for E, n in ((1e7, 200), (1e8, 200), (1e9, 400)):
        body = axis(10, E)
        line = RigidBody(body.X, body.nodal_area, body.mass_matrix, body.cells, {})
        soft, rigid = (run(b, 0.2, 0.2 / n, foundation=ground(), initial=THROWN) for b in (body, line))
        moved = np.abs(rigid.position.values[-1] - rigid.position.values[0]).max()
        assert moved > 0.1
        differences.append(np.abs(soft.position.values - rigid.position.values[:, 0::2]).max())
    assert differences[0] > 5e-3
    assert differences[-1] < 5e-4
    assert np.all(np.array(differences[1:]) < 0.3 * np.array(differences[:-1])), differences


def test_a_free_beam_under_less_than_its_friction_does_not_move_at_all():
    data = run(axis(8), 0.02, 2e-3, foundation=ground(), loads=(LateralLoad(1.0, "sine"),))
    assert np.all(data.velocity.values == 0.0)
    assert np.all(data.stick.values == 1)
    assert data.friction_force.values[-1, :, 1].sum() == pytest.approx(-2 / np.pi, rel=1e-8)


def test_a_free_beam_that_only_translates_is_the_linear_beam_for_small_deflections():
    """(3.18) from (3.15) and (3.17): under a symmetric load the frame does not turn. While all nodes that move move fast, the two
    differ by terms of relative order w²; where a node turns, its axial velocity of order w w' counts beside V_y, and by order w.
    """
    early, late, sizes = [], [], []
    for scale in (0.5, 0.25):
        body = axis(10, 2e7)
        rough, load = ground(0.5 * scale), (LateralLoad(6.0 * scale, "sine", Ramp(0.0, np.inf)),)
        whole = run(body, 0.06, 1e-3, foundation=rough, loads=load)
        linear = simulate(assemble(BeamProblem(body.beam, 0.06, rough, load, motion="translation"), Options(1e-3)))
        assert np.abs(whole.frame_angle.values).max() < 1e-10
        sizes.append(np.abs(linear.displacement.values[..., 1]).max())
        difference = np.abs(whole.position.values[..., 1] - linear.position.values[..., 1]).max(axis=1) / sizes[-1]
        early.append(difference[:21].max())
        late.append(difference.max())
    assert sizes[0] > 0.004
    assert sizes[1] == pytest.approx(0.5 * sizes[0], rel=1e-6)
    assert 1e-7 < early[1] < early[0] < 1e-5
    assert 3.6 < early[0] / early[1] < 4.4
    assert 1e-3 < late[1] < late[0] < 0.02
    assert 1.6 < late[0] / late[1] < 2.4
