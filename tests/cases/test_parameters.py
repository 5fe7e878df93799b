"""The parameters of the cases: bounds, types, cross-checks, and the texts of a command line."""

import math

import pytest
from case_runs import PLANE, Lists
from pydantic import ValidationError
from rows import rows

from cases.app.parts.parameters import base_type, bounds, describe, explain, from_text
from cases.app.registry import CASES, load
from cases.app.run.errors import BadInput
from cases.app.run.runner import read_parameters
from cases.app.studies.sweep.grid import grid_of

MODELS = [pytest.param(load(name).Parameters, id=name) for name in CASES]

# Names that cases share; those of single cases are given by their own tests.
COMMON = "t_end dt scheme law mu gravity output_every pressure mu_s v_s v_d max_force max_stiction_deformation v_reg"
COMMON += " stribeck_speed stribeck_exponent mu_across axis_angle spline_speeds spline_values"
NAMED = dict.fromkeys(PLANE, f"{COMMON} thickness density") | {
    **dict.fromkeys(("block_on_table", "belt_oscillator"), f"{COMMON} E nu material elements frame plane nx ny mass"),
    "free_top": "t_end dt scheme output_every J1 J2 J3 spin1 spin2 spin3",
    "plate_in_space": "t_end dt scheme output_every mu gravity length width height E nu density material elements",
}


@rows("name", NAMED)
def test_a_case_has_the_parameters_that_all_of_its_kind_have(name):
    assert set(NAMED[name].split()) <= set(load(name).Parameters.model_fields)


def refusal(model, /, **given):
    """The line that says what is wrong with parameters."""
    with pytest.raises(ValidationError) as caught:
        model(**given)
    return explain(model, caught.value)


ENDLESS = {
    **dict.fromkeys(("plate_sliding", "plate_clamped", "solid_pulled", "plate_in_space"), "release"),
    **dict.fromkeys(("rod_wave", "beam_bending"), "duration"),
}


@rows("name", CASES)
def test_no_number_may_be_nan_and_only_the_duration_of_a_load_infinite(name):
    model = load(name).Parameters
    assert ENDLESS.get(name, "t_end") in model.model_fields
    for key, field in model.model_fields.items():
        if base_type(field) is not float:
            continue
        for bad in (math.nan, math.inf, -math.inf):
            if key == ENDLESS.get(name) and bad == math.inf:
                assert getattr(model(**{key: bad}), key) == math.inf
                continue
            assert refusal(model, **{key: bad}).startswith(f"{key}: expected a "), key


@rows("model", MODELS)
def test_a_bounded_number_is_refused_just_outside_its_bounds(model):
    for key, field in model.model_fields.items():
        limits = [part.split() for part in bounds(field).split(", ") if part[:1] in "<>" and part]
        for sign, limit in limits:
            outside = float(limit) if sign in ("<", ">") else float(limit) - (1 if sign == ">=" else -1)
            value = int(outside) if base_type(field) is int else outside
            line = refusal(model, **{key: value})
            assert line.startswith(f"{key}: expected ")
            assert f"{sign} {limit}" in line
            assert line.endswith(f"got {value!r}")


@rows("model", MODELS)
def test_a_choice_names_what_it_takes(model):
    for key, field in model.model_fields.items():
        if not bounds(field).startswith("one of "):
            continue
        line = refusal(model, **{key: "nonsense"})
        assert bounds(field) in line
        assert "nonsense" in line


@rows("model", MODELS)
def test_a_zero_step_needs_the_explicit_scheme_and_that_needs_linear_elements(model):
    schemes = model.model_fields["scheme"].json_schema_extra["choices"]
    for scheme in set(schemes) - {"explicit"}:
        assert refusal(model, dt=0.0, scheme=scheme).startswith("dt: expected ")
    if "explicit" not in schemes:
        assert "scheme" in refusal(model, scheme="explicit")
        return
    elastic = {"body": "elastic"} if "body" in model.model_fields else {}
    for linear, quadratic in (("P1", "P2"), ("Q1", "Q2")):
        assert model(dt=0.0, scheme="explicit", elements=linear, **elastic).dt == 0
        assert "P1 or Q1" in refusal(model, scheme="explicit", elements=quadratic, **elastic)


@rows("model", MODELS)
def test_parameters_cannot_be_changed_nor_added_and_types_are_not_guessed(model):
    params = model()
    with pytest.raises(ValidationError):
        params.dt = 0.5
    cells = next(key for key in ("nx", "nr", "ne", "output_every") if key in model.model_fields)
    for bad in ({"mue": 0.5}, {cells: 4.0}, {cells: True}, {"dt": "0.5"}, {"scheme": 3}):
        assert refusal(model, **bad)
    assert model(t_end=1).t_end == 1.0  # an integer is a number


@rows("model", MODELS)
def test_parameters_survive_json(model):
    params = model(release=math.inf) if "release" in model.model_fields else model()
    assert model.model_validate_json(params.model_dump_json(), strict=False) == params


def test_texts_become_numbers_lists_and_switches_and_what_does_not_convert_is_refused_as_it_came():
    fields = Lists.model_fields
    assert from_text(fields["forces"], "-0.06,0,3e-2") == (-0.06, 0.0, 0.03)
    assert from_text(fields["flag"], "true") is True
    assert from_text(fields["output_every"], "3") == 3
    assert Lists(forces=[1.0, 2]).forces == (1.0, 2.0)  # a TOML array
    wrong = "forces 1,,2|forces a|forces 1_0,2|mu x|mu 1_0|dt 1_0|output_every 1.5|output_every 1_0|flag maybe"
    for key, text in (pair.split() for pair in wrong.split("|")):
        value = from_text(fields[key], text)
        assert value == text
        line = refusal(Lists, **{key: value})
        assert line.startswith(f"{key}: expected ")
        assert repr(text) in line
    assert "1,-1" in describe(fields["forces"])


@pytest.mark.parametrize("name", ["block_on_table", "wall_impact"])
def test_a_former_name_is_taken_from_everywhere_and_the_present_one_is_kept_and_named(name, tmp_path):
    model = load(name).Parameters
    (tmp_path / "old.toml").write_text('scheme = "runge-kutta"\nlaw = "smooth"\n')
    computed = [
        model(scheme="runge-kutta", law="smooth"),
        model(scheme="radau", law="smooth"),
        read_parameters(model, {"scheme": "runge-kutta", "law": "smooth"}, None),
        read_parameters(model, {}, str(tmp_path / "old.toml")),
        model.model_validate_json('{"scheme": "runge-kutta", "law": "smooth"}', strict=False),
        *grid_of(model, ["scheme=runge-kutta"], {"law": "smooth"}).points,
    ]
    assert [params.scheme for params in computed] == ["radau"] * 6
    assert "radau" in describe(model.model_fields["scheme"])
    assert "runge-kutta" not in describe(model.model_fields["scheme"])
    assert grid_of(model, ["scheme=runge-kutta"], {"law": "smooth"}).axes[0].labels == ["radau"]
    with pytest.raises(BadInput, match="radau 2 times"):
        grid_of(model, ["scheme=runge-kutta,radau"], {"law": "smooth"})
