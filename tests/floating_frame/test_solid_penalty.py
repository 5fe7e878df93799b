"""Penalty contact at the nodes of an elastic solid: depth at rest, its limits (exact contact, rigid body), creep, energy."""

import numpy as np
import pytest
from rows import rows
from scipy.sparse import csr_array

import fem
from floating_frame import (
    Contact,
    Feet,
    HalfSpace,
    Options,
    RigidMotion,
    RigidSolid,
    Signorini,
    SolidForce,
    SolidInitial,
    SolidProblem,
    SpaceClamped,
    SpaceInitial,
    SpaceProblem,
    Sphere,
    assemble,
    run_warnings,
    simulate,
)
from friction import Coulomb, Foundation, NormalForce, Sliding, SlidingStiction, Smooth

G, SIZES = 9.81, (0.3, 0.2, 0.1)
AREA, WEIGHT = 0.06, 0.006 * 1200.0 * G
LONG = 0.5
"""A step, s, that is long against all periods: of what swings backward Euler leaves less than a thousandth in each."""


def block(young=1e6, counts=(2, 2, 1), nu=0.3, **more):
    return fem.Solid.build(fem.box(*SIZES, *counts), density=1200.0, material=fem.NeoHookean(young, nu), **more)


def run(body, *contacts, t_end, dt=2e-3, scheme="sdirk2", contact="bottom", **more):
    initial = SolidInitial(**{key: more.pop(key) for key in ("position", "velocity", "spin_space") if key in more})
    problem = SolidProblem(body=body, t_end=t_end, contact=contact, contacts=contacts, initial=initial, **more)
    data = simulate(assemble(problem, Options(dt=dt, scheme=scheme)))
    energy = 1e-3 * WEIGHT + float(np.abs(data.energy_kinetic).max() + np.abs(data.energy_strain).max())
    assert np.abs(data.balance_error).max() <= 1e-9 * energy
    assert data.rigid_residual.max() <= 1e-6
    return data


def static(body, *contacts, into=(0.0, 0.0, 0.0), **more):
    """The body at rest at last, from a place ``into`` the obstacles, m."""
    place = np.add((0.0, 0.0, 0.5 * SIZES[2]), into)
    return run(body, *contacts, t_end=4.0 * LONG, dt=LONG, scheme="backward-euler", position=place, **more)


@rows("m1, stiffness", [(1.0, 1e7), (1.5, 1e9), (2.2, 1e12)])
def test_a_block_at_rest_has_sunk_in_by_what_bears_its_weight_over_its_area(m1, stiffness):
    body, deep = block(young=1e9), (WEIGHT / (AREA * stiffness)) ** (1.0 / m1)
    data = static(body, Contact(normal=NormalForce(stiffness, m1=m1)), into=(0.0, 0.0, -0.9 * deep))
    base, share = body.boundary("bottom"), body.edge_shape("bottom")
    depth = -data.position.values[-1, :, 2]
    assert depth @ share == pytest.approx(deep, rel=1e-3)  # a thousandth of it is the base's own curvature
    force = data.normal_force.values[-1]
    np.testing.assert_allclose(force[base], AREA * share[base] * stiffness * depth[base] ** m1, rtol=1e-9)
    assert force.sum() == pytest.approx(WEIGHT, rel=1e-9)
    assert data.contact_energy.values[-1] == pytest.approx(WEIGHT * deep / (m1 + 1.0), rel=2e-3)


def test_as_the_penalty_stiffens_the_block_comes_to_exact_contact_with_order_one():
    """Lifted at one side: which nodes press is found too."""
    body = block(counts=(4, 2, 2), young=2e6)
    push = SolidForce(force=(0.0, 0.0, 25.0), on="left")
    exact = static(body, Contact(normal=Signorini()), loads=(push,))
    lifts = exact.normal_force.values[-1][body.boundary("bottom")] == 0.0
    assert 0 < lifts.sum() < len(lifts) - 3
    errors = []
    for stiffness in (4e9, 1.6e10, 6.4e10):
        into = (0.0, 0.0, -1e3 / stiffness)
        soft = static(body, Contact(normal=NormalForce(stiffness)), loads=(push,), into=into)
        errors.append(np.abs(soft.displacement.values[-1] - exact.displacement.values[-1]).max())
    assert errors[0] < 0.05 * np.abs(exact.displacement.values[-1]).max()
    np.testing.assert_allclose(np.log(np.divide(errors[:-1], errors[1:])) / np.log(4.0), 1.0, atol=0.05)


