"""The explicit scheme of elastic bodies: chunks of compiled steps, and the state at integer times that they stand for.

The loop carries velocities half a step behind. At an output time the velocity is completed by half a kick through the
same prox, v_n = S_{h w/2m}(v_{n−½} + h f_n/2m), so it obeys Coulomb's law too; the loop goes on from v_{n−½}.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from floating_frame.effect.protocol import Blocks, Motion
from floating_frame.errors import EnergyGrowth, NotConverged
from floating_frame.frame.kernels import dot
from floating_frame.frame.kinematics import Array, to_body
from floating_frame.leapfrog import loop
from floating_frame.leapfrog.effects import EffectKick, effects_of, kick_of, plan_of, stored_at_start
from floating_frame.leapfrog.stability import (
    FAST,
    GROWTH_SHARE,
    TINY,
    allowed_step,
    steps_to_next_look,
    stiffening,
)
from floating_frame.leapfrog.state import Leapfrog, booked, bound_in_kick, leapfrog_at, leapfrog_state, mean_of_limits
from floating_frame.system.model import Model
from floating_frame.system.plate.elastic import NO_FRAME_FORCE
from floating_frame.system.plate.instant import internal_force_at
from floating_frame.system.protocol import friction_at
from floating_frame.system.state import Counts, State


def loads_at(model: Model, x: Array, starts: Array, h: float, before: float) -> tuple[Array, Array, Array]:
    """Return (values (steps, n), shapes (n, N), forces (n, 2)) of the loads at the starts of steps.

    Steps end on breaks: only the first of ``starts`` can be one. What is no product of a shape and a history, or follows the body
    at ``x`` (N, 2), is two rows with the nodal forces themselves, for one step.
    """
    loads, first = model.loads, float(starts[0])
    if not loads.separable:
        force = mean_of_limits(partial(loads.total_force, first, x), h, before)
        return np.ones((1, 2)), np.ascontiguousarray(force.T), np.eye(2)
    begin = mean_of_limits(partial(loads.history_values, first), h, before)
    values = np.array([begin, *([history.value(t) for history in loads.histories] for t in starts[1:])])
    return values, loads.shapes, loads.forces


class Moving(NamedTuple):
    """The arrays that the loop advances in place, in the order of its arguments."""

    x: Array
    half: Array
    frame: Array
    rates: Array
    slip_path: Array
    friction_work: Array
    sums: Array


def explicit_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance an elastic body by ``dt`` s in equal steps no longer than the model's, shorter where it has stiffened. Pure.

    Raises InvertedElement where det F <= 0 at the end, NotConverged where the motion has become non-finite, EnergyGrowth.
    """
    end = state.time + dt if end_time is None else end_time
    slides = bool(state.sliding.any()) and not ground_jumps(model, state.time)
    carried, plan, time = leapfrog_at(model, state, whole=slides), plan_of(model), state.time
    h, counts, kicks = carried.step, Counts(), Kicks(model, carried.effects, state.multiplier)
    places = (state.position, carried.velocity, state.frame.coordinates, carried.rates)
    moving = Moving(*(a.copy() for a in (*places, carried.slip_path, carried.friction_work, carried.sums)))
    x, half, sums = moving.x, moving.half, moving.sums
    sums[loop.DRIFT] = 0.0
    steady = model.system.friction.constant and model.loads.separable and not kicks.effects
    look, allowed = carried.look, allowed_step(plan, carried.stiffening)
    while True:
        if counts.steps >= look:
            carried = looked_at(model, time, x, replace(carried, velocity=half, step=h, sums=sums), moving.frame)
            allowed = allowed_step(plan, carried.stiffening)
            look = counts.steps + steps_to_next_look(plan, carried.stiffening)
        left = max(1, int(np.ceil((end - time) / allowed * (1.0 - 1e-9))))
        steps, before, h = min(left, look - counts.steps if steady else 1), h, (end - time) / left
        kicks.advance(moving, time + h * np.arange(steps, dtype=float), h, before)
        counts, time = counts.plus(Counts(steps=steps, passes=steps)), time + steps * h
        if not np.all(np.isfinite(x)):  # nor are they where a velocity is not
            raise NotConverged(f"the explicit motion became non-finite before t = {time:.6g} s (step {h:.3g} s)")
        if steps == left:
            break
    carried = replace(
        carried, velocity=half, step=h, rates=moving.rates, sums=sums, effects=kicks.ledger,
        slip_path=moving.slip_path, friction_work=moving.friction_work, look=look - counts.steps,
    )  # fmt: skip
    new = synchronised(model, end, x, carried, moving.frame, kicks.multiplier)
    return new, counts.plus(Counts(drift=float(sums[loop.DRIFT])))


