"""Elastic plates that hit obstacles: the wave in a bar, momentum, energy, frames, integration, and the rigid limit."""

import numpy as np
import pytest
from ff_contacts import DAMPED, MOVING, WALL, impact
from ff_examples import plate, rough

import fem
from floating_frame import Circle, Line, RigidBody, Tisserand
from friction import NormalForce

SOFT = {"E": 2e5}
CASES = {
    "flat": {"normal": NormalForce(1e5, m1=1.5)},
    "damper that jumps": {"normal": NormalForce(1e5, 50.0)},
    "friction": {"normal": DAMPED, "mu": 0.3, "velocity": (1.0, 0.5)},
    "tilted": {"normal": DAMPED, "mu": 0.3, "obstacle": Line((0.22, 0.0), (-1.0, 0.2)), "spin": 2.0},
    "circle": {"normal": DAMPED, "mu": 0.3, "obstacle": Circle((0.46, 0.03), 0.25), "spin": -2.0},
    "moving circle": {"normal": DAMPED, "mu": 0.3, "obstacle": Circle((0.455, 0.03), 0.25, MOVING)},
    "rough plane": {"normal": DAMPED, "mu": 0.3, "obstacle": Line((0.21, 0.0), (-1.0, 0.1)), "foundation": rough(0.3)},
}


def run(name, scheme="sdirk2", dt=1e-3, t_end=0.04, **more):
    return impact(**(CASES[name] | {"scheme": scheme, "dt": dt, "t_end": t_end, "on": plate(4, 2, **SOFT)} | more))


ONCE = [
    ("flat", "backward-euler"),
    ("friction", "backward-euler"),
    ("friction", "moreau-theta"),
    ("rough plane", "moreau-theta"),
]


@pytest.mark.parametrize(("name", "scheme"), [*((name, "sdirk2") for name in CASES), *ONCE])
@pytest.mark.quick("damper that jumps-sdirk2", "moving circle-sdirk2", "tilted-sdirk2", "friction-backward-euler")
def test_energy_and_momentum_are_accounted_for(name, scheme):
    dt = 1e-3 if scheme == "sdirk2" else 2.5e-4  # shorter than the contact's own steps: all instants are stored
    data = run(name, scheme, dt)
    energy = float(data.energy_kinetic[0])
    assert float(np.abs(data.contact_force).max()) > 5.0
    assert float(data.energy_strain.max()) > 1e-3 * energy
    assert float(np.abs(data.balance_error).max()) < 1e-9 * energy
    assert float(data.rigid_residual.max()) < 1e-7
    if name != "flat":
        assert np.all(np.diff(data.dissipation_contact.values) >= -1e-13)
        assert float(data.dissipation_contact[-1]) > 1e-3 * energy
    assert int(data.halvings.sum()) == 0
    if scheme == "sdirk2":
        return
    weights = (0.0, 1.0) if scheme == "backward-euler" else (0.5, 0.5)
    force = data.contact_force.values
    impulse = dt * (weights[0] * force[:-1] + weights[1] * force[1:])
    impulse += dt * data.friction_force.values.sum(axis=1)[1:]  # of the plane beneath, against the end velocity
    change = np.diff(data.linear_momentum.values, axis=0)
    assert np.abs(change).max() > 1e-3
    whole = data.steps.values[1:] == 1  # instants between parts of a step are not stored
    assert whole.mean() > 0.7
    np.testing.assert_allclose(change[whole], impulse[whole], atol=1e-9)


def test_a_bar_leaves_a_hard_wall_after_a_wave_has_run_to_its_free_end_and_back():
    """One-dimensional theory: the force is ρ c v A until 2 L/c, then zero, and the bar flies off undeformed at −v."""
    length, width, E, density, v, cells = 0.4, 0.02, 1e6, 1000.0, 0.1, 80
    c = np.sqrt(E / density)
    bar = plate(cells, 1, element="Q1", material=fem.SmallStrain(E, 0.0), length=length, width=width)
    plateau = density * c * v * width * 0.01
    # compliance of the wall: that of 1/100 of the bar, which the wave takes 1 % longer to load
    stiffness = 100.0 * E * 0.01 / length
    data = impact(
        Line((length / 2 + 1e-4, 0.0), (-1.0, 0.0)),
        NormalForce(stiffness),
        on=bar,
        velocity=(v, 0.0),
        t_end=0.03,
        dt=1e-4,
    )
    force, times = -data.contact_force.values[:, 0], data.time.values
    pressed = times[force > 0.5 * plateau]
    assert pressed[-1] - pressed[0] == pytest.approx(2 * length / c, rel=0.012)
    during = (times > pressed[0] + 0.2 * length / c) & (times < pressed[-1] - 0.2 * length / c)
    assert force[during].mean() == pytest.approx(plateau, rel=0.001)
    assert np.abs(force[during] / plateau - 1).max() < 0.08  # the front of a linear mesh rings
    # what the dispersed front leaves behind as vibration is missing in the rebound
    assert float(data.frame_velocity[-1, 0]) == pytest.approx(-v, rel=0.01)
    assert float(data.energy_strain[-1]) < 0.01 * float(data.energy_kinetic[0])
    assert force[times > pressed[-1] + 0.2 * length / c].max() < 0.05 * plateau


