"""The verdict of a run: every warning speaks just above its limit and not just below it, on motions that are known."""

import json
from dataclasses import replace
from functools import partial

import ff_examples
import numpy as np
import pytest
import xarray as xr
from problems import assembled, run
from rows import rows
from single_steps import initial_state, step
from solid_examples import law, solid

import floating_frame as ff
from fem import NeoHookean, SmallStrain, StVenantKirchhoff
from fem.beam import Beam
from fem.beam_axis import BeamAxis
from floating_frame import BodyForce, Line, RigidBody, run_warnings, simulate
from floating_frame.contact.tunnelling import path_penetration
from floating_frame.errors import Unsolved
from floating_frame.stepping.substeps import attempt
from floating_frame.verdict import limits
from floating_frame.verdict.checks import checks_of
from floating_frame.verdict.verdict import judge, with_checks
from friction import Coulomb, Foundation, NormalForce


def plate(material, nx=4, ny=2, width=0.2):
    return ff_examples.plate(nx, ny, material=material, element="Q1", width=width)


SOFT, SMALL, SVK = NeoHookean(E=2e5, nu=0.3), SmallStrain(E=2e5, nu=0.0), StVenantKirchhoff(E=2e5, nu=0.0)
RIGID, DISC = RigidBody.from_plate(plate(SOFT)), RigidBody.disc(0.1, 1.0, 4, 12)
ROUGH, LESS = ff_examples.rough(0.5), ff_examples.rough(0.3)


def names(run):
    return {warning.name for warning in run_warnings(run)}


def value(run, name):
    return next(warning.value for warning in run_warnings(run) if warning.name == name)


def along(X, by):
    """A stretch along x."""
    return np.column_stack([by * X[:, 0], np.zeros(len(X))])


@pytest.fixture(scope="module")
def spins():
    """A stretched elastic plate that spins freely, in shorter and longer steps."""
    body = plate(SOFT)
    return [run(body, 0.6, dt, spin=6.0, displacement=along(body.X, 0.1)) for dt in np.geomspace(1e-3, 5e-2, 4)]


def test_numerical_dissipation_is_told_above_a_twentieth_of_the_energy(spins):
    shares = [float(r.dissipation_numerical.max() / (r.energy_kinetic + r.energy_strain).max()) for r in spins]
    assert min(shares) < 0.5 * limits.NUMERICAL_ENERGY < 2 * limits.NUMERICAL_ENERGY < max(shares)
    for data, share in zip(spins, shares, strict=True):
        assert float(np.abs(data.balance_error).max()) < 1e-8  # so the balance does not tell
        assert ("numerical-dissipation" in names(data)) == (share > 0.05)
        assert "energy-growth" not in names(data)
    assert value(spins[-1], "numerical-dissipation") == pytest.approx(shares[-1], rel=1e-9)


def test_angular_momentum_of_a_free_body_is_told_above_a_hundredth(spins):
    """H of the trajectory itself: the plate's centre stays at the origin."""
    momenta = [data.angular_momentum.values for data in spins]
    errors = [np.abs(H - H[0]).max() / np.abs(H).max() for H in momenta]
    assert min(errors) < 0.5 * limits.ANGULAR_MOMENTUM < 2 * limits.ANGULAR_MOMENTUM < max(errors)
    for data, error in zip(spins, errors, strict=True):
        assert ("angular-momentum" in names(data)) == (error > 0.01)


def test_a_body_that_friction_or_a_load_turns_is_not_called_free():
    data = run(plate(SOFT), 0.1, 1e-3, foundation=ROUGH, spin=6.0)
    assert abs(float(data.angular_momentum[-1])) < 0.5 * abs(float(data.angular_momentum[0]))
    assert "angular-momentum" not in names(data)


def test_how_frictions_work_is_booked_is_no_growth_in_the_first_steps_from_rest():
    """Moreau's scheme moves a body under a constant force exactly, and books friction with the velocity at the step's end.

    After n steps from rest that is 1/n more than friction has taken: the numerical entry, and not energy put in.
    """
    data = run(RIGID, 4e-3, 1e-3, "moreau-theta", foundation=LESS, loads=(BodyForce((5.0, 0.0)),))
    mass, force = RIGID.mass_matrix.sum(), 0.3 * 98.1 * RIGID.nodal_area.sum()
    taken = force * float(data.frame_position[-1, 0])
    assert float(data.dissipation_numerical[-1]) == pytest.approx(-taken / 4.0, rel=1e-9)
    assert float(data.frame_velocity[-1, 0]) == pytest.approx((5.0 - force / mass) * 4e-3, rel=1e-9)
    assert data.attrs["warnings"] == "[]"