class Kicks:
    """The steps of one call: compiled ones in a row, or one by one where smooth effects act.

    ``ledger`` of the effects so far (n, 3), J; ``multiplier`` λ (N, 2), N, of the last kick, as known.
    """

    def __init__(self, model: Model, ledger: Array, multiplier: Array) -> None:
        self.model, self.effects, self.ledger, self.multiplier = model, effects_of(model), ledger.copy(), multiplier
        self._fixed = explicit_arrays(model)

    def advance(self, moving: Moving, starts: Array, h: float, before: float) -> None:
        """Advance in place by steps of ``h`` s from ``starts`` s; ``before`` s: the length of the step before."""
        model, time = self.model, float(starts[0])
        loads, bound = loads_at(model, moving.x, starts, h, before), bound_in_kick(model, time, h, before)
        ground = np.array([model.system.friction.ground(float(t) + 0.5 * h) for t in starts])
        if not self.effects:
            loop.run(len(starts), h, before, *moving, *loads, bound, ground, *self._fixed)
            return
        x, half, kick, m = moving.x, moving.half.copy(), 0.5 * (before + h), model.mass.nodal[:, None]
        external, internal = forces_at(model, loads, time, x, half, moving.frame)
        rest = external + internal - self.multiplier
        acting = nodal_kick(model, time, x, half, moving.frame, rest, 0.5 * kick)
        pushed = external + acting.total[0]
        acted = np.ones((1, 2)), np.ascontiguousarray(pushed.T), np.eye(2)
        loop.run(1, h, before, *moving, *acted, bound, ground, *self._fixed)
        middle, self.multiplier = 0.5 * (half + moving.half), pushed + internal - m * (moving.half - half) / kick
        self.ledger += kick * acting.power((middle, NO_FRAME_FORCE))
        moving.sums[loop.EXTERNAL] -= kick * dot(acting.total[0], middle)


def nodal_kick(
    model: Model, time: float, x: Array, half: Array, frame: Array, rest: Array, length: float
) -> EffectKick:
    """Return what effects do in a kick; ``rest`` (N, 2) N: all other forces, ``length`` s: of the kick's first half."""
    mass = model.mass.nodal[:, None]

    def gained(force: Blocks) -> Blocks:
        return length * (rest + force[0]) / mass, NO_FRAME_FORCE

    return kick_of(effects_of(model), time, (x, frame), (half, NO_FRAME_FORCE), gained)


def ground_jumps(model: Model, time: float) -> bool:
    """Return whether the ground's velocity has two limits at ``time`` s."""
    return bool(np.any(model.system.friction.ground(time) != model.system.friction.ground(time, left=False)))


def looked_at(model: Model, time: float, x: Array, carried: Leapfrog, frame: Array) -> Leapfrog:
    """Return what is carried at ``time`` with energy and stiffening there. Raises EnergyGrowth."""
    u = to_body(x - frame[:2], float(frame[2])) - model.body.X
    grown = max(carried.stiffening, stiffening(plan_of(model), model.body, model.mass.nodal, u))
    internal = internal_force_at(model, time, x, float(frame[2]))
    return energy_checked(model, time, replace(carried, stiffening=grown), internal, float(model.body.strain_energy(u)))


def energy_checked(model: Model, time: float, carried: Leapfrog, internal: Array, strain_energy: float) -> Leapfrog:
    """Return what is carried with the energy that the steps have produced up to ``time`` s. Raises EnergyGrowth for too much.

    The nodes feel the ``internal`` force (N, 2), N, inertial, and the body holds ``strain_energy``, J.
    """
    velocity, nodal = carried.velocity, model.mass.nodal[:, None]
    path = carried.sums[loop.PATH] + 0.5 * carried.step * dot(internal, velocity)
    produced = strain_energy - carried.strain_energy_at_start + float(path)
    kinetic = 0.5 * dot(velocity, nodal * velocity)
    drifting = (nodal * velocity).sum(axis=0) / model.mass.total
    largest = max(carried.largest, strain_energy + kinetic - 0.5 * model.mass.total * float(drifting @ drifting))
    rounding = FAST * kinetic + model.stiffness * len(nodal) * (TINY * model.radius) ** 2
    if produced > GROWTH_SHARE * largest + rounding:
        raise EnergyGrowth(time, produced, largest, carried.step, model.steps.stable)
    return replace(carried, produced=produced, largest=largest)


