"""Records of a state that tests look up, and a stage's contacts on their own."""

import numpy as np
from scipy.sparse import csr_matrix

from floating_frame.frame.kinematics import FloatingFrame, rotation
from floating_frame.system.elastic.effects import NodeEffects
from floating_frame.system.elastic.equilibrium import ElasticStage
from floating_frame.system.protocol import StageHistory


def record(model, state, name):
    """The record of the source with this name, such as "friction", "contact", "strain" or "reaction"."""
    computed = [r for s, r in zip(model.system.sources, state.records, strict=True) if s.name == name]
    assert len(computed) == 1, name
    return computed[0]


class Pass:
    """Smooth effects of a stage from x* = ``position`` of length ``tau``, in axes turned by ``angle``."""

    def __init__(self, effects, position, tau, angle):
        self.effects, self.Q, self.position, self.tau = effects, rotation(angle), position, tau

    def motion(self, velocity):
        v = velocity @ self.Q.T
        return self.position + self.tau * v, v

    def force(self, velocity):
        return self.effects.force(*self.motion(velocity)) @ self.Q

    def tangent(self, velocity, body):
        """−∂F/∂V as a matrix in the sparsity of the ``body``."""
        data = np.zeros(len(body.indices))
        self.effects.add_tangent(*self.motion(velocity), self.Q, data)
        return csr_matrix((data, body.indices, body.indptr))


def contact_pass(model, position, tau, *, time, theta, angle, bristles=None, symmetric=False):
    """The smooth effects but the loads of a plate as a stage sees them."""
    effects = model.system.effects[1:]
    acting = [e.for_stage(time, bristles, tau) for e in effects]
    return Pass(NodeEffects(effects, acting, tau, theta, symmetric=symmetric), position, tau, angle)


def stage_at(elastic, x, v, load, weights, frame):
    """A stage without effects from nodal x*, v*, with weights (τ_x, τ_v, θ), in a frame's origin and axes."""
    given = dict(zip(("tau_x", "tau_v", "theta"), weights, strict=True))
    given |= dict.fromkeys(("start_force", "effects", "internal", "balance", "origin", "increment"), ())
    history = StageHistory(time=0.0, configuration=(x,), velocity=(v,), friction=None, **given)
    still = np.zeros_like(frame[0])
    at = FloatingFrame(frame[0], still, still, frame[1], still, still)
    return ElasticStage(elastic, history, at, load, NodeEffects([], [], history.tau_x, history.theta, symmetric=True))