def test_as_it_stiffens_the_block_moves_as_a_rigid_one_on_the_same_springs():
    """Dropped with a spin and a side velocity on a rough penalty; the difference falls as 1/E."""
    law, mu, corners = Smooth(2e-2), 0.3, fem.box(*SIZES, 1, 1, 1)
    start = {"position": (0.0, 0.0, 0.0501), "velocity": (0.4, 0.1, -0.2), "spin_space": (0.0, 0.0, 2.0)}
    feet = Feet([[0.5 * a * SIZES[0], 0.5 * b * SIZES[1], -0.05] for a in (-1, 1) for b in (-1, 1)])
    mass = WEIGHT / G
    squares = np.square(SIZES)
    rigid_body = RigidSolid(mass=mass, inertia=mass * (squares.sum() - squares) / 12.0, shape=feet)
    one = Contact(normal=NormalForce(2.5e4, 50.0), law=law, mu=mu)
    problem = SpaceProblem(body=rigid_body, t_end=0.02, contacts=(one,), initial=SpaceInitial(**start))
    rigid = simulate(assemble(problem, Options(dt=1e-3)))
    assert rigid.normal_force.max() > 2.0 * WEIGHT / 4.0
    spread = Contact(normal=NormalForce(1e5 / AREA, 200.0 / AREA), law=law, mu=mu)
    errors = []
    for young in (1e7, 4e7):
        solid = fem.Solid.build(corners, density=1200.0, material=fem.NeoHookean(young, 0.3))
        data = run(solid, spread, t_end=0.02, dt=1e-3, **start)
        errors.append(np.abs(data.frame_position.values - rigid.frame_position.values).max())
    assert errors[0] < 1e-2 * np.ptp(rigid.frame_position.values[:, 2])
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)


@rows("law", [Smooth(v_reg=2e-3), Sliding(v_s=2e-3, v_d=6e-3, dynamic_ratio=0.8)])
def test_a_pulled_block_creeps_at_the_speed_at_which_the_law_bears_the_pull(law):
    mu, creep = 0.35, 8e-4
    share = law.force(np.array([[creep, 0.0]]), np.ones(1))[0, 0]
    assert 0.2 < share < 0.8
    pull = SolidForce(force=(share * mu * WEIGHT, 0.0, 0.0))
    rough = Contact(normal=NormalForce(1e7, 2e4), law=law, mu=mu)
    start = {"position": (0.0, 0.0, 0.05 - WEIGHT / AREA / 1e7)}
    data = run(block(viscosity=1e-2), rough, t_end=0.6, dt=2e-2, scheme="backward-euler", loads=(pull,), **start)
    np.testing.assert_allclose(data.frame_velocity.values[-1], [creep, 0.0, 0.0], atol=1e-5 * creep)
    base = data.stick.values[-1] >= 0
    np.testing.assert_allclose(data.velocity.values[-1][base], [creep, 0.0, 0.0] * np.ones((9, 1)), atol=1e-3 * creep)
    assert data.friction_force.values[-1].sum(axis=0)[0] == pytest.approx(-share * mu * WEIGHT, rel=1e-6)


def test_a_block_hangs_on_its_bristles_where_the_pull_is_less_than_friction_and_comes_to_rest():
    mu, most = 0.4, 5e-4
    law = SlidingStiction(v_s=2e-2, v_d=6e-2, dynamic_ratio=0.8, max_stiction_deformation=most)
    pull = SolidForce(force=(0.15 * WEIGHT, 0.0, 0.0))
    rough = Contact(normal=NormalForce(1e7, 2e4), law=law, mu=mu)
    start = {"position": (0.0, 0.0, 0.05 - WEIGHT / AREA / 1e7)}
    data = run(block(), rough, t_end=1.0, dt=2e-2, scheme="backward-euler", loads=(pull,), **start)
    assert 1e-6 < data.frame_position.values[-1, 0] < most
    assert np.abs(data.velocity.values[-1]).max() < 1e-3 * np.sqrt(G * most)
    assert data.friction_force.values[-1].sum(axis=0)[0] == pytest.approx(-0.15 * WEIGHT, rel=1e-3)


@rows("scheme", ["sdirk2", "backward-euler"])
def test_what_a_dropped_block_loses_is_lost_in_its_damper_and_friction(scheme):
    """It bounces off, spinning: every entry of the ledger is at work, and they close to rounding."""
    rough = Contact(normal=NormalForce(4e7, 2e4, m1=1.2, m3=0.3), law=Smooth(1e-2), mu=0.3)
    start = {"position": (0.0, 0.0, 0.051), "velocity": (0.5, 0.0, -0.8), "spin_space": (0.5, 0.3, 3.0)}
    data = run(block(counts=(2, 1, 1)), rough, t_end=0.04, dt=1e-3, scheme=scheme, **start)
    assert data.contact_energy.max() > 0.1
    assert data.frame_velocity.values[-1, 2] > 0.1
    assert data.normal_force.values[-1].sum() == 0.0
    assert data.frame_drift.max() < 1e-5  # 1e-4 and more where the frame's own equations lack the contact
    if scheme == "sdirk2":
        assert np.abs(data.dissipation_numerical).max() < 0.01 * data.energy_kinetic[0]
    lost, rubbed = data.dissipation_contact.values[-1], data.friction_work.values[-1].sum()
    assert 0.01 < rubbed < lost
    assert np.all(np.diff(data.dissipation_contact.values) >= -1e-12)
    assert np.all(data.slip_path.values[-1][data.X.values[:, 2] > 0.0] == 0.0)


