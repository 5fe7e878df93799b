"""``assemble``: a problem turned into read-only arrays and a factor plan; and the state that steps carry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem import SmallStrain
from fem import factor as make_factor
from floating_frame.frames import Frame
from floating_frame.inertia import Integrals
from floating_frame.kinematics import Array, FrameMotion
from floating_frame.loads import AssembledLoads, assemble_loads
from floating_frame.moments import MassDistribution, moments
from floating_frame.problem import Options, Problem
from floating_frame.rigid import RigidBody
from floating_frame.schemes import EXPLICIT, IMPLICIT_SCHEMES, Scheme, moreau_theta
from friction import Coulomb, FactorCache, Law


@dataclass(frozen=True)
class Model:
    """Everything about a problem that does not change in time. ``cache`` is a workspace
    (sparse factor and its tables); each step forgets what it finds there.

    ``objective``: rigid rotations leave the material free of force (not so for small strain); ``stiffness`` N/m: the
    largest diagonal entry of the reference stiffness, which sets the rounding level of nodal forces.
    """

    problem: Problem
    options: Options
    body: Any
    mass: MassDistribution
    loads: AssembledLoads
    law: Law
    frame: Frame
    scheme: Scheme | None
    cache: FactorCache | None
    constant_weights: Array | None
    objective: bool
    stiffness: float

    @property
    def rigid(self) -> bool:
        """Whether the body cannot deform."""
        return isinstance(self.body, RigidBody)

    def friction_weights(self, time: float) -> Array:
        """w_i = ∫ μ p_n φ_i dA at ``time``, (N,) N."""
        if self.constant_weights is not None:
            return self.constant_weights
        foundation = self.problem.foundation
        assert foundation is not None
        return foundation.weights(self.body.X, self.body.nodal_area, time)


@dataclass(frozen=True)
class Totals:
    """Cumulative work, J: of the loads, dissipated by friction, by viscosity, and numerically."""

    external: float = 0.0
    friction: float = 0.0
    viscous: float = 0.0
    numerical: float = 0.0

    def plus(self, other: Totals) -> Totals:
        """Entry-wise sum."""
        return Totals(
            self.external + other.external,
            self.friction + other.friction,
            self.viscous + other.viscous,
            self.numerical + other.numerical,
        )


@dataclass(frozen=True)
class Counts:
    """Solver counts of the steps since the last stored instant; ``drift`` rad is the angle that re-splits removed."""

    passes: int = 0
    newton: int = 0
    factorisations: int = 0
    fallbacks: int = 0
    halvings: int = 0
    sweeps: int = 0
    steps: int = 0
    drift: float = 0.0
    spin_drift: float = 0.0

    def plus(self, other: Counts) -> Counts:
        """Entry-wise sum."""
        return Counts(*(getattr(self, n) + getattr(other, n) for n in self.__dataclass_fields__))


@dataclass(frozen=True)
class State:
    """One instant, inertial components; arrays (N, 2) unless said. History moves only when a step returns a new one.

    ``multiplier`` λ N: minus the friction force on the body; ``condition`` (N,) codes of ``friction.tresca``;
    ``resultant`` (F_x, F_y, M_z) of loads and friction about x0; ``slip_path`` m, ``friction_work`` J (N,);
    ``strain_energy`` J. ``half_velocity``: velocity half a step earlier (``explicit`` only).
    """

    time: float
    position: Array
    velocity: Array
    acceleration: Array
    multiplier: Array
    condition: NDArray[np.int8]
    motion: FrameMotion
    resultant: Array
    slip_path: Array
    friction_work: Array
    strain_energy: float
    kinetic_energy: float
    totals: Totals = field(default_factory=Totals)
    half_velocity: Array | None = None
    rigid_integrals: Integrals | None = None

    def at_rest_relative(self) -> NDArray[np.bool_]:
        """(N,) true where the sliding velocity is exactly zero."""
        return ~np.any(self.velocity, axis=1)


def assemble(problem: Problem, options: Options) -> Model:
    """Check a problem against its options and build what is constant in time.

    Raises ValueError in one line for: unknown edges, unfit initial fields, a frame condition that the body or its
    initial deformation cannot meet, an explicit run with elements that cannot be lumped.
    """
    body = problem.body
    n_nodes = len(body.X)
    mass = MassDistribution.of(body.mass_matrix, body.X)
    explicit = options.scheme == EXPLICIT
    rigid = isinstance(body, RigidBody)
    if explicit and not rigid:
        mass = lumped(mass, body)
    foundation = problem.foundation
    law = Coulomb() if foundation is None else foundation.law
    if explicit and not law.set_valued:
        raise ValueError(
            "scheme 'explicit' takes set-valued friction only; choose law 'coulomb' or another scheme"
        )
    if options.stress and rigid:
        raise ValueError("a rigid body has no stress; leave the stress output off")
    weights: Array | None = np.zeros(n_nodes)
    if foundation is not None:
        weights = foundation.weights(body.X, body.nodal_area, 0.0)
        if not foundation.constant:
            weights = None
    scheme = None
    if not explicit:
        scheme = (
            moreau_theta(options.theta)
            if options.scheme == "moreau-theta"
            else IMPLICIT_SCHEMES[options.scheme]()
        )
    position, velocity = problem.initial.fields(body.X)
    check_frame(problem.frame, mass, position, velocity)
    stiffness = 0.0
    if not rigid:
        tangent = body.tangent(np.zeros_like(body.X))
        stiffness = float(np.abs(tangent).max())
    return Model(
        objective=rigid or not isinstance(body.material, SmallStrain),
        stiffness=stiffness,
        problem=problem,
        options=options,
        body=body,
        mass=mass,
        loads=assemble_loads(problem.loads, body, mass.nodal),
        law=law,
        frame=problem.frame,
        scheme=scheme,
        cache=None
        if rigid
        else FactorCache(body.indptr, body.indices, make_factor(body.indptr, body.indices)),
        constant_weights=weights,
    )


def lumped(mass: MassDistribution, body: Any) -> MassDistribution:
    """The lumped twin of a consistent mass, for ``explicit``: one diagonal mass matrix throughout.

    Raises ValueError for elements without a positive row sum (P2, Q2).
    """
    from scipy.sparse import diags_array

    lumps = body.lumped_mass
    return MassDistribution.of(diags_array(lumps).tocsr(), mass.reference)


def check_frame(frame: Frame, mass: MassDistribution, position: Array, velocity: Array) -> None:
    """Refuse a frame that does not determine all three rigid modes of the initial state: ValueError."""
    if not mass.second_moment > 0.0:
        raise ValueError(
            "the body has no extent: its mass lies in one point and leaves the frame's rotation free"
        )
    try:
        motion = frame.decompose(moments(mass, position, velocity, np.zeros_like(position)), mass, 0.0)
    except RuntimeError as error:
        raise ValueError(f"the initial state leaves the frame's rotation free: {error}") from error
    if not np.all(np.isfinite(motion.coordinates)):
        raise ValueError(
            "the initial state leaves a rigid mode of the frame free: its coordinates are not finite"
        )
