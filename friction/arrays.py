"""Types of arrays, and what is a number."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


def is_finite(value: object) -> bool:
    """Say whether a value is a finite real number: neither a text nor an array, nor an integer beyond all bounds."""
    return isinstance(value, (int, float, np.integer, np.floating)) and bool(-math.inf < value < math.inf)
