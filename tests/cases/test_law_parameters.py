"""Friction laws from parameters: every name gives its law; one problem under every law, of which only those with stick rest."""

import numpy as np
import pytest
from case_models import computed
from case_runs import SMALL
from rows import rows

from cases.app.parts import bodies, laws
from cases.app.registry import load
from cases.app.studies import law_comparison
from cases.app.studies.law_comparison import ALL_LAWS, REGULARISED, SET_VALUED, cheapest_run, compare, numbers
from cases.inclined_plane import Parameters
from friction import LAWS, Limited

SPLINE = {"spline_speeds": (0.0, 0.1, 0.2), "spline_values": (0.4, 0.3, 0.2)}
GIVEN = {name: SPLINE if name.endswith("spline") else {} for name in LAWS}
TWO = {"mu": 0.3, "mu_s": 0.4}


@pytest.mark.parametrize("name", LAWS)
def test_every_law_of_friction_has_its_name_here_and_a_limit_that_cuts_it(name):
    free = laws.build(Parameters(law=name, **GIVEN[name]))
    cut = laws.build(Parameters(law=name, max_force=1.5, **GIVEN[name]))
    assert isinstance(cut, Limited)
    assert type(cut.law) is type(free)
    v, w = np.array([[0.05, 0.0], [0.05, 0.0]]), np.array([3.0, 1.0])
    forces = cut.force(v, w)
    if name == "force-spline":
        return  # 0.35 N on the body: nothing to cut
    np.testing.assert_allclose(forces[:, 0], [1.125, 0.375], rtol=1e-13)
    assert free.force(v, w)[0, 0] > 2.0


@pytest.mark.parametrize("name", [name for name in LAWS if laws.has(name, "dynamic_ratio")])
def test_the_bound_has_the_static_coefficient_and_fast_slip_the_dynamic_one(name):
    params = Parameters(law=name, **TWO)
    foundation = bodies.foundation(params, mass=1.0, area=0.5)
    assert foundation.mu == 0.4
    w = np.array([0.4 * 9.81])
    fast = foundation.law.force(np.array([[0.0, -5.0]]), w)
    np.testing.assert_allclose(fast, [[0.0, -0.3 * 9.81]], rtol=1e-12, atol=1e-15)


def test_a_coefficient_spline_replaces_mu_and_an_elliptic_law_has_mu_along_its_axis():
    params = Parameters(law="coefficient-spline", mu=0.0, **SPLINE)
    foundation = bodies.foundation(params, mass=1.0, area=0.5)
    w = np.array([foundation.mu * 9.81])
    np.testing.assert_allclose(foundation.law.force(np.array([[0.1, 0.0]]), w), [[0.3 * 9.81, 0.0]], rtol=1e-12)
    along = laws.build(Parameters(law="elliptic", mu=0.4, mu_across=0.2, axis_angle=np.pi / 2))
    forces = along.force(np.array([[1.0, 0.0], [0.0, 1.0]]), 0.4 * np.ones(2))
    np.testing.assert_allclose(forces, [[0.2, 0.0], [0.0, 0.4]], rtol=1e-12, atol=1e-15)


@rows(
    ("case", "given", "noted"),
    [
        ("plate_sliding", {"mu_s": 0.5, "v_d": 0.2}, [f"{n}: no effect with law coulomb" for n in ("mu_s", "v_d")]),
        ("plate_sliding", {"mu_s": 0.5, "law": "static-kinetic"}, []),
        ("plate_sliding", {"v_reg": 1e-3}, []),  # its default
        ("wall_impact", {"v_reg": 0.1, "v_s": 0.1}, ["v_s: no effect with laws coulomb and smooth"]),
        ("free_top", {}, []),
    ],
)
def test_parameters_that_the_law_at_hand_does_not_read_are_noted(case, given, noted):
    params = load(case).Parameters(**given)
    assert params.notes() == noted
    assert type(params).model_validate_json(params.model_dump_json(), strict=False).notes() == noted  # a run repeated


def test_every_parameter_of_a_law_is_read_by_one_and_noted_under_another():
    names = {name for law in LAWS for name in laws.parameters_of(law)}
    assert names == set(Parameters.model_fields) & names > {"mu_s", "spline_values", "axis_angle"}
    assert all(laws.parameters_of_others([law]) == names - laws.parameters_of(law) for law in LAWS)


def test_one_set_of_parameters_serves_a_sweep_over_all_laws_each_taking_its_own():
    shared = {"mu": 0.3, "mu_s": 0.6, "v_s": 1e-3, "v_d": 2e-3, **SPLINE}
    bounds = {law: laws.static_coefficient(Parameters(law=law, **shared)) for law in LAWS}
    assert bounds == {
        **dict.fromkeys(("coulomb", "smooth", "elliptic", "force-spline"), 0.3),
        **dict.fromkeys(("sliding", "sliding-stiction", "static-kinetic", "stribeck"), 0.6),
        "coefficient-spline": max(SPLINE["spline_values"]),
    }


