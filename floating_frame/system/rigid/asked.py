"""Friction under a rigid body in Python, called back from the compiled stage: laws that no compiled code knows, bounds that
change under laws with totals or bristles, and exact contact beside it.

It reads and writes the room of the compiled step: see ``kernels``."""

from __future__ import annotations

import numpy as np

from floating_frame.coefficients import Scheme
from floating_frame.effect.protocol import Friction, FrictionProblem, Instant, Motion, Record
from floating_frame.frame.kinematics import Array, to_inertial
from floating_frame.system.protocol import friction_at
from floating_frame.system.rigid.acting import Back
from floating_frame.system.rigid.exact_contact import Inherited, RigidContact
from floating_frame.system.rigid.kernels import records as at
from floating_frame.system.rigid.stage import row_friction, solve_slip
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.stages import Stages, integrated
from floating_frame.system.state import State
from friction.arrays import nonzero_rows
from friction.rigid.problem import RigidFrictionProblem, RigidSlip, RigidStart


class PythonFriction:
    """Friction of a ``system`` in the steps of a ``scheme``. ``problems``: of the stages of the last step, by their numbers."""

    def __init__(self, system: RigidSystem, scheme: Scheme, room: at.Room, work: Stages) -> None:
        self._system, self._scheme, self._source = system, scheme, len(system.effects)
        self._room, self._work = room, work
        self.back = Back(self._called)

    def begin(self, state: State) -> None:
        """Forget earlier steps: the next one begins with a state."""
        self._time, self._motion, self._stage = state.time, state.motion, -1
        self._contact_force, self._force = state.records[-1].multiplier, np.zeros(3)
        self._contact: RigidContact | None = None
        self.problems, self._rates = dict[int, FrictionProblem](), dict[int, Array | None]()

    def _called(self) -> float:
        what, s = int(self._room.head[at.WHAT]), int(self._room.head[at.STAGE])
        if what == at.SETTLES:
            return self._settles()
        if what == at.ENDS:
            self._ends()
        else:
            if s != self._stage:
                self._begun(s)
            if what == at.SOLVE:
                self._solves(s)
            else:
                self._records(s, held=self._room.head[at.TURN] < 0.0)
        return 1.0

    def _begun(self, s: int) -> None:
        """See what stage ``s`` inherits."""
        self._stage, system, head, small = s, self._system, self._room.head, self._room.small
        time, tau, tau_v = (float(head[name]) for name in (at.TIME, at.TAU, at.TAU_V))
        self._z = self._inherited(s, tau)
        self.problems[s] = system.friction.for_stage(time, self._z, tau)
        came, last = (self._room.slip[i].T for i in (0, s - 1))
        self._incoming = np.where(nonzero_rows(came)[:, None], came, last)
        self._slip, self._arms = (
            RigidSlip(small[at.RATES].copy(), self._room.multiplier[s].T.copy(), 0, False),
            self._system.feet,
        )
        if system.exact is not None:
            inherited = Inherited(small[at.PLACE].copy(), self._work.momentum_history.copy(), tau, tau_v, time)
            rates = small[at.RATES] + (small[at.GROUND] if head[at.WHAT] == at.SOLVE else 0.0)
            self._contact = system.exact.in_stage(inherited, rates, self._contact_force)

    def _inherited(self, s: int, tau: float) -> Array | None:
        """Return the bristles z* (N, 2) m of a stage: as ``scheme.staged``."""
        friction, position, room = self._system.friction, self._scheme.position[s - 1], self._room
        if not friction.law.has_internal_state:
            return None
        rates: list[Array | None] = [None, *(self._rates[j] for j in range(1, s))]
        z = room.first.T.copy()
        if position[0] != 0.0:
            motion = Motion((room.small[at.ORIGIN],), (self._work.velocity[0],), (self._work.momentum_rate[0],))
            slip = self._system.slip(self._time, motion, friction.ground(self._time, left=False))
            rates[0] = friction.rate(self._time, z, slip)
        return integrated(z, tau / position[s] * position, rates)

    def _solves(self, s: int) -> None:
        room, known, head, friction = self._room, self.problems[s], self._room.head, self._system.friction
        angle, rates = float(head[at.ANGLE]), room.small[at.RATES]
        self._arms = to_inertial(self._system.feet, angle)
        if friction.reacts:
            bound = room.bound.copy()
            law = friction.law.with_total_load(bound)
            known = self.problems[s] = known._replace(law=law, shared=law, bound=bound)
        problem = RigidFrictionProblem(
            inertia=room.matrices[at.H].copy(), wrench=room.small[at.DRIVE].copy(), arms=self._arms, bound=known.bound
        )
        start = RigidStart(rates.copy(), room.multiplier[s].T.copy())
        if self._contact is not None:
            ground = room.small[at.GROUND].copy()
            slip, self._force = self._contact.solve(known.law, problem, start, self._incoming, angle, ground)
        else:
            slip = solve_slip(known.law, problem, start, self._incoming)
        rates[:], room.multiplier[s] = slip.rates, slip.multiplier.T
        head[at.NEWTON] += slip.iterations
        head[at.FALLBACKS] += slip.fallback
        self._slip = slip

    def _settles(self) -> float:
        if self._contact is None:
            return 1.0
        return float(self._contact.settled(self._room.small[at.RATES].copy(), float(self._room.head[at.ANGLE])))

    def _records(self, s: int, *, held: bool) -> None:
        """Write what friction and contacts did in the solved stage."""
        room, work, source, slip = self._room, self._work, self._source, self._slip
        small = room.small
        rates, ground = small[at.RATES].copy(), small[at.GROUND].copy()
        known, arms = self.problems[s], self._arms
        if held:
            none = np.zeros_like(arms)
            friction: Friction = friction_at(none, none, (work.force[s, source].copy(),))
        else:
            friction = row_friction(slip.rates, arms, slip.multiplier)
        tau = float(room.head[at.TAU])
        record = self._system.friction.record(known, self._z, tau, friction, (ground,))
        room.slip[s], room.density[s], work.force[s, source] = friction.slip.T, record.rates, record.force[0]
        work.power[s, source, 1], work.stored[1, source] = record.dissipated, record.stored
        self._rates[s] = record.internal_rate
        if record.internal is not None:
            room.bent[:] = record.internal.T
        if self._contact is not None and self._system.exact is not None:
            own, zero = source + 1, Record((np.zeros(3),), mixed=False)
            exact, before = self._system.exact, work.momentum_history.copy()
            done = zero if held else exact.record(self._contact, self._force, before, rates)
            work.force[s, own], work.power[s, own] = done.force[0], (done.external or 0.0, done.dissipated)
            room.pushed[:] = 0.0 if done.multiplier is None else done.multiplier

    def _ends(self) -> None:
        """Write the work at fixed configuration; the next step begins here."""
        end, bent = float(self._room.head[at.TIME]), self._room.bent.T.copy()
        if self._z is not None:
            before, after = (Record((np.zeros(3),), internal=z) for z in (self._room.first.T.copy(), bent))
            instants = Instant(self._time, self._motion, before), Instant(end, self._motion, after)
            self._work.explicit[self._source] = self._system.friction.explicit_work(*instants)
        self._time, self._stage = end, -1
        self._contact_force = None if self._contact is None else self._room.pushed.copy()
