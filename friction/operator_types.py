"""What a sum of two numbers is, asked of Numba once.

To type a + b Numba asks one after another all that define +, for text and dates as well, and does so again for every sum of
every function: a fifth of what a first run spends on compiling. The answer follows from the operator and the types alone.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from numba.core import types
from numba.core.typing import Signature

_OPERATORS = frozenset(getattr(operator, name) for name in operator.__all__)
_NUMERIC = (types.Number, types.Boolean, types.Array, types.BaseTuple)  # type: ignore[attr-defined]
_asked = types.Function.get_call_type
_known: WeakKeyDictionary[types.Type, dict[tuple[object, ...], Signature]] = WeakKeyDictionary()


def _call_type(
    self: types.BaseFunction, context: object, args: tuple[types.Type, ...], given: Mapping[str, types.Type]
) -> Signature:
    """Return the signature of a function for such arguments: of operators on numbers and arrays what was found before.

    They take a number in the source like any other of its type, but where it is the place in a tuple.
    """
    if self.typing_key not in _OPERATORS or not all(isinstance(a, _NUMERIC) for a in args):
        return _asked(self, context, args, given)
    if not isinstance(args[0], types.BaseTuple):  # type: ignore[attr-defined]
        args = tuple(map(types.unliteral, args))  # type: ignore[attr-defined]
    known, key = _known.setdefault(self, {}), (context, *args)
    if key not in known:
        known[key] = _asked(self, context, args, given)
    return known[key]


types.Function.get_call_type = _call_type  # type: ignore[assignment, method-assign]  # for the whole process
