"""The explicit scheme of elastic bodies: chunks of compiled steps, and the state at integer times that they stand for.

The loop carries velocities half a step behind. At an output time the velocity is completed by half a kick through the
same prox, v_n = S_{h w/2m}(v_{n−½} + h f_n/2m), so it obeys Coulomb's law too; the loop goes on from v_{n−½}.
"""

from __future__ import annotations

import numpy as np

from floating_frame import explicit_loop as loop
from floating_frame.coupling import resultant
from floating_frame.errors import InvertedElement, NotConverged
from floating_frame.instant import initial_kinematics
from floating_frame.kernels import dot
from floating_frame.kinematics import Array, to_body
from floating_frame.model import Model
from floating_frame.moments import moments
from floating_frame.state import Counts, Leapfrog, State, Totals
from friction.result import SLIP, STICK


def history_values(model: Model, starts: Array, h: float, h_before: float) -> Array:
    """Load factors (steps, loads) at the starts of steps; at a jump the limits weighted by the half steps around it."""
    histories = model.loads.histories
    left = np.array([[f.value(t) for f in histories] for t in starts]).reshape(len(starts), -1)
    right = np.array([[f.value(t, left=False) for f in histories] for t in starts]).reshape(len(starts), -1)
    before = np.full((len(starts), 1), h)
    before[0] = h_before
    return (before * left + h * right) / (before + h)


def explicit_step(model: Model, state: State, dt: float, end_time: float | None = None) -> tuple[State, Counts]:
    """Advance an elastic body by ``dt`` s in equal steps no longer than the model's explicit step. Pure.

    Raises InvertedElement where det F ≤ 0 at the end, NotConverged where the motion has become non-finite.
    """
    end = state.time + dt if end_time is None else end_time
    carried = state.leapfrog
    assert carried is not None
    assert model.explicit_step is not None
    steps = max(1, int(np.ceil(dt / model.explicit_step * (1.0 - 1e-9))))
    h = dt / steps
    x, half = state.position.copy(), carried.velocity.copy()
    frame, rates = state.motion.coordinates.copy(), carried.rates.copy()
    slip_path, friction_work, sums = state.slip_path.copy(), carried.friction_work.copy(), carried.sums.copy()
    sums[loop.DRIFT] = 0.0
    starts = state.time + h * np.arange(steps)
    values = history_values(model, starts, h, carried.step)
    fixed = explicit_arrays(model)
    chunks = [(0, steps)] if model.constant_weights is not None else [(k, k + 1) for k in range(steps)]
    h_before = carried.step
    for first, last in chunks:
        loop.run(
            last - first, h, h_before, x, half, frame, rates, slip_path, friction_work, sums, values[first:last],
            model.loads.shapes, model.loads.forces, model.friction_weights(float(starts[first])), *fixed,
        )  # fmt: skip
        h_before = h
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(half))):
        raise NotConverged(
            f"the explicit motion became non-finite between t = {state.time:.6g} s and {end:.6g} s (step {h:.3g} s)"
        )
    carried = Leapfrog(half, h, rates, sums, friction_work, carried.strain_energy_at_start)
    new = synchronised(model, end, x, carried, frame, slip_path)
    return new, Counts(steps=steps, passes=steps, drift=float(sums[loop.DRIFT]))


def explicit_arrays(model: Model) -> tuple[object, ...]:
    """The loop's constant arguments: reference, lumped mass, frame code, objectivity, element arrays."""
    body = model.body
    element = (body.nodes, body.gradients, body.volumes, body.material.code, body.parameters)
    return body.X, model.mass.nodal, loop.FRAME_CODES[model.frame.name], model.objective, element


def forces_at(model: Model, time: float, x: Array, frame: Array, *, left: bool) -> tuple[Array, Array]:
    """(external, internal) nodal force at one instant, (N, 2) N inertial each."""
    reference, mass, kind, objective, element = explicit_arrays(model)
    body, external, internal = (np.empty_like(x) for _ in range(3))
    values = np.array([f.value(time, left=left) for f in model.loads.histories])
    shapes, forces = model.loads.shapes, model.loads.forces
    loop.nodal_force(
        x, frame, reference, mass, kind, objective, element, body, external, values, shapes, forces, internal
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
    force, m, w = external + internal, model.mass.nodal[:, None], model.friction_weights(time)
    rest = 0.5 * carried.step
    half = carried.velocity
    if rest > 0.0:
        velocity = shrunk(half + rest * force / m, rest * w / m[:, 0])
        multiplier = force - m * (velocity - half) / rest
    else:
        velocity = half
        still = ~np.any(half, axis=1)
        multiplier = np.where(still[:, None], force - m * shrunk(force / m, w / m[:, 0]), model.law.force(half, w))
    acceleration = (force - multiplier) / m
    found = moments(model.mass, x, velocity, acceleration)
    motion = model.frame.decompose(found, model.mass, float(frame[2]))
    displacement = to_body(x - motion.coordinates[:2], motion.angle) - model.body.X
    jacobian, cell = model.body.smallest_jacobian(displacement)
    if not jacobian > 0.0:
        raise InvertedElement(cell, jacobian, model.body.X[model.body.cells[cell]].mean(axis=0))
    strain = float(model.body.strain_energy(displacement))
    middle = 0.5 * (half + velocity)
    lost = rest * np.einsum("ia,ia->i", multiplier, velocity)
    internal_work = carried.sums[loop.INTERNAL] + rest * dot(internal, middle)
    friction_numerical = carried.sums[loop.FRICTION_NUMERICAL] + rest * dot(multiplier, middle - velocity)
    return State(
        time=time,
        position=x,
        velocity=velocity,
        acceleration=acceleration,
        multiplier=multiplier,
        condition=np.where(np.any(velocity, axis=1), SLIP, STICK).astype(np.int8),
        motion=motion,
        resultant=resultant(external - multiplier, x, motion.coordinates[:2]),
        slip_path=slip_path,
        friction_work=carried.friction_work + lost,
        strain_energy=strain,
        kinetic_energy=0.5 * dot(velocity, m * velocity),
        totals=Totals(
            external=carried.sums[loop.EXTERNAL] + rest * dot(external, middle),
            friction=carried.sums[loop.FRICTION] + float(lost.sum()),
            numerical=-(strain - carried.strain_energy_at_start) - internal_work + friction_numerical,
        ),
        leapfrog=carried,
    )


def initial_explicit_state(model: Model) -> State:
    """The state at t = 0, at the loads' right limit; the first kick is half a step long."""
    position, velocity, motion = initial_kinematics(model)
    zero = np.zeros(len(position))
    displacement = to_body(position - motion.coordinates[:2], motion.angle) - model.body.X
    carried = Leapfrog(velocity, 0.0, motion.rates, np.zeros(5), zero, float(model.body.strain_energy(displacement)))
    return synchronised(model, 0.0, position, carried, motion.coordinates, zero, left=False)
