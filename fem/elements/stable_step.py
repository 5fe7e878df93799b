"""Lower bound of the stable step of central differences from single cells, exact for equal cells.

Irons and Treharne (1971): for K = Σ K_e and any split M = Σ M_e of the lumped mass, the largest eigenvalue of (K, M) is
no larger than that of the worst cell, max_e λ_max(K_e, M_e), with equality on a row of equal bars, 2/ω = Δx/c. The
estimate by Lanczos iteration needs a safety margin, so its step is slightly smaller; explicit waves with friction need
the exact one (cases/rod_wave.py).
"""

from __future__ import annotations

import numpy as np

from fem.elements.hourglass import Hourglass


def stable_step_bound(
    nodes: np.ndarray,
    gradients: np.ndarray,
    volumes: np.ndarray,
    stiffness: np.ndarray,
    lumped_mass: np.ndarray,
    hourglass: Hourglass | None = None,
) -> float:
    """Stable step, s: 2/ω of the cell with the highest frequency.

    The mass of a node is split among its cells in proportion to their volume. ``nodes`` (C, B), ``gradients`` (C, Q, B, 2) 1/m,
    ``volumes`` (C, Q) m³; ``stiffness`` ∂P/∂F at u = 0 (2, 2, 2, 2) Pa; ``lumped_mass``: lumped mass (N,) kg;
    ``hourglass``: hourglass energy of Q1 (``fem/elements/hourglass.py``).
    """
    volume = volumes.sum(axis=1)
    node_volume = np.bincount(nodes.ravel(), np.repeat(volume, nodes.shape[1]), minlength=len(lumped_mass))
    mass = lumped_mass[nodes] * (volume[:, None] / node_volume[nodes])
    K = np.einsum("cq,cqbj,ijkl,cqdl->cbidk", volumes, gradients, stiffness, gradients, optimize=True)
    if hourglass is not None and len(hourglass.vectors):
        vectors, modes = hourglass.vectors, hourglass.modes
        stiff = hourglass.stiffness.reshape(len(vectors), modes, 2, modes, 2)
        K += np.einsum("cmb,cminj,cnd->cbidj", vectors, stiff, vectors, optimize=True)
    scale = np.repeat(mass**-0.5, 2, axis=1)
    size = scale.shape[1]
    scaled = scale[:, :, None] * K.reshape(-1, size, size) * scale[:, None, :]
    return float(2.0 / np.sqrt(np.linalg.eigvalsh(scaled)[:, -1].max()))
