"""Checksums of numbers and of code, and the checks of pictures: that they see what they are for."""

import numpy as np
import pytest
from figure_runs import cut, is_column_wide, overhang, overlapping, too_small

from paper_figures.ink.style import column_figure, house_style, settle
from paper_figures.runs import checksums
from paper_figures.runs.checksums import code_checksum, module_checksum, numbers_checksum

RNG = np.random.default_rng(7)
NUMBERS = {"v": RNG.normal(size=(40, 2)), "name": "block", "parts": [np.arange(3), {"a": 1.5}], "ok": True}


def test_the_checksum_does_not_see_rounding_nor_the_order_of_names():
    noisy = NUMBERS | {"v": NUMBERS["v"] * (1 + 1e-15)}
    assert numbers_checksum(noisy) == numbers_checksum(NUMBERS)
    assert numbers_checksum(dict(reversed(NUMBERS.items()))) == numbers_checksum(NUMBERS)


@pytest.mark.parametrize(
    "change",
    [
        {"v": NUMBERS["v"] + np.where(np.arange(40)[:, None] == 3, 1e-6, 0.0)},
        {"v": NUMBERS["v"].reshape(2, 40)},
        {"v": NUMBERS["v"] * 10.0},
        {"v": np.where(np.arange(40)[:, None] == 3, np.nan, NUMBERS["v"])},
        {"name": "plate"},
        {"parts": [np.arange(3), {"a": 1.6}]},
        {"parts": [np.arange(4), {"a": 1.5}]},
        {"ok": False},
        {"more": 0.0},
    ],
)
def test_the_checksum_sees_any_other_change(change):
    assert numbers_checksum(NUMBERS | change) != numbers_checksum(NUMBERS)


def test_times_of_computation_can_be_left_out_of_the_checksum():
    assert numbers_checksum(NUMBERS | {"seconds": 3.0}, without=("seconds",)) == numbers_checksum(NUMBERS)


def test_the_codes_checksum_sees_every_computing_file_and_no_drawing(tmp_path, monkeypatch):
    for room in checksums.COMPUTING:
        (tmp_path / room).mkdir()
        (tmp_path / room / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(checksums, "ROOT", tmp_path)
    whole = code_checksum.__wrapped__
    first = whole()
    (tmp_path / "cases" / "plots").mkdir()
    (tmp_path / "cases" / "plots" / "a.py").write_text("y = 1\n")
    assert whole() == first
    seen = {first}
    for room in checksums.COMPUTING:
        (tmp_path / room / "a.py").write_text("x = 2\n")
        seen.add(whole())
    (tmp_path / "fem" / "a.py").rename(tmp_path / "fem" / "b.py")
    seen.add(whole())
    assert len(seen) == 2 + len(checksums.COMPUTING)


def test_a_modules_checksum_sees_the_helpers_that_it_imports():
    block, figure = (
        module_checksum(f"paper_figures.{name}") for name in ("parts.potra_block", "figures.potra2006_fig2")
    )
    assert block != figure
    computed = checksums._imported(checksums.ROOT / "paper_figures" / "figures" / "potra2006_fig2.py")
    assert "paper_figures.parts.potra_block" in computed
    assert "paper_figures.ink.style" in computed
    assert "paper_figures.runs.jobs" in checksums._imported(
        checksums.ROOT / "paper_figures" / "parts" / "potra_block.py"
    )


def picture(draw):
    with house_style():
        figure = column_figure(50)
        draw(figure.subplots())
        return settle(figure)


def test_the_checks_of_a_picture_see_overlap_cuts_and_small_type():
    good = picture(lambda axes: axes.set(xlabel="time [s]", ylabel="x [m]"))
    assert not overlapping(good)
    assert not cut(good)
    assert not too_small(good)
    assert is_column_wide(good)
    crossed = picture(lambda axes: [axes.text(0.5, 0.5, "one"), axes.text(0.52, 0.5, "two")])
    assert overlapping(crossed) == [("one", "two")]
    outside = picture(lambda axes: axes.text(1.05, 0.5, "far to the right", in_layout=False))
    assert cut(outside) == ["far to the right"]
    assert overhang(good).max() == 0
    good.axes[0].plot([0.5], [1.5], "o", scaley=False, clip_on=False)
    assert overhang(good)[3] > 20
    small = picture(lambda axes: axes.text(0.5, 0.5, "small", fontsize=6))
    assert [text for text, _ in too_small(small)] == ["small"]
    hidden = picture(lambda axes: (axes.set_xlim(0, 1), axes.set_xticks([0.0, 0.01]), axes.set_xlim(5, 6)))
    assert not overlapping(hidden)
