"""Exact contact in the elastic pass of a stage: nodes on the boundary, with the friction of the foundation inside.

Unknown are the contact forces p of the few nodes that may touch. For given p the friction problem of the pass, with the nodal
forces Gᵀp beside the loads, gives V(p); u = G V − v_o, and its derivative is the compliance W = G (H + D)⁻¹ Gᵀ on the nodes
that slide, from the factor that the pass leaves behind (``friction.nodal.sensitivity.compliance``). A node that sticks to the
foundation has W = 0 and is pushed until it gives way. Contact forces act on the stage with their whole impulse, Δt p,
whatever θ; their record is that of one impulse, as for rigid bodies (``rigid.exact_contact``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from floating_frame.contact.axes import along
from floating_frame.contact.signorini import ExactContacts
from floating_frame.contact.signorini_stage import Approach, StageContacts
from floating_frame.effect.protocol import Record, Source
from floating_frame.frame.kernels import dot
from floating_frame.frame.kinematics import Array, gathered, to_body
from floating_frame.system.elastic.equilibrium import StageEquilibrium
from floating_frame.system.model import Model
from floating_frame.system.plate.elastic import NodalHistory
from friction import TrescaResult
from friction.nodal.problem import NodalProblem
from friction.nodal.sensitivity import compliance
from friction.nodal.solve import solved
from friction.result import Counts

_PATIENCE = 4
"""Iterations after which the compliance is computed from a factor of its own."""


class PlateContact:
    """The exact contacts of one stage: ``history`` what it inherits (``elastic.StageHistory``), ``force`` p (m, 2) N to start
    from."""

    def __init__(self, model: Model, contacts: ExactContacts, history: NodalHistory, force: Array | None) -> None:
        self._model, self._history, self._nodes = model, history, contacts.nodes
        ahead, theta = history.tau_v - history.tau_x, history.tau_x / history.tau_v
        place, velocity = history.position[contacts.nodes], history.velocity[contacts.nodes]
        approach = Approach(
            place=place,
            velocity=velocity,
            origin=place - ahead * velocity,
            tau=history.tau_v,
            time=history.time + ahead,
            theta=theta,
            weight=theta,
        )
        self.points = StageContacts(contacts, approach, force)
        inertia = float(model.mass.nodal.max()) / history.tau_v
        #: Contact forces on the nodes (N, 2), N, inertial, as ``solve`` found them.
        self.force, self._driven = np.zeros_like(history.position), 0.0
        self._floor = 1.0 / (inertia + history.force_weight * history.tau_x * model.stiffness)

    def settled(self, velocity: Array) -> bool:
        """Look at the contacts where the inertial nodal ``velocity`` (N, 2) leads; whether nothing moved there."""
        own, start = velocity[self._nodes], self._history.position[self._nodes]
        return self.points.linearise(start + self._history.tau_v * own, own, start + self._history.tau_x * own)

    def solve(self, problem: NodalProblem, angle: float, start: Array, against: Array) -> TrescaResult:
        """Return the pass with its contact forces, which ``part.contact_force`` (N, 2) N and ``points.force`` have at the end.

        ``problem``: the friction of ``elastic.StageEquilibrium`` in axes turned by ``angle``; ``start`` and ``against`` (N, 2)
        m/s: slip velocities to start from, and of the nodes as they come in. The result has the counts of all inner solves. Raises
        UnilateralError and what the friction solver raises.
        """
        history, points, cache = self._history, self.points, problem.cache
        part = cast(StageEquilibrium, problem.part)
        if not points.candidates.any():
            return solved(problem, start, against)
        results: list[TrescaResult] = []
        factors = 0

        def respond(which: NDArray[np.intp], p: Array) -> tuple[Array, Array]:
            nonlocal factors
            node, (normal, tangent) = self._nodes[which], points.axes[which].swapaxes(0, 1)
            axes = np.stack([to_body(normal, angle), to_body(tangent, angle)], axis=1)
            forces = np.zeros((2 * len(which), *start.shape))
            forces[np.arange(len(forces)), np.repeat(node, 2)] = axes.reshape(-1, 2)
            part.contact_force = np.einsum("k,kna->na", p.ravel(), forces)
            problem.counts = Counts()
            result = solved(problem, results[-1].velocity.copy() if results else start, against)
            results.append(result)
            carried = to_body(points.obstacle - history.friction.ground, angle)
            u = along(axes, result.velocity[node] - carried[which])
            if len(results) > _PATIENCE:
                cache.forget()
            free = np.zeros(len(start), dtype=np.bool_)
            linear = replace(problem, laws=problem.laws._replace(fixed=free), counts=Counts())
            w, made = compliance(linear, result.velocity, forces)
            factors += made
            return u, w

        points.solve(respond, floor=self._floor, tolerance=lambda: 10.0 * results[-1].tolerance)
        # With the normals of this pass: what looks at the contacts again turns them.
        self.force, self._driven = gathered(self._nodes, points.inertial(), len(start)), points.power()
        return replace(
            results[-1],
            iterations=sum(r.iterations for r in results),
            fallback_iterations=sum(r.fallback_iterations for r in results),
            factorisations=factors + sum(r.factorisations for r in results),
            solves=sum(r.solves for r in results),
        )

    def powers(self, velocity: Array) -> tuple[float, float]:
        """Return what the obstacles do and what is lost, W, in the step that ends with the inertial nodal ``velocity`` (N, 2)."""
        return self._driven, self._driven - dot(self.force, 0.5 * (self._history.velocity + velocity))


class PlateExactContact(Source):
    """The exact contacts of a deformable body, which its stage solver makes."""

    name, dissipates, results = "exact contact", "contact", ("contact",)

    def record(self, contact: PlateContact, velocity: Array) -> Record:
        """Return the record of a solved stage that ends with the nodal ``velocity`` (N, 2), m/s."""
        (driven, lost), force = contact.powers(velocity), (contact.force, np.zeros(3))
        return Record(force, external=driven, dissipated=lost, mixed=False, multiplier=contact.points.force)
