"""The friction problem along a line, for quasi-static beams: a banded matrix, descent over active sets."""
