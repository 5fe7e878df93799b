"""Convergence of rods, annuli, beams and strips under slow loads, of swinging beams and of the clamped plate, in small."""

import numpy as np
import pytest
from case_models import computed
from case_studies import study, within
from convergence import observed_orders

from cases.app.parts.strip import first_order_gap
from cases.app.registry import load
from cases.references.beams.self_similar import solve

GROUND = load("beam_on_rough_foundation")
Q = 0.5 * 1000 * 0.02 * 9.81 * 0.02  # N/m, of the default rod and beam


def test_the_rods_work_has_order_two_in_its_mesh_and_nothing_of_it_depends_on_the_steps():
    over_mesh = study("rod_cycle", "mesh", 3, nx=25, steps=2, forces=(1.1772, -1.1772, 1.1772))
    assert over_mesh.measures["end_displacement"].rounding
    within(over_mesh.measures["friction_work"], 1.95, 2.05, last=(2.3e-6, 2.5e-6))
    over_steps = study("rod_cycle", "dt", 3, nx=20, steps=2, forces=(1.1772, -1.1772, 1.1772))
    assert [level.params.steps for level in over_steps.levels] == [2, 4, 8]
    work = over_steps.measures["friction_work"]
    assert work.unchanged
    assert np.all(np.isnan(work.orders))
    assert 5e-5 < work.errors[-1] < 7e-5  # that of 20 cells: (25/20)^2 of 3.85e-5


def test_the_annulus_has_order_two_in_its_mesh_and_nothing_of_it_depends_on_the_steps():
    over_mesh = study("annulus_torsion", "mesh", 3, nr=6, nt=12, steps=2)
    within(over_mesh.measures["rim_angle"], 1.9, 2.1, last=(2e-6, 4e-6))
    within(over_mesh.measures["friction_work"], 1.4, 2.1, last=(3.5e-6, 7e-6))
    over_steps = study("annulus_torsion", "dt", 2, nr=6, nt=12, steps=2)
    assert over_steps.measures["rim_angle"].unchanged
    assert 4e-5 < over_steps.measures["rim_angle"].errors[-1] < 6e-5


def test_a_table_says_where_the_answer_does_not_depend_on_the_steps(command):
    status, out, _ = command("converge rod_cycle --over dt --nx 10 --levels 2")
    said = "unchanged: the answer does not depend on the step; what is left is the error of the mesh, or a tolerance"
    assert (status, said in out, "-0.00" in out) == (0, True, False)


@pytest.mark.slow
def test_the_swinging_beam_has_order_two_in_its_elements_and_in_its_step():
    over_mesh = study("beam_bending", "mesh", 3, ne=4, dt=5e-4)
    assert [level.cells for level in over_mesh.levels] == ["4", "8", "16"]
    # The static deflection under 20 N/m is 5 p L^4/(384 EJ) = 2e-2 m.
    within(over_mesh.measures["deflection_end"], 1.8, 2.3, last=(2.5e-5, 4.5e-5))
    within(over_mesh.measures["deflection_all_times"], 1.7, 2.3, last=(2.5e-5, 6e-5))
    over_dt = study("beam_bending", "dt", 2, ne=80, dt=2e-3)
    within(over_dt.measures["deflection_all_times"], 1.6, 2.3, last=(2.5e-5, 6e-5))


@pytest.mark.slow
def test_backward_euler_has_order_one_on_the_swinging_beam():
    found = study("beam_bending", "dt", 3, ne=40, dt=1e-3, scheme="backward-euler")
    assert len(found.measures["deflection_all_times"].orders) >= 2
    within(found.measures["deflection_all_times"], 0.75, 1.1, last=(2.5e-4, 5e-4))


