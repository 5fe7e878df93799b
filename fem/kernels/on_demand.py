"""Kernels with one signature, compiled when one is first called, from Python or by another kernel.

``njit`` with a signature compiles at once, so that every import would compile, or load, what a run never needs; without one it
compiles again for each mixture of read-only and other arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from numba.core import types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher

Result = TypeVar("Result")


class Loops(CompilerBase):  # type: ignore[misc]  # numba has no types
    """Numba's compiler without the passes that plain loops have no use for: closures, array expressions, literals to unroll.

    Each reads the whole function again: together they take an eighth of a compilation.
    """

    def define_pipelines(self) -> list[PassManager]:  # noqa: D102
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [each for each in passes.passes if each[0].__name__ not in _UNUSED]
        passes.finalize()
        return [passes]


_UNUSED = {
    *("WithLifting", "InlineClosureLikes", "MakeFunctionToJitFunction", "InlineInlinables", "InlineOverloads"),
    *("RewriteSemanticConstants", "DeadBranchPrune", "RewriteDynamicRaises", "NopythonRewrites"),
    *("FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass", "DumpParforDiagnostics"),
}
LOOP = {"cache": True, "error_model": "numpy", "no_cfunc_wrapper": True, "pipeline_class": Loops}
"""How kernels are compiled: without the wrapper for C, and without a look at every divisor."""
INNER = LOOP | {"no_cpython_wrapper": True}
"""How kernels are compiled that only other kernels call."""
REAL1, REAL2, REAL3, REAL4 = (types.Array(types.float64, n, "C", readonly=True) for n in (1, 2, 3, 4))
INT1, INT2, INT3 = (types.Array(types.int32, n, "C", readonly=True) for n in (1, 2, 3))
OUT1, OUT2 = (types.Array(types.float64, n, "C") for n in (1, 2))
"""Arguments: arrays of so many axes that are read, and that are written."""


class _OnDemand(CPUDispatcher):  # type: ignore[misc]  # numba has no types
    """A dispatcher that compiles for one signature alone."""

    signature: types.Type

    def _ready(self) -> bool:
        """Compile where that has not happened yet; return whether it had."""
        known = bool(self.overloads)
        if not known:
            self._can_compile = True
            self.compile(self.signature)
            self.disable_compile()
        return known

    def _compile_for_args(self, *args: object, **given: object) -> object:
        """Return what to call: this again, which now knows how, or TypeError where it did."""
        return super()._compile_for_args(*args, **given) if self._ready() else self

    def get_call_template(self, args: object, given: object) -> object:
        self._ready()
        return super().get_call_template(args, given)


def jit_on_demand(signature: types.Type, **options: object) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Return a decorator that makes a cached kernel of ``signature`` with numba's ``options``."""

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        kernel = _OnDemand(
            function,
            targetoptions={"nopython": True, "boundscheck": None, "no_cfunc_wrapper": True} | options,
            pipeline_class=Loops,
        )
        kernel.signature = signature
        kernel.enable_caching()
        made: Callable[..., Result] = kernel
        return made

    return decorate
