"""Stability of explicit steps: the stable step, its safe share at finite strain, and the limit of energy growth.

Derived in docs/theory.md, section 8. Linear vibrations are stable for h < 2/ω_max; ω_max² is assumed to grow like Gershgorin's
bound of M^-½ K(u) M^-½. At finite strain m modes resonate where θ_1 + … + θ_m = 2π, θ = 2 arcsin(hω/2), which needs h ω_max >= 2
sin(π/m): 0.866, 0.707, 0.588 of the stable step for m = 3, 4, 5. The internal forces f produce the energy

    G_n = U(x_n) − U(x_0) + Σ ½ (f_k + f_{k+1})·(x_{k+1} − x_k),

0 for a linear material; G beyond ``GROWTH_SHARE`` of the largest energy so far (strain energy, and kinetic energy about the mass
centre) ends the run.

Under smooth effects x'' + γ x' + ω² x = 0, a step maps v h to (1 − g) v h − w x, g = z − z²/2, w = h²ω² (1 − z/2), z = hγ,
which is stable for h ω <= 2 and h γ <= 2: (1 − z/2)(h²ω² + 2z) <= 4 − z².
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fem import Plate
from floating_frame.effect.protocol import Blocks, Effect, PointMap
from floating_frame.frame.kinematics import Array
from floating_frame.system.model import Model
from floating_frame.system.stepper import Steps

LINEAR_SHARE, FINITE_SHARE = 0.95, 0.5
"""Automatic step (dt = 0) over the stable step, with a linear and with a non-linear material."""

ENERGY_INTERVAL, SHORT_ENERGY_INTERVAL = 50, 5
"""Compiled steps between two checks of energy and stiffening, with safe and with longer steps."""

STIFFENING_TOLERANCE = 1.02
"""Growth of the bound of ω² below which the user's step stays."""

STEP_TOLERANCE = 1e-5
"""Relative excess of the user's step over the stable one: waves of such strains count as linear."""

SWING = 0.125
"""c of the energy c h² a·M a, see ``Steps.swing``."""

GROWTH_SHARE = 0.1
"""Energy that explicit steps may produce over the largest energy."""

KINETIC_ROUNDING, STRAIN_ROUNDING = 1e-6, 1e-10
"""Rounding of the work of internal forces over the kinetic energy; of displacements over the body's size."""


def safe_share(steps: Steps) -> float:
    """Safe step over the stable step."""
    return LINEAR_SHARE if steps.linear else FINITE_SHARE


def explicit_steps(body: Plate, dt: float, *, rigid: bool) -> Steps:
    """Steps of ``dt`` s where it is > 0 and stable, else of the safe share of the stable step.

    Raises ValueError for a rigid body with ``dt`` = 0, which has no stable step.
    """
    if rigid:
        if dt == 0.0:
            raise ValueError("dt = 0 asks for the stable step, which a rigid body does not have: give dt > 0 s")
        return Steps(length=dt, longest=dt, many=True, swing=SWING)
    stable = float(body.stable_time_step())
    squared_frequency = frequency_bound(body, body.lumped_mass, np.zeros_like(body.X))
    explicit = Steps(length=dt, longest=dt, many=True, swing=SWING)
    explicit = replace(explicit, stable=stable, frequency_bound=squared_frequency, linear=not body.objective)
    # The stable step itself, dx/c for a row of equal bars, is allowed; it is known up to rounding.
    if 0.0 < dt <= stable * (1.0 + 1e-12):
        return explicit
    safe = safe_share(explicit) * stable
    return replace(explicit, length=safe, longest=safe)


def frequency_bound(body: Plate, lumps: Array, displacement: Array) -> float:
    """Gershgorin's bound of ω_max² at ``displacement`` u (N, 2) m, 1/s²; ``lumps`` (N,) kg."""
    from scipy.sparse import csr_array

    scale, sizes = np.repeat(lumps**-0.5, 2), body.tangent(displacement)
    np.abs(sizes, out=sizes)
    return float((scale * (csr_array((sizes, body.indices, body.indptr)) @ scale)).max())


