"""The verdict of a run: every warning speaks just above its limit and not just below it, on motions that are known."""

import json
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from single_steps import initial_state, step

from fem import NeoHookean, Plate, SmallStrain, StVenantKirchhoff, rectangle
from fem.beam import Beam
from fem.beam_axis import BeamAxis
from floating_frame import (
    BeamProblem,
    BodyForce,
    Circle,
    Clamped,
    Contact,
    Cosine,
    InitialState,
    LateralLoad,
    Line,
    Options,
    Problem,
    RigidBody,
    Signorini,
    assemble,
    load_trajectory,
    run_warnings,
    simulate,
)
from floating_frame.contact.tunnelling import path_penetration
from floating_frame.errors import Unsolved
from floating_frame.verdict import limits
from floating_frame.verdict.checks import checks_of
from floating_frame.verdict.verdict import judge, with_checks
from friction import Coulomb, Foundation, NormalForce


def plate(material, nx=4, ny=2, length=0.4, width=0.2):
    return Plate.build(
        rectangle(length, width, nx, ny, "quadrilateral"),
        thickness=0.01,
        density=1000.0,
        material=material,
        element="Q1",
    )


def names(run):
    return {warning.name for warning in run_warnings(run)}


def value(run, name):
    return next(warning.value for warning in run_warnings(run) if warning.name == name)


def watched(model):
    """The state at t = 0 with its checks."""
    state = initial_state(model)
    return replace(state, verdict=checks_of(model, state))


def spinning(dt, t_end=0.6, **options):
    """A stretched elastic plate that spins freely."""
    body = plate(NeoHookean(E=2e5, nu=0.3))
    stretched = np.column_stack([0.1 * body.X[:, 0], np.zeros(len(body.X))])
    problem = Problem(body=body, t_end=t_end, initial=InitialState(spin=6.0, displacement=stretched))
    return simulate(assemble(problem, Options(dt, **options)))


@pytest.fixture(scope="module")
def spins():
    return [spinning(dt) for dt in np.geomspace(1e-3, 5e-2, 4)]


def test_numerical_dissipation_is_told_above_a_twentieth_of_the_energy(spins):
    shares = [float(r.dissipation_numerical.max() / (r.energy_kinetic + r.energy_strain).max()) for r in spins]
    assert min(shares) < 0.5 * limits.NUMERICAL_ENERGY < 2 * limits.NUMERICAL_ENERGY < max(shares)
    for run, share in zip(spins, shares, strict=True):
        assert float(np.abs(run.balance_error).max()) < 1e-8  # so the balance does not tell
        assert ("numerical-dissipation" in names(run)) == (share > 0.05)
        assert "energy-growth" not in names(run)
    assert value(spins[-1], "numerical-dissipation") == pytest.approx(shares[-1], rel=1e-9)


def test_angular_momentum_of_a_free_body_is_told_above_a_hundredth(spins):
    """H of the trajectory itself: the plate's centre stays at the origin."""
    errors = []
    for run in spins:
        H = run.angular_momentum.values
        errors.append(np.abs(H - H[0]).max() / np.abs(H).max())
    assert min(errors) < 0.5 * limits.ANGULAR_MOMENTUM < 2 * limits.ANGULAR_MOMENTUM < max(errors)
    for run, error in zip(spins, errors, strict=True):
        assert ("angular-momentum" in names(run)) == (error > 0.01)


def test_a_body_that_friction_or_a_load_turns_is_not_called_free():
    body = plate(NeoHookean(E=2e5, nu=0.3))
    ground = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)
    run = simulate(assemble(Problem(body, 0.1, foundation=ground, initial=InitialState(spin=6.0)), Options(1e-3)))
    assert abs(float(run.angular_momentum[-1])) < 0.5 * abs(float(run.angular_momentum[0]))
    assert "angular-momentum" not in names(run)


