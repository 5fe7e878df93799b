"""Steps end on loads' breaks themselves where k dt agrees with them in decimals: impulses are exact, whatever the rounding.

Of 900 ordinary pairs (dt, release) of decimals some 120 have k dt above the release by a rounding unit, as many below it.
A body without friction that a force F pulls until then has the momentum F × release: a stage or a step that sees the force
end too early is off by a part of F dt, here 1e-3 to 1e-2 of it.
"""

import numpy as np
import pytest
from ff_examples import plate
from problems import run

import floating_frame as ff
from fem.beam import Beam
from floating_frame.loads.histories import Breaks
from floating_frame.stepping.step_times import StepTimes, number_of_steps
from friction import Coulomb, Foundation, Smooth

RIGID_ONLY = ("linearly-implicit-trapezoidal", "radau")
SCHEMES = ("sdirk2", "backward-euler", "moreau-theta", "explicit", *RIGID_ONLY)
SOFT = plate(2, 1, E=1e3, element="Q1")
STIFF = ff.RigidBody.from_plate(SOFT)
EXACT = 1e-13
"""Relative: some hundred roundings of sums of at most 60 steps."""


def pairs(count, seed, *, apart=True):
    """``count`` random (dt, steps, release): decimals with release = steps × dt; if ``apart``, steps × dt is by turns a rounding
    unit above and below it in floating-point numbers."""
    rng, computed = np.random.default_rng(seed), []
    while len(computed) < count:
        digits, mantissa, steps = int(rng.integers(2, 5)), int(rng.integers(1, 100)), int(rng.integers(3, 60))
        dt, release = float(f"{mantissa}e-{digits}"), float(f"{mantissa * steps}e-{digits}")
        off = steps * dt - release
        if not apart or (off > 0.0 if len(computed) % 2 == 0 else off < 0.0):
            computed.append((dt, steps, release))
    return computed


def momentum(body, load, dt, t_end, scheme="sdirk2", **options):
    """(p_x of the body at the end over its mass, m/s; the run)."""
    data = run(body, t_end, dt, scheme, foundation=smooth(scheme), loads=(load,), **options)
    return float(data.frame_velocity[-1, 0]), data


def smooth(scheme):
    return Foundation(Smooth(1e-3), 0.0, 0.0) if scheme == "radau" else None


def test_the_step_that_a_break_ends_in_decimals_ends_on_it_bit_by_bit():
    above = below = 0
    for dt, steps, release in pairs(900, seed=1, apart=False):
        above, below = above + (steps * dt > release), below + (steps * dt < release)
        times = StepTimes(1.3 * release, dt, Breaks.of((0.0, release), dt))
        assert times.end(steps) == release, (dt, release)
        assert len(times) == len(list(times.every(1))) == number_of_steps(1.3 * release, dt)
        ends = [end for _, end in times.every(1)]
        assert ends[-1] == 1.3 * release
        assert np.all(np.diff([0.0, *ends]) > 0.5 * min(dt, ends[-1] - ends[-2])), (dt, release)
    assert above > 50
    assert below > 50


@pytest.mark.parametrize(
    ("body", "scheme"),
    [(STIFF, scheme) for scheme in SCHEMES] + [(SOFT, scheme) for scheme in SCHEMES if scheme not in RIGID_ONLY],
    ids=lambda one: one if isinstance(one, str) else "rigid" if one is STIFF else "plate",
)
@pytest.mark.quick("rigid-explicit", "rigid-moreau-theta", "plate-sdirk2", "plate-backward-euler", "plate-moreau-theta")
def test_a_force_that_ends_at_a_multiple_of_dt_leaves_its_impulse_exactly_also_under_error_control(scheme, body):
    for dt, steps, release in pairs(12 if body is STIFF else 3, seed=2 + (body is STIFF)):
        load, every = ff.BodyForce((1.0, 0.0), ff.Ramp(0.0, release)), 1 + steps % 3
        speed, data = momentum(body, load, dt, (steps + 4) * dt, scheme, output_every=every)
        assert speed == pytest.approx(release, rel=EXACT), (dt, release)
        if every == 1 and data.time.values[1] == dt:  # not an explicit step that had to be smaller
            assert release in data.time.values
    if body is STIFF and scheme not in ("backward-euler", "radau"):
        for dt, steps, release in pairs(3, seed=4):
            load = ff.BodyForce((1.0, 0.0), ff.Ramp(0.0, release))
            speed, _ = momentum(body, load, dt, (steps + 4) * dt, scheme, error_tolerance=1e-3)
            assert speed == pytest.approx(release, rel=EXACT), (dt, release)


def kinds(release):
    """Loads of 1 N/kg along x up to ``release`` s, of every kind that has breaks."""
    until = ff.Ramp(0.0, release)
    mass = SOFT.mass
    return {
        "edge": ff.EdgeLoad("right", (mass, 0.0), until),
        "table": ff.BodyForce((1.0, 0.0), ff.Table([0.0, release, release], [1.0, 1.0, 0.0])),
        "function": ff.BodyForce((1.0, 0.0), ff.Function(lambda t: float(t <= release), (release,))),
        "field": ff.BodyForceField(lambda X, t: np.tile([float(t < release), 0.0], (len(X), 1)), (release,)),
        "follower": ff.FollowerTraction("right", mass, 0.0, until, measure="reference"),
    }


