"""A free body in flight keeps its momenta and its energy: to rounding, or at the order of the scheme."""

from types import SimpleNamespace

import numpy as np
import pytest
from convergence import observed_orders
from ff_examples import bent, plate, wobble
from ff_twins import without_batches
from frame_examples import plain

import fem
from floating_frame import InitialState, MeanAxis, Options, Problem, Tisserand, assemble, simulate
from floating_frame.verdict.energy import AngularMomentumCheck

T_END = 0.1
# Steps per scheme where its leading error term rules, and the band of its observed orders.
LADDERS = {
    "sdirk2": (1e-3 / 2.0 ** np.arange(2), (1.9, 2.1)),
    "moreau-theta": (5e-4 / 2.0 ** np.arange(2), (1.9, 2.1)),
    "backward-euler": (2.5e-4 / 2.0 ** np.arange(2), (0.9, 1.1)),
}


def flight(scheme, dt, frame=None, t_end=T_END, *, batches=True):
    body = plate(E=5.0e3)
    start = InitialState((1.0, 0.3), 10.0, bent(body.X), 0.5 * wobble(body.X))
    problem = Problem(body, t_end, frame=frame or MeanAxis(), initial=start)
    model = assemble(problem, Options(dt, scheme, tolerance=1e-12))
    return simulate(model if batches else without_batches(model))


@pytest.fixture(scope="module")
def flights():
    return {scheme: [flight(scheme, dt) for dt in steps] for scheme, (steps, _) in LADDERS.items()}


@pytest.fixture(scope="module")
def tisserand():
    return flight("sdirk2", LADDERS["sdirk2"][0][-1], Tisserand())


def energy(run):
    return run.energy_kinetic.values + run.energy_strain.values


def test_the_plate_turns_and_breathes(flights):
    for runs in flights.values():
        run = runs[-1]
        assert abs(run.frame_angle.values[-1]) > 0.9
        assert np.ptp(run.J_zz.values) > 0.1 * run.J_zz.values.mean()
        assert np.ptp(run.frame_spin.values) > 0.1 * run.frame_spin.values.mean()
        assert np.ptp(run.energy_strain.values) > 0.05 * energy(run)[0]


@pytest.mark.parametrize("scheme", LADDERS)
def test_linear_momentum_is_kept_to_rounding(flights, scheme, verification):
    for run in flights[scheme]:
        p = run.linear_momentum.values
        assert np.abs(p[0]).min() > 0.1
        verification(
            f"Free flight, {scheme}, {len(run.time) - 1} steps: linear momentum",
            p,
            np.broadcast_to(p[0], p.shape),
            source="its conservation",
            tolerance=1e-15 * len(run.time) * np.abs(p[0]).max() + 1e-14,
            unit="kg m/s",
        )


@pytest.mark.parametrize("scheme", LADDERS)
def test_angular_momentum_is_kept_at_the_order_of_the_scheme(flights, scheme, verification):
    H = [run.angular_momentum.values for run in flights[scheme]]
    errors = np.array([np.abs(h - h[0]).max() for h in H])
    low, high = LADDERS[scheme][1]
    verification(
        f"Free flight, {scheme}: order of the error of angular momentum in the step",
        observed_orders(errors),
        (low + high) / 2,
        source="order of the scheme",
        tolerance=(high - low) / 2,
    )
    assert 1e-14 < errors[-1] < (2e-2 if scheme == "backward-euler" else 4e-6) * abs(H[0][0])


@pytest.mark.parametrize("scheme", LADDERS)
def test_energy_is_kept_at_the_order_of_the_scheme(flights, scheme, verification):
    errors = np.array([np.abs(energy(run) - energy(run)[0]).max() for run in flights[scheme]])
    low, high = LADDERS[scheme][1]
    verification(
        f"Free flight, {scheme}: order of the error of energy in the step",
        observed_orders(errors),
        (low + high) / 2,
        source="order of the scheme",
        tolerance=(high - low) / 2,
    )
    assert 1e-14 < errors[-1] < (4e-2 if scheme == "backward-euler" else 4e-6) * energy(flights[scheme][0])[0]


def check_orders(errors, steps, band):
    orders = observed_orders(errors)
    assert np.all((orders > band[0]) & (orders < band[1])), orders
    assert errors[-1] > 1e-14


