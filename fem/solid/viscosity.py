"""Kelvin–Voigt viscosity of a solid: what its stress gains by the rate of strain, objective and never a source of energy.

With the retardation time t, s, and the elasticity C of the material at rest,

    S = S(E) + t C : Ė,    Ė = sym(Fᵀ Ḟ),    dissipated power t ∫ Ė : C : Ė dV >= 0.

A rigid motion has Ė = 0, so that Ḟ may be that of the velocities in space or in the frame. The amplitudes ĝ = R̄ᵀg of a hexahedron's
hourglass modes, whose energy is ½ ĝ·K̂ĝ (fem/elements/hourglass.py), have the rate R̄ᵀ(ġ − W̄g), W̄ the spin of the mean Ḟ F⁻¹, and the
force t K̂ of it; what of that goes with W̄ keeps the forces free of a moment."""

from __future__ import annotations

import numpy as np

from fem.elastic import Elastic
from fem.elements.hourglass import Hourglass


def viscous_force(body: Elastic, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the nodal force (N, 3), N, of a solid for the retardation time t = 1 s; its power with v is minus what is dissipated.

    Displacement u m and velocity v m/s (N, 3), in the same axes.
    """
    nodes, gradients, hourglass = body.nodes, body.gradients, body.hourglass
    F = np.eye(3) + np.einsum("cbi,cqbj->cqij", u[nodes], gradients)
    rate = np.einsum("cbi,cqbj->cqij", v[nodes], gradients)
    strain = np.swapaxes(F, -1, -2) @ rate
    strain = 0.5 * (strain + np.swapaxes(strain, -1, -2))
    moduli = body.material.response(np.zeros((3, 3))).tangent
    P = F @ np.einsum("ijkl,cqkl->cqij", moduli, strain, optimize=True) * body.volumes[..., None, None]
    force = np.zeros((*nodes.shape, 3))
    if len(hourglass.vectors):
        force, of_spin = _hourglass_force(hourglass, u[nodes], v[nodes], F[:, 0], rate[:, 0])
        P[:, 0] += of_spin
    force -= np.einsum("cqij,cqbj->cbi", P, gradients)
    at, count = nodes.ravel(), len(u)
    return np.column_stack([np.bincount(at, force[..., k].ravel(), count) for k in range(3)])


def _hourglass_force(
    hourglass: Hourglass, u: np.ndarray, v: np.ndarray, F: np.ndarray, rate: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return nodal forces (C, 8, 3) N of cells with corners' u, v (C, 8, 3), and their share (C, 3, 3) N m in the mean P."""
    g, growth = (np.einsum("cmb,cbi->cmi", hourglass.vectors, field) for field in (u, v))
    left, _, right = np.linalg.svd(F)
    turn, inverse = left @ right, np.linalg.inv(F)
    spin = rate @ inverse
    spin = 0.5 * (spin - np.swapaxes(spin, -1, -2))
    seen = (growth - g @ np.swapaxes(spin, -1, -2)) @ turn
    pull = np.einsum("ckl,cl->ck", hourglass.stiffness, seen.reshape(len(g), 12)).reshape(g.shape)
    pull = pull @ np.swapaxes(turn, -1, -2)
    couple = np.swapaxes(pull, -1, -2) @ g
    couple = couple - np.swapaxes(couple, -1, -2)
    return -np.einsum("cmb,cmi->cbi", hourglass.vectors, pull), -0.5 * couple @ np.swapaxes(inverse, -1, -2)
