"""The wave in a rod on rough ground against the exact one: explicit to rounding, implicit slowly, pulse, ledger, picture."""

from functools import partial

import numpy as np
import pytest
from case_models import computed, model_of
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from cases import free_flight, rod_wave
from cases.app.parts.body_mesh import displacements
from cases.references.rods.rod_wave import RodWave

WAVES = {"step": np.inf, "pulse": 0.03}
CELL = 0.01  # m, of the runs below

run = partial(computed, rod_wave, nx=100, force=0.7848)


@pytest.fixture(scope="module", params=WAVES)
def explicit(request):
    return run(duration=WAVES[request.param])


def reference(duration):
    return RodWave(force=3.0, duration=duration, stiffness=50.0, mass=2.0, friction=4.0)


@pytest.mark.parametrize("duration", [np.inf, 0.13, 0.07])
def test_the_exact_wave_satisfies_momentum_balance_friction_and_the_end_condition(duration):
    wave = reference(duration)
    c, h = wave.speed, 1e-4
    assert 2 * min(duration, 0.13) < wave.arrest == pytest.approx(0.3)
    rng = np.random.default_rng(5)
    x, t = rng.uniform(0, 1.2 * wave.penetration, 4000), rng.uniform(0, 1.3 * wave.arrest, 4000)
    fronts = [x - c * t, x - c * (t - min(duration, 9)), c * (t - wave.arrest), c * (t - 2 * min(duration, 9))]
    smooth = np.all([np.abs(f) > 5 * c * h for f in fronts], axis=0) & (x > 2 * h)
    x, t = x[smooth], t[smooth]
    u = wave.displacement
    acceleration = (u(x, t + h) - 2 * u(x, t) + u(x, t - h)) / h**2
    elastic = c**2 * (u(x + h, t) - 2 * u(x, t) + u(x - h, t)) / h**2
    v = wave.velocity(x, t)
    # u is piecewise quadratic: central differences are exact to rounding, 1e-16 u/h^2
    assert_allclose(v, (u(x, t + h) - u(x, t - h)) / (2 * h), atol=1e-11)
    friction = wave.mass * (elastic - acceleration)
    assert np.sum(v > 0) > 500
    assert np.sum(v == 0) > 500
    assert (np.sum(v < 0) > 50) == np.isfinite(duration)
    assert_allclose(friction[v != 0], wave.friction * np.sign(v[v != 0]), atol=1e-5)
    assert np.abs(friction[v == 0]).max() < wave.friction * 0.51
    times = np.linspace(0.01, 0.29, 57)
    strain = (-3 * u(0.0, times) + 4 * u(h, times) - u(2 * h, times)) / (2 * h)
    loaded = times < duration - 1e-3
    unloaded = times > duration + 1e-3
    assert_allclose(wave.stiffness * strain[loaded], -wave.force, rtol=1e-9)
    assert_allclose(wave.stiffness * strain[unloaded], 0.0, atol=1e-9)


@pytest.mark.parametrize("duration", [np.inf, 0.13, 0.07])
@pytest.mark.parametrize("share", [0.3, 0.8, 2.0])
def test_the_exact_wave_balances_work_friction_strain_and_motion(duration, share):
    wave = reference(duration)
    time = share * wave.arrest
    x = np.linspace(0, 1.1 * wave.penetration, 400_001)
    strain = np.gradient(wave.displacement(x, time), x)
    energy = 0.5 * wave.stiffness * strain**2 + 0.5 * wave.mass * wave.velocity(x, time) ** 2
    work = wave.force * float(wave.displacement(0.0, min(time, duration)))
    mechanical = float(np.trapezoid(energy, x))
    assert wave.friction_work(time) > 0.05 * work
    assert work == pytest.approx(mechanical + wave.friction_work(time), rel=1e-4)
    if share > 1 and np.isinf(duration):
        assert wave.friction_work(time) == pytest.approx(2 / 3 * wave.force**3 / (wave.friction * wave.stiffness))
        assert float(wave.displacement(0.0, time)) == pytest.approx(2 * wave.quasi_static_end)
    if share > 1 and np.isfinite(duration):
        left = wave.force * duration - wave.friction * wave.speed * duration**2 / 2
        assert float(wave.displacement(0.0, time)) == pytest.approx(left / (wave.mass * wave.speed))


