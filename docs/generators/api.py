"""The pages of the API: the public names of each package by subject, which follows from the module that defines them."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Subject(NamedTuple):
    """A page: the public names of ``modules`` and their submodules, and all of ``others``, which no package exports."""

    modules: Sequence[str] = ()
    others: Sequence[str] = ()


SUBJECTS: Mapping[str, Mapping[str, Subject]] = {
    "friction": {
        "laws": Subject(["laws"]),
        "ground": Subject(["foundation", "redistribution"]),
        "normal": Subject(["normal"]),
        "solve": Subject(["nodal", "result", "factors", "errors"]),
    },
    "fem": {
        "meshes": Subject(["meshes", "mesh_files"]),
        "bodies": Subject(["bodies", "beam_axis", "deformable_body", "thermal"]),
        "materials": Subject(["materials"]),
        "equilibrium": Subject(["statics", "factorisation"], ["fem.analysis.cell_fields", "fem.analysis.modes"]),
    },
    "floating_frame": {
        "problems": Subject(
            ["problem", "problems", "initial", "rigid_body", "rigid_solid", "step_control", "assemble"]
        ),
        "runs": Subject(
            ["simulate", "output", "verdict", "natural_modes", "system", "errors"],
            ["floating_frame.output.accessor.RunMethods"],
        ),
        "loads": Subject(["loads", "effect"], ["floating_frame.loads.histories.History"]),
        "contact": Subject(["contact"]),
        "frames": Subject(
            ["frame"],
            [
                "floating_frame.frame.conditions.Frame",
                "floating_frame.frame.kinematics",
                "floating_frame.frame.moments",
                "floating_frame.frame.inertia",
            ],
        ),
    },
    "cases": {
        "runs": Subject(others=["cases.app.registry", "cases.app.run.runner"]),
        "pictures": Subject(
            others=["cases.app.drawing.plotting", "cases.app.drawing.animate", "cases.app.export.command"]
        ),
        "studies": Subject(
            others=["cases.app.studies.converge", "cases.app.studies.orders", "cases.app.parts.measure"]
        ),
    },
}
"""Subjects of the packages; a name belongs to the subject with its module, relative to the package."""


def pages() -> dict[str, str]:
    """Pages by file, as reStructuredText that docs/api includes. Raises ValueError for names without a subject."""
    found = {}
    for package, subjects in SUBJECTS.items():
        names = names_of(package, subjects)
        for subject, given in subjects.items():
            found[f"api-{package}-{subject}.rst"] = _page(package, names[subject], given.others)
    return found


def names_of(package: str, subjects: Mapping[str, Subject]) -> dict[str, list[str]]:
    """Public classes and functions of a package by subject. Raises ValueError where one has none, or several."""
    found: dict[str, list[str]] = {subject: [] for subject in subjects}
    if not any(subject.modules for subject in subjects.values()):
        return found
    module = importlib.import_module(package)
    for name in sorted(module.__all__, key=str.lower):
        one = getattr(module, name)
        if not callable(one):
            continue
        home = f"{one.__module__}."
        own = [
            subject
            for subject, given in subjects.items()
            if any(home.startswith(f"{package}.{part}.") for part in given.modules)
        ]
        if len(own) != 1:
            raise ValueError(f"expected one subject of {package} for {name} of {home[:-1]}, found {own}")
        found[own[0]].append(name)
    return found


def _page(package: str, names: Sequence[str], others: Sequence[str]) -> str:
    lines = []
    if names:
        lines += [f".. currentmodule:: {package}", "", ".. autosummary::", "   :nosignatures:", ""]
        lines += [f"   {name}" for name in names] + [""]
    module = importlib.import_module(package)
    for name in names:
        lines += [f".. {_directive(getattr(module, name))}:: {package}.{name}", ""]
    for path in others:
        lines += _other(path)
    return "\n".join(lines) + "\n"


def _directive(one: Any) -> str:
    if not inspect.isclass(one):
        return "autofunction"
    return "autoexception" if issubclass(one, BaseException) else "autoclass"


def _other(path: str) -> list[str]:
    """Directive of a module or, with a capital, of a class."""
    if path.rpartition(".")[2][0].isupper():
        return [f".. autoclass:: {path}", ""]
    return [f".. automodule:: {path}", "   :no-imported-members:", ""]
