"""Springs and dampers: exact tangents, exact motions, and one balance on every body by every scheme."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
from convergence import observed_orders
from ff_examples import DENSITY, LENGTH, THICKNESS, WIDTH, plate
from rows import rows
from single_steps import initial_state, step

import fem
from fem import BeamAxis
from fem.beam import Beam
from floating_frame import (
    BeamProblem,
    BodyForce,
    Clamped,
    InitialState,
    LateralLoad,
    Options,
    Problem,
    RigidBody,
    Spring,
    StepFailure,
    assemble,
    simulate,
)
from friction import Coulomb, Foundation, Smooth

STAGED = ("sdirk2", "backward-euler", "moreau-theta")
ORDERS = {"sdirk2": 2.0, "backward-euler": 1.0, "moreau-theta": 2.0, "explicit": 2.0}
MASS = DENSITY * LENGTH * WIDTH * THICKNESS
K, C = 40.0, 1.5


def disc():
    return RigidBody.disc(0.1, MASS, 3, 8)


def acting(spring, x, tau=0.01):
    """The spring in a stage at points that need no body."""
    from floating_frame.effect.protocol import Attached

    return spring.on(Attached(None, np.zeros_like(x), np.ones(len(x)))).for_stage(0.3, None, tau)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("rest", [None, 0.2], ids=["all directions", "axis"])
def test_the_force_is_minus_the_slope_of_the_energy_less_the_damper_and_its_tangents_are_exact(rest, d):
    rng = np.random.default_rng(3)
    x, v, dx, dv = (rng.normal(size=(5, d)) for _ in range(4))
    spring = Spring((0.0,) * d, (0.3, -0.1, 0.2)[:d], K, C, rest, path=lambda t: (0.2 * t, np.sin(t), t * t)[:d])
    now = acting(spring, x)
    found, h = now.at(x, v), 1e-5
    change = (now.at(x + h * dx, v + h * dv).force - now.at(x - h * dx, v - h * dv).force) / (2 * h)
    linear = np.einsum("pab,pb->pa", found.by_place, dx) + np.einsum("pab,pb->pa", found.by_velocity, dv)
    assert np.abs(found.force).max() > 1.0
    np.testing.assert_allclose(linear, change, rtol=0, atol=1e-7 * np.abs(change).max())
    # without its damper the force is minus the slope of the energy that it stores
    free = acting(replace(spring, damping=0.0), x)
    slope = (free.record(x + h * dx, v, ()).stored - free.record(x - h * dx, v, ()).stored) / (2 * h)
    assert slope == pytest.approx(-float(np.vdot(free.at(x, v).force, dx)), rel=1e-7)


@pytest.mark.parametrize("scheme", ORDERS)
@pytest.mark.quick("backward-euler", "explicit")
def test_a_damped_oscillator_has_the_order_of_the_scheme_against_the_exact_motion(scheme):
    """M x'' = −k (x − a) − c x' from rest at x = 0, with a the place of the other end."""
    end, t_end = np.array([0.2, -0.1]), 1.0
    matrix = np.array([[0.0, 1.0], [-K / MASS, -C / MASS]])
    exact = end * (1.0 - scipy.linalg.expm(matrix * t_end)[0, 0])
    errors = []
    for n in (160, 320, 640):
        problem = Problem(disc(), t_end, effects=(Spring((0.0, 0.0), end, K, C),))
        run = simulate(assemble(problem, Options(t_end / n, scheme)))
        errors.append(np.abs(run.frame_position.values[-1] - exact).max())
        assert float(run.dissipation_viscous[-1]) > 0.1
        assert abs(run.balance_error.values).max() < 1e-13
    found = observed_orders(errors)
    assert np.all(np.abs(found - ORDERS[scheme]) < 0.1), found


@pytest.mark.parametrize("speed", [0.5, 1.1, 2.3])
@pytest.mark.quick("0.5")
def test_the_coulomb_damped_oscillator_stops_after_the_exact_number_of_half_cycles_at_the_exact_place(speed):
    """Each half cycle takes 2 f/k off the amplitude; it stops at a turning point within f/k of the spring's end."""
    grip, k = 0.3 * 9.81 * MASS, 60.0
    rate = np.sqrt(k / MASS)
    amplitude = np.hypot(speed / rate, grip / k) - grip / k  # first turning point, about −f/k
    turns, place = 0, amplitude
    while abs(place) * k > grip:
        place, turns = -np.sign(place) * (abs(place) - 2.0 * grip / k), turns + 1
    body = disc()
    ground = Foundation(Coulomb(), 0.3, 9.81 * MASS / body.friction.weights.sum())
    start = InitialState((speed, 0.0))
    problem = Problem(body, (turns + 2) * np.pi / rate, ground, initial=start, effects=(Spring((0.0, 0.0), None, k),))
    run = simulate(assemble(problem, Options(2e-3)))
    x = run.frame_position.values[:, 0]
    moving = np.diff(x)
    assert np.count_nonzero(np.diff(np.sign(moving[np.abs(moving) > 1e-9]))) == turns
    assert x[-1] == pytest.approx(place, abs=2e-3 * amplitude)
    assert run.stick.values[-1].all()
    assert abs(run.balance_error.values).max() < 1e-12


