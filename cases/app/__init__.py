"""What runs, draws, exports and studies the cases: all of `cases` that is no case."""
