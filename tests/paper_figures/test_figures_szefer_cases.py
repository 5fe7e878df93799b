"""Szefer's cases A, B and C: what the pictures claim, on their numbers at the tests' cost."""

import numpy as np
import pytest
from figure_runs import quick_numbers

from paper_figures.figures import szefer2001_caseB, szefer2001_caseC

pytestmark = pytest.mark.slow  # together they are a fifth of the suite: `make test-slow`

WEIGHT = 0.3 * 1100.0 * 0.02 * 9.81 * 0.5  # mu p_n times the area, N


@pytest.mark.parametrize("kind", ["flight", "straight"])
def test_caseA_a_constant_force_that_nothing_reacts_to_shifts_the_frame_and_leaves_the_deformation(kind):
    pair = quick_numbers("szefer2001_caseA")[kind]
    assert pair["largest"] > 0.03
    assert pair["expected_shift"] > 0.05
    assert pair["shift_error"] < 1e-13
    assert pair["worst"] < 1e-12
    if kind == "flight":
        assert pair["turned"] > 0.5
        assert pair["friction"] == 0.0
    else:
        assert pair["friction"] == pytest.approx(WEIGHT, rel=1e-12)  # all of it slides one way


def test_caseA_where_the_contact_force_reacts_the_deformation_changes():
    n = quick_numbers("szefer2001_caseA")
    assert 0.02 < n["turning"]["worst"] < 0.3
    assert 0.005 < n["turning"]["shift_error"] < 0.1
    assert 0.5 < n["held"]["worst"] < 4.0
    assert n["held"]["shift"] == 0.0


def test_caseB_friction_does_not_deform_a_plate_that_slides_straight():
    pair = quick_numbers("szefer2001_caseB")["straight"]
    assert pair["friction"] == pytest.approx(WEIGHT, rel=1e-12)
    assert pair["largest"] > 0.02
    assert pair["lateral"] < 1e-10
    assert pair["sticking"] == 0.0
    assert pair["worst"] < 1e-11


def test_caseB_the_influence_of_friction_comes_with_the_lateral_velocity_and_with_stick_slip():
    n = quick_numbers("szefer2001_caseB")
    rod, lateral, clamped, shaken = (n[kind] for kind in ("rod", "lateral", "clamped", "shaken"))
    assert rod["lateral"] < lateral["lateral"] < clamped["lateral"]
    assert 1e-4 < rod["worst"] < 5e-3
    assert 0.01 < lateral["worst"] < 0.05
    assert 0.06 < clamped["worst"] < 0.2
    assert 0.2 < shaken["worst"] < 0.6
    assert lateral["worst"] > 5 * rod["worst"]  # small "if the plate has the dimensions of a rod"
    assert shaken["sticking"] > 0.1
    assert shaken["backward"] > 0.1
    assert shaken["lateral"] < 1e-8  # not the lateral velocity: the slip that sticks and turns
    assert clamped["sticking"] == lateral["sticking"] == 0.0


def test_caseB_half_the_friction_has_half_the_influence_on_the_clamped_plate(tmp_path):
    worst = []
    smooth = szefer2001_caseB.RUNS["clamped_smooth"].changed(nx=10, ny=4, dt=4e-3)
    with smooth.compute(tmp_path / "smooth.nc") as without:
        u = without.displacement.values
        for mu in (0.04, 0.02):
            with smooth.changed(mu=mu).compute(tmp_path / f"{mu}.nc") as data:
                worst.append(np.linalg.norm(data.displacement.values - u, axis=2).max())
    assert worst[0] > 1e-4
    assert worst[0] / worst[1] == pytest.approx(2.0, rel=0.1)


def test_caseC_the_free_beam_moves_as_3_17_corrected_says_and_not_as_printed():
    part = quick_numbers("szefer2001_caseC")["free"]
    assert np.abs(part["w"]).max() > 0.02
    assert part["angle"][-1] > 1.5
    assert part["slowest"] > 0.02  # no point comes to rest: friction is V/|V| everywhere
    assert 1e-3 < part["error"] < 0.05
    assert part["printed_error"] > 0.4
    assert part["angle_error"] < 0.01
    assert part["position_error"] < 1e-3


def test_caseC_what_is_left_between_beam_and_equation_is_of_second_order_in_the_deflection(tmp_path):
    """Relative to w, the equations being of first order in it; spinning slowly, so that the stretch by the spin is small."""
    errors, sizes = [], []
    for force in (6.0, 3.0, 1.5):
        given = {"ne": 16, "dt": 1e-3, "t_end": 0.06, "vx0": 3.0, "spin0": 2.0, "mu": 0.0}
        run = szefer2001_caseC.RUNS["free"].changed(load=force, **given)
        with run.compute(tmp_path / f"{force}.nc") as data:
            part = szefer2001_caseC.free_part(data)
        errors.append(part["error"])
        sizes.append(np.abs(part["w"]).max())
    assert sizes[0] > 0.08
    assert np.array(sizes[:-1]) / sizes[1:] == pytest.approx([1.8, 1.93], rel=0.05)
    assert 1e-3 < errors[-1] < 0.01
    ratios = np.array(errors[:-1]) / errors[1:]
    assert np.all((ratios > 3.0) & (ratios < 4.6)), errors


def test_caseC_the_translating_beam_bends_as_without_friction_and_is_braked():
    part = quick_numbers("szefer2001_caseC")["translating"]
    assert part["slowest"] > 0.0  # all of it moves one way
    assert np.abs(part["w"]).max() > 5e-3
    assert part["error"] < 0.03
    assert part["y0_error"] < 1e-9
    assert part["y0"][-1] / part["y0_without"][-1] == pytest.approx(1.0 - 1.962 / (12 + 5 * 2 / np.pi), rel=1e-6)


def test_caseC_the_held_beam_swings_and_rests_as_3_19_says():
    part = quick_numbers("szefer2001_caseC")["held"]
    assert part["w"].max() > 0.015
    assert 1e-4 < part["error"] < 0.02
    assert part["rest_time"] == pytest.approx(part["rest_time_exact"], abs=3e-3)
    rest = part["w"][-1, part["w"].shape[1] // 2]
    assert rest == pytest.approx(part["turning_deflections"][-1], rel=0.01)
    assert abs(rest - part["static"]) < part["friction_static"]
    assert len(part["turns"]) == 4
