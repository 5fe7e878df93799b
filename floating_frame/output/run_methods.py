"""Methods of runs, ``run.fff.NAME``, that other packages add, by where they are found: nothing is imported before it is called."""

from __future__ import annotations

METHODS: dict[str, str] = {}
"""Places "module:function" by name; the function takes the dataset of a run and the method's arguments."""


def register(name: str, place: str) -> None:
    """Add a method to all runs. Raises ValueError for a name that another place has."""
    if METHODS.setdefault(name, place) != place:
        raise ValueError(f"the method {name!r} of runs is taken by {METHODS[name]}")
