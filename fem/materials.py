"""Elastic materials: what their laws are made of, and energy, stress and tangent as functions of the displacement gradient.

A material is a frozen dataclass (E, nu, plane and what else its law needs); its ``parameters`` and three compiled functions,
which ``register`` names, are its law (fem/kernels/laws.py). Where H is (..., 3, 3) the law is that of space, with the λ of plane
strain (``in_space``). Sources: Holzapfel, Nonlinear Solid Mechanics (2000), section 6.5; Bonet & Wood (2008), section 6.4.3.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

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
class Material:
    """Represent an elastic material; use one of the laws in ``MATERIALS``, or a class of one's own with a law (``register``).

    Parameters
    ----------
    E : float
        Young's modulus at rest, Pa.
    nu : float
        Poisson's ratio at rest, -.
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
    """Whether rigid rotations leave it free of force; if not, strain and rotation have limits."""
    softens_in_compression: ClassVar[bool] = False
    """Whether the smallest stretch has a limit."""
    additive_strain: ClassVar[bool] = False
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
        return True

    @property
    def shear_modulus(self) -> float:
        """μ = E / (2 (1 + ν)) [Pa]."""
        return self.E / (2 * (1 + self.nu))

    @property
    def lame(self) -> float:
        """λ = E ν/((1 + ν)(1 − 2ν)) [Pa]."""
        return self.E * self.nu / ((1 + self.nu) * (1 - 2 * self.nu))

    def in_space(self) -> Self:
        """Return the law of three-dimensional bodies: that of plane strain, where nothing is condensed."""
        return replace(self, plane="strain")

    @property
    def parameters(self) -> np.ndarray:
        """The numbers p that the functions of the law take; (λ, μ) [Pa] unless a class says otherwise."""
        return np.array([self.lame, self.shear_modulus])

    def block(self, kind: int, d: int) -> Any:
        """Return the compiled ``kernels.laws.block`` of a kind of values for d axes."""
        return kernels.laws.block(kind, law_of(type(self)), d, self.plane == "stress", len(self.parameters))

    def _values(self, kind: int, H: np.ndarray, size: int) -> np.ndarray:
        return kernels.laws.values(self.block(kind, H.shape[-1]).address, self.parameters, H, size)

    def response(self, H: np.ndarray) -> Response:
        """Return energy, stress and tangent at H = ∂u/∂X (..., d, d)."""
        d, points = H.shape[-1], H.shape[:-2]
        tangent = self._values(kernels.laws.MODULI, H, d**4).reshape(*points, d, d, d, d)
        energy, stress = self._values(kernels.laws.ENERGY, H, 1)[..., 0], self._values(kernels.laws.STRESS, H, d * d)
        return Response(energy, stress.reshape(H.shape), tangent)

    def thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """Return F₃₃ (...) at H = ∂u/∂X (..., 2, 2): 1 in plane strain, from S₃₃ = 0 in plane stress; NaN where there is none."""
        if self.plane == "strain":
            return np.ones(H.shape[:-2])
        block = kernels.laws.block(kernels.laws.THICKNESS, law_of(type(self)), 2, True, len(self.parameters))
        return kernels.laws.values(block.address, self.in_space().parameters, H, 1)[..., 0]


@dataclass(frozen=True)
class _Linear(Material):
    """A law whose stress S or P is linear in its strain E or ε: in plane stress the same law with a condensed λ."""

    additive_strain: ClassVar[bool] = True

    @property
    def _needs_finite_bulk_modulus(self) -> bool:
        # In plane stress λ of the in-plane law is E ν/(1 − ν²), which stays finite at ν = 1/2.
        return self.plane == "strain"

    @property
    def lame(self) -> float:
        """λ of the in-plane law [Pa]: E ν/((1 + ν)(1 − 2ν)); condensed in plane stress: E ν/(1 − ν²)."""
        return self.E * self.nu / (1 - self.nu**2) if self.plane == "stress" else super().lame


