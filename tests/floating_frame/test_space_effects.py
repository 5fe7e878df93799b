"""Springs and loads that follow a body, in space: exact motions of rigid bodies, a bar on a spring, one balance on every body."""

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from convergence import observed_orders
from rows import rows

import fem
from floating_frame import (
    Base,
    Contact,
    Feet,
    Options,
    RigidSolid,
    SolidInitial,
    SolidProblem,
    SpaceClamped,
    SpaceForce,
    SpaceInitial,
    SpaceProblem,
    Spring,
    assemble,
    simulate,
)
from friction import Coulomb, Foundation, NormalForce, Smooth

ORDERS = {"sdirk2": 2.0, "backward-euler": 1.0, "moreau-theta": 2.0}
MASS, K, C = 2.0, 40.0, 1.5
BODY = RigidSolid(mass=MASS, inertia=(0.02, 0.03, 0.04))


def flown(body, t_end, dt, effects=(), *, scheme="sdirk2", gravity=0.0, loads=(), most=1e-9, **start):
    """A rigid body's run whose ledger and equations, up to ``most``, close."""
    start = {"position": (0.0, 0.0, 0.0)} | start
    problem = SpaceProblem(
        body=body, t_end=t_end, gravity=gravity, loads=loads, effects=effects, initial=SpaceInitial(**start)
    )
    run = simulate(assemble(problem, Options(dt, scheme)))
    assert abs(run.balance_error.values).max() < 1e-12
    assert run.rigid_residual.max() < most
    return run


@pytest.mark.parametrize("scheme", ORDERS)
def test_a_damped_oscillator_in_space_has_the_order_of_the_scheme_against_the_exact_motion(scheme):
    """M x'' = -k (x - a) - c x' from rest at x = 0, with a the place of the other end."""
    end, t_end = np.array([0.2, -0.1, 0.15]), 1.0
    matrix = np.array([[0.0, 1.0], [-K / MASS, -C / MASS]])
    exact = end * (1.0 - scipy.linalg.expm(matrix * t_end)[0, 0])
    errors = []
    for n in (160, 320):
        run = flown(BODY, t_end, t_end / n, (Spring((0.0, 0.0, 0.0), end, K, C),), scheme=scheme)
        errors.append(np.abs(run.frame_position.values[-1] - exact).max())
        assert float(run.dissipation_viscous[-1]) > 0.1
    found = observed_orders(errors)
    assert np.all(np.abs(found - ORDERS[scheme]) < 0.1), found


def test_springs_beside_the_centre_turn_a_body_to_and_fro_about_each_axis_at_the_frequency_of_its_stiffness():
    """Springs at the ends of a cross, ±a e_i, each free of force there: J_i θ'' = -2 k (a_j² + a_k²) θ for small θ."""
    arms, tilt, moments = np.array([0.1, 0.15, 0.2]), 1e-3, np.array([0.02, 0.03, 0.04])
    effects = tuple(
        Spring(tuple(s * a * e), None, K) for a, e in zip(arms, np.eye(3), strict=True) for s in (1.0, -1.0)
    )
    for axis in range(3):
        rate = np.sqrt(2.0 * K * (arms @ arms - arms[axis] ** 2) / moments[axis])
        spin = np.zeros(3)
        spin[axis] = tilt * rate
        period = 2.0 * np.pi / rate
        run = flown(BODY, period, period / 100.0, effects, spin_space=spin)
        back, quarter = run.frame_rotation.values[100, 1:], run.frame_rotation.values[25, 1:]
        assert 2.0 * quarter[axis] == pytest.approx(tilt, rel=1e-3)
        assert np.abs(back).max() < 2e-3 * tilt  # a phase of (w dt)^2/12 a step
        np.testing.assert_allclose(run.frame_spin.values[100], spin, atol=2e-3 * spin[axis])


def test_three_passes_a_stage_find_a_body_that_spins_on_a_spring_beside_its_centre():
    """Newton's method has all slopes of force and moment; without those of the turning arm it takes four and five."""
    effects = (Spring((0.1, 0.05, 0.02), (0.0, 0.0, 0.3), K, C, 0.2),)
    for scheme, most in {"sdirk2": 6, "backward-euler": 3, "moreau-theta": 3}.items():
        run = flown(BODY, 0.2, 0.01, effects, scheme=scheme, spin_space=(1.0, 2.0, 3.0))
        assert np.ptp(run.frame_spin.values[:, 0]) > 0.1
        assert run.passes.values[1:].max() == most


