"""Kelvin–Voigt viscosity of a solid: what its stress gains by the rate of strain, objective and never a source of energy.

With the retardation time t, s, and the elasticity C of the material at rest,

    S = S(E) + t C : Ė,    Ė = sym(Fᵀ Ḟ),    dissipated power t ∫ Ė : C : Ė dV >= 0.

A rigid motion has Ė = 0, so that Ḟ may be that of the velocities in space or in the frame. The amplitudes ĝ = R̄ᵀg of a hexahedron's
hourglass modes, whose energy is ½ ĝ·K̂ĝ (fem/solid/hourglass.py), have the rate R̄ᵀ(ġ − W̄g), W̄ the spin of the mean Ḟ F⁻¹, and the
force t K̂ of it; what of that goes with W̄ keeps the forces free of a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fem.solid.body import Solid


def viscous_force(body: Solid, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the nodal force (N, 3), N, over the retardation time t = 1 s, of a solid.

    Parameters
    ----------
    body : Solid
        With its tables.
    u, v : ndarray
        Displacement m and velocity m/s (N, 3), in the same axes.

    Returns
    -------
    ndarray
        (N, 3), N; its power with v is minus what is dissipated.
    """
    corners, grads, law = body.nodes, body.gradients, body.material
    F = np.eye(3) + np.einsum("cbi,cqbj->cqij", u[corners], grads)
    rate = np.einsum("cbi,cqbj->cqij", v[corners], grads)
    strain = np.swapaxes(F, -1, -2) @ rate
    strain = 0.5 * (strain + np.swapaxes(strain, -1, -2))
    trace = np.trace(strain, axis1=-2, axis2=-1)[..., None, None]
    P = F @ (law.lame * trace * np.eye(3) + 2.0 * law.shear_modulus * strain) * body.volumes[..., None, None]
    force = np.zeros((len(corners), corners.shape[1], 3))
    if len(body.hourglass.vectors):
        force, of_spin = _hourglass_force(body, u[corners], v[corners], F[:, 0], rate[:, 0])
        P[:, 0] += of_spin
    force -= np.einsum("cqij,cqbj->cbi", P, grads)
    at, count = corners.ravel(), len(body.X)
    return np.column_stack([np.bincount(at, force[..., k].ravel(), count) for k in range(3)])


def _hourglass_force(
    body: Solid, u: np.ndarray, v: np.ndarray, F: np.ndarray, rate: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return nodal forces (C, 8, 3) N of cells with corners' u, v (C, 8, 3), and their share (C, 3, 3) N m in the mean P."""
    vectors = body.hourglass.vectors
    g, growth = (np.einsum("cmb,cbi->cmi", vectors, field) for field in (u, v))
    left, _, right = np.linalg.svd(F)
    turn, inverse = left @ right, np.linalg.inv(F)
    spin = rate @ inverse
    spin = 0.5 * (spin - np.swapaxes(spin, -1, -2))
    seen = (growth - g @ np.swapaxes(spin, -1, -2)) @ turn
    pull = np.einsum("ckl,cl->ck", body.hourglass.stiffness, seen.reshape(len(g), 12)).reshape(g.shape)
    pull = pull @ np.swapaxes(turn, -1, -2)
    couple = np.swapaxes(pull, -1, -2) @ g
    couple = couple - np.swapaxes(couple, -1, -2)
    return -np.einsum("cmb,cmi->cbi", vectors, pull), -0.5 * couple @ np.swapaxes(inverse, -1, -2)
