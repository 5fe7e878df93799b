"""The compiled step of a rigid body in space is its twin: the same motion, forces, ledger and flags whatever its contacts do."""

from itertools import cycle

import numpy as np
import pytest
from ff_twins import Kept, without_batches
from problems import assembled

import floating_frame as ff
from floating_frame.system.rigid import effects
from friction import NormalForce, SlidingStiction, Smooth, StaticKinetic

STAGED = ("sdirk2", "backward-euler", "moreau-theta")
COUNTED = ("passes", "newton_iterations", "fallbacks")
"""Counts of another Newton's method."""
SIDES = (0.15, 0.1, 0.08)
FEET = [(x * SIDES[0], y * SIDES[1], -SIDES[2]) for x in (-1, 1) for y in (-1, 1)]
TILES = [(x, y, -SIDES[2]) for x in np.linspace(-0.15, 0.15, 5) for y in (-0.1, 0.0, 0.1)]
"""Points of a flat base."""
CORNERS = [(*foot[:2], z * SIDES[2]) for foot in FEET for z in (-1, 1)]
TURNED = (1.0, 0.2, -0.15, 0.1)
PULLED = (ff.SpaceForce(force=(4.0, 1.0, -1.0), at=(0.02, 0.05, 0.03), history=ff.Cosine(20.0, -1.5)),)
JUMPS = (ff.SpaceForce(force=(3.0, -2.0, 0.0), history=ff.Table((0.0, 0.031, 0.031, 1.0), (0.0, 1.0, -1.0, -0.5))),)


def model_of(scheme="sdirk2", feet=FEET, dt=2e-3, t_end=0.1, **given):
    """A block on feet or a base, or a ball, that stands on the ground or touches ``contacts``."""
    a, b, c = (side**2 for side in SIDES)
    shape, J = ff.Ball(0.1) if feet is None else ff.Feet(feet), 0.4 * np.array([b + c, a + c, a + b])
    shape = ff.Base(TILES, np.ones(15)) if feet is TILES else shape
    body = ff.RigidSolid(mass=1.2, inertia=J, shape=shape, outline=[(0.0, 0.0, 0.2)])
    return assembled(body, t_end, dt, scheme, **({} if "contacts" in given else {"mu": 0.3}) | given)


def taken(model):
    """Run a model: the trajectory, that of its single steps, and how many steps it has taken many in a call."""
    batches, take = [], model.integrator.compiled.take
    model.integrator.compiled.take = lambda *given: batches.append(batch := take(*given)) or batch
    fast, slow = ff.simulate(model), ff.simulate(without_batches(model))
    return fast, slow, sum(len(batch.times) for batch in batches if batch is not None)


def shaken(t):
    return 2e-3 * np.sin(30.0 * t), 1e-3 * np.sin(20.0 * t), 2e-4 * np.sin(40.0 * t)


def on(mu, *obstacles):
    return {"contacts": [ff.Contact(obstacle=obstacle, mu=mu) for obstacle in obstacles]}


def moves(data):
    return np.ptp(data.frame_position.values, axis=0).max() > 1e-4


def holds_and_lets_go(data):
    return len(set(data.stick.values.sum(axis=1).tolist())) > 1


