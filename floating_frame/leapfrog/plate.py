"""The explicit scheme of elastic bodies: chunks of compiled steps, and the state at integer times that they stand for.

The loop carries velocities half a step behind. At an output time the velocity is completed by half a kick through the
same prox, v_n = S_{h w/2m}(v_{n−½} + h f_n/2m), so it obeys Coulomb's law too; the loop goes on from v_{n−½}.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floating_frame.effect.protocol import Friction, Motion
from floating_frame.errors import EnergyGrowth, InvertedElement, NotConverged
from floating_frame.frame.kernels import dot
from floating_frame.frame.kinematics import Array, to_body
from floating_frame.frame.moments import moments
from floating_frame.leapfrog import loop
from floating_frame.leapfrog.stability import (
    FAST,
    GROWTH_SHARE,
    SEGMENT,
    TINY,
    allowed_step,
    steps_to_next_look,
    stiffening,
)
from floating_frame.leapfrog.state import (
    Leapfrog,
    LeapfrogWork,
    friction_work_of,
    leapfrog_state,
    plan_of,
    slip_path_of,
)
from floating_frame.model import Model
from floating_frame.system.plate.instant import initial_kinematics
from floating_frame.system.plate.system import NO_FRAME_FORCE
from floating_frame.system.state import Counts, State
from friction.result import SLIP, STICK


def history_values(model: Model, starts: Array, h: float, h_before: float) -> Array:
    """Load factors (steps, loads) at the starts of steps; at a jump the limits weighted by the half steps around it.

    Steps end on breaks: only the first of ``starts`` can be one."""
    loads, first = model.loads, float(starts[0])
    left, right = (loads.history_values(first, left=side) for side in (True, False))
    begin = (h_before * left + h * right) / (h_before + h)
    return np.array([begin, *([history.value(t) for history in loads.histories] for t in starts[1:])])


def loads_at(model: Model, x: Array, starts: Array, h: float, before: float) -> tuple[Array, Array, Array]:
    """(values (steps, n), shapes (n, N), forces (n, 2)) of the loads at the starts of steps; what is no product of a shape and a
    history, or follows the body at ``x`` (N, 2), is two rows with the nodal forces themselves, for one step."""
    if model.loads.separable:
        return history_values(model, starts, h, before), model.loads.shapes, model.loads.forces
    time = float(starts[0])
    left, right = (model.loads.total_force(time, x, left=side) for side in (True, False))
    return np.ones((1, 2)), np.ascontiguousarray(((before * left + h * right) / (before + h)).T), np.eye(2)


def weights_at(model: Model, time: float, h: float, before: float) -> Array:
    """Friction bounds (N,) N; at a break the limits weighted by the half steps around it."""
    if model.constant_weights is not None:
        return model.constant_weights
    left, right = (model.friction_weights(time, left=side) for side in (True, False))
    return (before * left + h * right) / (before + h)


def explicit_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance an elastic body by ``dt`` s in equal steps no longer than the model's, shorter where it has stiffened. Pure.

    Raises InvertedElement where det F ≤ 0 at the end, NotConverged where the motion has become non-finite, EnergyGrowth.
    """
    end = state.time + dt if end_time is None else end_time
    carried, plan = leapfrog_at(model, state), plan_of(model)
    x, half, h, time = state.position.copy(), carried.velocity.copy(), carried.step, state.time
    frame, rates = state.frame.coordinates.copy(), carried.rates.copy()
    slip_path, friction_work, sums = (
        slip_path_of(model, state).copy(),
        carried.friction_work.copy(),
        carried.sums.copy(),
    )
    sums[loop.DRIFT] = 0.0
    fixed, counts = explicit_arrays(model), Counts()
    longest = SEGMENT if model.constant_weights is not None and model.loads.separable else 1
    look, allowed = carried.look, allowed_step(plan, carried.stiffening)
    while True:
        if counts.steps >= look:
            carried = looked_at(model, time, x, replace(carried, velocity=half, step=h, sums=sums), frame)
            allowed = allowed_step(plan, carried.stiffening)
            look = counts.steps + steps_to_next_look(plan, carried.stiffening)
        left = max(1, int(np.ceil((end - time) / allowed * (1.0 - 1e-9))))
        steps, before, h = min(left, longest, look - counts.steps), h, (end - time) / left
        starts = time + h * np.arange(steps)
        loop.run(
            steps, h, before, x, half, frame, rates, slip_path, friction_work, sums,
            *loads_at(model, x, starts, h, before), weights_at(model, time, h, before),
            np.array([model.ground_velocity(float(t) + 0.5 * h) for t in starts]), *fixed,
        )  # fmt: skip
        counts, time = counts.plus(Counts(steps=steps, passes=steps)), time + steps * h
        if not (np.all(np.isfinite(x)) and np.all(np.isfinite(half))):
            raise NotConverged(f"the explicit motion became non-finite before t = {time:.6g} s (step {h:.3g} s)")
        if steps == left:
            break
    carried = replace(
        carried, velocity=half, step=h, rates=rates, sums=sums, friction_work=friction_work, look=look - counts.steps
    )
    new = synchronised(model, end, x, carried, frame, slip_path)
    return new, counts.plus(Counts(drift=float(sums[loop.DRIFT])))


