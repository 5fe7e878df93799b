"""The file that grows with a run: NetCDF classic, readable up to the last sync however the process ends.

Its records lie one after the other behind the header. Rows are appended first and then counted (a number in the header), so that a
kill or a full disk in between loses no counted row. Each row has its CRC-32. Instants wait in memory for at most ten seconds; those
of a shorter run come to this file only where no other can be written.
"""

from __future__ import annotations

import errno
import os
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import xarray as xr
from numpy.typing import NDArray

from floating_frame.frame.kinematics import Array
from floating_frame.output.netcdf import netcdf_file
from floating_frame.output.variables import LABELS, Variable, dtype_of
from floating_frame.system.protocol import Series

CHECKSUM, HEADER_CHECKSUMS = "row_checksum", ("header_checksum", "attributes_checksum")
"""Variable of the growing file: CRC-32 of all other bytes of the row; attributes: CRC-32 of fixed variables, and of attributes."""

Records = NDArray[np.void]
"""Instants as structured rows."""

IDENTITY = ("case", "run")
"""Attributes that nobody has a reason to edit: they count as fixed variables."""

FLUSH_BYTES, FLUSH_SECONDS, BLOCK = 128_000_000, 10.0, 256
_COUNT_AT, _COUNT_BYTES, _ALIGNED = 4, 4, 4


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Description of a trajectory before its first instant: ``attributes``, ``sizes`` of the dimensions (time: None), variables
    that do not change (``fixed``) with their values ``static``, ``series``, and ``labels`` of coordinates."""

    attributes: Mapping[str, object]
    sizes: dict[str, int | None]
    fixed: dict[str, Variable]
    static: dict[str, Array]
    series: dict[str, Variable]
    labels: dict[str, Array]

    def shape(self, variable: Variable) -> tuple[int, ...]:
        """Shape of a variable's value at one instant."""
        return tuple(self.sizes[d] or 0 for d in variable.dims if d != "time")

    def nonempty(self, variables: dict[str, Variable]) -> dict[str, Variable]:
        """Variables with values: a classic file has no dimensions of length 0."""
        return {name: v for name, v in variables.items() if 0 not in self.shape(v)}

    @property
    def row(self) -> np.dtype[np.void]:
        """One record of the growing file."""
        fields = self.nonempty(self.series).items()
        return row_type({name: (np.dtype(dtype_of(name)), self.shape(v)) for name, v in fields})

    def with_checksums(self, further: Mapping[str, object]) -> dict[str, object]:
        """All attributes, with ``further`` ones and the checksums of these and of the fixed variables."""
        attributes = {**self.attributes, **further}
        fixed = {name: np.asarray(self.static[name], dtype_of(name)) for name in self.nonempty(self.fixed)}
        described = self.nonempty(self.fixed | self.series) | {name: LABELS[name] for name in self.labels}
        texts = {name: f"{v.units} {v.long_name}" for name, v in described.items()}
        texts |= {name: str(attributes[name]) for name in IDENTITY if name in attributes}
        seals = header_checksum(texts, fixed | self.labels), header_checksum(attributes, {})
        return attributes | dict(zip(HEADER_CHECKSUMS, seals, strict=True))

    def create(self, path: Path) -> None:
        """Write the growing file without any instant."""
        with netcdf_file(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
            file.setncatts(self.with_checksums({"complete": np.int32(0)}))
            for name, size in self.sizes.items():
                if size != 0:
                    file.createDimension(name, size)
            for name, text in self.labels.items():
                letters = np.array([list(label) for label in text], "S1")
                file.createDimension(f"{name}_letters", letters.shape[1])
                label = file.createVariable(name, "S1", (name, f"{name}_letters"))
                label.setncatts({"_Encoding": "utf-8"} | LABELS[name].attributes)
                label[:] = letters
            file.createVariable(CHECKSUM, "i4", ("time",))  # without attributes: see `_first_record`
            for name, variable in self.nonempty(self.fixed | self.series).items():
                stored = file.createVariable(name, np.dtype(dtype_of(name)), variable.dims)
                stored.setncatts(variable.attributes)
                if name in self.static:
                    stored[:] = self.static[name]


def header_checksum(attributes: Mapping[str, object], fixed: Mapping[str, Array]) -> np.int32:
    """CRC-32 of attributes, texts and fixed variables."""
    checksum = zlib.crc32("\n".join(f"{name}={attributes[name]}" for name in sorted(attributes)).encode())
    for name in sorted(fixed):
        value = fixed[name]
        text = ",".join(map(str, value)).encode() if value.dtype.kind in "OU" else np.ascontiguousarray(value).tobytes()
        checksum = zlib.crc32(text, zlib.crc32(name.encode(), checksum))
    return np.int32(checksum - 2**31)


def row_type(fields: dict[str, tuple[np.dtype[Any], tuple[int, ...]]]) -> np.dtype[np.void]:
    """Record type of ``fields`` (type, shape) after its checksum: big-endian, each on a multiple of four bytes."""
    formats: list[np.dtype[Any]] = [np.dtype(">u4")]
    offsets, end = [0], _ALIGNED
    for kind, shape in fields.values():
        formats.append(np.dtype((kind.newbyteorder(">"), shape)))
        offsets.append(end)
        end += -(-formats[-1].itemsize // _ALIGNED) * _ALIGNED
    return np.dtype({"names": [CHECKSUM, *fields], "formats": formats, "offsets": offsets, "itemsize": end})


def _first_record(path: Path) -> int:
    """Offset of the first record in a classic file: in the header after name, one dimension, no attributes, type and size of the
    first variable."""
    name = len(CHECKSUM).to_bytes(4, "big") + CHECKSUM.encode()
    with path.open("rb") as file:
        header = file.read()
    at = header.index(name) + len(name) + 24
    return int.from_bytes(header[at : at + 8], "big")


def names_of(kind: np.dtype[np.void]) -> tuple[str, ...]:
    """Names of the series in records ``kind``."""
    return tuple(name for name in kind.names or () if name != CHECKSUM)


def checksums(rows: Records) -> list[int]:
    """CRC-32 of all bytes of each record but its checksum; ``rows``: with zeros in their gaps."""
    size, text = rows.dtype.itemsize, rows.view("u1").data
    return [zlib.crc32(text[at + _ALIGNED : at + size]) for at in range(0, len(text), size)]


def block(parts: Sequence[Records], name: str, start: int, stop: int) -> Array:
    """Series ``name`` at the instants from ``start`` to ``stop`` of consecutive ``parts``, in the type of the results."""
    parts_of = list[Array]()
    for part in parts:
        parts_of.append(part[name][max(start, 0) : max(stop, 0)])
        start, stop = start - len(part), stop - len(part)
    values = np.empty((sum(map(len, parts_of)), *parts_of[0].shape[1:]), dtype_of(name))
    return np.concatenate(parts_of, out=values, casting="unsafe")


class Journal:
    """Appends instants to the growing file at ``path``."""

    def __init__(self, path: Path, contents: Contents) -> None:
        self.path, self._row = path, contents.row
        contents.create(path)
        self._begin = _first_record(path)
        self._state = 0, bytearray()  # records on disk, and further ones
        self._written = self._begin  # end of the last writing
        self._synced_at = -np.inf  # the first instant is synced at once
        self._file = os.open(path, os.O_RDWR)

    def append(self, values: Series) -> None:
        """Add instants: series (K, …). Raises OSError where the file cannot take them."""
        rows = np.zeros(np.shape(values["time"]), self._row)
        for name in names_of(self._row):
            rows[name] = values[name]
        rows[CHECKSUM] = checksums(rows)
        waiting = self._state[1]
        waiting += rows.view("u1").data
        if time.monotonic() - self._synced_at > FLUSH_SECONDS or len(waiting) > FLUSH_BYTES:
            self.sync()

    def copy_from(self, data: xr.Dataset, count: int) -> None:
        """Add the first ``count`` instants of a trajectory. Raises ValueError where it has fewer."""
        if data.sizes["time"] < count:
            raise ValueError(f"expected {count} instants in the trajectory, got {data.sizes['time']}")
        for start in range(0, count, BLOCK):
            some = data.isel(time=slice(start, min(start + BLOCK, count)))
            self.append({name: some[name].values for name in ("time", *names_of(self._row))})
            self.sync()

    def sync(self) -> None:
        """Write all instants to disk, then their number. Raises OSError; FileNotFoundError for a deleted file (its instants remain
        readable)."""
        done, waiting = self._state
        if waiting:
            size = self._row.itemsize
            begin = self._begin + done * size
            try:
                self._write(waiting, begin)
            except OSError:  # all that found room stays
                fitted = (self._written - begin) // size
                self._count(done + fitted, waiting[fitted * size :])
                raise
            self._count(done + len(waiting) // size, bytearray())
        self._synced_at = time.monotonic()
        self._check_present()

    def sync_if_begun(self) -> None:
        """`sync` where instants followed the first; those of a short run may stay in memory."""
        if self._state[0] > 1:
            self.sync()
        self._check_present()

    def _check_present(self) -> None:
        """Raise FileNotFoundError where the file is missing, or another one has its name."""
        if not os.path.samestat(os.stat(self.path), os.fstat(self._file)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self.path))

    def _count(self, rows: int, waiting: bytearray) -> None:
        """Sync the rows written so far to the disk, then their number; others are still ``waiting``."""
        os.fsync(self._file)
        self._write(rows.to_bytes(_COUNT_BYTES, "big"), _COUNT_AT)
        os.fsync(self._file)
        self._state = rows, waiting  # at once: a signal may come at any time

    def _write(self, data: bytes | bytearray, at: int) -> None:
        self._written = at
        with memoryview(data) as view:  # released on errors, after which more is appended
            while self._written < at + len(view):
                self._written += os.pwrite(self._file, view[self._written - at :], self._written)

    def read(self) -> list[Records]:
        """All instants: of the file, read when used, and in memory."""
        done, waiting = self._state
        parts: list[Records] = [np.frombuffer(waiting, self._row)]
        if done:
            with os.fdopen(os.dup(self._file), "rb") as file:
                parts.insert(0, np.memmap(file, self._row, "r", offset=self._begin, shape=done))
        return parts

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def damaged_row(file: netCDF4.Dataset) -> int | None:
    """First damaged instant of a growing file; None for none."""
    series = {name: v for name, v in file.variables.items() if "time" in v.dimensions and name != CHECKSUM}
    kind = row_type({name: (v.dtype, v.shape[1:]) for name, v in series.items()})
    for start in range(0, len(file.dimensions["time"]), BLOCK):
        stored = file[CHECKSUM][start : start + BLOCK]
        rows = np.zeros(len(stored), kind)
        for name, variable in series.items():
            rows[name] = variable[start : start + BLOCK]
        damaged = np.flatnonzero(np.array(checksums(rows), np.uint32) != stored.astype(np.uint32))
        if damaged.size:
            return start + int(damaged[0])
    return None
