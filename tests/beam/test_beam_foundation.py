"""The pushed beam on rough ground: convergence to the self-similar solution, history, reversal, limit load, solver."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
import xarray as xr
from beam_examples import ground, pushed, unit_beam
from case_models import computed
from convergence import observed_orders

from cases import beam_on_rough_foundation
from cases.references.beams.beam_on_rough_foundation import zones
from cases.references.beams.self_similar import solve
from floating_frame import BeamProblem, LateralLoad, Options, StepFailure, Table, assemble, simulate
from friction import FREE, REVERSED, SLIP, STICK, Quadratic
from friction import solve as solve_friction
from friction.line import solve_increment

EXACT = solve()


def end(data, instant=-1):
    return float(data.displacement[instant, 0, 1])


def test_the_end_deflection_converges_to_the_self_similar_constant_with_order_one_in_the_load_steps():
    errors = [end(pushed([1.0], ne=160, steps=steps)) / EXACT.deflection - 1 for steps in (10, 20, 40)]
    assert 0.02 < errors[0] < 0.04
    assert 0.006 < errors[-1] < 0.012
    assert np.all((observed_orders(errors) > 0.6) & (observed_orders(errors) < 1.3)), errors


def test_a_single_load_step_converges_to_another_answer_five_per_cent_farther():
    """The minimum, U = −(energy of bending), converges with order 2; the deflection as its root, with the zones' ends, O(h)."""
    single = solve(single_step=True)
    energies, deflections = [], []
    for ne in (40, 80, 160, 320):
        data = pushed([1.0], ne=ne, steps=1)
        lowest = data.energy_strain[-1] - end(data) + data.dissipation_friction[-1]
        energies.append(abs(float(lowest) + single.energy))
        deflections.append(abs(end(data) / single.deflection - 1))
    assert 1e-4 < energies[0] < 2e-3
    assert energies[-1] < 2e-5
    assert np.all((observed_orders(energies) > 1.4) & (observed_orders(energies) < 2.8)), energies
    assert 2e-3 < deflections[0] < 2e-2
    assert deflections[-1] < 2e-3
    assert single.deflection / EXACT.deflection == pytest.approx(1.0508, abs=1e-4)
    assert end(data) / EXACT.deflection > 1.045


def test_the_end_deflection_grows_with_the_fourth_power_of_the_force_over_EJ_q_cubed():
    data = pushed([1.0], ne=160, steps=20)
    reduced = data.displacement.values[5::5, 0, 1] / data.time.values[5::5] ** 4
    assert np.ptp(reduced) < 0.05 * reduced[-1]  # all forces on one curve, up to the number of steps behind each
    same, other = (end(pushed([P], ne=160, steps=20, friction=q)) / end(data) for P, q in ((0.5, 0.5), (0.9, 1.8)))
    assert same == pytest.approx(0.5, rel=1e-8)  # same P/q: exact similarity
    assert other == pytest.approx(0.9**4 / 1.8**3, rel=5e-3)


def test_friction_alternates_between_its_bounds_in_zones_that_end_where_the_exact_ones_do():
    data = pushed([1.0], ne=320, steps=80)
    x = data.X.values[:, 0] + 2.0
    share = data.friction_force.values[-1, :, 1] / data.friction_weight.values
    rate = data.velocity.values[-1, :, 1]
    assert np.abs(share).max() <= 1 + 1e-9
    middles = EXACT.ends[:4] - 0.5 * EXACT.lengths[:4]
    for number, middle in enumerate(middles):
        node = int(np.argmin(np.abs(x - middle)))
        assert share[node] == pytest.approx(-((-1) ** number), abs=1e-9)
        assert rate[node] * (-1) ** number > 0
    for number, exact in enumerate(EXACT.ends[:3]):
        near = int(np.argmin(np.abs(x - exact)))
        turned = np.flatnonzero(np.diff(np.sign(share[near - 3 : near + 4])))
        assert turned.size, number
    far = x > EXACT.reach + 0.1
    assert far.any()
    assert np.all(data.displacement.values[:, far, 1] == 0.0)  # true stick, exactly
    assert np.all(data.stick.values[:, far] == 1)


def test_a_slip_zone_ends_where_the_rate_between_nodes_is_zero_or_amid_what_sticks():
    """Rates that are linear between nodes, with a zero at 0.13 m; then rest from 0.4 m to 0.6 m between both directions."""
    x = np.linspace(0.0, 1.0, 11)
    rate = np.select([x < 0.35, x > 0.65], [0.13 - x, x], 0.0)
    moving = np.column_stack([np.zeros(11), rate])[None]
    axes = ("time", "node", "axis")
    data = xr.Dataset({"X": (axes[1:], np.column_stack([x - 0.5, 0 * x])), "velocity": (axes, moving)})
    np.testing.assert_allclose(zones(SimpleNamespace(length=1.0), data, 0), [0.13, 0.5], rtol=1e-14)