ROLLS = {"feet": None, "velocity": (1.0, 0.2, 0.0), "spin": (-9.0, 4.0, 3.0)}
RING = [(0.1 * np.cos(t), 0.1 * np.sin(t), -0.08) for t in np.linspace(0.0, 6.0, 16)]
SPRING = ff.Spring(at=(0.05, 0.02, 0.03), to=(0.4, 0.1, 0.2), stiffness=30.0, damping=0.5, rest_length=0.3, path=shaken)
SPRINGS = [SPRING, ff.Spring(at=(0.0, 0.0, 0.0), stiffness=20.0, damping=1.0)]
FOLLOWS = (ff.SpaceForce(force=(4.0, 0.5, -0.5), at=(0.1, 0.0, 0.0), follows=True),)
SHAKES, TURNS, SPINS = ff.RigidMotion(path=shaken), *(ff.RigidMotion(spin=(0.0, 0.0, w)) for w in (1.0, 2.0))
BOWL = ff.Sphere((0.0, 0.0, 1.0), 1.0, inside=True, motion=TURNS)
INCLINE = ff.HalfSpace(normal=(0.3, 0.0, 1.0), motion=TURNS)
GROOVE = [ff.HalfSpace(normal=(x, 0.0, 1.0)) for x in (-1.0, 1.0)]
BASES = {
    "slides and turns": {"velocity": (0.5, 0.1, 0.0), "spin": (0.0, 0.0, 6.0)},
    "comes to rest": {"velocity": (0.15, 0.02, 0.0)},
    "pulled to and fro": {"loads": PULLED, "t_end": 0.2},
    "a load that jumps": {"loads": JUMPS, "mu": 0.1},
    "a follower and springs": {"loads": FOLLOWS, "effects": SPRINGS, "velocity": (0.4, 0.0, 0.0)},
}
"""Of a flat base, some of feet too."""
CASES = {
    "slides": ({"velocity": (0.4, 0.2, 0.0)}, lambda d: (d.stick.values == 0).all(axis=1).any()),
    "slides and turns": (BASES["slides and turns"], lambda d: np.ptp(d.frame_rotation.values[:, 3]) > 0.05),
    "comes to rest": (BASES["comes to rest"], lambda d: (d.stick.values[-1] == 1).all()),
    "sticks": ({"loads": (ff.SpaceForce(force=(1.0, 0.5, 0.0)),)}, lambda d: (d.stick.values == 1).all()),
    "pulled to and fro": (BASES["pulled to and fro"], holds_and_lets_go),
    "a load that jumps": (BASES["a load that jumps"], lambda d: (d.stick.values == 0).any()),
    "tips": ({"mu": 0.9, "velocity": (1.5, 0.0, 0.0), "feet": [(0.05, y, -0.2) for y in (-0.1, 0.1)] + FEET[:2]},
             lambda d: (d.stick.values == -1).any()),
    "falls on a corner": (
        {"feet": CORNERS, "position": (0.0, 0.0, 0.25), "rotation": TURNED, "velocity": (0.3, -0.2, -1.0), "t_end": 0.2},
        lambda d: (d.stick.values == 2).any(),
    ),
    "spins in the air": (
        {"gravity": 0.0, "position": (0.0, 0.0, 1.0), "spin": (3.0, -8.0, 2.0), "mu": 0.0, "dt": 0.05, "t_end": 4.0},
        lambda d: np.ptp(d.frame_spin.values) > 0.1 and "spin-energy" in d.attrs["warnings"],
    ),
    "static and kinetic": ({"law": StaticKinetic(0.6), "loads": PULLED}, holds_and_lets_go),
    "a ball": (ROLLS, lambda d: d.stick.values[0] == 0),
    "sixteen feet": ({"feet": RING, "velocity": (0.4, 0.1, 0.0), "loads": PULLED}, moves),
    "springs": ({"effects": SPRINGS, "velocity": (0.4, 0.0, 0.0)}, moves),
    "a follower": ({"loads": FOLLOWS}, moves),
    "shaken ground": (on(0.02, ff.HalfSpace(motion=SHAKES)), moves),
    "a turning table": (on(0.2, ff.HalfSpace(motion=SPINS)) | {"velocity": (0.3, 0.0, 0.0)}, moves),
    "a bowl": (on(0.3, BOWL) | ROLLS | {"position": (0.0, 0.0, 0.1)}, moves),
    "an incline that turns": (
        on(0.3, INCLINE) | {"feet": None, "position": (0.0, 0.0, 0.1 * np.sqrt(1.09)), "velocity": (0.3, 0.0, -0.09)},
        moves,
    ),
    "a groove": (
        on(0.3, *GROOVE) | {"feet": None, "position": (0.0, 0.0, 0.1 * np.sqrt(2.0)), "velocity": (0.0, 0.3, 0.0)},
        moves,
    ),
}  # fmt: skip