def leapfrog_at(model: Model, state: State) -> Leapfrog:
    """What the loop carries at the start of a step; the kick around a jump is cut in two where the ground jumps or the body rests.

    The half before it is the one that completed the state's velocity, under the load and on the ground as they were; a first half
    kick follows, as they are. In one kick, friction that the load before did not use would hold a resting body against the load
    after. Where the body slides, friction was used in full, and one kick under the mean load keeps the waves of a rod exact.
    """
    carried = state.leapfrog
    assert carried is not None
    if carried.step == 0.0 or not model.loads.breaks.at(state.time):
        return carried
    if state.sliding.any() and not ground_jumps(model, state.time):
        return carried
    sums = carried.sums.copy()
    external, dissipated, numerical = state.work.sum(axis=0)
    grown = state.stored_energy - carried.strain_energy_at_start
    sums[loop.EXTERNAL], sums[loop.FRICTION] = external, dissipated
    sums[loop.INTERNAL] = -numerical - grown
    sums[loop.FRICTION_NUMERICAL] = 0.0
    sums[loop.PATH] = carried.produced - grown
    return replace(
        carried,
        velocity=state.velocity,
        step=0.0,
        rates=state.frame.rates,
        sums=sums,
        friction_work=friction_work_of(model, state),
    )


def ground_jumps(model: Model, time: float) -> bool:
    """Whether the ground's velocity has two limits at ``time`` s."""
    return bool(np.any(model.ground_velocity(time) != model.ground_velocity(time, left=False)))


def looked_at(model: Model, time: float, x: Array, carried: Leapfrog, frame: Array) -> Leapfrog:
    """What is carried at ``time`` with the stiffening of the body there. Raises EnergyGrowth."""
    u = to_body(x - frame[:2], float(frame[2])) - model.body.X
    grown = max(carried.stiffening, stiffening(plan_of(model), model.body, model.mass.nodal, u))
    _, internal = forces_at(model, time, x, frame, left=True)
    return energy_checked(model, time, replace(carried, stiffening=grown), internal, float(model.body.strain_energy(u)))


def energy_checked(model: Model, time: float, carried: Leapfrog, internal: Array, strain_energy: float) -> Leapfrog:
    """What is carried with the energy that the steps have produced up to ``time`` s, where the nodes feel the ``internal`` force
    (N, 2) N, inertial, and the body holds ``strain_energy`` J. Raises EnergyGrowth where that is too much."""
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
    """The loop's constant arguments: reference, lumped mass, frame code, objectivity, element arrays."""
    body = model.body
    element = (body.nodes, body.gradients, body.volumes, body.material.code, body.parameters, *body.hourglass_tables)
    return body.X, model.mass.nodal, loop.FRAME_CODES[model.frame.name], model.objective, element