def test_on_reversal_the_end_sticks_first_and_a_closed_cycle_loses_the_area_of_its_loop():
    data = pushed([1.0, -1.0, 1.0, -1.0, 1.0], ne=80, steps=40)
    w, lost = data.displacement.values[:, 0, 1], data.dissipation_friction.values
    assert np.all(np.diff(lost) >= -1e-12 * lost[-1])
    assert abs(w[41] - w[40]) < 1e-5 * w[40]  # the first step back moves next to nothing
    slid = data.stick.values[40, :] == 0
    stuck = data.stick.values[41] == 1
    assert slid.sum() > 10
    assert np.all(stuck[slid][2:])  # what slid sticks at once, all but the end itself,
    assert np.all(data.velocity.values[41, stuck] == 0.0)  # and exactly
    assert w[80] < -0.5 * w[40]
    force = np.interp(data.time.values, np.arange(6.0), [0, 1, -1, 1, -1, 1])
    for start, stop in ((40, 120), (120, 200)):
        span = slice(start, stop + 1)
        loop = np.sum(force[span][1:] * np.diff(w[span]))  # the increments' own work: force at their end
        stored = data.energy_strain.values[stop] - data.energy_strain.values[start]
        numerical = data.dissipation_numerical.values[stop] - data.dissipation_numerical.values[start]
        assert lost[stop] - lost[start] == pytest.approx(loop - stored - numerical, rel=1e-9)
    assert abs(w[200] - w[120]) < 0.25 * abs(w[120] - w[40])  # the loop settles
    assert np.abs(data.balance_error.values).max() < 1e-10 * data.work_external.values[-1]
    assert data.rigid_residual.values.max() < 1e-8


def test_an_end_force_above_q_L_root_two_minus_one_is_refused_as_a_limit_load():
    """A rigid beam turns about L/root 2 from the pushed end: P = q (L/√2) − q (L − L/√2) = q L (√2 − 1)."""
    limit = (np.sqrt(2) - 1) * 2.0
    assert np.isfinite(end(pushed([0.995 * limit], length=2.0, ne=160, steps=5)))
    with pytest.raises(StepFailure, match="limit load") as caught:
        pushed([1.005 * limit], length=2.0, ne=160, steps=5)
    assert caught.value.time == pytest.approx(0.8)
    assert int(caught.value.trajectory.attrs["complete"]) == 0
    assert caught.value.trajectory.sizes["time"] == 5


def beam_matrix(ne):
    body = unit_beam(3.0, ne)
    scale = sp.diags_array(np.tile([1.0, 1.0 / body.element_length], ne + 1))
    return sp.csr_matrix(scale @ body.stiffness @ scale), scale @ (body.mass_matrix @ scale)


def test_the_interior_point_method_finds_what_the_general_friction_solver_finds():
    """Where inertia makes the matrix positive definite both can solve it, from cold starts and with all kinds of states."""
    rng = np.random.default_rng(1977)
    K, M = beam_matrix(24)
    seen = set()
    for trial in range(12):
        A = sp.csr_matrix(K + 10.0 ** rng.uniform(0, 3) * M)
        n = A.shape[0]
        b = rng.normal(size=n) * 10.0 ** rng.uniform(-1, 1)
        w = np.zeros(n)
        w[0::2] = rng.uniform(0.1, 1.0, n // 2)
        start = np.where(rng.random(n) < 0.5, 0.0, 1e-3 * rng.normal(size=n)) if trial % 2 else np.zeros(n)
        reference = rng.normal(size=n)
        own = solve_increment(A, b, w, start, reference, 1e-12, 0.0)
        idle = sp.kron(A, [[1, 0], [0, 0]]) + sp.kron(sp.diags_array(A.diagonal()), [[0, 0], [0, 1]])
        pair = np.stack([b, 0 * b], axis=1)
        other = solve_friction(Quadratic(idle, pair), w, reference=np.stack([reference, 0 * b], axis=1))
        size = np.abs(other.velocity).max()
        np.testing.assert_allclose(own.velocity, other.velocity, atol=1e-9 * size)
        np.testing.assert_allclose(own.multiplier, other.multiplier, atol=1e-9 * np.abs(b).max())
        np.testing.assert_array_equal(own.state, other.state)
        seen |= set(own.state.tolist())
    assert seen == {FREE, STICK, SLIP, REVERSED}


def test_a_supported_beam_has_no_limit_load():
    body = unit_beam(2.0, 16)
    load = (LateralLoad(50.0, "tip", Table([0.0, 1.0], [0.0, 1.0])),)
    options = Options(0.25, scheme="quasi-static")
    data = simulate(assemble(BeamProblem(body, 1.0, ground(1.0, 1.0), load, support="cantilever"), options))
    assert float(data.displacement[-1, -1, 1]) == pytest.approx(100.0 * 2.0**3 / 3, rel=0.02)
    assert float(data.clamp_reaction[-1, 1]) < -90.0


def test_a_reversal_takes_no_more_rounds_on_a_finer_beam_and_rounding_stays_rounding():
    """The assembled K times a rounded deflection has a resultant that an end n elements away multiplies: with it the ends
    differ by 5e-8, and the rounds of a reversal grow as the nodes."""
    history, ends, most = {"steps": 5, "dt": 0.2, "forces": (0.9, -0.9), "t_end": 2.0}, [], {}
    for ne, digits in ((50, 0), (400, 0), (400, 4), (400, 8)):
        data = computed(beam_on_rough_foundation, ne=ne, E=1e9 * (1.0 + 1e-15 * digits), **history)[1]
        ends += [float(data.displacement[-1, 0, 1])] if ne == 400 else []
        most[ne] = int(data.newton_iterations.max())
    assert float(data.velocity[5, 0, 1]) > 0.0 > float(data.velocity[6, 0, 1])
    assert most[400] <= most[50] + 2 <= 6
    assert 0.0 < np.ptp(ends) < 3e-9 * abs(ends[0])
