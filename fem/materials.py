"""Elastic materials: energy, stress and tangent together, as functions of the displacement gradient in the plane or in space.

Each law is a frozen dataclass (E, nu, plane) with its energy in the docstring. The NumPy code here is
written in tensors, as in textbooks, and is the twin that the compiled scalar code of fem/kernels/constitutive.py
must equal. Where H is (..., 3, 3) the law is the three-dimensional one, whose λ is that of plane strain
(``in_space``). Sources: Holzapfel, Nonlinear Solid Mechanics (2000), section 6.5; Bonet & Wood (2008), section 6.4.3.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

import numpy as np

from fem import kernels
from fem.given import check_kind, check_positive, is_number, one_of, shown

PLANES = ("stress", "strain")


class Response(NamedTuple):
    """Hold a material's response at displacement gradients (..., d, d), d = 2 or 3.

    Parameters
    ----------
    energy : ndarray
        (...), J/m³.
    stress : ndarray
        First Piola-Kirchhoff P_iJ (..., d, d), Pa.
    tangent : ndarray
        ∂P_iJ/∂F_kL (..., d, d, d, d), Pa.
    """

    energy: np.ndarray
    stress: np.ndarray
    tangent: np.ndarray


@dataclass(frozen=True)
class Material(ABC):
    """Represent a plane elastic material; use one of the laws in ``MATERIALS``.

    Parameters
    ----------
    E : float
        Young's modulus, Pa.
    nu : float
        Poisson's ratio, -.
    plane : str
        "stress" (thickness free) or "strain" (thickness fixed).

    Raises
    ------
    ValueError
        With one line on a bad value.
    """

    E: float
    nu: float
    plane: str = "stress"

    name: ClassVar[str] = ""
    finite_strain: ClassVar[bool] = True
    softens_in_compression: ClassVar[bool] = False
    additive_strain: ClassVar[bool] = True
    """Whether the strain is the sum of an elastic and a thermal part."""

    def __post_init__(self) -> None:
        check_positive("Pa", E=self.E)
        if not is_number(self.nu):
            raise ValueError(f"nu must be a number, got {shown(self.nu)}")
        one_of(PLANES, "plane", self.plane)
        if self._needs_finite_bulk_modulus:
            if not -1 < self.nu < 0.5:
                law = self.name + (" in plane strain" if self.plane == "strain" else "")
                raise ValueError(f"nu must lie in -1 < nu < 0.5 (finite bulk modulus) for {law}, got {self.nu}")
        elif not -1 < self.nu <= 0.5:
            raise ValueError(
                f"nu must lie in -1 < nu <= 0.5 for {self.name} (below 0.5 in plane strain and in space), got {self.nu}"
            )

    @property
    def _needs_finite_bulk_modulus(self) -> bool:
        # In plane stress λ of the in-plane law is E ν/(1 − ν²), which stays finite at ν = 1/2.
        return self.plane == "strain"

    @property
    def shear_modulus(self) -> float:
        """μ = E / (2 (1 + ν)) [Pa]."""
        return self.E / (2 * (1 + self.nu))

    @property
    def lame(self) -> float:
        """λ of the in-plane law [Pa]: E ν/((1 + ν)(1 − 2ν)); condensed in plane stress: E ν/(1 − ν²)."""
        if self.plane == "stress":
            return self.E * self.nu / (1 - self.nu**2)
        return self.E * self.nu / ((1 + self.nu) * (1 - 2 * self.nu))

    @property
    @abstractmethod
    def code(self) -> int:
        """Id of the law in the compiled code (fem/kernels/constitutive.py)."""

    def in_space(self) -> Self:
        """Return the law of three-dimensional bodies: that of plane strain, where nothing is condensed."""
        return replace(self, plane="strain")

    @property
    def parameters(self) -> np.ndarray:
        """(λ, μ) for the compiled code, (2,) [Pa]."""
        return np.array([self.lame, self.shear_modulus])

    @abstractmethod
    def response(self, H: np.ndarray) -> Response:
        """Return energy, stress and tangent.

        Parameters
        ----------
        H : ndarray
            ∂u/∂X (..., d, d), -.

        Returns
        -------
        Response
        """

    @abstractmethod
    def thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """Return F₃₃: 1 in plane strain, from S₃₃ = 0 in plane stress.

        Parameters
        ----------
        H : ndarray
            ∂u/∂X (..., 2, 2), -.

        Returns
        -------
        ndarray
            (...), -; NaN where there is none.
        """


def _isotropic_elasticity(lame: float, shear_modulus: float, eye: np.ndarray) -> np.ndarray:
    """C_IJKL = λ δ_IJ δ_KL + μ (δ_IK δ_JL + δ_IL δ_JK), (d, d, d, d) [Pa]."""
    result: np.ndarray = (
        lame * np.einsum("ij,kl->ijkl", eye, eye)
        + shear_modulus * np.einsum("ik,jl->ijkl", eye, eye)
        + shear_modulus * np.einsum("il,jk->ijkl", eye, eye)
    )
    return result


@dataclass(frozen=True)
class StVenantKirchhoff(Material):
    """St. Venant-Kirchhoff: W = λ/2 (tr E)² + μ E:E, S = λ tr E 1 + 2μ E, P = F S, E = (FᵀF − 1)/2.

    In plane stress λ is the condensed E ν/(1 − ν²): S₃₃ = 0 exactly. Softens in compression and loses
    stability there (uniaxially below the stretch 1/√3); nothing in the law resists det F → 0.
    """

    name: ClassVar[str] = "st-venant-kirchhoff"
    softens_in_compression: ClassVar[bool] = True

    @property
    def code(self) -> int:
        """Id of the law in the compiled code."""
        return kernels.constitutive.SVK

    def response(self, H: np.ndarray) -> Response:
        """Energy, stress and tangent at H = ∂u/∂X, (..., d, d)."""
        eye = np.eye(H.shape[-1])
        F = eye + H
        strain = 0.5 * (H + np.swapaxes(H, -1, -2) + np.einsum("...ki,...kj->...ij", H, H))
        C = _isotropic_elasticity(self.lame, self.shear_modulus, eye)
        S = np.einsum("ijkl,...kl->...ij", C, strain)
        tangent = np.einsum("ik,...jl->...ijkl", eye, S) + np.einsum("...im,mjnl,...kn->...ijkl", F, C, F)
        return Response(0.5 * np.einsum("...ij,...ij->...", S, strain), F @ S, tangent)

    def thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """F₃₃ = √(1 + 2E₃₃), E₃₃ = −ν/(1 − ν) tr E in plane stress; NaN where 1 + 2E₃₃ < 0."""
        if self.plane == "strain":
            return np.ones(H.shape[:-2])
        trace = np.trace(H, axis1=-2, axis2=-1) + 0.5 * np.einsum("...ki,...ki->...", H, H)
        square = 1 - 2 * self.nu / (1 - self.nu) * trace
        return np.sqrt(np.where(square >= 0, square, np.nan))


@dataclass(frozen=True)
class SmallStrain(Material):
    """Linear elasticity: W = λ/2 (tr ε)² + μ ε:ε, P = λ tr ε 1 + 2μ ε, ε = sym H; not rotation invariant."""

    name: ClassVar[str] = "small-strain"
    finite_strain: ClassVar[bool] = False

    @property
    def code(self) -> int:
        """Id of the law in the compiled code."""
        return kernels.constitutive.SMALL_STRAIN

    def response(self, H: np.ndarray) -> Response:
        """Energy, stress and tangent at H = ∂u/∂X, (..., d, d)."""
        strain = 0.5 * (H + np.swapaxes(H, -1, -2))
        C = _isotropic_elasticity(self.lame, self.shear_modulus, np.eye(H.shape[-1]))
        P = np.einsum("ijkl,...kl->...ij", C, strain)
        tangent = np.broadcast_to(C, (*H.shape[:-2], *C.shape))
        return Response(0.5 * np.einsum("...ij,...ij->...", P, strain), P, tangent)

    def thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """F₃₃ = 1 + ε₃₃, ε₃₃ = −ν/(1 − ν) tr ε in plane stress."""
        if self.plane == "strain":
            return np.ones(H.shape[:-2])
        result: np.ndarray = 1 - self.nu / (1 - self.nu) * np.trace(H, axis1=-2, axis2=-1)
        return result


@dataclass(frozen=True)
class NeoHookean(Material):
    """Compressible neo-Hookean: W = μ/2 (tr C − 3) − μ ln J + λ/2 (ln J)².

    C = FᵀF and J = det F are three-dimensional. P = μ (F − F⁻ᵀ) + λ ln J F⁻ᵀ. In plane stress F₃₃ solves
    S₃₃ = 0, μ (F₃₃² − 1) + λ ln(j F₃₃) = 0 with j the in-plane det F, and the tangent is condensed: λ becomes
    2μλF₃₃²/(2μF₃₃² + λ). NaN where det F ≤ 0. For ν < 0 the law is not polyconvex: below some j there is no
    equilibrium thickness (NaN).
    """

    name: ClassVar[str] = "neo-hookean"
    additive_strain: ClassVar[bool] = False

    @property
    def _needs_finite_bulk_modulus(self) -> bool:
        return True

    @property
    def lame(self) -> float:
        """λ of the three-dimensional law [Pa]: E ν/((1 + ν)(1 − 2ν))."""
        return self.E * self.nu / ((1 + self.nu) * (1 - 2 * self.nu))

    @property
    def code(self) -> int:
        """Id of the law in the compiled code."""
        return (
            kernels.constitutive.NEO_HOOKEAN_STRESS
            if self.plane == "stress"
            else kernels.constitutive.NEO_HOOKEAN_STRAIN
        )

    def response(self, H: np.ndarray) -> Response:
        """Energy, stress and tangent at H = ∂u/∂X, (..., d, d)."""
        lam, mu = self.lame, self.shear_modulus
        eye, d = np.eye(H.shape[-1]), H.shape[-1]
        F = eye + H
        j = np.linalg.det(F)
        inverse = np.linalg.inv(np.where((j > 0)[..., None, None], F, np.nan))
        f = np.swapaxes(inverse, -1, -2)
        c = self.thickness_stretch(H)  # 1 in space
        log_J = np.log(np.where(j > 0, j, np.nan) * c)
        energy = (
            0.5 * mu * (np.einsum("...ij,...ij->...", F, F) + (3 - d) * c**2 - 3) - mu * log_J + 0.5 * lam * log_J**2
        )
        stress = mu * (F - f) + (lam * log_J)[..., None, None] * f
        condensed = 2 * mu * lam * c**2 / (2 * mu * c**2 + lam) if self.plane == "stress" else np.full_like(c, lam)
        tangent = (
            mu * np.einsum("ik,jl->ijkl", eye, eye)
            + np.einsum("...,...il,...kj->...ijkl", mu - lam * log_J, f, f)
            + np.einsum("...,...ij,...kl->...ijkl", condensed, f, f)
        )
        return Response(energy, stress, tangent)

    def thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """F₃₃ from S₃₃ = 0 by Newton in y = ln F₃₃ (convex, see constitutive.log_thickness_stretch)."""
        if self.plane == "strain":
            return np.ones(H.shape[:-2])
        j = np.linalg.det(np.eye(2) + H)
        log_j = np.log(np.where(j > 0, j, np.nan))
        y = np.zeros_like(log_j)
        for _ in range(kernels.constitutive.THICKNESS_ITERATIONS):
            slope = 2 * self.shear_modulus * np.exp(2 * y) + self.lame
            step = (self.shear_modulus * np.expm1(2 * y) + self.lame * (log_j + y)) / slope
            y = np.where(slope > 0, y - step, np.nan)
            if not np.any(np.abs(step) >= kernels.constitutive.THICKNESS_TOLERANCE):
                break
        return np.exp(y)


MATERIALS: dict[str, type[Material]] = {
    "st-venant-kirchhoff": StVenantKirchhoff,
    "neo-hookean": NeoHookean,
    "small-strain": SmallStrain,
}


COMPILED = StVenantKirchhoff, NeoHookean, SmallStrain
"""Laws that ``fem/kernels/constitutive.py`` has."""


def check_material(material: object) -> None:
    """Refuse what is no material, and a law that the compiled loops of bodies do not have: ValueError."""
    check_kind("material", material, Material, "StVenantKirchhoff(E=2e5, nu=0.3)")
    kind, asked = type(material), ("code", "parameters", "response", "thickness_stretch")
    if not any(all(getattr(kind, name) is getattr(law, name) for name in asked) for law in COMPILED):
        known = ", ".join(law.__name__ for law in COMPILED)
        raise ValueError(
            f"material must be a law that the compiled loops have, {known}; they know nothing of a {kind.__name__} of one's own, "
            f"got {shown(material)}"
        )


def check_plate(thickness: float, density: float, material: Material, plane: str | None) -> None:
    """Refuse what no plate can be made of.

    Parameters
    ----------
    thickness, density : float
        m, kg/m³, finite and > 0.
    material : Material
        The law, an instance.
    plane : str or None
        The material's own plane, if given.

    Raises
    ------
    ValueError
        With one line on a bad value.
    """
    check_positive("", thickness=thickness, density=density)
    check_material(material)
    if plane not in (None, material.plane):
        raise ValueError(f"plane is {plane!r} but the material was made for plane {material.plane!r}")
