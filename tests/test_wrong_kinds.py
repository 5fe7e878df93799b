"""Arguments of the wrong kind: every public constructor refuses them, in one line that says what was expected and what came."""

import inspect
import re
import traceback
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from python_faces import FUNCTIONS, OBJECTS, PLATE, RIGID, SOLID

from floating_frame import InitialState, Options, Problem, assemble, modes, simulate
from friction import Coulomb

ROOT = Path(__file__).resolve().parents[1]
PAIR, SEVEN, THING, EMPTY = np.ones(2), (1.0,) * 7, object(), {}
MUCH = "much"
ROWS = np.array([object(), object()])  # whose repr has two lines
SPAN, PACKED = np.timedelta64(1, "s"), bytearray(b"1")
HALF, HIDDEN = np.array(0.5), np.ma.masked_array([0.1, 0.2, 0.3], [True, False, False])
ANYTHING = (True, MUCH, b"1", float("nan"), EMPTY, Coulomb, 1j, PAIR, THING, ROWS, SPAN, PACKED, HIDDEN)
TUPLES = ((float("nan"),) * 3, SEVEN, ("a", "b", "c"), (True, False, True))
WRONG = {
    float: (*ANYTHING, None, 10**400),
    int: (*ANYTHING, None, 1.5, float("inf")),
    bool: (*(one for one in ANYTHING if one is not True), None, 2),
    str: (*(one for one in ANYTHING if one is not MUCH), None, 1.0),
    tuple: (
        *(one for one in ANYTHING if not (one is PAIR or isinstance(one, (float, complex)))),
        *TUPLES,
        1.0,
        None,
        HALF,
    ),
    object: (*ANYTHING, 1.0),
}
"""Wrong values of an argument, by the type of its sane value."""
BREAKS = ("foundation", "constant", "cosine", "function", "body force field")
OPTIONAL = {
    "normal spline": ("stiffness_spline", "damping_spline"),
    "spring": ("to", "rest_length"),
    "couple": ("edge",),
    "initial": ("displacement", "rate"),
    "error control": ("error_tolerance",),
    "space start": ("position",),
    "solid start": ("displacement",),
    "solid body": ("viscosity",),
    "equilibrium": ("load",),
    **dict.fromkeys(("space problem", "solid problem", "guided solid"), ("gravity",)),
}
"""Where None is right, too."""
ALLOWED = {
    ("foundation", "mu"): (PAIR,),  # of how many nodes only the body says
    ("foundation", "pressure"): (PAIR,),
    ("reacting", "pressure"): (PAIR,),
    ("spring", "at"): (PAIR,),
    ("moving spring", "at"): (MUCH,),
    ("node contact", "nodes"): (SEVEN,),
    ("clamp", "rates"): (EMPTY,),
    ("rigid body", "edges"): (EMPTY,),
    ("unilateral", "mu"): (1.0, HALF),
    **{(name, "breaks"): (SEVEN,) for name in BREAKS},
    **{(name, key): (None,) for name, keys in OPTIONAL.items() for key in keys},
}
"""Arguments that are right though of another kind than the sane one."""
SAYS_WHY = "|".join(
    (
        r"got .",
        r"uses 'much'; the names are",  # an expression
        r"needs the face that touches the ground: (contact|face)='bottom'",
        r"cannot read mesh file",
    )
)


def without_arguments():
    """A function that nothing calls so."""


def wrong(value):
    """Wrong values in the place of a sane one."""
    kinds = bool, int, float, str
    if inspect.isfunction(value):
        return (*WRONG[object], without_arguments)
    if isinstance(value, (tuple, list, np.ndarray)):
        return WRONG[tuple]
    return WRONG[next((kind for kind in kinds if isinstance(value, kind)), object)]


