"""The verdict of a run: warnings of doubtful results."""
