"""The compiled step of a rigid body is that of a plain stage: the same motion, ledger and flags under all laws, schemes and loads;
and many steps in a call are those of single ones."""

from itertools import cycle

import numpy as np
import pytest
from added_files import Dragged
from ff_examples import plate
from ff_twins import Kept, assert_twins, without_batches
from problems import assembled
from rigid_reference import plainly

import floating_frame as ff
from floating_frame import Contact, Line
from floating_frame.scheme import rigid
from floating_frame.scheme.rigid import RigidSteps
from floating_frame.scheme.rigid_trials import RigidInstant
from floating_frame.scheme.step import advance
from floating_frame.system.rigid import effects
from friction import LAWS, Coulomb, Elliptic, Foundation, Limited, NormalForce, Smooth, StaticKinetic

DT = 4e-3
LAW_SET = {
    "coulomb": Coulomb(),
    "capped": Limited(Coulomb(), 1.2),
    "static-kinetic": StaticKinetic(0.7),
    "stribeck": LAWS["stribeck"](0.7, 0.1, 1.3),
    "elliptic": Elliptic(1.7, 0.4),
    "smooth": Smooth(0.02),
    "sliding": LAWS["sliding"](0.02, 0.06, 0.8),
    "steep sliding": LAWS["sliding"](1e-3, 1.5e-3, 0.8),
    "sliding-stiction": LAWS["sliding-stiction"](0.02, 0.06, 0.8, 1e-3),
    "limited stiction": Limited(LAWS["sliding-stiction"](0.02, 0.06, 0.8, 1e-3), 1.2),
    "force-spline": LAWS["force-spline"]((0.0, 0.05, 1.0), (0.0, 1.3, 1.0)),
    "coefficient-spline": LAWS["coefficient-spline"]((0.0, 0.05, 1.0), (0.9, 0.8, 1.0)),
}


def slanted(X):
    return np.column_stack([3.0 * X[:, 0], 1.0 - X[:, 0]])


LOADS = {
    "edge": (ff.EdgeLoad("right", (2.5, 0.6), ff.Ramp(0.02, 0.1)),),
    "table": (ff.BodyForce((3.0, -1.0), ff.Table((0.0, 0.034, 0.034, 1.0), (0.0, 1.0, -1.0, -0.5))),),
    "field": (ff.BodyForceField(lambda X, t: 3.0 * np.sin(30.0 * t) + X * 10.0, (0.034,)),),
    "traction": (ff.EdgeTraction("top", slanted, ff.Cosine(40.0, 0.3)),),
    "function": (ff.EdgeLoad("left", (-1.5, 0.4), ff.Function(lambda t: 1.0 - 3.0 * t)),),
    "follower": (ff.FollowerTraction("right", -2.0, 0.7, ff.Ramp(0.02)),),
    "pressure": (ff.FollowerTraction("top", -2.5, measure="current"),),
    "couples": (ff.Couple(0.05), ff.Couple(0.02, ff.Cosine(30.0), "left")),
}
STAGED = ("sdirk2", "backward-euler", "moreau-theta")
BODY = ff.RigidBody.from_plate(plate(3, 2))
TIED = LAW_SET["static-kinetic"]


def belt(time):
    return (0.1 + 0.2 * time, 0.05) if time <= 0.034 else (-0.1, 0.0)


def changing(X, time):
    return 98.1 * (1.0 + X[:, 0]) * (1.0 + 3.0 * time if time <= 0.034 else 0.5)


def model_of(scheme, law=None, loads="edge", **more):
    """A body thrown with spin that slides, turns and arrests within 24 steps, or is pulled out of rest."""
    given = {"foundation": None if law is None else Foundation(law, 0.3, 98.1), "loads": LOADS[loads], "t_end": 24 * DT}
    return assembled(BODY, dt=DT, scheme=scheme, **given | {"velocity": (0.05, 0.01), "spin": 0.5} | more)


@pytest.fixture
def seen(monkeypatch):
    """A list that grows by the number of steps of each compiled call of many."""
    take, seen = RigidSteps.take, []

    def counted(self, state, ends, stored):
        batch = take(self, state, ends, stored)
        seen.append(0 if batch is None else len(batch.times))
        return batch

    monkeypatch.setattr(RigidSteps, "take", counted)
    return seen


def assert_plain(model, seen, **how):
    """Most steps are taken many in a call, and all are those of the plain stage; return the run."""
    seen.clear()
    fast = ff.simulate(model)
    assert sum(seen) >= 16
    assert_twins(fast, ff.simulate(plainly(model)), counts=False, solver=20.0, **how)
    return fast