def test_the_explicit_scheme_leaves_the_end_where_it_should_be_to_rounding(explicit, verification):
    params, data = explicit
    wave = rod_wave.wave(params)
    x, u, _ = rod_wave.sections(params, data)
    exact = wave.displacement(x, data.time.values[:, None])
    assert u[-1, 0] > 3e-3
    load = "step" if np.isinf(params.duration) else "pulse"
    known = {"source": "d'Alembert's solution with friction", "tolerance": 1e-10, "unit": "m", "relative": True}
    claim = f"Rod pushed at its end by a {load}, explicit: where friction leaves that end"
    verification(claim, u[-1, 0], exact[-1, 0], **known)
    # Residual profile: q dx^2/(4 EA), at every other node. While it moves: P dx/(2 EA), the friction of a front's first step.
    residual = np.abs(u[-1] - exact[-1]).max() / (wave.friction * CELL**2 / (4 * wave.stiffness))
    moving = np.abs(u - exact).max() / (wave.force * CELL / (2 * wave.stiffness))
    assert 0.95 < residual < 1.05
    assert 0.9 < moving < 1.0


def test_everything_stops_at_once_at_two_p_over_q_c_having_run_two_p_over_q(explicit, verification):
    params, data = explicit
    wave = rod_wave.wave(params)
    entries = rod_wave.summary(params, data)
    load = "step" if np.isinf(params.duration) else "pulse"
    assert entries["arrest_time"]["exact"] == pytest.approx(0.08)
    claim = f"Rod pushed at its end by a {load}, explicit: time at which all of it stops"
    known = {"source": "2 P/(q c)", "tolerance": 2 * CELL / wave.speed * (1 + 1e-9), "unit": "s"}
    assert verification(claim, entries["arrest_time"]["value"], 0.08, **known) >= 0
    assert entries["penetration"]["exact"] == pytest.approx(0.8)
    claim = f"Rod pushed at its end by a {load}, explicit: how far the front runs"
    known = {"source": "2 P/q", "tolerance": 2 * CELL + 1e-9, "unit": "m"}
    assert verification(claim, entries["penetration"]["value"], 0.8, **known) <= 1e-9
    known = entries["front_velocity"]
    assert 0.002 < 1 - known["value"] / known["exact"] < 2 * CELL / (wave.speed * data.time.values[-1] / 4)
    _, _, v = rod_wave.sections(params, data)
    if np.isfinite(params.duration):
        assert v.min() < -0.8 * wave.deceleration * params.duration / 2
    else:
        assert entries["over_quasi_static"]["value"] == pytest.approx(2, rel=1e-10)
        assert v.min() > -1e-9 * wave.first_velocity


def test_headlines_need_no_positions_which_files_round(explicit):
    params, data = explicit
    assert rod_wave.summary(params, data.drop_vars("position")) == rod_wave.summary(params, data)


def test_displacements_of_a_body_that_turns_are_the_differences_of_its_positions():
    _, data = computed(free_flight, nx=4, ny=2, t_end=0.02, dt=2e-3)
    assert abs(data.frame_angle.values[-1]) > 0.1
    moved = data.position.values - data.X.values
    assert_allclose(
        displacements(data), moved, rtol=0, atol=1e-14 * np.abs(data.X.values).max() + 1e-15 * np.abs(moved).max()
    )


def test_the_energy_balance_closes_and_friction_takes_what_it_should(explicit):
    params, data = explicit
    wave = rod_wave.wave(params)
    exact = wave.friction_work(params.t_end)
    assert np.abs(data.balance_error.values).max() < 1e-13 * exact
    assert 1e-5 < 1 - float(data.dissipation_friction[-1]) / exact < 1e-3
    numerical = -data.dissipation_numerical.values
    if np.isinf(params.duration):
        # The zigzag of strain, P^3/(8 q EA) at t*/2, is there while the rod moves and gone when it stops.
        eighth = wave.force**3 / (8 * wave.friction * wave.stiffness)
        assert np.interp(0.04, data.time.values, numerical) == pytest.approx(eighth, rel=0.1)
    assert 0.3 * CELL < numerical[-1] / float(data.work_external[-1]) < 4 * CELL