def test_angular_momentum_is_that_of_the_split_variables(flights, tisserand):
    run = flights["sdirk2"][-1]
    moved = run.frame_position.values[:, 0] * run.linear_momentum.values[:, 1]
    moved -= run.frame_position.values[:, 1] * run.linear_momentum.values[:, 0]
    own = run.angular_momentum.values - moved
    # For Tisserand's axes H = J_zz ω: their relative angular momentum vanishes.
    assert np.allclose(tisserand.J_zz * tisserand.frame_spin, own, rtol=0, atol=1e-12 * np.abs(own).max() * 10)
    assert np.abs(run.J_zz * run.frame_spin - own).max() > 1e-3 * np.abs(own).max(), "not so for the mean axes"


def integrated_spin(run, coriolis):
    """ω from row 3 of (3.4)1 alone for Tisserand's axes, J_zz ω' + ``coriolis`` · 2 ω K = 0, K = J_zz'/2, trapezoidal."""
    J = run.J_zz.values
    log_spin = -coriolis * (np.log(J) - np.log(J[0]))
    return run.frame_spin.values[0] * np.exp(log_spin)


def test_without_2_omega_K_a_free_body_would_not_keep_its_angular_momentum(tisserand):
    J, spin = tisserand.J_zz.values, tisserand.frame_spin.values
    H = J * spin
    kept, lost = J * integrated_spin(tisserand, 1.0), J * integrated_spin(tisserand, 0.0)
    assert np.abs(kept - H).max() < 4e-6 * H[0]
    assert np.abs(lost - H).max() > 0.1 * H[0], "with 2ωK left out, as printed"


@pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=lambda f: f.name)
@pytest.mark.quick("tisserand")
def test_dropping_2_omega_K_breaks_the_frame_in_a_run(frame):
    dts = LADDERS["sdirk2"][0][:3]
    sound = np.array([np.abs(flight("sdirk2", dt, frame, 0.05, batches=False).frame_drift).sum() for dt in dts])
    wrong = plain(frame.name, growth=0.0)
    broken = np.array([np.abs(flight("sdirk2", dt, wrong, 0.05, batches=False).frame_drift).sum() for dt in dts])
    # Summed over the run: one order less than in a step. Sound Δt², broken Δt.
    assert np.all(np.abs(observed_orders(sound) - 2.0) < 0.2)
    assert np.all(np.abs(observed_orders(broken) - 1.0) < 0.2)
    assert np.all(broken > 10 * sound)


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
@pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=lambda f: f.name)
@pytest.mark.quick("mean-axis-sdirk2", "tisserand-moreau-theta")
def test_a_small_strain_plate_keeps_its_momenta_and_energy_too_though_its_force_is_not_objective(scheme, frame):
    body = plate(material=fem.SmallStrain(5.0e3, 0.3))
    start = InitialState((1.0, 0.3), 10.0, bent(body.X), 0.5 * wobble(body.X))
    steps, band = LADDERS[scheme]
    errors = []
    for dt in steps[:3]:
        run = simulate(assemble(Problem(body, 0.05, frame=frame, initial=start), Options(dt, scheme, tolerance=1e-12)))
        H = run.angular_momentum.values
        p = run.linear_momentum.values
        assert np.abs(p - p[0]).max() < 1e-13
        errors.append([np.abs(H - H[0]).max(), np.abs(energy(run) - energy(run)[0]).max()])
    assert abs(run.frame_angle.values[-1]) > 0.4
    for column in np.array(errors).T:
        check_orders(column, steps, band)
    assert np.all(errors[-1] < np.array([1e-5 * abs(H[0]), 1e-5 * energy(run)[0]]))


@pytest.mark.parametrize(("turn", "told"), [(0.0, False), (0.005, False), (0.03, True)])
def test_angular_momentum_in_space_is_told_by_its_direction_too(turn, told):
    """A vector that turns by φ changes by 2 sin(φ/2) of its size, which stays."""
    results = SimpleNamespace(scales=(0.0, 1.0, 1.0))
    model = SimpleNamespace(system=SimpleNamespace(results=results), options=Options(1e-3), takes_tolerance=False)
    directions = np.array([[1.0, 0.0, 0.0], [np.cos(turn), np.sin(turn), 0.0]])
    seen = [{"spin_momentum": 2.0 * along[None], "free": np.array([True])} for along in directions]
    start, end = (SimpleNamespace(diagnostics=found, kinetic=np.ones(1)) for found in seen)
    check = AngularMomentumCheck.of(model, start).after(model, end)
    assert check.worst == pytest.approx(4.0 * np.sin(0.5 * turn), rel=1e-9)
    assert bool(check.judge(model)) == told
