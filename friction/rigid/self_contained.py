"""Compiled kernels that run their own copies of the kernels that they call, whatever else the process has loaded.

Numba links the code of a callee into its caller and optimises it there once more. Both then hold a function of the same name, and
the loader takes the one that came first: the callee's own in a process that compiles, the caller's in one that finds the caller
in the cache. Where sums may be reordered the two round differently, and a run resumed from the cache was another run in its last
digits. So a module is loaded with nothing visible but its entries; what callers link stays as Numba would hand it out.
"""

from __future__ import annotations

from numba.core.codegen import JITCodeLibrary, JITCPUCodegen


class SelfContained(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """A compiled module that shares no function with others."""

    def _optimize_functions(self, ll_module):  # type: ignore[no-untyped-def]
        """Leave functions to the passes over their module, which begin alike."""
        ll_module.data_layout = self._codegen._data_layout

    def _finalize_final_module(self) -> None:
        """Load the module; what it shares with callers is taken before, where it did not come out of the cache."""
        if self._shared_module is None:  # type: ignore[has-type]
            shared = self._shared_module = self._final_module.clone()
            for function in shared.functions:
                if not function.is_declaration and function.linkage.name == "external":
                    function.linkage = "linkonce_odr"
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage.name == "linkonce_odr":
                    function.linkage = "internal"
                    function.name += f" in {self.name}"  # the loader looks for names alone
        super()._finalize_final_module()


JITCPUCodegen._library_class = SelfContained
