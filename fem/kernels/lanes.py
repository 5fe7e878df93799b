"""Vectorised layout of cell data: each scalar is a row of ``LANES`` numbers, one per cell; the innermost loop runs along the row.

Row r of an array begins at r W. Indices are unsigned: with signed ones, which may count from the end, compilers do not vectorise.
The cells of a mesh are stored in blocks of W; cells without volume fill up the last block.

The law and the hourglass energy are compiled functions of one block, called by their address: an element loop is compiled once
for all laws, and its cache never holds the name of a user's class. (Numba's first-class functions do the same, but are
experimental, give warnings, and take 10 to 30 µs per call for the dispatch.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

LANES = 32
W = np.uint64(LANES)
ONE, TWO = np.uint64(1), np.uint64(2)
_NUMBERS = types.CPointer(types.float64)
BLOCK = types.float64(_NUMBERS, _NUMBERS, _NUMBERS)
"""Signature of a block's function: constants (a law's parameters, the cells' tables), input and output."""


@intrinsic
def call(typing, address, constants, given, rows):  # type: ignore[no-untyped-def]
    """Call the function of signature ``BLOCK`` at an address; all arguments are addresses, int64."""
    signature = types.float64(address, constants, given, rows)
    function = types.ExternalFunctionPointer(types.float64(*signature.args[1:]), None)

    def generate(context, builder, _, args):  # type: ignore[no-untyped-def]
        pointer = builder.inttoptr(args[0], context.get_value_type(function))
        return context.call_function_pointer(builder, pointer, args[1:])

    return signature, generate


class BlockRows(NamedTuple):
    """First rows of the fields of a block, for d axes and M hourglass modes.

    ``gradient``: H (d, d), behind the amplitudes g (M, d) of the modes in the first rows.
    ``law``: result of the law: W, P (d, d), or A (d, d, d, d).
    ``result``: the generalised stresses y: ∂U/∂g (M, d) and ∂U/∂H (d, d), or their derivatives D; or the hourglass energy.
    ``workspace``: scratch rows of the hourglass energy.
    """

    gradient: int
    law: int
    result: int
    workspace: int

    @classmethod
    def of(cls, d: int, modes: int) -> BlockRows:
        """First rows for an element with d axes and ``modes`` hourglass modes."""
        strains = d * modes + d * d
        return cls(d * modes, strains, strains + d**4, strains + d**4 + strains**2)


def in_rows(table: np.ndarray) -> np.ndarray:
    """Table (C, ...) in blocks (blocks ... W,), with zeros for the cells that fill up the last block."""
    blocks = -(-len(table) // LANES)
    full = np.zeros((blocks * LANES, *table.shape[1:]))
    full[: len(table)] = table
    return np.ascontiguousarray(np.moveaxis(full.reshape(blocks, LANES, *table.shape[1:]), 1, -1)).ravel()
