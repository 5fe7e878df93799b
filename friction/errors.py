"""Named failures of the friction solver: it never goes on unconverged and never solves an indefinite system."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from friction.result import TrescaResult

ADVICE = {
    "non-finite": "a force became NaN or infinite: look for an inverted element, or take a smaller step",
    "stagnated": "take a smaller step, or loosen TrescaOptions.rtol if the residual is at rounding",
    "step too long": "friction falls with speed faster than the inertia of a step holds it, so that a step may have "
    "several solutions: take a smaller step",
    "out of iterations": "raise TrescaOptions.max_fallback_iterations, start closer, or take a smaller step",
}
REASONS = tuple(ADVICE)


class Failure(RuntimeError):
    """An error that comes back from another process as it was raised, not made again of its message."""

    def __reduce__(self) -> tuple[Callable[..., Failure], tuple[Any, ...], dict[str, Any]]:
        return rebuilt, (type(self), *self.args), vars(self)


def rebuilt(kind: type[Failure], *args: object) -> Failure:
    """Return an error with its message, of a class whose errors are made of something else."""
    return kind.__new__(kind, *args)


class FoundationError(ValueError):
    """Say that a foundation has no friction bound or velocity: mu or p_n is negative or not finite at some place and time."""


class NotPositiveDefinite(RuntimeError):
    """Say that the hessian is not positive definite on the nodes that may move; every ``Factor`` raises it."""


class FrictionSolveError(Failure):
    """Say that the friction problem was not solved to its tolerance: the ``reason`` (of ``REASONS``), ``advice`` what to try, and
    as ``result`` the best iterate with its residuals; not a solution."""

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
    """Say that the friction under a rigid body could not be resolved."""


UNILATERAL_ADVICE = {
    "non-finite": "a velocity or force became NaN or infinite: take a smaller step",
    "no solution": "the contacts ask for velocities that the body cannot have (it is jammed), or mu is too large for it",
    "out of iterations": "take a smaller step",
    "indefinite": "the compliance of the contacts is not positive semidefinite where the body is linearised: take a smaller step",
}


class UnilateralError(Failure):
    """Say that unilateral contact with friction was not solved: the ``reason`` (of ``UNILATERAL_ADVICE``), ``advice`` what
    to try, the smallest ``residual`` reached and the ``tolerance``, N."""

    def __init__(self, reason: str, residual: float, tolerance: float) -> None:
        self.reason, self.residual, self.tolerance = reason, residual, tolerance
        self.advice = UNILATERAL_ADVICE[reason]
        super().__init__(
            f"unilateral contact not solved ({reason}): residual {residual:.3e} N, tolerance {tolerance:.3e} N; {self.advice}"
        )
