"""What tests look up in the records of a state, and a stage's contacts on their own."""

import numpy as np

from floating_frame.effect.protocol import FrictionProblem
from floating_frame.system.plate.pass_forces import PassForces
from floating_frame.system.protocol import StageHistory


def record(model, state, name):
    """The record of the source with this name, such as "friction", "contact", "strain" or "reaction"."""
    found = [r for s, r in zip(model.system.sources, state.records, strict=True) if s.name == name]
    assert len(found) == 1, name
    return found[0]


def contact_pass(model, position, tau, last, *, time, theta, angle, bristles=None):
    """The smooth effects but the loads of a plate as an elastic pass sees them: stage from x* = ``position`` of length ``tau``."""
    effects = model.system.effects[1:]
    x, v = (position, np.zeros(3)), (last, np.zeros(3))
    friction = FrictionProblem(model.law, model.law, np.zeros(len(position)), np.zeros(2))
    acting = tuple(e.for_stage(time, bristles, tau) for e in effects)
    history = StageHistory(
        time=time,
        configuration=x,
        velocity=v,
        tau_x=tau,
        tau_v=tau,
        theta=theta,
        start_force=v,
        effects=acting,
        friction=friction,
        internal=(bristles,) * (len(effects) + 1),
        origin=x,
        way=v,
        balance=v,
    )
    return PassForces(effects, history, angle, last)
