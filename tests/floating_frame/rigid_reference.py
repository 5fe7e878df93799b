"""The stage of a rigid body written plainly, for the step of ``scheme.step``: what the compiled text has to equal."""

from dataclasses import replace

import numpy as np

from floating_frame.effect.protocol import Motion
from floating_frame.frame.kinematics import to_inertial
from floating_frame.frame.rigid_modes import wrench
from floating_frame.scheme.instants import initial_state
from floating_frame.scheme.staged import step
from floating_frame.system.protocol import Stage
from floating_frame.system.rigid.stage import row_friction, solve_slip
from floating_frame.system.rigid.system import RigidSystem
from floating_frame.system.state import Counts
from floating_frame.system.stepper import Integrator
from friction.rigid.problem import RigidFrictionProblem, RigidSlip, point_velocity
from friction.stick import is_coulomb


def stage_motion(history, rates):
    """Motion at the end of a stage with rates q' (3,), by the stage formula."""
    place = history.configuration[0] + history.tau_x * rates
    return Motion((place,), (rates,), ((rates - history.velocity[0]) / history.tau_v,))


class PlainRigid(RigidSystem):
    """A rigid body without exact contacts, under pressure that is given."""

    def predict(self, history, partial):
        """Start where the last accelerations lead, unless that turns the slip round: at rest λ is what it starts from."""
        guess, ground = super().predict(history, partial), np.array([*history.friction.ground, 0.0])
        if not is_coulomb(history.friction.law) or any(effect.may_jump for effect in self.effects):
            return guess
        ahead = history.velocity[0] + history.tau_v * guess.acceleration[0]
        turns = (ahead - ground) @ (self.inertia * (guess.velocity[0] - ground)) < 0.0
        return guess if turns else guess._replace(velocity=(ahead,))

    def solve_stage(self, history, guess, reference, fixed=None):
        """Newton's method on D (p − q'*)/τ = θ W(p) + W_0 − Σ Gᵀ λ, friction being solved exactly in each turn."""
        (q,), (v,), (law, _, bound, ground) = history.configuration, history.velocity, history.friction
        d, moving, p, tau = self.inertia / history.tau_v, np.array([*ground, 0.0]), guess.velocity[0], history.tau_x
        if fixed is not None and fixed[0]:
            none, motion = np.zeros_like(self.feet), stage_motion(history, moving)
            rest = self.inertia * motion.acceleration[0] - history.start_force[0]
            rest = rest - history.theta * self.wrenches(history, moving)[0]
            friction = row_friction(np.zeros(3), self.feet, none)._replace(force=(rest,))
            return Stage(motion=motion, friction=friction, problem=history.friction, own=(), counts=Counts())
        multiplier = guess.multiplier
        for _ in range(200):
            total, by_place, by_rate = self.wrenches(history, p)
            slope = -history.theta * (tau * by_place + by_rate)
            slope = 0.5 * (slope + slope.T) if law.set_valued else slope
            drive = history.theta * total + history.start_force[0] + slope @ (p - moving) + d * (v - moving)
            arms = to_inertial(self.feet, q[2] + tau * p[2])
            problem = RigidFrictionProblem(inertia=np.diag(d) + slope, wrench=drive, arms=arms, bound=bound)
            slip = solve_slip(law, problem, RigidSlip(p - moving, multiplier), reference)
            last, p, multiplier = p, slip.rates + moving, slip.multiplier
            turned, angle = tau * abs(p[2] - last[2]), q[2] + tau * p[2]
            linear = not slope.any() or np.all(np.abs(p - last) <= 1e-15 * np.abs(p).max())
            if linear and turned <= 1e-14 * (1.0 + abs(angle)):
                break
        friction = row_friction(slip.rates, arms, multiplier)
        return Stage(
            motion=stage_motion(history, p), friction=friction, problem=history.friction, own=(), counts=Counts()
        )

    def wrenches(self, history, p):
        """Return W (3,) of all effects at rates p, ∂W/∂q and ∂W/∂q'."""
        q, total, slopes = history.configuration[0] + history.tau_x * p, np.zeros(3), np.zeros((2, 3, 3))
        for effect, now in zip(self.effects, history.effects, strict=True):
            arms = effect.points.arms(q[2])
            at = now.at(q[:2] + arms, point_velocity(p, arms))
            total = total + wrench(arms, at.force)
            slopes += effect.points.tangents(arms, at, p[2])
        return total, *slopes


def plainly(model):
    """The same model, whose steps are those of the plain stage, one by one."""
    system = PlainRigid(model.system.model, model.system.effects, model.system.friction, None)
    plain = replace(model)
    plain.__dict__["integrator"] = Integrator(
        lambda model, state, dt, end=None: step(model.scheme, system, state, dt, end),
        lambda model: initial_state(model.scheme, system),
    )
    return plain
