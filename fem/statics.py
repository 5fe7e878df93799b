"""Static equilibrium of a plate or a solid under dead loads with fixed degrees of freedom: Newton in load steps."""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_matrix

from fem.bodies import Plate, Solid
from fem.factorisation import NOT_POSITIVE_DEFINITE, Factor, FactorError, factor
from fem.input_checks import as_numbers, check_counts, is_number, shown

_EPS = np.finfo(float).eps
PATIENCE = 10
"""Iterations without a new smallest residual until the iteration counts as stagnated."""


@dataclass(frozen=True)
class NewtonOptions:
    """Parameters of Newton's iteration.

    Parameters
    ----------
    tolerance : float
        Largest residual over the largest nodal force (load, reaction or internal force), -, >= 0.
    rounding : float
        Residuals below this many ulps of ``|K||u|``, the rounding error, are accepted, too; >= 0.
    max_iterations : int
        Largest number of iterations per load step, >= 1.
    steps : int
        Number of equal load steps, >= 1.

    Raises
    ------
    ValueError
        For a value out of bounds.
    """

    tolerance: float = 1e-10
    rounding: float = 8.0
    max_iterations: int = 30
    steps: int = 1

    def __post_init__(self) -> None:
        for name in ("tolerance", "rounding"):
            value = getattr(self, name)
            if not (is_number(value) and value >= 0):
                raise ValueError(f"{name} must be finite and >= 0, got {shown(value)}")
        check_counts(1, max_iterations=self.max_iterations, steps=self.steps)


@dataclass(eq=False)
class Equilibrium:
    """Equilibrium, or the last state of the iteration in a ``NewtonError``.

    Parameters
    ----------
    displacement : ndarray
        Nodal displacement (N, d), m.
    reactions : ndarray
        Forces (N, d), N, of the supports on the body, 0 at free degrees of freedom.
    fraction : float
        Fraction of the load in the last load step, -.
    residuals : list[list[float]]
        Largest residual, N, before each correction and after the last, for each load step.
    converged : bool
        True for an equilibrium.
    """

    displacement: np.ndarray
    reactions: np.ndarray
    fraction: float = 0.0
    residuals: list[list[float]] = field(default_factory=list)
    converged: bool = False

    @property
    def iterations(self) -> tuple[int, ...]:
        """Number of Newton corrections of each load step."""
        return tuple(len(history) - 1 for history in self.residuals)


class NewtonError(RuntimeError):
    """Failure of Newton's iteration, with its reason.

    Parameters
    ----------
    reason : str
        "non-finite", "stagnated", "out of iterations", "inverted element" or "indefinite".
    detail : str
        Residual or det F, with its place.
    advice : str
        What to try.
    result : Equilibrium
        Last state of the iteration.
    cell : int
        Index of the inverted cell, else −1.
    """

    def __init__(self, reason: str, detail: str, advice: str, result: Equilibrium, cell: int = -1) -> None:
        super().__init__(reason, detail, advice, result, cell)
        self.reason = reason
        self.detail = detail
        self.advice = advice
        self.result = result
        self.cell = cell

    def __str__(self) -> str:
        done = f"no static equilibrium at {self.result.fraction:.6g} of the load"
        return f"{done}: {self.reason}, {self.detail}; {self.advice}"


def equilibrium(
    plate: Plate | Solid,
    load: np.ndarray,
    fixed: np.ndarray,
    *,
    prescribed: np.ndarray | None = None,
    start: np.ndarray | None = None,
    options: NewtonOptions | None = None,
    solver: Factor | None = None,
) -> Equilibrium:
    """Solve load − ∂U/∂u = 0 at the free degrees of freedom for the displacement u.

    Parameters
    ----------
    plate : Plate or Solid
        The body, d = 2 or 3.
    load : ndarray
        Dead load (N, d), N.
    fixed : ndarray
        Bool (N, d), fixed degrees of freedom.
    prescribed : ndarray, optional
        Their displacement (N, d), m, default 0.
    start : ndarray, optional
        Initial displacement (N, d), m, default 0: fixed degrees of freedom go from it to ``prescribed`` in the load steps.
    options : NewtonOptions, optional
        Parameters of the iteration.
    solver : Factor, optional
        Factor of the body's sparsity for reuse.

    Returns
    -------
    Equilibrium
        Displacement, reactions and the history of the iteration.

    Raises
    ------
    NewtonError
        If the iteration does not converge.
    ValueError
        For arrays of the wrong shape or not finite.
    """
    options = options or NewtonOptions()
    if not hasattr(plate, "internal_force"):
        raise ValueError(f"plate must be one such as Plate.build(mesh, ...), got {type(plate).__name__}")
    fixed = as_numbers(fixed, "fixed", kinds="biuf") != 0.0
    zero = np.zeros_like(plate.X)
    given = {"load": load, "prescribed": prescribed, "start": start}
    load, target, start = (zero if a is None else as_numbers(a, name) for name, a in given.items())
    for name, array in (("load", load), ("fixed", fixed), ("prescribed", target), ("start", start)):
        if array.shape != plate.X.shape or not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite with shape {plate.X.shape}, got shape {array.shape}")
    result = Equilibrium(start.copy(), zero)
    solver = solver or factor(plate.indptr, plate.indices)
    for step in range(1, options.steps + 1):
        result.fraction = step / options.steps
        _newton(
            plate, result, fixed, options, solver, result.fraction * load, start + result.fraction * (target - start)
        )
    result.converged = True
    return result


