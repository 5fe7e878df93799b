"""Time integration schemes as data: coefficients of stages, loop and ledger.

A stage s ends at t + c_s Δt and satisfies, with j = 0 the start of the step,

    x_s = x_0 + Δt Σ_j position[s, j] v_j
    v_s = v_0 + Δt Σ_j velocity[s, j] a_j          M a_s = Σ_j force[s, j] f_j − λ_s

where f are internal and external forces and the friction λ_s obeys Coulomb's law with the velocity v_s exactly. The
last stage is the end of the step (stiffly accurate), so a step ends on a velocity that satisfies the law.
``work[s, j]``: weights of the working velocity in the energy ledger; ``weights``: b_s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from floating_frame.frame.kinematics import Array


class Scheme(NamedTuple):
    """Coefficients of a one-step scheme with S stages, for Python and for compiled loops: arrays (S,) or (S, S + 1), column 0 being
    the start.

    ``form``: the algebraic-stability form m (S, S): b_i ŵ_ij + b_j ŵ_ji − b_i b_j, ŵ = (work · velocity) restricted to the stages.
    Exactly ΔT = Δt Σ b_i v̂_i·M a_i − ½ Δt² Σ m_ij a_i·M a_j with v̂ = work · v (docs/theory.md, section 8).

    ``mixes``: forces at the start of the step enter. ``inertia`` False: increments of equilibrium in pseudo-time. ``guards``: the
    scheme is not algebraically stable and may end an arrest with a small backward velocity, which the stage loop removes node by
    node (docs/theory.md). ``lands``: points may land in its steps. ``order`` of convergence while all points slip, also in turning
    directions, for error control. ``cuts``: a step in which the whole body reverses, or breaks loose from a larger static bound, is
    cut there (``scheme.guard``).
    """

    nodes: Array
    position: Array
    velocity: Array
    force: Array
    work: Array
    weights: Array
    form: Array
    mixes: bool
    inertia: bool = True
    guards: bool = False
    lands: bool = False
    order: int = 1
    cuts: bool = True

    @property
    def stages(self) -> int:
        """Number of stages S."""
        return len(self.nodes)


def scheme_with(nodes: Array, position: Array, velocity: Array, mixed: Array, b: Array) -> Scheme:
    """Scheme with ``mixed`` (S, S + 1) coefficients of forces and working velocities; ``b`` (S,): weights."""
    working = (mixed @ np.vstack([np.zeros(mixed.shape[1]), velocity]))[:, 1:]
    form = b[:, None] * working + (b[:, None] * working).T - np.outer(b, b)
    return Scheme(
        nodes, position, velocity, mixed, mixed, b, np.ascontiguousarray(form), bool(np.any(mixed[:, 0] != 0.0))
    )


def runge_kutta(table: list[list[float]], *, guards: bool = False, order: int = 1) -> Scheme:
    """Diagonally implicit Runge–Kutta method of the ``table`` a (S, S), whose last row are its weights."""
    a = np.array(table)
    start = np.zeros((len(a), 1))
    full, identity = np.hstack([start, a]), np.hstack([start, np.eye(len(a))])
    return scheme_with(a.sum(axis=1), full, full, identity, a[-1].copy())._replace(guards=guards, order=order)


def sdirk2() -> Scheme:
    """Alexander's (1977) two-stage, L-stable, stiffly accurate SDIRK of order 2, γ = 1 − 1/√2."""
    gamma = 1.0 - 1.0 / np.sqrt(2.0)
    return runge_kutta([[gamma, 0.0], [1.0 - gamma, gamma]], guards=True, order=2)


def backward_euler() -> Scheme:
    """Backward Euler, of order 1; points land in its steps."""
    return runge_kutta([[1.0]])._replace(lands=True, cuts=False)


def moreau_theta(theta: float = 0.5) -> Scheme:
    """Moreau–Jean θ scheme: forces and positions by the θ rule, the friction impulse against the end velocity.

    Order 2 for θ = ½ where the direction of friction does not turn (the block of Potra et al., free flight, a block in space that
    tips); order 1 where it turns within the step, as on a plate that slides and spins, and for θ > ½. ``theta`` in [½, 1].
    """
    if not 0.5 <= theta <= 1.0:
        raise ValueError(f"theta must lie in [0.5, 1] for stability, got {theta}")
    mixed = np.array([[1.0 - theta, theta]])
    return scheme_with(np.array([1.0]), mixed, np.array([[0.0, 1.0]]), mixed, np.array([1.0]))


def quasi_static() -> Scheme:
    """Increments of equilibrium: backward Euler without inertia, so V Δt is the displacement increment.

    Each increment is the convex (Tresca) problem with displacement increments as unknowns; time is pseudo-time.
    """
    return runge_kutta([[1.0]])._replace(inertia=False, cuts=False)


IMPLICIT_SCHEMES = {
    "sdirk2": sdirk2,
    "backward-euler": backward_euler,
    "moreau-theta": moreau_theta,
    "quasi-static": quasi_static,
}
"""Schemes that the staggered stage loop runs."""


def coefficients_of(name: str, theta: float) -> Scheme:
    """Coefficients of a scheme with stages, of θ schemes with ``theta``. Raises KeyError for other schemes."""
    return moreau_theta(theta) if name in ("moreau-theta", LINEARLY_IMPLICIT) else IMPLICIT_SCHEMES[name]()


EXPLICIT = "explicit"
"""Central differences with lumped mass: a compiled loop of its own (``floating_frame.leapfrog.bodies``)."""

RADAU = "radau"
"""Error-controlled Radau IIA of (3.4)1, for rigid bodies under regularised laws (``floating_frame.scheme.radau``)."""

LINEARLY_IMPLICIT = "linearly-implicit-trapezoidal"
"""Potra, Anitescu, Gavrea & Trinkle's (2006) method for rigid bodies: one linear solve with friction a step. Coefficients of
``moreau_theta``; forces at the end of the step are linearised about its start (``system.rigid.linearised``)."""


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
"""Former names of schemes, and the present ones: both are accepted, results have the latter."""

RIGID_ONLY = tuple(name for name, takes in CAPABILITIES.items() if not takes.deformable)
"""Schemes that take a rigid body only."""