@pytest.mark.parametrize(("law", "scheme"), [*(("coulomb", s) for s in STAGED), *zip(LAW_SET, cycle(STAGED[1:]))][:-1])
def test_every_law_and_scheme_moves_as_by_the_plain_stage_and_as_in_single_steps(seen, law, scheme):
    model = model_of(scheme, LAW_SET[law])
    assert_twins(assert_plain(model, seen), ff.simulate(without_batches(model)))
    assert not any("readonly" in str(kinds) for kinds in advance.signatures)  # it would be compiled again


@pytest.mark.parametrize(("loads", "scheme"), [*zip(LOADS, cycle(STAGED))])
def test_every_load_is_that_of_the_plain_stage(seen, loads, scheme):
    assert_plain(model_of(scheme, Coulomb(), loads), seen)


CHANGED = ("coulomb", "capped", "smooth", "sliding-stiction", "elliptic", "limited stiction", "force-spline")


@pytest.mark.parametrize(("law", "scheme"), [*zip(CHANGED, cycle(STAGED))])
def test_a_pressure_and_a_belt_that_jump_are_those_of_the_plain_stage(seen, law, scheme):
    ground = Foundation(LAW_SET[law], 0.3, changing, ground_velocity=belt, breaks=(0.034,))
    assert_plain(model_of(scheme, foundation=ground), seen)


SPRINGS = {
    "in all directions": ff.Spring("right", stiffness=30.0, damping=0.4),
    "along its axis": ff.Spring((0.2, 0.1), to=(0.5, 0.2), stiffness=20.0, damping=0.3, rest_length=0.2),
    "pulled": ff.Spring((-0.1, 0.0), stiffness=25.0, path=lambda t: (2.0 * t, 0.5 * np.sin(9.0 * t))),
}
SOME = ("coulomb", "smooth", "static-kinetic", "sliding-stiction")


@pytest.mark.parametrize(("law", "scheme"), [*zip(SOME, cycle(STAGED))])
def test_springs_and_effects_in_python_act_as_on_the_plain_stage(seen, law, scheme):
    """Springs do not keep steps from being taken many in a call."""
    rounding = {"rigid_residual": 1e-11}
    model = model_of(scheme, LAW_SET[law], effects=tuple(SPRINGS.values()))
    alone = model_of(scheme, LAW_SET[law], effects=(*SPRINGS.values(), Dragged("left", slopes=False)))
    fast, dragged = assert_plain(model, seen, rounding=rounding), ff.simulate(alone)
    assert_twins(dragged, ff.simulate(plainly(alone)), counts=False, solver=20.0, rounding=rounding)
    for data, said in ((fast, "compiled"), (dragged, "interpreted: drag;")):
        assert data.attrs["execution"].startswith(said)
        assert float(data.dissipation_viscous[-1]) > 1e-3 * float(data.energy_kinetic[0])


BRISTLES = [("sliding-stiction", "coulomb", "sdirk2"), ("limited stiction", "sliding-stiction", "backward-euler")]
BRISTLES += [("sliding-stiction", "sliding-stiction", "moreau-theta")]


@pytest.mark.parametrize(("law", "foundation", "scheme"), BRISTLES)
def test_walls_with_bristles_are_those_of_python(law, foundation, scheme, monkeypatch):
    """Also beside bristles under the body, and one of them bounces off: its bristles are released."""
    wall = Contact(Line((0.202, 0.0), (-1.0, 0.05)), "right", normal=NormalForce(1e4, 3.0), law=LAW_SET[law], mu=0.3)
    given = {"law": LAW_SET[foundation], "velocity": (0.4, 0.2), "contacts": (wall,), "loads": "couples"}
    fast = ff.simulate(model_of(scheme, **given))
    monkeypatch.setattr(effects, "COMPILERS", {})
    slow = ff.simulate(model_of(scheme, **given))
    assert (fast.execution, slow.execution[:21]) == ("compiled", "interpreted: contact;")
    assert float(fast.dissipation_contact[-1]) > 1e-2 * float(fast.energy_kinetic[0])
    assert not fast.contact_force.values[-1].any()
    assert_twins(fast, slow)


def test_output_progress_and_ends_of_runs_are_those_of_single_steps(seen):
    model, reports = model_of("sdirk2", Coulomb(), output_every=5, t_end=23.4 * DT), ([], [])
    fast = ff.simulate(model, progress=reports[0].append)
    slow = ff.simulate(without_batches(model), progress=reports[1].append)
    assert sum(seen) > 0
    assert_twins(fast, slow)
    assert np.array_equal(fast.time, slow.time)
    one, other = ([(r.steps, r.total_steps, r.iterations) for r in each] for each in reports)
    assert one == other
    assert [w.name for w in ff.run_warnings(fast)] == [w.name for w in ff.run_warnings(slow)]
    assert fast.attrs["sampling_floor"] == pytest.approx(slow.attrs["sampling_floor"])


