"""Errors of the levels of a convergence study, and observed orders of pairs of levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.spatial import KDTree

from cases.app.parts.measure import Array, Measure

AGAINST_FINEST = "finest level"
ROUNDING = 1e-11
"""Errors below this part of the largest known value are accumulated rounding and show no order."""

UNCHANGED = 1e-4
"""Errors of all levels that differ by less than this part of the largest do not depend on the refinement."""


@dataclass(frozen=True)
class Convergence:
    """One measure over the levels, coarse to fine. `errors`, `orders` (levels,): nan where there is none.

    `orders[k]` belongs to the pair of levels (k - 1, k). `kind`: the reference of the errors. `own_error`: the estimated error of
    the finest level where that is the reference; nan where the errors are against known values. `rounding`: all errors are
    accumulated rounding. `unchanged`: the errors of all levels are equal to UNCHANGED: they do not depend on the refinement.
    """

    unit: str
    kind: str
    errors: Array
    orders: Array
    own_error: float
    rounding: bool = False
    unchanged: bool = False


def converge(levels: Sequence[Measure]) -> Convergence:
    """Errors and orders of one measure, `levels` coarse to fine, each with twice the resolution of the last.

    Without known values errors are taken against the finest level; its own error e_f = C h_f^p is then part of them,
    e_k = C h_f^p (2^(p n) - 1), n levels above it, and the order of a pair is the p that solves
    e_k/e_{k+1} = (2^(p n) - 1)/(2^(p (n - 1)) - 1). The finest level's own error follows as e_{f-1}/(2^p - 1).
    """
    last = levels[-1]
    if last.known is not None:
        errors = np.array([_distance(m.value - m.known, m) for m in levels if m.known is not None])
        rounding = ROUNDING * float(np.max(np.abs(last.known)))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(errors[1:] > rounding, np.log2(errors[:-1] / errors[1:]), np.nan)
        exactly = bool(np.all(errors <= rounding))
        same = not exactly and len(errors) > 1 and bool(np.ptp(errors) <= UNCHANGED * errors.max())
        known = np.full(len(levels), np.nan) if same else _finite([np.nan, *ratios])
        return Convergence(last.unit, last.kind, errors, known, np.nan, exactly, same)
    errors = np.array([_difference(m, last) for m in levels[:-1]] + [np.nan])
    count = len(levels)
    if count > 1 and np.nanmax(errors) <= ROUNDING * float(np.max(np.abs(last.value))):
        return Convergence(last.unit, AGAINST_FINEST, errors, np.full(count, np.nan), np.nan, rounding=True)
    orders = [np.nan] * count
    for k in range(1, count - 1):
        orders[k] = order_against_finest(errors[k - 1], errors[k], count - k)
    p = orders[-2] if count > 2 else np.nan
    own = errors[-2] / (2.0**p - 1.0) if count > 1 and p > 0 else np.nan
    return Convergence(last.unit, AGAINST_FINEST, errors, _finite(orders), float(own))


def order_against_finest(coarse: float, fine: float, above: int) -> float:
    """Order p of a pair of errors against a finest level, the coarser one `above` >= 2 levels above it; nan where no power of the
    step gives this pair.
    """
    if not (fine > 0 and coarse > 0):
        return np.nan
    ratio = coarse / fine

    def excess(p: float) -> float:
        # (2^(p n) - 1)/(2^(p (n - 1)) - 1), whose limit at p = 0 is n/(n - 1)
        top = float(np.expm1(p * above * np.log(2.0)))
        bottom = float(np.expm1(p * (above - 1) * np.log(2.0)))
        return (top / bottom if bottom else above / (above - 1)) - ratio

    low, high = -8.0, 20.0
    return float(brentq(excess, low, high)) if excess(low) < 0.0 < excess(high) else np.nan


def _distance(difference: Array, like: Measure) -> float:
    size = np.linalg.norm(difference, axis=-1) if like.points is not None else np.abs(difference)
    return float(np.mean(size) if like.mean else np.max(size))


def _difference(level: Measure, finest: Measure) -> float:
    """Largest difference from the finest level at the points common to both."""
    if level.points is None or finest.points is None:
        return _distance(level.value - finest.value, level)
    reach = 1e-6 * float(np.ptp(finest.points, axis=0).max())
    away, at = KDTree(finest.points).query(level.points)
    shared = away < reach
    return _distance(level.value[..., shared, :] - finest.value[..., at[shared], :], level)


def _finite(values: Sequence[float]) -> Array:
    array = np.array(values, float)
    return np.where(np.isfinite(array), array, np.nan)