def test_thresholds_default_together_and_the_same_coefficient_may_be_given_twice():
    assert laws.build(Parameters(law="sliding", v_s=0.2)).v_d == pytest.approx(0.3)
    assert laws.static_coefficient(Parameters(mu=0.5, mu_s=0.5)) == 0.5


BRISTLES = {"law": "sliding-stiction", "v_s": 0.01, "max_stiction_deformation": 1e-4}


@pytest.mark.parametrize(
    ("case", "given"),
    [
        ("plate_sliding", BRISTLES),
        ("plate_sliding", {"law": "static-kinetic", "mu_s": 0.4}),
        ("plate_clamped", {"law": "stribeck", "mu_s": 0.4, "stribeck_speed": 0.2}),
        ("plate_clamped", BRISTLES),
        ("spinning_disc", {"law": "stribeck", "mu_s": 0.4, "stribeck_speed": 0.5}),
        ("spinning_disc", {"law": "elliptic", "mu_across": 0.1}),
        ("rod_wave", {"law": "sliding", "v_s": 0.01, "scheme": "sdirk2"}),
        ("rod_cycle", {"law": "elliptic", "mu_across": 0.1}),
        ("beam_bending", {"law": "sliding", "v_s": 0.01, "motion": "translation"}),
        ("block_on_table", {"law": "static-kinetic", "mu_s": 0.81, "body": "elastic"}),
    ],
    ids=lambda value: value if isinstance(value, str) else value["law"],
)
@pytest.mark.quick(
    *("plate_sliding-sliding-stiction", "plate_clamped-stribeck", "spinning_disc-elliptic", "beam_bending-sliding"),
    "block_on_table-static-kinetic",
)
def test_cases_run_under_laws_other_than_coulombs_and_close_their_balance(case, given):
    module = load(case)
    params, data = computed(module, **(SMALL[case] | given))
    assert float(data.dissipation_friction[-1]) > 0.0
    size = float(data.energy_kinetic.max()) + float(np.abs(data.work_external).max())
    assert float(np.abs(data.balance_error).max()) < 1e-7 * size
    assert ("bristle_deformation" in data) == (given["law"] == "sliding-stiction")
    module.summary(params, data)


def test_the_comparison_covers_the_laws_that_act_on_a_coefficient():
    assert set(ALL_LAWS) == set(LAWS) - {"force-spline"}  # which has no coefficient to share


def test_on_an_incline_below_the_friction_angle_laws_with_stick_rest_exactly_and_others_creep_or_settle():
    table = numbers(compare(["incline"]))
    creep, error = (dict(zip(table["law"], table[key], strict=True)) for key in ("creep_velocity", "error"))
    assert {(creep[law], error[law]) for law in SET_VALUED} == {(0.0, 0.0)}
    ratio = np.tan(np.radians(15.0)) / 0.5
    assert creep["smooth"] == pytest.approx(1e-3 * ratio / np.sqrt(1 - ratio**2), rel=1e-6)
    assert 2e-4 < creep["sliding"] < 4e-4
    assert abs(creep["coefficient-spline"] / 1e-3 - ratio) < 0.3
    assert creep["sliding-stiction"] < 1e-12 < 1e-6 < error["sliding-stiction"] < 1e-5
    for law in ("smooth", "sliding", "coefficient-spline"):
        assert error[law] == pytest.approx(creep[law] * 1.0, rel=1e-2)  # it creeps for the whole second
    assert set(table) == set(law_comparison.Row.__dataclass_fields__)
    assert all(isinstance(v, (str, bool, int, float)) for values in table.values() for v in values)


@pytest.mark.parametrize("law", ["coulomb", *REGULARISED])
def test_the_creep_of_a_regularised_law_falls_with_its_speed_until_it_is_as_near_as_asked(law):
    tolerance = law_comparison.PROBLEMS["incline"].tolerance
    computed = cheapest_run("incline", law)
    assert computed.reached
    assert computed.error <= tolerance
    assert computed.steps >= 10
    if law in REGULARISED:
        coarser = law_comparison.row("incline", law, 10.0 * computed.speed, computed.dt)
        assert not coarser.reached
        assert 5.0 < coarser.error / computed.error < 20.0
    else:
        assert (computed.error, computed.iterations) == (0.0, 0)


@pytest.mark.slow
def test_a_tolerance_out_of_reach_gives_the_best_run_and_says_so():
    computed = cheapest_run("incline", "smooth", speeds=(1e-2, 1e-3))
    assert not computed.reached
    assert computed.speed == 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["block on table", "plate held"])
def test_in_stick_the_sliding_type_creeps_where_coulombs_law_rests(problem):
    coulomb, sliding = compare([problem], ["coulomb", "sliding"])
    assert coulomb.creep_velocity == 0.0
    assert coulomb.reached
    assert sliding.creep_velocity > 1e-5
    assert sliding.error > 5.0 * coulomb.error
