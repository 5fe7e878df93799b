"""Bodies in the explicit scheme: plates by compiled steps, in a row or, under smooth effects, one by one; rigid bodies by central
differences of (3.4)1 with u = 0, friction exact in the kick: q'_{n+½} solves D (q'_{n+½} − q'_{n−½})/Δ = wrench(t_n) − Σ
Gᵢᵀλᵢ(q'_{n+½}), arms at t_n; q_{n+1} = q_n + h q'_{n+½}. Without springs a rigid body has no stable step: give ``dt``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from floating_frame.coefficients import backward_euler
from floating_frame.effect.protocol import Blocks, Motion
from floating_frame.errors import Unsolved
from floating_frame.frame.kernels import dot
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.frame.rotations import rotation_of
from floating_frame.leapfrog import loop
from floating_frame.leapfrog.stability import GROWTH_SHARE, KINETIC_ROUNDING, STRAIN_ROUNDING, stiffening
from floating_frame.leapfrog.step import (
    ExplicitBody,
    Kick,
    Leapfrog,
    Prox,
    bound_in_kick,
    effect_forces,
    explicit_state,
    kick,
    mean_of_limits,
)
from floating_frame.scheme.instants import initial_state
from floating_frame.system.elastic.blocks import NO_FRAME_FORCE, on_nodes, plane_motion
from floating_frame.system.model import Model
from floating_frame.system.state import Counts, State
from friction.rigid.problem import RigidFrictionProblem, RigidSlip, point_velocity
from friction.rigid.solve import solve_rigid_friction


def loads_at(model: Model, x: Array, starts: Array, h: float, before: float) -> tuple[Array, Array, Array]:
    """Loads at the starts of steps: values (steps, n), shapes (n, N), forces (n, 2).

    Steps end on breaks: only the first of ``starts`` can be one. Loads that are not separable, or follow the body at ``x`` (N, 2),
    are two rows of nodal forces, for one step.
    """
    loads, first = model.loads, float(starts[0])
    if not loads.separable:
        force = mean_of_limits(partial(loads.total_force, first, x), h, before)
        return np.ones((1, 2)), np.ascontiguousarray(force.T), np.eye(2)
    begin = mean_of_limits(partial(loads.history_values, first), h, before)
    values = np.array([begin, *([history.value(t) for history in loads.histories] for t in starts[1:])])
    return values, loads.shapes, loads.forces


def shrink(velocity: Array, by: Array) -> Array:
    """Vectors (N, 2) shortened by the lengths ``by`` (N,); exactly zero where they are not longer."""
    size = np.hypot(velocity[:, 0], velocity[:, 1])
    slides = size > by
    scale = np.where(slides, 1.0 - by / np.where(slides, size, 1.0), 0.0)
    return scale[:, None] * velocity


class ExplicitPlate(ExplicitBody):
    """An elastic body: the loop advances its nodes and frame; ``inertia`` (N, 1) kg of its nodes."""

    rest, has_waves, effect_fraction = NO_FRAME_FORCE[2], True, 1.0

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.inertia = model.mass.nodal[:, None]

    @property
    def arrays(self) -> tuple[object, ...]:
        """The loop's constant arguments: reference, lumped mass, frame code, objectivity, element arrays."""
        model = self.model
        return model.mass.reference, model.mass.nodal, model.frame.kind, model.objective, model.body.force_arguments

    def forces(self, time: float, x: Blocks, h: float, before: float) -> tuple[Array, Array]:
        loads = mean_of_limits(partial(self.model.loads.total_force, time, x[0]), h, before)
        return loads, self._internal(time, x)

    def _internal(self, time: float, x: Blocks) -> Array:
        return self.model.internal_force(time, x[0], rotation_of(x[2]))

    def pull(self, x: Blocks, multiplier: Array) -> Array:
        return multiplier

    def prox(self, x: Blocks, carried: Leapfrog, force: Array, ground: Array, length: float, bound: Array) -> Prox:
        m, half = self.inertia, carried.velocity[0]
        sliding = shrink(half - ground + length * force / m, length * bound / m[:, 0])
        multiplier = force - m * (sliding + ground - half) / length
        return sliding + ground, sliding, multiplier, Counts(steps=1, passes=1)

    def motion(self, x: Blocks, velocity: Array, acceleration: Array) -> Motion:
        frame = self.model.frame_of(x[0], velocity, acceleration, float(x[2][0]))
        return plane_motion(x[0], velocity, acceleration, frame)

    def advance(self, x: Blocks, carried: Leapfrog, starts: Array, h: float) -> tuple[Blocks, Leapfrog, Counts]:
        """Advance in place by compiled steps, under effects by one step; the effects' work is booked apart."""
        model, time, before = self.model, float(starts[0]), carried.step
        done = kick(self, time, x, carried, h) if self.effects else None
        if done is None:
            loads = loads_at(model, x[0], starts, h, before)
        else:
            loads = np.ones((1, 2)), np.ascontiguousarray(done.applied.T), np.eye(2)
        bound = bound_in_kick(model, time, h, before)
        ground = np.array([model.system.friction.ground(float(t) + 0.5 * h) for t in starts])
        half, totals = carried.velocity[0], (carried.slip_path, carried.friction_work, carried.sums)
        frame, rates = np.concatenate(x[1:]), np.concatenate(carried.velocity[1:])
        loop.run(len(starts), h, before, x[0], half, frame, rates, *totals, *loads, bound, ground, *self.arrays)
        carried = replace(carried, velocity=(half, rates[:2], rates[2:]), step=h)
        if done is not None:
            carried.sums[loop.LOADS] = done.carried.sums[loop.LOADS]
            carried = replace(carried, effects=done.carried.effects, multiplier=done.carried.multiplier)
        return (x[0], frame[:2], frame[2:]), carried, Counts(steps=len(starts), passes=len(starts))

    def monitor(self, time: float, x: Blocks, carried: Leapfrog) -> Leapfrog:
        model, (place, origin, attitude) = self.model, x
        u = (place - origin) @ rotation_of(attitude) - model.body.X
        grown = max(carried.stiffening, stiffening(model.steps, model.body, model.mass.nodal, u))
        carried = replace(carried, stiffening=grown)
        return self._check_energy(time, carried, self._internal(time, x), float(model.body.strain_energy(u)))

    def check_energy(self, state: State) -> State:
        strain, carried = state.records[len(self.model.system.effects) + 1].stored, state.leapfrog
        internal = self._internal(state.time, state.motion.configuration)
        return replace(state, leapfrog=self._check_energy(state.time, carried, internal, strain))

    def _check_energy(self, time: float, carried: Leapfrog, internal: Array, strain_energy: float) -> Leapfrog:
        """Update the energy produced by the steps up to ``time`` s. Raises Unsolved (EnergyGrowth).

        ``internal``: nodal forces (N, 2), N, inertial; ``strain_energy``, J.
        """
        model, velocity, mass = self.model, carried.velocity[0], self.inertia
        path = carried.sums[loop.PATH] + 0.5 * carried.step * dot(internal, velocity)
        produced = strain_energy - carried.strain_energy_at_start + float(path)
        kinetic = 0.5 * dot(velocity, mass * velocity)
        drifting = (mass * velocity).sum(axis=0) / model.mass.total
        largest = max(carried.largest, strain_energy + kinetic - 0.5 * model.mass.total * float(drifting @ drifting))
        rounding = KINETIC_ROUNDING * kinetic + model.stiffness * len(velocity) * (STRAIN_ROUNDING * model.radius) ** 2
        if produced > GROWTH_SHARE * largest + rounding:
            step, share = carried.step, produced / largest
            raise Unsolved(
                f"up to t = {time:.6g} s the explicit steps have produced {produced:.3g} J, {100.0 * share:.3g} % of the "
                f"largest energy ({largest:.3g} J): at finite strain steps of {step:.3g} s, {step / model.steps.stable:.3g} of the "
                "stable one of linear vibrations, feed energy into the highest modes",
                "EnergyGrowth",
            )
        return replace(carried, produced=produced, largest=largest)

    def initial_state(self) -> State:
        model, start, friction = self.model, self.model.system.initial_motion(), self.model.system.friction
        x, (v, *_), m = start.configuration, start.velocity, self.inertia
        carried = self.start(start, np.zeros_like(v), model.system.stored(0.0, start)[0])
        pushed, _ = effect_forces(self.effects, 0.0, x, on_nodes(v), lambda force: on_nodes(0.0 * v))
        applied, internal = model.loads.total_force(0.0, x[0], left=False) + pushed[0], self._internal(0.0, x)
        bound, sliding = friction.bound(0.0, left=False), v - friction.ground(0.0, left=False)
        still, along = ~np.any(sliding, axis=1), friction.ground_acceleration(0.0, left=False)
        force = applied + internal
        sticking = force - m * (shrink(force / m - along, bound / m[:, 0]) + along)
        multiplier = np.where(still[:, None], sticking, model.law.force(sliding, bound))
        motion, variables = self.motion(x, v, (force - multiplier) / m), replace(carried, multiplier=multiplier)
        done = Kick(variables, sliding, multiplier, internal, applied)
        return self.check_energy(explicit_state(self, motion, done, 0.0, carried, left=False))