def assert_equal(fast, slow, part=1e-8):
    """The same numbers up to what both solvers may miss, 1e-12 of the momenta in each of some hundred steps, and what that grows
    by, tenfold and more where feet break away one after the other.

    A body at rest is measured by what its weight would make of it in a step. How feet at their bound share a load that they
    bear in many ways depends by 1e-4 on the stiffness of the proximal point method; their sum does not."""
    speed = max(float(np.abs(slow.velocity).max()), 0.02)
    force = max(float(np.abs(slow.contact_force).max()), 10.0)
    works = ("energy", "work", "dissip", "balance", "friction_work")
    speeds = ("velocity", "frame_velocity", "linear_momentum", "angular_momentum")
    sizes = dict.fromkeys(("contact_force", "normal_force", "friction_force"), 1e4 * force)
    sizes |= {"frame_spin": speed / SIDES[2]} | dict.fromkeys(speeds, speed)
    sums = (run.contact_force.sum("node") for run in (fast, slow))
    np.testing.assert_allclose(*sums, rtol=0, atol=part * force)
    for name in slow.variables:
        one, other = fast[name].values, slow[name].values
        if other.dtype.kind == "f":
            size = speed**2 if name.startswith(works) else sizes.get(name, 1.0)
            assert float(np.abs(one - other).max(initial=0.0)) <= part * size, name
        elif name not in COUNTED:
            assert np.array_equal(one, other), name


@pytest.mark.parametrize(
    ("name", "scheme"), [*((name, "sdirk2") for name in list(CASES)[:11]), *zip(CASES, cycle(STAGED[1:]))]
)
def test_a_batch_is_its_single_steps(name, scheme):
    """In motion, forces, ledger and flags, and in what the verdict says of them."""
    given, happens = CASES[name]
    fast, slow, count = taken(model_of(scheme, **given))
    assert np.all(happens(slow))
    assert count >= 0.8 * fast.steps.sum()
    assert_equal(fast, slow)
    first, second = ({one.name: one.value for one in ff.run_warnings(run)} for run in (fast, slow))
    assert first == pytest.approx(second, rel=1e-6)
    assert fast.attrs.get("painleve_number", 0.0) == pytest.approx(slow.attrs.get("painleve_number", 0.0), rel=1e-9)


def stopped(pull, speed, **law):
    """A run, whose single steps are counted, of a body that slides against a pull at the height of its feet."""
    load = ff.SpaceForce(force=(-pull, 0.0, 0.0), at=(0.0, 0.0, -SIDES[2]))
    model = model_of(velocity=(speed, 0.0, 0.0), loads=(load,), **law)
    single, step = [], model.integrator.step
    vars(model)["integrator"] = model.integrator._replace(step=lambda *given: single.append(1) or step(*given))
    fast = ff.simulate(model)
    assert len(single) == 1
    assert_equal(fast, ff.simulate(without_batches(model)))
    return fast


@pytest.mark.parametrize(("pull", "speed", "held"), [(3.4, 0.15, 1), (3.7, 0.15, 0), (3.7, 0.155, 0), (6.0, 0.14, 0)])
def test_a_body_that_comes_to_rest_leaves_its_batch_for_one_step_at_which_the_guard_looks(pull, speed, held):
    """Friction bears 0.3 m g = 3.53 N: a pull of 3.4 N against the slide is held, a larger one turns the body round, whether the
    stage in which it gets to rest ends there or behind."""
    assert bool((stopped(pull, speed).velocity[-1, :, 0] == 0.0).all()) == held


def test_a_body_that_static_friction_alone_holds_is_cut_off_from_its_batch_where_it_turns_round():
    """A pull between kinetic and static friction, 2.47 N and 3.53 N: the step is taken in two, as it is alone."""
    fast = stopped(3.4, 0.145, law=StaticKinetic(0.7))
    assert not fast.velocity[-1, :, 0].any()
    # uncut the place is off by 7e-7 m, 0.04 dt² times the deceleration
    assert fast.frame_position.values[-1, 0] == pytest.approx(0.145**2 / (2.0 * (0.21 * 9.81 + 3.4 / 1.2)), abs=1e-9)


