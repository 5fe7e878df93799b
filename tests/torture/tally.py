"""Counts of how things ended, by part of the suite, and the defects with the command that repeats each."""

import json
import os
from collections import Counter
from pathlib import Path


class Tally:
    """Counts and defects of one worker, kept in a file that is whole at any time; `now` is what it is at."""

    def __init__(self, path):
        self.path, self.counts, self.defects, self.notes = Path(path), Counter(), [], {}

    def count(self, part, kind, number=1):
        self.counts[f"{part}|{kind}"] += number

    def defect(self, part, command, fault):
        self.count(part, "defect")
        self.defects.append({"part": part, "command": command, "fault": fault})
        print(f"DEFECT [{part}] {fault}\n    {command}", flush=True)

    def ended(self, part, ended, command=None):
        """Count how a command ended, each of its faults with what repeats it."""
        if ended.faults:
            self.defect(
                part,
                command or ended.command(),
                "; ".join(ended.faults) + (f"\n{ended.raised}" if ended.raised else ""),
            )
        else:
            self.count(part, ended.kind)

    def at(self, what):
        """Say what is under way, for the one who watches."""
        self.path.with_suffix(".now").write_text(what)

    def keep(self):
        text = json.dumps({"counts": self.counts, "defects": self.defects, "notes": self.notes})
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(text)
        os.replace(temporary, self.path)