@pytest.mark.parametrize("scheme", ["sdirk2", "explicit"])
@pytest.mark.parametrize("kind", kinds(1.0))
@pytest.mark.quick("edge-explicit", "table-sdirk2", "function-explicit", "field-explicit", "follower-explicit")
def test_loads_of_every_kind_end_on_their_break(kind, scheme):
    for dt, steps, release in pairs(3, seed=5):
        speed, _ = momentum(STIFF, kinds(release)[kind], dt, (steps + 3) * dt, scheme)
        assert speed == pytest.approx(release, rel=EXACT), (dt, release)


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta", "explicit"])
@pytest.mark.parametrize("body", [STIFF, SOFT], ids=["rigid", "plate"])
@pytest.mark.quick("rigid-sdirk2", "rigid-backward-euler", "rigid-moreau-theta", "plate-explicit")
def test_pressure_and_ground_change_at_the_named_break(body, scheme):
    """Friction is solved to 1e-10 of a step."""
    for dt, steps, change in pairs(2, seed=6):
        t_end = (steps + 3) * dt
        start, fast = ff.InitialState((2.0 * 9.81 * t_end, 0.0)), 20.0 * t_end
        pressed = Foundation(Coulomb(), 0.5, f"98.1*(t < {change!r})", breaks=(change,))
        data = run(body, t_end, dt, scheme, foundation=pressed, initial=start)
        lost = start.velocity[0] - float(data.frame_velocity[-1, 0])
        assert lost == pytest.approx(0.5 * 9.81 * change, rel=1e-11), (dt, change)

        def course(t, change=change, fast=fast):
            return (fast if t < change else -fast, 0.0)

        data = run(body, t_end, dt, scheme, foundation=Foundation(Coulomb(), 0.5, 98.1, course, breaks=(change,)))
        gained = 0.5 * 9.81 * (2.0 * change - t_end)
        assert float(data.frame_velocity[-1, 0]) == pytest.approx(gained, rel=1e-11, abs=1e-11 * 9.81 * t_end)


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
def test_the_free_clamp_and_the_free_beam_get_the_impulse_too(scheme):
    for dt, steps, release in pairs(2, seed=7):
        until, t_end = ff.Ramp(0.0, release), (steps + 3) * dt
        data = run(SOFT, t_end, dt, scheme, loads=(ff.BodyForce((1.0, 0.0), until),), frame=ff.Clamped("left"))
        # the elastic solves leave 1e-10 of the largest nodal force in each step
        assert float(data.linear_momentum[-1, 0]) / SOFT.mass == pytest.approx(release, rel=1e-9)
        beam = Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e6, density=1000.0, ne=2)
        flying = ff.BeamProblem(beam, t_end, None, (ff.LateralLoad(2.0, "uniform", until),))
        data = ff.simulate(ff.assemble(flying, ff.Options(dt, scheme)))
        assert float(data.linear_momentum[-1, 1]) == pytest.approx(2.0 * release, rel=1e-9)


def test_quasi_static_increments_store_the_state_under_the_load_before_its_jump():
    for dt, steps, jump in pairs(2, seed=8):
        load = ff.EdgeLoad("right", (0.5, 0.0), ff.Table([0.0, jump, jump, 2.0 * jump], [0.0, 1.0, 0.2, 0.2]))
        given = {"foundation": Foundation(Coulomb(), 0.3, 98.1), "loads": (load,)}
        data = run(SOFT, (steps + 2) * dt, dt, "quasi-static", **given)
        resisted = -data.friction_force.values.sum(axis=1)[:, 0]
        at = data.time.values.tolist().index(jump)
        assert resisted[at : at + 2] == pytest.approx([0.5, 0.1], rel=1e-6)


def test_breaks_of_two_loads_that_differ_by_rounding_are_one_and_so_is_the_end_of_the_run():
    one, other = 0.3, 0.1 + 0.2
    assert one != other
    loads = tuple(ff.BodyForce((1.0, 0.0), ff.Ramp(0.0, until)) for until in (one, other))
    for t_end in (0.5, one, other):
        for scheme in SCHEMES:
            data = run(STIFF, t_end, 0.1, scheme, foundation=smooth(scheme), loads=loads)
            assert float(data.frame_velocity[-1, 0]) == pytest.approx(0.6, rel=EXACT)
            assert float(data.time[-1]) == t_end
            assert scheme == "radau" or float(data.step_size[1:].min()) > 0.05, "no step of a rounding unit"


def test_breaks_are_found_up_to_rounding_and_have_two_sides():
    breaks = Breaks.of((1.0, 0.3, 0.1 + 0.2), 1e-3)
    assert breaks.limit(0.3 - 1e-16) == 0.3
    assert breaks.limit(0.3, left=False) == 0.1 + 0.2
    assert breaks.limit(0.3 + 1e-9) == 0.3 + 1e-9
    assert breaks.one_sided_time(1.0) < 1.0 < breaks.one_sided_time(1.0, left=False)
    assert breaks.one_sided_time(1.0, left=False) - breaks.one_sided_time(1.0) < 4e-16
    assert breaks.one_sided_time(1.5) == 1.5
    assert breaks.between(0.0, 1.0) == [0.3]
    assert breaks.between(0.3, 2.0) == [1.0]
    assert Breaks.of((0.0, 1e-20), 1e-3).between(0.0, 1e-3) == []


def test_times_of_a_long_run_are_computed_and_not_stored():
    times = StepTimes(1e4, 1e-4, Breaks.of((5e3, 0.12)))
    assert len(times) == 10**8
    assert times.end(1200) == 0.12
    assert times.end(5 * 10**7) == 5e3
    long = times.every(10**7)
    assert [number for number, _ in long] == [k * 10**7 for k in range(1, 11)]
