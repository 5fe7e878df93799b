"""The parameters of the cases: bounds, types, cross-checks, and the texts of a command line."""

import math

import pytest
from pydantic import ValidationError
from rows import rows

from cases.app.parts.parameters import (
    ElasticParameters,
    Numbers,
    base_type,
    bounds,
    describe,
    explain,
    from_text,
    quantity,
)
from cases.app.registry import CASES, load
from cases.app.run.errors import BadInput
from cases.app.run.runner import read_parameters
from cases.app.studies.sweep.grid import grid_of

MODELS = [pytest.param(load(name).Parameters, id=name) for name in CASES]

# What interface.md names for all cases and for deformable ones.
COMMON = {"t_end", "dt", "scheme", "law", "mu", "gravity", "output_every", "pressure"}
COMMON |= {
    "mu_s",
    "v_s",
    "v_d",
    "max_force",
    "max_stiction_deformation",
    "v_reg",
    "stribeck_speed",
    "stribeck_exponent",
}
COMMON |= {"mu_across", "axis_angle", "spline_speeds", "spline_values"}
ELASTIC = {"E", "nu", "material", "elements", "frame", "plane"}
CELLS = {"beam_bending": {"ne"}, "beam_on_rough_foundation": {"ne"}, "annulus_torsion": {"nr", "nt"}}
BEAM = {"E", "nu", "length", "width", "thickness", "density"}
OWN = {
    "block_on_table": {"amplitude", "mass", "body", "loaded"},
    "inclined_plane": {"angle", "body", "length", "width", "thickness", "density"},
    "plate_sliding": {
        *("length", "width", "thickness", "density", "pull_x", "pull_y", "ramp", "release"),
        *("vx0", "vy0", "spin0", "mesh", "edge"),
    },
    "plate_clamped": {
        *("length", "width", "thickness", "density", "push_x", "pull_x", "pull_y", "ramp", "release"),
    },
    "spinning_disc": {
        *("shape", "radius", "length", "width", "thickness", "density"),
        *("vx0", "vy0", "spin0", "body", "nr", "nt"),
    },
    "belt_oscillator": {"mass", "belt_speed", "stiffness", "damping", "stretch0", "vx0", "body"},
    "free_flight": {"length", "width", "thickness", "density", "spin0", "stretch"},
    "rod_wave": {"length", "width", "thickness", "density", "force", "duration"},
    "rod_cycle": {"length", "width", "thickness", "density", "forces", "thermal_strains", "steps"},
    "annulus_torsion": {"inner_radius", "outer_radius", "faces", "torques", "thickness", "density", "steps"},
    "wall_impact": {
        *(
            "length",
            "width",
            "thickness",
            "density",
            "vx0",
            "vy0",
            "spin0",
            "body",
            "obstacle",
            "wall_angle",
            "distance",
        ),
        *("contact", "stiffness", "damping", "m1", "m2", "m3", "mu_wall", "restitution"),
        *("stiffness_spline", "damping_spline", "buffer_radius_factor", "max_step_size_factor"),
    },
    "beam_bending": {*BEAM, "load", "profile", "history", "duration", "motion", "support", "frame"},
    "beam_on_rough_foundation": {*BEAM, "forces", "steps", *("body", "nu", "material", "elements", "frame", "ny")},
}


FREE = {"t_end", "dt", "scheme", "output_every"}
ON_GROUND = FREE | {"mu", "gravity"}
SOLID = {"length", "width", "height", "E", "nu", "density", "material", "elements", "nx", "ny", "nz", "frame"}
IN_SPACE = {
    "free_top": FREE | {"J1", "J2", "J3", "spin1", "spin2", "spin3"},
    "sphere_on_plane": ON_GROUND | {"radius", "mass", "vx0", "vy0", "spin_x", "spin_y", "spin_z"},
    "block_in_space": ON_GROUND
    | {"length", "width", "height", "mass", "vx0", "vy0", "spin0", "feet", "nx", "ny", "body"},
    "potra_block": ON_GROUND | {"mass", "amplitude", "body"},
    "solid_pulled": ON_GROUND | SOLID | {"pull_x", "pull_y", "ramp", "release"},
    "plate_in_space": ON_GROUND | SOLID | {"pull_x", "pull_y", "ramp", "release", "vx0", "vy0", "spin0"},
    "curling_disc": ON_GROUND | {"mass", "radius", "half_height", "vx0", "spin0", "model"},
}


@rows("name", IN_SPACE)
def test_a_case_in_space_has_every_parameter_that_the_interface_names(name):
    assert IN_SPACE[name] <= set(load(name).Parameters.model_fields)


@rows("name", OWN)
def test_a_case_has_every_parameter_that_the_interface_names(name):
    cells = CELLS.get(name, {"nx", "ny"})
    elastic = set() if name.startswith("beam_") else ELASTIC  # a beam has one element and one linear material
    assert COMMON | elastic | cells | OWN[name] <= set(load(name).Parameters.model_fields)


@rows("model", MODELS)
def test_every_parameter_says_its_meaning_and_a_number_its_unit(model):
    for key, field in model.model_fields.items():
        assert field.description, key
        text = describe(field)
        assert "default" in text
        if base_type(field) in (float, int):
            assert f"[{field.json_schema_extra['unit']}]" in text, key


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
            with pytest.raises(ValidationError) as caught:
                model(**{key: bad})
            assert explain(model, caught.value).startswith(f"{key}: expected a "), key


