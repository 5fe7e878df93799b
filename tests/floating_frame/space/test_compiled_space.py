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
CORNERS = [(*foot[:2], z * SIDES[2]) for foot in FEET for z in (-1, 1)]
TURNED = (1.0, 0.2, -0.15, 0.1)
PULLED = (ff.SpaceForce(force=(4.0, 1.0, -1.0), at=(0.02, 0.05, 0.03), history=ff.Cosine(20.0, -1.5)),)
JUMPS = (ff.SpaceForce(force=(3.0, -2.0, 0.0), history=ff.Table((0.0, 0.031, 0.031, 1.0), (0.0, 1.0, -1.0, -0.5))),)


def model_of(scheme="sdirk2", feet=FEET, dt=2e-3, t_end=0.1, **given):
    """A block on feet, or a ball, that stands on the ground or touches ``contacts``."""
    a, b, c = (side**2 for side in SIDES)
    shape, J = ff.Ball(0.1) if feet is None else ff.Feet(feet), 0.4 * np.array([b + c, a + c, a + b])
    body = ff.RigidSolid(mass=1.2, inertia=J, shape=shape, outline=[(0.0, 0.0, 0.2)])
    return assembled(body, t_end, dt, scheme, **({} if "contacts" in given else {"mu": 0.3}) | given)


def taken(model):
    """Run a model: the trajectory, that of its single steps, and how many steps it has taken many in a call."""
    batches, take = [], model.integrator.compiled.take
    model.integrator.compiled.take = lambda *given: batches.append(batch := take(*given)) or batch
    fast, slow = ff.simulate(model), ff.simulate(without_batches(model))
    return fast, slow, sum(len(batch.times) for batch in batches if batch is not None)