def test_the_plate_moves_as_a_rod_does_without_lateral_motion_and_in_either_direction():
    one, pushed = run(nx=50, ny=1)
    two, pulled = run(nx=50, ny=2, width=0.04, force=-2 * 0.7848)
    assert np.abs(pushed.velocity.values[..., 1]).max() < 1e-13
    for params, data in ((one, pushed), (two, pulled)):
        _, u, _ = rod_wave.sections(params, data)
        assert u[-1, 0] == pytest.approx(7.848e-3, rel=1e-10)


def test_a_row_of_square_q1_cells_has_the_stable_step_of_a_bar_and_other_cells_a_smaller_one():
    def courant(**values):
        params, model = model_of(rod_wave, **{"nx": 50} | values)
        return model.steps.length * rod_wave.wave(params).speed / (params.length / params.nx)

    assert [courant(), courant(nx=200)] == pytest.approx([1.0, 1.0], rel=1e-12)
    # refused as a step beyond the stable one: 0.95 of that
    assert 0.95 * 0.70 < courant(elements="P1") < 0.95 * 0.73
    assert 0.95 * 0.90 < courant(nx=200, elements="P1") < 0.95 * 0.94
    assert 0.95 * 0.95 < courant(nx=200, nu=0.3) < 0.95 * 0.96
    assert courant(nx=25) == pytest.approx(0.95 * 0.5, rel=1e-3)  # longer than wide


def test_an_implicit_pulse_comes_within_two_per_cent():
    params, data = run(scheme="sdirk2", duration=0.02, output_every=8)
    entries = rod_wave.summary(params, data)
    assert entries["end_displacement"]["exact"] == pytest.approx(2.943e-3)
    assert 2e-4 < abs(1 - entries["end_displacement"]["value"] / 2.943e-3) < 2e-2


def test_what_the_theory_does_not_cover_has_no_exact_value_beside_it():
    params, data = run(nx=20, length=0.4)  # the front meets the far end at half of its path
    entries = rod_wave.summary(params, data)
    assert not [key for key in entries if "exact" in entries[key] and key not in ("balance_error", "front_velocity")]
    params, data = run(nx=20, nu=0.3, material="st-venant-kirchhoff")
    entries = rod_wave.summary(params, data)
    assert [key for key in entries if "exact" in entries[key]] == ["balance_error"]
    assert entries["end_displacement"]["reference"]["value"] == pytest.approx(7.848e-3)
    params, data = run(nx=20, duration=0.05)  # springs back when the loaded zone stops
    assert "exact" not in rod_wave.summary(params, data)["end_displacement"]
    params, data = run(nx=20, mu=0.0, t_end=0.05)
    assert "exact" not in rod_wave.summary(params, data)["arrest_time"]
    params, data = run(nx=20, force=0.0, t_end=0.01)
    assert rod_wave.summary(params, data)["end_displacement"]["value"] == pytest.approx(0, abs=1e-15)


def test_the_solution_holds_until_the_wave_comes_back_and_its_picture_draws_no_more():
    params, data = run(nx=100, mu=0.3, t_end=0.14)  # the front would run 4/3 m into a rod of 1 m
    wave, times = rod_wave.wave(params), data.time.values[:, None]
    assert wave.penetration == pytest.approx(4 / 3)
    x, u, _ = rod_wave.sections(params, data)
    holds = np.stack([wave.holds(x, time, params.length) for time in data.time.values])
    zigzag = wave.force * CELL / (2 * wave.stiffness)
    error = np.abs(u - wave.displacement(x, times))
    assert error[holds].max() < zigzag
    # Behind the front that comes back the rod moves faster than the solution says, by the velocity ahead of it.
    behind = ~holds & (x > 2 * params.length - wave.speed * times + 10 * CELL)
    assert np.sum(behind) > 400
    assert error[behind].min() > 2 * zigzag
    assert wave.known(0.1, params.length)
    assert not wave.known(0.101, params.length)
    figure = Figure()
    rod_wave.draw(params, data, figure)
    front, stop = figure.axes[0].lines
    assert front.get_xydata()[-1] == pytest.approx([1.0, 0.1])
    assert stop.get_xydata() == pytest.approx(np.array([[0.0, 4 / 30], [2 / 3, 4 / 30]]))
