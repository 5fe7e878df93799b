"""Smooth effects (springs) in the explicit scheme: their force in a kick, their part of the ledger, the step that stays stable.

In the kick of length Δ about t_n an effect acts with the force that it has at x_n and at the velocity half way through the kick,

    F_n = F(x_n, v_{n−½} + ½ Δ M⁻¹ (f_n − λ_{n−1} + F(x_n, v_{n−½}))),

so that dampers are of second order and nothing is solved. With x'' + γ x' + ω² x = 0 a step takes v h to (1 − g) v h − w x, g =
z − z²/2, w = h²ω² (1 − z/2), z = hγ, which is stable for h ω <= 2 and h γ <= 2: (1 − z/2)(h²ω² + 2z) <= 4 − z². The mean velocity
of the kick, (v_{n−½} + v_{n+½})/2, does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from floating_frame.effect.protocol import Blocks, Effect, Motion, PointMap, axpy, pair, scaled
from floating_frame.frame.kinematics import Array
from floating_frame.leapfrog.stability import ExplicitPlan
from floating_frame.scheme.instants import evaluate
from floating_frame.system.model import Model

EXTERNAL, DISSIPATED, REST = range(3)
"""Columns of an effect's ledger, J: the outside's work, dissipation, and external − dissipated − worked + stored at t = 0."""


def plan_of(model: Model) -> ExplicitPlan:
    """Return the plan of a model's explicit steps."""
    assert isinstance(model.steps, ExplicitPlan)
    return model.steps


def effects_of(model: Model) -> Sequence[Effect]:
    """Return the effects that act in kicks; the loads are the loop's own."""
    effects = model.system.effects
    return effects[len(effects) - len(model.problem.effects) :]


def kick_of(
    effects: Sequence[Effect], time: float, x: Blocks, before: Blocks, gained: Callable[[Blocks], Blocks]
) -> tuple[Blocks, Callable[[Blocks], Array]]:
    """Forces of ``effects``, without internal states, in the kick about ``time`` s, and their power.

    ``x``: configuration at this time, ``before``: velocity half a step before; ``gained``: generalised force of the effects ->
    velocity that the first half of the kick adds. ``power`` of the result: velocity that does the work -> (n, 3), W, columns as
    in a ledger.
    """
    acting = [(e.points, e.for_stage(time, None, 0.0)) for e in effects]

    def forces(v: Blocks) -> list[Blocks]:
        return [p.pull(x, a.at(p.place(x), p.velocity(x, v)).force) for p, a in acting]

    def total(each: list[Blocks]) -> Blocks:
        return reduce(lambda force, other: axpy(force, 1.0, other), each, scaled(0.0, before))

    pushes = forces(axpy(before, 1.0, gained(total(forces(before)))))

    def power(v: Blocks) -> Array:
        rows = np.zeros((len(acting), 3))
        for row, (points, a), force in zip(rows, acting, pushes, strict=True):
            record, worked = a.record(points.place(x), points.velocity(x, v), force), pair(force, v)
            external = record.given(worked, v)
            row[:] = external, record.dissipated, external - record.dissipated - worked
        return rows

    return total(pushes), power


def stored_at_start(model: Model, motion: Motion) -> Array:
    """Return the ledger (n, 3), J, of the effects at t = 0: what they store is the rest that they may give back."""
    effects = effects_of(model)
    ledger = np.zeros((len(effects), 3))
    ledger[:, REST] = [evaluate(e, e.for_stage(0.0, None, 0.0, left=False), motion).stored for e in effects]
    return ledger


def under_effects(model: Model) -> Model:
    """Return an explicit model whose step is stable with its effects too.

    The largest eigenvalue of M⁻¹ Gᵀ k G is that of k W, W = G M⁻¹ Gᵀ the points' compliance, and no larger than k times W's
    largest row sum; ω² of the body and of its effects add up at most, and so do the γ of dampers.
    """
    if not (model.steps.many and model.problem.effects):
        return model
    plan, motion, omega, gamma = plan_of(model), model.system.initial_motion(), 0.0, 0.0
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
    stable = 2.0 / max(float(np.hypot(2.0 / plan.stable, np.sqrt(omega))), gamma, float(np.finfo(float).tiny))
    longest = min(plan.longest, plan.share * stable)
    length = longest if plan.length == plan.longest else plan.length
    plan = replace(plan, length=length, longest=longest, stable=stable)
    return replace(model, steps=plan)


def _row_sums(points: PointMap, place: Array, x: Blocks, divided: Callable[[Blocks], Blocks]) -> Array:
    """Return the row sums (P,), 1/kg, of the compliance W of points at ``place`` (P, 2) m."""
    sums = np.zeros(len(place))
    for k in range(len(place)):
        for axis in (0, 1):
            unit = np.zeros_like(place)
            unit[k, axis] = 1.0
            sums[k] = max(sums[k], float(np.abs(points.velocity(x, divided(points.pull(x, unit)))).sum()))
    return sums
