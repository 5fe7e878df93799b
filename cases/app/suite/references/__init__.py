"""References of the suite that are formulas or integrations of their own; each function takes a problem and gives its
quantities."""

from __future__ import annotations


def expect(holds: bool, that: str) -> None:
    """Refuse numbers of a problem for which its reference does not hold. Raises ValueError."""
    if not holds:
        raise ValueError(f"expected numbers for which {that}")
