"""The internal force of any plate, for other compiled loops; both kinds of cells are compiled with it."""

from numba import njit

from fem.kernels import bilinear, elastic


@njit(cache=True, error_model="numpy")
def internal_force(u, nodes, gradients, volumes, code, parameters, cells, rest, rotated, out):  # type: ignore[no-untyped-def]
    """Write −∂U/∂u into out (N, 2) [N]. Arguments as those of ``elastic.internal_force``."""
    if len(cells):
        bilinear.internal_force(u, nodes, gradients, volumes, code, parameters, cells, rest, rotated, out)
    else:
        elastic.internal_force(u, nodes, gradients, volumes, code, parameters, cells, rest, rotated, out)
