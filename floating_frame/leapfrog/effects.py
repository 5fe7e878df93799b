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

import numpy as np

from floating_frame.effect.protocol import Blocks, Effect, PointMap, axpy, pair, scaled
from floating_frame.frame.kinematics import Array
from floating_frame.leapfrog.stability import ExplicitPlan
from floating_frame.system.model import Model
from floating_frame.system.protocol import System

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
    places = [points.place(x) for points, _ in acting]

    def forces(v: Blocks) -> tuple[Blocks, ...]:
        now = (a.at(at, points.velocity(x, v)).force for (points, a), at in zip(acting, places, strict=True))
        return tuple(points.pull(x, force) for (points, _), force in zip(acting, now, strict=True))

    at_start = forces(before)
    acting_forces = forces(axpy(before, 1.0, gained(_sum(at_start, before))))

    def power(v: Blocks) -> Array:
        rows = np.zeros((len(acting), 3))
        for row, (points, a), at, force in zip(rows, acting, places, acting_forces, strict=True):
            record, worked = a.record(at, points.velocity(x, v), force), pair(force, v)
            external = record.given(worked, v)
            row[:] = external, record.dissipated, external - record.dissipated - worked
        return rows

    return _sum(acting_forces, before), power


def _sum(forces: Sequence[Blocks], like: Blocks) -> Blocks:
    total = scaled(0.0, like)
    for force in forces:
        total = axpy(total, 1.0, force)
    return total


def stored_at_start(model: Model, x: Blocks, v: Blocks) -> Array:
    """Return the ledger (n, 3), J, of the effects at t = 0: what they store is the rest that they may give back."""
    ledger = np.zeros((len(model.problem.effects), 3))
    for row, effect in zip(ledger, effects_of(model), strict=True):
        points, acting = effect.points, effect.for_stage(0.0, None, 0.0, left=False)
        row[REST] = acting.record(points.place(x), points.velocity(x, v), v).stored
    return ledger


def divided_by_mass(system: System) -> Callable[[Blocks], Blocks]:
    """Return the function f -> M⁻¹ f of generalised forces, for a diagonal mass; 0 where there is none."""
    motion = system.initial_motion()
    masses = system.apply_mass(tuple(np.ones_like(v) for v in motion.velocity))
    safe = [np.where(m > 0.0, m, np.inf) for m in masses]
    return lambda force: tuple(f / m for f, m in zip(force, safe, strict=True))


def under_effects(model: Model) -> Model:
    """Return an explicit model whose step is stable with its effects too.

    The largest eigenvalue of M⁻¹ Gᵀ k G is that of k W, W = G M⁻¹ Gᵀ the points' compliance, and no larger than k times W's
    largest row sum; ω² of the body and of its effects add up at most, and so do the γ of dampers.
    """
    if not (model.steps.many and model.problem.effects):
        return model
    plan, system, omega, gamma = plan_of(model), model.system, 0.0, 0.0
    x, divided = system.initial_motion().configuration, divided_by_mass(system)
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
