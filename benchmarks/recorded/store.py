"""Files of records: the values of all runs in one array of bytes, and an index that says what lies where."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from recorded.problems import Values


class Stored(NamedTuple):
    """A record: values by run and variable, CPU time of each run, s, and what it was made with."""

    runs: dict[str, Values]
    seconds: dict[str, float]
    about: dict[str, str]


def save(path: str, record: Stored) -> None:
    """Write a record."""
    index, pieces, place = [], [], 0
    for name, values in sorted(record.runs.items()):
        for key, value in sorted(values.items()):
            if value.dtype.kind == "U":
                index.append([name, key, "text", str(value), 0])
                continue
            data = np.ascontiguousarray(value)
            index.append([name, key, data.dtype.str, list(value.shape), place])
            pieces.append(np.frombuffer(data.tobytes(), np.uint8))
            place += data.nbytes
    head = json.dumps({"about": record.about, "seconds": record.seconds, "index": index})
    np.savez_compressed(path, head=np.array(head), data=np.concatenate(pieces) if pieces else np.zeros(0, np.uint8))


def load(path: str) -> Stored:
    """Read a record."""
    with np.load(path) as stored:
        head, data = json.loads(str(stored["head"])), stored["data"].tobytes()
    runs: dict[str, dict[str, Any]] = {name: {} for name in head["seconds"]}
    for name, key, kind, shape, place in head["index"]:
        if kind == "text":
            runs[name][key] = np.array(shape)
        else:
            count = int(np.prod(shape, dtype=np.int64))
            runs[name][key] = np.frombuffer(data, kind, count, place).reshape(shape)
    return Stored(runs, head["seconds"], head["about"])
