"""The explicit scheme: its compiled rigid pass, its order, its ledger, its true stick, and how it fails."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from convergence import observed_orders
from ff_examples import plate
from frame_examples import spin_rate as plain_spin_rate
from problems import assembled, run

import fem
from floating_frame import EdgeLoad, InitialState, MeanAxis, Ramp, RigidBody, StepFailure, Tisserand, simulate
from floating_frame.frame.kinematics import rotation
from floating_frame.frame.moments import moments
from floating_frame.frame.rigid_modes import resultant
from floating_frame.leapfrog import loop
from floating_frame.leapfrog.bodies import ExplicitPlate, shrink
from floating_frame.leapfrog.stability import allowed_step, stiffening
from friction import Coulomb, Foundation

FRICTION = Foundation(law=Coulomb(), mu=0.5, pressure=98.1)


def plate_of(material=None, nx=8, ny=4, element="P1"):
    return plate(nx, ny, E=2e5, material=material, element=element)


def thrown(dt, scheme="explicit", material=None, foundation=FRICTION, t_end=0.12, **more):
    load, start = EdgeLoad("right", (4.0, 3.0), Ramp(0.03)), InitialState(velocity=(0.5, 0.1), spin=8.0)
    return run(plate_of(material), t_end, dt, scheme, foundation=foundation, loads=(load,), initial=start, **more)


def twin_step(model, moving, h, before, load, bound, ground):
    """One step of the loop in NumPy, in place: the formulas of its module, moments and frames of the package; True stick."""
    x, half, frame, rates, path, heat, ledger = moving
    m, mass, kick = model.mass.nodal[:, None], model.mass, 0.5 * (before + h)
    internal = model.internal_force(0.0, x, rotation(frame[2]))
    force = load + internal
    slip = shrink(half - ground + kick * force / m, kick * bound / m[:, 0])
    after = slip + ground
    multiplier = m * (half - after) / kick + force
    middle, second, lost = 0.5 * (half + after), (after - half) / kick, kick * (multiplier * slip).sum(axis=1)
    now = moments(mass, x, middle, second)
    spin_rate, moment = 0.0, resultant(load - multiplier, x, now.centre[0])[2:]
    for _ in range(30):
        spin = np.array([rates[2] + 0.5 * kick * spin_rate])
        spin_rate = float(plain_spin_rate(model.frame.name, now, rotation(frame[2]), spin, moment, {})[2])
    predicted = frame[2] + h * (rates[2] + kick * spin_rate)
    still = np.zeros_like(x)
    if model.frame.holonomic:
        computed = model.frame_of(x + h * after, after, still, predicted)
        place, angle = computed.origin, computed.angle
    else:
        computed = model.frame_of(x + 0.5 * h * after, after, still, frame[2])
        place, angle = mass.mean(x + h * after), frame[2] + h * computed.spin
    carried = kick * float(multiplier.sum(axis=0) @ ground)
    ledger[loop.LOADS] += kick * float((load * middle).sum())
    ledger[loop.GROUND_WORK] += carried
    ledger[loop.FRICTION_LOSS] += lost.sum()
    ledger[loop.INTERNAL] += kick * float((internal * middle).sum())
    ledger[loop.FRICTION_WORK] += kick * float((multiplier * middle).sum())
    ledger[loop.DRIFT] += predicted - angle
    ledger[loop.PATH] += 0.5 * float((internal * (before * half + h * after)).sum())
    rates[:], frame[:] = [*mass.mean(after), (angle - frame[2]) / h], [*place, angle]
    path += h * np.hypot(*slip.T)
    heat += lost
    x += h * after
    half[:] = after
    return ~slip.any(axis=1)


TWINS = [(fem.StVenantKirchhoff(2e5, 0.3), "Q1", MeanAxis()), (fem.NeoHookean(2e5, 0.4, "strain"), "Q1", Tisserand())]
TWINS += [(fem.NeoHookean(2e5, 0.3), "P1", MeanAxis())]
TWINS += [(fem.SmallStrain(2e5, 0.3), *one) for one in (("Q1", MeanAxis()), ("P1", Tisserand()))]


@pytest.mark.parametrize(("material", "element", "frame"), TWINS)
def test_the_compiled_steps_equal_their_twin_in_numpy(material, element, frame):
    body = plate_of(material, 9, 4, element)  # 50 nodes: a whole block and part of one
    model = assembled(body, 0.1, 1e-5, "explicit", foundation=FRICTION, frame=frame)
    random, X, lumps, angle = np.random.default_rng(5), body.X, body.lumped_mass, 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    u = 0.05 * np.stack([-X[:, 0] * X[:, 1], 0.5 * X[:, 0] ** 2], axis=1)
    x = (X + u) @ turn.T
    x += [0.3, -0.2] - lumps @ x / lumps.sum()
    half = np.where(X[:, :1] < 0.0, 0.005, 0.3) * random.normal(size=x.shape)
    start = model.frame_of(x, half, np.zeros_like(x), angle)
    arrays = (x, half, start.coordinates, start.rates, np.zeros(len(x)), np.zeros(len(x)), np.zeros(loop.WORKS))
    compiled, twin = ([a.copy() for a in arrays] for _ in range(2))
    h, before, steps, bound = 1e-3, 4e-4, 3, np.linspace(0.2, 2.0, len(x)) * FRICTION.mu
    values, ground = random.uniform(0.0, 2.0, (steps, 2)), random.normal(scale=0.01, size=(steps, 2))
    shapes, forces = random.uniform(0.0, 0.1, (2, len(x))), np.array([[1.0, 0.3], [-0.2, 0.5]])
    loop.run(steps, h, before, *compiled, values, shapes, forces, bound, ground, *ExplicitPlate(model).arrays)
    for k in range(steps):
        load = (values[k, :, None] * shapes).T @ forces
        sticks = twin_step(model, twin, h, h if k else before, load, bound, ground[k])
    assert 3 < np.count_nonzero(sticks) < len(x) - 3
    np.testing.assert_array_equal((compiled[1] == ground[-1]).all(axis=1), sticks)
    assert np.abs(twin[-1]).min() > 1e-9  # every entry of the ledger says something
    for k, (one, other) in enumerate(zip(compiled, twin, strict=True)):
        scale = 1.0 / h if k == 3 else max(1.0, np.abs(other).max())  # the spin is a difference of angles over h
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-13 * scale)


@pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=lambda f: f.name)
def test_the_explicit_motion_converges_at_second_order_to_the_lumped_limit(frame, verification):
    ends = []
    for dt in (8e-4, 4e-4, 2e-4, 1e-4):
        data = thrown(dt, frame=frame, foundation=None, output_every=10_000)
        assert abs(float(data.frame_angle[-1])) > 0.8
        ends.append(data.position.values[-1])
    steps = [np.abs(a - b).max() for a, b in pairwise(ends)]
    claim = f"Elastic plate in flight, explicit, {frame.name}: order of positions in the step"
    verification(claim, observed_orders(steps), 2.0, source="order of central differences", tolerance=0.2)
    assert steps[-1] < 2e-6


@pytest.mark.parametrize("material", [None, fem.SmallStrain(2e5, 0.3)], ids=["svk", "small-strain"])
def test_the_explicit_ledger_closes_and_the_rigid_equations_hold(material):
    data = thrown(0.0, material=material, t_end=0.25)
    assert float(data.dissipation_friction[-1]) > 0.01
    assert float(data.energy_strain.max()) > 1e-4
    assert np.all(np.diff(data.dissipation_friction.values) >= -1e-15)
    assert float(np.abs(data.balance_error).max()) < 1e-12 * float(data.energy_kinetic.max())
    assert float(data.rigid_residual.max()) < 1e-11
    assert 0.0 < float(np.abs(data.frame_drift).max()) < 1e-5


def test_under_less_than_the_friction_nothing_moves_at_all_explicitly():
    loads = (EdgeLoad("right", (0.05, 0.0), Ramp(0.02)),)
    data = run(plate_of(), 0.2, 0.0, "explicit", foundation=FRICTION, loads=loads, output_every=20)
    shares = data.stick.values.mean(axis=1)
    assert shares.min() > 0.5  # some nodes at the loaded edge creep on to their new places
    assert shares[-1] == 1.0
    still = data.isel(node=int(np.argmin(data.X.values[:, 0])))
    assert np.all(still.velocity.values == 0.0)
    assert np.all(still.position.values == still.position.values[0])


def test_a_rigid_block_decelerates_explicitly_to_its_exact_stop():
    """The last kick ends within a step: the error is a fraction of a dt², whatever the phase of the stop."""
    body, speed, deceleration = RigidBody.from_plate(plate_of()), 0.3, 0.5 * 98.1 * 0.08 / 0.8
    for dt in (2e-3, 1e-3):
        data = run(body, 0.15, dt, "explicit", foundation=FRICTION, initial=InitialState(velocity=(speed, 0.0)))
        assert np.all(data.velocity.values[-1] == 0.0)
        assert float(np.abs(data.balance_error).max()) < 1e-14
        distance = speed**2 / (2.0 * deceleration)
        assert abs(float(data.frame_position[-1, 0]) - distance) < 0.5 * deceleration * dt**2


class Leaning(MeanAxis):
    """A frame of one's own, under the name of the one that it is derived from."""

    def decompose(self, moments, mass, last):
        computed = super().decompose(moments, mass, last)
        return computed._replace(rotation=rotation(0.1) @ computed.rotation)