class ExplicitRigid(ExplicitBody):
    """A rigid body in the plane: block (q,), D its masses and moment of inertia."""

    rest, has_waves, effect_fraction = (), False, 0.5

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        (self.inertia,) = model.system.apply_mass((np.ones(3),))

    def forces(self, time: float, x: Blocks, h: float, before: float) -> tuple[Array, float]:
        nodes = to_inertial(self.model.body.X, x[0][2])
        return wrench(nodes, mean_of_limits(partial(self.model.loads.total_force, time, nodes), h, before)), 0.0

    def _arms(self, x: Blocks) -> Array:
        return to_inertial(self.model.body.friction.points, x[0][2])

    def pull(self, x: Blocks, multiplier: Array) -> Array:
        return wrench(self._arms(x), multiplier)

    def prox(self, x: Blocks, carried: Leapfrog, force: Array, ground: Array, length: float, bound: Array) -> Prox:
        """Raises RigidFrictionError."""
        d, arms, along = self.inertia, self._arms(x), self.model.system.ground_rates(ground)[0]
        incoming = carried.velocity[0] - along
        pushed = force + d * incoming / length
        problem = RigidFrictionProblem(inertia=d / length, wrench=pushed, arms=arms, bound=bound)
        slip = solve_rigid_friction(problem, RigidSlip(incoming, carried.multiplier))
        counts = Counts(steps=1, passes=1, newton=slip.iterations, fallbacks=int(slip.fallback))
        return slip.rates + along, point_velocity(slip.rates, arms), slip.multiplier, counts

    def motion(self, x: Blocks, velocity: Array, acceleration: Array) -> Motion:
        return Motion(x, (velocity,), (acceleration,))

    def advance(self, x: Blocks, carried: Leapfrog, starts: Array, h: float) -> tuple[Blocks, Leapfrog, Counts]:
        counts = Counts()
        for time in starts.tolist():
            done = kick(self, time, x, carried, h)
            carried, counts = done.carried, counts.plus(done.counts)
            x = (x[0] + h * carried.velocity[0],)
        return x, carried, counts

    def initial_state(self) -> State:
        state = initial_state(backward_euler(), self.model.system)  # any scheme with inertia starts there
        return replace(state, leapfrog=self.start(state.motion, state.multiplier))
