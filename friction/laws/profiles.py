"""Laws of friction over speed by a formula: Coulomb's, static/kinetic and Stribeck's, with stick, and two that creep.

Laws with stick are set-valued, |lambda| <= w at v = 0, with w the static bound. Falling friction amplifies slip: the step
g(v) + lambda = 0 has one solution only while the inertia in g outweighs the fall, w |dm/ds| < m/tau for a single block.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from friction.arrays import shown
from friction.laws.common import CONSTANT, FALLING, ROOT, STEPS, require_fraction, require_positive
from friction.laws.radial import CompiledRadial


@dataclass(frozen=True)
class Coulomb(CompiledRadial):
    """Set-valued Coulomb friction: ``λ = w v/|v|`` in slip, ``|λ| <= w`` at v = 0."""

    kind: ClassVar[int] = CONSTANT
    set_valued: ClassVar[bool] = True
    constant: ClassVar[bool] = True
    rate_independent: ClassVar[bool] = True

    @property
    def own(self) -> tuple[float, ...]:
        """m = 1."""
        return (1.0,)


@dataclass(frozen=True)
class StaticKinetic(CompiledRadial):
    """Static and kinetic coefficients: ``|λ| <= w`` in stick, ``λ = w dynamic_ratio v/|v|`` in slip.

    The jump is in time, not in speed: a node has the static bound until it slips and the kinetic one from then on,
    until it comes to rest and a new solve begins (see ``friction.solve``).

    Parameters
    ----------
    dynamic_ratio : float
        mu_d/mu_s in (0, 1].
    """

    dynamic_ratio: float
    kind: ClassVar[int] = CONSTANT
    parameters: ClassVar[tuple[str, ...]] = ("dynamic_ratio",)
    set_valued: ClassVar[bool] = True
    constant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_fraction("StaticKinetic", "dynamic_ratio", self.dynamic_ratio)

    @property
    def static(self) -> float:
        return min(1.0, self.cap)


@dataclass(frozen=True)
class Stribeck(CompiledRadial):
    """Stribeck's curve with true stick: m(s) = r + (1 − r) exp(−(s/stribeck_speed)^exponent), r = dynamic_ratio.

    Parameters
    ----------
    dynamic_ratio : float
        r in (0, 1].
    stribeck_speed : float
        m/s, > 0.
    exponent : float
        >= 1 (below it no step would be short enough from rest): 2 is Gauss', 1 Tustin's curve.
    """

    dynamic_ratio: float
    stribeck_speed: float
    exponent: float = 2.0
    kind: ClassVar[int] = FALLING
    parameters: ClassVar[tuple[str, ...]] = ("dynamic_ratio", "stribeck_speed", "exponent")
    set_valued: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_fraction("Stribeck", "dynamic_ratio", self.dynamic_ratio)
        require_positive("Stribeck", stribeck_speed=self.stribeck_speed, exponent=self.exponent)
        if self.exponent < 1.0:
            raise ValueError(f"Stribeck: exponent must be at least 1, got {shown(self.exponent)}")

    @property
    def constant(self) -> bool:
        return self.dynamic_ratio == 1.0

    def knots(self) -> tuple[float, ...]:
        """0 and the speed by which the curve has fallen."""
        return (0.0, self.stribeck_speed * math.log(1e4) ** (1.0 / self.exponent))


@dataclass(frozen=True)
class Smooth(CompiledRadial):
    """Regularised Coulomb friction: ``λ = w v/sqrt(|v|² + v_reg²)``. It creeps; it never sticks.

    Parameters
    ----------
    v_reg : float
        Regularisation speed, m/s, > 0.
    """

    v_reg: float
    kind: ClassVar[int] = ROOT
    parameters: ClassVar[tuple[str, ...]] = ("v_reg",)
    set_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive("Smooth", v_reg=self.v_reg)


@dataclass(frozen=True)
class Sliding(CompiledRadial):
    """RecurDyn's sliding type, λ = w m(s) n: m = step5(s, −v_s, −1, v_s, 1) up to v_s, step5(s, v_s, 1, v_d, dynamic_ratio) beyond.

    RecurDyn's formulas and its Figure 6.293 are this profile, see docs/laws-and-contact.md.

    Parameters
    ----------
    v_s, v_d : float
        Static and dynamic threshold speeds, m/s, 0 < v_s < v_d.
    dynamic_ratio : float
        mu_d/mu_s in (0, 1]; w is the static bound.
    """

    v_s: float
    v_d: float
    dynamic_ratio: float
    kind: ClassVar[int] = STEPS
    parameters: ClassVar[tuple[str, ...]] = ("v_s", "v_d", "dynamic_ratio")
    set_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_speeds("Sliding", self.v_s, self.v_d, self.dynamic_ratio)

    def knots(self) -> tuple[float, ...]:
        return (0.0, self.v_s, self.v_d)


def check_speeds(law: str, v_s: float, v_d: float, dynamic_ratio: float) -> None:
    """Check threshold speeds v_s, v_d, m/s, and a dynamic_ratio, -: ValueError names the ``law``."""
    require_positive(law, v_s=v_s, v_d=v_d)
    if not v_d > v_s:
        raise ValueError(f"{law}: v_d must be larger than v_s = {v_s!r} m/s, got {v_d!r}")
    require_fraction(law, "dynamic_ratio", dynamic_ratio)
