"""Landings in space, without restitution: what is lost is an impact's, neither friction's nor the scheme's."""

import itertools

import numpy as np
import pytest
from solid_examples import law, solid

from floating_frame import (
    Ball,
    Contact,
    Feet,
    HalfSpace,
    Options,
    RigidMotion,
    RigidSolid,
    SolidInitial,
    SolidProblem,
    SpaceInitial,
    SpaceProblem,
    Sphere,
    assemble,
    run_warnings,
    simulate,
)

CORNERS = np.array(list(itertools.product((-0.1, 0.1), repeat=3)))
MASS, SPEED, FALL, GRAVITY = 2.0, 2.0, 0.1503, 9.81
BLOCK = RigidSolid(mass=MASS, inertia=(0.01, 0.012, 0.014), shape=Feet(CORNERS))


def dropped(dt, scheme="sdirk2", t_end=0.15, **more):
    start = SpaceInitial(position=(0.0, 0.0, 0.1 + FALL), velocity=(0.0, 0.0, -SPEED))
    problem = SpaceProblem(body=BLOCK, t_end=t_end, initial=start, gravity=GRAVITY, **more)
    return simulate(assemble(problem, Options(dt=dt, scheme=scheme)))


LIFT = Contact(obstacle=HalfSpace(motion=RigidMotion(velocity=(0.0, 0.0, 0.5))), mu=0.4)
WAYS = {
    "many steps at once": ({"mu": 0.4}, 0.0),
    "one by one": ({"contacts": (Contact(mu=0.4),)}, 0.0),
    "on a table that rises": ({"contacts": (LIFT,)}, 0.5),
}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
def test_a_block_that_falls_flat_loses_its_kinetic_energy_against_the_ground_in_the_impact(name, scheme):
    """With the speed at the ground, √(v² + 2 g h) + what the table has: the step ends where it lands, so at any step."""
    more, rise = WAYS[name]
    rate = SPEED + rise
    met = (np.sqrt(rate**2 + 2.0 * GRAVITY * FALL) - rate) / GRAVITY
    exact, off = 0.5 * MASS * (rate + GRAVITY * met) ** 2, []
    for dt in (2e-3, 5e-4):
        run = dropped(dt, scheme, **more)
        off.append(float(run.dissipation_impact[-1]) - exact)
        lands = np.flatnonzero((run.stick.values == 2).any(axis=1))
        assert lands.tolist() == [int(np.ceil(met / dt))]  # in one step, and it says so
        assert float(run.normal_force[-1].sum()) == pytest.approx(MASS * GRAVITY)  # it has landed
        assert abs(float(run.dissipation_friction[-1])) < 1e-12 * exact
        assert np.abs(run.balance_error.values).max() < 1e-10 * exact
        assert not run_warnings(run)
    if scheme == "backward-euler":  # which has fallen ½ g Δt t too far after t, and lands too early
        assert 0.0 < -off[0] < 1.5 * 2e-3 * MASS * GRAVITY * (rate + GRAVITY * met)
        assert off[1] == pytest.approx(0.25 * off[0], rel=0.05)
    else:
        assert np.abs(off).max() < 1e-10 * exact


@pytest.mark.parametrize("way", ["many steps at once", "one by one"])
def test_what_a_block_has_gained_by_falling_is_the_impacts_however_long_the_step(way):
    """m g h; a step across the landing would book 0.07 of it elsewhere."""
    run = simulate(
        assemble(
            SpaceProblem(body=BLOCK, t_end=0.1, initial=SpaceInitial(position=(0.0, 0.0, 0.105)), **WAYS[way][0]),
            Options(dt=2e-3),
        )
    )
    assert float(run.dissipation_impact[-1]) == pytest.approx(MASS * GRAVITY * 0.005, rel=1e-9)
    assert not run_warnings(run)


