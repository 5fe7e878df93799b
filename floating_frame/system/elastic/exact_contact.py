"""Exact contact of boundary nodes in the elastic pass of a stage, with the friction of the foundation inside.

Unknowns are the contact forces p of the few nodes that may touch. For given p the friction problem of the pass, with the nodal
forces Gᵀp beside the loads, gives V(p); u = G V − v_o, and its derivative is the compliance W = G (H + D)⁻¹ Gᵀ on the nodes that
slide, from the factor of the pass (``friction.nodal.sensitivity.compliance``). A node that sticks to the foundation has W = 0; its
force grows until it slides. Contact forces act with their whole impulse Δt p for any θ, recorded as one impulse, as for rigid
bodies (``rigid.exact_contact``).
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import replace
from typing import Self, cast

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.axes import to_axes
from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_stage import StageContacts
from floating_frame.effect.protocol import Friction, Mask, OwnSource, Record
from floating_frame.frame.kernels import dot
from floating_frame.frame.kinematics import Array, scatter
from floating_frame.system.elastic.arc_predictor import ArcPredictor
from floating_frame.system.elastic.blocks import on_nodes
from floating_frame.system.elastic.equilibrium import ElasticStage
from floating_frame.system.elastic.given_pressure import GivenPressureGround
from floating_frame.system.elastic.ground import NodalSolution
from floating_frame.system.protocol import Guess, Stage, StageHistory
from floating_frame.system.state import State
from friction import TrescaResult
from friction.nodal.problem import NodalProblem
from friction.nodal.sensitivity import compliance
from friction.nodal.solve import solve_problem

_PATIENCE = 4
"""Iterations after which the compliance has its own factor."""


EXACT_CONTACT = OwnSource("exact contact", dissipates="contact", results=("contact",))
"""Exact contacts of a deformable body, recorded by its stage solver."""


class ExactContactGround(GivenPressureGround):
    """Ground with given pressure and exact ``contacts`` of nodes with obstacles."""

    points: StageContacts
    """Contacts of the stage with this ``history``."""
    history: StageHistory

    def __init__(self, pressed: GivenPressureGround, contacts: ExactContacts) -> None:
        vars(self).update(vars(pressed))
        self._contacts, self.sources, self.iterates = contacts, (EXACT_CONTACT,), True

    def arc(self, time: float, friction: Friction, arms: Array) -> ArcPredictor | None:
        return None

    def predicted_velocity(self, history: StageHistory, last: State | Stage, velocity: Array) -> Array:
        return velocity

    def for_stage(self, history: StageHistory, guess: Guess) -> Self:
        stage, nodes, tau = copy(self), self._contacts.nodes, history.tau_v
        stage.history = history
        place, velocity = history.configuration[0][nodes], history.velocity[0][nodes]
        stage.points = StageContacts(
            self._contacts,
            guess.unilateral,
            places=(place, place - (tau - history.tau_x) * velocity),
            velocity=velocity,
            lengths=(history.tau_x, tau),
            time=history.time,
            weight=history.tau_x / tau,
        )
        return stage

    def update_contacts(self, velocity: Array) -> bool:
        own, start = velocity[self._contacts.nodes], self.history.configuration[0][self._contacts.nodes]
        return self.points.linearise(start + self.history.tau_v * own, own, start + self.history.tau_x * own)

    def solve(
        self, stage: ElasticStage, start: tuple[Array, Array], reference: Array, fixed: Mask | None
    ) -> NodalSolution:
        problem, v, against = self._stage_problem(stage, start[0], reference, fixed)
        answer = self._solution(stage, self._solved(problem, stage.axes, v, against))
        # With the normals of this pass, before the contacts are linearised again.
        force = scatter(self._contacts.nodes, self.points.inertial(), len(v))
        driven = self.points.power()
        lost = driven - dot(force, 0.5 * (self.history.velocity[0] + answer.velocity))
        pushed = self.points.force
        record = Record(on_nodes(force), external=driven, dissipated=lost, mixed=False, multiplier=pushed)
        return answer._replace(own=(record,), contact_force=force)

    def _solved(self, problem: NodalProblem, axes: Array, start: Array, against: Array) -> TrescaResult:
        """Solve the pass with its contact forces, stored in ``part.contact_force`` (N, 2) N and ``points.force``.

        ``problem``: the friction of the stage in ``axes`` (2, 2); ``start`` and ``against`` (N, 2) m/s: slip velocities to start
        from, and incoming ones. The result has the counts of all inner solves. Raises UnilateralError and the friction solver's
        errors.
        """
        history, points, cache = self.history, self.points, problem.cache
        part = cast(ElasticStage, problem.part)
        if not points.candidates.any():
            return solve_problem(problem, start, against)
        results: list[TrescaResult] = []
        factors = 0

        def respond(which: NDArray[np.intp], p: Array) -> tuple[Array, Array]:
            nonlocal factors
            node, (normal, tangent) = self._contacts.nodes[which], points.axes[which].swapaxes(0, 1)
            axes_in_frame = np.stack([normal @ axes, tangent @ axes], axis=1)
            forces = np.zeros((2 * len(which), *start.shape))
            forces[np.arange(len(forces)), np.repeat(node, 2)] = axes_in_frame.reshape(-1, 2)
            part.contact_force = np.einsum("k,kna->na", p.ravel(), forces)
            problem.counts = Counter()
            result = solve_problem(problem, results[-1].velocity.copy() if results else start, against)
            results.append(result)
            carried = (points.obstacle - history.friction.ground) @ axes
            u = to_axes(axes_in_frame, result.velocity[node] - carried[which])
            if len(results) > _PATIENCE:
                cache.forget()
            free = np.zeros(len(start), dtype=np.bool_)
            linear = replace(problem, laws=problem.laws._replace(fixed=free), counts=Counter())
            w, more = compliance(linear, result.velocity, forces)
            factors += more
            return u, w

        inertia = float(self.model.mass.nodal.max()) / history.tau_v
        floor = 1.0 / (inertia + history.theta * history.tau_x * self.model.stiffness)
        points.solve(respond, floor=floor, tolerance=lambda: 10.0 * results[-1].tolerance)
        return replace(
            results[-1],
            iterations=sum(r.iterations for r in results),
            fallback_iterations=sum(r.fallback_iterations for r in results),
            factorisations=factors + sum(r.factorisations for r in results),
            solves=sum(r.solves for r in results),
        )
