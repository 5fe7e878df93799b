"""Frozen records of numbers and arrays as bytes and back, bit for bit. No code is stored, and reading runs none.

The bytes are an uncompressed NumPy archive (each member with a CRC-32): the arrays, and a JSON tree of the records, tuples and
numbers around them. Arrays keep their order in memory, C or Fortran's, on which sums depend, and an array in two places stays
one array. Input is not trusted: no member takes more memory than the file has bytes, every value has the type that its record
declares, and ``check_alike`` compares shapes with those of known records.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from itertools import chain
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

PACKAGES = ("floating_frame", "fem", "friction")
"""Packages whose records may be read."""

_TREE, _SUFFIX, _KINDS = "tree", ".npy", "biuf"
_WIDEST = 1 << 63
"""Bound of integers: NumPy's have 64 bits."""


class CannotDecode(ValueError):
    """Damaged bytes, or records that this version does not have."""


def encode(value: object) -> bytes:
    """Encode a tree of records, tuples, lists, dictionaries, arrays, numbers, texts and None as bytes."""
    arrays: dict[int, tuple[str, np.ndarray]] = {}

    def array(given: np.ndarray) -> str:
        return arrays.setdefault(id(given), (f"a{len(arrays)}", given))[0]

    def tree(given: object) -> object:
        if given is None or type(given) in (bool, int, float, str):
            return given
        if isinstance(given, np.ndarray):
            return {"array": array(given)}
        if isinstance(given, np.generic):
            return {"scalar": array(np.asarray(given))}
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
    """Decode the bytes of ``encode``. Raises CannotDecode."""
    try:
        arrays = _arrays(data)
        return _built(json.loads(arrays.pop(_TREE).tobytes()), arrays)
    except CannotDecode:
        raise
    except Exception as error:  # whatever zipfile, NumPy, JSON and the records' modules raise for what they cannot read
        raise CannotDecode(" ".join(f"{type(error).__name__}: {error}".split())[:200]) from error


def _arrays(data: bytes) -> dict[str, np.ndarray]:
    """Members of the archive, copied; refused where compressed or together larger than the file."""
    with zipfile.ZipFile(io.BytesIO(data)) as stored:
        members = stored.infolist()
        if sum(member.file_size for member in members) > len(data):
            raise CannotDecode("expected members that are no larger than the file, got larger ones")
        for member in members:
            if member.compress_type != zipfile.ZIP_STORED or not member.filename.endswith(_SUFFIX):
                raise CannotDecode(f"expected arrays that are not compressed, got {member.filename!r}")
        return {member.filename.removesuffix(_SUFFIX): _array(stored.read(member)) for member in members}


def _array(data: bytes) -> np.ndarray:
    """Array of a .npy file: numbers in this machine's byte order, no more than the bytes hold."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
    shape, fortran, kind = header(file)
    size = math.prod(shape) * kind.itemsize
    if kind.kind not in _KINDS or kind.names or kind.subdtype or not kind.isnative:
        raise CannotDecode(f"expected an array of numbers, got one of {kind}")
    if min(shape, default=0) < 0 or size != len(data) - file.tell():
        raise CannotDecode(
            f"expected an array of {len(data) - file.tell()} bytes, got one of shape {shape} and type {kind}"
        )
    flat = np.frombuffer(data, kind, offset=file.tell())
    return np.array(flat.reshape(shape, order="F" if fortran else "C"), order="K")


def _built(given: object, arrays: Mapping[str, np.ndarray]) -> Any:
    match given:
        case {"array": key, **rest} if not rest:
            return arrays[key]
        case {"scalar": key, **rest} if not rest:
            return arrays[key][()]
        case {"items": [*items], **rest} if not rest:
            return {_built(k, arrays): _built(v, arrays) for k, v in items}
        case {"tuple": [*values], **rest} if not rest:
            return tuple(_built(v, arrays) for v in values)
        case {"list": [*values], **rest} if not rest:
            return [_built(v, arrays) for v in values]
        case {"record": [module, name], "values": [*values], **rest} if not rest:
            return _record(module, name, [_built(v, arrays) for v in values])
        case dict() | list():
            raise CannotDecode("expected arrays, numbers and records, got something else")
    return given


def _record(module: str, name: str, values: list[object]) -> Any:
    if module.partition(".")[0] not in PACKAGES:
        raise CannotDecode(f"expected records of {', '.join(PACKAGES)}, got {module}.{name}")
    kind: Callable[..., Any] = getattr(import_module(module), name)
    if not (isinstance(kind, type) and (is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields")))):
        raise CannotDecode(f"expected a record, got {module}.{name}")
    declared = declared_types(kind)
    if len(values) != len(declared):
        raise CannotDecode(f"expected {len(declared)} values of {name}, got {len(values)}")
    for (key, wanted), value in zip(declared.items(), values, strict=True):
        if not has_type(value, wanted):
            raise CannotDecode(f"expected {key} of {name} as {wanted}, got {type(value).__name__}")
    if issubclass(kind, tuple):
        return tuple.__new__(kind, values)
    made = object.__new__(kind)  # the stored values, without the defaults of today's constructor
    for key, value in zip(declared, values, strict=True):
        object.__setattr__(made, key, value)
    return made


@cache
def declared_types(kind: type) -> dict[str, Any]:
    """Declared types of a record's values, in order."""
    hints = get_type_hints(kind)
    names = [f.name for f in fields(kind)] if is_dataclass(kind) else getattr(kind, "_fields", ())
    return {name: hints[name] for name in names}


def has_type(value: object, wanted: Any) -> bool:
    """True for a value of the declared type: number, text, array, record, or tuple or mapping of these."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        return any(has_type(value, one) for one in inner)
    if origin is tuple:
        inner = inner[:1] * len(value) if isinstance(value, tuple) and inner[1:] == (...,) else inner
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(has_type, value, inner))
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, dict) and all(
            has_type(k, inner[0]) and has_type(v, inner[1]) for k, v in value.items()
        )
    if wanted in (int, float):
        whole = isinstance(value, int | np.integer) and abs(int(value)) < _WIDEST
        return whole or (wanted is float and isinstance(value, float | np.floating))
    if wanted is bool:
        return isinstance(value, bool | np.bool_)
    kind = origin or wanted
    return wanted is Any or (value is None if kind in (None, NoneType) else isinstance(value, kind))


def check_alike(value: object, known: Sequence[object]) -> None:
    """Raise CannotDecode where shapes or types of arrays, or parts of records, differ from all ``known`` ones."""
    kinds = set(chain.from_iterable(map(_layout, known)))
    for place, kind in _layout(value):
        if (place, kind) not in kinds:
            raise CannotDecode(f"expected other parts or another shape of {place.lstrip('.') or 'it'}, got {kind}")


def _layout(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the place, shape and type of each array in a value, and the parts of each record."""
    if isinstance(value, np.ndarray):
        yield place, f"{value.dtype} {value.shape}"
        return
    parts = {} if _is_plain(value) else _parts(value)
    yield place, f"{type(value).__name__}({', '.join(map(str, parts))})" if parts else "numbers"
    for key, part in parts.items():
        yield from _layout(part, f"{place}.{key}")


def _parts(value: object) -> Mapping[Any, object]:
    """Parts of a record, tuple, list or dictionary by name or number."""
    if is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    if isinstance(value, dict):
        return value
    if isinstance(value, list | tuple):
        return dict(zip(getattr(value, "_fields", range(len(value))), value, strict=True))
    return {}


def _is_plain(value: object) -> bool:
    """True for numbers, texts, None and tuples of these."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str | np.generic)
