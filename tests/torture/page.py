"""The page docs/torture.md and the record that it is written from."""

import platform
import re

KINDS = ("valid result", "refused in a line", "failed by name", "stopped by a signal", "defect")
NEW = "new interpreter"
PLACE = re.compile(r"/(?:tmp|home|root|work|var)/\S*/")
"""Folders of the machine, which nobody else has."""
HEAD = """# Torture

`make torture` (`TORTURE_MINUTES`, 60; `TORTURE_SEED`, `TORTURE_WORKERS`) does to the commands and the Python faces what users,
machines and chance do: command lines and calls that hypothesis invents, kills at random instants, disks that are full, read-only
or gone, files that are cut or filled with noise, clocks that jump, locales, and long runs whose memory must stay flat.

A command must end in a valid result, be refused in one line (exit 2), fail by name (exit 3), or, asked to stop, say what is saved.
Tracebacks, hangs, numbers that are not finite and lost results are defects. A command that is asked to stop before it has computed
anything is tried again for 100 s: if it then has nothing either, that is a hang. What was killed goes on and is compared bit for
bit with what nobody disturbed.

A command runs in a child that is forked from a process which has imported the code and loaded its kernels, with its own arguments,
channels, directory and limits of memory and time. The column *own* counts those that were interpreters of their own instead,
`python -m cases`, as a user starts them: all locales, some of the inputs, the kills and the disks. The calls of Python are made a
hundred at a time in a forked child.

Mended since the count: a kernel that was compiled in a process rounded differently from the same one out of the cache (1.7e-18 J in
the energy balance of a disc that went on after a kill); kernels keep the order of their sums since (`friction/lanes.py`).
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
    lines = ["| what | " + " | ".join(KINDS) + " | own | besides |", "|---" * (len(columns) + 2) + "|"]
    for part, kinds in record["parts"].items():
        besides = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()) if kind not in columns)
        lines.append(f"| {part} | " + " | ".join(str(kinds.get(kind, 0)) for kind in columns) + f" | {besides} |")
    sums = " | ".join(f"**{total(record, '', kinds=(kind,))}**" for kind in columns)
    lines.append(f"| **sum** | {sums} | |")
    return "\n".join(lines)


def sums(record):
    """Return the counts that were asked for, in a sentence."""
    lines, calls = total(record, "command lines"), total(record, "python")
    runs, sweeps = total(record, "resumed runs"), total(record, "resumed sweeps")
    kills = sum(n for kind, n in record["parts"].get("kills of runs", {}).items() if kind.startswith("kill"))
    return (
        f"{lines} command lines and {calls} calls: {lines + calls} inputs. {runs} runs were killed, {kills} times, and {sweeps} "
        f"sweeps; {total(record, 'resumed runs', 'resumed sweeps', kinds=('valid result',))} of these {runs + sweeps} then ended "
        "as if nothing had happened, to the last bit."
    )


def _again(record):
    """Return what a later run says of the same, after what was found was mended."""
    if "again" not in record:
        return ""
    again = record["again"]
    found = "\n".join(f"- {d['part']}: `{_fault(d)}`" for d in again["defects"])
    return (
        f"\n\n## A later run, after mends\n\n{sums(again)} Counted in {again['minutes']:g} minutes "
        f"({again['cpu_minutes']:g} of the processor) by {again['workers']} workers, "
        f"seed {again['seed']}. {len(again['defects']) or 'No'} defects.\n\n{table(again)}"
        + (f"\n\n{found}" if found else "")
    )


def _fault(defect):
    return " ".join(defect["fault"].splitlines()[0].split())[:150].replace("`", "'")


def page(record):
    """Return the page."""
    notes = "\n".join(f"- {key}: {value}" for key, value in record["notes"].items())
    cut = f" of {record['asked']:g}: interrupted" if record["minutes"] < record["asked"] - 0.1 else ""
    spent = f" ({record['cpu_minutes']:g} of the processor)" if "cpu_minutes" in record else ""
    by = f"{record['workers']} workers, seed {record['seed']}, Python {record['python']}"
    source = f"Counted in {record['minutes']:g} minutes{cut}{spent} by {by}."
    found = "\n".join(f"- {d['part']}: `{_fault(d)}`" for d in record["defects"])
    told = f"\n\nDefects that this run found:\n\n{found}" if found else ""
    return (
        f"{HEAD}\n{sums(record)} {source}\n\n{table(record)}\n\n{notes}\n\nA defect is told with the command that repeats it."
        f"{told}{_again(record)}\n"
    )
