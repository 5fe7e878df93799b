"""The staggered stage: the one file where the rigid pass and the elastic pass exchange.

Prediction of the frame, elastic pass in it, rigid pass, until both stand still: docs/theory.md, section 6."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from floating_frame.effect.protocol import Friction, Mask, Record
from floating_frame.errors import NotConverged, in_pass
from floating_frame.frame.kinematics import Array, FloatingFrame, FrameMotion, rotation, to_body, to_inertial
from floating_frame.frame.moments import Moments, moments
from floating_frame.frame.rigid_modes import resultant
from floating_frame.frame.rigid_pass import FrameHistory
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import StageEquilibrium
from floating_frame.system.model import Model
from floating_frame.system.plate.elastic import NO_FRAME_FORCE, NodalHistory, frame_moment_force, with_frame
from floating_frame.system.plate.exact_contact import PlateContact
from floating_frame.system.protocol import Guess, Stage
from floating_frame.system.state import Counts
from friction import TrescaResult
from friction.nodal.problem import NodalProblem
from friction.nodal.solve import solved
from friction.stick import incoming_slip

MAX_PASSES = 30
MAX_SWEEPS = 60
CONTACT_FALLBACK = 60
"""Iterations of the globally convergent method that a pass with penalty contacts may take."""
FRAME_TOLERANCE = 1e-10


@dataclass(frozen=True, kw_only=True)
class ElasticPasses:
    """The elastic passes of one stage, each in the frame that the rigid pass before it has left.

    ``fixed`` (N,): nodes that the guard keeps at rest on the ground; ``may_jump``: whether a long step may have no solution.
    """

    model: Model
    history: NodalHistory
    acting: NodeEffects
    contact: PlateContact | None
    fixed: Mask | None
    may_jump: bool = False

    @property
    def frame_free(self) -> bool:
        """Whether one pass finds the nodes' motion: what it is does not depend on the frame (docs/theory.md, section 6).

        It is not so where a force is frozen at the last pass's motion: the moment of a small-strain force, smooth effects, exact
        contact.
        """
        return self.model.objective and self.contact is None and not self.acting

    def angle(self, frame: FrameMotion) -> float:
        """Return the angle of the axes of a pass: those of space for an objective material, whose forces turn with the body."""
        return 0.0 if self.model.objective else frame.angle

    def solve(self, frame: FrameMotion, velocity: Array, reference: Array) -> tuple[StageEquilibrium, TrescaResult]:
        """Solve nodal equilibrium and friction from inertial nodal velocity (N, 2), m/s."""
        model, history, angle = self.model, self.history, self.angle(frame)
        assert model.cache is not None
        effects = self.acting.frozen(history.position + history.tau_x * velocity, velocity)
        elastic, origin = model.elastic_at(history.time), frame.coordinates[:2]
        part = StageEquilibrium(elastic, history.nodes, origin, rotation(angle), effects, model.cache.data)
        part.lift_by(part.seen(history.friction.ground[None]))
        if not model.objective:
            part.frame_force = frame_moment_force(model, history, frame, velocity)
        options = model.friction_options
        if self.may_jump:  # a long step may have no solution: a shorter one is the cure
            options = replace(options, max_fallback_iterations=CONTACT_FALLBACK)
        problem = NodalProblem(
            part=part,
            laws=model.node_laws(history.friction.bound, self.fixed),
            law=history.friction.law.rotated(angle),
            cache=model.cache,
            key=history.key,
            options=options,
        )
        start, against = to_body(velocity - history.friction.ground, angle), to_body(reference, angle)
        if self.fixed is not None:
            start[self.fixed] = 0.0
        if self.contact is None:
            return part, solved(problem, start, against)
        return part, self.contact.solve(problem, angle, start, against)


def solve_staggered(passes: ElasticPasses, guess: Guess, reference: Array) -> Stage:
    """Solve one stage by elastic and rigid passes.

    ``reference`` (N, 2): inertial slip velocity, m/s, against which nodes count as reversed. Raises friction.FrictionSolveError,
    NotPositiveDefinite, FrameUndefined, NotConverged.
    """
    model, history, contact = passes.model, passes.history, passes.contact
    velocity = guess.velocity[0]
    frame, counts = advance_frame(history, guess.acceleration[1]), Counts()
    if contact is not None:
        contact.settled(velocity)
    for _ in range(MAX_PASSES):
        with in_pass(counts.passes + 1, history.time):
            part, result = passes.solve(frame, velocity, reference)
        angle = passes.angle(frame)
        slip, multiplier = to_inertial(result.velocity, angle), to_inertial(result.multiplier, angle)
        reference, velocity = incoming_slip(model.law, reference, slip), slip + history.friction.ground
        position = history.position + history.tau_x * velocity
        acceleration = (velocity - history.velocity) / history.tau_v
        settled = contact is None or contact.settled(velocity)
        moved = moments(model.mass, position, velocity, acceleration)
        net_force = history.load - multiplier
        if passes.acting:
            net_force = net_force + passes.acting.force(position, velocity)
        if contact is not None:
            net_force = net_force + contact.force
        net = resultant(net_force, position, moved.centre[0])
        advanced, sweeps = rigid_pass(model, history, moved, net, frame)
        of_pass, before, frame = Counts.of(result, sweeps), frame, advanced
        counts, internal = counts.plus(of_pass), part.inertial(part.internal_force(result.velocity))
        if passes.frame_free:
            break
        change = frame_change(model, history, frame, before)
        if counts.passes > 1 and of_pass.newton == 0 and settled and change <= FRAME_TOLERANCE:
            break
    else:
        raise NotConverged(
            f"the staggered passes of the stage ending at t = {history.time:.9g} s did not settle in {MAX_PASSES} "
            f"passes (the frame still moves by {change:.3g} of its scale)"
        )
    return Stage(
        motion=with_frame(position, velocity, acceleration, frame),
        friction=Friction(slip, multiplier, result.state, (-multiplier, NO_FRAME_FORCE)),
        problem=history.friction,
        own=(Record((internal, NO_FRAME_FORCE)),),
        counts=counts,
    )


def advance_frame(history: NodalHistory, accelerations: Array) -> FrameMotion:
    """The stage formula for the frame: q' = q'* + τ_v q'', q = q* + τ_x q'."""
    if not np.isfinite(history.tau_v):  # no inertia, no accelerations
        return FrameMotion(history.coordinates + history.tau_x * history.rates, history.rates, np.zeros(3))
    rates = history.rates + history.tau_v * accelerations
    return FrameMotion(history.coordinates + history.tau_x * rates, rates, accelerations)


