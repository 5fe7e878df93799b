"""Springs, dampers and loads that follow a body: exact tangents and motions, one balance on every body by every scheme."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import scipy.linalg
from convergence import observed_orders
from ff_examples import DENSITY, LENGTH, THICKNESS, WIDTH, plate
from problems import assembled, run
from rows import rows
from scipy.optimize import brentq
from single_steps import initial_state, step
from space_examples import BLOCK

import fem
import floating_frame as ff
from fem import BeamAxis
from fem.beam import Beam
from floating_frame import BodyForce, Clamped, Lateral, LateralLoad, RigidBody, RigidSolid, SpaceForce, Spring
from floating_frame.effect.protocol import Attached
from friction import Coulomb, Foundation, NormalForce, Smooth

STAGED = ("sdirk2", "backward-euler", "moreau-theta")
ORDERS = {"sdirk2": 2.0, "backward-euler": 1.0, "moreau-theta": 2.0, "explicit": 2.0}
MASS = DENSITY * LENGTH * WIDTH * THICKNESS
K, C = 40.0, 1.5
DISC, MOMENTS = RigidBody.disc(0.1, MASS, 3, 8), np.array([0.02, 0.03, 0.04])
BODY = RigidSolid(mass=2.0, inertia=MOMENTS)
BEAM = Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e8, density=1000.0, ne=8)


def flown(on, t_end, dt, scheme="sdirk2", most=1e-9, **given):
    """A rigid body's run in space whose ledger and equations, up to ``most``, close."""
    data = run(on, t_end, dt, scheme, **{"position": (0.0, 0.0, 0.0), "gravity": 0.0} | given)
    assert abs(data.balance_error.values).max() < 1e-12
    assert data.rigid_residual.max() < most
    return data


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("rest", [None, 0.2], ids=["all directions", "axis"])
def test_the_force_is_minus_the_slope_of_the_energy_less_the_damper_and_its_tangents_are_exact(rest, d):
    x, v, dx, dv = np.random.default_rng(3).normal(size=(4, 5, d))
    spring = Spring((0.0,) * d, (0.3, -0.1, 0.2)[:d], K, C, rest, path=lambda t: (0.2 * t, np.sin(t), t * t)[:d])
    now, free = (
        one.on(Attached(None, np.zeros_like(x), np.ones(len(x)))).for_stage(0.3, None, 0.01)
        for one in (spring, replace(spring, damping=0.0))
    )
    computed, h = now.at(x, v), 1e-5
    change = (now.at(x + h * dx, v + h * dv).force - now.at(x - h * dx, v - h * dv).force) / (2 * h)
    linear = np.einsum("pab,pb->pa", computed.by_place, dx) + np.einsum("pab,pb->pa", computed.by_velocity, dv)
    assert np.abs(computed.force).max() > 1.0
    np.testing.assert_allclose(linear, change, rtol=0, atol=1e-7 * np.abs(change).max())
    # without its damper the force is minus the slope of the energy that it stores
    slope = (free.record(x + h * dx, v, ()).stored - free.record(x - h * dx, v, ()).stored) / (2 * h)
    assert slope == pytest.approx(-float(np.vdot(free.at(x, v).force, dx)), rel=1e-7)


@pytest.mark.parametrize(("d", "scheme"), [*((2, scheme) for scheme in ORDERS), *((3, scheme) for scheme in STAGED)])
@pytest.mark.quick("2-backward-euler", "2-explicit", "3-sdirk2", "3-moreau-theta")
def test_a_damped_oscillator_has_the_order_of_the_scheme_against_the_exact_motion(d, scheme):
    """M x'' = −k (x − a) − c x' from rest at x = 0, with a the place of the other end."""
    end, t_end, mass = np.array([0.2, -0.1, 0.15])[:d], 1.0, MASS if d == 2 else 2.0
    matrix = np.array([[0.0, 1.0], [-K / mass, -C / mass]])
    exact, errors = end * (1.0 - scipy.linalg.expm(matrix * t_end)[0, 0]), []
    for n in (160, 320):
        spring = (Spring((0.0,) * d, end, K, C),)
        data = (run if d == 2 else flown)(DISC if d == 2 else BODY, t_end, t_end / n, scheme, effects=spring)
        errors.append(np.abs(data.frame_position.values[-1] - exact).max())
        assert float(data.dissipation_viscous[-1]) > 0.1
        assert abs(data.balance_error.values).max() < (1e-13 if d == 2 else 1e-12)
    assert np.all(np.abs(observed_orders(errors) - ORDERS[scheme]) < 0.1), errors


