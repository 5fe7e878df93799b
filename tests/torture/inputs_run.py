"""Batches of what hypothesis types and calls, each judged by how it ended."""

import random
import shutil
from contextlib import chdir
from pathlib import Path

import faces
import inputs
from hypothesis import HealthCheck, Phase, given, seed, settings
from processes import guarded, run_input
from shells import check_results
from tally import Tally

from cases.app.run import runner

DRAWN = 0.1
"""Share of the runs whose picture is drawn: pictures take longer than the runs."""
NEW = 0.005
"""Share of the command lines that are typed to an interpreter of their own, which takes seconds to import."""
READERS = [
    ["plot", "OUT"],
    ["export", "OUT", "--to", "csv"],
    ["export", "OUT", "--to", "html"],
    ["export", "OUT", "--to", "vtk"],
    ["resume", "OUT", "--quiet"],
    ["compare", "OUT", "OUT", "--out", "c.png"],
    ["animate", "OUT", "--fps", "2", "--out", "f.gif"],
]
KNOWN = ("run", "sweep", "converge", "modes")


def batches(count):
    """Return how hypothesis draws a batch."""
    return settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def without_picture():
    """Let the child draw nothing."""
    runner._draw = lambda *_: None


def typed(number, tally, scratch, kept, count=50):
    """Type command lines of every case."""
    dice = random.Random(number)

    @seed(number)
    @batches(count)
    @given(inputs.commands())
    def line(tokens):
        if not tally.over:
            _typed(tokens, dice, tally)

    place = Path(scratch) / "typed"
    place.mkdir(exist_ok=True)
    with chdir(place):
        line()


def _typed(tokens, dice, tally):
    tally.at(repr(tokens))
    prepare = None if dice.random() < DRAWN else without_picture
    ended = run_input(tokens, prepare, new=dice.random() < NEW, again=_cleared)
    if "OUT" in tokens[1:]:  # a mangled line may write elsewhere
        check_results(ended, "OUT")
    tally.ended(f"command lines: {tokens[0] if tokens[0] in KNOWN else 'mangled'}", ended)
    if Path("OUT/trajectory.nc").exists() and dice.random() < 0.15:
        tokens = dice.choice(READERS)
        after = run_input(tokens)
        tally.ended(f"command lines: {tokens[0]}", after, f"{ended.command()}; {after.command()}")
    _cleared()


def _cleared():
    for left in Path().iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()


def called(number, tally, scratch, kept, count=100):
    """Call the Python faces, in a child of this process."""
    own = Tally(Path(scratch) / "called.json", tally.until, quiet=tally.quiet)
    own.path.unlink(missing_ok=True)
    own.at("")

    @seed(number)
    @batches(count)
    @given(faces.calls())
    def one(drawn):
        if not own.over:
            own.at(repr(drawn))
            faces.call(drawn, own)

    def work():
        one()
        own.keep()

    fault = guarded(work, own.path.with_suffix(".now"))
    tally.take(own.path)
    if fault:
        tally.defect("python", own.path.with_suffix(".now").read_text(), fault)
