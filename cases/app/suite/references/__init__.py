"""References of the suite by closed forms or integrations; each function maps a problem to its quantities."""

from __future__ import annotations


def expect(holds: bool, that: str) -> None:
    """Raise ValueError for parameters for which the reference is not valid."""
    if not holds:
        raise ValueError(f"expected numbers for which {that}")