def test_slow_pushing_is_approached_in_proportion_to_the_increment():
    found = study("beam_on_rough_foundation", "dt", 4, t_end=1.0, steps=4, ne=500)
    # From the single step's 5 % the orders rise towards one.
    orders = found.measures["end_deflection"].orders[1:]
    assert 0.4 < orders[0] < orders[1] < orders[2] < 1.1
    within(found.measures["end_deflection"], 0.4, 1.1, last=(4e-5, 4.6e-5))
    within(found.measures["friction_work"], 0.4, 1.1, last=(2.7e-5, 3.3e-5))
    assert found.measures["end_deflection"].kind == "exact"


@pytest.mark.slow
def test_the_pushed_beams_error_falls_with_order_one_to_two_in_its_elements_on_the_average_over_forces():
    """The ends of the zones lie anywhere within their cells, so single meshes scatter: root mean squares over eight forces."""
    exact, errors = solve(single_step=True).deflection, []
    for ne in (40, 80, 160, 320):
        gaps = []
        for force in np.linspace(0.8, 0.95, 8):
            params, data = computed(GROUND, length=1.7, ne=ne, steps=1, forces=(float(force),))
            gaps.append(float(data.displacement[-1, 0, 1]) / GROUND.scales(params, force)[1] / exact - 1)
        errors.append(np.sqrt(np.mean(np.square(gaps))))
    orders = observed_orders(errors)
    assert np.all((orders > 0.5) & (orders < 2.5)), (orders, errors)
    assert 1e-4 < errors[-1] < 2e-3, errors


@pytest.mark.slow
def test_the_clamped_plate_converges_in_its_mesh_between_first_and_second_order():
    """The clamp's corners and the changing friction keep it below two."""
    found = study("plate_clamped", "mesh", 4, t_end=0.8, dt=8e-3, nx=4, ny=2)
    assert found.measures["position_end"].kind == "finest level"
    assert 0 < found.measures["position_end"].own_error < found.measures["position_end"].errors[2]
    within(found.measures["position_end"], 0.9, 2.2, last=(3e-4, 3e-3))


def strip_gap(slenderness, nu):
    """Deflection of the strip's end over that of the beam's, less 1, with one single step; and the headline numbers."""
    width = 0.02
    values = {"body": "strip", "length": 3.6 * slenderness * width, "ne": 120, "ny": 2, "nu": nu, "steps": 1}
    params, data = computed(GROUND, **values, forces=(slenderness * width * Q,))
    found = GROUND.summary(params, data)
    return found["strip_over_beam"]["value"] - 1, found


@pytest.mark.parametrize("nu", [-0.8, 0.45])
@pytest.mark.quick("0.45")
def test_a_slender_strip_tends_to_the_beam_as_shear_and_friction_over_its_width_say(nu):
    """The gap is within 0.07/s^2 of first-order theory: curvature by lateral stress, warping, and the strip's mesh remain."""
    gaps = []
    for s in (2, 4):
        gap, found = strip_gap(s, nu)
        shear, friction = first_order_gap(s, nu)
        assert found["slenderness"]["value"] == pytest.approx(s, rel=1e-12)
        assert found["strip_over_beam"]["reference"]["value"] == pytest.approx(1 + shear + friction, rel=1e-12)
        assert abs(gap - shear - friction) < 0.07 / s**2
        assert gap * (shear + friction) > 0
        gaps.append(gap)
    assert 0.01 < abs(gaps[0]) < 0.06
    assert 1.4 < np.log2(gaps[0] / gaps[1]) < 2.4


def test_a_stubby_strip_departs_from_the_beam_by_a_sixth_and_a_softer_one_in_shear_the_other_way():
    stiff, found = strip_gap(1, -0.8)
    assert -0.20 < stiff < -0.13  # first order: shear + 0.053, friction - 0.241
    assert found["reduced_deflection"]["value"] < 0.9 * found["reduced_deflection"]["exact"]
    soft, _ = strip_gap(1, 0.45)
    assert 0.02 < soft < 0.15  # first order: + 0.385 - 0.241
