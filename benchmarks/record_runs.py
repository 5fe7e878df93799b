"""Short runs of every admitted combination, recorded and compared: a change of the code's structure must not change them.

Every run (the package ``recorded``) takes a few steps on a tiny mesh. All variables of all trajectories are stored, iteration
counts and stick flags included, warnings with their values, and the line of what fails or is refused.

    python benchmarks/record_runs.py record before.npz [--workers 2] [--only WORD ...]     in one checkout
    python benchmarks/record_runs.py record after.npz [--workers 2] [--only WORD ...]       in another (PYTHONPATH names it)
    python benchmarks/record_runs.py compare before.npz after.npz [--bar rounding] [--bar solid=solver] [--only WORD ...]
    python benchmarks/record_runs.py list [--only WORD ...]
    python benchmarks/record_runs.py record mass.npz --twin mass                    the first with masses larger by rounding
    python benchmarks/record_runs.py record exact.npz --twin tolerance              the first with tighter tolerances

``--only`` takes the runs whose names have one of the words. A bar, ``bits``, ``rounding`` or ``solver``, is
asked of all groups or of one: the first word of a run's name. ``compare`` exits with 1 where a run is beyond its bar, or in one
file only; ``--rows`` says how many variables of a group its table has. ``--twin FILE`` names a twin of the first record: what
differs between these two, rounding or the solver's tolerance decides, and less is asked of it.

A development tool: only ``recorded/problems.py`` has to follow where public names change."""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from recorded.comparison import BARS, Group, compared
from recorded.problems import TWIN
from recorded.runs import known, taken
from recorded.store import Stored, load, save


def chosen(names: list[str], words: list[str]) -> list[str]:
    """Names that have one of the words."""
    return [name for name in names if not words or any(word in name for word in words)]


def versions() -> dict[str, str]:
    """Versions of a record."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in ("numpy", "scipy", "numba", "pypardiso"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def record(path: str, words: list[str], workers: int, twin: str) -> int:
    """Run all (or those whose names have one of ``words``), or their ``twin``, and save them."""
    os.environ[TWIN] = twin
    names = chosen(list(known()), words)
    if workers == 1:
        done = [taken(name) for name in names]
    else:
        with multiprocessing.get_context("spawn").Pool(workers) as pool:
            done = pool.map(taken, names, chunksize=8)
    save(path, Stored({name: values for name, values, _ in done}, {name: cpu for name, _, cpu in done}, versions()))
    seconds: collections.Counter[str] = collections.Counter()
    count = collections.Counter(name.split()[0] for name in names)
    for name, _, cpu in done:
        seconds[name.split()[0]] += cpu
    for group, total in sorted(seconds.items()):
        print(f"{group:12s} {count[group]:5d} runs {total:8.1f} s")
    broken = [f"  {name}: {values['message']}" for name, values, _ in done if "broken" in values]
    print(
        "\n".join(
            [*broken, f"{len(names)} runs in {sum(seconds.values()):.0f} s of CPU time, {len(broken)} broken -> {path}"]
        )
    )
    return min(len(broken), 1)


def bars_of(given: list[str]) -> dict[str, str]:
    """Bars by group, "" for all others. Exits where one is unknown."""
    found = {"": "bits"}
    for text in given:
        group, _, bar = text.rpartition("=")
        if bar not in BARS:
            sys.exit(f"expected a bar, one of {', '.join(BARS)}, or GROUP=BAR, got {text!r}")
        found[group] = bar
    return found


def compare(given: argparse.Namespace) -> int:
    """Print how two records differ, by group and variable; return 1 where a run is beyond its bar, or missing."""
    one, two, twins = load(given.before), load(given.after), [load(path) for path in given.twin]
    bars = bars_of(given.bar)
    for name in sorted(one.about.keys() | two.about.keys()):
        if one.about.get(name) != two.about.get(name):
            print(f"note: {name} {one.about.get(name)} before, {two.about.get(name)} after")
    first, second = (set(chosen(list(record.runs), given.only)) for record in (one, two))
    if unknown := bars.keys() - {name.split()[0] for name in first | second} - {""}:
        sys.exit(f"no runs of the group {', '.join(sorted(unknown))}")
    groups: dict[str, Group] = {}
    for name in sorted(first & second):
        kind = name.split()[0]
        group = groups.setdefault(kind, Group(bars.get(kind, bars[""])))
        before = [record.runs[name] for record in (one, *twins) if name in record.runs]
        compared(name, before, two.runs[name], group)
        group.seconds = tuple(s + r.seconds[name] for s, r in zip(group.seconds, (one, two), strict=True))
    missing = [f"  only before: {name}" for name in sorted(first - second)]
    missing += [f"  only after: {name}" for name in sorted(second - first)]
    return told(groups, missing, given.rows)


def told(groups: dict[str, Group], missing: list[str], rows: int) -> int:
    """Print runs beyond their bar or ``missing``, then all differences; return 1 for any of the former."""
    beyond = [line for group in groups.values() for line in group.beyond]
    print("\n".join(beyond + missing))
    print(f"\n{'group':12s} {'bar':9s} {'runs':>5s} {'equal':>6s} {'beyond':>6s} {'s before':>9s} {'s after':>9s}")
    for kind, group in groups.items():
        cpu = " ".join(f"{seconds:9.1f}" for seconds in group.seconds)
        print(f"{kind:12s} {group.bar:9s} {group.runs:5d} {group.equal:6d} {len(group.beyond):6d} {cpu}")
    print("\nlargest differences over their scales, by group and variable")
    for kind, group in groups.items():
        for key, (gap, name) in sorted(group.worst.items(), key=lambda item: -item[1][0])[:rows]:
            print(f"{kind:12s} {key:28s} {gap:8.1e}  ({name})")
        others = ", ".join(f"{key} in {count} runs" for key, count in sorted(group.others.items()))
        print("\n".join([f"{kind:12s} also {others}"] if others else []), end="\n" if others else "")
    runs, equal = sum(g.runs for g in groups.values()), sum(g.equal for g in groups.values())
    print(
        f"{runs} runs, {equal} equal to the last bit, {len(beyond)} beyond their bar, {len(missing)} in one file only"
    )
    return min(len(beyond) + len(missing), 1)


def main() -> int:
    """Do as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording, listing = commands.add_parser("record"), commands.add_parser("list")
    comparing = commands.add_parser("compare")
    recording.add_argument("path")
    recording.add_argument("--workers", type=int, default=1)
    recording.add_argument("--twin", choices=("", "mass", "tolerance"), default="")
    comparing.add_argument("before")
    comparing.add_argument("after")
    comparing.add_argument("--bar", action="append", default=[])
    comparing.add_argument("--twin", action="append", default=[])
    comparing.add_argument("--rows", type=int, default=6)
    for each in (recording, listing, comparing):
        each.add_argument("--only", nargs="+", default=[], metavar="WORD")
    given = parser.parse_args()
    if given.command == "record":
        return record(given.path, given.only, given.workers, given.twin)
    if given.command == "compare":
        return compare(given)
    print("\n".join(chosen(list(known()), given.only)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
