"""The block on the table: a rigid one against its closed form under every scheme, an elastic one against the rigid one."""

from functools import cache

import numpy as np
import pytest
from block_exact import FINAL, FORCE, SLIDES, exact, plate, run_block
from case_models import computed

from cases import block_on_table, potra_block
from cases.app.studies.scheme_comparison import COMPARED, STEPS, compare, fitted_order, table
from floating_frame import Cosine, EdgeLoad

SCHEME_NAMES = ("sdirk2", "backward-euler", "moreau-theta")
COARSE = 1e-2
LITM = "linearly-implicit-trapezoidal"
BOUNDS = {"sdirk2": (1.7, 2.3), "moreau-theta": (1.8, 2.2), LITM: (1.8, 2.2), "backward-euler": (0.95, 1.1)}
coarse = cache(lambda scheme: run_block(COARSE, scheme))


@cache
def edge_loaded(young):
    return run_block(COARSE, body=plate(young, 4), loads=(EdgeLoad("right", (FORCE, 0.0), Cosine()),))


def test_the_closed_form_ends_at_the_published_place(verification):
    how = {"source": "Potra et al. (2006), benchmark", "tolerance": 5e-12, "unit": "m"}
    verification("Block on a table, closed form: place after ten seconds", FINAL, -0.00869716688, **how)
    for _, stop in SLIDES:  # where a slide ends the load is too small to start again
        assert abs(FORCE * np.cos(stop)) < 0.99 * 7.848


@pytest.mark.slow
def test_the_block_ends_within_1e_7_m_of_the_closed_form_at_a_millisecond_step(verification):
    claim = "Block on a table, SDIRK2 with steps of 1 ms: place after ten seconds"
    how = {"source": "closed form", "tolerance": 1e-7, "unit": "m"}
    end = float(run_block(1e-3, output_every=10**9).frame_position[-1, 0])
    verification(claim, end, FINAL, least=1e-10, **how)  # measured 1.6e-8, not exact by accident


@pytest.mark.parametrize("scheme", SCHEME_NAMES)
def test_the_block_starts_and_stops_within_a_step_of_the_exact_times_and_nowhere_else(scheme, verification):
    run = coarse(scheme)
    time, v = run.time.values, run.frame_velocity.values[:, 0]
    change = np.flatnonzero((v[1:] != 0.0) != (v[:-1] != 0.0))
    events = np.ravel(SLIDES)
    assert len(change) == len(events)  # no spurious start, stop or reversal
    near = COARSE * (1.0 + 1e-9)  # right to one step
    assert np.all((time[change] - near < events) & (events < time[change + 1] + near))
    stops = change[1::2]
    # velocity falls linearly to zero: extrapolated within the step it gives the stop to second order
    computed = time[stops] + COARSE * v[stops] / (v[stops - 1] - v[stops])
    how = {"source": "closed form", "least": 1e-12, "unit": "s"}
    claim, off = f"Block on a table, {scheme} with steps of 10 ms: the four times at which it stops", 10.0 * COARSE**2
    verification(claim, computed, events[1::2], tolerance=COARSE if scheme == "backward-euler" else off, **how)
    assert int(run.halvings.sum()) == 0


def test_where_nothing_rubs_no_step_is_taken_in_two():
    _, run = computed(block_on_table, t_end=8.0, dt=0.02, mu=0.0)
    v = run.frame_velocity.values[:, 0]
    assert np.sum(v[1:] * v[:-1] < 0.0) >= 2
    assert int(run.steps.sum()) == 400


@pytest.mark.parametrize(
    ("case", "body", "close"),
    [(block_on_table, {"body": "elastic", "nx": 3, "ny": 2}, 1e-11), (potra_block, {}, 0.02**2)],
)
def test_an_elastic_block_and_one_on_feet_in_space_turn_round_as_the_rigid_one_in_the_plane(case, body, close):
    """The first reversal, of a push of 11 N against 4 N, is at 2.3 s; in space a step is cut there elsewhere, an error of dt²."""
    push = {"t_end": 2.8, "dt": 0.02, "amplitude": 11.0, "mu": 0.4 / 0.981, "mass": 1.0}
    one, other = computed(case, **push, **body)[1], computed(block_on_table, **push)[1]
    v = other.frame_velocity.values[:, 0]
    assert np.sum(v[1:] * v[:-1] < 0.0) == 1
    assert v.min() < -1.0
    np.testing.assert_allclose(one.frame_velocity.values[:, 0], v, rtol=0, atol=close)
    distance = one.frame_position.values[:, 0] - one.frame_position.values[0, 0]
    np.testing.assert_allclose(distance, other.frame_position.values[:, 0], rtol=0, atol=close)
    assert np.abs(one.balance_error.values).max() < 1e-10


