"""Frozen records of numbers and arrays as bytes and back, to the last bit: no code is stored, and none is run by reading.

The bytes are a NumPy archive (each of its members has a CRC-32): the arrays, and a JSON tree of how records, tuples and
numbers hold them. Arrays keep their order in memory, for sums depend on it, and one array in two places stays one.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

PACKAGES = ("floating_frame", "fem", "friction")
"""Whose records may be read."""

_TREE = "tree"


class CannotDecode(ValueError):
    """Bytes that are damaged, or are of other records than this version has."""


def encode(value: object) -> bytes:
    """Return a tree of records, tuples, lists, dictionaries, arrays, numbers, texts and None as bytes."""
    arrays: dict[int, tuple[str, np.ndarray]] = {}

    def array(given: np.ndarray) -> dict[str, object]:
        key, _ = arrays.setdefault(id(given), (f"a{len(arrays)}", given))
        plain = given.flags.c_contiguous or given.flags.f_contiguous or min(given.strides) < 0
        return {"array": key} | ({} if plain else {"strides": given.strides})

    def tree(given: object) -> object:
        if given is None or type(given) in (bool, int, float, str):
            return given
        if isinstance(given, np.ndarray):
            return array(given)
        if isinstance(given, np.generic):
            return {"scalar": array(np.asarray(given))["array"]}
        kind, values = type(given), list[object]()
        if is_dataclass(given):
            values = [getattr(given, f.name) for f in fields(given)]
        elif isinstance(given, tuple | list):
            values = list(given)
        elif isinstance(given, dict):
            return {"items": [[tree(k), tree(v)] for k, v in given.items()]}
        else:
            raise TypeError(f"expected a record, got {kind.__module__}.{kind.__qualname__}")
        if kind in (tuple, list):
            return {kind.__name__: [tree(v) for v in values]}
        return {"record": [kind.__module__, kind.__qualname__], "values": [tree(v) for v in values]}

    text = json.dumps(tree(value)).encode()
    file = io.BytesIO()
    np.savez(file, **{_TREE: np.frombuffer(text, np.uint8)}, **dict(arrays.values()))  # type: ignore[arg-type]
    return file.getvalue()


def decode(data: bytes) -> Any:
    """Return what was encoded. Raises CannotDecode."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        return _built(json.loads(arrays.pop(_TREE).tobytes()), arrays, {})
    except CannotDecode:
        raise
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        EOFError,
        zipfile.BadZipFile,
        ImportError,
        AttributeError,
    ) as error:
        raise CannotDecode(" ".join(f"{type(error).__name__}: {error}".split())) from error


def _built(given: object, arrays: dict[str, np.ndarray], placed: dict[str, np.ndarray]) -> Any:
    if not isinstance(given, dict):
        return given
    if "array" in given:
        key = given["array"]
        if key not in placed:
            placed[key] = _placed(arrays[key], given.get("strides"))
        return placed[key]
    if "scalar" in given:
        return arrays[given["scalar"]][()]
    if "items" in given:
        return {_built(k, arrays, placed): _built(v, arrays, placed) for k, v in given["items"]}
    if "tuple" in given:
        return tuple(_built(v, arrays, placed) for v in given["tuple"])
    if "list" in given:
        return [_built(v, arrays, placed) for v in given["list"]]
    module, name = given["record"]
    return _record(module, name, [_built(v, arrays, placed) for v in given["values"]])


def _placed(stored: np.ndarray, strides: list[int] | None) -> np.ndarray:
    if strides is None:
        return stored
    size = sum((n - 1) * s for n, s in zip(stored.shape, strides, strict=True)) // stored.itemsize + 1
    found = as_strided(np.zeros(size, stored.dtype), stored.shape, strides)
    found[...] = stored
    return found


def _record(module: str, name: str, values: list[object]) -> Any:
    if module.partition(".")[0] not in PACKAGES:
        raise CannotDecode(f"expected records of {', '.join(PACKAGES)}, got {module}.{name}")
    kind: Callable[..., Any] = getattr(import_module(module), name)
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        if len(values) != len(kind._fields):
            raise CannotDecode(f"expected {len(kind._fields)} values of {name}, got {len(values)}")
        return tuple.__new__(kind, values)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise CannotDecode(f"expected a record, got {module}.{name}")
    names = [f.name for f in fields(kind)]
    if len(values) != len(names):
        raise CannotDecode(f"expected {len(names)} values of {name}, got {len(values)}")
    made = object.__new__(kind)  # as it was, not as it would be made today
    for key, value in zip(names, values, strict=True):
        object.__setattr__(made, key, value)
    return made
