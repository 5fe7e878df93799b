"""Szefer's Fig. 1, 2 and 3: what each picture claims, on its numbers at the tests' cost."""

import numpy as np
import pytest
from convergence import observed_orders
from figure_runs import quick_numbers

from paper_figures.figures import szefer2001_fig1, szefer2001_fig2
from paper_figures.parts.slip_states import BACK, SLIPS, STICKS

pytestmark = pytest.mark.slow  # together they are a fifth of the suite: `make test-slow`


def test_fig1_the_motion_is_x0_plus_Q_of_X_plus_u_to_rounding_without_a_rigid_motion_in_u_about_the_centre_of_mass():
    n = quick_numbers("szefer2001_fig1")
    assert n["size_u"][-1] > 0.2
    assert n["angle"] > 0.5
    assert n["size_x0"][-1] > 1.0
    assert n["closure"].max() < 2e-15  # a few units of rounding of 2 m
    marked = n["marked"]
    chain = n["x0"] + n["Q"] @ n["X"][marked] + n["Q"] @ n["u"][marked]
    assert chain == pytest.approx(n["deformed"][marked], abs=2e-15)
    assert np.linalg.norm(n["rigid"][marked] - n["x0"]) == pytest.approx(np.hypot(0.5, 0.25), rel=1e-14)
    assert np.abs(n["moments"]).max() < 1e-14
    assert n["centre"].max() < 1e-14


def test_fig1_velocities_split_as_in_2_2_with_differences_of_second_order_in_the_step(tmp_path):
    computed = []
    for dt in (4e-3, 2e-3, 1e-3):
        run = szefer2001_fig1.RUNS["thrown"].changed(nx=8, ny=4, dt=dt, t_end=0.16)
        with run.compute(tmp_path / f"{dt}.nc") as data:
            n = szefer2001_fig1.numbers({"thrown": data})
        assert n["speed"] > 4.0
        computed.append(n["velocity_error"] / n["speed"])
    orders = observed_orders(computed)
    assert np.all((orders > 1.7) & (orders < 2.3)), (computed, orders)
    assert 1e-5 < computed[-1] < 1e-3


def test_fig2_every_node_is_on_coulombs_graph_with_stick_and_slip_side_by_side():
    n = quick_numbers("szefer2001_fig2")
    assert 0.2 < n["stick_share"] < 0.8
    sticks = n["states"] == STICKS
    assert np.array_equal(sticks, n["speed"] == 0.0)
    assert n["speed"].max() > 0.05
    assert np.abs(n["intensity"][~sticks] - 1.0).max() < 1e-14
    assert n["intensity"][sticks].max() <= 1.0 + 1e-12
    assert n["intensity"][sticks].max() > 0.5
    assert n["errors"]["intensity"] < 1e-14
    assert n["errors"]["direction"] < 1e-14


def test_fig2_the_pressure_is_the_stamps_and_friction_and_pull_are_what_the_momentum_takes():
    n = quick_numbers("szefer2001_fig2")
    x, y = n["start"].T
    exact = szefer2001_fig2.WEIGHT * (1 + 6 * np.exp(-((x - 0.1) ** 2 + (y - 0.03) ** 2) / 0.02))
    assert n["pressure"] == pytest.approx(exact, rel=1e-12)
    whole = szefer2001_fig2.MU * szefer2001_fig2.WEIGHT * (0.5 + 6 * np.pi * 0.02)  # the stamp lies well inside
    assert n["weight_total"] == pytest.approx(whole, rel=0.02)
    rate = (n["momentum"][-1] - n["momentum"][-2]) / (n["times"][-1] - n["times"][-2])
    force = n["load_total"] + n["friction_total"]
    assert np.linalg.norm(n["load_total"]) > 15.0
    assert force == pytest.approx(rate, abs=0.03 * np.linalg.norm(n["load_total"]))
    assert n["balance_error"] < 1e-10


def coulomb_holds(n):
    assert n["coulomb"]["intensity"] < 1e-14
    assert n["coulomb"]["direction"] < 1e-14
    assert 0.5 < n["coulomb"]["bound"] < 1.0 + 1e-9


