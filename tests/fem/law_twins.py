"""The laws of fem/materials.py written in tensors, as in textbooks, which the compiled ones must equal."""

import numpy as np

from fem.materials import Response


def isotropic(lame, shear_modulus, eye):
    """C_IJKL = λ δ_IJ δ_KL + μ (δ_IK δ_JL + δ_IL δ_JK)."""
    return (
        lame * np.einsum("ij,kl->ijkl", eye, eye)
        + shear_modulus * np.einsum("ik,jl->ijkl", eye, eye)
        + shear_modulus * np.einsum("il,jk->ijkl", eye, eye)
    )


def st_venant_kirchhoff(material, H):
    eye = np.eye(H.shape[-1])
    F = eye + H
    strain = 0.5 * (H + np.swapaxes(H, -1, -2) + np.einsum("...ki,...kj->...ij", H, H))
    C = isotropic(material.lame, material.shear_modulus, eye)
    S = np.einsum("ijkl,...kl->...ij", C, strain)
    tangent = np.einsum("ik,...jl->...ijkl", eye, S) + np.einsum("...im,mjnl,...kn->...ijkl", F, C, F)
    return Response(0.5 * np.einsum("...ij,...ij->...", S, strain), F @ S, tangent)


def small_strain(material, H):
    strain = 0.5 * (H + np.swapaxes(H, -1, -2))
    C = isotropic(material.lame, material.shear_modulus, np.eye(H.shape[-1]))
    P = np.einsum("ijkl,...kl->...ij", C, strain)
    return Response(0.5 * np.einsum("...ij,...ij->...", P, strain), P, np.broadcast_to(C, (*H.shape[:-2], *C.shape)))


def neo_hookean(material, H):
    lam, mu = material.lame, material.shear_modulus
    eye, d = np.eye(H.shape[-1]), H.shape[-1]
    F = eye + H
    f = np.swapaxes(np.linalg.inv(F), -1, -2)
    free = material.plane == "stress"
    c = material.thickness_stretch(H) if free else np.ones(H.shape[:-2])
    log_J = np.log(np.linalg.det(F) * c)
    energy = 0.5 * mu * (np.einsum("...ij,...ij->...", F, F) + (3 - d) * c**2 - 3) - mu * log_J + 0.5 * lam * log_J**2
    stress = mu * (F - f) + (lam * log_J)[..., None, None] * f
    condensed = 2 * mu * lam * c**2 / (2 * mu * c**2 + lam) if free else np.full_like(c, lam)
    tangent = (
        mu * np.einsum("ik,jl->ijkl", eye, eye)
        + np.einsum("...,...il,...kj->...ijkl", mu - lam * log_J, f, f)
        + np.einsum("...,...ij,...kl->...ijkl", condensed, f, f)
    )
    return Response(energy, stress, tangent)


TWINS = {"st-venant-kirchhoff": st_venant_kirchhoff, "small-strain": small_strain, "neo-hookean": neo_hookean}
