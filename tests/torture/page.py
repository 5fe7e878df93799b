"""The page docs/torture.md and the record that it is written from."""

import platform
import re

KINDS = ("valid result", "refused in a line", "failed by name", "stopped by a signal", "defect")
PLACE = re.compile(r"/(?:tmp|home|root|work|var)/\S*/")
"""Folders of the machine, which nobody else has."""
HEAD = """# Torture

`make torture` (`TORTURE_MINUTES`, 60; `TORTURE_SEED`, `TORTURE_WORKERS`) does to the commands and the Python faces what users,
machines and chance do: command lines and calls that hypothesis invents, kills at random instants, disks that are full, read-only
or gone, files that are cut or filled with noise, clocks that jump, locales, and long runs whose memory must stay flat.

A command must end in a valid result, be refused in one line (exit 2), fail by name (exit 3), or, asked to stop, say what is saved.
Tracebacks, hangs, numbers that are not finite and lost results are defects. What was killed goes on and is compared bit for bit
with what nobody disturbed.
"""


def record(counts, defects, notes, *, minutes, seed):
    """Return the numbers of a run of the suite."""
    parts = {}
    for key, number in counts.items():
        part, kind = key.split("|")
        parts.setdefault(part, {})[kind] = number
    return {
        "minutes": round(minutes, 1),
        "seed": seed,
        "python": platform.python_version(),
        "parts": dict(sorted(parts.items())),
        "notes": dict(sorted(notes.items())),
        "defects": [{key: PLACE.sub("", text) for key, text in defect.items()} for defect in defects],
    }


def table(record):
    """Return the counts as a table."""
    lines = ["| what | " + " | ".join(KINDS) + " | besides |", "|---" * (len(KINDS) + 2) + "|"]
    total = dict.fromkeys(KINDS, 0)
    for part, kinds in record["parts"].items():
        besides = ", ".join(f"{number} {kind}" for kind, number in kinds.items() if kind not in KINDS)
        lines.append(f"| {part} | " + " | ".join(str(kinds.get(kind, 0)) for kind in KINDS) + f" | {besides} |")
        total = {kind: total[kind] + kinds.get(kind, 0) for kind in KINDS}
    lines.append("| **sum** | " + " | ".join(f"**{total[kind]}**" for kind in KINDS) + " | |")
    return "\n".join(lines)


def page(record):
    """Return the page."""
    notes = "\n".join(f"- {key}: {value}" for key, value in record["notes"].items())
    source = f"Counted in {record['minutes']:g} minutes with seed {record['seed']}, Python {record['python']}."
    faults = [" ".join(d["fault"].splitlines()[0].split())[:150].replace("`", "'") for d in record["defects"]]
    found = "\n".join(f"- {d['part']}: `{fault}`" for d, fault in zip(record["defects"], faults, strict=True))
    told = f"\n\nDefects that this run found:\n\n{found}" if faults else ""
    return f"{HEAD}\n{table(record)}\n\n{notes}\n\n{source} A defect is told with the command that repeats it.{told}\n"