@dataclass(frozen=True)
class StVenantKirchhoff(_Linear):
    """St. Venant-Kirchhoff: W = λ/2 (tr E)² + μ E:E, S = λ tr E 1 + 2μ E, P = F S, E = (FᵀF − 1)/2.

    In plane stress λ is the condensed E ν/(1 − ν²): S₃₃ = 0 exactly. Softens in compression and loses
    stability there (uniaxially below the stretch 1/√3); nothing in the law resists det F → 0.
    """

    name: ClassVar[str] = "st-venant-kirchhoff"
    softens_in_compression: ClassVar[bool] = True

    def thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """F₃₃ = √(1 + 2E₃₃), E₃₃ = −ν/(1 − ν) tr E in plane stress; NaN where 1 + 2E₃₃ < 0."""
        if self.plane == "strain":
            return np.ones(H.shape[:-2])
        trace = np.trace(H, axis1=-2, axis2=-1) + 0.5 * np.einsum("...ki,...ki->...", H, H)
        square = 1 - 2 * self.nu / (1 - self.nu) * trace
        return np.sqrt(np.where(square >= 0, square, np.nan))


@dataclass(frozen=True)
class SmallStrain(_Linear):
    """Linear elasticity: W = λ/2 (tr ε)² + μ ε:ε, P = λ tr ε 1 + 2μ ε, ε = sym H; not rotation invariant."""

    name: ClassVar[str] = "small-strain"
    finite_strain: ClassVar[bool] = False

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

    @property
    def parameters(self) -> np.ndarray:
        """λ, μ [Pa], and 1 in plane stress, else 0."""
        return np.array([self.lame, self.shear_modulus, float(self.plane == "stress")])


MATERIALS: dict[str, type[Material]] = {
    "st-venant-kirchhoff": StVenantKirchhoff,
    "neo-hookean": NeoHookean,
    "small-strain": SmallStrain,
}


_registered: dict[type[Material], Any] = {}


def register(
    material: type[Material],
    *,
    energy: Callable[..., Any],
    stress: Callable[..., Any],
    moduli: Callable[..., Any],
    in_plane: bool = False,
) -> None:
    """Give a class of materials its law: from then on bodies take it.

    Parameters
    ----------
    material : type[Material]
        The class.
    energy, stress, moduli : Callable
        ``energy(p, dims, H)`` returns W, J/m³, ``stress(p, dims, H, P)`` writes P = ∂W/∂F, Pa, and ``moduli(p, dims, H, A)``
        writes A = ∂P/∂F, Pa, at one point; each is compiled by ``numba.njit``. p: the material's ``parameters`` as a tuple;
        dims: a tuple of length d; H = F − 1 and P: (d, d); A: (d, d, d, d).
    in_plane : bool
        They take d = 2 as well as d = 3, with the parameters that the material has in its plane. If not, the law of space is
        evaluated in the plane, with F₃₃ = 1 or S₃₃ = 0.
    """
    _registered[material] = kernels.laws.Law(energy, stress, moduli, in_plane)


def has_law(material: type[Material]) -> bool:
    """Return whether bodies take a class of materials: one of ``MATERIALS``, or one that is registered."""
    return material in _registered or MATERIALS.get(material.name) is material


def law_of(material: type[Material]) -> Any:
    """Return the ``fem.kernels.laws.Law`` of a class of materials that ``has_law``."""
    return _registered[material] if material in _registered else kernels.laws.LAWS[material.name]


def check_material(material: object) -> None:
    """Refuse what is no material, and one whose law is not registered: ValueError."""
    check_kind("material", material, Material, "StVenantKirchhoff(E=2e5, nu=0.3)")
    if not has_law(type(material)):  # type: ignore[arg-type]
        known = ", ".join(law.__name__ for law in (*MATERIALS.values(), *_registered))
        raise ValueError(
            f"the law of {type(material).__name__} is not registered (fem.materials.register), as those of {known} are"
        )


def check_plate(thickness: float, density: float, material: Material, plane: str | None) -> None:
    """Refuse a ``thickness`` m, ``density`` kg/m³ or material of which no plate can be made, or that is not of the ``plane`` given:
    ValueError."""
    check_positive("", thickness=thickness, density=density)
    check_material(material)
    if plane not in (None, material.plane):
        raise ValueError(f"plane is {plane!r} but the material was made for plane {material.plane!r}")
