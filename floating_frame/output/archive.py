"""Complete trajectory files: NetCDF 4, written at the end, closed, synced to the disk, and only then put in their place.

Every block of every variable has a Fletcher-32 checksum, which HDF5 verifies at every reading of the block, and a CRC-32, as HDF5's
index of the blocks has none; constant variables and attributes have checksums of their own. ``verify`` reads all and names the
damage. Nodal fields of long runs are rounded (attribute ``rounding``); the growing file and the checkpoint are not. Rounding is
idempotent, so a resumed run has the same file.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pandas as pd
import xarray as xr
from xarray.indexes import PandasIndex

from floating_frame.frame.kinematics import Array
from floating_frame.output.accessor import RunMethods as RunMethods
from floating_frame.output.journal import (
    CHECKSUM,
    HEADER_CHECKSUMS,
    IDENTITY,
    Contents,
    Records,
    block,
    damaged_row,
    header_checksum,
    names_of,
)
from floating_frame.output.netcdf import NETCDF_LOCK, netcdf_file, read_attributes
from floating_frame.output.variables import LABELS, Variable, dtype_of
from friction.arrays import shown

BLOCK_CHECKSUMS = "crc32"
"""Attribute of a series: CRC-32 of each of its blocks (of as many instants as its chunks have)."""

CHECKPOINT = "checkpoint"
"""Group and variable with the state from which the run can be resumed (bytes)."""

_BLOCK_BYTES = 1 << 20

ROUNDED_FROM = 16_000_000
"""Size of all instants, bytes, above which nodal fields are rounded."""

MANTISSA_BITS = dict.fromkeys(("displacement", "velocity"), 32) | dict.fromkeys(("position", "friction_force"), 28)
MANTISSA_BITS |= dict.fromkeys(("slip_path", "friction_work"), 27)
"""Bits of the mantissa of rounded fields, which noise would not let compress: relative errors of 1.2e-10 in the motion, the
solver's tolerance, and of 2e-9 and 4e-9 in derived fields."""
ROUNDED_TO_ZERO = ("friction_force",)
"""Fields with a bound, which rounding must not exceed."""


def round_mantissa(values: Array, bits: int, *, nearest: bool = True) -> Array:
    """Numbers rounded to ``bits`` of the mantissa, halves to even, or towards zero (not ``nearest``); idempotent."""
    words, drop = np.ascontiguousarray(values, np.float64).view(np.uint64), 52 - bits
    if nearest:
        words = words + (np.uint64((1 << (drop - 1)) - 1) + (words >> np.uint64(drop) & np.uint64(1)))
    return (words & ~np.uint64((1 << drop) - 1)).view(np.float64)


def write_archive(
    path: Path,
    contents: Contents,
    instants: Sequence[Records],
    attributes: Mapping[str, object],
    checkpoint: bytes | None,
    *,
    rounded: bool = False,
) -> None:
    """Write a trajectory to ``path``, with further ``attributes``; ``rounded``: even a short one.

    Raises OSError and RuntimeError where there is no room for it.
    """
    rounded, rows = rounded or sum(part.nbytes for part in instants) > ROUNDED_FROM, sum(map(len, instants))
    with netcdf_file(path, "w", format="NETCDF4") as file:
        file.setncatts(contents.with_checksums(attributes))
        for name, size in contents.sizes.items():
            file.createDimension(name, size)
        for name, text in contents.labels.items():
            label = file.createVariable(name, str, (name,))
            label.setncatts(LABELS[name].attributes)
            label[:] = text.astype(object)
        for name, variable in contents.fixed.items():
            _create_variable(file, name, variable, contents, rows)[:] = contents.static[name]
        for name, variable in contents.series.items():
            stored = _create_variable(file, name, variable, contents, rows)
            if name in names_of(contents.row):
                _write_series(stored, instants, rows, MANTISSA_BITS.get(name) if rounded else None)
        if checkpoint is not None:
            group = file.createGroup(CHECKPOINT)
            group.createDimension("byte", len(checkpoint))
            stored = group.createVariable(CHECKPOINT, np.uint8, ("byte",), compression="zlib", fletcher32=True)
            stored[:] = np.frombuffer(checkpoint, "u1")


