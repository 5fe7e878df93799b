"""Models: read-only arrays of problems and a factor plan, with system and integrator."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from floating_frame.coefficients import Scheme
from floating_frame.contact.contact import Contact
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.contact.signorini import ExactContacts
from floating_frame.frame.clamp import with_clamp_couple
from floating_frame.frame.conditions import Frame
from floating_frame.frame.kinematics import (
    Array,
    Deformation,
    FloatingFrame,
    FrameMotion,
    deformation,
    rotation,
    skew_of,
)
from floating_frame.frame.moments import MassDistribution, moments
from floating_frame.frame.rigid_modes import wrench
from floating_frame.loads.load_assembly import AssembledLoads
from floating_frame.loads.thermal import Heating
from floating_frame.problem import Options, Problem
from floating_frame.system.elastic.equilibrium import ElasticBody
from floating_frame.system.protocol import System
from floating_frame.system.state import State
from floating_frame.system.stepper import Integrator, Steps
from friction import FactorCache, Law, TrescaOptions, UserForce

LIBRARY = ("floating_frame", "fem", "friction")
COMPILED_PARTS = (
    "compiled are springs, dead loads, followers, the laws of friction.LAWS and the obstacles of the library"
)
"""List of compiled parts, for messages on interpreted ones."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RunModel:
    """Constants of a run with any body, for time loop, error control, output and verdict.

    A model is pickled and copied as problem and options, assembled anew with its own workspace. ``workspace``: lock of the
    workspace, shared by copies of ``dataclasses.replace``.

    ``radius``, ``extent`` m: the body's size, and its least extent at rest; ``contact_edges``: contacts of whole edges, with the
    ``ContactPoints.samples`` of each; ``system_of``, ``integrator_of``: make system and integrator from the model itself.
    """

    problem: Problem
    options: Options
    loads: AssembledLoads
    law: Law
    scheme: Scheme | None
    steps: Steps
    radius: float
    extent: float = np.inf
    contact_edges: tuple[tuple[Contact, ContactPoints], ...] = ()
    attributes: Mapping[str, float | str] = field(default_factory=dict)
    system_of: Callable[[Self], System]
    integrator_of: Callable[[Self], Integrator[Self]]
    contacts: tuple[tuple[Contact, ContactPoints], ...] = ()
    exact: ExactContacts | None = None
    workspace: threading.Lock = field(default_factory=threading.Lock, compare=False)
    assembled_by: ClassVar[Callable[..., RunModel] | None] = None
    """Assembles the model from its problem and options; None where it was changed by ``dataclasses.replace``."""

    def __repr__(self) -> str:
        return f"Model({self.problem!r}, scheme {self.options.scheme}, steps of {self.steps.length:g} s)"

    def __reduce__(self) -> tuple[Callable[..., RunModel], tuple[object, Options]]:
        if self.assembled_by is None:
            raise TypeError(
                "cannot pickle a model that was changed after assemble(problem, options): change problem or options"
            )
        return self.assembled_by, (self.problem, self.options)

    @property
    def has_contacts(self) -> bool:
        """True if there are contacts, penalties or exact ones."""
        return bool(self.contacts) or self.exact is not None

    @property
    def takes_tolerance(self) -> bool:
        """True if ``Options.error_tolerance`` may choose its steps."""
        return self.problem.dimension == 2

    def body_at(self, time: float) -> Any:
        """Body at ``time`` s."""
        return self.problem.body

    @cached_property
    def system(self) -> System:
        """The mechanical system."""
        return self.system_of(self)

    @cached_property
    def integrator(self) -> Integrator[Self]:
        """The integrator of the steps."""
        return self.integrator_of(self)

    @property
    def execution(self) -> str:
        """Words for the user: "compiled", or the interpreted parts of steps and the faster alternative. Parts of the library and
        registered materials are compiled; a user's effects, laws, obstacles, bodies and frames, and a ``UserForce``, are Python."""
        if self.integrator.execution:
            return self.integrator.execution
        contacts = [
            part for contact in self.problem.contacts for part in (contact.law, contact.obstacle, contact.normal)
        ]
        parts = [*self.system.effects, self.law, *contacts, self.problem.body, self.problem.frame]
        given = [part for part in parts if part is not None]
        foreign = [p for p in given if isinstance(p, UserForce) or type(p).__module__.split(".")[0] not in LIBRARY]
        names = dict.fromkeys(str(getattr(part, "name", type(part).__name__)) for part in foreign)
        return f"interpreted: {', '.join(names)}; {COMPILED_PARTS}" if names else "compiled"

    def clearance(self, state: State) -> float:
        """Smallest gap to obstacles of the body's contacts, m, negative in penetration; infinite without any."""
        places = ((contact.obstacle, points.at(state.position)) for contact, points in self.contacts)
        gaps = [np.inf, *(obstacle.gap(x, state.time).gap.min(initial=np.inf) for obstacle, x in places)]
        if self.exact is not None:
            gaps.append(self.exact.smallest_gap(state.position[self.exact.nodes], state.frame.coordinates, state.time))
        return float(min(gaps))


