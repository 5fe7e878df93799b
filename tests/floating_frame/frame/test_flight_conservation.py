"""A free body in flight keeps its momenta and its energy: to rounding, or at the order of the scheme."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from convergence import observed_orders
from ff_examples import bent, plate, wobble
from ff_twins import without_batches
from problems import assembled

import fem
from floating_frame import InitialState, MeanAxis, Options, Tisserand, simulate
from floating_frame.verdict.energy import AngularMomentumCheck

# Steps per scheme where its leading error term rules, the order, and the largest error of H and of the energy.
LADDERS = {
    "sdirk2": (1e-3 / 2.0 ** np.arange(2), 2, 4e-6, 4e-6),
    "moreau-theta": (5e-4 / 2.0 ** np.arange(2), 2, 4e-6, 4e-6),
    "backward-euler": (2.5e-4 / 2.0 ** np.arange(2), 1, 2e-2, 4e-2),
}
FRAMES = pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=lambda f: f.name)


@cache
def flight(scheme, dt, frame=None, t_end=0.1, *, batches=True, material=None):
    body = plate(E=5.0e3, material=material)
    start = InitialState((1.0, 0.3), 10.0, bent(body.X), 0.5 * wobble(body.X))
    model = assembled(body, t_end, dt, scheme, frame=frame or MeanAxis(), initial=start, tolerance=1e-12)
    return simulate(model if batches else without_batches(model))


def energy(run):
    return run.energy_kinetic.values + run.energy_strain.values


@pytest.fixture(scope="module")
def tisserand():
    return flight("sdirk2", LADDERS["sdirk2"][0][-1], Tisserand())


@pytest.mark.parametrize("scheme", LADDERS)
@pytest.mark.quick("sdirk2", "moreau-theta")
def test_linear_momentum_is_kept_to_rounding_and_angular_momentum_and_energy_at_the_order_of_the_scheme(
    scheme, verification
):
    steps, order, *largest = LADDERS[scheme]
    runs = [flight(scheme, dt) for dt in steps]
    run = runs[-1]
    assert abs(run.frame_angle.values[-1]) > 0.9  # the plate turns and breathes
    assert np.ptp(run.J_zz.values) > 0.1 * run.J_zz.values.mean()
    assert np.ptp(run.frame_spin.values) > 0.1 * run.frame_spin.values.mean()
    assert np.ptp(run.energy_strain.values) > 0.05 * energy(run)[0]
    for each in runs:
        p = each.linear_momentum.values
        assert np.abs(p[0]).min() > 0.1
        claim = f"Free flight, {scheme}, {len(each.time) - 1} steps: linear momentum"
        rounding = 1e-15 * len(each.time) * np.abs(p[0]).max() + 1e-14
        verification(claim, p, p[:1], source="its conservation", tolerance=rounding, unit="kg m/s")
    quantities = {"angular momentum": [each.angular_momentum.values for each in runs], "energy": [*map(energy, runs)]}
    for (what, courses), most in zip(quantities.items(), largest, strict=True):
        errors = np.array([np.abs(course - course[0]).max() for course in courses])
        claim = f"Free flight, {scheme}: order of the error of {what} in the step"
        verification(claim, observed_orders(errors), order, source="order of the scheme", tolerance=0.1)
        assert 1e-14 < errors[-1] < most * abs(courses[0][0])


def test_without_2_omega_K_a_free_body_would_not_keep_its_angular_momentum(tisserand):
    """ω from row 3 of (3.4)1 alone for Tisserand's axes, J_zz ω' + c 2 ω K = 0, K = J_zz'/2: ω = ω₀ (J₀/J)^c."""
    J, spin = tisserand.J_zz.values, tisserand.frame_spin.values
    conserved, lost = (J * spin[0] * (J[0] / J) ** coriolis for coriolis in (1.0, 0.0))
    assert np.abs(conserved - J * spin).max() < 4e-6 * J[0] * spin[0]
    assert np.abs(lost - J * spin).max() > 0.1 * J[0] * spin[0], "with 2ωK left out, as printed"


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
@FRAMES
@pytest.mark.quick("mean-axis-sdirk2", "tisserand-moreau-theta")
def test_a_small_strain_plate_keeps_its_momenta_and_energy_too_though_its_force_is_not_objective(scheme, frame):
    steps, order, *_ = LADDERS[scheme]
    errors = []
    for dt in steps:
        run = flight(scheme, dt, frame, 0.05, material=fem.SmallStrain(5.0e3, 0.3))
        H, p = run.angular_momentum.values, run.linear_momentum.values
        assert np.abs(p - p[0]).max() < 1e-13
        errors.append([np.abs(H - H[0]).max(), np.abs(energy(run) - energy(run)[0]).max()])
    assert abs(run.frame_angle.values[-1]) > 0.4
    assert np.all(np.abs(observed_orders(errors) - order) < 0.1), errors
    assert np.all((errors[-1] > np.full(2, 1e-14)) & (errors[-1] < 1e-5 * np.array([abs(H[0]), energy(run)[0]])))


@pytest.mark.parametrize(("turn", "warned"), [(0.0, False), (0.005, False), (0.03, True)])
def test_angular_momentum_in_space_is_told_by_its_direction_too(turn, warned):
    """A vector that turns by φ changes by 2 sin(φ/2) of its size, which stays."""
    results = SimpleNamespace(scales=(0.0, 1.0, 1.0))
    model = SimpleNamespace(system=SimpleNamespace(results=results), options=Options(1e-3), takes_tolerance=False)
    directions = np.array([[1.0, 0.0, 0.0], [np.cos(turn), np.sin(turn), 0.0]])
    seen = [{"spin_momentum": 2.0 * along[None], "free": np.array([True])} for along in directions]
    start, end = (SimpleNamespace(diagnostics=computed, kinetic=np.ones(1)) for computed in seen)
    check = AngularMomentumCheck.of(model, start).after(model, end)
    assert check.worst == pytest.approx(4.0 * np.sin(0.5 * turn), rel=1e-9)
    assert bool(check.judge(model)) == warned