@pytest.mark.parametrize(("deep", "warns"), [(0.9, False), (1.1, True)])
def test_a_soft_penalty_warns_where_it_lets_a_tenth_of_the_height_in(deep, warns):
    soft = Contact(normal=NormalForce(WEIGHT / AREA / (0.1 * deep * SIZES[2])))
    data = static(block(young=1e9), soft, into=(0.0, 0.0, -0.1 * SIZES[2] * deep))
    assert -data.position.values[-1, :, 2].min() == pytest.approx(0.1 * deep * SIZES[2], rel=1e-3)
    assert ("penetration" in [warning.name for warning in run_warnings(data)]) == warns


def test_a_clamped_block_rests_partly_on_its_clamp_and_partly_on_the_springs():
    data = static(block(counts=(4, 1, 1)), Contact(normal=NormalForce(1e7)), frame=SpaceClamped("left"))
    pressed = data.normal_force.values[-1].sum()
    assert 0.1 * WEIGHT < pressed < 0.9 * WEIGHT
    assert data.clamp_reaction.values[-1, 2] + pressed == pytest.approx(WEIGHT, rel=1e-8)


def test_exact_ground_and_a_soft_wall_share_the_nodes_of_a_face():
    wall = Contact(obstacle=HalfSpace((0.15, 0.0, 0.0), (-1.0, 0.0, 0.0)), normal=NormalForce(1e7, 1e4))
    pull = SolidForce(force=(20.0, 0.0, 0.0))
    data = static(block(), Contact(mu=0.1), wall, contact="boundary", loads=(pull,), into=(1e-4, 0.0, 0.0))
    force, right = data.contact_force.values[-1], data.X.values[:, 0] > 0.14
    assert force[:, 2].sum() == pytest.approx(WEIGHT, rel=1e-9)
    assert force[:, 0].sum() == pytest.approx(-20.0, rel=1e-7)
    assert force[right, 0].sum() < -20.0 + 0.1 * WEIGHT
    assert data.contact_energy.values[-1] > 1e-6


def test_a_stage_has_the_exact_derivative_of_what_penalties_do_on_a_moving_sphere(monkeypatch):
    motion = RigidMotion(velocity=(0.3, 0.2, -0.1), spin=(0.5, -1.0, 0.7))
    contact = Contact(
        obstacle=Sphere((0.0, 0.05, -0.98), 1.0, motion=motion), normal=NormalForce(1e7, 3e3, m1=1.3, m3=0.4),
        law=Smooth(0.3), mu=0.4,
    )  # fmt: skip
    body = block(counts=(2, 1, 1))
    start = SolidInitial(position=(0.0, 0.0, 0.05))
    problem = SolidProblem(body=body, t_end=0.1, contact="bottom", contacts=(contact,), initial=start)
    model, seen = assemble(problem, Options(dt=1e-2)), []
    ground = type(model.system.ground)  # a step takes a copy of it
    solve = ground.solve
    monkeypatch.setattr(ground, "solve", lambda self, stage, *given: seen.append(stage) or solve(self, stage, *given))
    model.integrator.step(model, model.integrator.initial(model), 1e-2)
    part, size, rng = seen[0], body.X.size, np.random.default_rng(3)
    v, way = 0.3 * rng.normal(size=body.X.shape), rng.normal(size=body.X.shape)
    alone = np.zeros(len(part.indices))
    part.effects.add_tangent(*part.nodal_motion(v), part.axes, alone)
    assert np.abs(alone).max() > 10.0
    matrix = csr_array((part.hessian(v), part.indices, part.indptr), shape=(size, size))
    slope = (part.gradient(v + 1e-6 * way) - part.gradient(v - 1e-6 * way)) / 2e-6
    exact = (matrix @ way.ravel()).reshape(v.shape)
    np.testing.assert_allclose(exact, slope, atol=1e-6 * np.abs(slope).max())


@rows(
    "make, words",
    [
        (lambda: SolidProblem(body=block(), t_end=0.1, contact="bottom", mu=0.1, contacts=(Contact(),)), "give each"),
        (lambda: SolidProblem(body=block(), t_end=0.1, contacts=(Contact(),)), "contacts needs the face"),
        (lambda: SolidProblem(body=block(), t_end=0.1, contact="bottom", contacts=Contact()), "must be a tuple"),
        (
            lambda: SolidProblem(
                body=block(), t_end=0.1, gravity=0.0, contact="bottom", contacts=(Contact(),),
                foundation=Foundation(Coulomb(), 0.3, 1e3),
            ),
            "leave out the contacts",
        ),
    ],
)  # fmt: skip
def test_what_a_solid_does_not_take_is_refused_by_name(make, words):
    with pytest.raises(ValueError, match=words):
        make()