def goes_from_stick_through_slip_and_back_to_rest(n):
    sticks, slips, back = n["shares"].T
    assert n["shares"].sum(axis=1) == pytest.approx(1.0)
    assert sticks[1] > 0.5
    assert slips.max() > 0.9
    assert back.max() > 0.1
    assert sticks[-1] == 1.0
    assert sorted(n["instants"]) == list(n["instants"])
    seen = [set(at["states"]) for at in n["snapshots"]]
    assert {STICKS, SLIPS} <= seen[0]
    assert BACK in seen[4]
    assert seen[5] == {STICKS}


def spends_the_work_on_friction_and_strain(n):
    names = ("dissipation_friction", "energy_kinetic", "energy_strain")
    friction, kinetic, strain = (n["energies"][name][-1] for name in names)
    work = n["work"][-1]
    assert n["balance_error"] < 1e-9 * max(1.0, work)
    assert kinetic < 1e-15 * work  # the slopes of a beam ring on between places that stick
    assert friction + strain + n["numerical"][-1] == pytest.approx(work, abs=1e-8)
    assert 0.8 * work < friction < work
    assert n["rigid_residual"] < 1e-7


def test_fig3a_the_plate_slips_slides_turns_slips_back_and_rests_and_sliding_and_turning_end_together():
    n = quick_numbers("szefer2001_fig3a")
    coulomb_holds(n)
    goes_from_stick_through_slip_and_back_to_rest(n)
    spends_the_work_on_friction_and_strain(n)
    assert 0.8 < n["angle"] < 1.3
    assert 0.4 < n["distance"] < 0.9
    assert n["speed"].max() > 0.5
    assert n["rim_speed"].max() > 0.5
    assert n["sliding_ends"] == pytest.approx(n["turning_ends"], abs=3 * 4e-3)
    assert n["stop_time"] - n["sliding_ends"] == pytest.approx(4e-3, abs=2 * 4e-3)
    assert 1.0 < n["stop_time"] < 1.3


def test_fig3b_the_clamped_plate_is_bent_slides_and_rests_and_its_momentum_along_the_guide_is_the_impulse():
    n = quick_numbers("szefer2001_fig3b")
    coulomb_holds(n)
    goes_from_stick_through_slip_and_back_to_rest(n)
    spends_the_work_on_friction_and_strain(n)
    assert n["turned"] == 0.0
    assert n["raised"] == 0.0
    assert n["bent"] > 0.1
    assert 0.2 < n["distance"] < 0.4
    assert 0.8 < n["stop_time"] < 1.1
    impulse = n["load_impulse"] + n["friction_impulse"]
    largest = n["momentum"].max()
    assert largest > 5.0
    assert n["friction_impulse"].min() < -20.0
    assert np.abs(n["momentum"] - impulse).max() == pytest.approx(n["momentum_error"] * largest, rel=1e-9)
    assert 1e-4 < n["momentum_error"] < 0.03  # the trapezoidal rule between stored instants
    # P_x counts: without it the balance is off by more.
    assert np.abs(n["rigid_momentum"] - impulse).max() > 0.2 * largest


def test_fig3c_the_beam_bends_turns_slips_back_and_rests_and_its_momenta_are_the_impulses_of_hit_and_friction():
    n = quick_numbers("szefer2001_fig3c")
    coulomb_holds(n)
    sticks, _, back = n["shares"].T
    assert sticks[-1] == 1.0
    assert back.max() > 0.2
    spends_the_work_on_friction_and_strain(n)
    assert 0.05 < n["bent"] < 0.2
    assert 1.2 < n["angle"] < 1.8
    assert 0.5 < n["stop_time"] < 0.7
    largest = np.abs(n["momenta"]).max(axis=0)
    assert np.all(largest > [0.05, 0.3, 0.15])
    assert np.abs(n["momenta"] - n["impulses"]).max() < 0.03 * largest[1]
    assert np.abs(n["momenta"][-1]).max() < 1e-10 * largest[1]


def test_fig3c_the_band_follows_the_axis():
    at = quick_numbers("szefer2001_fig3c")["snapshots"][2]
    lower, upper, axis = np.split(at["position"], 3)
    assert 0.5 * (lower + upper) == pytest.approx(axis, abs=1e-15)
    assert np.linalg.norm(upper - lower, axis=1) == pytest.approx(0.035, rel=1e-12)
    tangent = np.diff(axis, axis=0)
    across = 0.5 * ((upper - lower)[1:] + (upper - lower)[:-1])
    assert np.abs(np.einsum("ni,ni->n", tangent, across)).max() < 0.02 * 0.035 * np.linalg.norm(tangent, axis=1).max()
