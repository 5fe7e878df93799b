"""Files of every kind that is read, cut, filled with noise, or swapped: refused in a line, or read without a wrong number."""

import json
import random
import shutil
from pathlib import Path

import meshio
import numpy as np
from processes import run, run_input

# Of more steps than a compiled batch has, so that a run can be killed between two.
PLATE = ["run", "plate_sliding", "--nx=3", "--ny=2", "--t_end=0.05", "--dt=0.0005", "--quiet"]
TOML = "nx = 3\nny = 2\nt-end = 0.05\ndt = 0.005\nlaw = 'smooth'\nmu = 0.4\npressure = '98.1*(1 + X)'\n"
MESHES = {
    "msh2": ("m.msh", "gmsh22"),
    "msh4": ("m.msh", "gmsh"),
    "vtk": ("m.vtk", "vtk"),
    "vtu": ("m.vtu", "vtu"),
    "inp": ("m.inp", "abaqus"),
}


def noise(dice, data):
    found = bytearray(data)
    for _ in range(dice.choice([1, 1, 3, 50])):
        found[dice.randrange(len(found))] = dice.randrange(256)
    return bytes(found)


def bit(dice, data):
    found = bytearray(data)
    found[dice.randrange(len(found))] ^= 1 << dice.randrange(8)
    return bytes(found)


def zeros(dice, data):
    at, size = dice.randrange(len(data)), dice.choice([1, 64, 4096])
    return data[:at] + b"\0" * min(size, len(data) - at) + data[at + size :]


def repeated(dice, data):
    at = dice.randrange(len(data))
    return data[:at] + data[max(0, at - 200) : at] + data[at:]


DAMAGES = {
    "cut": lambda dice, data: data[: dice.randrange(len(data))],
    "empty": lambda dice, data: b"",
    "noise": noise,
    "a bit": bit,
    "zeros": zeros,
    "longer": lambda dice, data: data + dice.randbytes(dice.choice([1, 100, 5000])),
    "repeated": repeated,
    "text": lambda dice, data: dice.choice(
        [b"{}", b"[]", b"null", b"\xff\xfe", b"1e999", b"{" * 5000, "é".encode("latin-1"), b"\0" * 100]
    ),
    "moved": lambda dice, data: data[dice.randrange(len(data)) :],
}


