"""Counts of how things ended, by part of the suite, and the defects with the command that repeats each."""

import json
import os
import time
from collections import Counter
from pathlib import Path


class Tally:
    """Counts and defects of one worker, kept in a file that is whole at any time; `now` is what it is at."""

    def __init__(self, path, until=float("inf"), *, quiet=False):
        self.path, self.counts, self.defects, self.notes = Path(path), Counter(), [], {}
        self.until, self.quiet, self.kept = until, quiet, time.monotonic()

    @property
    def over(self):
        """Whether the time is up: what is under way is ended, nothing more is begun."""
        return time.monotonic() > self.until

    def count(self, part, kind, number=1):
        self.counts[f"{part}|{kind}"] += number
        if time.monotonic() > self.kept + 1.0:
            self.keep()

    def defect(self, part, command, fault):
        self.count(part, "defect")
        self.defects.append({"part": part, "command": command, "fault": fault})
        if not self.quiet:
            print(f"DEFECT [{part}] {fault}\n    {command}", flush=True)

    def ended(self, part, ended, command=None):
        """Count how a command ended, each of its faults with what repeats it."""
        if ended.new:
            self.count(part, "new interpreter")
        if ended.faults:
            self.defect(part, command or ended.command(), "; ".join(ended.faults))
        else:
            self.count(part, ended.kind)

    def at(self, what):
        """Say what is under way, for the one who watches."""
        self.path.with_suffix(".now").write_text(what)

    def take(self, other):
        """Add what the file of another tally counts."""
        if other.exists():
            found = json.loads(other.read_text())
            self.counts.update(found["counts"])
            self.defects.extend(found["defects"])
            self.notes.update(found["notes"])

    def keep(self):
        self.kept = time.monotonic()
        text = json.dumps({"counts": self.counts, "defects": self.defects, "notes": self.notes})
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(text)
        os.replace(temporary, self.path)
