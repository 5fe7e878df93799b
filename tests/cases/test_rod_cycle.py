"""A rod on rough ground under slow end forces and slow heating, beside its exact solution and its limit load."""

from functools import partial

import numpy as np
import pytest
from case_models import summarised
from case_runs import run, stored, summary_of
from convergence import observed_orders

from cases.app.registry import load
from cases.references.rods.masing import turns
from cases.references.rods.rod_cycle import Rod

CASE = load("rod_cycle")
EA, Q = 1e5 * 0.02 * 0.02, 0.5 * 1000 * 0.02 * 9.81 * 0.02  # of the default parameters: 40 N, 1.962 N/m
results = partial(summarised, CASE)


def error(entry):
    return entry["value"] / entry["exact"] - 1


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_end_moves_by_the_exact_displacement_when_fronts_end_on_nodes(sign, verification):
    loaded, unloaded = sign * 0.6 * Q, -sign * 0.2 * Q
    _, data, computed = results(nx=20, steps=4, forces=(loaded, unloaded))
    assert abs(computed["displacement_1"]["exact"]) == pytest.approx((0.6 * Q) ** 2 / (2 * EA * Q), rel=1e-14)
    backwards = (0.8 * Q) ** 2 / (4 * EA * Q)  # Masing: u = u_rev -+ D^2/(4 EA q)
    first, second = (computed[f"displacement_{leg}"]["exact"] for leg in (1, 2))
    assert second == pytest.approx(first - sign * backwards, rel=1e-13)
    for leg, source in ((1, "P²/(2 EA q)"), (2, "Masing: less ΔP²/(4 EA q)")):
        entry = computed[f"displacement_{leg}"]
        claim = f"Rod under a slow end force, {'push' if sign > 0 else 'pull'}, leg {leg}: displacement of that end"
        known = {"source": source, "tolerance": 1e-12, "unit": "m", "relative": True}
        verification(claim, entry["value"], entry["exact"], **known)
    assert computed["slip_length"]["exact"] == pytest.approx(0.6, rel=1e-14)
    assert computed["slip_length"]["value"] == pytest.approx(0.55, abs=1e-12)  # the node at the front has not moved
    assert computed["stress_error"]["value"] < 1e-9 * 0.6 * Q / 4e-4
    # Friction stops at 1e-10 of the forces, from where the last step of Newton's method has come by at least one more power of ten.
    assert 0.0 < float(data.balance_error.max()) < 1e-11 * float(data.work_external.max())


def test_losses_err_by_half_the_square_of_cell_over_slip_length(verification):
    """Σ over the trapezoidal weights of (ℓ − x)² exceeds its integral by h²ℓ/6 of ℓ³/3."""
    errors = []
    for nx in (20, 40, 80):
        _, _, computed = results(nx=nx, steps=1, forces=(0.6 * Q, -0.2 * Q, 0.6 * Q))
        assert computed["loss_per_cycle"]["exact"] == pytest.approx((0.8 * Q) ** 3 / (12 * EA * Q), rel=1e-13)
        assert computed["loss_1"]["exact"] == pytest.approx((0.6 * Q) ** 3 / (6 * EA * Q), rel=1e-13)
        assert error(computed["loss_1"]) == pytest.approx(0.5 / (0.6 * nx) ** 2, rel=1e-7)
        assert error(computed["loss_per_cycle"]) == pytest.approx(0.5 / (0.4 * nx) ** 2, rel=1e-7)
        errors.append(error(computed["loss_per_cycle"]))
    orders = observed_orders(errors)
    claim = "Rod under a slow end force: order of the loss per cycle in the mesh"
    verification(claim, orders, 2.0, source="trapezoidal weights of friction", tolerance=1e-5)
    known = {"source": "ΔP³/(12 EA q)", "least": 1e-4, "tolerance": 1e-3, "unit": "J", "relative": True}
    loss = computed["loss_per_cycle"]["value"]
    verification("Rod under a slow end force, 80 cells: loss per cycle", loss, (0.8 * Q) ** 3 / (12 * EA * Q), **known)


def test_a_random_history_is_remembered_loop_by_loop():
    """Closed loops are forgotten, open ones kept: forces at random, fronts between nodes, errors of second order."""
    forces = tuple(np.random.default_rng(8).uniform(-0.9, 0.9, 10) * Q)
    worst = []
    for nx in (40, 80, 160):
        _, _, computed = results(nx=nx, steps=2, forces=forces)
        errors = {}
        for what, size in (("displacement", Q / (2 * EA)), ("loss", Q**2 / (6 * EA))):
            legs = [computed[f"{what}_{leg}"] for leg in range(1, 11)]
            errors[what] = max(abs(leg["value"] - leg["exact"]) for leg in legs) / size
        worst.append([*errors.values()])
    depths = {len(turn.memory) for turn in turns(forces, Rod(EA, Q, 1.0))}
    assert {1, 2, 3} <= depths  # loops close between the reversals
    assert np.all(np.array(worst[0]) < 1e-3)
    fall = np.array(worst[0]) / worst[-1]
    assert np.all((fall > 6) & (fall < 50))  # about 16; where the fronts lie between the nodes varies


