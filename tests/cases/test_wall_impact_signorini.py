"""The case wall_impact with exact contact: rebound, impulse, contact time, no penetration; refusals on the command line."""

import numpy as np
import pytest
from case_models import model_of, summarised
from case_runs import stored, summary_of
from rows import rows

from cases import wall_impact
from floating_frame import run_warnings


def run(**given):
    exact = {"contact": "signorini", "scheme": "moreau-theta", "nx": 4, "ny": 2}
    _, data, computed = summarised(wall_impact, **exact | given)
    return computed, data


@pytest.mark.parametrize("e", [0.0, 0.6])
def test_rigid_plate_rebounds_with_the_restitution_asked_for_and_does_not_penetrate(e):
    computed, data = run(restitution=e, dt=5e-4)
    assert np.any(data.contact_force.values)
    assert computed["restitution"]["exact"] == e
    assert np.isclose(computed["restitution"]["value"], e, rtol=0, atol=1e-11)
    assert np.isclose(computed["impulse_normal"]["value"], computed["impulse_normal"]["exact"], rtol=1e-11)
    assert computed["penetration_max"]["value"] < 1e-10
    assert computed["contact_duration"]["value"] <= 2.01 * 5e-4
    mass = 1100.0 * 0.01 * 0.2 * 0.1
    assert np.isclose(computed["contact_loss"]["value"], 0.5 * mass * (1.0 - e * e), rtol=1e-10)


def test_without_a_scheme_the_exact_impact_takes_one_of_impacts_and_a_given_one_is_kept(command, no_picture, tmp_path):
    params = wall_impact.Parameters(contact="signorini", restitution=0.5, scheme="backward-euler")
    assert (params.scheme, wall_impact.Parameters().scheme) == ("backward-euler", "sdirk2")
    given = "--contact signorini --restitution 0.5 --nx 2 --ny 2 --dt 1e-3 --no-estimate --quiet --out run"
    assert command(f"run wall_impact {given}")[0] == 0
    summary = summary_of(tmp_path / "run")
    assert summary["parameters"]["scheme"] == "moreau-theta"
    assert np.isclose(summary["results"]["restitution"]["value"], 0.5, atol=1e-10)  # it hit the wall, and came back
    assert {"contact_force", "contact_moment", "dissipation_contact"} <= set(stored(tmp_path / "run"))


@rows(
    "given",
    [
        {"contact": "signorini", "obstacle": "circle", "radius": 0.006, "wall_y": 0.00625, "body": "elastic"},
        {"contact": "signorini", "obstacle": "circle", "radius": 0.016, "wall_y": 0.01, "ny": 3, "body": "elastic"},
        {"contact": "signorini", "obstacle": "box", "radius": 0.006, "wall_y": 0.00625, "body": "elastic"},
        {"contact": "signorini", "obstacle": "arc-chain", "radius": 0.006, "wall_y": 0.00625, "body": "elastic"},
        {"obstacle": "circle", "radius": 0.006, "ny": 8, "integration": "nodes"},
        {"obstacle": "circle", "radius": 0.002, "ny": 8},
    ],
)
def test_an_obstacle_finer_than_the_way_between_contact_points_is_refused_with_advice(given):
    with pytest.raises(ValueError, match=r"could pass unseen between the contact points.*take a finer mesh") as caught:
        run(**{"nx": 2, "ny": 8, "contact": "penalty", "scheme": "moreau-theta"} | given)
    assert "\n" not in str(caught.value)
    assert model_of(wall_impact, **{"nx": 2, "scheme": "moreau-theta"} | given | {"ny": 40})[1] is not None


def test_an_obstacle_within_the_plate_between_its_nodes_at_the_start_is_refused():
    """A nose turned by 14 degrees reaches into the edge beside its foremost point, where a coarse plate has no node."""
    with pytest.raises(ValueError, match=r"distance: the obstacle reaches .* m into the plate at the start"):
        run(obstacle="arc-chain", radius=0.13, wall_y=0.02, wall_angle=-14.0, distance=0.0, nx=1, ny=1, edge="boundary")


def test_a_pin_that_meets_an_edge_of_a_plate_between_its_nodes_is_told():
    """Nodes h apart at a circle of radius R: R - sqrt(R^2 - h^2/4) deep between them, if the edge stays straight."""
    radius, half = 0.015, 0.00625
    given = {"obstacle": "circle", "radius": radius, "vx0": 0.1, "dt": 1e-3, "nx": 2, "body": "elastic", "t_end": 0.12}
    computed, data = run(**given, ny=8, wall_y=half)
    warned = [w for w in run_warnings(data) if w.name == "penetration"]
    dip = radius - np.sqrt(radius**2 - half**2)
    deepest = computed["penetration_max"]["value"]
    assert 0.5 * dip < deepest < 1.5 * dip
    assert [w.value for w in warned] == [pytest.approx(deepest / (2 * radius), rel=1e-9)]
    assert "take a finer mesh" in warned[0].advice


@rows(
    ("obstacle", "radius", "ny", "wall_y"),
    [("circle", 0.1, 2, 0.013), ("circle", 0.001, 2, 0.02), ("circle", 0.03, 5, 0.0), ("arc-chain", 0.004, 2, -0.017)],
)
def test_a_round_obstacle_is_met_by_a_rigid_side_where_it_is_nearest_and_not_at_its_nodes(obstacle, radius, ny, wall_y):
    """Without friction the impulse is (1 + e) v/(1/m + y^2/J), whatever the mesh, and nothing penetrates, even in one long step.

    Afterwards the body leaves with -e v at the point that was hit.
    """
    given = {"obstacle": obstacle, "radius": radius, "wall_y": wall_y, "vx0": 2.0, "restitution": 0.6}
    computed, data = run(**given, dt=5e-3, t_end=0.02, nx=2, ny=ny)
    mass, arm = 1100 * 0.01 * 0.2 * 0.1, wall_y
    inertia = mass * (0.2**2 + 0.1**2) / 12
    impulse = 1.6 * 2.0 / (1 / mass + arm**2 / inertia)
    assert int(data.impacts[-1]) == 1
    assert float(data.frame_velocity[-1, 0]) == pytest.approx(2.0 - impulse / mass, rel=1e-10)
    assert float(data.frame_spin[-1]) == pytest.approx(arm * impulse / inertia, rel=1e-10, abs=1e-10)
    assert computed["penetration_max"]["value"] < 1e-12


def test_a_side_that_rolls_on_a_round_obstacle_stays_on_it_and_keeps_its_energy():
    """After the first impact, without rebound, the contact does no work; error of first order in dt = 1e-4."""
    given = {"obstacle": "circle", "radius": 0.2, "wall_y": 0.006, "vx0": 2.0, "restitution": 0.0}
    computed, data = run(**given, dt=1e-4, t_end=0.02, nx=2, ny=2, output_every=10)
    after = data.energy_kinetic.values[data.time.values > 0.006]
    assert float(data.contact_force[-1, 0]) < 0.0  # it pushes still
    assert 0.0 < after[0] < 0.01 * float(data.energy_kinetic[0])
    assert after[-1] == pytest.approx(after[0], rel=2e-3)
    assert computed["penetration_max"]["value"] < 1e-12
