"""Numba as it is: nothing of it is patched, no kernel is compiled twice, and a run has the same bits whether it compiles or not."""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from case_runs import SMALL, stored

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("friction", "fem", "floating_frame", "cases")


def json_lines_of(code, *arguments, **environment):
    """The lines of JSON that a new interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True, text=True, env=os.environ | environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


IMPORTED = """
import importlib, json, pkgutil, sys
import numba, numba.extending, llvmlite.binding
from numba.core import codegen, compiler, dispatcher, typeinfer, types

def seen():
    found = {}
    for name, module in sorted(sys.modules.items()):
        if name.split(".")[0] in ("numba", "llvmlite") and module is not None:
            for key, value in list(vars(module).items()):
                found[name, key] = value
                if isinstance(value, type) and value.__module__ == name:
                    found |= {(name, f"{key}.{part}"): thing for part, thing in list(vars(value).items())}
    return found

def changed(before):
    now, known = seen(), {(module, key.split(".")[0]) for module, key in before}
    new = [place for place in now if place not in before and "." in place[1] and (place[0], place[1].split(".")[0]) in known]
    return [".".join(place) for place in [*new, *(p for p, value in before.items() if now.get(p) is not value)]]

before = seen()
names = []
for package in PACKAGES:
    names.append(package)
    names += [m.name for m in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
own = [m for name, m in list(sys.modules.items()) if name.split(".")[0] in PACKAGES]
kernels = {id(f): f for m in own for f in list(vars(m).values()) if numba.extending.is_jitted(f)}
report = {"modules": len(names), "kernels": len(kernels), "looked at": len(before), "changed": changed(before)}
report["compiled"] = sorted(f.py_func.__qualname__ for f in kernels.values() if f.signatures)
sound = types.Function.get_call_type, codegen.JITCPUCodegen._library_class
types.Function.get_call_type, codegen.JITCPUCodegen._library_class = lambda *args: None, object
report["noticed"] = changed(before)
types.Function.get_call_type, codegen.JITCPUCodegen._library_class = sound
print(json.dumps(report))
"""


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    """Kernels of a process that has imported every module, and their signatures after runs of a few kinds."""
    lines = runs_of(["rigid body in the plane", "rigid body on feet", "flat base", "plate", "explicit"])
    return json_lines_of(f"PACKAGES = {PACKAGES}\n{IMPORTED}\n{SIGNATURES}", tmp_path_factory.mktemp("few"), lines)


def test_importing_every_module_leaves_numba_as_it_was_and_compiles_nothing(process):
    report, _ = process
    assert report["modules"] > 400
    assert report["kernels"] > 150
    assert report["looked at"] > 5000
    assert report["changed"] == []
    assert report["compiled"] == []
    noticed = {".".join(name.split(".")[-2:]) for name in report["noticed"]}
    assert {"Function.get_call_type", "JITCPUCodegen._library_class"} <= noticed, "the test sees nothing"


PUBLIC = {
    "numba": {"carray", "cfunc", "njit", "types"},
    "numba.extending": {"intrinsic", "is_jitted", "overload", "overload_method", "register_jitable"},
    "numba.core.event": {"Event", "Listener", "install_listener"},  # which Numba documents for applications
}
OPTIONS = {"cache": "True", "error_model": "'numpy'", "forceinline": "True", "inline": "'always'"}


def test_of_numba_only_documented_names_and_options_are_used():
    offenders, kernels = [], 0
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        offenders += [f"{place}: fastmath"] if "fastmath" in text else []
        in_library = not place.startswith("cases/")  # what a terminal shows needs Numba's events, the library does not
        offenders += [f"{place}: numba.core"] if in_library and "numba.core" in text else []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                offenders += [f"{place}: {a.name}" for a in node.names if a.name.startswith(("numba", "llvmlite"))]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("numba", "llvmlite"):
                unknown = {alias.name for alias in node.names} - PUBLIC.get(node.module, set())
                offenders += [f"{place}: {node.module}.{name}" for name in sorted(unknown)]
            elif isinstance(node, ast.FunctionDef):
                for decorator in [d for d in node.decorator_list if "jit" in ast.unparse(d)]:
                    if ast.unparse(decorator).startswith(("overload_method(", "overload(")):  # compiled with its caller
                        compiled = ast.literal_eval(next(k.value for k in decorator.keywords if k.arg == "jit_options"))
                        bad = not compiled.items() <= {"error_model": "numpy", "forceinline": True}.items()
                        offenders += [f"{place}:{node.name} {ast.unparse(decorator)}"] if bad else []
                        continue
                    kernels += 1
                    given = {k.arg: ast.unparse(k.value) for k in getattr(decorator, "keywords", [])}
                    plain = getattr(decorator, "args", None) == [] and {"cache", "error_model"} <= set(given)
                    if not plain or not given.items() <= OPTIONS.items():
                        offenders.append(f"{place}:{node.name} {ast.unparse(decorator)}")
    assert kernels > 150
    assert offenders == []


RUNS = {
    "rigid body in the plane": "block_on_table",
    "many points": "spinning_disc --body=rigid --nr=3 --nt=6",
    "rigid body on feet": "block_in_space",
    "flat base": "curling_disc",
    "plate": "plate_sliding",
    "clamped plate": "plate_clamped",
    "solid": "solid_pulled",
    "beam": "beam_bending",
    "explicit": "plate_sliding --scheme=explicit --dt=0",
    "contact": "wall_impact --body=elastic --contact=signorini",
}
PARTS = "arrays, and parts of a record"
SPACE = "of a body in space whose single steps Python takes, and of the compiled one, where a turn is part of a record"
GENERIC = {
    "triple": "reads or writes three numbers of arrays and of parts of records",
    **dict.fromkeys(
        ("at", "put", "matrix_at"),
        "three numbers of a row, from columns that are known when compiled or are not",
    ),
    "add_outer": "to a matrix, and to one that is a part of a record",
    **dict.fromkeys(("evaluate_effect", "source_rows"), "write into the rows of a stage, and into parts of a record"),
    "multiply": "lane products of any sizes, which tuples of that length say",
    "advance": "the one text of the step, for bodies in the plane and in space",
    **dict.fromkeys(("factor", "solved"), "matrices of any size, and six equations, a part of a record"),
    **dict.fromkeys(("dot3", "times", "product", "turned_tensor"), PARTS),
    **dict.fromkeys(
        ("start_stage", "end_stage", "close_step", "add_point"), "of a body on feet, and of one on a flat base"
    ),
    **dict.fromkeys(("contact_geometry", "begin_points", "release_points", "painleve_at"), SPACE),
}
"""Kernels that may have several signatures, and why."""
SIGNATURES = """
import json, os, sys
from numba.extending import is_jitted
from cases.app.command import cli
from cases.app.run import runner

runner._draw = lambda *_: None
os.chdir(sys.argv[1])
for number, tokens in enumerate(json.loads(sys.argv[2])):
    assert cli.main(["run", *tokens, "--quiet", "--out", str(number)]) == 0, tokens
found = {}
for name, module in list(sys.modules.items()):
    if name.split(".")[0] in ("friction", "fem", "floating_frame", "cases"):
        for value in list(vars(module).values()):
            if is_jitted(value):
                found[f"{value.py_func.__module__}.{value.py_func.__name__}"] = list(map(str, value.signatures))
print(json.dumps(found))
"""


def runs_of(kinds):
    """The command lines of these runs, all small."""
    lines = []
    for kind in kinds:
        name, *more = RUNS[kind].split()
        own = {token[2:].split("=")[0] for token in more}
        lines.append([name, *more, *(f"--{k}={v}" for k, v in SMALL[name].items() if k not in own)])
    return json.dumps(lines)


def several(computed):
    """Names of the kernels that have been compiled for several kinds of arguments, with these.

    Element loops are compiled once for each pair of dimension and element, which tuples of that length say.
    """
    sizes = {name: {tuple(re.findall(r"UniTuple\((?:Literal\[int\]\(0\)|int64), \d+\)|Tuple\(\)", kind)) for kind in kinds}
             for name, kinds in computed.items()}  # fmt: skip
    return {
        name.rsplit(".", 1)[1]: (name, kinds)
        for name, kinds in computed.items()
        if len(kinds) > max(1, len(sizes[name]))
    }


def test_arrays_of_one_kind_reach_each_kernel(process):
    _, computed = process
    assert sum(map(bool, computed.values())) > 25
    assert {name: kinds for name, kinds in several(computed).items() if name not in GENERIC} == {}


KILLED = {
    "disc": "spinning_disc --body=rigid --nr=3 --nt=9 --dt=1e-4 --t_end=1.5 --no-estimate",
    "plate": "plate_sliding --nx=6 --ny=3 --dt=5e-4 --t_end=1 --pull_x=60 --ramp=0.2 --no-estimate",
    "feet": "block_in_space --dt=1e-4 --t_end=1 --no-estimate",
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Where one process has run all kinds and KILLED, whose kernels it has compiled into ``cache``; and their signatures."""
    path = tmp_path_factory.mktemp("compiled")
    lines = json.dumps([*(line.split() for line in KILLED.values()), *json.loads(runs_of(RUNS))])
    (computed,) = json_lines_of(SIGNATURES, path, lines, NUMBA_CACHE_DIR=str(path / "cache"))
    return path, computed


@pytest.mark.slow
def test_no_kernel_is_compiled_twice_where_all_are_compiled(compiled):
    _, computed = compiled
    assert sum(map(bool, computed.values())) > 150
    twice = several(computed)
    assert {name: kinds for name, kinds in twice.items() if name not in GENERIC} == {}
    assert sorted(GENERIC.keys() - twice.keys()) == [], "no longer needed"


def command(*tokens, cache, **environment):
    """Start a command in a new interpreter that keeps its kernels in ``cache``."""
    return subprocess.Popen(
        [sys.executable, "-m", "cases", *map(str, tokens), "--quiet"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache), "MPLBACKEND": "Agg"} | environment,
        stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip


def wait_for(process):
    """Wait for a command that has to succeed."""
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said


def kill_once_stored(out, case, cache):
    """Kill a run when it has been kept once."""
    process = command("run", *case, "--checkpoint_every=0", "--out", out, cache=cache)
    while process.poll() is None and not (out / "checkpoint.npz").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, said
    assert not (out / "trajectory.nc").exists()


def trajectory(out):
    return stored(out).assign_attrs(run="")


def kernels(cache):
    return {path.name for path in cache.rglob("*.nbc")}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KILLED)
def test_a_killed_run_that_goes_on_with_kernels_of_others_is_the_same_to_the_last_bit(compiled, tmp_path, kind):
    """As the run whose process compiled them: found in the cache until the kill, and from there on found again or compiled for
    another instruction set. Nothing is reordered or contracted, whatever the vector units."""
    path, _ = compiled
    host, other = path / "cache", path / "other cache"
    known = kernels(host)
    kill_once_stored(tmp_path / "found", KILLED[kind].split(), host)
    shutil.copytree(tmp_path / "found", tmp_path / "generic")
    wait_for(command("resume", tmp_path / "found", cache=host))
    assert kernels(host) == known, "none was compiled again"
    wait_for(command("resume", tmp_path / "generic", cache=other, NUMBA_CPU_NAME="generic"))
    assert {name.split(".")[0] for name in kernels(other)} & {name.split(".")[0] for name in known}
    whole = trajectory(path / str(list(KILLED).index(kind)))
    assert whole.sizes["time"] > 500
    assert np.ptp(whole.position.values, axis=0).max() > 0.0
    for resumed in ("found", "generic"):
        assert trajectory(tmp_path / resumed).identical(whole), resumed