def test_what_central_differences_give_and_take_of_the_highest_mode_is_no_growth():
    """A rod in its highest axial mode near the stable step: T + U swings, the energy that the scheme keeps does not."""
    body = plate(SMALL, nx=16, ny=1, width=0.025)
    column = np.round((body.X[:, 0] - body.X[:, 0].min()) / 0.025).astype(int)
    zigzag = 1e-6 * np.column_stack([(-1.0) ** column, np.zeros(len(column))])
    model = assembled(body, 0.03, 0.0, "explicit", displacement=zigzag)
    near = 0.95 * model.steps.stable
    data = simulate(replace(model, steps=replace(model.steps, length=near, longest=near)))
    energy = (data.energy_kinetic + data.energy_strain).values
    assert np.ptp(energy) > 2 * limits.NUMERICAL_ENERGY * energy.max()
    assert run_warnings(data) == []
    for grown, warns in ((0.49, False), (0.51, True)):
        check = checks_of(model, initial_state(model))[0]
        assert bool(replace(check, grown=grown * check.largest).judge(model)) == warns


def test_a_body_that_rests_has_no_energy_that_could_be_lost():
    for rests in (plate(StVenantKirchhoff(E=2e5, nu=0.3)), RIGID):
        data = run(rests, 0.01, 1e-3, foundation=ROUGH)
        assert float(data.energy_kinetic.max()) == 0.0
        assert data.attrs["warnings"] == "[]"


def lengthened(body, by):
    return run(body, 3e-7, 1e-7, displacement=along(body.X, by))


def stretched(by, material=SMALL):
    return lengthened(plate(material), by)


BEAM, STIFF = Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e9, density=1000.0, ne=8), 1e9 * 0.02 * 0.02**3 / 12
AXIS, NONE = BeamAxis.build(BEAM), Foundation(law=Coulomb(), mu=1e-12, pressure=1.0)


def sloping(slope):
    """A cantilever under a load at its tip has the slope P L²/(2 EJ) there; on a rough plane without strength."""
    load, frame = (ff.LateralLoad(2 * STIFF * slope, "tip"),), ff.Lateral("cantilever")
    data = run(BEAM, 1.0, 1.0, "quasi-static", foundation=NONE, loads=load, frame=frame)
    assert float(np.abs(data.rotation).max()) == pytest.approx(slope, rel=1e-6)
    return data


def impact(speed, dt=1e-4, obstacle=None, **options):
    """A rigid plate of 0.8 kg, 0.4 × 0.2 m, against a spring of 2e5 N/m over its right edge of 0.2 m."""
    wall = {"obstacle": obstacle or Line((0.21, 0.0), (-1.0, 0.0)), "edge": "right", "normal": NormalForce(1e6)}
    return run(RIGID, 0.05, dt, velocity=(speed, 0.0), **wall, **options)


def deep(depth):
    """A mass on a spring goes v √(m/k) deep."""
    data = impact(depth * np.sqrt(2e5 / 0.8))
    assert float(data.position.values[..., 0].max()) - 0.21 == pytest.approx(depth, rel=1e-3)
    return data


