"""Arrays reach compiled loops as one kind, and are copied only where they must be."""

import numpy as np
import pytest
from numba import njit

import fem.elastic
import friction.arrays

NUMBERS = np.arange(6.0).reshape(2, 3)
VIEW = NUMBERS.copy().view()
VIEW.flags.writeable = False
BYTES = np.frombuffer(NUMBERS.tobytes()).reshape(2, 3)  # of memory that nobody may write
GIVEN = {
    "as wanted": (NUMBERS.copy(), True),
    "a read-only view": (VIEW, True),
    "read-only memory": (BYTES, False),
    "columns first": (np.asfortranarray(NUMBERS), False),
    "every other number": (np.repeat(NUMBERS, 2, axis=1)[:, ::2], False),
}


@njit
def total(a):  # type: ignore[no-untyped-def]
    return a.sum()


@pytest.mark.parametrize("contiguous", [friction.arrays.contiguous, fem.elastic.contiguous])
def test_loops_are_compiled_once_whatever_kind_of_array_is_given(contiguous):
    kinds = {(array.flags.c_contiguous, array.flags.f_contiguous, array.flags.writeable) for array, _ in GIVEN.values()}
    assert len(kinds) == 4
    for array, shared in GIVEN.values():
        flags = array.flags.writeable
        found = contiguous(array)
        assert total(found) == 15.0
        np.testing.assert_array_equal(found, NUMBERS)
        assert np.shares_memory(found, array) == shared
        assert array.flags.writeable == flags, "the caller's array is as it was"
    assert len(total.signatures) == 1
