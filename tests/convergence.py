"""Observed orders, of whatever is halved from one error to the next."""

import numpy as np


def observed_orders(errors):
    """Return the orders (n - 1, ...) of consecutive pairs of errors (n, ...) at halved steps; not finite where one is zero."""
    errors = np.asarray(errors)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log2(errors[:-1] / errors[1:])
