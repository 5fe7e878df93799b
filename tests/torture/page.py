"""The page docs/torture.md and the record that it is written from."""

import platform
import re
from collections import Counter

KINDS = ("valid result", "refused in a line", "failed by name", "stopped by a signal", "defect")
NEW = "new interpreter"
PLACE = re.compile(r"/(?:tmp|home|root|work|var)/\S*/")
"""Folders of the machine, which nobody else has."""
HEAD = """# Torture

`make torture` (`TORTURE_MINUTES`, 60; `TORTURE_SEED`, `TORTURE_WORKERS`) tries random command lines and calls, kills at
random instants, full, read-only and absent disks, damaged files, clocks, locales and long runs, and writes this page.

A command must end in a valid result, a refusal of one line (exit 2), a named failure (exit 3), or, after a signal, a message with
the saved part. Anything else is a defect: a traceback, a hang, a non-finite number, a lost result. Killed runs are resumed and
must equal undisturbed runs to the last bit. *own*: commands in a new interpreter; all others run in a fork of a process that
has imported the code.
"""


def record(tally, *, minutes, cpu_minutes, asked, seed, workers):
    """Return the numbers of a run of the suite."""
    parts = {}
    for key, number in tally.counts.items():
        part, kind = key.split("|")
        parts.setdefault(part, {})[kind] = number
    return {
        "minutes": round(minutes, 1),
        "cpu_minutes": cpu_minutes,
        "asked": asked,
        "seed": seed,
        "workers": workers,
        "python": platform.python_version(),
        "parts": dict(sorted(parts.items())),
        "notes": dict(sorted(tally.notes.items())),
        "defects": [{key: PLACE.sub("", text) for key, text in defect.items()} for defect in tally.defects],
    }


def total(record, *names, kinds=KINDS):
    """Return how many of these kinds there are in the parts whose names begin so."""
    parts = [found for part, found in record["parts"].items() if part.startswith(names)]
    return sum(found.get(kind, 0) for found in parts for kind in kinds)


def table(record):
    """Return the counts as a table."""
    columns = (*KINDS, NEW)
    lines = ["| what | " + " | ".join(KINDS) + " | own | other |", "|---" * (len(columns) + 2) + "|"]
    for part, kinds in record["parts"].items():
        besides = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()) if kind not in columns)
        lines.append(f"| {part} | " + " | ".join(str(kinds.get(kind, 0)) for kind in columns) + f" | {besides} |")
    sums = " | ".join(f"**{total(record, '', kinds=(kind,))}**" for kind in columns)
    lines.append(f"| **sum** | {sums} | |")
    return "\n".join(lines)


def sums(record):
    """Return the size of a run, as a table."""
    runs, sweeps = total(record, "resumed runs"), total(record, "resumed sweeps")
    equal = total(record, "resumed runs", "resumed sweeps", kinds=("valid result",))
    kills = sum(n for kind, n in record["parts"].get("kills of runs", {}).items() if kind.startswith("kill"))
    cut = f" of {record['asked']:g}: interrupted" if record["minutes"] < record.get("asked", 0.0) - 0.1 else ""
    spent = f"; {record['cpu_minutes']:g} of the processor" if "cpu_minutes" in record else ""
    python = f"; Python {record['python']}" if "python" in record else ""
    rows = {
        "minutes": f"{record['minutes']:g}{cut}{spent}",
        "workers, seed": f"{record['workers']}, {record['seed']}{python}",
        "command lines": total(record, "command lines"),
        "calls of Python": total(record, "python"),
        "killed runs": f"{runs}, killed {kills} times",
        "killed sweeps": sweeps,
        "of these, after resuming, equal to undisturbed ones": f"{equal} of {runs + sweeps}",
        "defects": len(record["defects"]),
    }
    return "\n".join(["| run | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())])


def _fault(defect):
    return _piped(" ".join(defect["fault"].splitlines()[0].split())[:150].replace("`", "'"))


def _piped(text):
    return text.replace("|", "\\|")


def _defects(record):
    """Return the defects, each kind once with its number, as a table; nothing where there are none."""
    counted = Counter((defect["part"], _fault(defect)) for defect in record["defects"])
    rows = [f"| {part} | `{fault}` | {number} |" for (part, fault), number in sorted(counted.items())]
    return "\n".join(["\n\n### Defects\n", "| part | fault | times |", "|---|---|---|", *rows]) if rows else ""


def _notes(record):
    """Return the details of a run as a table: seeded defects that it must see, locales, memory."""
    rows = [f"| {key} | {_piped(value)} |" for key, value in record["notes"].items()]
    return "\n".join(["\n\n### Details\n", "| test | result |", "|---|---|", *rows]) if rows else ""


def _run(title, record, details=""):
    return f"\n## {title}\n\n{sums(record)}\n\n{table(record)}{details}{_defects(record)}\n"


def page(record):
    """Return the page."""
    again = _run("Run after corrections", record["again"]) if "again" in record else ""
    return f"{HEAD}{_run('Run', record, _notes(record))}{again}"
