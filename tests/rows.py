"""Rows of one test: for claims so small that an item of their own each, a hundred refusals say, would only make noise."""

import functools
import inspect

import pytest


def rows(names, values, *, ids=None):
    """Decorate a test that is to go through all rows as one item; arguments as those of `pytest.mark.parametrize`.

    Every row is tried. Those that fail are named, with what they raised. Rows share the test's fixtures.
    """
    given = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = []
    for number, value in enumerate(values):
        named = hasattr(value, "marks")  # a pytest.param
        cells = value.values if named else (value,) if len(given) == 1 else value
        label = ids(value) if callable(ids) else ids[number] if ids else value.id if named else value
        table.append((label, dict(zip(given, cells, strict=True))))
    assert table, "no rows"

    def decorate(test):
        signature = inspect.signature(test)

        @functools.wraps(test)
        def every(**fixtures):
            failures = []
            for label, row in table:
                try:
                    test(**fixtures, **row)
                except (Exception, pytest.fail.Exception) as raised:
                    raised.add_note(f"in the row {label}")
                    failures.append(raised)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise AssertionError("\n".join(f"{f.__notes__[-1]}: {f!r}" for f in failures)) from failures[0]

        every.__signature__ = signature.replace(
            parameters=[parameter for name, parameter in signature.parameters.items() if name not in given]
        )
        del every.__wrapped__
        return every

    return decorate