def test_how_frictions_work_is_booked_is_no_growth_in_the_first_steps_from_rest():
    """Moreau's scheme moves a body under a constant force exactly, and books friction with the velocity at the step's end.

    After n steps from rest that is 1/n more than friction has taken: the numerical entry, and not energy put in.
    """
    body = RigidBody.from_plate(plate(NeoHookean(E=2e5, nu=0.3)))
    problem = Problem(body, 4e-3, Foundation(Coulomb(), 0.3, 98.1), (BodyForce((5.0, 0.0)),))
    data = simulate(assemble(problem, Options(1e-3, "moreau-theta")))
    mass, force = body.mass_matrix.sum(), 0.3 * 98.1 * body.nodal_area.sum()
    taken = force * float(data.frame_position[-1, 0])
    assert float(data.dissipation_numerical[-1]) == pytest.approx(-taken / 4.0, rel=1e-9)
    assert float(data.frame_velocity[-1, 0]) == pytest.approx((5.0 - force / mass) * 4e-3, rel=1e-9)
    assert data.attrs["warnings"] == "[]"


def test_what_central_differences_give_and_take_of_the_highest_mode_is_no_growth():
    """A rod in its highest axial mode near the stable step: T + U swings, the energy that the scheme keeps does not."""
    body = plate(SmallStrain(E=2e5, nu=0.0), nx=16, ny=1, width=0.025)
    column = np.round((body.X[:, 0] - body.X[:, 0].min()) / 0.025).astype(int)
    zigzag = 1e-6 * np.column_stack([(-1.0) ** column, np.zeros(len(column))])
    model = assemble(Problem(body, 0.03, initial=InitialState(displacement=zigzag)), Options(0.0, "explicit"))
    step = 0.95 * model.steps.stable
    run = simulate(replace(model, steps=replace(model.steps, length=step, longest=step)))
    energy = (run.energy_kinetic + run.energy_strain).values
    assert np.ptp(energy) > 2 * limits.NUMERICAL_ENERGY * energy.max()
    assert run_warnings(run) == []
    for grown, warns in ((0.49, False), (0.51, True)):
        check = checks_of(model, initial_state(model))[0]
        assert bool(replace(check, grown=grown * check.largest).judge(model)) == warns


def test_a_body_that_rests_has_no_energy_that_could_be_lost():
    ground = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)
    body = plate(StVenantKirchhoff(E=2e5, nu=0.3))
    for rests in (body, RigidBody.from_plate(body)):
        run = simulate(assemble(Problem(rests, 0.01, foundation=ground), Options(1e-3)))
        assert float(run.energy_kinetic.max()) == 0.0
        assert run.attrs["warnings"] == "[]"


def at_rest(material, displacement, *, frame=None, dt=1e-7, scheme="sdirk2"):
    body = plate(material)
    how = {} if frame is None else {"frame": frame}
    problem = Problem(body, 3 * dt, initial=InitialState(displacement=displacement(body.X)), **how)
    return simulate(assemble(problem, Options(dt, scheme)))


def stretched(by):
    return lambda X: np.column_stack([by * X[:, 0], np.zeros(len(X))])


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_small_strain_material_is_told_above_two_per_cent_in_either_direction(side):
    material = SmallStrain(E=2e5, nu=0.0)
    assert run_warnings(at_rest(material, stretched(side * 0.0199))) == []
    run = at_rest(material, stretched(side * 0.0201))
    assert value(run, "strain-range") == pytest.approx(0.0201, rel=1e-4)
    assert run_warnings(at_rest(NeoHookean(E=2e5, nu=0.0), stretched(side * 0.0201))) == []


def bent(angle):
    """Pure bending of the clamped plate with the rotation ``angle`` at its free end: strains are half a width's share of it."""

    def field(X):
        along, kappa = X[:, 0] - X[:, 0].min(), angle / 0.4
        return np.column_stack([-kappa * along * X[:, 1], 0.5 * kappa * along**2])

    return field


def test_a_small_strain_material_is_told_that_turns_by_a_tenth_in_its_clamp():
    slender = {"nx": 40, "ny": 2, "width": 0.02}

    def run(angle):
        body = plate(SmallStrain(E=2e5, nu=0.0), **slender)
        problem = Problem(body, 2e-7, frame=Clamped("left"), initial=InitialState(displacement=bent(angle)(body.X)))
        return simulate(assemble(problem, Options(1e-7)))

    # The last cell's points see the rotation a fifth of a cell before the end and more.
    assert run_warnings(run(0.1)) == []
    found = run_warnings(run(0.103))
    assert [w.name for w in found] == ["strain-range"]
    assert found[0].limit == 0.1 < found[0].value < 0.103


