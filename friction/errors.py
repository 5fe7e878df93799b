"""Errors of the friction solver, which returns no unconverged solution and solves no indefinite system."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from friction.result import TrescaResult

ADVICE = {
    "non-finite": "a force became NaN or infinite: look for an inverted element, or take a smaller step",
    "stagnated": "take a smaller step, or loosen TrescaOptions.rtol if the residual is at rounding",
    "step too long": "friction falls with speed too fast for the inertia in a step, so that a step may have "
    "several solutions: take a smaller step",
    "out of iterations": "raise TrescaOptions.max_fallback_iterations, start closer, or take a smaller step",
}
REASONS = tuple(ADVICE)


class Failure(RuntimeError):
    """An error that is pickled with its attributes, not rebuilt from its message."""

    def __reduce__(self) -> tuple[Callable[..., Failure], tuple[Any, ...], dict[str, Any]]:
        return rebuilt, (type(self), *self.args), vars(self)


def rebuilt(kind: type[Failure], *args: object) -> Failure:
    """Unpickled error; its class's ``__init__`` is not called."""
    return kind.__new__(kind, *args)


class FoundationError(ValueError):
    """The friction bound or velocity of a foundation is undefined: mu or p_n is negative or not finite somewhere at some time."""


class NotPositiveDefinite(RuntimeError):
    """The hessian is not positive definite on the nodes that may move; raised by every ``Factor``."""


class FrictionSolveError(Failure):
    """The friction problem was not solved to its tolerance: the ``reason`` (of ``REASONS``), ``advice``, and as ``result`` the best
    iterate with its residuals; not a solution."""

    def __init__(self, reason: str, result: TrescaResult) -> None:
        if reason not in REASONS:
            raise ValueError(f"reason must be one of {REASONS}, got {reason!r}")
        self.reason = reason
        self.result = result
        self.advice = ADVICE[reason]
        super().__init__(
            f"friction problem not solved ({reason}): residual of stick {result.residual_stick:.3e} N, "
            f"of slip {result.residual_slip:.3e} N, tolerance {result.tolerance:.3e} N, after "
            f"{result.iterations} Newton steps and {result.fallback_iterations} on the smoothed path; {self.advice}"
        )


class RigidFrictionError(Failure):
    """The friction problem of a rigid body was not solved."""


UNILATERAL_ADVICE = {
    "non-finite": "a velocity or force became NaN or infinite: take a smaller step",
    "no solution": "no velocity of the body satisfies all contacts (it is jammed), or mu is too large",
    "out of iterations": "take a smaller step",
    "indefinite": "the linearised compliance of the contacts is not positive semidefinite: take a smaller step",
}


class UnilateralError(Failure):
    """Unilateral contact with friction was not solved: the ``reason`` (of ``UNILATERAL_ADVICE``), ``advice``, the smallest
    ``residual`` and the ``tolerance``, N."""

    def __init__(self, reason: str, residual: float, tolerance: float) -> None:
        self.reason, self.residual, self.tolerance = reason, residual, tolerance
        self.advice = UNILATERAL_ADVICE[reason]
        super().__init__(
            f"unilateral contact not solved ({reason}): residual {residual:.3e} N, tolerance {tolerance:.3e} N; {self.advice}"
        )