def _newton(
    plate: Plate | Solid,
    state: Equilibrium,
    fixed: np.ndarray,
    options: NewtonOptions,
    solver: Factor,
    load: np.ndarray,
    target: np.ndarray,
) -> None:
    """Newton's iteration of one load step, from the last ``state``, in place. Raises NewtonError."""
    free = ~fixed.ravel()
    row = np.repeat(np.arange(free.size), np.diff(plate.indptr))
    # Fixed rows and columns become diagonal, in the same sparsity.
    free_entries, held_diagonal = free[row] & free[plate.indices], (row == plate.indices) & ~free[row]
    increment = np.where(fixed, target - state.displacement, 0.0)
    state.residuals.append(history := [])
    while True:
        u = state.displacement
        force = plate.internal_force(u)
        residual = np.where(fixed, 0.0, load + force)
        state.reactions = np.where(fixed, -load - force, 0.0)
        history.append(float(np.abs(residual).max()))
        if not np.isfinite(force).all():
            raise _failure(plate, state, "non-finite")
        data = plate.tangent(u)
        K = csr_matrix((data, plate.indices, plate.indptr))
        scale = max(np.abs(load).max(), np.abs(force).max())
        floor = options.rounding * _EPS * (abs(K) @ np.abs(u).ravel()).max()
        if not increment.any() and history[-1] <= max(options.tolerance * scale, floor):
            if plate.material.finite_strain and not plate.smallest_jacobian(u)[0] > 0:
                raise _failure(plate, state, "inverted element")
            return
        done = len(history) - 1
        if done - int(np.argmin(history)) >= PATIENCE:
            raise _failure(plate, state, "stagnated")
        if done >= options.max_iterations:
            raise _failure(plate, state, "out of iterations")
        try:
            solver.refactor(np.where(free_entries, data, held_diagonal * np.abs(data).max()))
        except FactorError as error:
            indefinite = error.reason == NOT_POSITIVE_DEFINITE
            raise _failure(plate, state, "indefinite" if indefinite else "non-finite") from error
        rhs = np.where(free, residual.ravel() - K @ increment.ravel(), 0.0)
        state.displacement = u + increment + solver.solve(rhs).reshape(u.shape)
        increment = np.zeros_like(u)


def _failure(plate: Plate | Solid, state: Equilibrium, reason: str) -> NewtonError:
    """Error for a ``reason``; forces that are not finite because of an inverted cell have that reason."""
    smallest, cell = plate.smallest_jacobian(state.displacement)
    if reason == "inverted element" or (reason == "non-finite" and smallest <= 0):
        place = ", ".join(f"{x:.6g}" for x in plate.X[plate.cells[cell]].mean(axis=0))
        detail = f"det F = {smallest:.3g} in cell {cell} at X = ({place}) m"
        advice = "take more load steps or a material that resists it"
        return NewtonError("inverted element", detail, advice, state, cell)
    residual = f"residual {state.residuals[-1][-1]:.3g} N after {state.iterations[-1]} iterations"
    detail, advice = {
        "non-finite": ("the internal force is not finite", "take more load steps"),
        "indefinite": ("the tangent is not positive definite", "take more load steps, or hold more"),
        "stagnated": (residual, "take more load steps or a larger tolerance"),
        "out of iterations": (residual, "take more load steps or iterations"),
    }[reason]
    return NewtonError(reason, detail, advice, state)
