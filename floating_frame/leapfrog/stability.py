"""How long an explicit step may be: the stable step, the share of it that is safe at finite strain, and what it must not produce.

*Linear vibrations.* Central differences with lumped mass M are stable for h < 2/ω_max. ω_max² is computed once, at the reference;
later it is taken to grow as Gershgorin's bound of M^-½ K(u) M^-½ does, which costs one assembly (within 10 % in ω up to strains
of 30 %). The largest growth met so far counts: a step that follows each swing of the body would be a new motion every time.

*Finite strain.* A mode of frequency ω turns by θ = 2 arcsin(hω/2) in each step, and time is sampled: θ and θ + 2π are one. Terms
of order m in the energy U couple m modes. In continuous time energy is conserved, and they exchange it where
±ω_1 ± … ± ω_m = 0. In discrete time they also resonate where

    θ_1 + … + θ_m = 2π,

all signs alike. Then all m modes grow together, and the energy with them: the increments dN_i of their actions N_i are equal
(Manley & Rowe), and Σ ω_i dN_i > 0. With amplitude A this goes as A^(m−2) per period, faster than exponentially once all have
grown: a plate at rest, stretched by 2 %, explodes. It needs a mode with θ ≥ 2π/m, which means

    h ω_max ≥ 2 sin(π/m):   0.866 of the stable step for m = 3, 0.707 for m = 4, 0.588 for m = 5.

(m = 3 at a single mode is the resonance hω = √3 of molecular dynamics; Skeel, Zhang & Schlick, SIAM J. Sci. Comput. 18 (1997)
203–222.) U of St. Venant–Kirchhoff is a polynomial of degree four, so the automatic step keeps below 0.588: at ``FINITE_SHARE``
of the stable step, with a margin for the estimate of ω_max. A small-strain material has m = 2 only, θ < π, and takes
``LINEAR_SHARE``. A ``dt`` up to the stable step is taken as it is asked for, but by a non-linear material only while its ω_max²
has not grown by more than ``STIFFENED`` and the step is stable: linear waves at c h = Δx stay exact.

*Energy produced.* With Δx = h v_{n+½} and kicks between, ½ v_{n−½}·M v_{n+½} changes by the trapezoidal work of all forces
along the steps. So the internal forces produce

    G_n = U(x_n) − U(x_0) + Σ ½ (f_k + f_{k+1})·(x_{k+1} − x_k),

no matter what loads and friction do: exactly 0 for a linear material, elsewhere −¹⁄₁₂ Σ D³U[Δx, Δx, Δx] + …, which stays
bounded while nothing resonates. G beyond ``GROWTH_SHARE`` of the largest energy so far (strain energy, and kinetic without that
of the mass centre) ends the run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fem import Plate
from floating_frame.frame.kinematics import Array
from floating_frame.stepper import Steps

LINEAR_SHARE, FINITE_SHARE = 0.95, 0.5
"""Of the stable step, what dt = 0 stands for: with a linear and with a non-linear material."""

SEGMENT = 50
"""Compiled steps between two looks at strain and energy."""

STIFFENED = 1.02
"""Growth of the bound of ω² below which a step that was asked for is left alone."""

ALMOST = 1e-5
"""What a step that was asked for may exceed the stable one by: strains of waves that count as linear."""

GROWTH_SHARE = 0.1
"""Of the largest energy, what explicit steps may produce."""

FAST, TINY = 1e-6, 1e-10
"""What may be rounding: of the whole kinetic energy, for internal forces along the way of a fast body; and displacements over the
body's size whose strain energy is."""


@dataclass(frozen=True, kw_only=True)
class ExplicitPlan(Steps):
    """Explicit steps: ``longest`` s was asked for, below ``stable`` s, that of the reference configuration; ``bound`` 1/s²;
    ``linear``: whether the body's stiffness is constant in its frame."""

    bound: float
    linear: bool = True
    many: bool = True
    swing: float = 0.125

    @property
    def share(self) -> float:
        """Of the stable step, what is safe."""
        return LINEAR_SHARE if self.linear else FINITE_SHARE


def explicit_plan(body: Plate, wanted: float, *, rigid: bool) -> ExplicitPlan:
    """Return the plan for ``wanted`` = dt: dt itself where it is > 0 and stable, else the safe share of the stable step.

    Raises ValueError for a rigid body with ``wanted`` = 0, which has no stable step.
    """
    if rigid:
        if wanted == 0.0:
            raise ValueError("dt = 0 asks for the stable step, which a rigid body does not have: give dt > 0 s")
        return ExplicitPlan(length=wanted, longest=wanted, bound=0.0)
    stable = float(body.stable_time_step())
    bound = frequency_bound(body, body.lumped_mass, np.zeros_like(body.X))
    linear = not body.objective
    plan = ExplicitPlan(length=wanted, longest=wanted, stable=stable, bound=bound, linear=linear)
    # Where the stable step is dx/c (a row of equal bars), it may be asked for; it is known up to rounding.
    if 0.0 < wanted <= stable * (1.0 + 1e-12):
        return plan
    return replace(plan, length=plan.share * stable, longest=plan.share * stable)


def frequency_bound(body: Plate, lumps: Array, displacement: Array) -> float:
    """Return Gershgorin's bound of ω_max² at ``displacement`` u (N, 2) m, 1/s²; ``lumps`` (N,) kg."""
    scale = np.repeat(lumps**-0.5, 2)
    rows = np.add.reduceat(np.abs(body.tangent(displacement)) * scale[body.indices], body.indptr[:-1])
    return float((rows * scale).max())


def stiffening(plan: ExplicitPlan, body: Plate, lumps: Array, displacement: Array) -> float:
    """Return the growth of the bound of ω_max² at ``displacement`` u (N, 2), m, in the frame, >= 1."""
    if plan.linear:
        return 1.0
    return max(1.0, frequency_bound(body, lumps, displacement) / plan.bound)


def allowed_step(plan: ExplicitPlan, stiffened: float) -> float:
    """Return the length of the next steps, s, of a body whose ω_max² has grown by the factor ``stiffened``."""
    limit = plan.stable / float(np.sqrt(stiffened))
    if stiffened <= STIFFENED and plan.longest <= limit * (1.0 + ALMOST):
        return plan.longest
    return min(plan.longest, plan.share * limit)


def steps_to_next_look(plan: ExplicitPlan, stiffened: float) -> int:
    """Return the compiled steps until the body is looked at again: fewer where they are longer than is safe at finite strain."""
    safe = plan.share * plan.stable / float(np.sqrt(stiffened)) * (1.0 + 1e-9)
    return SEGMENT if plan.linear or allowed_step(plan, stiffened) <= safe else SEGMENT // 10
