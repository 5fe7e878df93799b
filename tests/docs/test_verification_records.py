"""The verification fixture asserts from both sides what it records, and the report shows the record."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs"))
from pages import verification_page  # the pages of the site, which is no package


@pytest.fixture
def fresh(verification):
    """A fixture of its own, whose records stay out of the report."""
    return type(verification)(SimpleNamespace(nodeid="tests/physics/test_x.py::test_y[1]", user_properties=[]))


GIVEN = {"source": "theory", "tolerance": 0.1, "least": 0.01, "unit": "m"}


def test_an_error_between_its_bounds_passes_is_returned_and_recorded(fresh):
    assert fresh("claim", 2.05, 2.0, **GIVEN) == pytest.approx(0.05)
    assert fresh("claim", 1.9, 2.0, source="theory", tolerance=0.06, relative=True) == pytest.approx(-0.05)
    (_, first), (_, second) = fresh.node.user_properties
    assert first == json.loads(json.dumps(first))
    assert (first["computed"], first["reference"], first["unit"]) == (2.05, 2.0, "m")
    assert (second["relative"], second["error"]) == (True, pytest.approx(-0.05))


def test_the_worst_of_several_entries_is_recorded(fresh):
    fresh("orders", np.array([[2.01, 1.93], [2.02, 1.98]]), 2.0, source="theory", tolerance=0.1)
    assert fresh.node.user_properties[0][1]["computed"] == 1.93


@pytest.mark.parametrize("computed", [2.2, 1.8, 2.001, 2.0, np.nan, np.inf, [2.05, 2.2], [2.05, 2.0], [2.05, np.nan]])
def test_an_error_that_is_too_large_too_small_or_no_number_fails_and_says_the_claim(fresh, computed):
    with pytest.raises(AssertionError, match="claim"):
        fresh("claim", computed, 2.0, **GIVEN)


def test_the_report_has_a_row_with_reference_computed_error_bounds_and_test(fresh):
    fresh("the claim|", 2.05, 2.0, **GIVEN)
    page = verification_page([record for _, record in fresh.node.user_properties])
    assert page.startswith("1 claims")
    (row,) = [line for line in page.splitlines() if "the claim" in line]
    cells = [cell.strip() for cell in row.replace(r"\|", "/").strip("|").split("|")]
    assert cells == [
        "the claim/", "2 m", "2.05 m", "5.00e-02 m", "0.01 to 0.1", "theory; `test_x.py::test_y`"
    ]  # fmt: skip


def test_a_band_is_asserted_from_both_sides_recorded_and_reported_as_observed_and_not_as_a_reference(fresh):
    fresh.band("the order", [1.2, 1.65], 1.0, 1.7, why="slip fronts end within cells")
    (_, record), *_ = fresh.node.user_properties
    assert record == json.loads(json.dumps(record))
    assert (record["kind"], record["computed"]) == ("band", 1.65)  # the one nearest to an end
    assert "reference" not in record
    page = verification_page([record])
    assert " 1 claims have no reference" in page
    (row,) = [line for line in page.splitlines() if "the order" in line]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == [
        "the order", "none: observed band", "1.65", "", "1 to 1.7", "slip fronts end within cells; `test_x.py::test_y`"
    ]  # fmt: skip
    for computed in (0.9, 1.8, [1.2, 1.8], np.nan, [1.2, np.inf]):
        with pytest.raises(AssertionError, match=r"the order: .* is not within 1 to 1\.7"):
            fresh.band("the order", computed, 1.0, 1.7, why="slip fronts end within cells")
