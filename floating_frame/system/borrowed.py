"""Views of arrays for compiled functions, without reference counts, which took half the time of a step of few points."""

from __future__ import annotations

from typing import Any

from numba import carray, types
from numba.extending import intrinsic, overload


@intrinsic
def _pointer(typing, address, array):  # type: ignore[no-untyped-def]
    """An address as a pointer to an array's numbers."""
    pointer = types.CPointer(array.dtype)

    def generate(context, builder, _, values):  # type: ignore[no-untyped-def]
        return builder.inttoptr(values[0], context.get_value_type(pointer))

    return pointer(address, array), generate


def borrowed(record: Any) -> Any:
    """Record with views of its arrays, which the caller keeps; numbers as they are."""
    return record


@overload(borrowed, jit_options={"forceinline": True})
def _(record):  # type: ignore[no-untyped-def]
    if isinstance(record, types.Array) and record.layout == "C":
        return lambda record: carray(_pointer(record.ctypes.data, record), record.shape)
    if isinstance(record, types.NamedTuple):
        parts = ", ".join(f"borrowed(record.{name})" for name in record.fields)
        scope: dict[str, Any] = {"made": record.instance_class, "borrowed": borrowed}
        exec(f"def views(record):\n    return made({parts})\n", scope)
        return scope["views"]
    if isinstance(record, types.UniTuple):
        parts = ", ".join(f"borrowed(record[{i}])" for i in range(record.count))
        scope = {"borrowed": borrowed}
        exec(f"def views(record):\n    return ({parts},)\n", scope)
        return scope["views"]
    return lambda record: record
