"""Friction under a rigid body in Python, a callback of the compiled stage: laws without compiled code, laws with
a total whose share a reacting pressure changes, and exact contact.

It reads and writes the scratch of the compiled step: see ``kernels``."""

from __future__ import annotations

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.protocol import Friction, FrictionProblem, Instant, Motion, Record
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.system.protocol import friction_at
from floating_frame.system.rigid.effects import Callback
from floating_frame.system.rigid.exact_contact import RigidContact
from floating_frame.system.rigid.kernels import records as at
from floating_frame.system.rigid.stage import row_friction, solve_slip
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.stages import Stages, integrated
from floating_frame.system.state import State
from friction.arrays import nonzero_rows
from friction.rigid.problem import RigidFrictionProblem, RigidSlip


class PythonFriction:
    """Friction of a ``system`` in the steps of a ``scheme``. ``problems``: of the stages of the last step, by their numbers."""

    def __init__(self, system: RigidSystem, scheme: Scheme, scratch: at.Scratch, work: Stages) -> None:
        self._system, self._scheme, self._source = system, scheme, len(system.effects)
        self._scratch, self._now, self._work = scratch, scratch.now[0], work
        self.callback = Callback(self._called)

    def begin(self, state: State) -> None:
        """Initialise for steps from a state."""
        self._time, self._motion, self._stage = state.time, state.motion, -1
        self._contact_force, self._force = state.records[-1].multiplier, np.zeros(3)
        self._contact: RigidContact | None = None
        self.problems, self._rates = dict[int, FrictionProblem](), dict[int, Array | None]()

    def _called(self) -> float:
        what, s = int(self._now["request"]), int(self._now["stage"])
        if what == at.CHECK_CONTACT:
            return self._contacts_converged()
        if what == at.END_STEP:
            self._end_step()
        else:
            if s != self._stage:
                self._begin_stage(s)
            if what == at.SOLVE_FRICTION:
                self._solve(s)
            else:
                self._record(s, at_rest=self._now["iteration"] < 0.0)
        return 1.0

    def _begin_stage(self, s: int) -> None:
        """Initial values of stage ``s``: bristles, slip, contacts."""
        self._stage, system, scratch, now = s, self._system, self._scratch, self._now
        time, tau, tau_v = (float(now[name]) for name in ("time", "tau", "tau_v"))
        self._z = self._bristles(s, tau)
        self.problems[s] = system.friction.for_stage(time, self._z, tau)
        came, last = (scratch.slip[i].T for i in (0, s - 1))
        self._incoming = np.where(nonzero_rows(came)[:, None], came, last)
        self._slip = RigidSlip(scratch.rates.copy(), scratch.multiplier[s].T.copy())
        self._arms = self._system.feet
        if system.exact is not None:
            place, before = now["place"].copy(), self._work.momentum_history.copy()
            rates = scratch.rates + (now["ground"] if now["request"] == at.SOLVE_FRICTION else 0.0)
            taus, force = (tau, tau_v), self._contact_force
            self._contact = RigidContact(system.model, system.exact, place, before, taus, time, force)
            self._contact.converged(rates, place[2] + tau * rates[2])

    def _bristles(self, s: int, tau: float) -> Array | None:
        """Bristles z* (N, 2) m of a stage: as ``scheme.staged``."""
        friction, position, scratch = self._system.friction, self._scheme.position[s - 1], self._scratch
        if not friction.law.has_internal_state:
            return None
        rates: list[Array | None] = [None, *(self._rates[j] for j in range(1, s))]
        z = scratch.start_bristles.T.copy()
        if position[0] != 0.0:
            motion = Motion((self._now["origin"],), (self._work.velocity[0],), (self._work.momentum_rate[0],))
            slip = self._system.slip(self._time, motion, friction.ground(self._time, left=False))
            rates[0] = friction.rate(self._time, z, slip)
        return integrated(z, tau / position[s] * position, rates)

    def _solve(self, s: int) -> None:
        scratch, now, data, friction = self._scratch, self._now, self.problems[s], self._system.friction
        angle, rates = float(now["angle"]), scratch.rates
        self._arms = to_inertial(self._system.feet, angle)
        if friction.reacts:
            bound = scratch.bound.copy()
            law = friction.law.with_total_load(bound)
            data = self.problems[s] = data._replace(law=law, shared=law, bound=bound)
        problem = RigidFrictionProblem(
            inertia=scratch.matrix.copy(),
            wrench=scratch.drive.copy(),
            arms=self._arms,
            bound=data.bound,
        )
        start = RigidSlip(rates.copy(), scratch.multiplier[s].T.copy())
        if self._contact is not None:
            ground = self._now["ground"].copy()
            slip, self._force = self._contact.solve(data.law, problem, start, self._incoming, angle, ground)
        else:
            slip = solve_slip(data.law, problem, start, self._incoming)
        rates[:], scratch.multiplier[s] = slip.rates, slip.multiplier.T
        now["newton"] += slip.iterations
        now["fallbacks"] += slip.fallback
        self._slip = slip

    def _contacts_converged(self) -> float:
        if self._contact is None:
            return 1.0
        return float(self._contact.converged(self._scratch.rates.copy(), float(self._now["angle"])))

    def _record(self, s: int, *, at_rest: bool) -> None:
        """Write slip, forces and powers of friction and contacts in the solved stage."""
        scratch, work, source, slip = self._scratch, self._work, self._source, self._slip
        rates, ground = scratch.rates.copy(), self._now["ground"].copy()
        data, arms = self.problems[s], self._arms
        if at_rest:
            none = np.zeros_like(arms)
            friction: Friction = friction_at(none, none, (work.force[s, source].copy(),))
        else:
            friction = row_friction(slip.rates, arms, slip.multiplier)
        tau = float(self._now["tau"])
        record = self._system.friction.record(data, self._z, tau, friction, (ground,))
        scratch.slip[s], scratch.density[s], work.force[s, source] = friction.slip.T, record.rates, record.force[0]
        work.power[s, source, 1], work.stored[1, source] = record.dissipated, record.stored
        self._rates[s] = record.internal_rate
        if record.internal is not None:
            scratch.bristles[:] = record.internal.T
        if self._contact is not None:
            own, zero = source + 1, Record((np.zeros(3),), mixed=False)
            done = zero if at_rest else self._contact.record(self._force, rates)
            work.force[s, own], work.power[s, own] = done.force[0], (done.external or 0.0, done.dissipated)
            scratch.contact_force[:] = 0.0 if done.multiplier is None else done.multiplier

    def _end_step(self) -> None:
        """Write the work at fixed configuration; initialise the next step."""
        end, bent = float(self._now["time"]), self._scratch.bristles.T.copy()
        if self._z is not None:
            before, after = (Record((np.zeros(3),), internal=z) for z in (self._scratch.start_bristles.T.copy(), bent))
            instants = Instant(self._time, self._motion, before), Instant(end, self._motion, after)
            self._work.explicit[self._source] = self._system.friction.explicit_work(*instants)
        self._time, self._stage = end, -1
        self._contact_force = None if self._contact is None else self._scratch.contact_force.copy()
