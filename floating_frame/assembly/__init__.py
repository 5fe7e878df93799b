"""Models of problems: all that is constant in time."""
