"""Rigid bodies in space among obstacles that tests share, and their runs."""

import numpy as np

from floating_frame import Feet, Options, RigidSolid, SpaceInitial, SpaceProblem, assemble, simulate

G, R = 9.81, 0.1
BLOCK = RigidSolid(
    mass=1.0,
    inertia=(0.0043, 0.0085, 0.012),
    shape=Feet([[a * 0.15, b * 0.1, -0.03] for a in (-1, 1) for b in (-1, 1)]),
)


def run(body, contacts, t_end, *, dt=2e-3, scheme="sdirk2", gravity=G, **start):
    """Return a run whose ledger and rigid equations close."""
    problem = SpaceProblem(
        body=body, t_end=t_end, gravity=gravity, contacts=tuple(contacts), initial=SpaceInitial(**start)
    )
    data = simulate(assemble(problem, Options(dt=dt, scheme=scheme)))
    assert np.abs(data.balance_error).max() <= 1e-11
    assert data.rigid_residual.max() <= 1e-9
    return data
