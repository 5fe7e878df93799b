"""Convergence studies of the cases, and what their orders have to be."""

import numpy as np

from cases.app.registry import load
from cases.app.studies import converge


def study(name, over, levels, **values):
    """A study whose levels have all been computed."""
    case = load(name)
    found = converge.run_study(case, name, over, converge._assembled(case, case.Parameters(**values)), levels)
    assert not found.failure
    return found


def within(found, low, high, *, last):
    """Every order lies between `low` and `high`, and the last known error in `last`."""
    orders = found.orders[np.isfinite(found.orders)]
    errors = found.errors[np.isfinite(found.errors)]
    assert len(orders) == len(errors) - 1
    assert np.all((orders > low) & (orders < high)), orders
    assert last[0] < errors[-1] < last[1], errors
