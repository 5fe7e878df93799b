"""Clocks that jump, time zones, locales and encodings: the same numbers in all of them."""

import json
import os
import random
import shutil
import subprocess
import time
from contextlib import chdir
from pathlib import Path

from kills import same, stored
from processes import run

RUN = ["run", "plate_clamped", "--t_end=0.04", "--dt=0.004", "--nx=4", "--ny=2", "--checkpoint_every=0"]
ZONES = ["UTC", "Pacific/Kiritimati", "America/St_Johns", ":/nonexistent", "XXX-27:61:61", ""]
ENVIRONMENTS = [
    {"LC_ALL": "C"},
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
    {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    {"LC_ALL": "de_DE.ISO-8859-1", "PYTHONUTF8": "0"},
    {"LC_ALL": "nowhere"},
    {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    {"PYTHONIOENCODING": "latin-1"},
    {"COLUMNS": "1", "TERM": "dumb"},
    {"NO_COLOR": "1", "HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"},
]


def jumping(dice):
    """Let the child's wall clock jump back and forth by hours and years, and its zone be any."""
    zone, shift = dice.choice(ZONES), [0.0]

    def prepare():
        os.environ["TZ"] = zone
        time.tzset()
        true = time.time

        def jumped():
            if dice.random() < 0.3:
                shift[0] += dice.choice([-1.0, 1.0]) * 10.0 ** dice.uniform(0, 8)
            return max(0.0, true() + shift[0])

        time.time = jumped

    return prepare


def locales(scratch):
    """Compile German and Turkish locales where the system has their sources, for LOCPATH; return those that are there."""
    folder = scratch / "locales"
    folder.mkdir(exist_ok=True)
    for name, charset in (("de_DE", "UTF-8"), ("tr_TR", "UTF-8"), ("de_DE", "ISO-8859-1")):
        if shutil.which("localedef"):
            command = ["localedef", "-i", name, "-f", charset, folder / f"{name}.{charset}"]
            subprocess.run(command, capture_output=True, check=False)
    return sorted(p.name for p in folder.iterdir())


def batch(seed, tally, scratch, kept):
    """Jumping clocks in forked children, one locale in a process of its own."""
    scratch = Path(scratch)
    clock(seed, tally, scratch, kept)
    if "locales" not in kept:
        kept["locales"] = locales(scratch)
        tally.notes["locales"] = ", ".join(kept["locales"]) or "none could be compiled here"
    environment = ENVIRONMENTS[kept.setdefault("turn", seed) % len(ENVIRONMENTS)]
    kept["turn"] += 1
    _in_locale(environment, scratch, kept, tally)


def clock(seed, tally, scratch, kept):
    """Run under clocks that jump, and compare with what nobody disturbed."""
    if "plain" not in kept:
        kept["plain"] = scratch / "plain"
        assert run([*RUN, "--out", kept["plain"]]).status == 0
    for k in range(2):
        tally.at(json.dumps({"part": "surroundings", "seed": seed + k}))
        out = scratch / "clock"
        ended = run([*RUN, "--out", out], jumping(random.Random(seed + k)))
        _compare(ended, out, kept["plain"])
        repeat = f".venv/bin/python tests/torture/run.py --only surroundings --seed {seed}"
        tally.ended("clocks and zones", ended, repeat)


def _compare(ended, out, plain):
    if ended.status != 0:
        ended.faults.append(f"exit {ended.status}: {ended.err[:300]!r}")
    elif not same(stored(out), stored(plain)):
        ended.faults.append("other numbers")
    shutil.rmtree(out, ignore_errors=True)


def _in_locale(environment, scratch, kept, tally):
    """A run, its list, its help and a refusal in a locale."""
    environment = environment | {"LOCPATH": str(scratch / "locales")}
    named = " ".join(f"{k}={v}" for k, v in environment.items())
    out = scratch / "ünïcode dir"
    for tokens in (
        [*RUN, "--out", str(out)],
        ["list"],
        ["run", "plate_sliding", "--help"],
        ["run", "plate_sliding", "--mu", "½é"],
    ):
        tally.at(json.dumps({"part": "surroundings", "environment": named}))
        with chdir(scratch):
            ended = run(tokens, new=True, environment=environment)
        if tokens[0] == "run" and "--out" in tokens:
            _compare(ended, out, kept["plain"])
        tally.ended("locales", ended, f"{named} {ended.command()}")
