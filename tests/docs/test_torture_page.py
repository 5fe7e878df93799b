"""The page of the fuzz and fault suite says what its run counted, and what defects it found."""

import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_written_from_the_counts_and_every_kind_of_fault_was_tried():
    spec = importlib.util.spec_from_file_location("torture_page", ROOT / "tests" / "torture" / "page.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    record = json.loads((ROOT / "tests" / "torture" / "counts.json").read_text())
    assert (ROOT / "docs" / "torture.md").read_text() == page.page(record)
    tried = " ".join(record["parts"])
    kinds = "command lines: run|python|kills of runs|kills of sweeps|full disks|read-only disks|damaged|locales|soak"
    assert [kind for kind in kinds.split("|") if kind not in tried] == []
