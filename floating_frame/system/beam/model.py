"""``assemble_beam``: a linear beam turned into matrices on its free degrees of freedom and a factor plan.

Unknowns are (w_i, ℓ w_i') node by node, all in metres (ℓ: element length), without those that supports hold. The friction solver
takes 2-vectors; here each degree of freedom is a vector with a second component that nothing drives and that stays exactly 0, so
that Coulomb's disc is the interval |λ_i| ≤ w_i, at deflections only (slopes have w = 0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags_array

from fem.beam import Beam
from floating_frame.beam_problem import BeamProblem
from floating_frame.checks import check_beam
from floating_frame.factors import ElasticFactor
from floating_frame.frame.kinematics import Array
from floating_frame.loads.load_assembly import AssembledLoads
from floating_frame.model import RunModel
from floating_frame.problem import Options
from floating_frame.scheme.coefficients import Scheme, scheme_of
from floating_frame.stepper import Integrator, staged_steps
from floating_frame.stepping.step_times import check_number_of_steps
from floating_frame.system.protocol import System
from friction import Coulomb, FactorCache, TrescaOptions

Pattern = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True, repr=False)
class BeamModel(RunModel):
    """What does not change in time. n free unknowns; ``free`` (n,) their places among the 2N; ``stiffness``, ``mass`` (n, n) N/m,
    kg; ``scale`` (2N,): natural degrees of freedom = scale × unknowns. ``cache`` is a workspace."""

    problem: BeamProblem
    beam: Beam
    free: NDArray[np.int64]
    scale: Array
    stiffness: csr_matrix
    mass: csr_matrix
    scheme: Scheme
    cache: FactorCache
    places: tuple[NDArray[np.int64], NDArray[np.int64]]

    @property
    def extent(self) -> float:
        """The beam's width, m."""
        return self.beam.width

    @property
    def tresca(self) -> TrescaOptions:
        """Options of the friction solver."""
        return TrescaOptions(rtol=self.options.tolerance)

    @property
    def radius(self) -> float:
        """The beam's size, half its length, m."""
        return 0.5 * float(np.ptp(self.beam.X[:, 0]))

    def on_pattern(self, data: Array) -> csr_matrix:
        """Return the matrix (n, n) of ``data`` (nnz,) in the one sparsity of mass and stiffness, explicit zeros kept."""
        K = self.stiffness
        return csr_matrix((data, K.indices, K.indptr), shape=K.shape)

    def on_unknowns(self, nodal: Array) -> Array:
        """Nodal values (N,) on the deflections among the free unknowns (n,), 0 on slopes."""
        full = np.zeros(2 * len(self.beam.X))
        full[0::2] = nodal
        return full[self.free]

    @cached_property
    def supported(self) -> NDArray[np.int64]:
        """Places among the 2N of the degrees of freedom that supports hold."""
        return np.setdiff1d(np.arange(2 * len(self.beam.X)), self.free)

    def scaled_load(self, time: float, *, left: bool = True) -> Array:
        """Forces on all unknowns (2N,), N."""
        return self.natural_load(time, left=left) * self.scale

    def natural_force(self, force: tuple[Array, ...]) -> Array:
        """Forces and couples (2N,) N, N m of generalised ones on the free and the held unknowns."""
        full = np.empty(2 * len(self.beam.X))
        full[self.free], full[self.supported] = force
        return full / self.scale

    def load(self, time: float, *, left: bool = True) -> Array:
        """Forces on the free unknowns (n,), N."""
        return self.natural_load(time, left=left)[self.free] * self.scale[self.free]

    def natural_load(self, time: float, *, left: bool = True) -> Array:
        """Nodal forces and couples (2N,), N and N m."""
        return self.loads.nodal_force(time, left=left)[:, 1]

    def bent(self, unknowns: Array) -> Array:
        """K d (n,) N by way of each element's two strains, φ₂ − φ₁ and φ₁ + φ₂ − 2 (w₂ − w₁) with φ = ℓ w'.

        Rounding then leaves forces that balance in each element. That of the assembled K has a resultant and a moment, which at
        n elements bend the beam n⁴ times more than they strain one.
        """
        full = np.zeros(2 * len(self.beam.X))
        full[self.free] = unknowns
        w, slope = full[0::2], full[1::2]
        stiffness = self.beam.bending_stiffness / self.beam.element_length**3
        first = stiffness * np.diff(slope)
        second = 3.0 * stiffness * (slope[:-1] + slope[1:] - 2.0 * np.diff(w))
        force = np.zeros_like(full)
        force[0:-2:2] += 2.0 * second
        force[2::2] -= 2.0 * second
        force[1:-2:2] += second - first
        force[3::2] += second + first
        return force[self.free]

    def natural(self, unknowns: Array) -> Array:
        """Deflections and slopes (2N,) of the unknowns (n,); 0 where held."""
        full = np.zeros(2 * len(self.beam.X))
        full[self.free] = unknowns
        return full * self.scale

    def at_nodes(self, unknowns: Array) -> Array:
        """Deflection entries (N,) of a vector on the unknowns (n,); 0 where held."""
        full = np.zeros(2 * len(self.beam.X))
        full[self.free] = unknowns
        return full[0::2]


