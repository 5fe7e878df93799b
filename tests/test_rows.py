"""Rows of a test are all tried, share its fixtures, and name those that fail."""

import pytest
from rows import rows


def test_every_row_is_tried_and_those_that_fail_are_named():
    seen = []

    @rows(("number", "limit"), [(1, 5), (7, 5), (2, 5), (9, 5)], ids=["one", "seven", "two", "nine"])
    def small(number, limit, fixture):
        seen.append(number)
        assert fixture == "shared"
        assert number < limit

    with pytest.raises(AssertionError, match=r"(?s)in the row seven: .*in the row nine: ") as raised:
        small(fixture="shared")
    assert seen == [1, 7, 2, 9]
    assert "two" not in str(raised.value)

    @rows("text", ["a"])
    def does_not_raise(text):
        pytest.fail(f"DID NOT RAISE for {text}")

    with pytest.raises(pytest.fail.Exception) as missed:
        does_not_raise()
    assert missed.value.__notes__ == ["in the row a"]


@rows("n", [1, 2, 3])
def test_rows_take_the_fixtures_of_their_test(tmp_path, n):
    (tmp_path / str(n)).write_text("")
    assert len(list(tmp_path.iterdir())) == n
