"""The page of the suite in Markdown: introduction, passes, fastest codes, and each problem with its references."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cases.app.suite import adapter, files, pictures, table
from cases.app.suite.reference_values import admissible, reference
from cases.app.suite.schema import Problem
from cases.app.suite.table import LEVELS, Result

PAGE = "benchmark.md"
THIS = adapter.OWN


def write(directory: Path, answers: Sequence[Mapping[str, Any]], machine: str) -> None:
    """Write the page and its pictures into a results directory."""
    results = [table.result(answer) for answer in answers]
    named = {one.code for one in results}
    codes = sorted(named, key=lambda code: (code != THIS, code))
    drawn = pictures.write(directory, results, codes)
    written = re.sub(
        r"<(?=[a-zA-Z/!?])", "&lt;", text(results, answers, codes, drawn, machine)
    )  # nobody's file is a web page
    (directory / PAGE).write_text(written, encoding="utf-8")


def text(
    results: Sequence[Result],
    answers: Sequence[Mapping[str, Any]],
    codes: Sequence[str],
    drawn: Sequence[str],
    machine: str,
) -> str:
    """The page."""
    problems = sorted({one.problem for one in results})
    parts = [
        "# How this code compares",
        INTRODUCTION.format(problems=len(problems), codes=len(codes)),
        "## Within the admissible errors",
        f"![Problems and codes](pictures/{drawn[0]})",
        _passes(results, codes),
        "## Fastest code to a relative error",
        _firsts(results, problems),
        "## Creep in stick, and created energy",
        _faults(results, codes),
        "## Work over precision",
        WORK,
        *(f"![Error over CPU time](pictures/{name})" for name in drawn[1:]),
        "## The codes",
        *(_code(code, results) for code in codes),
        "## The problems",
        *(_problem(file, results, codes) for file in _files(answers)),
        f"Measured on {machine}.",
    ]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """{problems} problems of friction with references that are independent of any code, solved with {codes} codes.
`python -m cases benchmark` runs the suite. A problem is a text file (`cases/app/suite/problems`); a code enters by an
adapter of some twenty lines ([how to enter a code or add a problem](how-to/benchmark.md)).

A code passes a problem if every quantity is within its *admissible error* at the *documented setting*, which is listed
below. The settings of other codes come from a search over solver, contact, iterations and step (`cases/app/suite/search.py`;
all candidates are recorded in `cases/app/suite/settings`). It takes the fastest setting within all admissible errors, else
the one with the smallest worst error. The authors of these codes know them better than we do: a better setting is welcome.
`default` means that the search found nothing better or was cut short. CPU time is the time of the solution alone, in one
thread, without compilation. Times depend on the machine and its load: only their ratios are meaningful."""

WORK = """The relative error is the largest error of the problem's quantities, each over its scale (by default its reference value).
A line joins the Pareto-optimal runs of a code; a ring is the documented setting. Errors below 1e-12 or above 10 are drawn
at these limits."""


def _passes(results: Sequence[Result], codes: Sequence[str]) -> str:
    """Numbers of problems that each code passes, misses, and cannot solve."""
    lines = ["| code | passes | misses | cannot |", "|---|---|---|---|"]
    for code in codes:
        own = [one for one in results if one.code == code and one.documented]
        passed = [one for one in own if one.worst is not None and one.worst <= 1.0]
        cannot = [one for one in own if one.worst is None]
        missed = [one.problem for one in own if one.worst is not None and one.worst > 1.0]
        lines.append(f"| {code} | {len(passed)} | {len(missed)}: {', '.join(missed) or 'none'} | {len(cannot)} |")
    return "\n".join(lines)


def _firsts(results: Sequence[Result], problems: Sequence[str]) -> str:
    """Fastest code of each problem to each relative error, beside this code."""
    heads = " | ".join(f"to {level:.0e}: fastest | this code over it" for level in LEVELS)
    lines = [f"| problem | {heads} |", "|---" * (1 + 2 * len(LEVELS)) + "|"]
    first, reached, behind = 0, 0, []
    for problem in problems:
        own = [one for one in results if one.problem == problem]
        cells = []
        for level in LEVELS:
            best, mine = table.least_time(own, level), table.least_time([one for one in own if one.code == THIS], level)
            cells += [f"{best.code}, {_seconds(best)}" if best else "none", _times(mine, best)]
            reached += best is not None
            first += best is not None and best.code == THIS
            if best is not None and best.code != THIS:
                behind.append(f"{problem} to {level:.0e} ({best.code})")
        lines.append(f"| {problem} | {' | '.join(cells)} |")
    said = f"This code is the fastest in {first} of {reached} cells. It is not the fastest in: {', '.join(behind) or 'none'}."
    return f"{said}\n\n" + "\n".join(lines)


def _seconds(one: Result) -> str:
    return f"{one.seconds:.2g} s"


def _times(one: Result | None, other: Result | None) -> str:
    """CPU time over another's."""
    if one is None or other is None or not one.seconds or not other.seconds:
        return "–"
    return "1" if one is other else pictures.short(one.seconds / other.seconds)