def rigid_pass(
    model: Model, history: NodalHistory, of_mass: Moments, forces: Array, start: FrameMotion
) -> tuple[FrameMotion, int]:
    """Solve (3.4)1 for q'' with the frame condition put in, and advance q', q by the stage formula.

    ``forces`` (F_x, F_y, M_z). Returns the frame motion and the number of sweeps; raises NotConverged.
    """
    if not np.isfinite(history.tau_v):  # no inertia: (3.4)1 is the balance of forces
        return FrameMotion.near(model.frame.decompose(of_mass, model.mass, start.rotation), start.angle), 0
    q, rates = history.coordinates, history.rates
    begun = FrameHistory(
        time=history.time,
        origin=q[:2],
        velocity=rates[:2],
        rotation=rotation(float(q[2])),
        turn=np.zeros(1),
        spin=rates[2:],
        tau_x=history.tau_x,
        tau_v=history.tau_v,
    )
    last = FloatingFrame(
        start.origin, start.velocity, start.acceleration, start.rotation, start.rates[2:], start.accelerations[2:]
    )
    found, sweeps = model.frame.solve(of_mass, model.mass, begun, forces, last)
    return advance_frame(history, np.array([*found.acceleration, *found.spin_rate])), sweeps


def frame_change(model: Model, history: NodalHistory, new: FrameMotion, old: FrameMotion) -> float:
    """Largest change of the frame between two passes: positions over the body's radius of gyration, angles over 1 rad,
    rates over the same per τ_x."""
    radius = np.sqrt(model.mass.second_moment / model.mass.total)
    scale = np.array([radius, radius, 1.0]) + np.abs(new.coordinates)
    rate_scale = scale / history.tau_x + np.abs(new.rates)
    place, rates = np.abs(new.coordinates - old.coordinates), np.abs(new.rates - old.rates)
    return float(max((place / scale).max(), (rates / rate_scale).max()))
