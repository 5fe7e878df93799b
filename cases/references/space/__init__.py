"""Exact solutions in space."""