def test_a_batch_may_begin_and_be_cut_anywhere(monkeypatch):
    """Bit for bit: a resumed run takes the same steps, in other batches."""
    given = {"law": TIED, "loads": "couples", "output_every": 2}
    whole = ff.simulate(model_of("sdirk2", **given))
    monkeypatch.setattr(rigid, "MAX_BATCH", 7)
    again, keeper = model_of("sdirk2", **given), Kept()
    assert again.integrator.compiled.longest == 7
    assert ff.simulate(again, keeper=keeper).identical(whole)
    monkeypatch.undo()
    assert len(keeper.runs) >= 4
    for run in keeper.runs[:3]:
        rest = ff.simulate(model_of("sdirk2", **given), resume=run)
        assert rest.identical(whole.isel(time=slice(run.rows, None)))


@pytest.mark.parametrize(
    ("law", "scheme"), [("coulomb", "sdirk2"), ("coulomb", "backward-euler"), ("sliding-stiction", "moreau-theta")]
)
def test_trials_of_error_control_are_those_of_single_steps(scheme, law, monkeypatch):
    """Bit for bit, with an arrest, which the compiled trial leaves to the guard, and from there on."""
    compiled, guarded = [], []
    sound, alone = RigidSteps.take_branches, RigidInstant._by_state
    monkeypatch.setattr(RigidSteps, "take_branches", lambda *given: compiled.append(steps := sound(*given)) or steps)
    monkeypatch.setattr(RigidInstant, "_by_state", lambda *given: guarded.append(1) or alone(*given))
    given = {"loads": "table", "error_tolerance": 1e-3, "output_every": 6}
    fast, stepped = ff.simulate(model_of(scheme, LAW_SET[law], **given)), model_of(scheme, LAW_SET[law], **given)
    assert sum(compiled) > 10
    assert bool(guarded) == (law == "coulomb" and scheme in ("sdirk2", "moreau-theta"))
    vars(stepped)["integrator"] = stepped.integrator._replace(instant=None)
    count = len(compiled)
    assert fast.identical(ff.simulate(stepped))
    assert len(compiled) == count


def test_what_makes_its_series_of_states_is_stepped_one_by_one(seen):
    ff.simulate(model_of("sdirk2", Coulomb(), error_tolerance=1e-2, t_end=2 * DT))
    assert not seen
    assert model_of("explicit", Coulomb()).integrator.compiled is None
    assert model_of("linearly-implicit-trapezoidal", Coulomb()).integrator.compiled is None


def test_a_call_takes_as_many_steps_as_are_not_stored_and_keeps_the_fields_of_those_that_are(monkeypatch):
    """Of many points a batch may keep the fields of one step alone, as of 2e5: it took one step then. Bit for bit."""
    given = {"law": TIED, "loads": "couples", "output_every": 6}
    whole = ff.simulate(model_of("sdirk2", **given))
    monkeypatch.setattr(rigid, "BATCH_NUMBERS", 1)
    batches, take = [], RigidSteps.take

    def recording(self, *given):
        batches.append(batch := take(self, *given))
        return batch

    monkeypatch.setattr(RigidSteps, "take", recording)
    assert ff.simulate(model_of("sdirk2", **given)).identical(whole)
    assert max(len(batch.times) for batch in batches if batch) == 6
    assert all(len(batch.with_fields) <= 2 for batch in batches if batch)
    batches.clear()
    assert ff.simulate(model_of("sdirk2", **given | {"output_every": 1})).sizes["time"] == 25
    assert {len(batch.times) for batch in batches if batch} == {1}


@pytest.mark.parametrize("step", [6, 9])
def test_a_run_that_is_stopped_within_a_batch_goes_on_from_there(step):
    """The progress of each step is told after its batch, which has no fields of most of them."""
    given = {"law": TIED, "loads": "couples", "output_every": 6}
    whole = ff.simulate(model_of("sdirk2", **given))
    keeper = Kept()

    def stop(report):
        if report.steps == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ff.simulate(model_of("sdirk2", **given), progress=stop, keeper=keeper)
    assert keeper.runs[-1].number == step
    rest = ff.simulate(model_of("sdirk2", **given), resume=keeper.runs[-1])
    assert rest.identical(whole.isel(time=slice(keeper.runs[-1].rows, None)))