def _write_series(stored: netCDF4.Variable, instants: Sequence[Records], rows: int, bits: int | None) -> None:
    """Write all instants of a series, rounded to ``bits`` of the mantissa, and the checksums of its blocks.

    Blocks of zeros are not written: they are read as the fill value, which is zero.
    """
    nearest, seals, step = stored.name not in ROUNDED_TO_ZERO, list[int](), int(stored.chunking()[0])
    if bits is not None:
        stored.rounding = f"to {bits} bits of the mantissa" + ("" if nearest else ", towards zero")
    for start in range(0, rows, step):
        stop = min(start + step, rows)
        values = block(instants, stored.name, start, stop)
        if bits is not None:
            values = round_mantissa(values, bits, nearest=nearest)
        seals.append(zlib.crc32(values.data))
        if stop == rows or values.view("u1").any():  # the last one sets the length; -0.0 is no zero
            stored[start:stop] = values
    setattr(stored, BLOCK_CHECKSUMS, np.array(seals, np.uint32))


def _create_variable(
    file: netCDF4.Dataset, name: str, variable: Variable, contents: Contents, rows: int
) -> netCDF4.Variable:
    shape, kind = contents.shape(variable), np.dtype(dtype_of(name))
    blocks: list[int] | None = list(shape)
    if "time" in variable.dims:
        size = max(int(np.prod(shape)) * kind.itemsize, 1)
        blocks = [int(np.clip(_BLOCK_BYTES // size, 1, max(rows, 1))), *shape]
        if variable.dims[-1] == "axis":  # components of different size are coded shorter apart
            blocks[-1] = 1
    whole = 0 not in shape  # a variable without values has no blocks
    further: dict[str, Any] = {}
    if "time" in variable.dims:  # higher levels take twice as long for some per cent
        further = {"compression": "zlib", "complevel": 1, "shuffle": True, "fill_value": kind.type(0)}
    stored = file.createVariable(
        name, kind, variable.dims, chunksizes=blocks if whole else None, fletcher32=whole, **further
    )
    if further:
        stored.delncattr("_FillValue")  # else readers would take zeros for missing values
    stored.setncatts(variable.attributes)
    return stored


def check_closed(path: Path, instants: int) -> None:
    """Check header and times of a trajectory just written: ValueError where they are damaged."""
    try:
        with netcdf_file(path) as file:
            file.set_auto_mask(False)
            _read(file["time"], path)
            _verify_header(file, path)
            if len(file["time"]) != instants:
                raise ValueError(f"{path} is damaged: expected {instants} instants, got {len(file['time'])}")
    except (OSError, RuntimeError, IndexError) as error:
        raise ValueError(f"cannot read a trajectory from {path}: {error}") from error


def verify(path: str | Path) -> None:
    """Read and check every block of a trajectory: ValueError names the damage. Files without checksums need only be readable."""
    try:
        with netcdf_file(path) as file:
            file.set_auto_mask(False)
            check_declared(file, os.path.getsize(path))
            if CHECKSUM in file.variables:
                row = damaged_row(file)
                if row is not None:
                    raise ValueError(f"{path} is damaged: instant {row} does not agree with its checksum")
            else:
                for group in (file, *file.groups.values()):
                    for variable in group.variables.values():
                        _read(variable, path)
            _verify_header(file, path)
    except (OSError, RuntimeError, AttributeError, LookupError, TypeError, UnicodeDecodeError, MemoryError) as error:
        raise ValueError(f"cannot read a trajectory from {path}: {error}") from error


def check_declared(file: netCDF4.Dataset, size: int) -> None:
    """Raise ValueError where a file of ``size`` bytes declares other than numbers and labels, or more than a run of that size has.

    Constant variables are not compressed, zlib compresses at most 1000 : 1, and blocks of zeros take no room.
    """
    total = 0
    for group in (file, *file.groups.values()):
        for variable in group.variables.values():
            shape, is_plain = variable.shape, variable.dtype is str or isinstance(variable.datatype, np.dtype)
            if not is_plain:
                raise ValueError(f"{variable.name} is damaged: expected numbers or labels, got others")
            size_of_one = np.dtype(object if variable.dtype is str else variable.dtype).itemsize
            row, blocks = shape[variable.dimensions[:1] == ("time",) :], variable.chunking()
            at_once = max(math.prod(row), math.prod(blocks) if isinstance(blocks, list) else 0)
            total += math.prod(shape) * size_of_one
            if at_once * size_of_one > 8 * size + _AT_ONCE or total > _THINNEST * size + _BARE:
                raise ValueError(f"{variable.name} is damaged: {size} bytes do not hold an array of shape {shape}")


_AT_ONCE, _BARE, _THINNEST = 1 << 26, 1 << 27, 10_000
"""Admissible bytes of an instant or a block, and of all variables, in any file; largest ratio of the latter to the file's bytes."""


def _read(variable: netCDF4.Variable, path: str | Path) -> None:
    blocks, length = variable.chunking(), variable.shape[0] if variable.shape else 1
    step = blocks[0] if isinstance(blocks, list) else max(length, 1)
    seals = np.atleast_1d(getattr(variable, BLOCK_CHECKSUMS, ()))
    row = max(variable.size // max(length, 1), 1) * 8
    together = step * max(_BLOCK_BYTES // (step * row), 1) if seals.size else max(_BLOCK_BYTES // row, 1)
    for start in range(0, length, together):
        try:
            values = variable[start : start + together] if variable.shape else variable[...]
        except RuntimeError as error:
            raise ValueError(_damaged(variable, path, start, together, f" ({error})")) from error
        for at in range(0, len(values), step) if seals.size else ():
            seal = seals[(start + at) // step : (start + at) // step + 1]
            if zlib.crc32(np.ascontiguousarray(values[at : at + step]).data) not in seal:
                raise ValueError(_damaged(variable, path, start + at, step))


def _damaged(variable: netCDF4.Variable, path: str | Path, start: int, count: int, why: str = "") -> str:
    block = f"{variable.name}[{start}:{min(start + count, variable.shape[0])}]"
    return f"{path} is damaged: {block} does not agree with its checksum{why}"


def _verify_header(file: netCDF4.Dataset, path: str | Path) -> None:
    attributes = {name: file.getncattr(name) for name in file.ncattrs()}
    checksum = attributes.get(HEADER_CHECKSUMS[0])
    if checksum is None:
        return
    stored = {name: v for name, v in file.variables.items() if 0 not in v.shape[v.dimensions[:1] == ("time",) :]}
    texts = {name: f"{v.units} {v.long_name}" for name, v in stored.items() if "long_name" in v.ncattrs()}
    texts |= {name: attributes[name] for name in IDENTITY if name in attributes}
    fixed = {name: v[:] for name, v in stored.items() if "time" not in v.dimensions}
    if checksum != header_checksum(texts, fixed):
        raise ValueError(f"{path} is damaged: its constants or its case disagree with their checksum")


def attributes_changed(path: str | Path) -> bool:
    """True if the attributes of a trajectory are damaged, or edited since."""
    attributes = read_attributes(path)
    stored = [attributes.pop(name, None) for name in HEADER_CHECKSUMS][1]
    return stored is not None and bool(stored != header_checksum(attributes, {}))


def load_trajectory(path: str | Path, *, verified: bool = False) -> xr.Dataset:
    """Open a saved trajectory, or the growing file of a killed run; arrays are read from the file when used. It is read once as a
    check, unless ``verified`` before. Raises ValueError for an unreadable or damaged file."""
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"cannot read a trajectory from {shown(path)}: expected the path of a file")
    if not verified:
        verify(path)
    try:
        with NETCDF_LOCK:  # xarray's own locks let two threads open files at once
            store = xr.backends.NetCDF4DataStore.open(os.path.abspath(path), lock=NETCDF_LOCK)
            coordinates = _coordinates(store.ds)
            # a copy without the checksums would not close the file
            data = xr.open_dataset(store, drop_variables=[CHECKSUM, *coordinates])
        data.coords.update(coordinates)
    except (OSError, ValueError, RuntimeError) as error:
        raise ValueError(f"cannot read a trajectory from {path}: {error}") from error
    for variable in data.variables.values():
        variable.attrs.pop(BLOCK_CHECKSUMS, None)
    data.attrs = {name: value for name, value in data.attrs.items() if name not in HEADER_CHECKSUMS}
    return data


def _coordinates(file: netCDF4.Dataset) -> xr.Coordinates:
    """Coordinates of a trajectory with their indexes, made without xarray, which would import dask for a third of a second. They
    are read from the file that stays open: NetCDF's library fails on texts of a closed handle."""
    variables: dict[Any, xr.Variable] = {}
    indexes: dict[Any, PandasIndex] = {}
    for name in file.dimensions:
        if name in file.variables:
            stored, values = file[name], np.asarray(file[name][:])
            values = values.astype(str) if values.dtype == object else values
            indexes[name] = PandasIndex(pd.Index(values), name, coord_dtype=values.dtype)
            variables |= indexes[name].create_variables()
            variables[name].attrs = {key: stored.getncattr(key) for key in stored.ncattrs() if key != "_Encoding"}
    return xr.Coordinates(variables, indexes)


def load_checkpoint(path: str | Path) -> bytes | None:
    """Checkpoint of a complete trajectory, bytes; None without one."""
    with netcdf_file(path) as file:
        return file[CHECKPOINT][CHECKPOINT][:].tobytes() if CHECKPOINT in file.groups else None