def explicit_arrays(model: Model) -> tuple[object, ...]:
    """Return the loop's constant arguments: reference, lumped mass, frame code, objectivity, element arrays."""
    body = model.body
    return model.mass.reference, model.mass.nodal, model.frame.kind, model.objective, body.force_arguments


def forces_at(
    model: Model, loads: tuple[Array, Array, Array], time: float, x: Array, v: Array, frame: Array
) -> tuple[Array, Array]:
    """Return (external, internal) nodal force at one instant, (N, 2) N inertial each; ``loads`` as from ``loads_at``."""
    values, shapes, forces = loads
    return (values[0, :, None] * shapes).T @ forces, internal_force_at(model, time, x, float(frame[2]))


def shrunk(velocity: Array, by: Array) -> Array:
    """Return the vectors (N, 2) shortened by the lengths ``by`` (N,); exactly zero where they are not longer."""
    size = np.hypot(velocity[:, 0], velocity[:, 1])
    slides = size > by
    scale = np.where(slides, 1.0 - by / np.where(slides, size, 1.0), 0.0)
    return scale[:, None] * velocity


def synchronised(
    model: Model, time: float, x: Array, carried: Leapfrog, frame: Array, last: Array, *, left: bool = True
) -> State:
    """Return the state at an integer time: half a kick completes velocity, multiplier and ledger. Raises InvertedElement.

    ``last``: λ (N, 2), N, so far.
    """
    half, rest, m = carried.velocity, 0.5 * carried.step, model.mass.nodal[:, None]
    loads = model.loads.total_force(time, x, left=left)
    internal = internal_force_at(model, time, x, float(frame[2]))
    acting = nodal_kick(model, time, x, half, frame, loads + internal - last, rest)
    external = loads + acting.total[0]
    force, w = external + internal, model.system.friction.bound(time, left=left)
    ground = model.system.friction.ground(time, left=left)
    if rest > 0.0:
        sliding = shrunk(half - ground + rest * force / m, rest * w / m[:, 0])
        velocity = sliding + ground
        multiplier = force - m * (velocity - half) / rest
    else:
        velocity, sliding = half, half - ground
        still = ~np.any(sliding, axis=1)
        along = model.system.friction.ground_acceleration(time, left=left)
        multiplier = force - m * (shrunk(force / m - along, w / m[:, 0]) + along)
        multiplier = np.where(still[:, None], multiplier, model.law.force(sliding, w))
    acceleration = (force - multiplier) / m
    motion = model.frame_of(x, velocity, acceleration, float(frame[2]))
    unknowns = Motion((x, motion.coordinates), (velocity, motion.rates), (acceleration, motion.accelerations))
    middle = 0.5 * (half + velocity)
    lost = rest * np.einsum("ia,ia->i", multiplier, sliding)
    by_ground = -rest * float(ground @ multiplier.sum(axis=0))
    sums = booked(carried.sums, rest, middle, loads, multiplier, float(lost.sum()), by_ground)
    sums[loop.INTERNAL] += rest * dot(internal, middle)
    effects = carried.effects + rest * acting.power((middle, NO_FRAME_FORCE))
    completed = replace(carried, sums=sums, effects=effects, friction_work=carried.friction_work + lost)
    friction = friction_at(sliding, multiplier, (-multiplier, NO_FRAME_FORCE))
    acts = (external, NO_FRAME_FORCE)
    new = leapfrog_state(model, time, unknowns, friction, acts, completed, carried, left=left)
    strain = new.records[len(model.system.effects) + 1].stored
    return replace(new, leapfrog=energy_checked(model, time, carried, internal, strain))


def initial_explicit_state(model: Model) -> State:
    """Return the state at t = 0, at the loads' right limit; the first kick is half a step long."""
    motion = model.system.initial_motion()
    (x, frame), (v, rates) = motion.configuration, motion.velocity
    carried = Leapfrog(
        velocity=v,
        rates=rates,
        sums=np.zeros(6),
        effects=stored_at_start(model, motion.configuration, motion.velocity),
        slip_path=np.zeros(len(x)),
        friction_work=np.zeros(len(x)),
        strain_energy_at_start=model.system.stored(0.0, motion)[0],
    )
    return synchronised(model, 0.0, x, carried, frame, np.zeros_like(x), left=False)
