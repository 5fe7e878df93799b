"""Models and numbers that several figures of one source share."""
