"""What tests look up in the records of a state, and a stage's contacts on their own."""

from floating_frame.frame.kinematics import rotation
from floating_frame.system.elastic.effects import NodeEffects


def record(model, state, name):
    """The record of the source with this name, such as "friction", "contact", "strain" or "reaction"."""
    found = [r for s, r in zip(model.system.sources, state.records, strict=True) if s.name == name]
    assert len(found) == 1, name
    return found[0]


class Pass:
    """Smooth effects of a stage from x* = ``position`` of length ``tau``, frozen at ``last``, in axes turned by ``angle``."""

    def __init__(self, effects, position, tau, last, angle):
        self.effects, self.Q, self.position, self.tau = effects, rotation(angle), position, tau
        self.effects = effects.frozen(position + tau * last, last)

    def motion(self, velocity):
        v = velocity @ self.Q.T
        return self.position + self.tau * v, v

    def force(self, velocity):
        return self.effects.force(*self.motion(velocity)) @ self.Q

    def add_tangent(self, velocity, data):
        self.effects.add_tangent(*self.motion(velocity), self.Q, data)

    def energy(self, velocity):
        return self.effects.energy(*self.motion(velocity))


def contact_pass(model, position, tau, last, *, time, theta, angle, bristles=None):
    """The smooth effects but the loads of a plate as an elastic pass sees them."""
    effects = model.system.effects[1:]
    acting = [e.for_stage(time, bristles, tau) for e in effects]
    return Pass(NodeEffects.of(effects, acting, tau, theta), position, tau, last, angle)
