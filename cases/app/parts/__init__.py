"""Shared parts of the cases: parameters, bodies, laws, measures."""
