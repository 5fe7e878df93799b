"""The numbers of the figures beyond the seeds: each claim, at the tests' cost."""

import numpy as np
import pytest
from figure_runs import cut, overlapping, quick_numbers
from scipy.integrate import quad

from cases.references.limit_surfaces import rectangle_wrench
from cases.references.spinning_disc import ratio_path, terminal_ratio
from paper_figures.registry import load
from paper_figures.runs.make import drawn

pytestmark = pytest.mark.slow  # together they are a fifth of the suite: `make test-slow`


def test_discs_thrown_with_any_mixture_follow_the_exact_ratio_towards_one_limit():
    computed = quick_numbers("disc_phase_portrait")
    assert abs(computed["limit"] - 0.6530) < 5e-5
    for label in map(str, range(6)):
        ratio = computed[f"ratio_{label}"]
        start, end = abs(np.log(ratio[0] / computed["limit"])), abs(np.log(ratio[-1] / computed["limit"]))
        assert end < 0.8 * start or start < 0.5  # it has come closer
        assert 1e-7 < computed[f"error_{label}"] < 2e-2  # dt = 8e-3, 12 x 24 cells
        last = abs(np.log(computed[f"exact_{label}"][-1] / computed["limit"]))
        assert last < 0.25 * start


def test_the_exact_ratio_tends_to_the_limit_and_starts_where_it_should():
    sizes = np.array([1.0, 1e-3, 1e-9])
    for ratio in (0.1, 5.0):
        path = ratio_path(ratio, sizes)
        assert abs(path[0] / ratio - 1) < 1e-12
        assert 1e-7 < abs(path[2] / terminal_ratio() - 1) < 1e-3
        # Near the limit deviations fall with a power of the speed left: the same factor for the same factor of speed.
        late = ratio_path(ratio, np.array([1e-7, 1e-8, 1e-9])) / terminal_ratio() - 1
        assert abs(late[2] / late[1] - late[1] / late[0]) < 1e-3


def test_stick_ends_on_the_limit_surface():
    computed = quick_numbers("limit_surfaces")
    for shape in ("disc", "along", "across"):
        assert 1e-12 < computed[f"error_{shape}"] < 3e-4
        assert np.allclose(computed[f"computed_{shape}"][0], [1, 0], atol=1e-4)
        assert np.allclose(computed[f"computed_{shape}"][-1], [0, 1], atol=1e-4)
    # Pulled along, a long rectangle keeps more of its moment than a disc, pulled across less.
    radius = {shape: np.hypot(*computed[f"computed_{shape}"][1]) for shape in ("disc", "along", "across")}
    assert radius["along"] > 1.01 * radius["disc"] > 1.02 * radius["across"]


@pytest.mark.parametrize("centre", [(0.0, 0.3), (0.15, 0.01), (0.03, 0.02), (1e-12, 1e-12)])
def test_a_rectangles_wrench_is_the_mean_of_the_friction_over_its_area(centre):
    length, width = 0.2, 0.1
    (wrench,) = rectangle_wrench(length, width, centre)

    def mean(integrand):
        def row(x):
            breaks = [centre[1]] if abs(centre[1]) < width / 2 else None
            return quad(lambda y: integrand(x, y), -width / 2, width / 2, points=breaks, epsabs=1e-10)[0]

        breaks = [centre[0]] if abs(centre[0]) < length / 2 else None
        return quad(row, -length / 2, length / 2, points=breaks, epsabs=1e-9)[0] / (length * width)

    def distance(x, y):
        return np.hypot(x - centre[0], y - centre[1]) + 1e-300

    expected = [
        mean(lambda x, y: -(y - centre[1]) / distance(x, y)),
        mean(lambda x, y: (x - centre[0]) / distance(x, y)),
        mean(lambda x, y: (x * (x - centre[0]) + y * (y - centre[1])) / distance(x, y)),
    ]
    assert np.abs(wrench).max() > 0.01
    assert np.allclose(wrench, expected, atol=1e-7)


def test_the_rod_stops_all_at_once_and_keeps_twice_the_quasi_static_displacement():
    computed = quick_numbers("rod_wave")
    assert computed["velocity"].max() > 0.9
    assert abs(computed["arrest"] - 1) < 3 / 50
    assert abs(computed["residual_step"][0] - 1) < 1e-12  # exact at c dt = dx
    assert 1e-3 < 1 - computed["residual_implicit"][0] < 3e-2
    assert abs(computed["quasi_static"][0] - 0.5) < 1e-12
    assert np.abs(computed["residual_step"] - computed["exact"]).max() < 1.001 * (0.02 / 0.4) ** 2  # (dx/penetration)²


