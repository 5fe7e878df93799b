"""A checkpoint that is damaged, or made to harm, is refused in one line, at the cost of reading it."""

import io
import json
import os
import re
import shutil
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from case_runs import SMALL, Killed, killed, run
from rows import rows

from cases import plate_sliding
from cases.app.run import checkpoint, runner
from cases.app.run.checkpoint import read_checkpoint
from cases.app.run.codec import CannotDecode, decode
from cases.app.run.errors import BadInput
from cases.app.run.inputs import assembled
from floating_frame.simulate import Batches, RunState

PLATE = SMALL["plate_sliding"] | {"nx": 2, "ny": 1}
EDITS = 30


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """Files of a killed run: its growing trajectory and a checkpoint."""
    folder = tmp_path_factory.mktemp("left")
    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        patch.setattr(runner, "_draw", lambda *_: None)
        patch.setattr(Batches, "after", lambda *_: None)
        killed(patch, 3)
        run("plate_sliding", PLATE, folder, "--quiet", "--checkpoint_every", "0")
    assert {path.name for path in folder.iterdir()} == {"trajectory.nc.partial", "checkpoint.npz"}
    return folder


@pytest.fixture(scope="module")
def model():
    """The model of the killed run; the templates of its checkpoints are computed once."""
    made = assembled(plate_sliding, plate_sliding.Parameters(**PLATE), stress=False)
    known = checkpoint.template_runs(made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint, "template_runs", lambda model: known)
        yield made


def read(left, folder, model, content):
    """The checkpoint of the killed run, read with another content of its file."""
    (folder / "checkpoint.npz").write_bytes(content)
    name = decode((left / "checkpoint.npz").read_bytes())["run"]
    return read_checkpoint(folder / "trajectory.nc.partial", name, model)


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as stored:
        return {name: stored.read(name) for name in stored.namelist()}


def packed(parts, kind=zipfile.ZIP_STORED):
    """Members as an archive, with checksums that agree."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return file.getvalue()


def as_npy(values, header=None):
    """The bytes of a .npy file, with another header if one is given."""
    file = io.BytesIO()
    np.save(file, values, allow_pickle=True)
    if header is None:
        return file.getvalue()
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + values.tobytes()


def replaced(name, content):
    return lambda data: packed({**members(data), name: content})


def tree(change):
    """The JSON tree with a change of its text."""

    def edit(data):
        parts = members(data)
        text = np.load(io.BytesIO(parts["tree.npy"])).tobytes().decode()
        changed = change(text)
        assert changed != text
        return packed({**parts, "tree.npy": as_npy(np.frombuffer(changed.encode(), np.uint8))})

    return edit


def count(text):
    """The tree with another text for the first of the solver's counts."""
    return tree(lambda t: re.sub(r'("Counts"\], "values": \[)\d+', rf"\g<1>{text}", t))


def array(change):
    """The largest array of floating-point numbers, changed."""

    def edit(data):
        parts = members(data)
        arrays = {name: np.load(io.BytesIO(content)) for name, content in parts.items() if name != "tree.npy"}
        name = max((name for name in arrays if arrays[name].dtype.kind == "f"), key=lambda name: arrays[name].size)
        return packed({**parts, name: as_npy(change(arrays[name]))})

    return edit


def without(name):
    return lambda data: packed({key: content for key, content in members(data).items() if key != name})


def instead(old, new):
    """The tree with another text for each `old` one."""
    return tree(lambda text: text.replace(old, new))


