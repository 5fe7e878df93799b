"""Exact contact with a static and a kinetic coefficient: a block at a wall holds, breaks away, slides, stops and holds again."""

import numpy as np
import pytest
from ff_signorini import MASS, SCHEMES, block, elastic, gaps

from floating_frame import EdgeLoad, Line, Options, Problem, Table, assemble, simulate
from floating_frame.checks import check_problem
from floating_frame.contact.contact import Contact, Signorini
from friction import Coulomb, Limited, Smooth, StaticKinetic, Stribeck

PRESS, STATIC, KINETIC = 3.0 * MASS, 0.4, 0.2
WALL = Line((0.2, 0.0), (-1.0, 0.0))
TIMES, PULLS = (0.0, 0.5, 0.6, 0.61, 1.3, 1.31, 9.0), (0.0, 1.5, 1.5, 0.3, 0.3, 1.0, 1.0)  # s, m/s²


def pulled(body, scheme, dt, t_end, law=None):
    """A body pressed against a wall with 3 M, where 1.2 M makes it slide and 0.6 M keeps it sliding, and pulled along it."""
    law = law or StaticKinetic(KINETIC / STATIC)
    contact = Contact(WALL, edge="right", normal=Signorini(0.0), law=law, mu=STATIC)
    loads = (EdgeLoad("right", (PRESS, 0.0)), EdgeLoad("right", (0.0, MASS), Table(TIMES, PULLS)))
    return simulate(
        assemble(Problem(body, t_end, None, loads, contacts=(contact,)), Options(dt, scheme, tolerance=1e-12))
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_rigid_block_breaks_away_at_the_static_limit_slides_at_the_kinetic_one_stops_and_holds_above_it(scheme):
    dt = 5e-3
    data = pulled(block(), scheme, dt, 1.5)
    t, drag, speed = data.time.values, -data.contact_force.values[:, 1] / MASS, data.frame_velocity.values[:, 1]
    mean = 0.5 * dt * 3.0 if scheme == "moreau-theta" else 0.0  # it balances the mean pull over a step
    held = (t > 0.0) & (t < 0.4 - 1e-9)
    np.testing.assert_allclose(drag[held], 3.0 * t[held], rtol=0, atol=mean + 1e-9)
    assert np.abs(speed[held]).max() < 1e-12
    slides = (t > 0.4 + 1e-9) & (t < 1.1)  # from the very step on in which it breaks away
    np.testing.assert_allclose(drag[slides], 0.6, rtol=1e-9)
    expected = 1.5 * t**2 - 0.6 * t  # 3 t - 0.6 from 0.4 s on
    early = (t > 0.4 + dt) & (t <= 0.5)
    np.testing.assert_allclose(speed[early], expected[early], rtol=0, atol=2 * dt * 0.6)
    assert speed.max() == pytest.approx(0.075 + 0.1 * 0.9 + 0.01 * 0.3, rel=0.03)
    stopped = t > 1.31 + dt
    assert np.abs(speed[stopped]).max() < 1e-12
    np.testing.assert_allclose(drag[stopped], 1.0, rtol=1e-9)  # more than the kinetic limit
    assert float(np.abs(data.balance_error).max()) < 1e-12
    assert np.abs(gaps(data, WALL).min(axis=1)).max() < 1e-11
    np.testing.assert_allclose(data.dissipation_contact[-1], 0.6 * MASS * data.frame_position.values[-1, 1], rtol=0.02)


def test_elastic_block_holds_below_the_static_limit_and_slides_at_the_kinetic_one():
    data = pulled(elastic(2, 2, E=2e7, nu=0.0), "backward-euler", 5e-3, 0.6)
    t, drag, speed = data.time.values, -data.contact_force.values[:, 1] / MASS, data.frame_velocity.values[:, 1]
    held = (t > 0.1) & (t < 0.38)
    np.testing.assert_allclose(drag[held], 3.0 * t[held], rtol=1e-3)
    assert np.abs(speed[held]).max() < 1e-3 * speed.max()
    slides = (t > 0.45) & (t < 0.6)
    np.testing.assert_allclose(drag[slides], 0.6, rtol=1e-3)
    assert speed[-1] == pytest.approx(0.165, rel=0.03)
    assert float(np.abs(data.balance_error).max()) < 1e-10


def test_without_a_difference_of_the_coefficients_the_law_is_coulombs():
    runs = [pulled(block(), "moreau-theta", 1e-2, 0.6, law) for law in (Coulomb(), StaticKinetic(1.0))]
    assert float(runs[0].frame_velocity[-1, 1]) > 0.0
    force = runs[0].contact_force.values
    np.testing.assert_allclose(runs[1].contact_force, force, rtol=0, atol=1e-12 * np.abs(force).max())


@pytest.mark.parametrize("law", [Smooth(1e-3), Stribeck(0.5, 0.1), Limited(Coulomb(), 1.0)])
def test_other_laws_are_refused_with_advice(law):
    contact = Contact(WALL, edge="right", normal=Signorini(0.0), law=law, mu=STATIC)
    with pytest.raises(
        ValueError, match=f"Coulomb's law of friction or StaticKinetic, got {type(law).__name__}; choose"
    ):
        check_problem(Problem(block(), 1.0, contacts=(contact,)), Options(1e-3, "moreau-theta"))
