"""Compiled kernels run their own copies of what they call: a run from an empty cache is that from a full one."""

import ctypes
import subprocess
import sys

import llvmlite.binding as llvm
import pytest
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from friction.rigid.newton import SUMS

CALLEE = (
    "define {linkage} double @callee(double %x) noinline optnone {{ %y = fmul double %x, {value}\n ret double %y }}\n"
)
CALLER = "define double @caller(double %x) {\n %y = call double @callee(double %x)\n ret double %y }\n"
RUN = """
import numpy as np, floating_frame as ff
from cases.registry import load
module = load("spinning_disc")
params = module.Parameters(body="rigid", nr=6, nt=9, t_end=0.1)
data = ff.simulate(ff.assemble(module.problem(params), module.options(params)))
print(*(data[name].values.tobytes().hex() for name in sorted(data.variables) if data[name].dtype == float))
"""


def loaded(name, code):
    library = cpu_target.target_context.codegen().create_library(name)
    library.add_llvm_module(llvm.parse_assembly(code))
    with global_compiler_lock:
        library.finalize()
    return library


def test_a_compiled_caller_runs_its_own_copy_where_another_of_that_name_was_loaded_first():
    assert SUMS
    own = loaded("callee", CALLEE.format(linkage="", value="2.0"))  # compiled by itself
    both = loaded(
        "caller", CALLEE.format(linkage="linkonce_odr", value="3.0") + CALLER
    )  # optimised again by who linked it
    called = [ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lib.get_pointer_to_function(name))(1.0)
              for lib, name in ((own, "callee"), (both, "caller"))]  # fmt: skip
    assert called == [2.0, 3.0]
    assert {f.name for f in own._get_module_for_linking().functions} == {"callee"}


@pytest.mark.slow
def test_a_run_that_compiles_is_the_one_that_finds_its_kernels_to_the_last_bit(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    first, second = (
        subprocess.run([sys.executable, "-c", RUN], capture_output=True, check=True).stdout for _ in range(2)
    )
    assert len(first) > 10_000
    assert list(tmp_path.rglob("*.nbc"))
    assert first == second