def test_springs_beside_the_centre_turn_a_body_to_and_fro_about_each_axis_at_the_frequency_of_its_stiffness():
    """Springs at the ends of a cross, ±a e_i, each free of force there: J_i θ'' = -2 k (a_j² + a_k²) θ for small θ."""
    arms, tilt = np.array([0.1, 0.15, 0.2]), 1e-3
    effects = tuple(Spring(tuple(s * a * e), None, K) for a, e in zip(arms, np.eye(3), strict=True) for s in (1, -1))
    for axis in range(3):
        rate = np.sqrt(2.0 * K * (arms @ arms - arms[axis] ** 2) / MOMENTS[axis])
        spin, period = tilt * rate * np.eye(3)[axis], 2.0 * np.pi / rate
        data = flown(BODY, period, period / 100.0, effects=effects, spin=spin)
        back, quarter = data.frame_rotation.values[100, 1:], data.frame_rotation.values[25, 1:]
        assert 2.0 * quarter[axis] == pytest.approx(tilt, rel=1e-3)
        assert np.abs(back).max() < 2e-3 * tilt  # a phase of (w dt)^2/12 a step
        np.testing.assert_allclose(data.frame_spin.values[100], spin, atol=2e-3 * spin[axis])


def test_three_passes_a_stage_find_a_body_that_spins_on_a_spring_beside_its_centre():
    """Newton's method has all slopes of force and moment; without those of the turning arm it takes four and five."""
    effects = (Spring((0.1, 0.05, 0.02), (0.0, 0.0, 0.3), K, C, 0.2),)
    for scheme, most in {"sdirk2": 6, "backward-euler": 3, "moreau-theta": 3}.items():
        data = flown(BODY, 0.2, 0.01, scheme, effects=effects, spin=(1.0, 2.0, 3.0))
        assert np.ptp(data.frame_spin.values[:, 0]) > 0.1
        assert data.passes.values[1:].max() == most


def test_a_thrust_that_follows_a_spinning_body_leads_it_on_the_circle_of_its_turn():
    """m v' = R(w t) F: v = F/(m w) (sin w t, 1 - cos w t), for a body that spins about a principal axis."""
    w, thrust, t_end, errors = 3.0, 5.0, 1.0, []
    exact = thrust / (2.0 * w) * np.array([np.sin(w * t_end), 1.0 - np.cos(w * t_end), 0.0])
    for n in (50, 100):
        load = SpaceForce(force=(thrust, 0.0, 0.0), follows=True)
        data = flown(BODY, t_end, t_end / n, loads=(load,), spin=(0.0, 0.0, w))
        errors.append(np.abs(data.frame_velocity.values[-1] - exact).max())
    assert np.abs(exact[:2]).max() > 1.0
    assert observed_orders(errors)[0] == pytest.approx(2.0, abs=0.1)
    assert float(data.work_external[-1]) == pytest.approx(float(exact @ exact), rel=1e-3)


def test_thrusts_that_follow_turn_a_body_with_their_couple_about_its_own_axis():
    """Two opposite thrusts at an arm are a couple in the body's axes: J w' = 2 a F about z, whatever its attitude."""
    arm, thrust, axis = 0.1, 0.7, np.array([np.sin(0.8), 0.0, np.cos(0.8)])
    pair = tuple(SpaceForce(force=(s * thrust, 0.0, 0.0), at=(0.0, -s * arm, 0.0), follows=True) for s in (1.0, -1.0))
    data = flown(BODY, 0.5, 5e-3, loads=pair, rotation=(np.cos(0.4), 0.0, np.sin(0.4), 0.0))
    expected = 2.0 * arm * thrust / 0.04 * 0.5 * axis
    np.testing.assert_allclose(data.frame_spin.values[-1], expected, rtol=1e-11, atol=1e-11)
    assert np.abs(data.frame_position.values[-1]).max() < 1e-12


