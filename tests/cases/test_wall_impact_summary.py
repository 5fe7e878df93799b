"""The summary of an impact is taken over all steps, also where stored instants miss the impact or its deepest place."""

import math
from functools import partial

import pytest
from case_models import summarised

from cases import wall_impact

PER_HALF = 24
"""Steps that a half period of contact takes at least: its deepest place is met to 1 - cos(pi/48), its ends to part of a step."""

results = partial(summarised, wall_impact, nx=2, ny=2)


MISSED = {
    "fast": {"vx0": 5.0, "dt": 0.05, "t_end": 0.1},
    "slow": {"vx0": 1.0, "dt": 1e-2},
    "stored seldom": {"vx0": 2.0, "dt": 2e-4, "output_every": 100, "t_end": 0.06},
    "moving wall": {"vx0": 3.0, "wall_vx": -1.0, "dt": 0.03, "t_end": 0.06},
    "controlled": {"vx0": 5.0, "dt": 0.02, "t_end": 0.1, "error_tolerance": 1e-3},
    "backward Euler": {"vx0": 5.0, "dt": 0.05, "t_end": 0.1, "scheme": "backward-euler"},
    "radau": {"vx0": 5.0, "dt": 0.05, "t_end": 0.1, "scheme": "radau", "law": "smooth"},
}
MISSED["radau, controlled"] = MISSED["radau"] | {"error_tolerance": 1e-3}


@pytest.mark.parametrize("kind", MISSED)
@pytest.mark.quick("fast", "slow", "moving wall", "backward Euler", "radau, controlled")
def test_depth_force_and_duration_are_those_of_the_impact_whatever_is_stored(kind):
    params, run, summary = results(**MISSED[kind])
    exact = wall_impact.exact(params)
    assert summary["restitution"]["value"] > 0.5, "it has hit and come back"
    stored = max(math.hypot(*force) for force in run.contact_force.values)
    assert summary["force_max"]["value"] >= stored
    damped = 0.2 if params.scheme == "backward-euler" else 0.03  # first order: about pi/PER_HALF of the amplitude
    assert summary["penetration_max"]["value"] == pytest.approx(exact.penetration, rel=damped)
    assert summary["force_max"]["value"] == pytest.approx(params.stiffness * exact.penetration, rel=damped)
    assert summary["contact_duration"]["value"] == pytest.approx(exact.duration, rel=2.0 / PER_HALF)


def test_what_has_not_been_let_go_has_no_duration_and_what_is_not_touched_neither():
    _, _, within = results(vx0=1.0, dt=1e-3, t_end=0.015)
    assert within["force_max"]["value"] > 0.0
    assert within["contact_duration"]["value"] is None
    _, _, apart = results(vx0=1.0, dt=1e-3, t_end=0.005)
    assert [apart[name]["value"] for name in ("penetration_max", "force_max", "contact_duration")] == [0.0, 0.0, None]


def test_the_contact_of_a_moving_obstacle_with_a_body_at_rest_is_seen_too():
    params, _, summary = results(vx0=0.0, wall_vx=-1.0, dt=2e-3)
    assert summary["penetration_max"]["value"] == pytest.approx(wall_impact.exact(params).penetration, rel=0.03)
