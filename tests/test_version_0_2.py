"""What version 0.2 offered is still there: public imports with their arguments, options, parameters with their choices, modules.

`version_0_2.json` was written by that version (commit 347f096): of `Model` and `State`, which a user is given and does not make,
the names alone. That its variables are in the trajectories is shown in cases/test_runs.py, and that laws answer to their old names
in friction/test_old_names.py. The figures of papers changed their names without an alias.
"""

import importlib
import inspect
import json
import re
import runpy
import sys
import warnings
from pathlib import Path

import pytest

from cases.command.cli import main
from cases.parts.parameters import bounds, present_name
from cases.registry import load
from cases.studies import scheme_comparison

OLD = json.loads((Path(__file__).parent / "version_0_2.json").read_text(encoding="utf-8"))
MOVED = {"floating_frame.kinematics": "floating_frame.frame.kinematics", "cases.cli": "cases.command.cli"}
MADE_ELSEWHERE = {"HeatedPlate", "Plate"}  # by Plate.build and with_thermal_strain: their order of fields is their own


def arguments(thing):
    """Names by which arguments are taken, and whether others are, too."""
    signature = inspect.signature(inspect.unwrap(thing)).parameters
    names = list(signature)
    more = any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.values())
    return names, more


def test_every_public_import_of_version_0_2_works_with_the_arguments_that_it_took():
    assert len(OLD["imports"]) > 90
    offenders = []
    for full, taken in OLD["imports"].items():
        module, name = full.split(".")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            thing = getattr(importlib.import_module(module), name)
        if name not in importlib.import_module(module).__all__:
            assert f"{full} is now" in str(told[0].message)
        if not taken:
            continue
        names, more = arguments(thing)
        renamed = {"weights", "held"} if name == "solve" else ()  # friction/test_old_names.py shows that they are taken
        offenders += [f"{full}({old}=)" for old in taken if old not in names and old not in renamed and not more]
        if name not in MADE_ELSEWHERE | {"solve"} and names[: len(taken)] != taken:
            offenders.append(f"{full}{tuple(names)} was {tuple(taken)}")
    assert offenders == []


@pytest.mark.parametrize("name", OLD["parameters"])
def test_every_parameter_of_a_case_is_there_and_takes_what_it_took(name):
    fields, offenders = load(name).Parameters.model_fields, []
    for key, choices in OLD["parameters"][name].items():
        taken = bounds(fields[key]).removeprefix("one of ").split(", ") if key in fields else []
        if key not in fields or any(present_name(fields[key], choice) not in taken for choice in choices or ()):
            offenders.append(key)
    assert offenders == []


@pytest.mark.parametrize("command", OLD["options"])
def test_every_option_of_a_command_is_there(command, capsys):
    case = ["rod_wave"] if command in ("run", "converge", "sweep") else []
    assert main([command, *case, "--help"]) == 0
    text = capsys.readouterr().out
    assert "rod_wave" in text or "DIR" in text
    assert [name for name in OLD["options"][command] if not re.search(rf"--{name}\b", text)] == []


@pytest.mark.parametrize("old", MOVED)
def test_modules_that_documents_named_are_found_and_say_their_new_name(old):
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=f"{old} is now {MOVED[old]}"):
        module = importlib.import_module(old)
    public = [name for name in vars(module) if not name.startswith("_") and name != "warnings"]
    assert public
    assert all(getattr(module, name) is getattr(importlib.import_module(MOVED[old]), name) for name in public)


def test_the_comparison_of_schemes_runs_under_its_name_of_version_0_2(monkeypatch, capsys):
    monkeypatch.setattr(scheme_comparison, "compare", list)
    monkeypatch.setattr(scheme_comparison, "table", lambda rows: f"{len(rows)} rows")
    runpy.run_module("cases.scheme_comparison", run_name="__main__")
    told = capsys.readouterr()
    assert told.out == "0 rows\n"
    assert told.err == "cases.scheme_comparison is now cases.studies.scheme_comparison\n"