CASES = {
    "slides": ({"velocity": (0.4, 0.2, 0.0)}, lambda d: (d.stick.values == 0).all(axis=1).any()),
    "slides and turns": (
        {"velocity": (0.5, 0.1, 0.0), "spin": (0.0, 0.0, 6.0)},
        lambda d: np.ptp(d.frame_rotation.values[:, 3]) > 0.05,
    ),
    "comes to rest": ({"velocity": (0.15, 0.0, 0.0)}, lambda d: (d.stick.values[-1] == 1).all()),
    "sticks": ({"loads": (ff.SpaceForce(force=(1.0, 0.5, 0.0)),)}, lambda d: (d.stick.values == 1).all()),
    "pulled to and fro": ({"loads": PULLED, "t_end": 0.2}, lambda d: len(set(d.stick.values.sum(axis=1).tolist())) > 1),
    "a load that jumps": ({"loads": JUMPS, "mu": 0.1}, lambda d: (d.stick.values == 0).any()),
    "tips": ({"mu": 0.9, "velocity": (1.5, 0.0, 0.0), "feet": [(0.05, y, -0.2) for y in (-0.1, 0.1)] + FEET[:2]},
             lambda d: (d.stick.values == -1).any()),
    "falls on a corner": (
        {"feet": CORNERS, "position": (0.0, 0.0, 0.25), "rotation": TURNED, "velocity": (0.3, -0.2, -1.0), "t_end": 0.2},
        lambda d: (d.stick.values == 2).any(),
    ),
    "spins in the air": (
        {"gravity": 0.0, "position": (0.0, 0.0, 1.0), "spin": (3.0, -8.0, 2.0), "mu": 0.0},
        lambda d: np.ptp(d.frame_spin.values) > 0.1,
    ),
    "static and kinetic": (
        {"law": StaticKinetic(0.6), "loads": PULLED},
        lambda d: len(set(d.stick.values.sum(axis=1).tolist())) > 1,
    ),
    "a ball": ({"feet": None, "velocity": (1.0, 0.2, 0.0), "spin": (-9.0, 4.0, 3.0)}, lambda d: d.stick.values[0] == 0),
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
    np.testing.assert_allclose(
        fast.contact_force.sum("node"), slow.contact_force.sum("node"), rtol=0, atol=part * force
    )
    for name in slow.variables:
        one, other = fast[name].values, slow[name].values
        if other.dtype.kind == "f":
            size = speed**2 if name.startswith(works) else sizes.get(name, 1.0)
            assert float(np.abs(one - other).max(initial=0.0)) <= part * size, name
        elif name not in COUNTED:
            assert np.array_equal(one, other), name


@pytest.mark.parametrize(("name", "scheme"), [*((name, "sdirk2") for name in CASES), *zip(CASES, cycle(STAGED[1:]))])
def test_a_batch_is_its_single_steps(name, scheme):
    given, happens = CASES[name]
    fast, slow, count = taken(model_of(scheme, **given))
    assert np.all(happens(slow))
    assert count >= 0.9 * (len(fast.time) - 1)
    assert_equal(fast, slow)
    for name in ("warnings", "painleve_number"):
        assert (name in fast.attrs) == (name in slow.attrs)
    if "painleve_number" in slow.attrs:
        assert fast.attrs["painleve_number"] == pytest.approx(slow.attrs["painleve_number"], rel=1e-9)


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


class OwnBowl(ff.Sphere):
    """A shape whose gap is Python."""

    def shape_gap(self, y):
        return super().shape_gap(y)


def test_the_run_says_what_of_its_steps_is_interpreted():
    base, ball = (
        ff.RigidSolid(mass=1.0, inertia=(0.01,) * 3, shape=s) for s in (ff.Base(FEET, np.ones(4)), ff.Ball(0.1))
    )
    bowl = OwnBowl((0.0, 0.0, 1.0), 1.0, inside=True)
    flat, curved = (
        assembled(body, 0.1, 1e-3, mu=0.3, **more)
        for body, more in ((base, {}), (ball, {"obstacle": bowl, "position": (0.0, 0.0, 0.1)}))
    )
    for model, word in ((flat, "a flat base"), (curved, "OwnBowl")):
        assert model.integrator.compiled is None
        assert ff.simulate(model).execution.startswith(f"interpreted: {word};")
    assert ff.simulate(model_of(t_end=0.01)).execution == "compiled"


def shaken(t):
    return 2e-3 * np.sin(30.0 * t), 1e-3 * np.sin(20.0 * t), 2e-4 * np.sin(40.0 * t)


RING = [(0.1 * np.cos(t), 0.1 * np.sin(t), -0.08) for t in np.linspace(0.0, 6.0, 16)]
SPRING = ff.Spring(at=(0.05, 0.02, 0.03), to=(0.4, 0.1, 0.2), stiffness=30.0, damping=0.5, rest_length=0.3, path=shaken)
BELT = ff.HalfSpace(motion=ff.RigidMotion(velocity=(0.1, 0.0, 0.0), spin=(0.0, 0.0, 1.0)))
SLOPE = ff.HalfSpace((0.0, 0.0, 0.0), (0.2, 0.0, 1.0))
STICTION = SlidingStiction(0.02, 0.06, 0.8, 1e-3)


def penalties(law):
    """A belt that turns, and a sphere beside it."""
    sphere = ff.Sphere((0.3, 0.12, -0.1), 0.1)
    return [
        ff.Contact(obstacle=BELT, normal=NormalForce(1e5, 300.0), law=law, mu=0.3),
        ff.Contact(obstacle=sphere, normal=NormalForce(2e4, 40.0), law=law, mu=0.2),
    ]


PRESSED = {
    "feet": {"contacts": penalties(Smooth(0.02)), "velocity": (0.6, 0.0, 0.0)},
    "feet on bristles": {"contacts": penalties(STICTION), "velocity": (0.6, 0.0, 0.0)},
    "a ball": {
        "feet": None,
        "contacts": penalties(Smooth(0.02)),
        "velocity": (0.6, 0.0, 0.0),
        "spin": (-3.0, 2.0, 1.0),
    },
    "a ball that bounces on bristles": {
        "feet": None,
        "contacts": penalties(STICTION),
        "position": (0.0, 0.0, 0.105),
        "velocity": (0.6, 0.0, -1.0),
        "spin": (-3.0, 2.0, 1.0),
    },
}
TURNS = ff.RigidMotion(spin=(0.0, 0.0, 1.0))
MORE = {
    "sixteen feet": {"feet": RING, "velocity": (0.4, 0.1, 0.0), "loads": PULLED},
    "a spring": {
        "effects": [SPRING, ff.Spring(at=(0.0, 0.0, 0.0), stiffness=20.0, damping=1.0)],
        "velocity": (0.4, 0.0, 0.0),
    },
    "a follower": {"loads": (ff.SpaceForce(force=(4.0, 0.5, -0.5), at=(0.1, 0.0, 0.0), follows=True),)},
    "shaken ground": {"contacts": [ff.Contact(obstacle=ff.HalfSpace(motion=ff.RigidMotion(path=shaken)), mu=0.02)]},
    "a turning table": {
        "contacts": [ff.Contact(obstacle=ff.HalfSpace(motion=ff.RigidMotion(spin=(0.0, 0.0, 2.0))), mu=0.2)],
        "velocity": (0.3, 0.0, 0.0),
    },
    "a bowl": {
        "feet": None,
        "contacts": [ff.Contact(obstacle=ff.Sphere((0.0, 0.0, 1.0), 1.0, inside=True, motion=TURNS), mu=0.3)],
        "position": (0.0, 0.0, 0.1),
        "velocity": (1.0, 0.2, 0.0),
        "spin": (-9.0, 4.0, 3.0),
    },
    "an incline that turns": {
        "feet": None,
        "contacts": [ff.Contact(obstacle=ff.HalfSpace((0.0, 0.0, 0.0), (0.3, 0.0, 1.0), TURNS), mu=0.3)],
        "position": (0.0, 0.0, 0.1 * np.sqrt(1.09)),
        "velocity": (0.3, 0.0, -0.09),
    },
    "a groove": {
        "feet": None,
        "contacts": [ff.Contact(obstacle=ff.HalfSpace((0.0, 0.0, 0.0), (x, 0.0, 1.0)), mu=0.3) for x in (-1.0, 1.0)],
        "position": (0.0, 0.0, 0.1 * np.sqrt(2.0)),
        "velocity": (0.0, 0.3, 0.0),
    },
}


@pytest.mark.parametrize(("name", "scheme"), [*zip(MORE, cycle(["sdirk2", "moreau-theta"]))])
def test_many_feet_springs_followers_and_moving_or_inclined_half_spaces_are_compiled(name, scheme):
    fast, slow, count = taken(model_of(scheme, **MORE[name]))
    assert count >= 0.85 * fast.steps.sum()
    assert np.ptp(slow.frame_position.values, axis=0).max() > 1e-4
    assert_equal(fast, slow)


@pytest.mark.parametrize("scheme", STAGED)
@pytest.mark.parametrize("name", PRESSED)
def test_penalty_contacts_of_feet_and_balls_with_and_without_bristles_are_those_of_python(name, scheme, monkeypatch):
    fast, single, count = taken(model_of(scheme, **PRESSED[name], t_end=0.2))
    monkeypatch.setattr(effects, "COMPILERS", {})
    slow = ff.simulate(model_of(scheme, **PRESSED[name], t_end=0.2))
    assert (fast.execution, slow.execution[:21]) == ("compiled", "interpreted: contact;")
    assert count >= 0.85 * fast.steps.sum()
    assert float(slow.dissipation_contact[-1]) > 0.1 * float(slow.energy_kinetic[0])
    assert set(slow.stick.values.ravel().tolist()) == {-1, 0}
    assert_equal(fast, single, 1e-9)
    assert_equal(fast, slow, 1e-9)


def thrown(seed, scheme):
    """Return a body on three to six feet, pulled to and fro."""
    rng = np.random.default_rng(seed)
    angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, rng.integers(3, 7)))
    radii = rng.uniform(0.07, 0.15, len(angles))
    feet = [(r * np.cos(a), r * np.sin(a), -0.07) for a, r in zip(angles, radii, strict=True)]
    pull = rng.uniform([-5.0, -5.0, -3.0], [5.0, 5.0, 1.0])
    load = ff.SpaceForce(force=pull, at=rng.uniform(-0.04, 0.04, 3), history=ff.Cosine(30.0, rng.uniform(-2.0, 2.0)))
    start = {"velocity": (*rng.uniform(-0.4, 0.4, 2), 0.0), "spin": (0.0, 0.0, rng.uniform(-5.0, 5.0))}
    return model_of(scheme, feet, dt=2e-3, mu=rng.uniform(0.1, 0.8), loads=(load,), **start)


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
def test_single_and_compiled_steps_from_one_state_are_the_same(scheme):
    """To rounding of the velocities and of the sum of the forces; flags of feet that bear a load are the same.

    Four and more feet share a load in many ways, and where one of them bears nothing the last digit of its gap decides whether it
    counts as touching in the next step. So runs may part, each of them a solution; steps from one state do not."""
    pairs, idle, slid, stuck = 0, 0, 0, 0
    for seed in (310, 311, 313):
        model = thrown(seed, scheme)
        state, compiled = model.integrator.initial(model), model.integrator.compiled
        for k in range(40):
            end = (k + 1) * 2e-3
            new, _ = model.integrator.step(model, state, end - state.time, end)
            batch = compiled.take(state, np.array([end]), np.zeros(1, np.intp))
            if batch is not None and len(batch.times):
                twin = batch.state(0)
                np.testing.assert_allclose(twin.motion.velocity[0], new.motion.velocity[0], rtol=0, atol=1e-12)
                np.testing.assert_allclose(twin.motion.velocity[1], new.motion.velocity[1], rtol=0, atol=1e-11)
                np.testing.assert_allclose(twin.multiplier.sum(axis=0), new.multiplier.sum(axis=0), rtol=0, atol=1e-9)
                bears = new.multiplier[:, 2] < -1e-6
                assert np.array_equal(twin.friction.status[bears], new.friction.status[bears])
                pairs, idle = pairs + 1, idle + int((~bears).any())
                slid, stuck = (
                    slid + int((new.friction.status == 0).any()),
                    stuck + int((new.friction.status == 1).any()),
                )
            state = new
    assert pairs > 0.85 * 3 * 40
    assert min(idle, slid, stuck) > 0.1 * pairs


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
