"""PARDISO (Intel MKL) as a factorisation backend."""

import ctypes
import functools
import os
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np

from fem.factorisation.base import Factor, FactorError, not_positive_definite

Argument: TypeAlias = "ctypes.c_void_p | ctypes._CArgObject | None"  # an address, or null

# MKL_CBWR_AUTO: the fastest code path whose results do not depend on where in memory the arrays lie.
_REPRODUCIBLE = 2


@functools.cache
def _load() -> Callable[..., None]:
    """Function ``pardiso`` of the library. Raises ImportError or OSError where there is none."""
    beside = sorted(
        (Path(sys.prefix) / "lib").glob("libmkl_rt.so*")
    )  # PyPardiso would search all packages, which takes 0.1 s
    if beside:
        os.environ.setdefault("PYPARDISO_MKL_RT", str(beside[0]))
    from pypardiso.scipy_aliases import pypardiso_solver

    # Without this the same system, solved twice, differs in its last bits.
    pypardiso_solver.libmkl.MKL_CBWR_Set(_REPRODUCIBLE)
    function = pypardiso_solver.libmkl["pardiso"]  # a new object, whose argument types are addresses
    function.restype = None
    typed: Callable[..., None] = function
    return typed


class Pardiso(Factor):
    """MKL PARDISO: Cholesky on the upper triangle, or LU where symmetric=False.

    The library is called directly, with arrays and pointers made once; PyPardiso's solver makes and copies them in every call.
    """

    backend = "pardiso"
    _ANALYSE, _FACTORISE, _SOLVE, _RELEASE = 11, 22, 33, -1

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, symmetric: bool) -> None:
        self._library = _load()
        super().__init__(indptr, indices, symmetric)
        row = np.repeat(np.arange(self.size), np.diff(self.indptr))
        if symmetric:
            self._upper = np.flatnonzero(self.indices >= row)
            self._ja = self.indices[self._upper]
            self._ia = np.searchsorted(self._upper, self.indptr).astype(np.int32)
        else:
            self._ia, self._ja = self.indptr, self.indices
        self._handle = np.zeros(64, dtype=np.int64)
        self._iparm = np.zeros(64, dtype=np.int32)
        self._iparm[0] = 1  # the values below, not the defaults
        self._iparm[1] = 2  # nested dissection
        # Two-level factorisation: with it a reproducible solution costs a third. Not for LU, whose bad pivots it does not count.
        self._iparm[23] = int(symmetric)
        self._iparm[9] = 13  # pivots below 1e-13 are perturbed (LU only), and counted
        self._iparm[34] = 1  # indices from 0
        self._values = np.zeros(self._ja.size)
        self._rhs, self._solution = np.zeros(self.size), np.zeros(self.size)
        self._factorise = self._arguments(self._FACTORISE)
        self._solve_one = self._arguments(self._SOLVE, self._rhs, self._solution)
        self._check(self._call(self._arguments(self._ANALYSE)))
        self.analyses += 1
        weakref.finalize(self, _release, self._library, self._arguments(self._RELEASE), self._handle)

    def _refactor(self, data: np.ndarray) -> None:
        if self.symmetric:
            np.take(data, self._upper, out=self._values, mode="clip")  # the other modes copy once more
        else:
            self._values[:] = data
        error = self._call(self._factorise)
        if error == -4 and self.symmetric:
            raise not_positive_definite("a pivot is not positive")
        if error == -4 or self._iparm[13] > 0:
            raise FactorError("singular", "a pivot is zero")
        self._check(error)

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        if rhs.ndim == 1:
            self._rhs[:] = rhs
            self._check(self._call(self._solve_one))
            return self._solution.copy()
        b = np.asfortranarray(rhs)
        x = np.empty_like(b)
        self._check(self._call(self._arguments(self._SOLVE, b, x)))
        return np.ascontiguousarray(x)

    def _arguments(self, phase: int, b: np.ndarray | None = None, x: np.ndarray | None = None) -> list[Argument]:
        def number(value: int) -> Argument:
            return ctypes.byref(ctypes.c_int32(value))

        def pointer(array: np.ndarray | None) -> Argument:
            return None if array is None else array.ctypes.data_as(ctypes.c_void_p)

        return [
            pointer(self._handle),
            number(1),
            number(1),
            number(2 if self.symmetric else 11),
            number(phase),
            number(self.size),
            pointer(self._values),
            pointer(self._ia),
            pointer(self._ja),
            None,
            number(1 if b is None or b.ndim == 1 else b.shape[1]),
            pointer(self._iparm),
            number(0),
            pointer(b),
            pointer(x),
        ]

    def _call(self, arguments: list[Argument]) -> int:
        error = ctypes.c_int32(0)
        self._library(*arguments, ctypes.byref(error))
        return error.value

    def _check(self, error: int) -> None:
        if error:
            advice = "out of memory: take a coarser mesh" if error in (-2, -9) else "a pattern that it cannot take"
            raise FactorError("internal", f"PARDISO error {error}, {advice}")


def _release(library: Callable[..., None], arguments: list[Argument], handle: np.ndarray) -> None:
    # The pointers in arguments keep their arrays alive.
    if handle.any():
        library(*arguments, ctypes.byref(ctypes.c_int32(0)))
