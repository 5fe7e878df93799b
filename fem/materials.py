"""Elastic materials: energy, stress and tangent as functions of the displacement gradient.

A material is a law with its parameters, in a plane or in space (``in_space``: λ as in plane strain). Materials of this package
are frozen dataclasses of E, nu and plane; a user's law is a named tuple of its parameters, whose compiled functions
``register_material`` registers (fem/kernels/laws.py). Sources: Holzapfel, Nonlinear Solid Mechanics (2000), section 6.5; Bonet
& Wood (2008), section 6.4.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from fem import kernels
from fem.input_checks import check_choice, check_positive, check_type, is_number, shown

if TYPE_CHECKING:
    from fem.kernels.laws import Law, Moduli

PLANES = ("stress", "strain")


class Response(NamedTuple):
    """Response of a material at displacement gradients (..., d, d), d = 2 or 3.

    Parameters
    ----------
    energy : ndarray
        Strain energy density (...), J/m³.
    stress : ndarray
        First Piola-Kirchhoff P_iJ (..., d, d), Pa.
    tangent : ndarray
        Moduli ∂P_iJ/∂F_kL (..., d, d, d, d), Pa.
    """

    energy: np.ndarray
    stress: np.ndarray
    tangent: np.ndarray


class Material:
    """Material of a body: a law of ``MATERIALS``, or a registered one (``register_material``)."""

    plane: str
    """"stress" (thickness free) or "strain" (thickness fixed; in space)."""
    law: Any
    """The named tuple of the parameters of the law, in this plane."""
    functions: Law
    """Compiled functions of the law."""
    name: ClassVar[str] = ""
    condensed: ClassVar[bool] = False
    """Plane stress follows from the form in space, by S₃₃ = 0."""
    finite_strain: ClassVar[bool] = True
    """Rigid rotations leave the material free of force; if not, strain and rotation have limits."""
    softens_in_compression: ClassVar[bool] = False
    """The smallest stretch has a limit."""
    additive_strain: ClassVar[bool] = False
    """The stress S or P is linear in the strain E or ε, which is the sum of an elastic and a thermal part."""

    def in_space(self) -> Self:
        """The same law for bodies in space, as in plane strain, without condensation."""
        return replace(self, plane="strain")  # type: ignore[type-var]  # dataclasses all

    @property
    def parameters(self) -> np.ndarray:
        """Parameters of the law in the layout of the element loops."""
        return np.array(self.law, float)

    def block(self, kind: int, d: int) -> Any:
        """Compiled block function (``law_blocks.block``) for d axes; ``kind``: its result."""
        condensed = d == 2 and self.plane == "stress" and (self.condensed or kind == kernels.law_blocks.THICKNESS)
        parameters: Any = type(self.law)
        objective = kind == kernels.law_blocks.ENERGY and self.finite_strain
        return kernels.law_blocks.block(kind, self.functions, parameters, d, condensed, objective)

    def evaluate(self, kind: int, H: np.ndarray) -> np.ndarray:
        """Energy (...), stress (..., d, d) or moduli (..., d, d, d, d) at H = ∂u/∂X (..., d, d), by the ``kind`` of the result."""
        shape = (H.shape[-1],) * (0, 2, 4)[kind]
        block = self.block(kind, H.shape[-1])
        values = kernels.law_blocks.evaluate(block.address, self.parameters, H, math.prod(shape))
        return values.reshape((*H.shape[:-2], *shape))

    def response(self, H: np.ndarray) -> Response:
        """Energy, stress and tangent at H = ∂u/∂X (..., d, d)."""
        return Response(*(self.evaluate(kind, H) for kind in range(3)))

    def thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """F₃₃ (...) at H = ∂u/∂X (..., 2, 2): 1 in plane strain, from S₃₃ = 0 in plane stress; NaN without a solution."""
        if self.plane == "strain":
            return np.ones(H.shape[:-2])
        block = self.block(kernels.law_blocks.THICKNESS, 2)
        return kernels.law_blocks.evaluate(block.address, self.in_space().parameters, H, 1)[..., 0]


@dataclass(frozen=True)
class Isotropic(Material):
    """Isotropic material with its moduli at rest; use one of the laws in ``MATERIALS``.

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
        For a bad value, in one line.
    """

    E: float
    nu: float
    plane: str = "stress"

    def __post_init__(self) -> None:
        check_positive("Pa", E=self.E)
        if not is_number(self.nu):
            raise ValueError(f"nu must be a number, got {shown(self.nu)}")
        check_choice(PLANES, "plane", self.plane)
        if not self.additive_strain or self.plane == "strain":
            if not -1 < self.nu < 0.5:
                law = self.name + (" in plane strain" if self.plane == "strain" else "")
                raise ValueError(f"nu must lie in -1 < nu < 0.5 (finite bulk modulus) for {law}, got {self.nu}")
        elif not -1 < self.nu <= 0.5:
            raise ValueError(
                f"nu must lie in -1 < nu <= 0.5 for {self.name} (below 0.5 in plane strain and in space), got {self.nu}"
            )

    def in_space(self) -> Self:
        """The same law for bodies in space. Raises ValueError for an infinite bulk modulus."""
        if not -1 < self.nu < 0.5:
            raise ValueError(f"nu of a solid must lie in -1 < nu < 0.5 (finite bulk modulus), got {self.nu}")
        return super().in_space()

    @property
    def shear_modulus(self) -> float:
        """μ = E / (2 (1 + ν)) [Pa]."""
        return self.E / (2 * (1 + self.nu))

    @property
    def lame(self) -> float:
        """λ of the law in its plane [Pa]: E ν/((1 + ν)(1 − 2ν)); condensed in plane stress of linear laws: E ν/(1 − ν²)."""
        if self.additive_strain and self.plane == "stress":
            return self.E * self.nu / (1 - self.nu**2)
        return self.E * self.nu / ((1 + self.nu) * (1 - 2 * self.nu))

    def thickness_stretch(self, H: np.ndarray) -> np.ndarray:
        """F₃₃; of linear laws √(1 + 2E₃₃), NaN where this is not real, or 1 + ε₃₃, E₃₃ = −ν/(1 − ν) tr E in plane stress."""
        if not self.additive_strain or self.plane == "strain":
            return super().thickness_stretch(H)
        squares = 0.5 * np.einsum("...ki,...ki->...", H, H) if self.finite_strain else 0.0
        normal = -self.nu / (1 - self.nu) * (np.trace(H, axis1=-2, axis2=-1) + squares)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sqrt(1 + 2 * normal) if self.finite_strain else 1 + normal)

    @property
    def law(self) -> Moduli:
        """Parameters (λ, μ) [Pa], and 1 for a law that solves for its thickness stretch in plane stress."""
        return kernels.laws.Moduli(
            self.lame, self.shear_modulus, float(not self.additive_strain and self.plane == "stress")
        )

    @property
    def functions(self) -> Law:  # type: ignore[override]
        """Compiled functions of the law of this name."""
        return kernels.laws.LAWS[self.name]


@dataclass(frozen=True)
class StVenantKirchhoff(Isotropic):
    """St. Venant-Kirchhoff: W = λ/2 (tr E)² + μ E:E, S = λ tr E 1 + 2μ E, P = F S, E = (FᵀF − 1)/2.

    In plane stress λ is the condensed E ν/(1 − ν²): S₃₃ = 0 exactly. Softens in compression and loses
    stability there (uniaxially below the stretch 1/√3); nothing in the law resists det F → 0.
    """

    name: ClassVar[str] = "st-venant-kirchhoff"
    additive_strain: ClassVar[bool] = True
    softens_in_compression: ClassVar[bool] = True


@dataclass(frozen=True)
class SmallStrain(Isotropic):
    """Linear elasticity: W = λ/2 (tr ε)² + μ ε:ε, P = λ tr ε 1 + 2μ ε, ε = sym H; not rotation invariant."""

    name: ClassVar[str] = "small-strain"
    additive_strain: ClassVar[bool] = True
    finite_strain: ClassVar[bool] = False


@dataclass(frozen=True)
class NeoHookean(Isotropic):
    """Compressible neo-Hookean: W = μ/2 (tr C − 3) − μ ln J + λ/2 (ln J)².

    C = FᵀF and J = det F are three-dimensional. P = μ (F − F⁻ᵀ) + λ ln J F⁻ᵀ. In plane stress F₃₃ solves S₃₃ = 0, μ (F₃₃² − 1) + λ
    ln(j F₃₃) = 0 with j the in-plane det F, and the tangent is condensed: λ becomes 2μλF₃₃²/(2μF₃₃² + λ). NaN where det F ≤ 0. For
    ν < 0 the law is not polyconvex: below some j there is no equilibrium thickness (NaN).
    """

    name: ClassVar[str] = "neo-hookean"


MATERIALS: dict[str, type[Isotropic]] = {
    "st-venant-kirchhoff": StVenantKirchhoff,
    "neo-hookean": NeoHookean,
    "small-strain": SmallStrain,
}


_REGISTERED: dict[type, Law] = {}
PROBE_STRAIN = 0.02
"""Size of the H, -, at which a registered law is checked when a body is built."""
DIFFERENCE_STEP, LAW_TOLERANCE = 1e-5, 1e-6
"""Step of the central differences, -, and tolerance of residuals over the largest modulus, in checks of a registered law."""


@dataclass(frozen=True)
class RegisteredMaterial(Material):
    """Material of a registered law, in a plane or in space; bodies make it from the named tuple of its parameters."""

    law: Any
    plane: str = "strain"
    condensed: ClassVar[bool] = True
    __hash__ = None  # type: ignore[assignment]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the law's class."""
        return type(self.law).__name__

    @property
    def functions(self) -> Law:  # type: ignore[override]
        """Functions registered for the law's class. Raises ValueError for an unregistered class."""
        return _registered(self.law)

    @property
    def softens_in_compression(self) -> bool:  # type: ignore[override]
        """The registered value."""
        return self.functions.softens_in_compression

    def stress_and_moduli(self, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P (d²,) and A (d², d²), Pa, at H (d, d)."""
        P, A = (self.evaluate(kind, H) for kind in (kernels.law_blocks.STRESS, kernels.law_blocks.MODULI))
        return P.ravel(), A.reshape(P.size, P.size)

    @cached_property
    def finite_strain(self) -> bool:  # type: ignore[override]
        """Objectivity P(QF) = Q P(F), checked at one F and one rotation in the plane."""
        d = 2 if self.plane == "stress" else 3
        H, Q = probe_gradient(d), np.eye(d)
        Q[:2, :2] = [[0.8, -0.6], [0.6, 0.8]]
        (P, A), (rotated, _) = self.stress_and_moduli(H), self.stress_and_moduli(Q @ (np.eye(d) + H) - np.eye(d))
        return bool(np.abs(rotated - (Q @ P.reshape(d, d)).ravel()).max() <= LAW_TOLERANCE * np.abs(A).max())

    def check(self, d: int) -> Self:
        """The material, if its functions describe an elastic law for d axes; ValueError otherwise."""
        H, size = probe_gradient(d), d * d
        P, A = self.stress_and_moduli(H)
        largest, what = np.abs(A).max(), f"the law {self.name} of {d} axes"
        if not np.isfinite(largest + np.abs(P).max()):
            raise ValueError(
                f"{what} has no finite stress and moduli at strains of {PROBE_STRAIN:g}: is its thickness stable?"
            )
        if np.abs(self.stress_and_moduli(np.zeros((d, d)))[0]).max() > LAW_TOLERANCE * largest:
            raise ValueError(f"{what} has a stress at rest, H = 0")
        if np.abs(A - A.T).max() > LAW_TOLERANCE * largest:
            raise ValueError(f"{what} has moduli that are not symmetric: its force is the derivative of no energy")
        directions = (DIFFERENCE_STEP * np.eye(size)).reshape(size, d, d)
        ahead, behind = (
            np.array([self.stress_and_moduli(H + sign * direction)[0] for direction in directions]) for sign in (1, -1)
        )
        if np.abs((ahead - behind).T / (2 * DIFFERENCE_STEP) - A).max() > 1e2 * LAW_TOLERANCE * largest:
            raise ValueError(f"{what} has a tangent that is not the derivative of its force")
        return self


def probe_gradient(d: int) -> np.ndarray:
    """Displacement gradient H (d, d) for checks, of size ``PROBE_STRAIN``, without symmetries."""
    return PROBE_STRAIN * np.array([[0.6, 0.7, -0.3], [-0.4, 0.5, 0.2], [0.1, -0.6, -0.8]])[:d, :d]


def register_material(
    law: type,
    force: Callable[..., Any],
    tangent: Callable[..., Any],
    *,
    energy: Callable[..., Any] | None = None,
    softens_in_compression: bool = False,
) -> None:
    """Register the functions of a class of laws, whose objects are then a ``material`` of bodies.

    Parameters
    ----------
    law : type
        Class of named tuples of the law's parameters, which are numbers.
    force, tangent : Callable
        ``force(law, dims, H, P, k)`` writes P = ∂W/∂F, Pa, ``tangent(law, dims, H, A, k)`` A = ∂P/∂F, Pa, of lane k, each
        compiled by ``numba.njit`` and written for d = len(dims) = 2 (plane strain) and 3. With W = ``fem.LANES``, H = F − 1
        and P have their entry (i, j) at (d i + j) W + k, A has (i, j, m, n) at (((i d + j) d + m) d + n) W + k.
    energy : Callable, optional
        ``energy(law, dims, H, k)`` returns W(F), J/m³. The default is the work of the stress along a straight
        path to the stretch U by 16 Gauss points, exact to rounding for smooth laws, at the cost of 16 forces.
    softens_in_compression : bool
        The verdict of a run checks the smallest stretch.

    Raises
    ------
    ValueError
        For a class that is not a named tuple, and for functions that are not callable, in one line.
    """
    if not (isinstance(law, type) and issubclass(law, tuple) and hasattr(law, "_fields")):
        raise ValueError(f"a law must be a class of named tuples, its parameters, got {shown(law)}")
    for name, function in (("force", force), ("tangent", tangent), ("energy", energy)):
        if not (callable(function) or (name == "energy" and function is None)):
            raise ValueError(f"{name} must be a function compiled by numba.njit, got {shown(function)}")
    _REGISTERED[law] = kernels.laws.Law(force, tangent, energy, bool(softens_in_compression))


def _registered(law: object) -> Law:
    if type(law) not in _REGISTERED:
        classes = ", ".join(each.__name__ for each in (*MATERIALS.values(), *_REGISTERED))
        raise ValueError(f"the law of {type(law).__name__} is not registered (fem.register_material), as {classes} are")
    return _REGISTERED[type(law)]


def material_of(given: object, d: int, plane: str | None = None) -> Material:
    """Material of a body with d axes from a ``given`` material or registered law.

    ``plane``: plane of a plate; None: as the material has it, plane strain for a registered law. Raises ValueError for other
    objects, for an unregistered law, such as a class derived from a registered one, and for a plane unlike the material's.
    """
    if plane is not None:
        check_choice(PLANES, "plane", plane)
    if isinstance(given, RegisteredMaterial):
        given = given.law
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        _registered(given)
        for name, value in zip(given._fields, given, strict=True):
            if not is_number(value):
                raise ValueError(f"{name} of {type(given).__name__} must be a finite number, got {shown(value)}")
        return RegisteredMaterial(given, plane or "strain").check(d)
    check_type("material", given, Material, "StVenantKirchhoff(E=2e5, nu=0.3)")
    assert isinstance(given, Material)
    if MATERIALS.get(given.name) is not type(given):
        _registered(given)
    if d == 3:
        return given.in_space()
    if plane not in (None, given.plane):
        raise ValueError(f"plane is {plane!r} but the material was made for plane {given.plane!r}")
    return given
