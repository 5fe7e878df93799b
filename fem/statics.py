"""Static equilibrium of a plate or a solid under dead loads with fixed degrees of freedom: Newton in load steps."""

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from scipy.sparse import csr_matrix

from fem.factorisation import NOT_POSITIVE_DEFINITE, Factor, FactorError, factor
from fem.input_checks import as_numbers, check_counts, is_number, shown
from fem.plate import Plate
from fem.solid.body import Solid

_EPS = np.finfo(float).eps


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
    patience : int
        Iterations without a new smallest residual until the iteration counts as stagnated, >= 1.
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
    patience: int = 10
    steps: int = 1

    def __post_init__(self) -> None:
        for name in ("tolerance", "rounding"):
            value = getattr(self, name)
            if not (is_number(value) and value >= 0):
                raise ValueError(f"{name} must be finite and >= 0, got {shown(value)}")
        check_counts(1, max_iterations=self.max_iterations, patience=self.patience, steps=self.steps)


@dataclass(frozen=True, eq=False)
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
    iterations : tuple[int, ...]
        Number of Newton corrections of each load step.
    residuals : tuple[tuple[float, ...], ...]
        Largest residual, N, before each correction and after the last, for each load step.
    converged : bool
        True for an equilibrium.
    """

    displacement: np.ndarray
    reactions: np.ndarray
    fraction: float
    iterations: tuple[int, ...]
    residuals: tuple[tuple[float, ...], ...]
    converged: bool


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
    held: np.ndarray,
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
    held : ndarray
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
    held = as_numbers(held, "held", kinds="biuf") != 0.0
    zero = np.zeros_like(plate.X)
    given = {"load": load, "prescribed": prescribed, "start": start}
    load, target, start = (zero if a is None else as_numbers(a, name) for name, a in given.items())
    for name, array in (("load", load), ("held", held), ("prescribed", target), ("start", start)):
        if array.shape != plate.X.shape or not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite with shape {plate.X.shape}, got shape {array.shape}")
    iteration = _NewtonIteration(plate, held, options, solver or factor(plate.indptr, plate.indices), start)
    for step in range(1, options.steps + 1):
        fraction = step / options.steps
        iteration.run(fraction, fraction * load, start + fraction * (target - start))
    return iteration.result(converged=True)


class _NewtonIteration:
    """State of the iteration: displacement, reactions, and history of residuals."""

    def __init__(
        self, plate: Plate | Solid, held: np.ndarray, options: NewtonOptions, solver: Factor, start: np.ndarray
    ) -> None:
        self.plate, self.held, self.options, self.solver = plate, held, options, solver
        self.u = start.copy()
        self.reactions = np.zeros_like(start)
        self.fraction = 0.0
        self.residuals: list[list[float]] = []
        free = ~held.ravel()
        row = np.repeat(np.arange(free.size), np.diff(plate.indptr))
        self.free_entries = free[row] & free[plate.indices]
        self.held_diagonal = np.flatnonzero((row == plate.indices) & ~free[row])

    def run(self, fraction: float, load: np.ndarray, target: np.ndarray) -> None:
        """Newton's iteration of one load step."""
        self.fraction = fraction
        history: list[float] = []
        self.residuals.append(history)
        increment = np.where(self.held, target - self.u, 0.0)
        while True:
            force = self.plate.internal_force(self.u)
            residual = np.where(self.held, 0.0, load + force)
            self.reactions = np.where(self.held, -load - force, 0.0)
            history.append(float(np.abs(residual).max()))
            if not np.isfinite(force).all():
                self._fail_non_finite()
            data = self.plate.tangent(self.u)
            K = csr_matrix((data, self.plate.indices, self.plate.indptr))
            scale = max(np.abs(load).max(), np.abs(force).max())
            floor = self.options.rounding * _EPS * (abs(K) @ np.abs(self.u).ravel()).max()
            at_target = not increment.any()
            if at_target and history[-1] <= max(self.options.tolerance * scale, floor):
                self._check_inversion()
                return
            self._check_progress(history)
            rhs = np.where(self.held.ravel(), 0.0, residual.ravel() - K @ increment.ravel())
            self.u = self.u + increment + self._solve(data, rhs)
            increment = np.zeros_like(increment)

    def _solve(self, data: np.ndarray, rhs: np.ndarray) -> np.ndarray:
        # Fixed rows and columns become diagonal, in the same sparsity.
        diagonal = np.abs(data).max()
        data = np.where(self.free_entries, data, 0.0)
        data[self.held_diagonal] = diagonal
        try:
            self.solver.refactor(data)
        except FactorError as error:
            if error.reason == NOT_POSITIVE_DEFINITE:
                self._fail("indefinite", "the tangent is not positive definite", "take more load steps, or hold more")
            self._fail_non_finite()
        return self.solver.solve(rhs).reshape(self.u.shape)

    def _check_progress(self, history: list[float]) -> None:
        done, options = len(history) - 1, self.options
        detail = f"residual {history[-1]:.3g} N after {done} iterations"
        if done - int(np.argmin(history)) >= options.patience:
            self._fail("stagnated", detail, "take more load steps or a larger tolerance")
        if done >= options.max_iterations:
            self._fail("out of iterations", detail, "take more load steps or iterations")

    def _check_inversion(self) -> None:
        smallest, cell = self.plate.smallest_jacobian(self.u)
        if self.plate.material.finite_strain and not smallest > 0:
            self._fail_inverted(smallest, cell)

    def _fail_non_finite(self) -> NoReturn:
        smallest, cell = self.plate.smallest_jacobian(self.u)
        if smallest <= 0:
            self._fail_inverted(smallest, cell)
        self._fail("non-finite", "the internal force is not finite", "take more load steps")

    def _fail_inverted(self, smallest: float, cell: int) -> NoReturn:
        place = self.plate.X[self.plate.cells[cell]].mean(axis=0)
        detail = f"det F = {smallest:.3g} in cell {cell} at X = ({', '.join(f'{x:.6g}' for x in place)}) m"
        self._fail("inverted element", detail, "take more load steps or a material that resists it", cell)

    def _fail(self, reason: str, detail: str, advice: str, cell: int = -1) -> NoReturn:
        raise NewtonError(reason, detail, advice, self.result(converged=False), cell)

    def result(self, *, converged: bool) -> Equilibrium:
        """State and history as an ``Equilibrium``."""
        return Equilibrium(
            displacement=self.u,
            reactions=self.reactions,
            fraction=self.fraction,
            iterations=tuple(len(history) - 1 for history in self.residuals),
            residuals=tuple(tuple(history) for history in self.residuals),
            converged=converged,
        )
