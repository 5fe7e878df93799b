"""A number stands beside a computed one only where it is that problem's: parameters that change the problem take it away."""

import numpy as np
import pytest
from case_models import summarised
from rows import rows
from scipy.integrate import solve_ivp

from cases import block_in_space
from cases.app.drawing import plotting
from cases.app.registry import load
from cases.app.run.results import attributes
from cases.references.space.free_top import spin

SPLINE = {"law": "coefficient-spline", "spline_speeds": (0.0, 1.0), "spline_values": (0.3, 0.2)}


def run(name, **given):
    """Parameters, trajectory as it is stored, and headline numbers of a case."""
    params, data, headlines = summarised(load(name), **given)
    return params, data.assign_attrs(attributes(name, params)), headlines


def test_a_disc_whose_pressure_reacts_is_not_set_beside_one_of_uniform_pressure():
    small = {"nr": 4, "nt": 10, "dt": 0.02, "vx0": 0.5, "spin0": 6.0}
    flat, high = (run("spinning_disc", **small, **more)[2] for more in ({}, {"reacting_height": 0.04}))
    assert abs(high["stop_time"]["value"] / flat["stop_time"]["value"] - 1) > 2e-3  # it stops at another time
    assert "reference" in flat["stop_time"]
    assert not any("reference" in entry for entry in high.values())


def test_friction_by_a_spline_of_coefficients_counts_though_mu_is_zero():
    small = {"nx": 2, "ny": 2, "t_end": 0.03, "dt": 1e-3}
    free, rough = (run("wall_impact", **small, **more) for more in ({}, SPLINE))
    assert float(rough[1].dissipation_friction[-1]) > 1e-3 * float(rough[1].energy_kinetic[0])
    assert "exact" in free[2]["restitution"]
    assert not any("exact" in entry for entry in rough[2].values())
    small = {"nx": 2, "ny": 2, "t_end": 0.01}
    free, rough = (run("free_flight", **small, **more) for more in ({}, SPLINE))
    assert float(rough[1].dissipation_friction[-1]) > 0.0
    assert "exact" in free[2]["energy_end"]
    assert "exact" not in rough[2]["energy_end"]


@rows("vx0, spin0", [(-0.3, 5.0), (0.3, -5.0)])
def test_the_side_force_of_a_disc_has_the_side_of_its_spin_wherever_it_runs(vx0, spin0):
    _, _, found = run("curling_disc", vx0=vx0, spin0=spin0, nr=6, nt=16, model="plane", dt=8e-3, t_end=0.24)
    computed, tends = found["side_end"]["value"], found["side_end"]["reference"]["value"]
    assert computed * spin0 < 0.0  # to the right of a spin counter-clockwise
    assert computed == pytest.approx(tends, rel=0.1)  # of 96 points


@rows("amplitude, mu", [(8.0, 0.245), (-30.0, 0.1), (8.0, 0.8)])
def test_a_block_that_reverses_without_stick_begins_another_phase_of_slip(amplitude, mu):
    _, data, computed = run("block_on_table", amplitude=amplitude, mu=mu, nx=1, ny=1, dt=0.01)
    assert np.any(np.diff(np.sign(data.frame_velocity.values[1:, 0])))
    assert computed["slip_phases"]["value"] == computed["slip_phases"]["exact"] >= 2


@rows("moments, axis", [((1.0, 2.0, 3.0), 1), ((3.0, 2.0, 1.0), 1), ((1.3, 0.7, 1.1), 2), ((1.0, 2.0, 2.0), 0)])
def test_a_spin_about_one_principal_axis_stays(moments, axis):
    start = np.eye(3)[axis] * -0.7
    np.testing.assert_allclose(spin(moments, start, [0.0, 1.0, 50.0]), np.tile(start, (3, 1)), atol=1e-15)


@rows(
    "moments, start, end",
    [  # hardly off the middle axis, where scipy's ellipj is wrong past a quarter period; on the separatrix; elsewhere
        ((1.0, 2.0, 3.0), (1e-5, 1.0, 0.0), 40.0),
        ((1.3, 2.1, 3.7), (-0.77, 0.4, 0.77 * np.sqrt(1.3 * 0.8 / (3.7 * 1.6))), 12.0),
        ((2.0, 1.2, 0.7), (-1.0, -0.3, 0.4), 12.0),
        ((1.0, 3.0, 2.5), (0.2, 0.0, -1.0), 12.0),
        ((2.0, 2.0, 1.0), (0.5, -0.2, 3.0), 12.0),
    ],
)
def test_the_exact_spin_of_a_top_satisfies_eulers_equations(moments, start, end):
    J, t = np.array(moments), np.linspace(0.0, end, 40)

    def rate(_, w):
        return -np.cross(w, J * w) / J

    direct = solve_ivp(rate, (0.0, t[-1]), start, method="DOP853", t_eval=t, rtol=1e-13, atol=1e-16).y.T
    assert np.abs(direct[-1] - start).max() > 1e-2  # it has turned
    # near the middle axis the integration's errors grow as exp(0.6 t)
    np.testing.assert_allclose(spin(J, start, t), direct, atol=1e-5)


def texts(data):
    """All legend entries and notes of a trajectory's picture."""
    axes = plotting.draw(data).axes
    legends = [text for one in axes if one.get_legend() for text in one.get_legend().get_texts()]
    return [text.get_text() for text in [*legends, *(text for one in axes for text in one.texts)]]


def test_pictures_name_only_what_happened():
    _, away, _ = run("wall_impact", vx0=-1.0, nx=2, ny=2, dt=2e-3, t_end=0.01)
    assert not any("at impact" in text for text in texts(away))
    _, disc, _ = run("spinning_disc", nr=4, nt=10, dt=0.02, t_end=0.1, reacting_height=0.04)
    assert not any("0.6530" in text or "exact" in text for text in texts(disc))


@rows(
    "given, known, share, pitch",
    [
        ({"vx0": 1.0}, True, True, False),
        ({"vx0": 1.0, "gravity": 0.0}, True, False, False),  # it flies on
        ({"vx0": 0.0, "mu": 3.0, "height": 1.0}, True, False, False),  # it stands, however high
        ({"vx0": 1.0, "mu": 0.9, "height": 1.0}, False, False, True),
        ({"vx0": 1.0, "mu": 3.0, "height": 0.5}, False, False, False),  # beyond Painlevé's number
    ],
)
def test_exact_values_of_a_thrown_block_stand_where_they_hold(given, known, share, pitch):
    params = block_in_space.Parameters(**given)
    assert (block_in_space.exact(params, np.zeros(1)) is not None) is known
    assert (block_in_space.leading_share(params) is not None) is share
    assert (block_in_space.pitch_acceleration(params) is not None) is pitch
