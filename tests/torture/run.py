"""`make torture`: fuzz and faults within TORTURE_MINUTES (60), and the counts as a page of the docs.

    python tests/torture/run.py [--minutes M] [--seed S] [--workers N] [--only PART] [--json FILE] [--page FILE]

Each worker is a process of its own that is watched: one that gives no sign of life is a hang, told with what it was at, and
another one takes its place. The exit status is 1 where there is a defect. `--only PART --seed S` repeats a batch.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SHARES = {"inputs": 0.45, "python": 0.12, "kills": 0.2, "disks": 0.05, "files": 0.1, "surroundings": 0.08, "soak": 0.0}
"""Of a worker's time; soaks, whose length is fixed, are done once, by a worker of their own."""
SILENCE = 900.0  # s without a sign of life; a busy machine compiles slowly
SOAKING = 1000


def worker(number, seed, minutes, only, folder):
    """Do batch after batch until the time is over, and keep the tally in `folder`."""
    sys.path[:0] = [str(ROOT), str(HERE), str(HERE.parent), str(HERE.parent / "cases")]
    import disks
    import files
    import inputs_run
    import kills
    import soak
    import surroundings
    from tally import Tally

    parts = {"inputs": inputs_run.typed, "python": inputs_run.called}
    parts |= {"kills": kills.batch, "disks": disks.batch, "files": files.batch, "surroundings": surroundings.batch}
    tally = Tally(folder / f"worker_{number}.json")
    scratch = folder / f"scratch_{number}"
    scratch.mkdir(exist_ok=True)
    os.chdir(scratch)
    begin, spent, kept, batches = time.monotonic(), Counter(), {}, Counter()
    if only == "soak":
        soak.batch(seed, tally, scratch, kept)
        tally.keep()
    while only != "soak" and time.monotonic() - begin < 60.0 * minutes:
        part = only or min(parts, key=lambda name: (spent[name] + 1e-9 * len(name)) / SHARES[name])
        started = time.monotonic()
        tally.at(json.dumps({"part": part}))
        # the first batch of --only begins with the seed itself, so that a defect's own seed repeats it
        own = (
            seed
            if only and not batches[part]
            else random.Random(f"{seed} {number} {part} {batches[part]}").randrange(2**31)
        )
        parts[part](own, tally, scratch, kept.setdefault(part, {}))
        batches[part] += 1
        spent[part] += time.monotonic() - started
        tally.keep()
        if only and minutes == 0:
            break
    tally.path.with_suffix(".done").touch()


def watched(given, folder):
    """Start the workers, look after them, and return what they counted and found."""
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
        "PYTHONPATH": str(ROOT),
    }
    running, ends = {}, time.monotonic() + 60.0 * given.minutes
    found = Counter(), [], {}

    def start(number, seed, only=given.only):
        minutes = max(0.0, (ends - time.monotonic()) / 60.0)
        own = [
            "--worker",
            str(number),
            "--seed",
            str(seed),
            "--minutes",
            f"{minutes:.3f}",
            "--only",
            only,
            "--folder",
            folder,
        ]
        running[number] = subprocess.Popen(
            [sys.executable, __file__, *map(str, own)], env=environment, start_new_session=True
        )

    try:
        for number in range(given.workers):
            start(number, given.seed)
        if not given.only:
            start(SOAKING, given.seed, "soak")
        _look_after(running, start, given, folder, found, ends)
    finally:
        for process in running.values():
            os.killpg(process.pid, signal.SIGKILL)
    return found


def _look_after(running, start, given, folder, found, ends):
    """Until all workers are through: collect what they leave, replace those that are silent for too long."""
    while running:
        time.sleep(1.0)
        for number, process in list(running.items()):
            now = folder / f"worker_{number}.now"
            silent = time.time() - now.stat().st_mtime if now.exists() else 0.0
            what = now.read_text() if now.exists() else "{}"
            limit = json.loads(what or "{}").get("patience", SILENCE) if what.startswith("{") else SILENCE
            if process.poll() is None and silent < limit:
                continue
            os.killpg(process.pid, signal.SIGKILL) if process.poll() is None else None
            _collect(folder / f"worker_{number}", found)
            del running[number]
            if not (folder / f"worker_{number}.done").exists():
                found[1].append(
                    {"part": "worker", "command": what, "fault": f"no sign of life, or died ({process.returncode})"}
                )
                found[0]["worker|defect"] += 1
                if time.monotonic() < ends and number < 20 * given.workers and number != SOAKING:
                    now.unlink(missing_ok=True)
                    start(number + given.workers, given.seed)


def _collect(stem, found):
    path = stem.with_suffix(".json")
    if path.exists():
        kept = json.loads(path.read_text())
        found[0].update(kept["counts"])
        found[1].extend(kept["defects"])
        found[2].update(kept["notes"])


def main():
    """Run the suite, print and write its counts, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("TORTURE_MINUTES", "60")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TORTURE_SEED", random.randrange(10**6))))
    parser.add_argument("--workers", type=int, default=int(os.environ.get("TORTURE_WORKERS", os.cpu_count() or 1)))
    parser.add_argument("--only", default="", choices=["", *SHARES])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--worker", type=int)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if given.worker is not None:
        worker(given.worker, given.seed, given.minutes, given.only, given.folder)
        return 0
    if given.only and "--minutes" not in " ".join(sys.argv):
        given.minutes, given.workers = 0.0, 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = time.monotonic()
    print(f"torture: {given.minutes:g} minutes, seed {given.seed}, {given.workers} workers", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="torture_"))
    try:
        counts, defects, notes = watched(given, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.path.insert(0, str(HERE))
    import page

    record = page.record(counts, defects, notes, minutes=(time.monotonic() - began) / 60.0, seed=given.seed)
    print(page.table(record))
    for defect in defects:
        print(f"DEFECT [{defect['part']}] {defect['fault']}\n    {defect['command']}")
    if given.json:
        given.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    if given.page:
        given.page.write_text(page.page(record), encoding="utf-8")
    return 1 if defects else 0


if __name__ == "__main__":
    raise SystemExit(main())
