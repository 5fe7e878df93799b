"""The model of a linear beam: matrices on its free degrees of freedom, and a factor plan."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, kron

from floating_frame.checks import check_problem
from floating_frame.coefficients import coefficients_of
from floating_frame.input_checks import check_kind
from floating_frame.loads.load_assembly import AssembledLoads
from floating_frame.loads.loads import LateralLoad
from floating_frame.problem import Options, Problem
from floating_frame.stepping.step_times import check_number_of_steps
from floating_frame.system.beam.model import BeamModel
from floating_frame.system.beam.system import BeamSystem
from floating_frame.system.elastic.factors import ElasticFactor
from floating_frame.system.model import RunModel
from floating_frame.system.stepper import Integrator, staged_steps
from friction import Coulomb, FactorCache

Pattern = NDArray[np.int32]


def assemble_beam(problem: Problem, options: Options, staged: Integrator[RunModel]) -> BeamModel:
    """Check a beam problem against its options and build its model; ``staged`` takes its steps. Raises ValueError in
    one line."""
    check_kind("Problem", "frame", problem.frame, "support", "Lateral(support=...) of a linear beam")
    for load in problem.loads:
        check_kind("Problem", "loads", load, "hermite", "LateralLoad(1.0, profile='uniform') on a linear beam")
    given = cast(tuple[LateralLoad, ...], problem.loads)
    check_problem(problem, options)
    if problem.frame.support == "simply-supported" and any(load.profile in ("tip", "left-end") for load in given):
        raise ValueError("a force on a supported end does nothing: support simply-supported takes no load profile tip")
    check_number_of_steps(problem.t_end, options.dt, stride=options.output_every if options.error_tolerance else 1)
    scheme, beam, foundation = coefficients_of(options.scheme, options.theta), problem.body, problem.foundation
    law = Coulomb() if foundation is None else foundation.law
    free = beam.free_dofs(problem.frame.support)
    scale = np.tile([1.0, 1.0 / beam.element_length], len(beam.X))
    rows = np.repeat(np.arange(len(scale)), np.diff(beam.stiffness.indptr))

    def reduced(matrix: csr_matrix) -> csr_matrix:
        """The matrix on the free unknowns, with its explicit zeros: stiffness and mass have one sparsity."""
        data = scale[rows] * matrix.data * scale[matrix.indices]
        return csr_matrix((data, matrix.indices, matrix.indptr))[free][:, free]

    stiffness, mass = reduced(beam.stiffness), reduced(beam.mass_matrix)
    indptr, indices, places = vector_pattern(stiffness)
    shapes = np.array([load.hermite(beam) for load in given]).reshape(-1, 2 * len(beam.X))
    forces = np.array([[0.0, load.amplitude] for load in given]).reshape(-1, 2)
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
            histories=tuple(load.history for load in given),
            further_breaks=breaks,
            step=options.dt,
        ),
        law=law,
        scheme=scheme,
        steps=staged_steps(scheme, options.dt),
        radius=0.5 * float(np.ptp(beam.X[:, 0])),
        extent=beam.width,
        cache=FactorCache(indptr, indices, ElasticFactor(indptr, indices)),
        places=places,
        system_of=BeamSystem,
        integrator_of=lambda _: staged,
    )


def vector_pattern(matrix: csr_matrix) -> tuple[Pattern, Pattern, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Sparsity of unknowns with two components each, and the places in it of the entries of ``matrix`` (nnz,) in the first
    component and of the diagonal (n,) in the second."""
    ones = csr_matrix((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    full = csr_matrix(kron(ones, np.ones((2, 2))))
    full.sort_indices()
    rows, columns = np.repeat(np.arange(full.shape[0]), np.diff(full.indptr)), full.indices
    first, second = (
        np.flatnonzero((rows % 2 == 0) & (columns % 2 == 0)),
        np.flatnonzero((rows % 2 == 1) & (rows == columns)),
    )
    return full.indptr.astype(np.int32), columns.astype(np.int32), (first, second)