def test_a_bar_on_a_spring_swings_with_its_first_longitudinal_frequency():
    """E A p tan(p L) = k with p = w/c: the far end is free, the near one pulls on the spring; nu = 0, so that it is a bar."""
    L, A, E, rho = 1.0, 0.01, 1e5, 1000.0
    k = 0.8 * E * A / L
    p = brentq(lambda p: E * A * p * np.tan(p * L) - k, 1e-6, 0.5 * np.pi / L - 1e-9)
    bar = fem.Solid.build(fem.box(L, 0.1, 0.1, 12, 1, 1), density=rho, material=fem.StVenantKirchhoff(E, 0.0))
    small, period, shape = 1e-5, 2.0 * np.pi / (p * np.sqrt(E / rho)), np.zeros_like(bar.X)
    shape[:, 0] = small * np.cos(p * (0.5 * L - bar.X[:, 0]))
    start = {"position": (0.0, 0.0, 0.0), "displacement": shape, "gravity": 0.0}
    data = run(bar, period, period / 200.0, effects=(Spring("left", None, k),), **start)
    ends = data.position.values[:, np.flatnonzero(bar.X[:, 0] > 0.49)[0], 0] - 0.5 * L
    # a phase of pi (w dt)^2/6 of the scheme and the mesh's (p h)^2/12: turning points to second order of it
    np.testing.assert_allclose(ends[[100, 200]], [-small, small], rtol=1e-3)
    assert abs(ends[50]) < 0.01 * small
    assert abs(data.balance_error.values).max() < 1e-10 * float(data.energy_strain.max())


LATE = {"nan": np.nan, "a text": "0.1", "a row": (0.0, 0.0)}


@pytest.mark.parametrize("which", ["path", "rates"])
@pytest.mark.parametrize(("on", "d"), [(DISC, 2), (BODY, 3)], ids=["plane", "space"])
@rows("late", LATE)
def test_a_path_that_is_unfit_only_later_is_refused_by_name_where_its_values_are_looked_at_together(which, on, d, late):
    def course(t, unfit):
        return (LATE[late] if unfit and t > 0.1 else 0.0, *np.zeros(d - 1))

    given = {name: partial(course, unfit=name == which) for name in ("path", "rates")}
    model = assembled(on, 0.2, 1e-2, effects=(Spring((0.0,) * d, None, K, C, **given),))
    words = {"path": "the path of a spring", "rates": "the rates of a spring's path"}[which]
    with pytest.raises(ValueError, match=rf"{words} \(m(/s)?\) must be .*numbers, got \("):
        ff.simulate(model)


