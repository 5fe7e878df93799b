"""Exact and literature solutions of the cases, independent of the code that they are held against."""