def test_a_stiff_plate_rebounds_as_the_rigid_one():
    case = {"normal": NormalForce(1e4), "obstacle": Circle((0.45, 0.04), 0.24), "dt": 1e-3, "t_end": 0.1}
    stiff = impact(**case, on=plate(4, 2, E=2e8))
    rigid = impact(**case, on=RigidBody.from_plate(plate(4, 2)))
    assert float(rigid.frame_velocity[-1, 0]) < 0.5
    # the plate's compliance beside the wall's: k/(E h) = 1e4 * 0.2 / (2e8 * 0.01)
    np.testing.assert_allclose(stiff.frame_velocity[-1], rigid.frame_velocity[-1], atol=3e-3)
    assert float(stiff.frame_spin[-1]) == pytest.approx(float(rigid.frame_spin[-1]), rel=5e-3)


@pytest.mark.slow
def test_the_motion_under_contact_does_not_depend_on_the_frame():
    mean, tisserand = run("circle"), run("circle", frame=Tisserand())
    assert float(np.abs(mean.displacement).max()) > 1e-4
    np.testing.assert_allclose(mean.position, tisserand.position, atol=1e-9)
    np.testing.assert_allclose(mean.contact_force, tisserand.contact_force, atol=1e-5)
    assert float(np.abs(mean.frame_angle[-1] - tisserand.frame_angle[-1])) > 1e-7  # the splits do


@pytest.mark.slow
def test_an_elastic_impact_looks_the_same_from_a_train():
    resting = run("circle", obstacle=Circle((0.46, 0.03), 0.25), velocity=(1.0, 0.0))
    train = np.array(MOVING.velocity)
    moving = run("circle", obstacle=Circle((0.46, 0.03), 0.25, MOVING), velocity=np.add(train, (1.0, 0.0)))
    assert float(np.abs(resting.contact_force).max()) > 10.0
    shift = moving.time.values[:, None, None] * train
    np.testing.assert_allclose(moving.position.values - shift, resting.position.values, atol=1e-9)
    np.testing.assert_allclose(moving.dissipation_contact, resting.dissipation_contact, atol=1e-9)


@pytest.mark.slow
def test_nodal_and_gauss_integration_give_the_same_impact_as_the_mesh_is_refined():
    differences = []
    for ny in (2, 4, 8):
        ends = [
            impact(
                Circle((0.46, 0.03), 0.25),
                NormalForce(2e5, m1=1.5),
                on=plate(2, ny, E=1e6),
                integration=way,
                dt=2e-3,
                t_end=0.06,
            )
            for way in ("gauss", "nodes")
        ]
        differences.append(float(np.linalg.norm(ends[0].frame_velocity[-1] - ends[1].frame_velocity[-1])))
        assert float(ends[0].frame_velocity[-1, 0]) < 0.9
    assert differences[0] > 4.0 * differences[2]
    assert differences[2] < 5e-3


@pytest.mark.parametrize("element", ["P2", "Q2"])
def test_quadratic_edges_take_contact_too(element):
    data = run("circle", on=plate(2, 1, element=element, **SOFT), mu=0.1)
    assert float(np.abs(data.contact_force).max()) > 5.0
    assert float(np.abs(data.balance_error).max()) < 1e-9 * float(data.energy_kinetic[0])


def test_a_body_that_never_touches_flies_as_without_obstacle():
    away = impact(Line((5.0, 0.0), (-1.0, 0.0)), on=plate(3, 2), spin=3.0, dt=1e-3, t_end=0.01)
    assert float(np.abs(away.contact_force).max()) == 0.0
    near = impact(WALL, on=plate(3, 2), spin=3.0, dt=1e-3, t_end=0.01)
    assert "contact_moment" in near
    np.testing.assert_allclose(away.linear_momentum[-1], away.linear_momentum[0], atol=1e-13)