def cases():
    """A body of each kind under a spring on an edge or a point: (label, problem, schemes)."""
    springs = (Spring("right", None, K, C), Spring((-0.2, 0.1), (-0.5, 0.3), K, C, 0.2, path=lambda t: (0.1 * t, 0.0)))
    rough, smooth = (Foundation(law, 0.2, 98.1) for law in (Coulomb(), Smooth(0.05)))
    moving = {"initial": InitialState((0.4, 0.1), 2.0), "effects": springs}
    rigid = RigidBody.from_plate(plate())
    yield "rigid", Problem(rigid, 0.04, rough, **moving), (*STAGED, "linearly-implicit-trapezoidal", "explicit")
    yield "rigid, smooth law", Problem(rigid, 0.04, smooth, **moving), (*STAGED, "runge-kutta")
    yield "plate", Problem(plate(E=2e5), 0.04, rough, **moving), (*STAGED, "explicit")
    clamp = Clamped("left", ("x",))
    pulled = {"frame": clamp, "initial": InitialState((0.4, 0.0)), "effects": springs}
    yield "clamped", Problem(plate(E=2e5), 0.04, rough, **pulled), STAGED
    still = {"loads": (BodyForce((4.0, 0.5)),), "effects": springs[:1]}
    yield "held by the spring alone", Problem(plate(E=2e5), 0.04, rough, **still), ("quasi-static",)
    beam = Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e8, density=1000.0, ne=8)
    axial = (Spring("right", None, K, C), Spring((0.25, 0.0), (0.25, 0.1), K, C, 0.05))
    loads = (LateralLoad(20.0),)
    yield "beam", BeamProblem(beam, 0.04, rough, loads, "cantilever", effects=axial), STAGED
    both = (axial[0], Spring("left", None, K, C))
    yield "beam between springs", BeamProblem(beam, 0.04, rough, loads, effects=both), ("quasi-static",)


@pytest.mark.parametrize(("problem", "schemes"), [pytest.param(p, s, id=label) for label, p, s in cases()])
@pytest.mark.quick("rigid", "plate", "held by the spring alone", "beam", "beam between springs")
def test_springs_close_the_balance_on_every_body_and_only_dampers_are_viscous(problem, schemes):
    for scheme in schemes:
        run = simulate(assemble(problem, Options(4e-3, scheme)))
        energy = max(float(abs(run[name]).max()) for name in ("energy_kinetic", "energy_strain", "work_external"))
        assert float(run.dissipation_viscous[-1]) > 1e-7, scheme
        tolerance = 1e-5 if scheme == "runge-kutta" else 1e-8
        assert float(abs(run.balance_error).max()) < tolerance * energy, scheme
        undamped = [replace(s, damping=0.0) for s in problem.effects]
        bare = simulate(assemble(replace(problem, effects=tuple(undamped)), Options(4e-3, scheme)))
        assert not np.any(bare.dissipation_viscous.values), scheme


@pytest.mark.parametrize(("k", "c"), [(4e5, 0.0), (0.0, 600.0), (2e5, 300.0)], ids=["stiff", "damper", "both"])
def test_an_explicit_step_stays_stable_under_springs_faster_than_the_body_and_finds_the_implicit_motion(k, c):
    body, end = plate(E=2e5), 0.02
    given = {"foundation": Foundation(Coulomb(), 0.2, 98.1), "initial": InitialState((0.4, 0.1), 2.0)}
    problem = Problem(body, end, **given, effects=(Spring(tuple(body.X[0]), None, k, c),))
    held, bare = (simulate(assemble(p, Options(1e-3, "explicit"))) for p in (problem, replace(problem, effects=())))
    implicit = simulate(assemble(problem, Options(2e-4, "sdirk2", output_every=100)))
    assert held.explicit_step < 0.7 * bare.explicit_step  # such a spring shortens the step
    energy = float(bare.energy_kinetic[0])
    assert float((held.energy_kinetic + held.energy_strain).max()) < 1.05 * energy
    assert float(abs(held.balance_error).max()) < 1e-12 * energy
    free, stiff, exact = (run.frame_position.values[-1] for run in (bare, held, implicit))
    assert (
        np.abs(stiff - exact).max() < 0.3 * np.abs(free - exact).max()
    )  # their masses are lumped in the one, not in the other


