"""Curves for laws: step5, tables, expressions of place and time."""
