"""Runs, pictures, exports and studies of the cases: all of `cases` but the case scripts."""