def forces_at(model: Model, time: float, x: Array, frame: Array, *, left: bool) -> tuple[Array, Array]:
    """(external, internal) nodal force at one instant, (N, 2) N inertial each."""
    reference, mass, kind, objective, element = explicit_arrays(model)
    body, external, internal = (np.empty_like(x) for _ in range(3))
    shapes = np.ascontiguousarray(model.loads.total_force(time, x, left=left).T)
    loop.nodal_force(
        x, frame, reference, mass, kind, objective, element, body, external, np.ones(2), shapes, np.eye(2), internal
    )
    return external, internal


def shrunk(velocity: Array, by: Array) -> Array:
    """NumPy twin of ``explicit_loop.shrink``, row by row."""
    size = np.hypot(velocity[:, 0], velocity[:, 1])
    slides = size > by
    scale = np.where(slides, 1.0 - by / np.where(slides, size, 1.0), 0.0)
    return scale[:, None] * velocity


def synchronised(
    model: Model, time: float, x: Array, carried: Leapfrog, frame: Array, slip_path: Array, *, left: bool = True
) -> State:
    """The state at an integer time: half a kick completes the velocity, the multiplier and the ledger."""
    external, internal = forces_at(model, time, x, frame, left=left)
    force, m, w = external + internal, model.mass.nodal[:, None], model.friction_weights(time, left=left)
    ground = model.ground_velocity(time, left=left)
    rest = 0.5 * carried.step
    half = carried.velocity
    if rest > 0.0:
        sliding = shrunk(half - ground + rest * force / m, rest * w / m[:, 0])
        velocity = sliding + ground
        multiplier = force - m * (velocity - half) / rest
    else:
        velocity, sliding = half, half - ground
        still = ~np.any(sliding, axis=1)
        along = model.ground_acceleration(time, left=left)
        multiplier = force - m * (shrunk(force / m - along, w / m[:, 0]) + along)
        multiplier = np.where(still[:, None], multiplier, model.law.force(sliding, w))
    acceleration = (force - multiplier) / m
    found = moments(model.mass, x, velocity, acceleration)
    motion = model.frame.decompose(found, model.mass, float(frame[2]))
    displacement = to_body(x - motion.coordinates[:2], motion.angle) - model.body.X
    jacobian, cell = model.body.smallest_jacobian(displacement)
    if not jacobian > 0.0:
        raise InvertedElement(cell, jacobian, model.body.X[model.body.cells[cell]].mean(axis=0))
    strain = float(model.body.strain_energy(displacement))
    carried = energy_checked(model, time, carried, internal, strain)
    middle = 0.5 * (half + velocity)
    lost = rest * np.einsum("ia,ia->i", multiplier, sliding)
    by_ground = -rest * float(ground @ multiplier.sum(axis=0))
    internal_work = carried.sums[loop.INTERNAL] + rest * dot(internal, middle)
    friction_numerical = carried.sums[loop.FRICTION_NUMERICAL] + rest * dot(multiplier, middle - velocity)
    status = np.where(np.any(sliding, axis=1), SLIP, STICK).astype(np.int8)
    friction = Friction(sliding, multiplier, status, (-multiplier, NO_FRAME_FORCE))
    unknowns = Motion((x, motion.coordinates), (velocity, motion.rates), (acceleration, motion.accelerations))
    works = LeapfrogWork(
        external=carried.sums[loop.EXTERNAL] + rest * dot(external, middle) + by_ground,
        friction=carried.sums[loop.FRICTION] + float(lost.sum()),
        friction_numerical=friction_numerical,
        applied=(external - multiplier, NO_FRAME_FORCE),
        strain=-(strain - carried.strain_energy_at_start) - internal_work,
    )
    sums = (slip_path, carried.friction_work + lost)
    return leapfrog_state(model, time, unknowns, friction, works, sums, carried, left=left)


def initial_explicit_state(model: Model) -> State:
    """The state at t = 0, at the loads' right limit; the first kick is half a step long."""
    position, velocity, motion = initial_kinematics(model)
    zero = np.zeros(len(position))
    displacement = to_body(position - motion.coordinates[:2], motion.angle) - model.body.X
    carried = Leapfrog(velocity, 0.0, motion.rates, np.zeros(6), zero, float(model.body.strain_energy(displacement)))
    return synchronised(model, 0.0, position, carried, motion.coordinates, zero, left=False)
