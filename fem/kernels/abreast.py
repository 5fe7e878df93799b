"""Cells abreast: each number of a cell is a row of ``LANES`` numbers, of as many cells, along which the innermost loops run.

Row r of an array begins at r W. Indices are unsigned: of a signed one a compiler cannot see that it does not count from the end,
and does not take neighbours together. A mesh's cells stand in blocks of W; the last one is filled up with cells without volume.

What depends on the law, or on the hourglass modes, is a compiled function of one block, called by its address: an element loop is
compiled once, whatever the law, and the cache of the loops never holds the name of a user's class. (Numba's own types of functions
do the same, as an experimental feature that warns, and take 10 to 30 µs a call to be recognised.)
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
"""Signature of a block's function: constants (a law's parameters, the cells' tables), what is given, and what it writes."""


@intrinsic
def call(typing, address, constants, given, rows):  # type: ignore[no-untyped-def]
    """Call the function of signature ``BLOCK`` at an address; all arguments are addresses, int64."""
    signature = types.float64(address, constants, given, rows)
    function = types.ExternalFunctionPointer(types.float64(*signature.args[1:]), None)

    def generate(context, builder, _, args):  # type: ignore[no-untyped-def]
        pointer = builder.inttoptr(args[0], context.get_value_type(function))
        return context.call_function_pointer(builder, pointer, args[1:])

    return signature, generate


class Rows(NamedTuple):
    """Hold the first rows of a block's numbers, for d axes and M hourglass modes.

    ``gradient``: H (d, d), behind the amplitudes g (M, d) of the modes, the first rows.
    ``law``: what a law writes: W, P (d, d), or A (d, d, d, d).
    ``result``: the generalised stresses y: ∂U/∂g (M, d) and ∂U/∂H (d, d), or the derivatives D of these; or the hourglass energy.
    ``room``: what the hourglass modes need beside.
    """

    gradient: int
    law: int
    result: int
    room: int

    @classmethod
    def of(cls, d: int, modes: int) -> Rows:
        """Return those of an element."""
        strains = d * modes + d * d
        return cls(d * modes, strains, strains + d**4, strains + d**4 + strains**2)


def in_rows(table: np.ndarray) -> np.ndarray:
    """Return a table (C, ...) in blocks (blocks ... W,), with zeros for the cells that fill the last block."""
    blocks = -(-len(table) // LANES)
    full = np.zeros((blocks * LANES, *table.shape[1:]))
    full[: len(table)] = table
    return np.ascontiguousarray(np.moveaxis(full.reshape(blocks, LANES, *table.shape[1:]), 1, -1)).ravel()
