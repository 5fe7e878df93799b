"""Public objects: pickled and copied they are the same; arrays that they were given are not linked to the caller's."""

import copy
import dataclasses
import inspect
import pickle
from types import MappingProxyType

import numpy as np
import pytest
import xarray as xr
from python_faces import OBJECTS, PLATE
from scipy.sparse import issparse

import fem
import floating_frame
import friction
from fem.beam import Beam
from floating_frame import Options, Problem, assemble
from floating_frame.errors import StepFailure, Unsolved
from friction import FrictionSolveError, UnilateralError
from friction.nodal.contact import SignoriniError

# What is derived from, or what others make and hand out.
FACES = {"DeformableBody", "Material", "Law", "Radial", "NormalLaw", "SmoothPart", "Obstacle", "Keeper"}
HANDED_OUT = {"Model", "State", "RunState", "Progress", "RunWarning", "Equilibrium", "RouthImpact", "TrescaResult"}
HANDED_OUT |= {"Heated", "UnilateralResult", "Factor", "FactorCache", "SparseLU", "Quadratic"}


def contents(value, seen=()):
    """All that an object is, in a form that can be compared; what is computed from it, and where it is, left out."""
    assert id(value) not in seen
    seen = (*seen, id(value))
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes(), value.flags.writeable
    if issparse(value):
        return type(value).__name__, value.shape, value.toarray().tobytes()
    if isinstance(value, (dict, MappingProxyType)):
        return type(value).__name__, [(key, contents(item, seen)) for key, item in value.items()]
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [contents(item, seen) for item in value]
    if isinstance(value, Beam):  # on a basis of scikit-fem's
        return {
            name: contents(getattr(value, name)) for name in ("X", "cells", "stiffness", "mass_matrix", "nodal_area")
        }
    if getattr(value, "__dict__", None) and not inspect.isroutine(value) and not inspect.isclass(value):
        return type(value).__name__, contents(value.__getstate__(), seen)
    return repr(value)


def test_every_public_class_that_a_user_makes_stands_in_the_table():
    public = [getattr(room, name) for room in (fem, friction, floating_frame) for name in room.__all__]
    classes = {one.__name__ for one in public if inspect.isclass(one) and not issubclass(one, Exception)}
    made = {getattr(make, "__self__", make).__name__ for make, _ in OBJECTS.values()}
    assert len(classes) > 70
    assert classes - made - FACES - HANDED_OUT == set()


@pytest.mark.parametrize("name", OBJECTS)
def test_a_public_object_is_the_same_pickled_and_copied(name):
    make, given = OBJECTS[name]
    computed = make(**given)
    for other in (pickle.loads(pickle.dumps(computed)), copy.deepcopy(computed), copy.copy(computed)):
        assert type(other) is type(computed)
        assert other is not computed
        assert contents(other) == contents(computed)


def linked(given):
    """Arguments with arrays and lists in place of tuples of numbers, and all arrays and dictionaries that a caller has in hand."""
    arguments, held = {}, []
    for name, value in given.items():
        if isinstance(value, (tuple, list)) and value and np.asarray(value).dtype.kind in "if":
            value = np.array(value)
        elif isinstance(value, (tuple, list)):
            value = list(value)
        value = value.copy() if isinstance(value, (np.ndarray, dict)) or issparse(value) else copy.deepcopy(value)
        held.append(value)
        arguments[name] = value
    return arguments, held


def spoiled(value):
    """Change what a caller has in hand; return whether anything was."""
    if isinstance(value, np.ndarray) and value.flags.writeable and value.size:
        value[...] = 3
    elif issparse(value):
        value.data[:] = 3.0
    elif isinstance(value, (list, dict)):
        value.clear()
    elif hasattr(value, "doflocs"):  # a mesh of scikit-fem's
        value.doflocs[:], value.t[:] = 3.0, 0
    else:
        return False
    return True


def test_what_a_caller_does_to_arrays_lists_and_meshes_afterwards_changes_no_object():
    changed, offenders = 0, []
    for name, (make, given) in OBJECTS.items():
        arguments, held = linked(given)
        made = make(**arguments)
        before = contents(made)
        changed += sum([spoiled(value) for value in held])
        if contents(made) != before:
            offenders.append(name)
    assert changed > 60
    assert offenders == []


