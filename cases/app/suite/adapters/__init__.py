"""Adapters: one file a code."""
