"""One example of every law in `LAWS`, each also with a maximum force, for tests that walk them; and random states for these."""

import numpy as np

from friction import LAWS, Limited

ARGUMENTS = {
    "coulomb": (),
    "smooth": (0.3,),
    "sliding": (0.3, 2.0, 0.6),
    "sliding-stiction": (0.3, 2.0, 0.6, 0.05),
    "static-kinetic": (0.6,),
    "stribeck": (0.6, 0.8, 1.5),
    "elliptic": (2.5, 0.4),
    "force-spline": ((0.0, 0.5, 1.0, 3.0), (0.0, 60.0, 30.0, 50.0)),
    "coefficient-spline": ((0.0, 0.5, 1.0, 3.0), (0.8, 1.0, 0.4, 0.8)),
}
W = np.random.default_rng(0).uniform(0.5, 2.0, 50)
V = np.random.default_rng(1).standard_normal((50, 2)) * np.geomspace(0.03, 3.0, 50)[:, None]
TAU = 0.02
MEMORY = 0.04 * np.random.default_rng(3).uniform(-1.0, 1.0, V.shape)
CAP = 0.5

PLAIN = {name: cls(*ARGUMENTS[name]) for name, cls in LAWS.items()}
CAPPED = {f"{name} with a maximum force": Limited(law, CAP * W.sum()) for name, law in PLAIN.items()}
EVERY = PLAIN | CAPPED
STAGES = {name: law.for_stage(MEMORY, TAU) for name, law in EVERY.items()}
CONVEX = [PLAIN[name] for name in ("coulomb", "smooth", "static-kinetic", "elliptic")]
"""Laws whose friction never falls with speed."""


def size(vectors):
    return np.hypot(vectors[:, 0], vectors[:, 1])


def dissipation(law, memory, tau, v, w):
    """Dissipated power (N,), W, in a stage of length ``tau`` from ``memory``: what friction takes less what bristles store."""
    taken = np.einsum("ia,ia->i", law.for_stage(memory, tau).force(v, w), v)
    if tau > 0.0:
        return taken - (law.stored(law.updated_state(memory, v, tau), w) - law.stored(memory, w)) / tau
    pull = law.for_stage(memory, 0.0).force(np.zeros_like(v), w)
    return taken - np.einsum("ia,ia->i", pull, law.internal_rate(memory, v))