A1 = '{"array": "a1"}'
WIDE = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s,), }"
ATTACKS = {
    "strides of mixed sign": instead(A1, '{"array": "a1", "strides": [-4096, 8]}'),
    "strides beyond the end": instead(A1, '{"array": "a1", "strides": [1e15, 8]}'),
    "a shape of petabytes": replaced("a1.npy", as_npy(np.zeros(3), WIDE % 10**15)),
    "a negative shape": replaced("a1.npy", as_npy(np.zeros(3), WIDE % -3)),
    "a long header": replaced("a1.npy", b"\x93NUMPY\x02\x00" + (1 << 22).to_bytes(4, "little") + b" " * (1 << 22)),
    "zeros compressed a thousand times": lambda data: packed(
        members(data) | {"a1.npy": as_npy(np.zeros(2_000_000))}, zipfile.ZIP_DEFLATED
    ),
    "another compression": lambda data: packed(members(data), zipfile.ZIP_LZMA),
    "objects": replaced("a1.npy", as_npy(np.array([print, None]))),
    "a record type": replaced("a1.npy", as_npy(np.zeros(3, "i4,f8"))),
    "another byte order": array(lambda a: a.astype(">f8")),
    "half the precision": array(lambda a: a.astype(np.float32)),
    "more numbers": array(lambda a: np.concatenate([a, a])),
    "transposed": array(lambda a: a.T.copy()),
    "no number": array(lambda a: a * np.nan),
    "an array is missing": without("a1.npy"),
    "the tree is missing": without("tree.npy"),
    "a foreign member": replaced("a1.txt", b"text"),
    "deep nesting": instead(A1, "[" * 100_000 + "]" * 100_000),
    "nesting just read": instead(A1, '{"tuple": [' * 300 + "]}" * 300),
    "a number beyond 64 bits": count("9" * 50),
    "a text as number": count('"0"'),
    "a value too many": count("0, 0"),
    "a list as tree": tree(lambda t: f"[{t}]"),
    "no JSON": tree(lambda t: t[:-1]),
    "code of another package": instead('["floating_frame.simulate", "RunState"]', '["os", "system"]'),
    "a function as record": instead('"RunState"]', '"simulate"]'),
    "null as record": instead(A1, "null"),
    "cut": lambda data: data[: len(data) // 2],
}


@rows("attack", ATTACKS)
def test_what_is_made_to_harm_is_refused_in_few_words(left, tmp_path, model, attack):
    with pytest.raises(BadInput, match="checkpoint") as refused:
        read(left, tmp_path, model, ATTACKS[attack]((left / "checkpoint.npz").read_bytes()))
    assert len(str(refused.value)) < 1000


NO_FILES = {
    "a cut file": lambda path: path.write_bytes(b"PK"),
    "a pipe": os.mkfifo,
    "a directory": os.mkdir,
    "a device": lambda path: path.symlink_to("/dev/zero"),
}


@rows("kind", NO_FILES)
def test_a_run_without_a_whole_checkpoint_is_refused_in_one_line_and_nothing_is_waited_for(left, command, kind):
    folder = Path(kind)
    shutil.copytree(left, folder)
    (folder / "checkpoint.npz").unlink()
    NO_FILES[kind](folder / "checkpoint.npz")
    status, _, err = command("resume", kind, "--quiet")
    assert (status, err.count("\n"), "checkpoint" in err) == (2, 1, True)
    assert err.startswith("error: ")
    assert {p.name for p in folder.iterdir()} == {"trajectory.nc.partial", "checkpoint.npz"}


@rows("attack", ["a shape of petabytes", "a long header", "zeros compressed a thousand times", "deep nesting"])
def test_reading_takes_a_small_multiple_of_the_file(left, attack):
    data = ATTACKS[attack]((left / "checkpoint.npz").read_bytes())
    tracemalloc.start()
    with pytest.raises(CannotDecode):
        decode(data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0 < most < 10 * len(data) + 1e6


def flipped(data, random):
    """Some bytes are others."""
    computed = bytearray(data)
    for at in random.integers(0, len(data), random.integers(1, 8)):
        computed[at] = random.integers(256)
    return bytes(computed)


def flipped_inside(data, random):
    """Bytes of one member are others, and its checksum agrees."""
    parts = members(data)
    name = random.choice([*parts, *["tree.npy"] * len(parts)])
    return packed({**parts, name: flipped(parts[name], random)})


def edited(data, random):
    """One value in the tree is another one."""
    parts = members(data)
    computed = json.loads(np.load(io.BytesIO(parts["tree.npy"])).tobytes())
    places = [*_places(computed)]
    holder, key = places[random.integers(len(places))]
    others = [None, -1, 2**70, 0.5, float("nan"), "a1", [], {}, {"array": "a1"}, {"tuple": []}]
    others += [places[random.integers(len(places))][0]]
    holder[key] = json.loads(json.dumps(others[random.integers(len(others))]))
    return packed({**parts, "tree.npy": as_npy(np.frombuffer(json.dumps(computed).encode(), np.uint8))})


def _places(value):
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from _places(part)


@pytest.mark.parametrize("edit", [flipped, flipped_inside, edited])
def test_random_edits_are_refused_or_leave_a_run_of_the_model(left, tmp_path, model, edit):
    good, random, refused = (left / "checkpoint.npz").read_bytes(), np.random.default_rng(5), 0
    for _ in range(EDITS):
        try:
            computed = read(left, tmp_path, model, edit(good, random))
        except BadInput:
            refused += 1
        else:
            assert computed is None or isinstance(computed, RunState)
    assert refused > 0.5 * EDITS
