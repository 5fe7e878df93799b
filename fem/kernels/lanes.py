"""Loads and stores of several numbers at once, for compiled loops whose places the compiler cannot see to be neighbours.

Arrays are C-contiguous, float64; a place counts numbers from the array's first, and nothing is checked.
"""

from collections.abc import Callable
from typing import TypeAlias

from llvmlite import ir
from numba import types
from numba.core.base import BaseContext
from numba.extending import intrinsic

from fem.kernels.on_demand import INT1, OUT1, REAL1, jit_on_demand

Generated: TypeAlias = "tuple[types.Type, Callable[..., ir.Value]]"
Builder: TypeAlias = "ir.IRBuilder"
LANES = 8
"""Numbers of a long copy."""


def _place(
    context: BaseContext, builder: Builder, kind: types.Type, array: ir.Value, at: ir.Value, lanes: int
) -> ir.Value:
    first = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(first, [at]), ir.VectorType(ir.DoubleType(), lanes).as_pointer())


def _copied(to: types.Type, at: types.Type, source: types.Type, place: types.Type, lanes: int) -> Generated:
    def generate(context: BaseContext, builder: Builder, signature: types.Type, args: tuple[ir.Value, ...]) -> ir.Value:
        found = builder.load(_place(context, builder, signature.args[2], args[2], args[3], lanes), align=8)
        builder.store(found, _place(context, builder, signature.args[0], args[0], args[1], lanes), align=8)
        return context.get_dummy_value()

    return types.void(to, types.intp, source, types.intp), generate


@intrinsic
def copy_pair(context, to, at, source, place):  # type: ignore[no-untyped-def]
    """Copy 2 numbers: to[at:] = source[place:]."""
    return _copied(to, at, source, place, 2)


@intrinsic
def copy_lanes(context, to, at, source, place):  # type: ignore[no-untyped-def]
    """Copy LANES numbers: to[at:] = source[place:]."""
    return _copied(to, at, source, place, LANES)


def _added(data: types.Type, out: types.Type, first: list[int], second: list[int]) -> Generated:
    def generate(context: BaseContext, builder: Builder, signature: types.Type, args: tuple[ir.Value, ...]) -> ir.Value:
        rows = [builder.load(_place(context, builder, signature.args[3], args[3], at, 2), align=8) for at in args[4:]]
        for at, lanes in ((args[1], first), (args[2], second)):
            place = _place(context, builder, signature.args[0], args[0], at, 2)
            pair = builder.shuffle_vector(*rows, ir.Constant(ir.VectorType(ir.IntType(32), 2), lanes))
            builder.store(builder.fadd(builder.load(place, align=8), pair), place, align=8)
        return context.get_dummy_value()

    place = types.intp
    return types.void(data, place, place, out, place, place), generate


@intrinsic
def add_block(context, data, e, f, out, o, p):  # type: ignore[no-untyped-def]
    """Add a 2 × 2 block with the rows out[o:], out[p:] to the rows data[e:], data[f:]."""
    return _added(data, out, [0, 1], [2, 3])


@intrinsic
def add_transpose(context, data, e, f, out, o, p):  # type: ignore[no-untyped-def]
    """Add the transpose of a 2 × 2 block with the rows out[o:], out[p:] to the rows data[e:], data[f:]."""
    return _added(data, out, [0, 2], [1, 3])


@intrinsic
def add_pair(context, data, e, out, o):  # type: ignore[no-untyped-def]
    """Add the pair out[o:] to data[e:]."""

    def generate(context: BaseContext, builder: Builder, signature: types.Type, args: tuple[ir.Value, ...]) -> ir.Value:
        pair = builder.load(_place(context, builder, signature.args[2], args[2], args[3], 2), align=8)
        place = _place(context, builder, signature.args[0], args[0], args[1], 2)
        builder.store(builder.fadd(builder.load(place, align=8), pair), place, align=8)
        return context.get_dummy_value()

    return types.void(data, types.intp, out, types.intp), generate


@jit_on_demand(types.void(INT1, types.Array(types.int64, 1, "C", readonly=True), REAL1, OUT1))
def upper_triangle(indptr, starts, data, out):  # type: ignore[no-untyped-def]
    """Write the upper triangle of a CSR matrix into out; ``starts`` (n,): places of the diagonal.

    A short row is copied with what is behind it, which the next row overwrites.
    """
    q = 0
    for i in range(len(starts)):
        p = starts[i]
        last = q + indptr[i + 1] - p
        if indptr[i + 1] <= len(data) - LANES and last <= len(out) - LANES:
            for k in range(0, last - q, LANES):
                copy_lanes(out, q + k, data, p + k)
        else:
            for k in range(last - q):
                out[q + k] = data[p + k]
        q = last
