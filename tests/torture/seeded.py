"""The suite's check of itself: the code is broken on purpose, in one way after the other, and each part must see its own.

A break is made in the forked children only, before they run their command.
"""

import json
import os
import random
import signal
import sys
import time
from dataclasses import replace
from functools import partial

import faces
import files
import inputs_run
import kills
import numpy as np
import processes
import soak
import surroundings
from disks import quota
from tally import Tally

from cases import plate_clamped
from cases.app.command import application
from cases.app.run import resume, runner, trajectories
from cases.app.studies.sweep import stored_points
from floating_frame.output import journal


def _instead(place, name, make):
    """Return what replaces the attribute `name` of `place` by `make(what it was)`."""

    def breaking():
        setattr(place, name, make(getattr(place, name)))

    return breaking


def _raising(error):
    def make(before):
        def fails(*given, **named):
            raise error

        return fails

    return make


def _after(change):
    """Let a function return what `change` makes of what it returns."""
    return lambda before: lambda *given, **named: change(before(*given, **named))


def _before(change):
    """Let a function take what `change` makes of what it is given."""
    return lambda before: lambda *given, **named: before(*change(*given), **named)


def _a_nan(self, values):
    name = next(k for k, v in values.items() if k != "time" and np.asarray(v).dtype.kind == "f" and np.size(v))
    return self, {**values, name: np.full_like(values[name], np.nan)}


def _losing(before):
    def complete(job, *given):
        status = before(job, *given)
        job.trajectory.unlink()
        return status

    return complete


def _asleep(deaf):
    def make(before):
        def sleeps(*given, **named):
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM) if deaf else ():
                signal.signal(number, signal.SIG_IGN)
            while True:
                time.sleep(0.05)

        return sleeps

    return make


def _other_point(outcome):
    return outcome | {
        "results": {k: v | {"value": v["value"] and 2.0 * v["value"]} for k, v in outcome["results"].items()}
    }


def _drifting(data):
    """Return other numbers in each process that reads them."""
    return data.assign(frame_velocity=data.frame_velocity * (1.0 + 1e-9 * os.getpid()))


def _by_the_clock(params):
    return (params.model_copy(update={"push_x": params.push_x * (1.0 + 1e-6 * (time.time() % 1000.0))}),)


def _face(make):
    def breaking():
        for name, (face, sane) in faces.CALLS.items():
            faces.CALLS[name] = make(face), sane

    return breaking


def _nan_run(before):
    def simulate(*given):
        run = before(*given)
        name = next(k for k, v in run.variables.items() if v.dtype.kind == "f" and v.size)
        return run.assign({name: run[name] * np.nan})

    return simulate


def _leaking(before):
    held = []

    def simulate(model, *, path, progress):
        def holding(report):
            held.append(np.ones(20_000))
            progress(report)

        return before(model, path=path, progress=holding)

    return simulate


def _after_word(before):
    def named(tokens):
        print("note: a second line", file=sys.stderr)
        return before(tokens)

    return named


def _another_state(state):
    return state if state is None else replace(state, energy=state.energy + 1e-9)


def _quota(seed, tally, scratch, kept):
    quota(random.Random(seed), scratch / f"quota_{seed}", tally, f"seed {seed}")


def _exported(seed, tally, scratch, kept):
    """Export numbers from a trajectory that is damaged."""
    if "samples" not in kept:
        kept["samples"] = files.Samples(scratch)
        kept["samples"].commands = {("whole", "trajectory.nc"): [["export", "DIR", "--to", "csv"]]}
    for k in range(20):
        kept["samples"].damaged(100 * seed + k, tally)


def _short_soak(seed, tally, scratch, kept):
    """Soak what holds a little more at every report."""
    plain, soak.simulate = soak.simulate, _leaking(soak.simulate)
    soak.batch(seed, tally, scratch, kept, steps=5000)
    soak.simulate = plain


