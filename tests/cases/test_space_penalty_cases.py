"""Penalty contact on the command line of the cases in space: what names mean, what bears it, what does not go together."""

import numpy as np
import pytest
from case_models import computed
from rows import rows

from cases import block_in_space, plate_in_space, potra_block, solid_pulled, sphere_on_plane
from cases.app.studies.compare import series_of
from floating_frame import run_warnings
from friction import Coulomb, NormalForce, Sliding, SlidingStiction, Smooth

CASES = (sphere_on_plane, block_in_space, potra_block, solid_pulled, plate_in_space)


@rows("case", CASES)
def test_a_penalty_on_the_command_line_is_that_of_the_problem(case):
    given = {"contact": "penalty", "stiffness": 3e5, "damping": 50.0, "m1": 1.2, "m3": 0.5, "onset": 1e-4}
    params = case.Parameters(**given)
    bodies = [params] if "body" not in dict(params) else [params, params.model_copy(update={"body": "elastic"})]
    for one in bodies:
        (contact,) = case.problem(one).contacts
        share = contact.normal.stiffness / 3e5
        assert share == pytest.approx(contact.normal.damping / 50.0)
        assert (contact.normal.m1, contact.normal.m3, contact.normal.onset) == (1.2, 0.5, 1e-4)
        assert (contact.law, contact.mu) == (Smooth(v_reg=1e-3), params.mu)
    two = case.Parameters(contact="penalty", law="sliding", mu=0.2, mu_s=0.4, v_s=1e-2, v_d=3e-2)
    (contact,) = case.problem(two).contacts
    assert (contact.mu, contact.law) == (0.4, Sliding(v_s=1e-2, v_d=3e-2, dynamic_ratio=0.5))
    bent = case.Parameters(contact="penalty", law="sliding-stiction", stiffness_spline=(0.0, 0.0, 1e-3, 400.0))
    assert isinstance(case.problem(bent).contacts[0].law, SlidingStiction)
    assert isinstance(case.problem(bent).contacts[0].normal, NormalForce)
    assert case.problem(case.Parameters()).contacts[0].law == Coulomb()


def test_a_block_at_rest_has_sunk_in_by_its_weight_over_the_stiffness_whatever_it_stands_on():
    still = {"vx0": 0.0, "contact": "penalty", "stiffness": 2e4, "dt": 5e-3, "t_end": 0.02, "m1": 1.5}
    deep = (9.81 / 2e4) ** (1.0 / 1.5)
    cells = {"nx": 2, "ny": 2, "nz": 1, "E": 1e9, "damping": 300.0, "scheme": "backward-euler"}
    for what in ({}, {"feet": "area", "nx": 3, "ny": 2}, {"body": "elastic"} | cells):
        params, data = computed(block_in_space, **(still | what))
        base, quiver = data.X.values[:, 2] < 0.0, 2e-3 if params.body == "elastic" else 1e-9
        np.testing.assert_allclose(-data.position.values[:, base, 2], deep, rtol=quiver)
        np.testing.assert_allclose(data.normal_force.values.sum(axis=1), 9.81, rtol=quiver)


def test_a_ball_on_a_penalty_rolls_on_as_one_in_exact_contact():
    params, data = computed(sphere_on_plane, contact="penalty", v_reg=1e-4, dt=5e-3, t_end=0.4)
    place, velocity = sphere_on_plane.exact(params, data.time.values)
    np.testing.assert_allclose(data.frame_velocity.values[-1, :2], velocity[-1], rtol=1e-6)
    np.testing.assert_allclose(data.frame_position.values[-1, :2], place[-1], rtol=1e-4)
    headlines = sphere_on_plane.summary(params, data)
    assert headlines["x_end"]["reference"] == {"value": place[-1, 0], "source": "exact contact"}
    assert "exact" not in headlines["x_end"]
    assert sphere_on_plane.measures(params, data)["place_end"].known is None


def test_a_contact_that_never_bears_the_weight_is_refused():
    params = sphere_on_plane.Parameters(contact="penalty", stiffness_spline=(0.0, 0.0, 1e-3, 0.1, 2e-3, 0.1))
    with pytest.raises(ValueError, match="expected forces that bear the weight"):
        sphere_on_plane.problem(params)


def test_runs_on_penalties_are_compared_by_what_friction_takes():
    """A sliding block loses ½ m (v₀² - v²), but for 2e-3 of it, which goes into pitching and the springs."""
    params, data = computed(block_in_space, contact="penalty", mu=0.2, vx0=0.5, dt=1e-3, t_end=5e-3)
    speed = 0.5 - params.mu * params.gravity * 5e-3
    taken = 0.5 * params.mass * (0.5**2 - speed**2)
    assert series_of(data)["dissipation_friction"].values[-1] == pytest.approx(taken, rel=0.005)


@rows("given, warns", [({}, False), ({"gravity": 0.0}, True), ({"gravity": 0.0, "mu": 0.0}, False)])
def test_friction_on_a_penalty_that_nothing_presses_is_warned_of(given, warns):
    _, data = computed(sphere_on_plane, contact="penalty", dt=1e-3, t_end=2e-3, **given)
    assert ("nothing-presses" in [warning.name for warning in run_warnings(data)]) == warns


def test_parameters_of_another_contact_are_named_as_unread():
    notes = block_in_space.Parameters(stiffness=1e3, v_reg=0.1).notes()
    assert any("stiffness: no effect with contact signorini" in note for note in notes)
    assert any("v_reg: no effect with law coulomb" in note for note in notes)
    beside = block_in_space.Parameters(contact="penalty", stiffness=1e3, stiffness_spline=(0.0, 0.0, 1.0, 1e4)).notes()
    assert beside == ["stiffness: no effect with stiffness_spline"]


@pytest.mark.slow
def test_a_pulled_solid_on_stiffening_penalties_comes_to_where_exact_contact_takes_it():
    """docs/space.md: steps of 2 ms go 4 µm too far; penalties 20, 2 and 0.2 µm too far, an order of one in 1/k.

    The penalties are set beside exact contact at the same step: at 1 ms no step is halved, and a halved one would change them
    by a share of the step's own error, which is as large as the last difference.
    """
    size, stiff = {"nx": 4, "ny": 2, "nz": 1, "t_end": 0.15, "viscosity": 0.0}, {"contact": "penalty", "law": "smooth"}

    def distance(**given):
        _, run = computed(solid_pulled, **size, **given)
        assert not run.halvings.values.any()
        place = run.frame_position.values
        return 1e3 * float(place[-1, 0] - place[0, 0])

    assert solid_pulled.Parameters(**size).dt == 2e-3
    assert distance() == pytest.approx(3.169, abs=5e-4)
    assert distance(dt=5e-4) == pytest.approx(3.166, abs=5e-4)
    exact = distance(dt=1e-3)
    for stiffness, v_reg in ((1e6, 1e-4), (1e7, 1e-5), (1e8, 1e-6)):
        farther = distance(dt=1e-3, **stiff, stiffness=stiffness, v_reg=v_reg) - exact
        assert farther == pytest.approx(0.021 * 1e6 / stiffness, rel=0.1)