@rows("model", MODELS)
def test_a_bounded_number_is_refused_just_outside_its_bounds(model):
    for key, field in model.model_fields.items():
        limits = [part.split() for part in bounds(field).split(", ") if part[:1] in "<>" and part]
        for sign, limit in limits:
            outside = float(limit) if sign in ("<", ">") else float(limit) - (1 if sign == ">=" else -1)
            value = int(outside) if base_type(field) is int else outside
            with pytest.raises(ValidationError) as caught:
                model(**{key: value})
            line = explain(model, caught.value)
            assert line.startswith(f"{key}: expected ")
            assert f"{sign} {limit}" in line
            assert line.endswith(f"got {value!r}")


@rows("model", MODELS)
def test_a_choice_names_what_it_takes(model):
    for key, field in model.model_fields.items():
        if not bounds(field).startswith("one of "):
            continue
        with pytest.raises(ValidationError) as caught:
            model(**{key: "nonsense"})
        line = explain(model, caught.value)
        assert bounds(field) in line
        assert "nonsense" in line


@rows("model", MODELS)
def test_a_zero_step_needs_the_explicit_scheme_and_that_needs_linear_elements(model):
    schemes = model.model_fields["scheme"].json_schema_extra["choices"]
    for scheme in set(schemes) - {"explicit"}:
        with pytest.raises(ValidationError) as caught:
            model(dt=0.0, scheme=scheme)
        assert explain(model, caught.value).startswith("dt: expected ")
    if "explicit" not in schemes:
        with pytest.raises(ValidationError, match="scheme"):
            model(scheme="explicit")
        return
    elastic = {"body": "elastic"} if "body" in model.model_fields else {}
    assert model(dt=0.0, scheme="explicit", elements="P1", **elastic).dt == 0
    assert model(dt=0.0, scheme="explicit", elements="Q1", **elastic).dt == 0
    for element in ("P2", "Q2"):
        with pytest.raises(ValidationError, match="P1 or Q1"):
            model(scheme="explicit", elements=element, **elastic)


@rows("model", MODELS)
def test_parameters_cannot_be_changed_nor_added_and_types_are_not_guessed(model):
    params = model()
    with pytest.raises(ValidationError):
        params.dt = 0.5
    cells = next(key for key in ("nx", "nr", "ne", "output_every") if key in model.model_fields)
    for bad in ({"mue": 0.5}, {cells: 4.0}, {cells: True}, {"dt": "0.5"}, {"scheme": 3}):
        with pytest.raises(ValidationError):
            model(**bad)
    assert model(t_end=1).t_end == 1.0  # an integer is a number


@rows("model", MODELS)
def test_parameters_survive_json(model):
    params = model(release=math.inf) if "release" in model.model_fields else model()
    assert model.model_validate_json(params.model_dump_json(), strict=False) == params


class WithList(ElasticParameters):
    t_end: float = 1.0
    dt: float = 0.1
    mu: float = 0.1
    E: float = 1.0
    nu: float = 0.3
    forces: Numbers = quantity("N", "history of forces", default=(1.0, -1.0))
    flag: bool = quantity("", "a switch", default=False)


def test_texts_become_numbers_lists_and_switches_and_what_does_not_convert_is_refused_as_it_came():
    fields = WithList.model_fields
    assert from_text(fields["forces"], "-0.06,0,3e-2") == (-0.06, 0.0, 0.03)
    assert from_text(fields["flag"], "true") is True
    assert from_text(fields["output_every"], "3") == 3
    assert WithList(forces=[1.0, 2]).forces == (1.0, 2.0)  # a TOML array
    wrong = {
        "forces": ("1,,2", "a", "1_0,2"),
        "mu": ("x", "1_0"),
        "dt": ("1_0",),
        "output_every": ("1.5", "1_0"),
        "flag": ("maybe",),
    }
    for key, text in ((key, text) for key, texts in wrong.items() for text in texts):
        value = from_text(fields[key], text)
        assert value == text
        with pytest.raises(ValidationError) as caught:
            WithList(**{key: value})
        line = explain(WithList, caught.value)
        assert line.startswith(f"{key}: expected ")
        assert repr(text) in line
    assert "1,-1" in describe(fields["forces"])


@pytest.mark.parametrize("name", ["block_on_table", "wall_impact"])
def test_a_former_name_is_taken_from_everywhere_and_the_present_one_is_kept_and_named(name, tmp_path):
    model = load(name).Parameters
    (tmp_path / "old.toml").write_text('scheme = "runge-kutta"\nlaw = "smooth"\n')
    found = [
        model(scheme="runge-kutta", law="smooth"),
        model(scheme="radau", law="smooth"),
        read_parameters(model, {"scheme": "runge-kutta", "law": "smooth"}, None),
        read_parameters(model, {}, str(tmp_path / "old.toml")),
        model.model_validate_json('{"scheme": "runge-kutta", "law": "smooth"}', strict=False),
        *grid_of(model, ["scheme=runge-kutta"], {"law": "smooth"}).points,
    ]
    assert [params.scheme for params in found] == ["radau"] * 6
    assert "radau" in describe(model.model_fields["scheme"])
    assert "runge-kutta" not in describe(model.model_fields["scheme"])
    assert grid_of(model, ["scheme=runge-kutta"], {"law": "smooth"}).axes[0].labels == ["radau"]
    with pytest.raises(BadInput, match="radau 2 times"):
        grid_of(model, ["scheme=runge-kutta,radau"], {"law": "smooth"})
