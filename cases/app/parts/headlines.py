"""Headline numbers of several cases, each with unit and meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cases.app.run.results import Headline, headline
from cases.app.run.results import balance as balance

if TYPE_CHECKING:
    import xarray as xr


def beside(
    value: float | None, unit: str, meaning: str, known: float | None, *, source: str | None, holds: bool = True
) -> Headline:
    """A number beside its ``known`` value if this ``holds``: an exact value, or with a ``source`` a reference."""
    if not holds or known is None or source is None:
        return headline(value, unit, meaning, exact=known if holds else None)
    return headline(value, unit, meaning, reference=(float(known), source))


def friction_work(data: xr.Dataset) -> Headline:
    """Energy that friction dissipated until the end, J."""
    return headline(float(data.dissipation_friction.values[-1]), "J", "energy dissipated by friction")


def path_length(
    data: xr.Dataset, *, exact: float | None = None, reference: tuple[float, str] | None = None
) -> Headline:
    """Length of the path of the frame's origin, m, beside its known value."""
    path = np.hypot(*np.diff(data.frame_position.values, axis=0).T).sum()
    return headline(path, "m", "path length of the frame's origin", exact=exact, reference=reference)


def x_error(x: np.ndarray, exact: np.ndarray | None, meaning: str) -> Headline:
    """Largest error of a coordinate (times,) m at a stored time; no number where the exact one is not known."""
    largest = None if exact is None else float(np.max(np.abs(x - exact)))
    return headline(largest, "m", meaning, kind="check")


def stop_time(data: xr.Dataset) -> float | None:
    """First stored time from which on no node slides, s; None where the body still slides at the end."""
    still = data.stick.values.all(axis=1)
    if not still[-1]:
        return None
    moving = np.flatnonzero(~still)
    return float(data.time.values[moving[-1] + 1]) if moving.size else 0.0


def rest_time(data: xr.Dataset, *, exact: float | None = None) -> Headline:
    """``stop_time`` of a plate beside its exact value."""
    return headline(stop_time(data), "s", "time from which the plate is at rest", exact=exact)
