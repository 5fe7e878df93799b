"""A linearly implicit trapezoidal step of a rigid body with Coulomb friction: one linear solve with friction, no iteration.

After F. A. Potra, M. Anitescu, B. Gavrea, J. Trinkle, A linearly implicit trapezoidal method for integrating stiff multibody
dynamics with contact, joints, and friction, Int. J. Numer. Meth. Engng 66 (2006) 1079–1124. Theirs is the plan: the
trapezoidal rule for positions and applied forces, these linearised about the start of the step, friction and contact as
impulses that obey complementarity with the velocity at the end of the step, hence a single linear complementarity problem a step;
second order while the state of contact lasts, and solvable for any step with a suitable approximation of the Jacobian.
Only its published summary was at hand: what follows is derived here and is not claimed to be their formulas letter for letter.

(3.4)₁ with u = 0 is D q'' = k(t, q) − Gᵀλ, k the loads' wrench. With v = q', θ = ½ and the change v₁ − v₀ as unknown,

    D (v₁ − v₀) = h [(1 − θ) k₀ + θ k₁] − h Gᵀ λ(G v₁),        q₁ = q₀ + h [(1 − θ) v₀ + θ v₁]
    k₁ ≈ k(t₁, q₀) + K (q₁ − q₀) = k(t₁, q₀) + h K v₀ + h θ K (v₁ − v₀),            K = ∂k/∂q at (t₁, q₀)

so that (D − h² θ² K) (v₁ − v₀)/h + Gᵀλ = (1 − θ) k₀ + θ [k(t₁, q₀) + h K v₀]. What is neglected in k₁ is O(h²), O(h³) in v₁.

Choices made here:
- k is evaluated at t₁ instead of taking its rate in time: histories need no derivative, and their jumps keep their limits.
- Loads know q by the angle alone and not v: K has one column ∂k/∂α, by central differences. On the left only its moment entry
  is used, and only where it restores (≤ 0): the matrix is then symmetric and positive definite for every h, and the omitted
  part of h θ K (v₁ − v₀) is O(h²) like the rest. This is what makes one convex solve possible for follower forces too.
- Friction acts with the arms half way, turned by α₀ + h ω₀/2; its direction is that of the end velocity, exactly on Coulomb's
  disc (their cone is a polygon). As with Moreau θ the order is therefore two while the direction of slip stands still, one where
  it turns within the step. Normal forces are known, so nothing is left of the contact's complementarity but friction.
- The trapezoidal rule does not damp stiff modes. θ in (½, 1] does, at order one; θ = 1 is the linearly implicit Euler step of
  Anitescu & Potra (2002). The authors' own stiffly decaying modification of order two is not reproduced.
- A law that is a function of v is solved to the end (Newton), not linearised once.

On the block of Potra et al. k does not depend on q, and the step equals that of ``moreau-theta``; they differ where loads turn with
or against the body, by what the iteration there adds at O(h³) a step.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floating_frame.bristle_energy import step_stored
from floating_frame.coupling import resultant
from floating_frame.kinematics import Array, to_inertial
from floating_frame.memory import at_end, inherited, stage_law
from floating_frame.model import Model
from floating_frame.rigid_stage import (
    RigidStage,
    external_wrench,
    inertia_of,
    rates_of,
    slip_before,
    solve_slip,
)
from floating_frame.rigid_step import finish_rigid
from floating_frame.state import Counts, State, Totals
from friction.rigid.set_valued import point_velocity

_DIFFERENCE = 1e-5  # rad: error 1e-10 k''', rounding 1e-11 k


def linearly_implicit_step(
    model: Model, state: State, dt: float, end_time: float | None = None
) -> tuple[State, Counts]:
    """Advance a rigid body by ``dt`` s to ``end_time`` (default time + dt; loads' left limit). Pure. Raises RigidFrictionError."""
    end = state.time + dt if end_time is None else end_time
    assert model.scheme is not None
    theta, d = float(model.scheme.position[0, 1]), inertia_of(model)
    q, v = state.motion.coordinates, state.motion.rates
    column = stiffness_column(model, end, q[2])
    load_at_end = external_wrench(model, end, q[2]) + dt * column * v[2]
    at_start = external_wrench(model, state.time, q[2], left=False)
    wrench = (1.0 - theta) * at_start + theta * load_at_end
    restoring = np.array([0.0, 0.0, -min(column[2], 0.0)])
    matrix = (d + (dt * theta) ** 2 * restoring) / dt
    ground, weights = rates_of(model.ground_velocity(end)), model.friction_weights(end)
    arms = to_inertial(model.body.friction.points, q[2] + 0.5 * dt * v[2])
    drive = wrench + matrix * (v - ground)
    memory = inherited(model, state, [], dt, model.scheme.position[0])
    law = stage_law(model.law, weights, memory, dt * theta)
    slip = solve_slip(law, matrix, drive, arms, weights, v - ground, state.multiplier, slip_before(state, []))
    sliding = point_velocity(slip.rates, arms)
    rates = slip.rates + ground
    middle = (1.0 - theta) * v + theta * rates
    friction = resultant(slip.multiplier, arms, np.zeros(2))
    acceleration = (rates - v) / dt
    acting = d * acceleration + friction  # the loads as linearised: what the ledger must count
    stage = RigidStage(
        q + dt * middle,
        rates,
        acceleration,
        slip.multiplier,
        acting,
        sliding,
        weights,
        ground,
        at_end(model.law, weights, memory, sliding, dt * theta),
    )
    new = finish_rigid(model, state, [stage], dt, end, held=False)
    stored = step_stored(model, state, [stage.bristles], model.scheme.weights, dt, end)
    lost = dt * float(np.einsum("ia,ia->", slip.multiplier, stage.sliding)) - float(stored.nodal.sum())
    kinetic = 0.5 * dt * dt * (2.0 * theta - 1.0) * float(acceleration @ (d * acceleration))
    work = Totals(
        external=dt * float(middle @ acting - ground @ friction) + stored.external,
        friction=lost,
        numerical=kinetic + dt * float((middle - rates) @ friction) + stored.numerical,
    )
    counts = Counts(steps=1, passes=1, newton=slip.iterations, fallbacks=int(slip.fallback))
    slip_at_end = point_velocity(slip.rates, to_inertial(model.body.friction.points, new.motion.angle))
    end_state = replace(
        new, slip=slip_at_end, resultant=d * new.motion.accelerations, totals=state.totals.plus(work)
    )  # slip with the arms at the end; friction acted with those half way
    return end_state, counts


def stiffness_column(model: Model, time: float, angle: float) -> Array:
    """∂k/∂α (3,) N/rad, N/rad, N m/rad: how the loads' wrench changes as the body turns."""
    ahead, behind = (external_wrench(model, time, angle + side * _DIFFERENCE) for side in (1.0, -1.0))
    return (ahead - behind) / (2.0 * _DIFFERENCE)
