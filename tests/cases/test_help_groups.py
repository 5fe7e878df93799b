"""A help shows options under the headings of their subject, and apart what does nothing beside the choices made."""

import pytest
from case_models import computed
from rows import rows

from cases.app.command.cli import main
from cases.app.registry import load


def groups(capsys, *words):
    """Option names by heading of `run WORDS --help`."""
    assert main(["run", *words, "--help"]) == 0
    computed, heading = {}, ""
    for line in capsys.readouterr().out.splitlines()[3:]:
        if line.startswith("  --"):
            computed[heading].append(line.split()[0].strip("-:"))
        elif line.endswith(":"):
            heading = line.rstrip(":")
            computed[heading] = []
    return computed


def test_an_obstacle_a_spring_and_the_initial_motion_have_headings_of_their_own(capsys):
    wall = groups(capsys, "wall_impact")
    assert {"obstacle", "distance", "wall_vx", "contact", "stiffness", "damping", "mu_wall", "edge"} <= {
        *wall["Obstacle"]
    }
    assert wall["Initial motion"] == ["vx0", "vy0", "spin0"]
    assert "Loads" not in wall
    belt = groups(capsys, "belt_oscillator")
    assert belt["Spring"] == ["stiffness", "damping", "stretch0"]
    assert belt["Initial motion"] == ["vx0"]
    assert [*belt].index("Ground and friction") + 1 == [*belt].index("Spring")


@rows(
    "words, apart, shown",
    [
        (
            ["wall_impact"],
            {"restitution", "restitution_law", "E", "nu", "plane", "elements", "frame"},
            {"stiffness", "damping"},
        ),
        (
            ["wall_impact", "--contact", "signorini"],
            {"stiffness", "m1", "tensile", "E"},
            {"restitution", "restitution_law"},
        ),
        (["wall_impact", "--body", "elastic"], {"restitution"}, {"E", "nu", "material", "plane", "elements", "frame"}),
        (["block_in_space"], {"E", "viscosity", "stiffness", "nx"}, {"feet"}),
    ],
)
def test_what_the_choices_leave_unread_stands_apart(capsys, words, apart, shown):
    computed = groups(capsys, *words)
    (idle,) = (heading for heading in computed if heading.startswith("No effect with"))
    others = {name for heading, names in computed.items() if heading != idle for name in names}
    assert apart <= {*computed[idle]}
    assert shown <= others


@rows("dt, noted", [(0.5, True), (0.05, False)])
def test_a_step_longer_than_the_run_is_noted(dt, noted):
    params = load("belt_oscillator").Parameters(t_end=0.1, dt=dt)
    assert params.notes() == (["dt: longer than t_end: the run is one step of 0.1 s"] if noted else [])


def test_a_rigid_body_runs_alike_whatever_its_elasticity():
    given = {"t_end": 0.02, "dt": 5e-4, "nx": 4, "ny": 2, "mu_wall": 0.2, "vy0": 0.3, "spin0": 2.0}
    idle = {"E": 1e9, "nu": 0.1, "material": "neo-hookean", "frame": "tisserand", "plane": "strain", "elements": "Q2"}
    _, plain = computed(load("wall_impact"), **given)
    params, other = computed(load("wall_impact"), **given, **idle)
    assert float(abs(plain.linear_momentum[-1] - plain.linear_momentum[0]).max()) > 0.0, "it hits"
    for name in ("frame_position", "frame_angle", "contact_force"):
        assert plain[name].equals(other[name]), name
    assert params.notes() == [f"{name}: no effect with body rigid" for name in idle]


@pytest.mark.parametrize("given", ["--no-estimate", "--no_estimate"])
def test_the_switch_against_estimates_is_spelled_as_it_is_shown(capsys, given):
    assert "no-estimate" in groups(capsys, "belt_oscillator")["Time and accuracy"]
    assert main(["run", "belt_oscillator", given, "--estimate"]) == 2
    assert capsys.readouterr().err == "error: expected --no-estimate or an estimate, got both\n"