@pytest.mark.parametrize("twin", [{"mu": 0.3}, {"contacts": (Contact(mu=0.3),)}])
def test_a_block_that_falls_on_a_corner_loses_what_its_impulse_takes(twin):
    """What is not kinetic, friction or work is the impacts', up to the step's share."""
    start = SpaceInitial(position=(0.0, 0.0, 0.3), velocity=(0.5, 0.0, -1.0), spin_space=(3.0, -2.0, 1.0))
    run = simulate(assemble(SpaceProblem(body=BLOCK, t_end=0.3, initial=start, **twin), Options(dt=1e-3)))
    lost = float(run.dissipation_impact[-1])
    assert lost > 3.0
    assert np.diff(run.dissipation_impact.values).min() >= 0.0
    assert abs(float(run.dissipation_numerical[-1])) < 0.02 * lost
    assert np.abs(run.balance_error.values).max() < 1e-10 * lost
    assert float(run.friction_work[-1].sum()) == pytest.approx(float(run.dissipation_friction[-1]), rel=1e-9)
    assert not run_warnings(run)


def test_nodes_of_a_solid_that_land_lose_the_energy_of_their_mass():
    """½ v 1ᵀS1 v, S the mass of the face's nodes all others free, in two steps that are short against the elastic periods."""
    body, dt = solid("Q1", law(young=1e5), (0.2, 0.2, 0.2), (2, 2, 2)), 1e-4
    start = SolidInitial(position=(0.0, 0.0, 0.1 + 2.5 * SPEED * dt), velocity=(0.0, 0.0, -SPEED))
    problem = SolidProblem(body=body, t_end=5 * dt, contact="bottom", gravity=0.0, initial=start)
    run = simulate(assemble(problem, Options(dt=dt)))
    lost, M, face = run.dissipation_impact.values, body.mass_matrix.toarray(), body.boundary("bottom")
    others = np.setdiff1d(np.arange(len(M)), face)
    coupling = M[np.ix_(face, others)]
    S = M[np.ix_(face, face)] - coupling @ np.linalg.solve(M[np.ix_(others, others)], coupling.T)
    exact = 0.5 * S.sum() * SPEED**2
    assert exact > 0.1 * 0.5 * body.mass * SPEED**2
    assert not lost[2].any()
    assert lost[4] == pytest.approx(exact, rel=0.02)
    assert abs(float(run.dissipation_numerical[-1])) < 0.02 * exact
    assert np.abs(run.balance_error.values).max() < 1e-9 * exact


def test_all_that_a_ball_loses_on_another_one_is_the_impacts_though_the_normal_turns_on_its_way():
    """In ways of 2 cm a step: along the normal where the last one begins the loss would be off by some per cent."""
    ball = RigidSolid(mass=1.0, inertia=(0.004,) * 3, shape=Ball(0.1))
    contact = Contact(obstacle=Sphere((0.0, 0.0, 0.0), 0.2), mu=0.0)
    start = SpaceInitial(position=(-0.5, 0.0, 0.15), velocity=(2.0, 0.0, 0.0))
    problem = SpaceProblem(body=ball, t_end=0.2, contacts=(contact,), gravity=0.0, initial=start)
    run = simulate(assemble(problem, Options(1e-2)))
    lost = 2.0 - float(run.energy_kinetic[-1])
    assert lost > 1.0
    assert abs(float(run.dissipation_impact[-1]) - lost) <= 1e-9 * lost


@pytest.mark.parametrize(("scheme", "deforms"), [("sdirk2", False), ("moreau-theta", False), ("sdirk2", True)])
def test_what_rises_and_lands_in_one_step_loses_nothing_to_the_impact_rather_than_gain_by_it(scheme, deforms):
    """At a speed that gravity turns round in a third of the step: the velocity at its start is not that before the impact."""
    dt, ground = 5e-3, {"contact": "bottom"} if deforms else {}
    body = solid("Q1", law(young=2e5), (0.2, 0.2, 0.2), (2, 2, 2)) if deforms else BLOCK
    start = SolidInitial if deforms else SpaceInitial
    given = start(position=(0.0, 0.0, 0.1 + 1e-5), velocity=(0.0, 0.0, 0.34 * GRAVITY * dt))
    make = SolidProblem if deforms else SpaceProblem
    problem = make(body=body, t_end=4 * dt, initial=given, gravity=GRAVITY, mu=0.4, **ground)
    run = simulate(assemble(problem, Options(dt=dt, scheme=scheme)))
    assert float(run.velocity[0, :, 2].min()) > 0.0
    assert float(run.normal_force[1].sum()) > 0.0
    assert np.diff(run.dissipation_impact.values).min() >= 0.0
    assert np.abs(run.balance_error.values).max() < 1e-9 * float(run.energy_kinetic.max())
