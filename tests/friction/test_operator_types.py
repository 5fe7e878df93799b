"""Numba's answer for an operator is asked once, and is the one that it gives each time."""

import operator

import numpy as np
import pytest
from numba import njit, types
from numba.core.registry import cpu_target

from friction import operator_types

MATRIX, READ = types.float64[:, ::1], types.Array(types.float64, 2, "A", readonly=True)


def test_an_operator_is_asked_about_once_for_each_mixture_of_types(monkeypatch):
    asked = []

    def counted(self, context, args, given):
        asked.append((self.typing_key, args))
        return original(self, context, args, given)

    original = operator_types._asked
    monkeypatch.setattr(operator_types, "_asked", counted)
    monkeypatch.setattr(operator_types, "_known", type(operator_types._known)())
    assert njit(lambda x, y: x * y + x * x + y * y + x * y)(2.0, 3.0) == 25.0
    products = [args for key, args in asked if key is operator.mul]
    assert products == [(types.float64, types.float64)]


@pytest.mark.parametrize(
    ("sign", "args"),
    [
        (operator.add, (types.int64, types.int64)),
        (operator.add, (types.int32, types.float64)),
        (operator.truediv, (types.int64, types.int64)),
        (operator.mul, (types.literal(3), types.int64)),
        (operator.getitem, (READ, types.Tuple((types.int64, types.literal(1))))),
        (operator.lt, (types.float64, types.int64)),
        (operator.and_, (types.boolean, types.boolean)),
        (operator.getitem, (MATRIX, types.UniTuple(types.int64, 2))),
        (operator.getitem, (READ, types.int64)),
        (operator.setitem, (MATRIX, types.UniTuple(types.int64, 2), types.float64)),
    ],
)
def test_what_is_kept_is_what_numba_says(sign, args):
    context = cpu_target.typing_context
    context.refresh()
    function = context.resolve_value_type(sign)
    for _ in range(2):
        found = function.get_call_type(context, args, {})
        assert found == operator_types._asked(function, context, args, {})


def test_a_kernel_calculates_the_same_whatever_has_been_typed_before():
    @njit
    def mixed(i, x, a):
        return i + i, i / 2, a[i, 0] + x, (i, i, 1), a[0][1] - i

    a = np.arange(6.0).reshape(3, 2)
    assert mixed(1, 0.5, a) == mixed.py_func(1, 0.5, a) == (2, 0.5, 2.5, (1, 1, 1), 0.0)