def test_a_point_between_nodes_moves_with_the_material():
    """Any deformation that the element has, in any cell; on straight cells of P2 and Q2 also a quadratic one."""
    gradient = np.array([[1.1, 0.2], [-0.1, 0.9]])
    for element in ("P1", "Q1", "P2", "Q2"):
        body = plate(element=element)
        for X in ((0.03, 0.02), (-0.11, -0.07), (0.2, 0.1)):
            points = (
                assemble(Problem(body, 1.0, effects=(Spring(X, None, 1.0),)), Options(0.1)).system.effects[-1].points
            )
            bend = np.outer(body.X[:, 0] ** 2, (0.3, 0.5)) * (element[1] == "2")
            place = points.place((body.X @ gradient.T + bend, np.zeros(3)))
            expected = gradient @ X + X[0] ** 2 * np.array([0.3, 0.5]) * (element[1] == "2")
            np.testing.assert_allclose(place[0], expected, atol=1e-13)


def test_a_point_of_a_curved_cell_is_found_where_the_map_puts_it():
    body = fem.Plate.build(
        fem.annulus(0.05, 0.1, 2, 12, cell="quadrilateral"),
        thickness=0.01, density=DENSITY, material=fem.StVenantKirchhoff(2e5, 0.3), element="Q2",
    )  # fmt: skip
    for angle in (0.1, 1.3, 4.0):
        X = 0.07 * np.array([np.cos(angle), np.sin(angle)])
        nodes, shapes = body.at_point(X)
        assert len(nodes) == 9
        np.testing.assert_allclose(shapes @ body.X[nodes], X, atol=1e-14)


def test_a_spring_between_the_nodes_of_a_beam_bends_it_as_its_exact_deflection_says():
    """A cantilever under P at its tip, held at a by a spring: w(a) = (w_P(a))/(1 + k f(a)) with f(a) = a³/3EJ, exact."""
    E, side, P, a, k = 1e8, 0.02, 0.05, 0.55, 30.0
    stiffness = E * side**4 / 12.0
    free, give = P * (1.0 / 2.0 * a**2 - a**3 / 6.0) / stiffness, a**3 / (3.0 * stiffness)
    expected = free / (1.0 + k * give)
    beam = Beam.build(length=1.0, width=side, thickness=side, E=E, density=1000.0, ne=8)
    here = (a - 0.5, 0.0)
    axis, damper = BeamAxis.build(beam), Spring("right", None, 0.0, 1.0)
    spring = Spring(here, None, k)
    lateral = (LateralLoad(P, "tip"),)
    as_line = BeamProblem(beam, 40.0, None, lateral, "cantilever", effects=(spring, damper))
    as_body = Problem(axis, 40.0, None, lateral, frame=Clamped("left", ()), effects=(spring, damper))
    for problem in (as_line, as_body):
        model = assemble(problem, Options(0.4, "backward-euler"))
        state = initial_state(model)
        for _ in range(100):
            state, _ = step(model, state, 0.4)
        place = model.system.effects[1].points.place(state.motion.configuration)[0]
        assert abs(free / expected - 1.0) > 0.1
        assert place[1] == pytest.approx(expected, rel=2e-3)


def test_a_body_that_springs_leave_free_to_turn_has_its_limit_load():
    """A spring at one end holds a beam's end, not the beam: friction alone bears the moment, and cannot."""
    beam = Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e8, density=1000.0, ne=8)
    ground = Foundation(Coulomb(), 0.2, 98.1)
    problem = BeamProblem(beam, 0.04, ground, (LateralLoad(20.0),), effects=(Spring("right", None, K),))
    with pytest.raises(StepFailure, match="limit load"):
        simulate(assemble(problem, Options(4e-3, "quasi-static")))


def on(body, spring, scheme="sdirk2"):
    return lambda: assemble(Problem(body, 1.0, effects=(spring,)), Options(0.1, scheme))


def on_beam(at):
    beam = Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e8, density=1000.0, ne=8)
    return assemble(BeamProblem(beam, 1.0, support="cantilever", effects=(Spring(at, stiffness=1.0),)), Options(0.1))


@rows(
    ("make", "words"),
    [
        (lambda: Spring("right"), "stiffness or a damping"),
        (lambda: Spring("right", stiffness=-1.0), "stiffness of a spring"),
        (lambda: Spring("right", stiffness=1.0, rest_length=np.inf), "rest_length"),
        (lambda: Spring((0.0, np.nan), stiffness=1.0), "'at' of a spring"),
        (lambda: Spring("right", stiffness=1.0, rates=lambda t: (0.0, 0.0)), "need the path"),
        (on(plate(), Spring((3.0, 0.0), stiffness=1.0)), "no point at"),
        (on(plate(), Spring("roof", stiffness=1.0)), "roof"),
        (lambda: on_beam((0.2, 0.1)), "its axis runs"),
        (lambda: on_beam("top"), "ends left and right"),
    ],
)
def test_springs_that_cannot_be_are_refused_in_one_line(make, words):
    with pytest.raises(ValueError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)