def fault(make, arguments):
    """The fault of the answer to wrong arguments; None where they are refused as they should be."""
    try:
        make(**arguments)
    except (ValueError, TypeError) as error:
        frame, text = traceback.extract_tb(error.__traceback__)[-1], str(error)
        ours = ROOT in Path(frame.filename).parents and frame.line.startswith("raise")
        return None if ours and "\n" not in text and re.search(SAYS_WHY, text) else f"{type(error).__name__}: {text}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "is accepted"


@pytest.mark.parametrize("name", OBJECTS | FUNCTIONS)
def test_arguments_of_the_wrong_kind_are_refused_in_one_line_that_says_what_came(name):
    make, sane = (OBJECTS | FUNCTIONS)[name]
    make(**sane) if name != "read" else None
    offenders, tried = [], 0
    for key, value in sane.items():
        for one in wrong(value):
            if any(one is right for right in ALLOWED.get((name, key), ())):
                continue
            tried += 1
            found = fault(make, sane | {key: one})
            offenders += [] if found is None else [f"{key}={one!r}: {found}"]
    assert tried >= 8 * len(sane)
    assert offenders == []


@pytest.mark.parametrize("value", [1.5, True, "2", 2.0, np.float64(3.0)])
def test_every_how_many_steps_are_stored_is_an_integer(value):
    with pytest.raises(ValueError, match="Options: output_every must be an integer, got "):
        Options(0.1, output_every=value)
    assert Options(0.1, output_every=np.int64(3)).output_every == 3


def test_what_belongs_to_a_body_in_space_is_refused_of_one_in_the_plane_and_the_other_way_round():
    assert (Problem(SOLID, 0.1).dimension, Problem(PLATE, 0.1).dimension) == (3, 2)
    for body in (PLATE, RIGID):
        for more in ({"gravity": 9.81}, {"face": "bottom"}, {"guides": ("front",)}):
            with pytest.raises(ValueError, match="gravity, face and guides are of bodies in space"):
                Problem(body, 0.1, **more)
        with pytest.raises(ValueError, match=r"the initial velocity must be two finite numbers, got \(1.0, 0.0, 0.0\)"):
            Problem(body, 0.1, initial=InitialState((1.0, 0.0, 0.0)))
        with pytest.raises(ValueError, match="begins at the origin, not turned"):
            Problem(body, 0.1, initial=InitialState(position=(1.0, 0.0, 0.0)))
    with pytest.raises(ValueError, match=r"the initial velocity must be three finite numbers, got \(1.0, 0.0\)"):
        Problem(SOLID, 0.1, initial=InitialState((1.0, 0.0)))
    with pytest.raises(ValueError, match=r"Problem: body must be a plate, .* got None"):
        Problem(None, 0.1)


def test_calls_with_a_problem_where_a_model_belongs_and_options_of_another_kind_say_what_to_write():
    problem = Problem(PLATE, 0.1)
    with pytest.raises(TypeError, match=r"simulate\(assemble\(problem, Options\(dt=...\)\)\), got Problem and Options"):
        simulate(problem, Options(0.01))
    with pytest.raises(TypeError, match=r"takes options after the problem, Options\(dt=...\), got {'dt': 0.01}"):
        assemble(problem, {"dt": 0.01})
    for other in (PLATE, Options(0.01), None, Problem):
        with pytest.raises(TypeError, match=r"takes a problem first, Problem\(body, t_end\), got "):
            assemble(other, Options(0.01))
    with pytest.raises(ValueError, match=r"takes its model, assemble\(problem, options\), got Problem"):
        modes(problem)


@pytest.mark.parametrize("point", ["a", ("a", "b"), None, {}, True, (True, False), 1j, b"12"])
def test_a_point_of_a_run_that_is_none_is_refused(point):
    run = simulate(assemble(Problem(RIGID, 0.02), Options(0.01)))
    assert isinstance(run, xr.Dataset)
    with pytest.raises(ValueError, match=r"^at: .*got ") as refused:
        run.fff.at(point)
    assert "\n" not in str(refused.value)
