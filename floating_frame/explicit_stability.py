"""How long an explicit step may be: the stable step of the reference configuration, and how it shrinks with the strain.

Central differences with lumped mass are stable for h < 2/ω_max. ω_max² is computed once, at the reference; later it is
taken to grow as Gershgorin's bound of the scaled stiffness M^-½ K(u) M^-½ does, which costs one assembly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floating_frame.kinematics import Array

STABLE_FRACTION = 0.95
"""Of the stable step, which dt = 0 stands for, and which no step exceeds once the body has stiffened."""

STIFFENED = 1.02
"""Growth of the bound of ω² below which the step is left alone (linear waves at c h = Δx stay exact)."""


@dataclass(frozen=True)
class ExplicitPlan:
    """``step`` s: the step that was asked for, below ``stable`` s, that of the reference configuration; ``bound`` 1/s²."""

    step: float
    stable: float
    bound: float


def explicit_plan(body: Any, wanted: float, *, rigid: bool) -> ExplicitPlan:
    """The plan for ``wanted`` = dt: dt itself where it is > 0 and stable, else 0.95 of the stable step.

    Raises ValueError for a rigid body with ``wanted`` = 0, which has no stable step.
    """
    if rigid:
        if wanted == 0.0:
            raise ValueError("dt = 0 asks for the stable step, which a rigid body does not have: give dt > 0 s")
        return ExplicitPlan(wanted, np.inf, 0.0)
    stable = float(body.stable_time_step())
    # Where the stable step is dx/c (a row of equal bars), it may be asked for; it is known up to rounding.
    step = wanted if 0.0 < wanted <= stable * (1.0 + 1e-12) else STABLE_FRACTION * stable
    return ExplicitPlan(step, stable, frequency_bound(body, body.lumped_mass, np.zeros_like(body.X)))


def frequency_bound(body: Any, lumps: Array, displacement: Array) -> float:
    """Gershgorin's bound of ω_max² at ``displacement`` u (N, 2) m, 1/s²; ``lumps`` (N,) kg."""
    scale = np.repeat(lumps**-0.5, 2)
    rows = np.add.reduceat(np.abs(body.tangent(displacement)) * scale[body.indices], body.indptr[:-1])
    return float((rows * scale).max())


def allowed_step(plan: ExplicitPlan, body: Any, lumps: Array, displacement: Array) -> float:
    """Length of the next steps, s, at ``displacement`` u (N, 2) m in the frame."""
    growth = frequency_bound(body, lumps, displacement) / plan.bound
    if not growth > STIFFENED:
        return plan.step
    return min(plan.step, STABLE_FRACTION * plan.stable / float(np.sqrt(growth)))