def test_a_small_strain_body_that_turns_with_its_frame_is_not_strained():
    body = plate(SmallStrain(E=2e7, nu=0.3))
    run = simulate(assemble(Problem(body, 0.3, initial=InitialState(spin=2.0)), Options(5e-3)))
    assert float(run.frame_angle[-1]) > 0.5
    assert run_warnings(run) == []


def test_st_venant_kirchhoff_is_told_below_the_stretch_of_seven_tenths():
    material = StVenantKirchhoff(E=2e5, nu=0.0)
    assert run_warnings(at_rest(material, stretched(-0.299))) == []
    assert value(at_rest(material, stretched(-0.301)), "strain-range") == pytest.approx(0.699, rel=1e-4)
    assert run_warnings(at_rest(NeoHookean(E=2e5, nu=0.0), stretched(-0.301))) == []


def beam(ne=8):
    return Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e9, density=1000.0, ne=ne)


@pytest.mark.parametrize(("slope", "warns"), [(0.199, False), (0.201, True)])
def test_a_linear_beam_is_told_above_a_slope_of_a_fifth(slope, warns):
    """A cantilever under a load at its tip has the slope P L²/(2 EJ) there; on a rough plane without strength."""
    EJ = 1e9 * 0.02 * 0.02**3 / 12
    ground = Foundation(law=Coulomb(), mu=1e-12, pressure=1.0)
    loads = (LateralLoad(2 * EJ * slope, "tip"),)
    problem = BeamProblem(beam(), 1.0, foundation=ground, loads=loads, support="cantilever")
    run = simulate(assemble(problem, Options(1.0, "quasi-static")))
    assert float(np.abs(run.rotation).max()) == pytest.approx(slope, rel=1e-6)
    assert names(run) == ({"strain-range"} if warns else set())


@pytest.mark.parametrize(("strain", "warns"), [(0.019, False), (0.021, True)])
def test_the_fibres_of_a_beam_that_turns_freely_are_told_above_two_per_cent(strain, warns):
    axis = BeamAxis.build(beam())
    stretch = np.column_stack([strain * axis.X[:, 0], np.zeros(len(axis.X))])
    problem = Problem(axis, 3e-7, initial=InitialState(displacement=stretch, spin=0.0))
    assert (names(simulate(assemble(problem, Options(1e-7)))) == {"strain-range"}) == warns


def impact(speed, dt=1e-4, stiffness=2e5, obstacle=None, t_end=0.05, **options):
    """A rigid plate of 0.8 kg, 0.4 × 0.2 m, against a spring ``stiffness`` N/m over its right edge of 0.2 m."""
    body = RigidBody.from_plate(plate(NeoHookean(E=2e5, nu=0.3)))
    wall = obstacle or Line((0.21, 0.0), (-1.0, 0.0))
    contact = Contact(wall, edge="right", normal=NormalForce(stiffness=stiffness / 0.2))
    problem = Problem(body, t_end, initial=InitialState(velocity=(speed, 0.0)), contacts=(contact,))
    return simulate(assemble(problem, Options(dt, **options)))


@pytest.mark.parametrize(("depth", "warns"), [(0.0195, False), (0.0205, True)])
def test_a_penalty_contact_is_told_above_a_tenth_of_the_bodys_least_extent(depth, warns):
    """A mass on a spring goes v √(m/k) deep."""
    run = impact(depth * np.sqrt(2e5 / 0.8))
    assert float(run.position.values[..., 0].max()) - 0.21 == pytest.approx(depth, rel=1e-3)
    assert names(run) == ({"penetration"} if warns else set())


@pytest.mark.slow
def test_the_obstacle_counts_where_it_is_the_smaller_one():
    assert names(impact(2.0)) == set()
    run = impact(2.0, obstacle=Circle((0.25, 0.0), 0.04))
    assert names(run) == {"penetration"}


