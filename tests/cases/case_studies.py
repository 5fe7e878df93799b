"""Convergence studies of the cases."""

from cases.app.registry import load
from cases.app.studies import converge


def study(name, over, levels, **values):
    """A study whose levels have all been computed."""
    case = load(name)
    computed = converge.run_study(case, name, over, converge._assembled(case, case.Parameters(**values)), levels)
    assert not computed.failure
    return computed