class Samples:
    """Undamaged files of each kind in folders, and the commands that read them."""

    def __init__(self, scratch):
        self.scratch = scratch
        whole, self.part = scratch / "whole", scratch / "part"
        assert run([*PLATE, "--out", whole]).status == 0
        stop = run([*PLATE, "--checkpoint_every", "0", "--out", self.part], _killed_at(6))
        assert stop.status not in (0, 2, 3), stop
        assert (self.part / "checkpoint.npz").exists()
        sweep = ["sweep", "inclined_plane", "--grid", "mu=0.1,0.2", "--t_end=0.05", "--workers", "0", "--quiet"]
        assert run([*sweep, "--out", scratch / "sweep"]).status == 0
        assert run([*sweep, "--out", scratch / "points"], _killed_at_point).status not in (0, 2)
        assert (scratch / "points" / "points.jsonl").exists()
        assert (
            run(
                ["modes", "plate_sliding", "--nx=3", "--ny=2", "--count", "2", "--quiet", "--out", scratch / "modes"]
            ).status
            == 0
        )
        study = [
            "converge",
            "beam_bending",
            "--ne=4",
            "--t_end=0.02",
            "--dt=0.01",
            "--over",
            "dt",
            "--levels",
            "2",
            "--quiet",
        ]
        assert run([*study, "--out", scratch / "study"]).status == 0
        self.commands = {
            ("whole", "trajectory.nc"): [
                ["plot", "DIR"],
                *(["export", "DIR", "--to", to] for to in ("csv", "csv", "html", "vtk")),
                ["compare", "DIR", "DIR", "--out", "DIR/c.png"],
                ["resume", "DIR", "--t_end", "0.06", "--quiet"],
                ["modes", "plate_sliding", "--about", "DIR", "--count", "1", "--out", "DIR/modes"],
                [*PLATE, "--out", "DIR"],
            ],
            ("whole", "summary.json"): [
                ["run", "--config", "DIR/summary.json", "--quiet", "--out", "DIR/again"],
                ["resume", "DIR", "--quiet"],
            ],
            ("part", "trajectory.nc.partial"): [
                ["plot", "DIR"],
                ["export", "DIR", "--to", "csv"],
                ["resume", "DIR", "--quiet"],
                [*PLATE, "--out", "DIR"],
            ],
            ("part", "checkpoint.npz"): [["resume", "DIR", "--quiet"]],
            ("sweep", "sweep.nc"): [[*sweep, "--out", "DIR"]],
            ("points", "points.jsonl"): [[*sweep, "--out", "DIR"]],
            ("modes", "modes.nc"): [
                ["modes", "plate_sliding", "--nx=3", "--ny=2", "--count", "1", "--quiet", "--out", "DIR"]
            ],
            ("study", "converge.csv"): [[*study, "--out", "DIR"]],
        }
        config = scratch / "config"
        config.mkdir()
        (config / "run.toml").write_text(TOML)
        self.commands["config", "run.toml"] = [
            ["run", "plate_sliding", "--config", "DIR/run.toml", "--quiet", "--out", "DIR/out"]
        ]
        for kind, (name, form) in MESHES.items():
            (scratch / kind).mkdir()
            _mesh(scratch / kind / name, form)
            mesh = [
                *PLATE[:2],
                "--mesh",
                f"DIR/{name}",
                "--edge",
                "boundary",
                "--t_end=0.01",
                "--dt=0.005",
                "--quiet",
                "--out",
                "DIR/out",
            ]
            self.commands[kind, name] = [mesh]
        self.series = self._series(whole)

    def _series(self, folder):
        assert run(["export", folder, "--to", "csv", "--out", self.scratch / "series.csv"]).status == 0
        return (self.scratch / "series.csv").read_bytes()

    def damaged(self, seed, tally):
        """Damage one file in one way and let one command read it."""
        dice = random.Random(seed)
        folder, name = dice.choice(list(self.commands))
        damage, command = dice.choice(list(DAMAGES)), dice.choice(self.commands[folder, name])
        place = self.scratch / "damaged"
        before = (self.scratch / folder / name).read_bytes()
        after = DAMAGES[damage](dice, before)

        def fresh():
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(self.scratch / folder, place)
            (place / name).write_bytes(after)

        fresh()
        ended = run_input([word.replace("DIR", str(place)) for word in command], again=fresh)
        if (
            ended.status == 0
            and after != before
            and command[:1] == ["export"]
            and command[-1] == "csv"
            and folder == "whole"
        ):
            written = place / "plate_sliding.csv"
            if written.exists() and written.read_bytes() != self.series:
                ended.faults.append("other numbers than those of the undamaged file, and not a word")
        repeat = f".venv/bin/python tests/torture/run.py --only files --seed {seed}  # {name}, {damage}"
        tally.ended(f"damaged {'mesh files' if folder in MESHES else name}", ended, repeat)
        shutil.rmtree(place)


def _killed_at(step):
    def prepare():
        import os
        import signal

        from cases.app.run.checkpoint import Checkpoints

        after = Checkpoints.after_step

        def after_step(self, state, sync):
            after(self, state, sync)
            if state.number >= step:
                os.kill(os.getpid(), signal.SIGKILL)

        Checkpoints.after_step = after_step

    return prepare


def _killed_at_point():
    import os
    import signal

    from cases.app.studies.sweep.stored_points import StoredPoints

    add = StoredPoints.add

    def added(self, number, outcome):
        add(self, number, outcome)
        os.kill(os.getpid(), signal.SIGKILL)

    StoredPoints.add = added


def _mesh(path, form):
    x, y = np.meshgrid(np.linspace(0.0, 0.4, 4), np.linspace(0.0, 0.2, 3))
    points = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    quads = np.array([[i + 4 * j, i + 1 + 4 * j, i + 5 + 4 * j, i + 4 + 4 * j] for j in range(2) for i in range(3)])
    mixed = [("triangle", np.vstack([quads[:3, [0, 1, 2]], quads[:3, [0, 2, 3]]])), ("quad", quads[3:])]
    cells = [("quad", quads)] if form == "gmsh" else mixed  # meshio writes one kind of cells to gmsh 4.1
    tags = ("gmsh:physical", "gmsh:geometrical") if "gmsh" in form else ()
    data = {tag: [np.ones(len(c), int) for _, c in cells] for tag in tags}
    meshio.write(path, meshio.Mesh(points, cells, cell_data=data), file_format=form)


def batch(seed, tally, scratch, kept):
    """Damage some twenty files."""
    if "samples" not in kept:
        place = Path(scratch) / "samples"
        place.mkdir()
        kept["samples"] = Samples(place)
    for k in range(20):
        if tally.over:
            break
        tally.at(json.dumps({"part": "files", "seed": seed + k}))
        kept["samples"].damaged(seed + k, tally)