def test_a_way_through_an_obstacle_is_seen_between_the_ends_of_a_step():
    circle = Circle((0.0, 0.0), 0.1)
    start = np.array([[-0.3, 0.02], [-0.3, 0.2], [-0.3, 0.0]])
    end = np.array([[0.4, 0.02], [0.4, 0.2], [-0.11, 0.0]])
    ends = [(a[None], b[None]) for a, b in zip(start, end, strict=True)]
    depths = [path_penetration(circle, both, (0.0, 0.01), closed=0.0) for both in ends]
    assert depths[0] == pytest.approx(0.08, rel=0.02)
    assert depths[1:] == [0.0, 0.0]


def exact_contact(obstacle):
    body = RigidBody.from_plate(plate(NeoHookean(E=2e5, nu=0.3)))
    contacts = (Contact(obstacle, edge="right", normal=Signorini()),)
    problem = Problem(body, 0.02, initial=InitialState(velocity=(1.0, 0.0)), contacts=contacts)
    return assemble(problem, Options(1e-3, "moreau-theta"))


@pytest.mark.parametrize("beyond", [1e-12, 1e-6])
def test_exact_contact_is_told_where_it_penetrates_at_all(beyond):
    model = exact_contact(Line((0.2 - beyond, 0.0), (-1.0, 0.0)))
    found = judge(model, watched(model))
    assert [w.name for w in found] == ([] if beyond < 1e-9 else ["penetration"])
    assert names(simulate(exact_contact(Line((0.205, 0.0), (-1.0, 0.0))))) == set()


def test_energy_that_a_stiff_contact_gains_is_told_as_growth():
    """π √(m/k) is 2 ms long: with steps as long as that the rebound is faster than the approach."""
    resolved, crude = impact(5.0, 1e-4), impact(5.0, 2e-3)
    after = [float(run.frame_velocity[-1, 0]) / 5.0 for run in (resolved, crude)]
    assert after[0] == pytest.approx(-1.0, abs=1e-3)
    growth = (after[1] ** 2 - 1) / after[1] ** 2
    assert (abs(growth) > 0.05) == bool({"energy-growth", "numerical-dissipation"} & names(crude))
    assert names(resolved) == set()


@pytest.mark.parametrize("steps", [8, 1])
def test_a_penalty_contact_is_resolved_by_steps_of_its_own_and_not_told(steps):
    run = impact(1.0, dt=np.pi * np.sqrt(0.8 / 2e5) / steps)
    assert float(run.frame_velocity[-1, 0]) == pytest.approx(-1.0, abs=0.02)
    assert not [w for w in run_warnings(run) if w.name == "unresolved"]


def test_steps_that_the_error_chooses_answer_for_themselves():
    run = impact(1.0, dt=1e-2, error_tolerance=1e-3)
    assert float(run.frame_velocity[-1, 0]) == pytest.approx(-1.0, abs=1e-2)
    assert names(run) == set()


@pytest.mark.parametrize(("angle", "warns"), [(0.29, False), (0.31, True)])
def test_a_body_that_turns_far_within_a_step_is_told(angle, warns):
    body = RigidBody.disc(0.1, 1.0, 4, 12)
    run = simulate(assemble(Problem(body, 0.1, initial=InitialState(spin=angle / 0.01)), Options(0.01)))
    assert names(run) == ({"unresolved"} if warns else set())


@pytest.mark.parametrize(("halvings", "warns"), [(3, False), (4, True)])
def test_a_step_that_is_solved_only_at_the_smallest_length_is_told(halvings, warns):
    from floating_frame.stepping.substeps import attempt

    body = RigidBody.disc(0.1, 1.0, 4, 12)
    model = assemble(Problem(body, 0.02, initial=InitialState(velocity=(1.0, 0.0))), Options(0.01, max_halvings=4))
    one, state = step, watched(model)

    def stubborn(model, state, dt, end=None):
        if state.time < 0.005 and dt > 0.01 * 0.5**halvings * 1.001:
            raise Unsolved("too long")
        return one(model, state, dt, end)

    state, counts = attempt(model, with_checks(model, stubborn), state, 0.01, 4)
    assert counts.halvings >= halvings
    assert [w.name for w in judge(model, state)] == (["unresolved"] if warns else [])


