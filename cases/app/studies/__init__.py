"""Convergence studies, comparisons and sweeps over runs of cases."""
