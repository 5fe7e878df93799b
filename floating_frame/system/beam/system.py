"""A linear beam as a system: blocks (d, h), the free and the supported unknowns (w_i, ℓ w_i'), with friction in the lateral
velocity V_y, (3.18), (3.19).

    g(V) + λ = 0,   g(V) = M (V − v*)/τ_v + θ K (d* + τ_x V) − f,   λ_i ∈ w_i ∂|V_i|

in a stage; without inertia τ_v = ∞, and V τ_x is the increment of a quasi-static step. Friction acts on the first component of
2-vectors whose second one is 0. Effects have a tangent in the stiffness's sparsity (a beam's points move in y alone) and are
linearised until the force converges; linear ones take one solve.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from floating_frame.effect.foundation import FoundationFriction
from floating_frame.effect.loads import DeadLoads
from floating_frame.effect.protocol import (
    STRAIN,
    Attached,
    Blocks,
    Friction,
    Internal,
    Mask,
    Motion,
    OwnSource,
    Record,
    StageEffect,
    support_rigid_modes,
)
from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import Array, FrameMotion
from floating_frame.system.beam.model import BeamModel
from floating_frame.system.beam.results import BeamResults
from floating_frame.system.elastic.points import Nodes
from floating_frame.system.limit_load import check_limit
from floating_frame.system.protocol import (
    Consistent,
    Guess,
    Stage,
    StageHistory,
    System,
    applied,
    effects_at,
    friction_at,
)
from floating_frame.system.state import Counts, InSpace, State
from friction import Law, TrescaOptions, TrescaResult
from friction import solve as solve_friction
from friction.arrays import shown
from friction.line import solve_increment
from friction.rigid.problem import point_maps
from friction.stick import breakaway

MAX_PASSES = 40
FORCE_TOLERANCE = 1e-13
"""Tolerance of the linearised effects over the largest force."""
FIXED = FrameMotion(np.zeros(3), np.zeros(3), np.zeros(3))


class LinearPart:
    """g(V) = (m M + k K) V − b for the friction solver, V (n, 2) with a second component that stays 0; b (n,) N, ``size`` (n,) N:
    the sum of the absolute terms of b; ``added`` (nnz,) N s/m: to the matrix, by effects."""

    linear = True

    def __init__(self, model: BeamModel, m: float, k: float, b: Array, size: Array, added: Array | float = 0.0) -> None:
        self._model, self._key = model, (m, k)
        self.indptr, self.indices = model.cache.indptr, model.cache.indices
        matrix = model.on_pattern(m * model.mass.data + k * model.stiffness.data + added)
        first, second = model.places
        self._data = np.zeros(len(self.indices))
        self._data[first] = matrix.data
        self._idle = matrix.diagonal()
        self._data[second] = self._idle
        self.matrix, self.right_side, self.size = matrix, b, float(size.max(initial=0.0))
        self._absolute = abs(matrix)
        self._rest = model.on_pattern(m * model.mass.data + added)

    def product(self, v: Array) -> Array:
        """(m M + k K) v (n,), N, without a resultant or a moment of rounding."""
        return np.asarray(self._rest @ v + self._key[1] * self._model.elastic_force(v))

    def gradient(self, v: Array) -> Array:
        return np.stack([self.matrix @ v[:, 0] - self.right_side, self._idle * v[:, 1]], axis=1)

    def hessian(self, v: Array) -> Array:
        return self._data

    def rounding(self, v: Array) -> float:
        terms = float((self._absolute @ np.abs(v[:, 0])).max(initial=0.0)) + self.size
        return 4.0 * float(np.finfo(float).eps) * terms

    def scale(self, v: Array) -> float:
        return float(max(np.abs(self.right_side).max(initial=0.0), np.abs(self.matrix @ v[:, 0]).max(initial=0.0)))

    def solve(
        self,
        bound: Array,
        velocity: Array,
        *,
        law: Law,
        reference: Array | None = None,
        fixed: Mask | None = None,
    ) -> TrescaResult:
        """Solve the friction problem under ``law`` from a start, (n,) each. Raises FrictionSolveError, NotPositiveDefinite."""
        return solve_friction(
            self,
            bound,
            law=law,
            velocity=as_vectors(velocity),
            reference=None if reference is None else as_vectors(reference),
            fixed=fixed,
            cache=self._model.cache,
            key=self._key,
            options=TrescaOptions(rtol=self._model.options.tolerance),
        )


def as_vectors(values: Array) -> Array:
    """(n,) -> (n, 2) with a zero second component."""
    return np.stack([values, np.zeros_like(values)], axis=1)


class Unknowns(Nodes):
    """All unknowns, free and supported, as points with generalised forces (2N,)."""

    def __init__(self, model: BeamModel) -> None:
        self._free, self._at_supports = model.free, model.supported

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        return force[self._free], force[self._at_supports]


class BeamPoints:
    """Points of the axis at ``X`` (P,) m, which move across it: w = Σ φ_k d_k, ``shapes`` φ (P, 2N) of deflections and slopes."""

    def __init__(self, model: BeamModel, X: Array, shapes: Array) -> None:
        scaled = shapes * model.scale
        self._X, self._free, self._at_supports = X, scaled[:, model.free], scaled[:, model.supported]
        K = model.stiffness
        rows = np.repeat(np.arange(K.shape[0]), np.diff(K.indptr))
        self._pairs = self._free[:, rows] * self._free[:, K.indices]

    def place(self, configuration: Blocks) -> Array:
        return np.column_stack([self._X, self._free @ configuration[0]])

    def velocity(self, configuration: Blocks, velocity: Blocks) -> Array:
        moving = self._free @ velocity[0]
        return np.column_stack([np.zeros_like(moving), moving])

    def pull(self, configuration: Blocks, force: Array) -> Blocks:
        return force[:, 1] @ self._free, force[:, 1] @ self._at_supports

    def tangent(self, slope: Array) -> Array:
        """Derivative (nnz,) of the pulled force in the sparsity of the stiffness, for slopes (P,) N/m at the points."""
        return slope @ self._pairs


def attached(model: BeamModel, at: str | Sequence[float]) -> Attached:
    """End ("left", "right"), or the point of the axis at (X, 0) m. Raises ValueError for another place."""
    if isinstance(at, str):
        if at not in ("left", "right"):
            raise ValueError(f"a beam has the ends left and right, got {shown(at)}")
        at = model.beam.X[0 if at == "left" else -1]
    X = np.asarray(at, float)[None]
    return Attached(BeamPoints(model, X[:, 0], model.beam.at_point(X[0])[None]), X, np.ones(1))


class BeamSystem(System):
    """A linear beam; ``model``: its matrices on the free unknowns."""

    def __init__(self, model: BeamModel) -> None:
        effects = [e.on(attached(model, e.at)) for e in model.problem.effects]
        self.model, self._none, self._at_supports = model, np.zeros(len(model.free)), np.zeros(len(model.supported))
        self.effects = (DeadLoads(model.scaled_load, Unknowns(model)), *effects)
        beam = model.beam
        self.friction = FoundationFriction(
            model.problem.foundation, beam.X, beam.nodal_area, model.loads.ground_breaks, restrict=model.on_unknowns
        )
        bending, supports = OwnSource(STRAIN, resultant=(False, False)), OwnSource("supports")
        self.sources = (*self.effects, self.friction, bending, supports)
        self.results = BeamResults(model, self.friction)
        self._smooth = tuple(k for k, e in enumerate(self.effects) if not e.constant)

    def initial_motion(self) -> Motion:
        none = (self._none, self._at_supports)
        return Motion(none, none, none)

    def in_space(self, time: float, motion: Motion) -> InSpace:
        return InSpace(motion.configuration[0], motion.velocity[0], motion.acceleration[0], FIXED)

    def at_rest(self, motion: Motion) -> Consistent:
        still = super().at_rest(motion)
        load = self._support_load(effects_at(self.effects, 0.0, [None] * len(self.effects), left=False), motion)
        return still._replace(own=(still.own[0], self._supports(motion, load)))

    def begin(self, state: State, end: float, *, inertia: bool, lands: bool) -> Self:
        """Forget the factor; raise Unsolved (LimitLoad) where friction ``|λ_i| <= w_i`` cannot balance the force and moment of an
        increment's load on a free beam."""

        def modes(x: Array) -> Array:
            return point_maps(x * [1.0, 0.0])[:, :, 1:] / [1.0, self.model.radius]

        supported = inertia or self.model.problem.frame.support != "free"
        if not (supported or support_rigid_modes(self.effects, end, state.motion.configuration, modes)):
            load, X = self.model.natural_load(end), self.model.beam.X
            bound = breakaway(self.model.law, self.friction.bound(end))[1]
            check_limit(np.array([0.0, load[0::2].sum(), X[:, 0] @ load[0::2] + load[1::2].sum()]), X, bound, end)
        self.model.cache.forget()
        return self

    def ground_rates(self, ground: Array) -> Blocks:
        return self._none, self._at_supports

    def slip(self, time: float, motion: Motion, ground: Array) -> Array:
        return as_vectors(motion.velocity[0])

    def apply_mass(self, acceleration: Blocks) -> Blocks:
        return self.model.mass @ acceleration[0], self._at_supports

    def own(self, time: float, motion: Motion) -> tuple[Record, ...]:
        model, d = self.model, motion.configuration[0]
        supported = -(model.beam.stiffness @ model.natural(d) * model.scale)[model.supported]
        return Record((-(model.stiffness @ d), supported)), Record((self._none, self._at_supports), mixed=False)

    def stored(self, time: float, motion: Motion) -> tuple[float, ...]:
        d = motion.configuration[0]
        return 0.5 * float(d @ (self.model.stiffness @ d)), 0.0

    def solve_stage(self, history: StageHistory, guess: Guess, reference: Array, fixed: Mask | None = None) -> Stage:
        """Solve one stage. Raises FrictionSolveError, NotPositiveDefinite, Unsolved (NotConverged)."""
        model, d0, v0 = self.model, history.configuration[0], history.velocity[0]
        m, k = 1.0 / history.tau_v, history.theta * history.tau_x
        quasi_static = not np.isfinite(history.tau_v)  # then it balances K d0, without the rounding of d0
        bent = history.balance[0] if quasi_static else model.stiffness @ d0
        incoming, counts = model.mass @ v0, Counts()
        dead = self._effect_forces(history, d0, guess.velocity[0], constant=True)[0]
        v = guess.velocity[0]
        force, tangent = self._effect_forces(history, d0 + history.tau_x * v, v, constant=False)
        for _ in range(MAX_PASSES):
            load = history.theta * dead + history.start_force[0]
            if self._smooth:
                load = load + history.theta * (force - model.on_pattern(tangent) @ v)
            b = m * incoming - history.theta * bent + load
            size = np.abs(bent) if quasi_static else abs(model.stiffness) @ np.abs(d0)
            size = size + np.abs(m * incoming) + np.abs(load)
            part = LinearPart(model, m, k, b, size, -history.theta * tangent)
            result = self._solve_friction(part, history, v, reference, fixed)
            counts = counts.plus(Counts.of(result))
            last, v = v, result.velocity[:, 0].copy()
            if not self._smooth:
                break
            linear = force + model.on_pattern(tangent) @ (v - last)
            force, tangent = self._effect_forces(history, d0 + history.tau_x * v, v, constant=False)
            if float(np.abs(force - linear).max()) <= FORCE_TOLERANCE * max(float(size.max()), 1e-300):
                break
        else:
            raise Unsolved(f"the forces on the beam did not settle in {MAX_PASSES} passes")
        supports = self._at_supports
        motion = Motion((d0 + history.tau_x * v, supports), (v, supports), ((v - v0) * m, supports))
        friction = Friction(result.velocity, result.multiplier, result.state, (-result.multiplier[:, 0], supports))
        strain, _ = self.own(history.time, motion)
        acting = (
            history.theta * (strain.force[1] + self._support_load(history.effects, motion)) + history.start_force[1]
        )
        own = (strain, self._supports(motion, acting))
        return Stage(motion=motion, friction=friction, problem=history.friction, own=own, counts=counts)

    def _support_load(self, acting: Sequence[StageEffect], motion: Motion) -> Array:
        """Force of all effects on the supported degrees of freedom."""
        return applied(self.effects, acting, *motion[:2])[1]

    def _supports(self, motion: Motion, acting: Array) -> Record:
        """Record of the supports, with the other forces ``acting`` on their degrees of freedom."""
        model = self.model
        inertia = (model.beam.mass_matrix @ model.natural(motion.acceleration[0]) * model.scale)[model.supported]
        return Record((self._none, inertia - acting), mixed=False)

    def _solve_friction(
        self, part: LinearPart, history: StageHistory, v: Array, reference: Array, fixed: Mask | None
    ) -> TrescaResult:
        """Friction problem's solution, with or without inertia."""
        model, friction = self.model, history.friction
        if not np.isfinite(history.tau_v):
            bounds = breakaway(friction.law, friction.bound)[1]
            rtol = model.options.tolerance
            return solve_increment(
                part.matrix, part.right_side, bounds, v, reference[:, 0], rtol, part.size, product=part.product
            )
        law, slip = friction.law, reference[:, 0]
        return part.solve(friction.bound, v, law=law, reference=slip, fixed=fixed)

    def _effect_forces(self, history: StageHistory, d: Array, v: Array, *, constant: bool) -> tuple[Array, Array]:
        """(force (n,), its tangent in V (nnz,)) of the effects that are ``constant`` in a stage or not."""
        force, tangent = self._none, np.zeros(self.model.stiffness.nnz)
        for effect, acting in zip(self.effects, history.effects, strict=True):
            if effect.constant is not constant:
                continue
            points, x = effect.points, (d, self._at_supports)
            now = acting.at(points.place(x), points.velocity(x, (v, self._at_supports)))
            force = force + points.pull(x, now.force)[0]
            for share, slope in ((history.tau_x, now.by_place), (1.0, now.by_velocity)):
                if slope is not None:
                    tangent = tangent + points.tangent(share * slope[:, 1, 1])
        return force, tangent

    def consistent(self, time: float, motion: Motion, internal: Internal, *, left: bool = True) -> Consistent:
        """M a = f − K d − λ with the law's λ_i(v_i); where v_i = 0, λ_i ∈ s_i ∂|a_i| with the bound s_i of stick (``breakaway``),
        as the law's profile is no function of a."""
        model, x, u = self.model, motion.configuration, motion.velocity
        d, v = x[0], u[0]
        problem = self.friction.for_stage(time, internal[-1], 0.0, left=left)
        moving = v != 0.0
        sliding_friction = np.where(moving, problem.law.force(as_vectors(v), problem.bound)[:, 0], 0.0)
        pushed = applied(self.effects, effects_at(self.effects, time, internal, left=left), x, u)
        force = pushed[0] - model.stiffness @ d - sliding_friction
        begins, bounds = breakaway(problem.law, problem.bound)
        size = abs(model.stiffness) @ np.abs(d) + np.abs(force)
        part = LinearPart(model, 1.0, 0.0, force, size)
        still = np.where(moving, 0.0, bounds)
        result = part.solve(still, self._none, law=begins)
        multiplier = sliding_friction + np.where(moving, 0.0, result.multiplier[:, 0])
        started = Motion(x, u, (result.velocity[:, 0].copy(), self._at_supports))
        friction = friction_at(as_vectors(v), as_vectors(multiplier), (-multiplier, self._at_supports))
        strain, _ = self.own(time, started)
        return Consistent(started, friction, (strain, self._supports(started, strain.force[1] + pushed[1])))
