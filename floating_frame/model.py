"""``assemble``: a problem turned into read-only arrays and a factor plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem import SmallStrain
from fem import factor as make_factor
from floating_frame.frames import Frame
from floating_frame.kinematics import Array
from floating_frame.loads import AssembledLoads, assemble_loads
from floating_frame.moments import MassDistribution, moments
from floating_frame.problem import Options, Problem
from floating_frame.rigid import RigidBody
from floating_frame.schemes import EXPLICIT, IMPLICIT_SCHEMES, RUNGE_KUTTA, Scheme, moreau_theta
from friction import Coulomb, FactorCache, Law

STABLE_FRACTION = 0.95
"""Of the stable step of the reference configuration, which dt = 0 stands for with ``explicit``."""


@dataclass(frozen=True)
class Model:
    """Everything about a problem that does not change in time. ``cache`` is a workspace
    (sparse factor and its tables); each step forgets what it finds there.

    ``objective``: rigid rotations leave the material free of force (not so for small strain); ``stiffness`` N/m: the
    largest diagonal entry of the reference stiffness, which sets the rounding level of nodal forces; ``explicit_step`` s:
    longest step of the explicit scheme (None with any other).
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
    explicit_step: float | None

    @property
    def rigid(self) -> bool:
        """Whether the body cannot deform."""
        return isinstance(self.body, RigidBody)

    @property
    def quasi_static(self) -> bool:
        """Whether there is no inertia, and time is pseudo-time."""
        return self.scheme is not None and not self.scheme.inertia

    def friction_weights(self, time: float) -> Array:
        """w_i = ∫ μ p_n φ_i dA at ``time``, (N,) N."""
        if self.constant_weights is not None:
            return self.constant_weights
        foundation = self.problem.foundation
        assert foundation is not None
        return foundation.weights(self.body.X, self.body.nodal_area, time)


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
        raise ValueError("scheme 'explicit' takes set-valued friction only; choose law 'coulomb' or another scheme")
    if options.scheme == RUNGE_KUTTA and (law.set_valued or not rigid):
        raise ValueError(
            "scheme 'runge-kutta' integrates smooth equations: it takes a rigid body under a regularised law, not "
            f"{'a set-valued law' if law.set_valued else 'a deformable body'}"
        )
    if options.stress and rigid:
        raise ValueError("a rigid body has no stress; leave the stress output off")
    weights: Array | None = np.zeros(n_nodes)
    if foundation is not None:
        weights = foundation.weights(body.X, body.nodal_area, 0.0)
        if not foundation.constant:
            weights = None
    scheme = None
    if options.scheme == "moreau-theta":
        scheme = moreau_theta(options.theta)
    elif options.scheme in IMPLICIT_SCHEMES:
        scheme = IMPLICIT_SCHEMES[options.scheme]()
    position, velocity = problem.initial.fields(body.X)
    if options.scheme == "quasi-static" and (rigid or np.any(velocity) or foundation is None or not law.set_valued):
        raise ValueError(
            "scheme 'quasi-static' takes a deformable body at rest on a foundation with set-valued friction; "
            "it has no inertia that could hold or move a body"
        )
    check_frame(problem.frame, mass, position, velocity)
    implicit_elastic = not (rigid or explicit)
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
        explicit_step=explicit_step_length(body, options.dt, rigid) if explicit else None,
        cache=FactorCache(body.indptr, body.indices, make_factor(body.indptr, body.indices))
        if implicit_elastic
        else None,
        constant_weights=weights,
    )


def explicit_step_length(body: Any, wanted: float, rigid: bool) -> float:
    """Length of the explicit steps, s: ``wanted`` where it is > 0 and below the stable step, else 0.95 of that.

    Raises ValueError for a rigid body with ``wanted`` = 0, which has no stable step.
    """
    if rigid:
        if wanted == 0.0:
            raise ValueError("dt = 0 asks for the stable step, which a rigid body does not have: give dt > 0 s")
        return wanted
    stable = float(body.stable_time_step())
    return wanted if 0.0 < wanted <= stable else STABLE_FRACTION * stable


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
        raise ValueError("the body has no extent: its mass lies in one point and leaves the frame's rotation free")
    try:
        motion = frame.decompose(moments(mass, position, velocity, np.zeros_like(position)), mass, 0.0)
    except RuntimeError as error:
        raise ValueError(f"the initial state leaves the frame's rotation free: {error}") from error
    if not np.all(np.isfinite(motion.coordinates)):
        raise ValueError("the initial state leaves a rigid mode of the frame free: its coordinates are not finite")