def test_a_pendulum_on_a_stiff_rod_keeps_its_length_and_swings_with_the_period_of_its_inertia():
    """A rod from a body's point to the ceiling; its body cannot turn against gravity without the rod: J/(m l) + l of one piece."""
    length, k, tilt = 0.8, 4e5, 0.02
    ball = RigidSolid(mass=MASS, inertia=(1e-9,) * 3)
    place = (length * np.sin(tilt), 0.0, 1.0 - length * np.cos(tilt))
    period = 2.0 * np.pi * np.sqrt(length / 9.81) * (1.0 + tilt**2 / 16.0)
    rod = Spring((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), k, rest_length=length)
    run = flown(ball, period, period / 100.0, (rod,), most=1e-6, gravity=9.81, position=place)
    arm = np.linalg.norm(run.frame_position.values - [0.0, 0.0, 1.0], axis=1)
    np.testing.assert_allclose(arm, length + MASS * 9.81 / k, atol=1.1 * MASS * 9.81 / k)  # it begins without a pull
    np.testing.assert_allclose(run.frame_position.values[50, 0], -place[0], rtol=1e-3)
    np.testing.assert_allclose(run.frame_position.values[100, 0], place[0], rtol=1e-3)


def test_a_thrust_that_follows_a_spinning_body_leads_it_on_the_circle_of_its_turn():
    """m v' = R(w t) F: v = F/(m w) (sin w t, 1 - cos w t), for a body that spins about a principal axis."""
    w, thrust, t_end, errors = 3.0, 5.0, 1.0, []
    load = SpaceForce(force=(thrust, 0.0, 0.0), follows=True)
    exact = thrust / (MASS * w) * np.array([np.sin(w * t_end), 1.0 - np.cos(w * t_end), 0.0])
    for n in (50, 100):
        run = flown(BODY, t_end, t_end / n, loads=(load,), spin_space=(0.0, 0.0, w))
        errors.append(np.abs(run.frame_velocity.values[-1] - exact).max())
    assert np.abs(exact[:2]).max() > 1.0
    assert observed_orders(errors)[0] == pytest.approx(2.0, abs=0.1)
    assert float(run.work_external[-1]) == pytest.approx(0.5 * MASS * float(exact @ exact), rel=1e-3)


def test_thrusts_that_follow_turn_a_body_with_their_couple_about_its_own_axis():
    """Two opposite thrusts at an arm are a couple in the body's axes: J w' = 2 a F about z, whatever its attitude."""
    arm, thrust, turn = 0.1, 0.7, (np.cos(0.4), 0.0, np.sin(0.4), 0.0)
    pair = tuple(SpaceForce(force=(s * thrust, 0.0, 0.0), at=(0.0, -s * arm, 0.0), follows=True) for s in (1.0, -1.0))
    run = flown(BODY, 0.5, 5e-3, loads=pair, rotation=turn)
    axis = np.array([np.sin(0.8), 0.0, np.cos(0.8)])
    np.testing.assert_allclose(
        run.frame_spin.values[-1], 2.0 * arm * thrust / 0.04 * 0.5 * axis, rtol=1e-11, atol=1e-11
    )
    assert np.abs(run.frame_position.values[-1]).max() < 1e-12


def test_a_bar_on_a_spring_swings_with_its_first_longitudinal_frequency():
    """E A p tan(p L) = k with p = w/c: the far end is free, the near one pulls on the spring; nu = 0, so that it is a bar."""
    L, A, E, rho, n = 1.0, 0.01, 1e5, 1000.0, 24
    k = 0.8 * E * A / L
    p = scipy.optimize.brentq(lambda p: E * A * p * np.tan(p * L) - k, 1e-6, 0.5 * np.pi / L - 1e-9)
    w = p * np.sqrt(E / rho)
    bar = fem.Solid.build(fem.box(L, 0.1, 0.1, n, 1, 1), density=rho, material=fem.StVenantKirchhoff(E, 0.0))
    small, period = 1e-5, 2.0 * np.pi / w
    shape = np.zeros_like(bar.X)
    shape[:, 0] = small * np.cos(p * (0.5 * L - bar.X[:, 0]))
    problem = SolidProblem(
        body=bar,
        t_end=period,
        gravity=0.0,
        initial=SolidInitial(position=(0.0, 0.0, 0.0), displacement=shape),
        effects=(Spring("left", None, k),),
    )
    run = simulate(assemble(problem, Options(period / 200.0)))
    ends = run.position.values[:, np.flatnonzero(bar.X[:, 0] > 0.49)[0], 0] - 0.5 * L
    # a phase of pi (w dt)^2/6 of the scheme and the mesh's (p h)^2/12: turning points to second order of it
    assert ends[100] == pytest.approx(-small, rel=1e-3)
    assert ends[200] == pytest.approx(small, rel=1e-3)
    assert abs(ends[50]) < 0.01 * small
    assert abs(run.balance_error.values).max() < 1e-10 * float(run.energy_strain.max())