def test_slip_zones_of_the_beam_shrink_as_the_exact_ones():
    computed = quick_numbers("beam_slip_zones")
    count = len(computed["lengths"])
    assert count >= 3
    assert np.all(np.abs(computed["lengths"] / computed["exact_lengths"][:count] - 1) < 0.08)
    assert 1e-4 < np.abs(computed["deflection"] - computed["exact_deflection"]).max() < 1e-2
    signs = np.sign(computed["friction"][computed["slides"]])
    assert np.count_nonzero(np.diff(signs)) >= count - 1
    assert abs(computed["limit"] - (3 - np.sqrt(5)) / 2) < 1e-15


def test_the_torsion_loop_of_the_annulus_loses_what_the_exact_one_loses():
    computed = quick_numbers("annulus_loop")
    assert computed["exact_loss"] > 2e-3
    assert 1e-5 < abs(computed["loss"] / computed["exact_loss"] - 1) < 2e-2
    assert abs(computed["area"] / computed["exact_loss"] - 1) < 3e-2  # trapezoidal, of a curved loop
    gap = np.abs(computed["angle"] - computed["exact_angle"]).max() / computed["exact_angle"].max()
    assert 1e-5 < gap < 0.02


def test_controlled_errors_are_at_most_the_tolerance_and_in_smooth_motions_not_below_a_hundredth_of_it():
    """Motions that stick and slip may be stricter. Of 1e-1 and 1e-2 the output interval may ask for shorter steps already: an error
    that does not fall is then a small part of the tolerance."""
    computed = quick_numbers("work_precision")
    tolerance = computed["tolerance"]
    for motion in ("rigid", "sliding", "pulled", "clamped", "beam"):
        errors = computed[f"error_{motion}"]
        assert np.all(errors < tolerance), motion
        assert np.all(computed[f"estimate_{motion}"] <= 0.5 * tolerance), motion
        assert np.all(np.diff(computed[f"work_{motion}"]) > 0), motion
        assert errors[-1] < max(0.5 * errors[0], 0.2 * tolerance[-1]), motion
    for motion in ("rigid", "sliding"):
        assert np.all(computed[f"error_{motion}"][1:] > 0.01 * tolerance[1:]), motion


def test_the_iterations_of_a_step_do_not_grow_with_the_unknowns():
    computed = quick_numbers("cost_over_unknowns")
    assert computed["unknowns"][-1] > 5 * computed["unknowns"][0]
    assert np.all(computed["newton"] >= 2)
    assert computed["newton"].max() <= computed["newton"].min() + 3
    assert computed["factorisations"].max() <= 2
    assert np.all(computed["step"] > 0)


def test_whatever_times_were_measured_their_labels_meet_no_other_text():
    numbers = {"unknowns": np.array([200, 1000, 5000]), "factorisation": np.array([1e-3, 3e-3, 1e-2])}
    numbers |= {"factorisations": np.array([1.0, 1.0, 2.0]), "newton": np.array([5.0, 6.0, 5.0])}
    for step in ([1e-2, 3e-2, 1e-1], [0.5, 1e-2, 3e-2], [0.1, 0.2, 0.1]):
        figure = drawn(load("cost_over_unknowns"), numbers | {"step": np.array(step)})
        assert not overlapping(figure), step
        assert not cut(figure), step


def test_a_set_valued_law_takes_one_run_and_a_regularised_one_a_speed_that_its_creep_allows():
    """How far each law creeps: cases/test_law_parameters.py."""
    computed = quick_numbers("one_problem_all_laws")
    creep = dict(zip(computed["laws"], computed["creep"][0], strict=True))
    error = dict(zip(computed["laws"], computed["error"][0], strict=True))
    assert error["coulomb"] == 0.0 < creep["sliding"]
    assert abs(error["sliding"] / creep["sliding"] - 1) < 2e-2  # a second of creep
    effort = dict(
        zip(computed["effort_laws"], zip(computed["reached"][0], computed["speed"][0], strict=True), strict=True)
    )
    assert effort["coulomb"][0] == 1
    assert effort["sliding"] == (1, 1e-5)  # creep of a second within 1e-5 m takes this


def test_the_clamp_loses_what_a_wave_says_and_rings_with_its_cells_and_not_with_the_step():
    computed = quick_numbers("clamp_release")
    cells = [computed[label]["cell"] for label in ("coarse", "medium", "fine")]
    assert cells == pytest.approx([0.125, 0.0625, 0.03125])
    for one in computed.values():
        # Two to four extreme points on a grid of steps: a quarter of the period is the least that this sees.
        assert 1.4 < one["period"] < 2.4
        after = one["speed"][one["t"] > 0]
        before = one["speed"][np.searchsorted(one["t"], -1e-9)]
        assert before - after[: len(after) // 2].mean() == pytest.approx(before - one["level"], rel=0.25)
        assert after.min() < one["level"] < after.max()
    assert computed["medium, half the step"]["period"] == pytest.approx(computed["medium"]["period"], rel=0.25)