def test_runs_stopped_within_a_batch_go_on_to_the_last_bit(monkeypatch):
    model, keeper = model_of(**CASES["falls on a corner"][0]), Kept()
    whole = ff.simulate(model)
    monkeypatch.setattr(model.integrator.compiled, "longest", 7)
    ff.simulate(model, keeper=keeper)
    half = keeper.runs[len(keeper.runs) // 2]
    assert 10 < half.number < 140
    rest = ff.simulate(model, resume=half)
    for name in ("frame_position", "frame_rotation", "contact_force", "balance_error"):
        assert np.array_equal(rest[name].values, whole[name].values[half.rows :]), name


BELT = ff.HalfSpace(motion=ff.RigidMotion(velocity=(0.1, 0.0, 0.0), spin=(0.0, 0.0, 1.0)))
STICTION = SlidingStiction(0.02, 0.06, 0.8, 1e-3)


def penalties(law):
    """A belt that turns, and a sphere beside it."""
    sphere = ff.Sphere((0.3, 0.12, -0.1), 0.1)
    return [
        ff.Contact(obstacle=BELT, normal=NormalForce(1e5, 300.0), law=law, mu=0.3),
        ff.Contact(obstacle=sphere, normal=NormalForce(2e4, 40.0), law=law, mu=0.2),
    ]


TURNING = {"feet": None, "spin": (-3.0, 2.0, 1.0)}
SLIDES, BOUNCES = {"velocity": (0.6, 0.0, 0.0)}, {"position": (0.0, 0.0, 0.105), "velocity": (0.6, 0.0, -1.0)}
SMOOTHLY, BRISTLES = ({"contacts": penalties(law)} for law in (Smooth(0.02), STICTION))
PRESSED = {
    "feet": SLIDES | SMOOTHLY,
    "feet on bristles": SLIDES | BRISTLES,
    "a ball": SLIDES | TURNING | SMOOTHLY,
    "a ball that bounces on bristles": TURNING | BOUNCES | BRISTLES,
}


@pytest.mark.parametrize(("name", "scheme"), [*zip(PRESSED, cycle(STAGED))])
def test_penalty_contacts_of_feet_and_balls_with_and_without_bristles_are_those_of_python(name, scheme, monkeypatch):
    fast, single, count = taken(model_of(scheme, **PRESSED[name], t_end=0.1))
    monkeypatch.setattr(effects, "COMPILERS", {})
    slow = ff.simulate(model_of(scheme, **PRESSED[name], t_end=0.1))
    assert (fast.execution, slow.execution[:21]) == ("compiled", "interpreted: contact;")
    assert count >= 0.85 * fast.steps.sum()
    assert float(slow.dissipation_contact[-1]) > 0.1 * float(slow.energy_kinetic[0])
    assert set(slow.stick.values.ravel().tolist()) == {-1, 0}
    assert_equal(fast, single, 1e-9)
    assert_equal(fast, slow, 1e-9)


@pytest.mark.parametrize(("name", "scheme"), [*((name, "sdirk2") for name in BASES), *zip(BASES, cycle(STAGED[1:]))])
def test_a_batch_of_a_flat_base_is_its_single_steps(name, scheme):
    fast, slow, count = taken(model_of(scheme, TILES, **BASES[name]))
    assert count >= 0.9 * fast.steps.sum()
    assert np.ptp(slow.frame_position.values, axis=0).max() > 5e-4
    assert_equal(fast, slow, 1e-10)
    assert fast.painleve_number == pytest.approx(slow.painleve_number, rel=1e-9)


def test_a_run_that_often_leaves_its_batches_tries_short_ones(monkeypatch):
    """A block slides in a trough, whose surface its feet pass closely: the steps computed are not many more than those kept."""
    trough = ff.Cylinder((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 1.0, inside=True)
    contact = ff.Contact(obstacle=trough, normal=NormalForce(1e5, 50.0), law=Smooth(0.05), mu=0.1)
    start = {"position": (0.0, 0.0, 0.09), "velocity": (1.5, 0.0, 0.0), "spin": (0.0, 0.0, 2.0)}
    model = model_of(t_end=0.2, dt=1e-3, contacts=[contact], **start)
    tried, take = [], model.integrator.compiled.take
    monkeypatch.setattr(model.integrator.compiled, "take", lambda *given: tried.append(len(given[1])) or take(*given))
    ff.simulate(model)
    assert len(tried) > 10
    assert sum(tried) < 15 * 200
