"""Curves that laws are made of: step5, tables, expressions of place and time."""