class Stronger(fem.Plate):
    """A plate whose forces are twice those of the compiled loops."""

    def internal_force(self, u):
        return 2.0 * super().internal_force(u)


REFUSED = [
    ({"frame": Leaning()}, r"knows the frame MeanAxis and Tisserand alone, got Leaning\("),
    ({"body": Stronger(**vars(plate_of()))}, r"knows the body Plate and BeamAxis alone, got Stronger\("),
    ({"body": plate_of(nx=2, ny=1, element="P2")}, "P1 or Q1"),
    ({"body": RigidBody.from_plate(plate_of())}, "dt > 0"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_what_the_explicit_scheme_cannot_do_is_refused_in_one_line(change, message):
    with pytest.raises(ValueError, match=message) as caught:
        assembled(t_end=0.1, dt=0.0, scheme="explicit", **({"body": plate_of(), "foundation": FRICTION} | change))
    assert "\n" not in str(caught.value)


def test_an_element_crushed_explicitly_is_named_with_time_and_place():
    crush = EdgeLoad("right", (-4000.0, 0.0), Ramp(0.0))
    with pytest.raises(StepFailure, match=r"element \d+ at X = .* inverted|non-finite") as caught:
        run(plate_of(), 0.1, 0.0, "explicit", foundation=FRICTION, loads=(crush,))
    assert caught.value.trajectory.attrs["complete"] == 0
    assert len(caught.value.trajectory.time) >= 1


def test_a_plate_that_stretches_and_stiffens_takes_shorter_steps_and_stays_stable():
    pull = EdgeLoad("right", (60.0, 40.0), Ramp(0.1, 0.15))
    model = assembled(plate_of(), 0.3, 0.0, "explicit", foundation=FRICTION, loads=(pull,))
    data = simulate(model)
    stretched = data.displacement.values[np.argmax(np.abs(data.displacement.values).max(axis=(1, 2)))]
    assert np.abs(stretched).max() > 0.03
    grown = stiffening(model.steps, model.body, model.mass.nodal, stretched)
    assert allowed_step(model.steps, grown) < 0.95 * model.steps.longest
    assert float(data.step_size[1:].min()) < 0.95 * model.steps.longest
    assert float(np.abs(data.dissipation_numerical).max()) < 0.02 * float(data.work_external[-1])
    # As long as a linear material allows, and never looking at the strain, it does not live to see the end.
    step = 0.95 * model.steps.stable
    with pytest.raises(StepFailure, match=r"non-finite|inverted|produced"):
        simulate(replace(model, steps=replace(model.steps, length=step, longest=step, linear=True)))
