"""A run of the suite: every job in a process of its own; rows are stored at once, so that an interrupted run continues."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cases.app.run.directory import locked
from cases.app.run.errors import BadInput
from cases.app.suite import adapter, files, page, reference_values, settings, table, worker

ROWS = "rows.jsonl"
"""File in the results directory: one line per job."""
MISSED = 1
"""Exit status where this code misses a reference at a documented setting."""
MAX_SECONDS = 3600.0
"""Largest wall-clock time of a job, s."""

Answers: TypeAlias = dict[tuple[str, str, str], dict[str, Any]]
"""Answers by the key of their job."""


class Job(NamedTuple):
    """A code, a problem and a setting; ``sign``: digest of the problem file, the adapter and the code's version, which a stored
    answer of this job must have."""

    problem: str
    code: adapter.Code
    setting: settings.Setting
    sign: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Key of the job's answer."""
        return self.problem, self.code.name, settings.key(self.setting.values)


def benchmark(problems: Sequence[str], codes: Sequence[str], out: str, *, quiet: bool = False) -> int:
    """Run ``codes`` on ``problems`` (none named: all of the suite, all that are installed) and write the answers into ``out``.

    Returns 0, or `MISSED` where this code misses a reference that it was asked for at a documented setting. Raises BadInput.
    """
    for name in problems:
        _check_problem(name)
    chosen = list(dict.fromkeys(map(_resolved, problems))) or files.names()
    known = [adapter.code(name) for name in dict.fromkeys(codes)]
    known = known or [one for one in adapter.codes().values() if one.missing() is None]
    jobs = [job for name in chosen for one in known for job in _jobs(name, one)]
    with locked(out) as directory:
        stored = _stored(directory)
        current = {job.key: stored[job.key] for job in jobs if stored.get(job.key, {}).get("sign") == job.sign}
        try:
            with _progress(len(jobs), quiet=quiet) as tell:
                for job in jobs:
                    if job.key not in current:
                        current[job.key] = _answer(job)
                        _keep(directory, current[job.key])
                    tell(current[job.key])
        finally:  # also after an interruption
            answers = list((_current(stored) | current).values())
            table.write(directory, table.rows(answers), _machine(known))
            page.write(directory, answers, _machine(known))
    missed = [row for row in table.rows([current[job.key] for job in jobs]) if _misses(row)]
    for row in missed:
        said = row["reason"] or f"off by {row['error']:.3g}, admissible {row['admissible']:.3g}"
        print(f"{row['problem']}: {row['quantity']}: {said}", file=sys.stderr)
    return MISSED if missed else 0


def _check_problem(problem: str) -> None:
    """Raise BadInput for a wrong problem file, or parameters for which its references are not valid."""
    for variant in files.load(problem):
        for quantity in variant.quantities:
            try:
                reference_values.reference(variant, quantity)
            except (ImportError, AttributeError, KeyError):
                said = f"expected a reference, or a function that gives it, got {variant.reference.function}"
                raise BadInput(f"{problem}: quantity {quantity.name}: {said}") from None
            except (ValueError, ArithmeticError) as error:
                raise BadInput(f"{problem}: {' '.join(str(error).split())}") from None


def _resolved(problem: str) -> str:
    """A problem's name, or the absolute path of its file."""
    return str(Path(problem).resolve()) if problem.endswith(".toml") else problem


def listing() -> str:
    """List of the problems, a line each, the name first."""
    names = files.names()
    width = max(map(len, names))
    return "\n".join(f"{name:{width}}  {files.load(name)[0].title}: {files.load(name)[0].separates}" for name in names)


def _jobs(problem: str, code: adapter.Code) -> Iterator[Job]:
    asked = files.path_of(problem).read_bytes() + code.path.read_bytes() + code.version().encode()
    sign = hashlib.sha256(asked).hexdigest()[:12]
    for setting in settings.settings(code, files.load(problem)[0].name):
        yield Job(problem, code, setting, sign)


def _misses(row: dict[str, Any]) -> bool:
    return bool(row["code"] == adapter.OWN and row["documented"] and row["passed"] is False)


def _answer(job: Job) -> dict[str, Any]:
    """Answer of a job: its rows, or the reason of a failure."""
    about: dict[str, Any] = {
        "problem": files.load(job.problem)[0].name,
        "file": job.problem,
        "code": job.code.name,
        "setting": job.setting.label,
    }
    about |= {
        "values": job.setting.values,
        "documented": job.setting.documented,
        "sign": job.sign,
        "key": list(job.key),
    }
    missing = job.code.missing()
    if missing is not None:
        return about | _nothing(missing, None)
    order = {
        "problem": job.problem,
        "code": job.code.name,
        "adapter": str(job.code.path),
        "setting": job.setting.values,
    }
    with tempfile.TemporaryDirectory() as place:
        given, taken = Path(place) / "job.json", Path(place) / "answer.json"
        given.write_text(json.dumps(order), encoding="utf-8")
        command = [sys.executable, "-m", "cases.app.suite.worker", str(given), str(taken)]
        environment = os.environ | worker.ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=MAX_SECONDS, env=environment, cwd=place, check=False
            )
        except subprocess.TimeoutExpired:
            return about | _nothing(f"failed: no answer within {MAX_SECONDS:g} s", False)
        if not taken.is_file():
            last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            return about | _nothing(f"failed: {last[: worker.MAX_REASON]}", False)
        about |= json.loads(taken.read_text(encoding="utf-8"))
        return about


def _nothing(reason: str, passed: bool | None) -> dict[str, Any]:
    row = dict.fromkeys(("quantity", "unit", "reference", "error", "admissible", "value")) | {"variant": ""}
    return {"rows": [row | {"passed": passed, "reason": reason}], "cpu_seconds": None, "first_seconds": None}


def _stored(directory: Path) -> Answers:
    """Last answers of earlier runs by key; incomplete lines are skipped."""
    answers: Answers = {}
    path = directory / ROWS
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        try:
            one = json.loads(line)
            problem, code, setting = one["key"]
            answers[problem, code, setting] = one
        except (ValueError, KeyError, TypeError):
            continue
    return answers


def _current(stored: Answers) -> Answers:
    """Answers of earlier runs whose problems and codes have not changed."""
    codes = adapter.codes()
    answers: Answers = {}
    for key, one in stored.items():
        problem, name, _ = key
        if problem not in files.names() or name not in codes:
            continue
        for job in _jobs(problem, codes[name]):
            if job.key == key and job.sign == one.get("sign"):
                answers[key] = one
    return answers


def _keep(directory: Path, answer: dict[str, Any]) -> None:
    path = directory / ROWS
    cut = path.is_file() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * cut + json.dumps(answer) + "\n")


def _machine(codes: Sequence[adapter.Code]) -> str:
    versions = ", ".join(f"{code.name} {code.version()}".strip() for code in codes)
    return f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}; {versions}"


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Any]:
    """Yield the callback for an answer: it updates a bar on a terminal and prints a line."""
    if quiet:
        yield lambda answer: None
        return
    bar = Progress(
        *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task("benchmark", total=total)

        def tell(answer: dict[str, Any]) -> None:
            print(table.line_of(answer), flush=True)
            bar.advance(task)

        yield tell