LIMITS = {  # how it is made, just below, just above, the warning and the value that it gives there
    "small strain above two per cent": (stretched, 0.0199, 0.0201, "strain-range", 0.0201),
    "small strain below minus two per cent": (stretched, -0.0199, -0.0201, "strain-range", 0.0201),
    "St Venant-Kirchhoff below a stretch of 0.7": (partial(stretched, material=SVK), -0.299, -0.301, "strain-range", 0.699),
    "slope of a linear beam": (sloping, 0.199, 0.201, "strain-range", None),
    "fibres of a beam": (partial(lengthened, AXIS), 0.019, 0.021, "strain-range", None),
    "a tenth of the least extent in a penalty contact": (deep, 0.0195, 0.0205, "penetration", None),
    "turn within a step, rad": (lambda angle: run(DISC, 0.1, 0.01, spin=angle / 0.01), 0.29, 0.31, "unresolved", None),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_what_passes_its_limit_is_told_and_what_stays_below_is_not(name):
    make, below, above, word, expected = LIMITS[name]
    assert names(make(below)) == set()
    computed = make(above)
    assert names(computed) == {word}
    assert expected is None or value(computed, word) == pytest.approx(expected, rel=1e-4)


def test_a_small_strain_material_is_told_that_turns_by_a_tenth_in_its_clamp():
    """Pure bending with a rotation at the free end: strains are half a width's share of it."""
    body, warnings = plate(SMALL, 40, 2, 0.02), []
    for angle in (0.1, 0.103):  # the last cell's points see the rotation a fifth of a cell before the end and more
        x, kappa = body.X[:, 0] - body.X[:, 0].min(), angle / 0.4
        bent = np.column_stack([-kappa * x * body.X[:, 1], 0.5 * kappa * x**2])
        warnings.append(run_warnings(run(body, 2e-7, 1e-7, frame=ff.Clamped("left"), displacement=bent)))
    assert warnings[0] == []
    assert [w.name for w in warnings[1]] == ["strain-range"]
    assert warnings[1][0].limit == 0.1 < warnings[1][0].value < 0.103


def test_a_small_strain_body_that_turns_with_its_frame_is_not_strained():
    data = run(plate(SmallStrain(E=2e7, nu=0.3)), 0.3, 5e-3, spin=2.0)
    assert float(data.frame_angle[-1]) > 0.5
    assert run_warnings(data) == []


@pytest.mark.slow
def test_the_obstacle_counts_where_it_is_the_smaller_one():
    assert names(impact(2.0)) == set()
    assert names(impact(2.0, obstacle=ff.Circle((0.25, 0.0), 0.04))) == {"penetration"}


def test_a_way_through_an_obstacle_is_seen_between_the_ends_of_a_step():
    start = np.array([[-0.3, 0.02], [-0.3, 0.2], [-0.3, 0.0]])
    end = np.array([[0.4, 0.02], [0.4, 0.2], [-0.11, 0.0]])
    ends = [(a[None], b[None]) for a, b in zip(start, end, strict=True)]
    depths = [path_penetration(ff.Circle((0.0, 0.0), 0.1), both, (0.0, 0.01), closed=0.0) for both in ends]
    assert depths[0] == pytest.approx(0.08, rel=0.02)
    assert depths[1:] == [0.0, 0.0]


def test_exact_contact_is_told_where_it_penetrates_at_all():
    def model(place):
        wall = {"obstacle": Line((place, 0.0), (-1.0, 0.0)), "edge": "right", "velocity": (1.0, 0.0)}
        return assembled(RIGID, 0.02, 1e-3, "moreau-theta", **wall)

    for beyond, warned in ((1e-12, []), (1e-6, ["penetration"])):
        touching = model(0.2 - beyond)
        state = initial_state(touching)
        assert [w.name for w in judge(touching, replace(state, verdict=checks_of(touching, state)))] == warned
    assert names(simulate(model(0.205))) == set()


@rows("part, tolerance", [(0.125, None), (1.0, None), (1.6, 1e-3)])
def test_a_penalty_contact_is_resolved_by_steps_of_its_own_or_of_the_error_and_not_told(part, tolerance):
    """In steps of a part of the half period on the spring."""
    data = impact(1.0, dt=part * np.pi * np.sqrt(0.8 / 2e5), error_tolerance=tolerance)
    assert float(data.frame_velocity[-1, 0]) == pytest.approx(-1.0, abs=0.01 if tolerance else 0.02)
    assert names(data) == set()


@pytest.mark.parametrize(("halvings", "warns"), [(3, False), (4, True)])
def test_a_step_that_is_solved_only_at_the_smallest_length_is_told(halvings, warns):
    model = assembled(DISC, 0.02, 0.01, velocity=(1.0, 0.0), max_halvings=4)
    state = initial_state(model)
    state = replace(state, verdict=checks_of(model, state))

    def stubborn(model, state, dt, end=None):
        if state.time < 0.005 and dt > 0.01 * 0.5**halvings * 1.001:
            raise Unsolved("too long")
        return step(model, state, dt, end)

    state, counts = attempt(model, with_checks(model, stubborn), state, 0.01, 4)
    assert counts.halvings >= halvings
    assert [w.name for w in judge(model, state)] == (["unresolved"] if warns else [])


def pulled(steps):
    """Ten seconds of a block under a force w (1.02 cos t) beside a bound w, by a scheme that takes forces in their mean."""
    most = 0.3 * 98.1 * RIGID.nodal_area.sum() / RIGID.mass_matrix.sum()
    load = BodyForce((1.02 * most, 0.0), ff.Cosine())
    return run(RIGID, 10.0, 10.0 / steps, "moreau-theta", foundation=LESS, loads=(load,))


def test_steps_that_do_not_see_the_course_of_a_load_are_told():
    """The impulse of cos t over a step h is off by 1 - h/2 cot(h/2); friction holds what the mean force does not move."""
    coarse, fine = pulled(8), pulled(200)
    assert float(np.abs(coarse.frame_position).max()) == 0.0 < float(np.abs(fine.frame_position).max())
    assert names(coarse) == {"unresolved"}
    assert names(fine) == set()
    for steps, warns in ((25, True), (31, False)):
        bend = 1.0 - 5.0 / steps / np.tan(5.0 / steps)
        assert (bend > limits.LOAD_BEND) == warns
        data = pulled(steps)
        assert ("unresolved" in names(data)) == warns
        assert not warns or value(data, "unresolved") == pytest.approx(bend, rel=0.1)


@pytest.mark.parametrize("scheme", ["sdirk2", "explicit"])
def test_what_is_not_stored_is_judged_all_the_same(scheme):
    """A stretched plate swings back and forth: its largest strain lies between the stored instants."""
    body = plate(SMALL)
    stored, hidden = (run(body, 0.06, 5e-4, scheme, output_every=n, rate=along(body.X, 5.0)) for n in (1, 10_000))
    assert len(hidden.time) == 2
    assert "strain-range" in names(stored)
    assert value(hidden, "strain-range") == pytest.approx(value(stored, "strain-range"), rel=0.1)


def test_quasi_static_increments_have_no_numerical_dissipation_to_speak_of():
    model = assembled(plate(SMALL), 1.0, 0.5, "quasi-static", foundation=ROUGH)
    assert [type(check).__name__ for check in checks_of(model, initial_state(model))] == ["ExtremesCheck"] * 2


def test_an_interrupted_run_keeps_its_warnings_in_its_file(tmp_path):
    body = plate(SMALL)
    model = assembled(body, 1.0, 1e-4, displacement=along(body.X, 0.03))

    def interrupt(report):
        if report.steps == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(model, path=tmp_path / "t.nc", progress=interrupt)
    with ff.load_trajectory(tmp_path / "t.nc") as data:
        assert data.attrs["complete"] == 0
        np.testing.assert_allclose(data.time, 1e-4 * np.arange(4))
        assert names(data) == {"strain-range"}


def test_warnings_are_json_with_four_entries_and_older_trajectories_have_none():
    data = stretched(0.03)
    (entry,), (warning,) = json.loads(data.attrs["warnings"]), run_warnings(data)
    assert set(entry) == {"name", "value", "limit", "advice"}
    assert entry["limit"] == 0.02 < entry["value"]
    assert "\n" not in warning.line
    assert warning.line.startswith("warning: ")
    assert run_warnings(xr.Dataset()) == []


@pytest.mark.parametrize(
    ("periods", "steps", "ramp", "warns"), [(200.0, 1, True, False), (40.0, 1, False, False), (0.2, 20, False, True)]
)
def test_half_of_a_loads_work_is_lost_in_statics_without_a_word_and_in_damped_vibrations_with_one(
    periods, steps, ramp, warns
):
    """A cantilever under a load at its end: a step long against the vibrations finds an equilibrium."""
    body, clamp = solid("Q1", law("neo-hookean", young=3e6), (0.5, 0.1, 0.12), (5, 1, 1)), ff.SpaceClamped("left")
    dt = periods / float(ff.modes(assembled(body, 1.0, 1.0, frame=clamp), 1).frequency[0])
    load = ff.EdgeLoad("right", (0.0, 4.0, 9.0), ff.Ramp(dt) if ramp else ff.Constant())
    data = run(body, dt * steps, dt, "backward-euler", gravity=0.0, loads=(load,), frame=clamp)
    assert float(data.dissipation_numerical[-1]) == pytest.approx(0.5 * float(data.work_external[-1]), rel=0.05)
    assert names(data) == ({"numerical-dissipation"} if warns else set())
