"""The verification fixture asserts from both sides what it records, and the report shows the record."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rows import rows

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "docs"))
from generators import verification as report  # noqa: E402  docs/ is no package


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


@rows("computed", [2.2, 1.8, 2.001, 2.0, np.nan, np.inf, [2.05, 2.2], [2.05, 2.0], [2.05, np.nan]], ids=str)
def test_an_error_that_is_too_large_too_small_or_no_number_fails_and_says_the_claim(fresh, computed):
    with pytest.raises(AssertionError, match="claim"):
        fresh("claim", computed, 2.0, **GIVEN)


def reported(*records):
    """The report, and the cells of its tables by claim."""
    stored = {"commit": "0123456789ab", "versions": {"python": "3"}, "records": records}
    text = report.page(stored, {"Farkas et al. (2003)": "farkas-et-al-2003"})
    rows = [part.splitlines() for part in re.split(r"^\* - ", text, flags=re.M)[2:]]
    return text, {row[0].split("<br>")[0]: [row[0], *(cell[4:] for cell in row[1:5])] for row in rows}


def test_the_report_has_a_row_with_all_of_a_claim_below_it_source_and_test_and_begins_with_a_summary_by_subject(fresh):
    for computed in (2.02, 2.08, 2.05):
        fresh("the claim|*", computed, 2.0, **GIVEN | {"source": "quadrature; Farkas et al. (2003)"})
    page, table = reported(*(record for _, record in fresh.node.user_properties))
    said = "claims, each asserted by the test that recorded its numbers, at commit `0123456789` with python 3"
    assert page.startswith(f"3 {said}")
    source = "quadrature; [Farkas et al. (2003)](references.md#farkas-et-al-2003); `test_x.py::test_y`"
    head, *cells = table[r"the claim|\*"]
    assert head == rf"the claim|\*<br><small>{source}</small>"
    assert cells == ["2 m", "2.05 m", "5.00e-02 m", "0.01 to 0.1"]
    assert f"| [{report.OTHER}](#{report.anchor(report.OTHER)}) | 3 | 3 | 0.5 | 0.8 |" in page.split("## ")[0]


def test_every_stored_claim_stands_under_a_subject_and_every_subject_has_claims():
    subjects = report.by_subject(report.read(ROOT / "docs" / "verification.json")["records"])
    assert list(subjects) == list(report.SUBJECTS)
    assert max(map(len, subjects.values())) <= 30


def test_a_site_without_records_says_so_and_how_they_are_written(tmp_path):
    assert "make verification" in report.page(report.read(tmp_path / "verification.json"), {})


def test_every_work_that_a_stored_claim_names_is_among_the_references():
    text = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    works = report.works_of(text)
    assert len(works) > 20
    sources = [record["source"] for record in report.read(ROOT / "docs" / "verification.json")["records"]]
    named = [source for source in sources if re.search(r"\b(1[89]|20)\d\d\b", source)]
    assert len(named) > 3
    assert [source for source in named if report.cited(source, works) == source] == []


def test_a_band_is_asserted_from_both_sides_recorded_and_reported_as_observed_and_not_as_a_reference(fresh):
    fresh.band("the order", [1.2, 1.65], 1.0, 1.7, why="slip fronts end within cells")
    (_, record), *_ = fresh.node.user_properties
    assert record == json.loads(json.dumps(record))
    assert (record["kind"], record["computed"]) == ("band", 1.65)  # the one nearest to an end
    assert "reference" not in record
    page, table = reported(record)
    assert " 1 claims have no reference" in page
    assert table["the order"][1:] == ["none: observed band", "1.65", "", "1 to 1.7"]
    for computed in (0.9, 1.8, [1.2, 1.8], np.nan, [1.2, np.inf]):
        with pytest.raises(AssertionError, match=r"the order: .* is not within 1 to 1\.7"):
            fresh.band("the order", computed, 1.0, 1.7, why="slip fronts end within cells")