def test_a_heated_rod_keeps_half_its_end_displacement_after_cooling_and_the_exact_residual_stress():
    strain = 0.4 * Q / EA
    losses = []
    for nx in (20, 40, 80):
        params, data, computed = results(nx=nx, steps=3, thermal_strains=(strain, 0.0))
        hot, cold = computed["displacement_1"], computed["displacement_2"]
        assert hot["exact"] == pytest.approx(EA * strain**2 / (2 * Q), rel=1e-13)
        assert cold["exact"] == pytest.approx(0.5 * hot["exact"], rel=1e-13)
        assert abs(error(hot)) < 1e-11
        assert abs(error(cold)) < 1e-11
        assert computed["slip_length"]["exact"] == pytest.approx(0.4, rel=1e-13)
        assert computed["slip_length"]["value"] == pytest.approx(0.4 - 1 / nx, abs=1e-12)
        x, force = CASE.axial_force(params, data, 6)  # tension, a triangle of height q s/2 at s/2 from either end
        s = np.minimum(x, 1.0 - x)
        np.testing.assert_allclose(force, Q * np.maximum(np.minimum(s, 0.4 - s), 0.0), rtol=0, atol=1e-8 * Q)
        x, force = CASE.axial_force(params, data, 3)
        np.testing.assert_allclose(force, -Q * np.minimum(np.minimum(x, 1 - x), 0.4), rtol=0, atol=1e-8 * Q)
        assert np.abs(data.balance_error.values).max() < 1e-15
        losses.append([error(computed["loss_1"]), error(computed["loss_2"])])
        np.testing.assert_allclose(losses[-1], [0.5 / (0.4 * nx) ** 2, 0.5 / (0.2 * nx) ** 2], rtol=1e-6)
    np.testing.assert_allclose(observed_orders(losses), 2.0, atol=1e-4)


def test_a_cycle_of_heat_loses_at_both_ends_what_the_force_of_its_strain_loses_at_one():
    strain = 0.4 * Q / EA
    _, data, computed = results(nx=40, steps=2, thermal_strains=(strain, 0.0, strain))
    assert computed["loss_per_cycle"]["exact"] == pytest.approx(2 * (0.4 * Q) ** 3 / (12 * EA * Q), rel=1e-13)
    assert error(computed["loss_per_cycle"]) == pytest.approx(0.5 / (0.2 * 40) ** 2, rel=1e-6)
    work, stored = data.work_external.values, data.energy_strain.values
    # Over the closed cycle all of the heating's work is lost: to friction and, in the increments, numerically.
    cycle = slice(2, 7, 4)
    assert np.ptp(stored[cycle]) < 1e-9 * stored.max()
    spent = np.diff(data.dissipation_friction.values[cycle]) + np.diff(data.dissipation_numerical.values[cycle])
    np.testing.assert_allclose(np.diff(work[cycle]), spent, rtol=1e-9)


def test_a_rod_whose_width_expands_too_leaves_rod_theory_the_less_the_thinner_it_is():
    strain, gaps = 0.4 * Q / EA, []
    for width in (0.04, 0.02, 0.01):
        params, _, computed = results(nx=100, steps=20, width=width, thermal_strains=(strain, 0.0), lateral=1.0)
        assert "exact" not in computed["displacement_1"]
        known = CASE.rod(params).turns(params.thermal_strains)
        gaps.append([computed[f"displacement_{k}"]["value"] / known[k - 1].displacement - 1 for k in (1, 2)])
    gaps = np.array(gaps)
    # The corner nodes slip sideways too, which takes friction from the axis; more so on the return, where axial slip is less.
    assert 0.004 < gaps[1, 0] < 0.007
    assert 0.10 < gaps[1, 1] < 0.20
    orders = observed_orders(gaps)
    assert np.all((orders[:, 0] > 1.3) & (orders[:, 0] < 1.8))
    assert np.all((orders[:, 1] > 0.4) & (orders[:, 1] < 0.8))


def test_finite_strain_departs_from_the_small_strain_solution_in_proportion_to_the_strain():
    gaps = []
    for stiffer in (1.0, 4.0):
        _, _, computed = results(nx=20, steps=2, forces=(0.6 * Q, 0.0), E=1e5 * stiffer, material="st-venant-kirchhoff")
        gaps.append(error(computed["displacement_1"]))
    assert 0.02 < gaps[0] < 0.04  # the largest strain is 0.6 Q/EA = 0.03
    np.testing.assert_allclose(observed_orders(gaps) / 2, 1.0, atol=0.06)


def test_a_force_beyond_the_limit_load_fails_by_name_and_keeps_what_held(tmp_path, capsys):
    values = {"nx": 20, "steps": 10, "forces": f"{0.995 * Q},{1.1 * Q}"}
    assert run("rod_cycle", values, tmp_path, "--quiet") == 3
    message = capsys.readouterr().err
    assert "limit load: at t = 1.1" in message
    assert "1.0055 times what friction alone can hold" in message  # 1.005 q L, 0.995 + 0.1 of 0.105
    assert "limit load" in summary_of(tmp_path)["message"]
    data = stored(tmp_path)
    assert float(data.time[-1]) == pytest.approx(1.0, abs=1e-12)
    assert data.slip_path.values[-1].min() == 0.0
    assert (tmp_path / "rod_cycle.png").exists()


def test_pseudo_time_gives_each_leg_its_equal_increments():
    params = CASE.Parameters(forces=(1.0, 0.5, 0.7, 0.1), steps=8)
    assert (params.t_end, params.dt) == (4.0, 0.125)
    assert CASE.Parameters(dt=0.1).steps == 10
    assert CASE.Parameters(thermal_strains=(0.01, 0.0)).forces == ()
    _, data, _ = results(nx=4, steps=3, forces=(0.5, 0.2))
    np.testing.assert_allclose(data.time.values, np.arange(7) / 3, rtol=1e-14)
