"""Time integration schemes as data: stage coefficients, and what the stage loop and the ledger need to know.

A stage s ends at t + c_s Δt and satisfies, with j = 0 the start of the step,

    x_s = x_0 + Δt Σ_j position[s, j] v_j
    v_s = v_0 + Δt Σ_j velocity[s, j] a_j          M a_s = Σ_j force[s, j] f_j − λ_s

where f are internal and external forces and the friction λ_s obeys Coulomb's law with the velocity v_s exactly. The
last stage is the end of the step (stiffly accurate), so a step ends on a velocity that satisfies the law.
``work[s, j]`` are the weights of the velocity with which forces do work in the energy ledger, ``weights`` b_s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from floating_frame.frame.kinematics import Array


class Coefficients(NamedTuple):
    """A ``Scheme`` as compiled loops take it. ``form``: the kinetic form; whether it ``mixes`` in forces at the start, has
    ``inertia``, ``guards`` against reversals, and whether points may land in its steps."""

    nodes: Array
    position: Array
    velocity: Array
    force: Array
    work: Array
    weights: Array
    form: Array
    mixes: bool
    inertia: bool
    guards: bool
    lands: bool


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """Coefficients of a one-step scheme with S stages; arrays (S,) or (S, S + 1), column 0 being the start.

    ``guards_reversal``: the scheme is not algebraically stable and may end an arrest with a small backward velocity,
    which the stage loop removes node by node (docs/theory.md). ``inertia`` False: increments of equilibrium in pseudo-time.
    ``order``: that of convergence while all slip, whichever way its direction turns; what error control counts on.
    """

    name: str
    nodes: Array
    position: Array
    velocity: Array
    force: Array
    work: Array
    weights: Array
    guards_reversal: bool = False
    inertia: bool = True
    order: int = 1

    @property
    def stages(self) -> int:
        """Number of stages S."""
        return len(self.nodes)

    @cached_property
    def needs_start_force(self) -> bool:
        """Whether the forces at the start of the step enter."""
        return bool(np.any(self.force[:, 0] != 0.0))

    @cached_property
    def kinetic_form(self) -> Array:
        """The algebraic-stability form m (S, S): b_i ŵ_ij + b_j ŵ_ji − b_i b_j, ŵ = (work · velocity) restricted to the stages.

        Exactly ΔT = Δt Σ b_i v̂_i·M a_i − ½ Δt² Σ m_ij a_i·M a_j with v̂ = work · v (docs/theory.md, section 8).
        """
        full = np.vstack([np.zeros(self.stages + 1), self.velocity])
        working = (self.work @ full)[:, 1:]
        b = self.weights
        return b[:, None] * working + (b[:, None] * working).T - np.outer(b, b)

    @cached_property
    def tables(self) -> Coefficients:
        """Coefficients for compiled loops, of steps in which no point lands."""
        nodes, position, velocity, force = map(
            np.ascontiguousarray, (self.nodes, self.position, self.velocity, self.force)
        )
        return Coefficients(
            nodes=nodes,
            position=position,
            velocity=velocity,
            force=force,
            work=np.ascontiguousarray(self.work),
            weights=np.ascontiguousarray(self.weights),
            form=np.ascontiguousarray(self.kinetic_form),
            mixes=self.needs_start_force,
            inertia=self.inertia,
            guards=self.guards_reversal,
            lands=False,
        )


def runge_kutta(name: str, table: list[list[float]], *, guards_reversal: bool = False, order: int = 1) -> Scheme:
    """Return a diagonally implicit Runge–Kutta method of the ``table`` a (S, S), whose last row are its weights."""
    a = np.array(table)
    stages = len(a)
    full = np.hstack([np.zeros((stages, 1)), a])
    identity = np.hstack([np.zeros((stages, 1)), np.eye(stages)])
    return Scheme(
        name=name,
        nodes=a.sum(axis=1),
        position=full,
        velocity=full,
        force=identity,
        work=identity,
        weights=a[-1].copy(),
        guards_reversal=guards_reversal,
        order=order,
    )


def sdirk2() -> Scheme:
    """Return Alexander's (1977) two-stage, L-stable, stiffly accurate SDIRK of order 2, γ = 1 − 1/√2."""
    gamma = 1.0 - 1.0 / np.sqrt(2.0)
    return runge_kutta("sdirk2", [[gamma, 0.0], [1.0 - gamma, gamma]], guards_reversal=True, order=2)


def backward_euler() -> Scheme:
    """Return backward Euler, of order 1."""
    return runge_kutta("backward-euler", [[1.0]])