FEET = RigidSolid(
    mass=1.0, inertia=(0.0043, 0.0085, 0.012), shape=Feet([[a, b, -0.03] for a in (-0.15, 0.15) for b in (-0.1, 0.1)])
)
SLAB = RigidSolid(
    mass=1.0,
    inertia=(0.0043, 0.0085, 0.012),
    shape=Base([[a, b, -0.03] for a in (-0.1, 0.0, 0.1) for b in (-0.1, 0.0, 0.1)], [1.0] * 9),
)
SPRINGS = (
    Spring((0.1, 0.05, 0.02), None, K, C),
    Spring((-0.1, 0.05, 0.0), (-0.5, 0.3, 0.2), K, C, 0.2, path=lambda t: (0.1 * t, 0.0, 0.0)),
)


def cases():
    """A body of each kind under springs: label and problem."""
    moving = {"velocity": (0.4, 0.1, 0.0)}
    soft = Contact(normal=NormalForce(1e5, 200.0), law=Smooth(1e-2), mu=0.3)
    yield "on feet", SpaceProblem(body=FEET, t_end=0.05, mu=0.3, initial=SpaceInitial(**moving), effects=SPRINGS)
    yield "on a base", SpaceProblem(body=SLAB, t_end=0.05, mu=0.3, initial=SpaceInitial(**moving), effects=SPRINGS)
    yield (
        "on a penalty",
        SpaceProblem(body=FEET, t_end=0.05, contacts=(soft,), initial=SpaceInitial(**moving), effects=SPRINGS),
    )
    block = fem.Solid.build(
        fem.box(0.3, 0.2, 0.1, 3, 2, 1), density=200.0, material=fem.NeoHookean(1e5, 0.3), viscosity=0.0
    )
    start, edge = SolidInitial(**moving), (*SPRINGS, Spring("right", None, K, C))
    yield (
        "solid on the ground",
        SolidProblem(body=block, t_end=0.02, contact="bottom", mu=0.3, initial=start, effects=edge),
    )
    rough = Foundation(Coulomb(), 0.3, 200.0)
    yield (
        "solid on given pressure",
        SolidProblem(
            body=block, t_end=0.02, contact="bottom", gravity=0.0, foundation=rough, initial=start, effects=edge
        ),
    )
    held = SolidInitial(position=(0.0, 0.0, 0.5))
    yield "clamped solid", SolidProblem(body=block, t_end=0.02, frame=SpaceClamped("left"), initial=held, effects=edge)


CASES = dict(cases())


@pytest.mark.parametrize("name", CASES)
def test_energy_is_accounted_for_under_springs_on_every_body_in_space(name):
    for scheme in ("sdirk2", "backward-euler"):
        run = simulate(assemble(CASES[name], Options(1e-3, scheme)))
        lost, moved = float(run.dissipation_viscous[-1]), float(np.ptp(run.energy_kinetic.values))
        assert lost > 1e-4
        assert moved > 1e-3
        assert abs(run.balance_error.values).max() < 1e-9 * (moved + lost)


@rows(
    "make, words",
    [
        (lambda: flown(BODY, 0.1, 0.1, (Spring("left", None, 1.0),)), r"no face 'left': attach to a point"),
        (lambda: flown(BODY, 0.1, 0.1, (Spring((0.0, 0.0), None, 1.0),)), "three finite numbers"),
        (lambda: flown(BODY, 0.1, 0.1, (Spring((0.0, 0.0, 0.0), (1.0, 0.0), 1.0),)), "three finite numbers"),
        (lambda: flown(BODY, 0.1, 0.1, (1.0,)), "effects must be effects such as Spring"),
        (lambda: flown(BODY, 0.1, 0.1, Spring((0.0, 0.0, 0.0), None, 1.0)), "must be a tuple"),
        (
            lambda: assemble(
                SolidProblem(
                    body=CASES["clamped solid"].body,
                    t_end=0.1,
                    initial=SolidInitial(position=(0.0, 0.0, 0.5)),
                    effects=(Spring((9.0, 0.0, 0.0), None, 1.0),),
                ),
                Options(0.1),
            ),
            r"no point at \(9, 0, 0\) m to attach to",
        ),
    ],
)
def test_effects_that_fit_no_body_in_space_are_refused_in_one_line(make, words):
    with pytest.raises(ValueError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)
