"""`make torture`: fuzz and faults within TORTURE_MINUTES (60), and the counts as a page of the docs.

    python tests/torture/run.py [--minutes M] [--seed S] [--workers N] [--only PART] [--json FILE] [--page FILE]

This process imports the code, loads its kernels, and forks the workers, which fork a child for each command. A worker that gives no
sign of life is a hang, told with what it was at, and another one takes its place. What is counted is written every minute, and when
the suite is interrupted. The exit status is 1 where there is a defect. `--only PART --seed S` repeats a batch.
"""

import argparse
import gc
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE), str(HERE.parent), str(HERE.parent / "cases")]
for name, text in {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MPLBACKEND": "Agg"}.items():
    os.environ[name] = text  # before anything is imported that reads them

import disks  # noqa: E402
import files  # noqa: E402
import inputs_run  # noqa: E402
import kills  # noqa: E402
import page  # noqa: E402
import seeded  # noqa: E402
import soak  # noqa: E402
import surroundings  # noqa: E402
import warm  # noqa: E402
from tally import Tally  # noqa: E402

PARTS = {
    "inputs": (inputs_run.typed, 50, 7500),
    "kills": (kills.batch, 1, 420),
    "files": (files.batch, 20, 1500),
    "python": (inputs_run.called, 100, 14000),
    "sweeps": (kills.sweep_batch, 1, 50),
    "disks": (disks.batch, 1, 40),
    "surroundings": (surroundings.batch, 1, 40),
}
"""What is done: a batch, how many it holds, and how many an hour are to be done. The part that is behind most is next."""
ALONE = {"soak": soak.batch, "seeded": seeded.batch}
"""What is done once, of fixed length, by workers of their own."""
SILENCE = 900.0  # s without a sign of life; a busy machine compiles slowly
OTHERS = 1000
"""Number of the first worker of those."""


def next_part(done, workers, number):
    """Return the part that is behind most; each worker begins with another one, so that all kinds are there soon."""
    order = list(PARTS)
    order = order[number * len(order) // workers :] + order[: number * len(order) // workers]
    return min(order, key=lambda part: done[part] * PARTS[part][1] / PARTS[part][2])


def work(number, given, folder, ends, only):
    """Do batch after batch until the time is over, and keep the tally in `folder`."""
    tally = Tally(folder / f"worker_{number}.json", ends if given.minutes else float("inf"))
    scratch = folder / f"scratch_{number}"
    scratch.mkdir()
    os.chdir(scratch)
    parent, done, kept = os.getppid(), dict.fromkeys(PARTS, 0), {}
    if only in ALONE:
        tally.at(json.dumps({"part": only}))
        ALONE[only](given.seed, tally, scratch, kept)
        done = {}
    while done and os.getppid() == parent:
        part = only or next_part(done, given.workers, number)
        tally.at(json.dumps({"part": part}))
        # the first batch of --only begins with the seed itself, so that a defect's own seed repeats it
        dice = random.Random(f"{given.seed} {number} {part} {done[part]}")
        PARTS[part][0](dice.randrange(2**31) if done[part] or not only else given.seed, tally, scratch, kept)
        done[part] += 1
        tally.keep()
        if tally.over or (only and not given.minutes):
            break
    tally.keep()
    tally.path.with_suffix(".done").touch()


class Watch:
    """The workers, and what they count in `folder`."""

    def __init__(self, given, folder):
        self.given, self.folder, self.running = given, folder, {}
        self.began = time.monotonic()
        self.ends = self.began + 60.0 * given.minutes
        self.tally = Tally(folder / "watch.json")
        self.written = time.monotonic()

    def start(self, number, only):
        """Fork a worker."""
        sys.stdout.flush()
        process = os.fork()
        if process:
            self.running[number] = process, only
            return
        status = 1
        try:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            work(number, self.given, self.folder, self.ends, only)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)

    def all(self):
        """Start the workers and look after them until all are through."""
        for number in range(self.given.workers):
            self.start(number, self.given.only)
        if not self.given.only:
            for number, only in enumerate(ALONE):
                self.start(OTHERS + number, only)
        while self.running:
            time.sleep(0.5)
            for number in list(self.running):
                self.look_after(number)
            if time.monotonic() > self.written + 60.0:
                self.write()

    def look_after(self, number):
        """Replace a worker that is silent for too long, or died."""
        process, only = self.running[number]
        now = self.folder / f"worker_{number}.now"
        silent = time.time() - now.stat().st_mtime if now.exists() else 0.0
        over, status = os.waitpid(process, os.WNOHANG)
        if not over and silent < SILENCE:
            return
        if not over:
            os.killpg(process, signal.SIGKILL)
            status = os.waitpid(process, 0)[1]
        del self.running[number]
        if not (self.folder / f"worker_{number}.done").exists():
            what = now.read_text() if now.exists() else ""
            self.tally.defect("worker", what, f"no sign of life, or died ({os.waitstatus_to_exitcode(status)})")
            if time.monotonic() < self.ends and number < 20 * self.given.workers:
                self.start(number + self.given.workers, only)

    def end(self):
        """End the workers that still run."""
        for process, _ in self.running.values():
            os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)

    def write(self):
        """Write what is counted so far, and return it."""
        self.written = time.monotonic()
        total = Tally(self.folder / "total.json", quiet=True)
        for path in [self.tally.path, *sorted(self.folder.glob("worker_*.json"))]:
            total.take(path)
        minutes = (time.monotonic() - self.began) / 60.0
        spent = sum(os.times()[:4]) / 60.0  # of workers that have ended, too
        run = {
            "cpu_minutes": round(spent, 1),
            "asked": self.given.minutes,
            "seed": self.given.seed,
            "workers": self.given.workers,
        }
        record = found = page.record(total, minutes=minutes, **run)
        if self.given.again:
            record = json.loads(self.given.again.read_text()) | {"again": found}
        if self.given.json:
            self.given.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        if self.given.page:
            self.given.page.write_text(page.page(record), encoding="utf-8")
        return found


def main():
    """Run the suite, print and write its counts, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("TORTURE_MINUTES", "60")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TORTURE_SEED", random.randrange(10**6))))
    parser.add_argument("--workers", type=int, default=int(os.environ.get("TORTURE_WORKERS", os.cpu_count() or 1)))
    parser.add_argument("--only", default="", choices=["", *PARTS, *ALONE])
    parser.add_argument("--json", type=lambda text: Path(text).resolve())
    parser.add_argument(
        "--again", type=lambda text: Path(text).resolve(), help="counts of an earlier run, to add this one to"
    )
    parser.add_argument("--page", type=lambda text: Path(text).resolve())
    given = parser.parse_args()
    if given.only and "--minutes" not in " ".join(sys.argv):
        given.minutes, given.workers = 0.0, 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"torture: {given.minutes:g} minutes, seed {given.seed}, {given.workers} workers", flush=True)
    folder, home = Path(tempfile.mkdtemp(prefix="torture_")), Path.cwd()
    watch = Watch(given, folder)
    try:
        warm.up(folder)
        gc.collect()
        gc.freeze()
        print(f"kernels loaded after {time.monotonic() - watch.began:.0f} s", flush=True)
        watch.ends = max(watch.ends, time.monotonic() + 30.0 * given.minutes)  # where they had to be compiled
        watch.all()
    finally:
        os.chdir(home)
        watch.end()
        record = watch.write()
        shutil.rmtree(folder, ignore_errors=True)
        print(page.table(record), page.sums(record), sep="\n\n", flush=True)
    return 1 if record["defects"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