def pulled(steps):
    """Ten seconds of a block under a force w (1.02 cos t) beside a bound w, by a scheme that takes forces in their mean."""
    body = RigidBody.from_plate(plate(NeoHookean(E=2e5, nu=0.3)))
    most = 0.3 * 98.1 * body.nodal_area.sum() / body.mass_matrix.sum()
    load = BodyForce((1.02 * most, 0.0), Cosine())
    problem = Problem(body, 10.0, Foundation(Coulomb(), 0.3, 98.1), (load,))
    return simulate(assemble(problem, Options(10.0 / steps, "moreau-theta")))


def test_steps_that_do_not_see_the_course_of_a_load_are_told():
    """The impulse of cos t over a step h is off by 1 - h/2 cot(h/2); friction holds what the mean force does not move."""
    coarse, fine = pulled(8), pulled(200)
    assert float(np.abs(coarse.frame_position).max()) == 0.0 < float(np.abs(fine.frame_position).max())
    assert names(coarse) == {"unresolved"}
    assert names(fine) == set()
    for steps, warns in ((25, True), (31, False)):
        h = 10.0 / steps
        assert (1.0 - 0.5 * h / np.tan(0.5 * h) > limits.LOAD_BEND) == warns
        run = pulled(steps)
        assert ("unresolved" in names(run)) == warns
        if warns:
            assert value(run, "unresolved") == pytest.approx(1.0 - 0.5 * h / np.tan(0.5 * h), rel=0.1)


def test_what_is_not_stored_is_judged_all_the_same():
    """A stretched plate swings back and forth: its largest strain lies between the stored instants."""
    body = plate(SmallStrain(E=2e5, nu=0.0))
    push = BodyForce((0.0, 0.0))
    start = InitialState(rate=np.column_stack([5.0 * body.X[:, 0], np.zeros(len(body.X))]))
    every = [
        simulate(assemble(Problem(body, 0.06, loads=(push,), initial=start), Options(5e-4, scheme, output_every=n)))
        for scheme in ("sdirk2", "explicit")
        for n in (1, 10_000)
    ]
    assert [len(run.time) for run in every][1::2] == [2, 2]
    for stored, hidden in (every[:2], every[2:]):
        assert "strain-range" in names(stored)
        assert value(hidden, "strain-range") == pytest.approx(value(stored, "strain-range"), rel=0.1)


def test_quasi_static_increments_have_no_numerical_dissipation_to_speak_of():
    body = plate(SmallStrain(E=2e7, nu=0.3))
    ground = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)
    model = assemble(Problem(body, 1.0, foundation=ground), Options(0.5, "quasi-static"))
    assert [type(check).__name__ for check in checks_of(model, initial_state(model))] == [
        "ExtremesCheck",
        "ExtremesCheck",
    ]


def test_an_interrupted_run_keeps_its_warnings_in_its_file(tmp_path):
    body = plate(SmallStrain(E=2e5, nu=0.0))
    problem = Problem(body, 1.0, initial=InitialState(displacement=stretched(0.03)(body.X)))

    def interrupt(report):
        if report.steps == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(assemble(problem, Options(1e-4)), path=tmp_path / "t.nc", progress=interrupt)
    with load_trajectory(tmp_path / "t.nc") as data:
        assert data.attrs["complete"] == 0
        assert names(data) == {"strain-range"}


def test_warnings_are_json_with_four_entries_and_older_trajectories_have_none():
    run = at_rest(SmallStrain(E=2e5, nu=0.0), stretched(0.03))
    (entry,) = json.loads(run.attrs["warnings"])
    assert set(entry) == {"name", "value", "limit", "advice"}
    assert entry["limit"] == 0.02 < entry["value"]
    assert "\n" not in run_warnings(run)[0].line
    assert run_warnings(run)[0].line.startswith("warning: ")
    assert run_warnings(xr.Dataset()) == []
