"""The verdict of a run: what of it should not be believed."""
