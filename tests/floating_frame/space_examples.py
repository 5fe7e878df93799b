"""Rigid bodies in space among obstacles that tests share, and their runs."""

import numpy as np
from problems import run as run_of

from floating_frame import Ball, Feet, RigidSolid

G, R = 9.81, 0.1
FEET = Feet([[a, b, -0.03] for a in (-0.15, 0.15) for b in (-0.1, 0.1)])
BLOCK = RigidSolid(mass=1.0, inertia=(0.0043, 0.0085, 0.012), shape=FEET)
BALL = RigidSolid(mass=1.5, inertia=(0.4 * 1.5 * R * R,) * 3, shape=Ball(R))
LOW = RigidSolid(mass=1.0, inertia=(1.0, 1.0, 1.0), shape=Feet([[a, b, -1e-6] for a in (-1, 1) for b in (-1, 1)]))


def run(body, t_end, dt=2e-3, scheme="sdirk2", **given):
    """Return a run whose ledger and rigid equations close; ``given`` as for ``problems.run``."""
    data = run_of(body, t_end, dt, scheme, **given)
    assert np.abs(data.balance_error).max() <= 1e-11
    assert data.rigid_residual.max() <= 1e-9
    return data