def _faults(results: Sequence[Result], codes: Sequence[str]) -> str:
    """Creep and created energy at documented settings, over the admissible values (rounding and solver tolerance)."""
    head = (
        "Relative to the admissible value (by default 1e-9 m, or 1e-9 of the energy), at the documented settings: creep in "
        "problems with a body that stays at rest, created energy in problems where energy is constant or falls."
    )
    lines = ["| code | creeps in | creates energy in |", "|---|---|---|"]
    for code in codes:
        own = [one for one in results if one.code == code and one.documented]
        creeps = [
            f"{one.problem} ({pictures.short(one.creep)})" for one in own if one.creep is not None and one.creep > 1.0
        ]
        makes = [
            f"{one.problem} ({pictures.short(one.created)})"
            for one in own
            if one.created is not None and one.created > 1.0
        ]
        lines.append(f"| {code} | {', '.join(creeps) or 'none'} | {', '.join(makes) or 'none'} |")
    return f"{head}\n\n" + "\n".join(lines)


def _code(code: str, results: Sequence[Result]) -> str:
    """Description of a code from its adapter, and the problems that it cannot solve."""
    known = adapter.codes()
    said = adapter.description(known[code].path) if code in known else ""
    reasons: dict[str, list[str]] = {}
    for one in results:
        if one.code == code and one.documented and one.worst is None and one.reason:
            reasons.setdefault(one.reason.removeprefix("cannot: "), []).append(one.problem)
    cannot = "; ".join(f"{reason} ({', '.join(names)})" for reason, names in reasons.items())
    return f"### {code}\n\n{said}" + (f"\n\nCannot: {cannot}." if cannot else "")


def _files(answers: Sequence[Mapping[str, Any]]) -> list[str]:
    """Problem files, sorted by the problems' names."""
    named = {answer["problem"]: answer["file"] for answer in answers}
    return [named[name] for name in sorted(named)]


def _problem(file: str, results: Sequence[Result], codes: Sequence[str]) -> str:
    """Section of a problem: description, distinction, references, and documented settings."""
    variants = files.load(file)
    first = variants[0]
    name = first.name
    lines = [
        f"### {name}",
        f"**{first.title}.** {' '.join(first.description.split())}",
        f"*Separates:* {first.separates}.",
        f"*Reference ({first.reference.kind}):* {first.reference.formula}. "
        f"Source: {', '.join(map(_source, first.reference.source))}."
        + (f" Converged to {first.reference.convergence:g}." if first.reference.convergence else ""),
        _quantities(variants),
    ]
    documented = [one for one in results if one.problem == name and one.documented and one.worst is not None]
    mine = next((one for one in documented if one.code == THIS), None)
    if documented:
        head = "worst error over the admissible one | CPU time | over this code's"
        lines.append(f"| code | documented setting | {head} |\n|---|---|---|---|---|")
        for one in sorted(documented, key=lambda one: codes.index(one.code)):
            worst = (
                pictures.short(one.worst)
                if one.worst is not None and math.isfinite(one.worst)
                else f"× {one.reason or 'wrong verdict'}"
            )
            seconds = f"{_seconds(one) if one.seconds else '–'} | {_times(one, mine)}"
            lines[-1] += f"\n| {one.code} | {one.setting} | {worst} | {seconds} |"
    return "\n\n".join(lines)


def _source(named: str) -> str:
    """A source, linked to the list of references if it is there (derivations and laws are not)."""
    if named.startswith("derived in ") or not any(sign.isdigit() for sign in named):
        return named
    place = re.sub(r"[^\w -]", "", named.lower()).replace(" ", "-")
    return f"[{named}](references.md#{place})"


MAX_VARIANTS = 7
"""Largest number of variants of which all references are shown; larger grids show the first."""


def _quantities(variants: Sequence[Problem]) -> str:
    """Table of quantities with reference and admissible error."""
    lines = ["| variant | quantity | unit | reference | admissible error |", "|---|---|---|---|---|"]
    for problem in variants if len(variants) <= MAX_VARIANTS else variants[:1]:
        for quantity in problem.quantities:
            value, limit = reference(problem, quantity), admissible(problem, quantity)
            shown = f"{value:.{problem.reference.digits}g}"
            lines.append(f"| {problem.variant or '–'} | {quantity.name} | {quantity.unit} | {shown} | {limit:.2g} |")
    if len(variants) > MAX_VARIANTS:
        lines.append(f"| {len(variants) - 1} more | likewise | | | |")
    return "\n".join(lines)