@dataclass(frozen=True, kw_only=True, repr=False)
class Model(RunModel):
    """The model of a body with a floating frame. ``cache``: workspace of the sparse factor and its tables, reset by each step.

    ``elastic``: mass and stiffness of its nodes, None for rigid bodies; ``clamp``: clamped nodes.
    """

    body: Any
    mass: MassDistribution
    frame: Frame
    clamp: NDArray[np.intp]
    cache: FactorCache | None
    elastic: ElasticBody | None
    heating: Heating | None = None

    @property
    def objective(self) -> bool:
        """True if rigid rotations leave the material free of force (not so for small strain)."""
        return bool(self.body.objective)

    @cached_property
    def friction_options(self) -> TrescaOptions:
        """Options of the friction problem of its nodes."""
        return TrescaOptions(rtol=self.options.tolerance)

    def elastic_at(self, time: float) -> ElasticBody:
        """Its nodes' mass and stiffness with the body at ``time`` s."""
        assert self.elastic is not None
        return self.elastic if self.heating is None else self.elastic._replace(body=self.heating.at(time))

    @property
    def stiffness(self) -> float:
        """The largest entry of the reference stiffness, N/m, which sets the rounding level of nodal forces; 0 of rigid bodies."""
        return 0.0 if self.elastic is None else self.elastic.stiffness

    def deformation(self, position: Array, velocity: Array, acceleration: Array, motion: FloatingFrame) -> Deformation:
        """Split inertial nodal (x, v, a) (..., N, d) into the frame's ``motion`` and u, u', u'' (..., N, d), body components.

        At clamped nodes they are exactly zero, without the rounding of a subtraction of the frame.
        """
        split = deformation(self.body.X, position, velocity, acceleration, motion)
        for part in split:
            part[..., self.clamp, :] = 0.0
        return split

    def frame_of(self, position: Array, velocity: Array, acceleration: Array, angle: float) -> FrameMotion:
        """Motion of the frame by its condition on inertial nodal (x, v, a) (N, 2), with α next to ``angle`` rad, or the integrated
        ``angle`` itself. Raises Unsolved (FrameUndefined)."""
        frame = moments(self.mass, position, velocity, acceleration)
        return FrameMotion.near(self.frame.decompose(frame, self.mass, rotation(angle)), angle)

    def displacement(self, position: Array, frame: FloatingFrame) -> Array:
        """u (N, d) m in the frame of nodes at ``position`` (N, d) m, inertial; exactly zero on a clamp."""
        u: Array = (position - frame.origin) @ frame.rotation - self.body.X
        u[self.clamp] = 0.0
        return u

    def moment_force(self, r: Array, internal: Array) -> Array:
        """Excess (N, d) N of a non-objective (small-strain) ``internal`` force (N, d) N over the power-consistent force in a moving
        frame; ``r`` (N, d) m from x0, body components.

        The power of −dU/dt = f_int·u' contains −ω · Σ r × f_int through u' = V − Qᵀx0' − ω × r, so the force of the same power
        through V is f_int − (Σ r × f_int) ∂ω/∂V, without a resultant moment."""
        d = r.shape[1]
        return self.frame.couple(self.mass, r, skew_of(wrench(r, internal)[d:], d))

    def internal_force(self, time: float, position: Array, Q: Array) -> Array:
        """Internal nodal force (N, d) N, inertial, without a moment, at ``time`` s, of nodal x in a frame turned by Q."""
        r = (position - self.mass.mean(position)) @ Q
        internal: Array = self.body_at(time).internal_force(r - self.body.X)
        if len(self.clamp) and not self.objective:
            internal = with_clamp_couple(internal, r, self.body.X, self.clamp)
        elif not self.objective:
            internal = internal - self.moment_force(r, internal)
        return internal @ Q.T

    def body_at(self, time: float) -> Any:
        """Body with its thermal strain at ``time``, which changes energy, forces, tangent and stress only."""
        return self.body if self.heating is None else self.heating.at(time)
