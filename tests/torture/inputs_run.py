"""Batches of what hypothesis types and calls, each judged by how it ended."""

import random
import shutil
from pathlib import Path

import faces
import inputs
from hypothesis import HealthCheck, Phase, given, seed, settings
from shells import check_results, here

from cases.run import runner

EXAMPLES = 50
DRAWN = 0.1
"""Share of the runs whose picture is drawn: pictures take longer than the runs."""
READERS = [
    ["plot", "OUT"],
    ["export", "OUT", "--to", "csv"],
    ["export", "OUT", "--to", "html"],
    ["export", "OUT", "--to", "vtk"],
]
READERS += [
    ["resume", "OUT", "--quiet"],
    ["compare", "OUT", "OUT", "--out", "c.png"],
    ["animate", "OUT", "--fps", "2", "--out", "f.gif"],
]
HOW = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def typed(number, tally, scratch, kept):
    """Command lines of every case."""
    dice, draw = random.Random(number), runner._draw

    @seed(number)
    @HOW
    @given(inputs.commands())
    def line(tokens):
        tally.at(repr(tokens))
        runner._draw = draw if dice.random() < DRAWN else lambda directory: None
        ended = here(tokens)
        check_results(ended, "OUT")
        tally.ended(
            f"command lines: {tokens[0] if tokens[0] in ('run', 'sweep', 'converge', 'modes') else 'mangled'}", ended
        )
        if Path("OUT/trajectory.nc").exists() and dice.random() < 0.15:
            tokens = dice.choice(READERS)
            after = here(tokens, 20.0)
            tally.ended(f"command lines: {tokens[0]}", after, f"{ended.command()}; {after.command()}")
        for left in Path().iterdir():
            if left.is_dir() and (left.name == "OUT" or left.name == "results"):
                shutil.rmtree(left)
            elif left.is_file() and left.name in ("c.png", "f.gif"):
                left.unlink()

    place = Path(scratch) / "typed"
    place.mkdir(exist_ok=True)
    with _inside(place):
        try:
            line()
        finally:
            runner._draw = draw


def called(number, tally, scratch, kept):
    """Calls of the Python faces."""

    @seed(number)
    @HOW
    @given(faces.calls())
    def one(drawn):
        tally.at(repr(drawn))
        faces.call(drawn, tally)

    one()


class _inside:
    def __init__(self, place):
        self.place = place

    def __enter__(self):
        import os

        self.before = Path.cwd()
        os.chdir(self.place)

    def __exit__(self, *gone):
        import os

        os.chdir(self.before)