typed, called = partial(inputs_run.typed, count=5), partial(inputs_run.called, count=20)
SEEDED = {
    "inputs: a traceback": (
        typed,
        _instead(runner, "carry_out", _raising(ZeroDivisionError("seeded"))),
        "ZeroDivisionError",
    ),
    "inputs: a number that is not finite": (typed, _instead(journal.Journal, "append", _before(_a_nan)), "not finite"),
    "inputs: a result that is lost": (typed, _instead(runner, "complete", _losing), "without results"),
    "inputs: deaf to SIGTERM": (typed, _instead(runner, "carry_out", _asleep(deaf=True)), "of SIGTERM"),
    "inputs: gets nowhere": (typed, _instead(runner, "carry_out", _asleep(deaf=False)), "got nowhere"),
    "inputs: dies": (
        typed,
        _instead(runner, "carry_out", lambda _: lambda *_: os.kill(os.getpid(), signal.SIGSEGV)),
        "exit -11",
    ),
    "inputs: two lines": (typed, _instead(application, "_named", _after_word), "2 lines"),
    "python: an error of a library": (called, _face(lambda face: lambda **named: {}["length"]), "KeyError"),
    "python: a number that is not finite": (called, _instead(faces, "simulate", _nan_run), "not finite"),
    "python: gets nowhere": (called, _face(_asleep(deaf=False)), "no end within"),
    "python: deaf": (called, _face(_asleep(deaf=True)), "no sign of life"),
    "kills: an instant that is lost": (
        kills.batch,
        _instead(journal.Journal, "copy_from", _before(lambda self, data, count: (self, data, count - 1))),
        "",
    ),
    "kills: another state": (
        kills.batch,
        _instead(resume, "read_checkpoint", _after(_another_state)),
        "another trajectory",
    ),
    "sweeps: another point": (
        kills.sweep_batch,
        _instead(stored_points, "_outcome", _after(_other_point)),
        "other points",
    ),
    "disks: a traceback": (_quota, _instead(runner, "_of_disk", _raising(KeyError("seeded"))), "traceback"),
    "files: a wrong number": (
        _exported,
        _instead(trajectories, "load_trajectory", _after(_drifting)),
        "other numbers",
    ),
    "clocks: numbers by the clock": (
        surroundings.clock,
        _instead(plate_clamped, "problem", _before(_by_the_clock)),
        "other numbers",
    ),
    "soak: memory that grows": (_short_soak, lambda: None, "MB"),
}
"""Part that must see it, what breaks the code, and a word of what is then said."""
ATTEMPTS = 12
"""Batches in which a part may not meet what is broken, and so not see it."""
QUICK = {"PATIENCE": 2.0, "GRACE": 3.0, "STUCK": 4.0}


class UntilSeen(Tally):
    """A tally that is over as soon as it has a defect with a `word` in it; it says nothing of its defects."""

    def __init__(self, path, word):
        super().__init__(path, quiet=True)
        self.word = word

    @property
    def seen(self):
        """What is said of the defect, or nothing."""
        return next((defect["fault"] for defect in self.defects if self.word in defect["fault"]), "")

    @property
    def over(self):
        """Whether it was seen."""
        return bool(self.seen)


def batch(seed, tally, scratch, kept):
    """Break the code in each way; what no part sees is a defect of the suite."""
    for name, seconds in QUICK.items():
        setattr(processes, name, seconds)
    kept = {}
    for number, (title, (part, breaking, word)) in enumerate(SEEDED.items()):
        tally.at(json.dumps({"part": "seeded", "title": title}))
        found = UntilSeen(scratch / "seeded.json", word)
        place = scratch / f"seeded_{number}"
        place.mkdir()
        processes.broken[:] = [breaking]
        for attempt in range(ATTEMPTS):
            if found.over:
                break
            part(seed + attempt, found, place, kept.setdefault((part, number), {}))
        processes.broken.clear()
        if found.seen:
            tally.count("seeded defects", "seen")
            tally.notes[f"seeded, {title}"] = f"`{_line(found.seen)}`"
        else:
            tally.defect(
                "seeded defects",
                f".venv/bin/python tests/torture/run.py --only seeded --seed {seed}",
                f"{title}: not seen",
            )


def _line(fault):
    return " ".join(fault.splitlines()[0].split())[:110].replace("`", "'")
