"""The quintic step of RecurDyn as printed, for references."""

import numpy as np


def step5(x, x0, h0, x1, h1):
    """step5(x, x0, h0, x1, h1): from h0 at x0 to h1 at x1 > x0, constant outside."""
    s = np.clip((np.asarray(x, dtype=np.float64) - x0) / (x1 - x0), 0.0, 1.0)
    return h0 + (h1 - h0) * (s * s * s * (10.0 + s * (6.0 * s - 15.0)))