def assemble_beam(
    problem: BeamProblem,
    options: Options,
    system_of: Callable[[BeamModel], System],
    integrator_of: Callable[[BeamModel], Integrator],
) -> BeamModel:
    """Check a beam problem against its options and build what is constant in time. Raises ValueError in one line."""
    check_beam(problem, options)
    check_number_of_steps(problem.t_end, options.dt, stride=options.output_every if options.error_tolerance else 1)
    scheme, beam, foundation = scheme_of(options.scheme, options.theta), problem.beam, problem.foundation
    assert scheme is not None
    law = Coulomb() if foundation is None else foundation.law
    free = beam.free_dofs(problem.support)
    scale = np.tile([1.0, 1.0 / beam.element_length], len(beam.X))
    turn = diags_array(scale)

    def reduced(matrix: csr_matrix) -> csr_matrix:
        return csr_matrix(csr_matrix(turn @ matrix @ turn)[free][:, free])

    stiffness, mass = on_one_pattern(reduced(beam.stiffness), reduced(beam.mass_matrix))
    indptr, indices, places = vector_pattern(stiffness)
    shapes = np.array([load.hermite(beam) for load in problem.loads]).reshape(-1, 2 * len(beam.X))
    forces = np.array([[0.0, load.amplitude] for load in problem.loads]).reshape(-1, 2)
    breaks = () if foundation is None else foundation.breaks
    return BeamModel(
        problem=problem,
        options=options,
        beam=beam,
        free=free,
        scale=scale,
        stiffness=stiffness,
        mass=mass,
        loads=AssembledLoads(
            shapes=shapes,
            forces=forces,
            histories=tuple(load.history for load in problem.loads),
            further_breaks=breaks,
            step=options.dt,
        ),
        law=law,
        scheme=scheme,
        steps=staged_steps(scheme, options.dt),
        cache=FactorCache(indptr, indices, ElasticFactor(indptr, indices)),
        places=places,
        system_of=system_of,
        integrator_of=integrator_of,
    )


def on_one_pattern(*matrices: csr_matrix) -> list[csr_matrix]:
    """The matrices with one sparsity, the union of theirs, and sorted indices."""
    union = csr_matrix(sum(abs(matrix) for matrix in matrices))
    union.sort_indices()
    rows = np.repeat(np.arange(union.shape[0]), np.diff(union.indptr))
    return [
        csr_matrix((np.asarray(matrix[rows, union.indices]).ravel(), union.indices, union.indptr), shape=union.shape)
        for matrix in matrices
    ]


def vector_pattern(matrix: csr_matrix) -> tuple[Pattern, Pattern, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Sparsity of unknowns with two components each, and the places in it of the entries of ``matrix`` (nnz,) in the first
    component and of the diagonal (n,) in the second."""
    entries = np.diff(matrix.indptr)
    indptr = np.concatenate([[0], np.cumsum(np.repeat(2 * entries, 2))])
    rows = np.repeat(np.arange(len(entries)), entries)
    within = 2 * (np.arange(matrix.nnz) - matrix.indptr[rows])
    first = indptr[2 * rows] + within
    below = indptr[2 * rows + 1] + within
    indices = np.empty(4 * matrix.nnz, dtype=np.int32)
    for start in (first, below):
        indices[start], indices[start + 1] = 2 * matrix.indices, 2 * matrix.indices + 1
    second = (below + 1)[rows == matrix.indices]
    return indptr.astype(np.int32), indices, (first, second)
