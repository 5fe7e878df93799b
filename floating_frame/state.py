"""The state that steps carry, its ledger totals and the solver counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact_assembly import NO_CONTACT, ContactState
from floating_frame.kinematics import Array, FrameMotion


@dataclass(frozen=True)
class Totals:
    """Cumulative work, J: of the loads, dissipated by friction, by viscosity, numerically, and in contacts."""

    external: float = 0.0
    friction: float = 0.0
    viscous: float = 0.0
    numerical: float = 0.0
    contact: float = 0.0

    def plus(self, other: Totals) -> Totals:
        """Entry-wise sum."""
        return Totals(
            self.external + other.external,
            self.friction + other.friction,
            self.viscous + other.viscous,
            self.numerical + other.numerical,
            self.contact + other.contact,
        )


@dataclass(frozen=True)
class Counts:
    """Solver counts of the steps since the last stored instant; ``drift`` rad is the angle that re-splits removed.

    ``steps``: those that the motion consists of; ``rejected_steps``: error-controlled ones that were taken again smaller;
    ``smallest_step`` s (infinite: none was taken).
    """

    passes: int = 0
    newton: int = 0
    factorisations: int = 0
    fallbacks: int = 0
    halvings: int = 0
    sweeps: int = 0
    steps: int = 0
    drift: float = 0.0
    spin_drift: float = 0.0
    rejected_steps: int = 0
    smallest_step: float = float("inf")

    def plus(self, other: Counts) -> Counts:
        """Entry-wise sum; of the smallest steps the smaller one."""
        total = Counts(*(getattr(self, n) + getattr(other, n) for n in self.__dataclass_fields__))
        return replace(total, smallest_step=min(self.smallest_step, other.smallest_step))

    @property
    def step_size(self) -> float:
        """The smallest step, s; 0 where none was taken."""
        return self.smallest_step if self.steps else 0.0


@dataclass(frozen=True)
class Leapfrog:
    """What the explicit scheme carries beside x: nodal ``velocity`` (N, 2) m/s and frame ``rates`` (3,) half a step before, the
    last ``step``'s length s, the ledger's ``sums`` (see ``explicit_loop``), ``friction_work`` so far (N,) J,
    ``strain_energy_at_start`` J; ``stiffening``: the largest of ω_max² over that of the reference so far; ``produced`` J by the
    steps so far and ``largest`` energy J (see ``explicit_stability``); ``look``: steps to the next
    look at the body."""

    velocity: Array
    step: float
    rates: Array
    sums: Array
    friction_work: Array
    strain_energy_at_start: float
    stiffening: float = 1.0
    produced: float = 0.0
    largest: float = 0.0
    look: int = 0


@dataclass(frozen=True)
class ImpactRecord:
    """The impacts of a rigid body so far: their ``count``; the ``restitution`` that came out of the last one (0 before the first);
    the sum of ``impulse`` (2,) N s, inertial; energy lost in them, ``loss`` J, less what they created, ``created`` J >= 0."""

    count: int = 0
    restitution: float = 0.0
    impulse: Array = field(default_factory=lambda: np.zeros(2))
    loss: float = 0.0
    created: float = 0.0

    def after(self, restitution: float, impulse: Array, loss: float) -> ImpactRecord:
        """The record with one impact more."""
        return ImpactRecord(
            self.count + 1, restitution, self.impulse + impulse, self.loss + loss, self.created + max(-loss, 0.0)
        )


@dataclass(frozen=True)
class State:
    """One instant, inertial components; arrays (N, 2) unless said. History moves only when a step returns a new one.

    ``multiplier`` λ N: minus the friction force on the body; ``condition`` (N,) codes of ``friction.nodal.solve``;
    ``resultant`` (F_x, F_y, M_z) of loads and friction about x0; ``slip_path`` m, ``friction_work`` J (N,);
    ``strain_energy`` J. ``leapfrog``: what the explicit scheme carries besides; ``reaction`` (F_x, F_y, M about
    x0) of a clamp on the body, included in ``resultant``; ``ground`` (2,) m/s: velocity v_g of the ground;
    ``memory`` m: deformation Δ of the bristles of a law that remembers;
    ``contact``: what contacts with obstacles do (their force is in ``resultant``);
    ``exact``: the same for exact contacts, in the mean of the step that ends here, and the ``exact_force`` (m, 2) of their points;
    ``verdict``: what the checks of the run keep of the steps so far (see ``verdict``);
    ``slip`` (F, 2) m/s: slip velocities of a rigid body's friction points, to which its ``multiplier``, ``condition``,
    ``slip_path``, ``friction_work`` and ``memory`` belong (a deformable body's are its nodes);
    ``impacts``: those of a rigid body with exact contacts so far; ``entry`` (Q, 2): normals at which the points that are in penalty
    contact came in, 0 for others (see ``overrun``).
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
    leapfrog: Leapfrog | None = None
    reaction: Array | None = None
    ground: Array = field(default_factory=lambda: np.zeros(2))
    memory: Array | None = None
    contact: ContactState = NO_CONTACT
    exact: ContactState = NO_CONTACT
    exact_force: Array | None = None
    verdict: tuple[Any, ...] = ()
    slip: Array | None = None
    impacts: ImpactRecord = field(default_factory=ImpactRecord)
    entry: Array | None = None

    @property
    def sliding(self) -> Array:
        """v − v_g (N, 2) m/s: a node that rests on the ground has its velocity to the last bit; of a rigid body ``slip``."""
        return self.velocity - self.ground if self.slip is None else self.slip

    def at_rest_relative(self) -> NDArray[np.bool_]:
        """(N,) true where the sliding velocity v − v_g is exactly zero."""
        return ~np.any(self.sliding, axis=1)