@pytest.mark.parametrize("wrap", [xr.DataArray, list, np.array])
def test_a_pressure_is_kept_as_it_was_given_whatever_holds_it(wrap):
    values = np.full(len(PLATE.X), 98.1)
    given = wrap(values)
    ground = friction.Foundation(law=friction.Coulomb(), mu=0.5, pressure=given)
    bound = ground.bound(PLATE.X, PLATE.nodal_area, 0.0)
    given[:] = 0.0 if wrap is not list else []
    np.testing.assert_array_equal(ground.bound(PLATE.X, PLATE.nodal_area, 0.0), bound)
    assert bound.min() > 0.0


def test_what_is_computed_from_an_object_is_not_pickled_with_it():
    plate = fem.Plate.build(
        fem.rectangle(0.4, 0.2, 8, 4), thickness=0.01, density=1e3, material=fem.NeoHookean(1e5, 0.3)
    )
    before = pickle.dumps(plate)
    force = plate.internal_force(0.1 * plate.X)
    assert {"force_arguments", "_modes"} & vars(plate).keys()  # which have the addresses of compiled functions
    assert len(pickle.dumps(plate)) == len(before)
    again = pickle.loads(before)
    assert isinstance(again.edges, MappingProxyType)
    with pytest.raises(ValueError, match="read-only"):
        again.X[0] = 1.0
    np.testing.assert_array_equal(again.internal_force(0.1 * again.X), force)


def test_a_function_without_a_name_gives_the_error_of_pickle():
    problem = Problem(
        PLATE, 0.1, loads=(floating_frame.EdgeLoad("right", (1.0, 0.0), floating_frame.Function(lambda t: t)),)
    )
    for one in (problem, assemble(problem, Options(0.01))):
        with pytest.raises((pickle.PicklingError, AttributeError), match=r"[Cc]an't pickle .*lambda"):
            pickle.dumps(one)
        assert copy.deepcopy(one) is not one


def test_a_model_that_was_changed_by_hand_is_not_pickled_as_another_one():
    made = assemble(Problem(PLATE, 0.1), Options(0.01))
    assert pickle.loads(pickle.dumps(made)).steps == made.steps
    with pytest.raises(TypeError, match=r"changed after assemble\(problem, options\)"):
        pickle.dumps(dataclasses.replace(made, radius=1.0))


ONE = np.zeros((1, 2))
SOLVED = {"residual_stick": 1.0, "residual_slip": 0.0, "tolerance": 1e-9, "iterations": 3, "fallback_iterations": 0}
TRESCA = friction.TrescaResult(
    velocity=ONE, multiplier=ONE, state=np.zeros(1, np.int8), factorisations=1, solves=2, method="truncated", **SOLVED
)
BALANCE = fem.Equilibrium(ONE, ONE, 0.5, [[1.0]], converged=False)
FAILURES = (
    StepFailure(0.25, "NotConverged: no", "a smaller dt"),
    Unsolved("no"),
    fem.FactorError("singular", "a pivot is zero"),
    fem.NewtonError("stagnated", "residual 1 N", "smaller steps of the load", BALANCE, cell=3),
    FrictionSolveError("stagnated", TRESCA),
    UnilateralError("no solution", 1.0, 1e-9),
    SignoriniError(1.0, 1e-9),
)


@pytest.mark.parametrize("raised", FAILURES, ids=lambda error: type(error).__name__)
def test_an_error_comes_back_from_another_process_with_its_message_and_what_it_carries(raised):
    """An error that cannot be made again ends a pool of processes instead of the one run."""
    raised.add_note("in pass 3")
    back = pickle.loads(pickle.dumps(raised))
    assert type(back) is type(raised)
    assert str(back) == str(raised)
    assert back.__notes__ == ["in pass 3"]
    assert {k: contents(v) for k, v in vars(back).items()} == {k: contents(v) for k, v in vars(raised).items()}
    assert len(vars(back)) > 1