@pytest.mark.parametrize("scheme", [*SCHEME_NAMES, LITM])
def test_in_stick_every_velocity_is_exactly_zero_and_the_position_does_not_change_by_a_bit(scheme):
    run = coarse(scheme)
    time, middle = run.time.values, COARSE * 2
    stuck = np.ones(len(time), dtype=bool)
    for start, stop in SLIDES:
        stuck &= (time < start - middle) | (time > stop + middle)
    assert stuck.sum() > 700
    assert np.all(run.stick.values[stuck] == 1)
    assert not np.any(run.velocity.values[stuck])
    assert not np.any(run.frame_spin.values[stuck])
    both = stuck[1:] & stuck[:-1]
    x, angle = run.position.values, run.frame_angle.values
    np.testing.assert_array_equal(x[1:][both], x[:-1][both])
    np.testing.assert_array_equal(angle[1:][both], angle[:-1][both])
    assert np.ptp(x[:, 0, 0]) > 0.005  # and yet it slid


def test_friction_never_exceeds_its_bound_and_balances_the_load_in_stick():
    run = coarse("sdirk2")
    size = np.linalg.norm(run.friction_force.values, axis=-1)
    assert np.all(size <= run.friction_weight.values * (1.0 + 1e-9))
    stuck = run.stick.values.all(axis=1)
    total = run.friction_force.values.sum(axis=1)[:, 0]
    stuck[1:] &= stuck[:-1]  # in the step of an arrest friction still decelerates
    stuck[0] = False  # about to slide
    assert stuck.sum() > 700
    np.testing.assert_allclose(total[stuck], -FORCE * np.cos(run.time.values[stuck]), rtol=1e-12, atol=1e-12)
    sliding = ~run.stick.values.any(axis=1)
    assert np.all(np.abs(np.abs(total[sliding]) - 7.848) < 1e-9)


@pytest.mark.slow
def test_an_elastic_block_pushed_at_its_edge_slips_there_while_it_sticks_elsewhere():
    run = edge_loaded(1e7)
    stick = run.stick.values.astype(bool)
    mixed = stick.any(axis=1) & ~stick.all(axis=1)
    assert mixed.sum() > 300  # micro-slip in a third of all instants
    x = run.X.values[:, 0]
    first = np.flatnonzero(mixed & (run.time.values > 1.0))[0]  # after the first slide came to rest
    assert x[~stick[first]].min() > x[stick[first]].max() - 1e-12  # it is the pushed edge that yields first
    path = run.slip_path.values[-1]
    assert path[x > 0.149].min() > path[x < -0.149].max()  # which therefore slips farther


@pytest.mark.slow
def test_pushed_at_its_edge_the_block_ends_elsewhere_by_an_amount_that_falls_with_its_stiffness():
    runs = (edge_loaded(1e6), edge_loaded(1e7))
    soft, stiff = (np.abs(run.frame_position.values[:, 0] - exact(run.time.values)[0]).max() for run in runs)
    assert 5e-5 < stiff < 5e-4  # the rigid block moves by 5e-3 to 1e-2 m; the time error is 3e-6 m
    assert 5.0 < soft / stiff < 30.0


@cache
def table_rows():
    return compare(steps=STEPS[:6])


def of(scheme):
    return [row for row in table_rows() if row.scheme == scheme]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", COMPARED)
def test_the_block_converges_at_the_order_of_each_scheme(scheme):
    """Pairs scatter with where events fall; slopes through five halvings do not, and a bound holds for each error."""
    low, high = BOUNDS[scheme]
    assert low < fitted_order(table_rows(), scheme) < high
    assert low - 0.1 < fitted_order(table_rows(), scheme, at_end=True) < high + 0.1
    second = scheme != "backward-euler"
    for row in of(scheme):
        assert row.max_error < (0.4 * row.dt**2 if second else 0.08 * row.dt)
        assert row.error <= row.max_error
    orders = [row.order for row in of(scheme)[1:]]
    if not second:
        assert np.allclose(orders, 1.0, atol=0.06)
    assert np.isnan(of(scheme)[0].order)


@pytest.mark.slow
def test_sdirk2_is_the_most_accurate_and_solves_friction_twice_a_step_the_others_once():
    last = {scheme: of(scheme)[-1] for scheme in COMPARED}
    assert last["sdirk2"].max_error < 0.7 * last["moreau-theta"].max_error
    assert last["moreau-theta"].max_error < 0.05 * last["backward-euler"].max_error
    for scheme, row in last.items():
        assert row.steps == round(10.0 / row.dt) == 3200
        assert row.solves == (2 if scheme == "sdirk2" else 1) * row.steps
        assert row.seconds > 0.0


@pytest.mark.slow
def test_potras_method_equals_moreaus_on_the_block_whose_load_does_not_depend_on_its_place():
    for ours, moreaus in zip(of(LITM), of("moreau-theta"), strict=True):
        assert ours.max_error == pytest.approx(moreaus.max_error, rel=1e-6)


def test_the_table_has_a_line_for_every_run_and_a_slope_for_every_scheme():
    few = compare(("backward-euler", LITM), (0.1, 0.05))
    text = table(few).splitlines()
    assert len(text) == 1 + 4 + 2
    assert text[3].startswith("backward-euler")
    assert "slope" in text[3]
    assert f"{few[-1].max_error:.2e}" in text[5]