def moreau_theta(theta: float = 0.5) -> Scheme:
    """Return the Moreau–Jean θ scheme: forces and positions by the θ rule, the friction impulse against the end velocity.

    Order 2 for θ = ½ where the direction of friction does not turn (the block of Potra et al., free flight, a block in space that
    tips); order 1 where it turns within the step, as on a plate that slides and spins, and for θ > ½. ``theta`` in [½, 1].
    """
    if not 0.5 <= theta <= 1.0:
        raise ValueError(f"theta must lie in [0.5, 1] for stability, got {theta}")
    mixed = np.array([[1.0 - theta, theta]])
    return Scheme(
        name="moreau-theta",
        nodes=np.array([1.0]),
        position=mixed,
        velocity=np.array([[0.0, 1.0]]),
        force=mixed,
        work=mixed,
        weights=np.array([1.0]),
    )


def quasi_static() -> Scheme:
    """Return the increments of equilibrium: backward Euler without inertia, so V Δt is the displacement increment.

    Each increment is the convex (Tresca) problem with displacement increments as unknowns; time is pseudo-time.
    """
    return replace(runge_kutta("quasi-static", [[1.0]]), inertia=False)


def linearly_implicit(theta: float = 0.5) -> Scheme:
    """Return Potra, Anitescu, Gavrea & Trinkle's (2006) method for rigid bodies: see ``linearly_implicit``. θ = ½: trapezoidal.

    The coefficients are those of ``moreau_theta``; the forces at the end of the step are linearised about its start.
    """
    return replace(moreau_theta(theta), name=LINEARLY_IMPLICIT)


IMPLICIT_SCHEMES = {
    "sdirk2": sdirk2,
    "backward-euler": backward_euler,
    "moreau-theta": moreau_theta,
    "quasi-static": quasi_static,
}
"""Schemes that the staggered stage loop runs."""


def coefficients_of(name: str, theta: float) -> Scheme:
    """Return the coefficients of a scheme with stages, the θ schemes with ``theta``. Raises KeyError for one without."""
    with_theta = {"moreau-theta": moreau_theta, LINEARLY_IMPLICIT: linearly_implicit}
    return with_theta[name](theta) if name in with_theta else IMPLICIT_SCHEMES[name]()


def scheme_of(name: str, theta: float) -> Scheme | None:
    """``coefficients_of`` a scheme; None for one without stages."""
    return None if name in (EXPLICIT, RADAU) else coefficients_of(name, theta)


EXPLICIT = "explicit"
"""Central differences with lumped mass: a compiled loop of its own (``floating_frame.leapfrog.bodies``)."""

RADAU = "radau"
"""Error-controlled Radau IIA of (3.4)1, for rigid bodies under regularised laws (``floating_frame.scheme.radau``)."""

LINEARLY_IMPLICIT = "linearly-implicit-trapezoidal"
"""One linear solve with friction a step, for rigid bodies (``floating_frame.system.rigid.linearised``)."""


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """Capabilities of a scheme; ``floating_frame.checks`` refuses the rest.

    ``inertia``: motion, and friction that depends on its speed. ``coulomb_only``: set-valued friction with the bound w.
    ``penalty``, ``impacts``: penalty and exact contact; ``contact_bristles``: laws with internal state on the former.
    ``reaction``: normal pressure that friction redistributes. ``space``, ``solids``: rigid bodies and elastic solids in space.
    """

    inertia: bool = True
    deformable: bool = True
    set_valued: bool = True
    coulomb_only: bool = False
    clamp: bool = True
    heating: bool = True
    penalty: bool = False
    contact_bristles: bool = True
    impacts: bool = False
    reaction: bool = False
    space: bool = False
    solids: bool = False


CAPABILITIES = {
    "sdirk2": Capabilities(penalty=True, reaction=True, space=True, solids=True),
    "backward-euler": Capabilities(penalty=True, impacts=True, reaction=True, space=True, solids=True),
    "moreau-theta": Capabilities(penalty=True, impacts=True, reaction=True, space=True),
    "quasi-static": Capabilities(inertia=False),
    EXPLICIT: Capabilities(coulomb_only=True, clamp=False, heating=False),
    RADAU: Capabilities(deformable=False, set_valued=False, penalty=True, contact_bristles=False),
    LINEARLY_IMPLICIT: Capabilities(deformable=False),
}
"""Capabilities of the schemes by name."""

SCHEMES = tuple(CAPABILITIES)
"""Names that ``Options.scheme`` accepts."""

FORMER_NAMES = {"runge-kutta": RADAU}
"""Names of schemes that earlier versions had, and those of today: both are accepted, results say the latter."""

RIGID_ONLY = tuple(name for name, takes in CAPABILITIES.items() if not takes.deformable)
"""Schemes that take a rigid body only."""