def stiffening(steps: Steps, body: Plate, lumps: Array, displacement: Array) -> float:
    """Growth of the bound of ω_max² at ``displacement`` u (N, 2), m, in the frame, >= 1."""
    if steps.linear:
        return 1.0
    return max(1.0, frequency_bound(body, lumps, displacement) / steps.frequency_bound)


def allowed_step(steps: Steps, stiffened: float) -> float:
    """Length of the next steps, s, of a body whose ω_max² has grown by the factor ``stiffened``."""
    limit = steps.stable / float(np.sqrt(stiffened))
    if stiffened <= STIFFENING_TOLERANCE and steps.longest <= limit * (1.0 + STEP_TOLERANCE):
        return steps.longest
    return min(steps.longest, safe_share(steps) * limit)


def steps_to_next_check(steps: Steps, stiffened: float) -> int:
    """Number of compiled steps until the next check: fewer where steps are longer than is safe at finite strain."""
    safe = safe_share(steps) * steps.stable / float(np.sqrt(stiffened)) * (1.0 + 1e-9)
    return ENERGY_INTERVAL if steps.linear or allowed_step(steps, stiffened) <= safe else SHORT_ENERGY_INTERVAL


def effects_of(model: Model) -> Sequence[Effect]:
    """Effects that act in kicks; the loop applies the loads itself."""
    effects = model.system.effects
    return effects[len(effects) - len(model.problem.effects) :]


def under_effects(model: Model) -> Model:
    """Explicit model with a step that is stable with its effects, too.

    M⁻¹ Gᵀ k G and k W, W = G M⁻¹ Gᵀ the points' compliance, have the same largest eigenvalue, no larger than k times W's largest
    row sum. ω² of the body and of its effects add up at most, like the γ of dampers.
    """
    if not (model.steps.many and model.problem.effects):
        return model
    steps, motion, omega, gamma = model.steps, model.system.initial_motion(), 0.0, 0.0
    x, masses = motion.configuration, model.system.apply_mass(tuple(np.ones_like(v) for v in motion.velocity))

    def divided(force: Blocks) -> Blocks:
        """M⁻¹ f, 0 where there is no mass."""
        return tuple(np.divide(f, m, out=np.zeros_like(f), where=m > 0.0) for f, m in zip(force, masses, strict=True))

    for effect in effects_of(model):
        place = effect.points.place(x)
        now = effect.for_stage(0.0, None, 0.0, left=False).at(place, np.zeros_like(place))
        compliance = _row_sums(effect.points, place, x, divided)
        stiff, viscous = (
            0.0 if s is None else np.linalg.norm(s, 2, axis=(1, 2)) for s in (now.by_place, now.by_velocity)
        )
        omega, gamma = omega + float(np.max(stiff * compliance)), gamma + float(np.max(viscous * compliance))
    stable = 2.0 / max(float(np.hypot(2.0 / steps.stable, np.sqrt(omega))), gamma, float(np.finfo(float).tiny))
    longest = min(steps.longest, safe_share(steps) * stable)
    length = longest if steps.length == steps.longest else steps.length
    steps = replace(steps, length=length, longest=longest, stable=stable)
    return replace(model, steps=steps)


def _row_sums(points: PointMap, place: Array, x: Blocks, divided: Callable[[Blocks], Blocks]) -> Array:
    """Row sums (P,), 1/kg, of the compliance W of points at ``place`` (P, 2) m."""
    sums = np.zeros(len(place))
    for k in range(len(place)):
        for axis in (0, 1):
            unit = np.zeros_like(place)
            unit[k, axis] = 1.0
            sums[k] = max(sums[k], float(np.abs(points.velocity(x, divided(points.pull(x, unit)))).sum()))
    return sums
