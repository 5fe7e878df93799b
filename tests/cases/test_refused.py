"""Commands refuse wrong input in one line with status 2, before anything runs, and write nothing."""

import os
import re

import pytest
from case_runs import SMALL, run_without_picture
from rows import rows

from cases.app.command import cli
from cases.app.studies.sweep import command as sweep

NAME, SCHEDULER = r"out: expected the name", "--scheduler tcp://127.0.0.1:8786"
SPLINE = "--spline_speeds=0,0.1,0.2 --spline_values=0.4,0.3,0.2"
PROGRAM = [
    ("frobnicate", r"frobnicate.*list, run, converge, sweep, plot, animate"),
    ("--verbose", r"--verbose"),
    ("completion csh", r"expected one of bash, zsh, fish, powershell, got csh"),
    ("run", r"expected the name of a case \(one of block_on_table, .*got nothing"),
    ("run nope", r"block_on_table, plate_sliding.*solid_pulled.*FILE.py, got nope"),
    ("run block_on_table --mue 1", r"--mue.*Expected one of"),
    ("run block_on_table --mu", r"--mu requires an argument"),
    ("run block_on_table --mu 1 --mu 2", r"--mu specified multiple times"),
    ("run block_on_table more", r"got more"),
    ("run block_on_table --out file.txt/results", r"out: expected a directory"),
    ("run block_on_table --out ' '", NAME + r" of a directory, got ' '"),
    ("run block_on_table --out ''", NAME + r" of a directory, got ''"),
    (r"run block_on_table --out 'a\b'", r"out: .* without .*NetCDF"),
    ("run block_on_table --stress", r"rigid body has no stress"),
    ("run block_on_table --no-estimate --estimate_mesh", r"expected --no-estimate or an estimate, got both"),
    ("run plate_sliding --t_end 1e6 --dt 1e-3 --nx 2 --ny 2", r"1e\+09 steps"),
    ("run free_flight --t_end 1e6 --dt 1e-3 --nx 2 --ny 2 --error_tolerance 1e-3", r"1e\+09 steps"),
    ("resume ' '", r"expected a results directory, got ' '"),
]
PARAMETERS = [
    ("run block_on_table --mu much", r"mu: expected a number >= 0, got 'much'"),
    ("run plate_sliding --E nan", r"E: expected a finite number > 0, got nan"),
    ("run plate_sliding --dt 0", r"dt: expected a number > 0 with scheme sdirk2, got 0"),
    ("run spinning_disc --body elastic --elements Q1", r"triangle"),
    ("run plate_sliding --nx 100000 --ny 100000", r"nx = 100000 x .* are too many"),
    (f"run annulus_torsion --nr={10**23}", r"nr = 1e23 x nt = 60 cells are too many"),
    ("run plate_sliding --edge rim", r"edge must be one of .*right.*got 'rim'"),
    ("run plate_sliding --mesh none.msh", r"none.msh"),
    ("run plate_sliding --mesh zero.msh", r"no regular file"),
    ("run plate_sliding --mesh degenerate.vtk", r"cell"),
    ("run plate_sliding --mesh unnamed.vtk", r"edge must be one of boundary, got 'right'"),
    ("run plate_sliding --mesh double.vtk --edge boundary --merge_nodes=1e-6 --mu=-1", r"mu"),
    ("run plate_sliding --mesh double.vtk --edge nowhere --merge_nodes=1e-6", r"nowhere"),
    ("run rod_cycle --forces=1,0 --thermal_strains=0.01", r"either forces or thermal_strains, got both"),
    ("run rod_cycle --steps=10 --dt=0.2", r"dt: expected 1/steps = 0.1"),
    ("run rod_cycle --forces=1,0 --t_end=3", r"t_end: expected at most 2"),
    ("run rod_cycle --output_every=2", r"output_every: expected 1 with scheme quasi-static"),
    ("run rod_cycle --forces=1,x", r"forces: expected numbers with commas between"),
    ("run rod_cycle --thermal_strains=-0.7", r"thermal_strains: expected numbers > -0.5"),
    ("run rod_cycle --material=neo-hookean --thermal_strains=0.1", r"got neo-hookean"),
    ("run annulus_torsion --inner_radius=0.3", r"outer_radius: expected a number > inner_radius = 0.3"),
    ("run annulus_torsion --scheme=sdirk2 --torques=1,0", r"torques: expected one number with scheme sdirk2"),
    ("run annulus_torsion --steps=4 --dt=0.3", r"dt: expected 1/steps = 0.25"),
]
EXPRESSIONS = [
    ("9**9**9**9", r"mu: expected a number >= 0, got '9\*\*9\*\*9\*\*9': it cannot be computed"),
    ("__import__('os').system('true')", r"it may call where, "),
    ("X.real", r"got 'X.real'"),
    ("0.3*Z", r"uses 'Z'; the names are X, Y, t, pi"),
    ("1/0", r"cannot be computed"),
    ("-(0.3)", r"is -0.3"),
    ("X", r"mu must not be negative"),
    ("much", r"mu: expected a number >= 0, got 'much'"),
    ("", r"mu: expected a number >= 0, got '': it is not an expression in X, Y, t, pi: invalid syntax$"),
]
LAWS = [
    ("inclined_plane --law=sliding --mu_s=0.4", r"mu_s: expected a number >= mu = 0.5, got 0.4"),
    ("inclined_plane --law=static-kinetic --mu_s=0.2", r"mu_s: expected a number >= mu = 0.5, got 0.2"),
    ("inclined_plane --law=stribeck --mu=0 --mu_s=0.4", r"mu: expected a number > 0 with mu_s = 0.4 and law stribeck"),
    (
        "inclined_plane --law=sliding --v_s=0.1 --v_d=0.1",
        r"v_d: expected a number > v_s = 0.1 with law sliding, got 0.1",
    ),
    (
        "inclined_plane --law=force-spline --spline_speeds=0,1",
        r"two lists of one length with law force-spline, got \['spline_speeds'\]",
    ),
    (
        "inclined_plane --law=coefficient-spline --spline_speeds=0.1,1 --spline_values=1,1",
        r"speeds must increase from 0 m/s, got \[0.1, 1.0\]",
    ),
    (
        f"inclined_plane --law=force-spline --mu=0 {SPLINE}",
        r"mu: expected a number > 0 with law force-spline, which shares",
    ),
    ("inclined_plane --law=coulomb --scheme=radau", r"radau.*not a set-valued law"),
    ("spinning_disc --law sliding --mu_s 0.5 --mu '0.3*(1+X)'", r"mu: expected a number with mu_s and law sliding"),
    ("rod_cycle --law=smooth", r"set-valued friction"),
    ("rod_cycle --law=stribeck --mu_s=0.9", r"quasi-static.*'coulomb' or 'elliptic'"),
    ("beam_bending --law=sliding-stiction", r"a linear beam takes law 'coulomb'"),
    ("block_on_table --law=smooth --scheme=explicit", r"explicit.*choose law 'coulomb'"),
]
NONE = ": expected none with contact signorini"
CONTACT = [
    ("--wall_law coulomb --mu_wall 0.3", r"function of the slip velocity, got Coulomb"),
    ("--wall_law stribeck --mu_wall 0.3", r"function of the slip velocity, got Stribeck"),
    ("--wall_law sliding --mu_wall 0.3 --mu_s_wall 0.2", r"on the obstacle"),
    ("--wall_law sliding-stiction --mu_wall 0.3 --scheme radau --law smooth", r"sdirk2"),
    ("--wall_law smooth --mu_wall 0.3 --contact signorini --scheme moreau-theta", r"got Smooth"),
    ("--contact signorini --scheme sdirk2", r"backward-euler or moreau-theta"),
    ("--restitution=0.5", r"restitution: expected none with contact penalty"),
    ("--restitution_law=stronge", r"restitution_law: expected none with contact penalty"),
    ("--contact=signorini --restitution_law=moreau", r"restitution_law: expected one of newton, poisson, stronge"),
    ("--contact=signorini --restitution_law=poisson --body=elastic", r"restitution_law 'poisson' takes a rigid body"),
    ("--contact=signorini --damping=3", "damping" + NONE),
    ("--contact=signorini --tensile=True", "tensile" + NONE),
    ("--stiffness=3 --stiffness_spline=0,0,1,1", r"stiffness: expected none with stiffness_spline"),
    ("--m2=2 --damping_spline=0,0,1,1", r"m2: expected none with damping_spline"),
]
IN_SPACE = [
    ("--law=smooth", r"law: expected one of coulomb, static-kinetic with contact signorini, got smooth"),
    ("--contact=penalty --law=coulomb", r"law: expected one of smooth, .* with contact penalty, got coulomb"),
    ("--contact=penalty --law=sliding --v_d=1e-4", r"v_d: expected a number > v_s"),
    ("--contact=penalty --law=sliding --mu=0.3 --mu_s=0.1", r"mu_s: expected a number >= mu"),
    ("--contact=penalty --stiffness_spline=0,0,1", r"pairs of numbers, the second a force, got 3 numbers"),
    ("--contact=penalty --stiffness=0", r"stiffness"),
    # 9.81 N on 150 N/m: 0.065 m deep, of a block whose centre is 0.05 m above its base
    ("--contact=penalty --stiffness=150", r"0\.05 m above its base, got one that bears it 0\.0654 m deep"),
]
LONG = {
    "brackets": "nx = " + "[" * 5000 + "]" * 5000,
    "lists": "nx = " + "[" * 300 + "]" * 300,
    "digits": "nx = " + "9" * 5000,
    "rings": "nr = 1e23",
    "cells": "nx = 1e23",
    "name": "a" * 5000 + " = 1",
}
FILES = {
    "file.txt": "mu = = 3\n",
    "key.toml": "mue = 0.3\n",
    "table.toml": "[block_on_table]\nmu = 0.3\n",
    "text.toml": 'mu = "0.3"\n',
    "switch.toml": "nx = true\n",
    "twice.toml": "t-end = 0.02\nt_end = 0.01\n",
    "long.toml": "mu = 0.3\n" + "# " * 1_000_000,
    "deep.toml": "a." * 200_000 + "a = 1",
    **{f"{name}.toml": text for name, text in LONG.items()},
    "none.json": "mu = 3",
    "other.json": '{"mu": 3}',
    "list.json": '{"case": ["plate_sliding"], "parameters": {}}',
    "key.json": '{"case": "plate_sliding", "parameters": {"mue": 3}}',
    "text.json": '{"case": "plate_sliding", "parameters": {"nx": "many"}}',
    "empty/trajectory.nc": "",
}
CONFIGURATIONS = [
    ("run block_on_table --config none.toml", r"config: expected .*'none.toml'"),
    ("run --config key.toml", r"expected the NAME of a case first, .*got --config"),
    ("run block_on_table --config file.txt", r"config: expected a TOML file, got 'file.txt'"),
    ("run block_on_table --config /dev/zero", r"config: .*\(no regular file\)"),
    ("run block_on_table --config pipe", r"config: .*\(no regular file\)"),
    ("run block_on_table --config pipe.json", r"config: .*\(no regular file\)"),
    ("run block_on_table --config empty", r"config: .*\(Is a directory\)"),
    ("run block_on_table --config long.toml", r"config: .*\(more than 1048576 bytes\)"),
    ("run block_on_table --config deep.toml", r"config: .*nested too deeply"),
    ("run block_on_table --config key.toml", r"unknown parameter mue: did you mean mu\?"),
    ("run block_on_table --config table.toml", r"unknown parameter block_on_table"),
    ("run block_on_table --config text.toml", r"mu: expected a number >= 0, got '0.3'"),
    ("run block_on_table --config switch.toml", r"nx: expected an integer.*True"),
    ("run plate_sliding --config twice.toml", r"config: expected t_end once, got it twice in 'twice.toml'"),
    *((f"run spinning_disc --config {name}.toml", r"^error: ") for name in LONG),
    ("run --config none.json", r"expected a summary.json, got"),
    ("run --config other.json", r"expected a summary.json with case and parameters"),
    ("run --config list.json", r"one of block_on_table"),
    ("run --config key.json", r"unknown parameter mue"),
    ("run --config text.json", r"nx: expected an integer >= 1, got 'many'"),
    ("run free_flight --config plate/summary.json", r"the summary of a run of free_flight, got one of plate_sliding"),
]
POINTS = ("block_on_table --grid mu=1,2 --out ", r"out: expected the points of a sweep")
SWEEPS = [
    ("", r"expected the name of a case to sweep \(one of block_on_table.*got nothing"),
    ("nope --grid mu=1,2", r"got nope"),
    ("block_on_table", r"grid: expected at least one --grid PARAM=V1,V2"),
    ("block_on_table --grid mu=", r"grid: expected PARAM=.*got 'mu='"),
    ("block_on_table --grid mue=1,2", r"unknown parameter mue: did you mean mu\? Expected one of .*t_end"),
    ("block_on_table --grid mu=0.1,much", r"grid point mu=much: mu: expected a number"),
    ("block_on_table --grid law=glue,coulomb", r"law: expected one of coulomb"),
    (
        "block_on_table --grid dt=0,0.1 --grid scheme=explicit,sdirk2",
        r"point dt=0.0, scheme=sdirk2: dt: expected a num",
    ),
    ("block_on_table --grid mu=1,2 --mu 1", r"not fixed by --mu as well"),
    ("block_on_table --grid mu=1,2 --grid mu=3,4", r"once, got mu 2 times"),
    ("block_on_table --grid mu=0.1,0.10", r"different values of mu, got 0.1 2 times"),
    ("block_on_table --grid mu=0:1", r"mu=START:STOP:COUNT\[:log\]"),
    ("block_on_table --grid law=a:b:3", r"law=START:STOP:COUNT"),
    ("block_on_table --grid mu=0:1:3:log", r"positive ends for log"),
    ("block_on_table --grid nx=1:2:4", r"range of nx whose values are integers"),
    ("block_on_table --grid mu=0:1:100001", r"at most 100000 points, got 100001"),
    ("block_on_table --grid mu=1,2 --workers -1", r"workers: expected an integer >= 0"),
    (f"block_on_table --grid mu=1,2 --workers 1 {SCHEDULER}", r"workers: expected none with --scheduler"),
    (
        "block_on_table --grid mu=1,2 --scheduler tcp://127.0.0.1:1",
        r"scheduler: expected the address of .*got 'tcp://127.0.0.1:1'",
    ),
    ("block_on_table --grid mu=1,2 --scheduler here", r"scheduler: .*got 'here'"),
    ("block_on_table --grid mu=1,2 --out file.txt", r"out: expected a directory"),
    ("block_on_table --grid mu=0.1,0.2 --out ''", NAME),
    ("block_on_table --grid mu=0.1,0.2 --out '\t'", NAME),
    *((POINTS[0] + folder, POINTS[1]) for folder in ("pipe_of_points", "folder_of_points", "device_of_points")),
]
STUDIES = [
    ("converge", r"one of block_on_table, .*got nothing"),
    ("converge nope --over dt", r"one of block_on_table, .*got nope"),
    ("converge rod_wave", r"over: expected one of dt, mesh, got nothing"),
    ("converge rod_wave --over time", r"over: expected one of dt, mesh, got 'time'"),
    ("converge rod_wave --over dt --levels 1", r"levels: expected an integer from 2 to 8, got '1'"),
    ("converge plate_sliding --over mesh --mesh a.msh", r"mesh: expected none .*'a.msh'"),
    ("converge rod_wave --over dt --out /dev/null/x", r"out: expected a directory"),
    ("converge rod_wave --over dt --out ''", NAME),
    ("converge free_flight --over dt --scheme quasi-static", r"quasi-static"),
    (
        "converge block_on_table --over dt --error_tolerance 1e-3",
        r"with --over dt, which studies equal steps, got 0.001",
    ),
    ("benchmark --problem nosuch --out wrong", r"expected a problem \(one of bouncing_bar, "),
    ("benchmark --code nosuch --out wrong", r"expected a code \(one of floating-frame-friction, "),
    ("benchmark --problem missing.toml --out wrong", r"the path of a \.toml file, got missing\.toml"),
    ("benchmark --codes mujoco --out wrong", r"Expected one of the options that --help lists"),
    ("benchmark free_top --out wrong", r"got free_top"),
    ("modes", r"expected the name of a case for its modes \(one of .*got nothing"),
    ("modes nope", r"got nope"),
    ("modes beam_bending --count few", r"count: expected an integer from 1 to 1000, got 'few'"),
    ("modes beam_bending --ne 2 --count 9", r"expected a number of modes from 1 to 4, got 9"),
    ("modes block_on_table", r"a rigid body has no natural modes: take a deformable one"),
    ("modes plate_sliding --about none", r"expected a results directory"),
    ("modes beam_bending --out plate", r"^error: out: expected a directory without results of a run, got 'plate'\n$"),
]
NOWHERE = r"expected a results directory with a trajectory.nc, got 'nowhere'"
RESULTS = [
    ("plot", r"DIR requires an argument"),
    ("plot nowhere", NOWHERE),
    ("plot ''", r"expected a results directory, got ''"),
    ("plot empty", r"expected the trajectory of a case"),
    ("animate", r"DIR requires an argument"),
    ("animate nowhere", NOWHERE),
    ("animate empty --out ' '", r"expected"),
    ("animate plate --fps fast", r"fps: expected a number > 0, <= 50, got 'fast'"),
    ("animate plate --fps 60", r"fps: .*got '60'"),
    ("animate plate --out film.avi", r"out: expected a file that ends in .mp4 or .gif, got 'film.avi'"),
    ("animate plate --out film.mp4", r"out: expected a file that ends in .gif, as no ffmpeg is found"),
    ("animate plate --out none/film.gif", r"out: expected a file in a directory that exists"),
    ("animate plate --speed 2", r"--speed"),
    ("compare plate", r"expected at least two results directories to compare, got 1"),
    ("compare plate nowhere", NOWHERE),
    ("compare plate plate --out a.pdf", r"out: expected a file .*\.png, got 'a.pdf'"),
    ("compare plate plate --out none/a.png", r"out: expected a file in a directory that"),
    ("compare empty empty --out ''", r"out: expected a file .* got ''"),
    (
        "resume plate --t_end 1e-4",
        r"^error: t_end: expected a time after .* s, which the run has reached, got 0\.0001\n$",
    ),
    ("run block_on_table --out swept", r"to replace them, got 'swept' with a sweep"),
    ("sweep block_on_table --grid mu=1,2 --out plate", r"to replace them, got 'plate' with a run"),
    ("plot swept", r"expected the results of a run, got a sweep in 'swept': its numbers are in sweep\.csv"),
    ("export nowhere --to csv", NOWHERE),
    ("export plate", r"to: expected one of vtk, csv, html, got nothing"),
    ("export plate --to pdf", r"to: expected one of vtk, csv, html, got pdf"),
    ("export plate --to csv --out a.txt", r"its name ending in .csv, got 'a.txt'"),
    ("export plate --to html --out ''", r"its name ending in .html, got ''"),
    ("export plate --to vtk --out ' '", r"its name ending in .pvd, got ' '"),
    ("export '' --to vtk", r"expected a results directory, got ''"),
    ("export plate --to html --out none/a.html", r"out: expected a file in a directory that exists"),
]
MESHES = {
    "degenerate": ([(0, 0), (1, 0), (2, 0), (0, 1)], "triangle", [(0, 1, 2), (0, 1, 3)]),
    "unnamed": ([(0, 0), (1, 0), (0, 1)], "triangle", [(0, 1, 2)]),
    "double": (
        [(0, 0), (0.2, 0), (0.2, 0.2), (0, 0.2), (0.2, 1e-9), (0.4, 0), (0.4, 0.2), (0.2, 0.2)],
        *("quad", [(0, 1, 2, 3), (4, 5, 6, 7)]),
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with configurations, meshes, what is no file, and the results of a run in ``plate``."""
    import meshio

    folder = tmp_path_factory.mktemp("refused")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "swept").mkdir()
    (folder / "swept" / "sweep.nc").touch()
    for name, (points, kind, cells) in MESHES.items():
        meshio.write_points_cells(folder / f"{name}.vtk", [(*p, 0.0) for p in points], [(kind, cells)])
    for name in ("pipe", "folder", "device"):
        (folder / f"{name}_of_points").mkdir()
    (folder / "folder_of_points" / "points.jsonl").mkdir()
    for name in ("pipe", "pipe.json", "pipe_of_points/points.jsonl"):
        os.mkfifo(folder / name)
    for name in ("zero.msh", "device_of_points/points.jsonl"):
        (folder / name).symlink_to("/dev/zero")
    assert run_without_picture("plate_sliding", SMALL["plate_sliding"], folder / "plate") == 0
    return folder


def each(command, table):
    return [(command.format(given), said) for given, said in table]


TABLES = [*PROGRAM, *PARAMETERS, *each('run plate_sliding --nx 2 --ny 2 --mu "{}"', EXPRESSIONS), *each("run {}", LAWS)]
TABLES += each("run wall_impact {}", CONTACT) + each("run block_in_space {}", IN_SPACE) + CONFIGURATIONS
TABLES += each("sweep {}", SWEEPS) + STUDIES + RESULTS


@rows("line, said", TABLES, ids=lambda row: row[0][:100])
def test_what_a_command_cannot_do_is_refused_in_one_line_and_nothing_is_written(made, command, monkeypatch, line, said):
    def never(*arguments, **named):
        raise AssertionError("a point was run")

    monkeypatch.setattr(sweep, "outcomes", never)
    monkeypatch.setattr(cli, "_start_server", lambda tokens: None)  # of processes that nothing asks for anything
    monkeypatch.setattr("matplotlib.animation.FFMpegWriter.isAvailable", lambda: False)
    monkeypatch.chdir(made)
    before = sorted(made.rglob("*"))
    status, out, err = command(line)
    assert (status, out, err.count("\n"), err[-1:]) == (2, "", 1, "\n"), err
    assert re.search(said, err), err
    assert not re.search(r"Traceback|╭|pydantic|errors\.|set_int_max_str_digits", err)
    assert len(err) < 1000 or "name.toml" in line
    assert sorted(made.rglob("*")) == before