SPRINGS = (Spring("right", None, K, C), Spring((-0.2, 0.1), (-0.5, 0.3), K, C, 0.2, path=lambda t: (0.1 * t, 0.0)))
ROUGH, SMOOTH = ({"foundation": Foundation(law, 0.2, 98.1)} for law in (Coulomb(), Smooth(0.05)))
MOVING = {"velocity": (0.4, 0.1), "spin": 2.0, "effects": SPRINGS}
SOFT, RIGID = plate(E=2e5), RigidBody.from_plate(plate())
ALONE = {"loads": (BodyForce((4.0, 0.5)),), "effects": SPRINGS[:1]}
AXIAL = (SPRINGS[0], Spring((0.25, 0.0), (0.25, 0.1), K, C, 0.05))
LATERAL, BETWEEN = {"loads": (LateralLoad(20.0),), **ROUGH}, (AXIAL[0], Spring("left", None, K, C))
IN_SPACE = (
    Spring((0.1, 0.05, 0.02), None, K, C),
    Spring((-0.1, 0.05, 0.0), (-0.5, 0.3, 0.2), K, C, 0.2, path=lambda t: (0.1 * t, 0.0, 0.0)),
)
THROWN, EDGE = {"velocity": (0.4, 0.1, 0.0), "effects": IN_SPACE}, {"effects": (*IN_SPACE, Spring("right", None, K, C))}
SLAB = replace(BLOCK, shape=ff.Base([[a, b, -0.03] for a in (-0.1, 0.0, 0.1) for b in (-0.1, 0.0, 0.1)], [1.0] * 9))
CELLS = fem.box(0.3, 0.2, 0.1, 3, 2, 1)
SOLID = fem.Solid.build(CELLS, density=200.0, material=fem.NeoHookean(1e5, 0.3), viscosity=0.0)
PRESSED = {"foundation": Foundation(Coulomb(), 0.3, 200.0), "gravity": 0.0}
BODIES = {
    "rigid": (RIGID, MOVING | ROUGH, (*STAGED, "linearly-implicit-trapezoidal", "explicit")),
    "rigid, smooth law": (RIGID, MOVING | SMOOTH, (*STAGED, "runge-kutta")),
    "plate": (SOFT, MOVING | ROUGH, (*STAGED, "explicit")),
    "clamped": (SOFT, {"frame": Clamped("left", ("x",)), "velocity": (0.4, 0.0), "effects": SPRINGS} | ROUGH, STAGED),
    "held by the spring alone": (SOFT, ALONE | ROUGH, ("quasi-static",)),
    "beam": (BEAM, LATERAL | {"frame": Lateral("cantilever"), "effects": AXIAL}, STAGED),
    "beam between springs": (BEAM, LATERAL | {"frame": Lateral(), "effects": BETWEEN}, ("quasi-static",)),
    "on feet": (BLOCK, THROWN | {"mu": 0.3}, STAGED[:2]),
    "on a base": (SLAB, THROWN | {"mu": 0.3}, STAGED[:2]),
    "on a penalty": (BLOCK, THROWN | {"normal": NormalForce(1e5, 200.0), "law": Smooth(1e-2), "mu": 0.3}, STAGED[:2]),
    "solid on the ground": (SOLID, THROWN | EDGE | {"mu": 0.3, "face": "bottom"}, STAGED[:2]),
    "solid on given pressure": (SOLID, THROWN | EDGE | PRESSED | {"face": "bottom"}, STAGED[:2]),
    "clamped solid": (SOLID, EDGE | {"frame": ff.SpaceClamped("left"), "position": (0.0, 0.0, 0.5)}, STAGED[:2]),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.quick(
    "rigid", "plate", "held by the spring alone", "beam", "beam between springs", "on feet", "on a base", "on a penalty",
    "solid on the ground", "solid on given pressure", "clamped solid",
)  # fmt: skip
def test_springs_close_the_balance_on_every_body_and_only_dampers_are_viscous(name):
    on, given, schemes = BODIES[name]
    dt, plane = (4e-3, True) if getattr(on, "X", np.zeros((1, 2))).shape[1] == 2 else (1e-3, False)
    for scheme in schemes:
        data = run(on, 0.04 if plane else 0.02, dt, scheme, **given)
        energy = max(float(abs(data[part]).max()) for part in ("energy_kinetic", "energy_strain", "work_external"))
        assert float(data.dissipation_viscous[-1]) > (1e-7 if plane else 1e-5), scheme
        tolerance = 1e-5 if scheme == "runge-kutta" else 1e-8 if plane else 1e-9
        assert float(abs(data.balance_error).max()) < tolerance * energy, scheme
        assert float(data.rigid_residual.max()) < 1e-6, scheme
    undamped = {"effects": tuple(replace(s, damping=0.0) for s in given["effects"])}
    assert not np.any(run(on, 0.02, dt, schemes[0], **given | undamped).dissipation_viscous.values)


@pytest.mark.parametrize(("k", "c"), [(4e5, 0.0), (0.0, 600.0), (2e5, 300.0)], ids=["stiff", "damper", "both"])
def test_an_explicit_step_stays_stable_under_springs_faster_than_the_body_and_finds_the_implicit_motion(k, c):
    given = MOVING | ROUGH | {"effects": (Spring(tuple(SOFT.X[0]), None, k, c),)}
    held, bare = (run(SOFT, 0.02, 1e-3, "explicit", **one) for one in (given, given | {"effects": ()}))
    implicit = run(SOFT, 0.02, 4e-4, output_every=50, **given)
    assert held.explicit_step < 0.7 * bare.explicit_step  # such a spring shortens the step
    energy = float(bare.energy_kinetic[0])
    assert float((held.energy_kinetic + held.energy_strain).max()) < 1.05 * energy
    assert float(abs(held.balance_error).max()) < 1e-12 * energy
    free, stiff, exact = (data.frame_position.values[-1] for data in (bare, held, implicit))
    # their masses are lumped in the one, not in the other
    assert np.abs(stiff - exact).max() < 0.3 * np.abs(free - exact).max()


def test_a_point_between_nodes_moves_with_the_material():
    """Any deformation that the element has, in any cell; on straight cells of P2 and Q2 also a quadratic one."""
    gradient = np.array([[1.1, 0.2], [-0.1, 0.9]])
    for element in ("P1", "Q1", "P2", "Q2"):
        body, bent = plate(element=element), np.array([0.3, 0.5]) * (element[1] == "2")
        for X in ((0.03, 0.02), (-0.11, -0.07), (0.2, 0.1)):
            points = assembled(body, 1.0, 0.1, effects=(Spring(X, None, 1.0),)).system.effects[-1].points
            place = points.place((body.X @ gradient.T + np.outer(body.X[:, 0] ** 2, bent), np.zeros(3)))
            np.testing.assert_allclose(place[0], gradient @ X + X[0] ** 2 * bent, atol=1e-13)


def test_a_point_of_a_curved_cell_is_found_where_the_map_puts_it():
    mesh, material = fem.annulus(0.05, 0.1, 2, 12, cell="quadrilateral"), fem.StVenantKirchhoff(2e5, 0.3)
    body = fem.Plate.build(mesh, thickness=0.01, density=DENSITY, material=material, element="Q2")
    for angle in (0.1, 1.3, 4.0):
        X = 0.07 * np.array([np.cos(angle), np.sin(angle)])
        nodes, shapes = body.at_point(X)
        assert len(nodes) == 9
        np.testing.assert_allclose(shapes @ body.X[nodes], X, atol=1e-14)


def test_a_spring_between_the_nodes_of_a_beam_bends_it_as_its_exact_deflection_says():
    """A cantilever under P at its tip, held at a by a spring: w(a) = (w_P(a))/(1 + k f(a)) with f(a) = a³/3EJ, exact."""
    E, side, P, a, k = 1e8, 0.02, 0.05, 0.55, 30.0
    stiffness = E * side**4 / 12.0
    free = P * (1.0 / 2.0 * a**2 - a**3 / 6.0) / stiffness
    expected = free / (1.0 + k * a**3 / (3.0 * stiffness))
    loads, effects = (LateralLoad(P, "tip"),), (Spring((a - 0.5, 0.0), None, k), Spring("right", None, 0.0, 1.0))
    for on, frame in ((BEAM, Lateral("cantilever")), (BeamAxis.build(BEAM), Clamped("left", ()))):
        model = assembled(on, 40.0, 0.4, "backward-euler", frame=frame, loads=loads, effects=effects)
        state = initial_state(model)
        for _ in range(100):
            state, _ = step(model, state, 0.4)
        place = model.system.effects[1].points.place(state.motion.configuration)[0]
        assert abs(free / expected - 1.0) > 0.1
        assert place[1] == pytest.approx(expected, rel=2e-3)


def test_a_body_that_springs_leave_free_to_turn_has_its_limit_load():
    """A spring at one end holds a beam's end, not the beam: friction alone bears the moment, and cannot."""
    with pytest.raises(ff.StepFailure, match="limit load"):
        run(BEAM, 0.04, 4e-3, "quasi-static", frame=Lateral(), effects=(Spring("right", None, K),), **LATERAL)
