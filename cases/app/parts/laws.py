"""Friction laws from parameters, and checks of these.

The weights of a law with two coefficients have the static one, w = mu_s p_n area; the law has dynamic_ratio = mu/mu_s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import signature
from typing import TYPE_CHECKING, Protocol

import numpy as np

import friction
from cases.app.parts.fields import uniform_value

if TYPE_CHECKING:
    from friction import Law


class LawParameters(Protocol):
    """Parameters of a friction law."""

    law: str
    mu: float | str
    mu_s: float | None
    v_reg: float
    v_s: float
    v_d: float | None
    max_stiction_deformation: float
    stribeck_speed: float
    stribeck_exponent: float
    mu_across: float | None
    axis_angle: float
    spline_speeds: tuple[float, ...]
    spline_values: tuple[float, ...]
    max_force: float | None


class GroundParameters(LawParameters, Protocol):
    """Parameters of a friction law, and the pressure on the ground."""

    pressure: float | str | None


def has(law: str, coefficient: str) -> bool:
    """True where the law `law` has a coefficient of this name."""
    return coefficient in signature(friction.LAWS[law]).parameters


def check(params: LawParameters) -> None:
    """Raise ValueError, one line, where parameters of the chosen law contradict each other.

    Parameters of other laws are ignored, so that a sweep over laws can give all of them.
    """
    law, mu, mu_s = params.law, params.mu, params.mu_s
    two, second = has(law, "dynamic_ratio"), _second_coefficient(params)
    if isinstance(mu, str) and second:
        raise ValueError(f"mu: expected a number with {second} and law {law}, got the expression {mu!r}")
    if two and mu_s is not None and not mu_s >= uniform_value(mu):
        raise ValueError(f"mu_s: expected a number >= mu = {mu:g}, got {mu_s!r}")
    if two and mu == 0 and mu_s:
        raise ValueError(f"mu: expected a number > 0 with mu_s = {mu_s:g} and law {law}, got 0")
    if has(law, "v_d") and params.v_d is not None and not params.v_d > params.v_s:
        raise ValueError(f"v_d: expected a number > v_s = {params.v_s:g} with law {law}, got {params.v_d!r}")
    if not has(law, "speeds"):
        return
    given = [name for name in ("spline_speeds", "spline_values") if getattr(params, name)]
    if len(given) < 2:
        raise ValueError(
            f"spline_speeds and spline_values: expected two lists of one length with law {law}, got {given}"
        )
    if mu == 0 and has(law, "forces"):
        raise ValueError(f"mu: expected a number > 0 with law {law}, which shares its force by weight, got 0")
    try:
        build(params)
    except ValueError as error:
        raise ValueError(f"spline_speeds and spline_values: {str(error).split(': ', 1)[-1]}") from error


def agrees(params: LawParameters) -> bool:
    """True where ``check`` accepts the parameters."""
    try:
        check(params)
    except ValueError:
        return False
    return True


def _second_coefficient(params: LawParameters) -> str:
    """Name of the chosen law's second coefficient where it is given as a number, else empty."""
    second = {"dynamic_ratio": ("mu_s", params.mu_s), "ratio": ("mu_across", params.mu_across)}
    given = [name for own, (name, value) in second.items() if has(params.law, own) and value is not None]
    return given[0] if given else ""


def bound_coefficient(params: LawParameters) -> float | str:
    """Coefficient of the bounds w: mu_s of a law with two; the largest value of a coefficient spline."""
    if has(params.law, "coefficients"):
        result: float = max(params.spline_values)
        return result
    given: float | str = params.mu_s if has(params.law, "dynamic_ratio") and params.mu_s is not None else params.mu
    return given


def static_coefficient(params: LawParameters) -> float:
    """`bound_coefficient` as a number; NaN where it is an expression."""
    return uniform_value(bound_coefficient(params))


def frictionless(params: LawParameters) -> bool:
    """True where the largest coefficient of the chosen law is zero everywhere."""
    return bound_coefficient(params) == 0.0


def build(params: LawParameters) -> Law:
    """Friction law of `params`."""
    make = friction.LAWS[params.law]
    law = make(**{name: COEFFICIENTS[name](params) for name in signature(make).parameters if name in COEFFICIENTS})
    return law if params.max_force is None else friction.Limited(law, params.max_force)


def plain_coulomb(params: GroundParameters) -> bool:
    """True for the friction of the exact solutions: Coulomb's without a limit, with uniform mu and p_n."""
    return bool(params.law == "coulomb" and params.max_force is None and uniform(params))


def uniform(params: GroundParameters) -> bool:
    """True where mu and p_n are numbers, uniform in space and time."""
    return not isinstance(params.mu, str) and not isinstance(params.pressure, str)


def _ratio(params: LawParameters) -> float:
    static = static_coefficient(params)
    return uniform_value(params.mu) / static if static > 0.0 else 1.0


def _coefficients(params: LawParameters) -> tuple[float, ...]:
    largest = static_coefficient(params) or 1.0
    return tuple((np.asarray(params.spline_values) / largest).tolist())


COEFFICIENTS: dict[str, Callable[[LawParameters], object]] = {
    "v_reg": lambda p: p.v_reg,
    "v_s": lambda p: p.v_s,
    "v_d": lambda p: 1.5 * p.v_s if p.v_d is None else p.v_d,
    "dynamic_ratio": _ratio,
    "max_stiction_deformation": lambda p: p.max_stiction_deformation,
    "stribeck_speed": lambda p: p.stribeck_speed,
    "exponent": lambda p: p.stribeck_exponent,
    "ratio": lambda p: uniform_value(p.mu) / p.mu_across if p.mu_across and p.mu != 0 else 1.0,
    "angle": lambda p: p.axis_angle,
    "speeds": lambda p: p.spline_speeds,
    "forces": lambda p: p.spline_values,
    "coefficients": _coefficients,
}
"""Coefficients of the laws, by their names there, from parameters. A law with these coefficients needs a line in `friction.LAWS`
only; a new coefficient needs a line here, and a parameter."""

NAMED_OTHERWISE = {
    "dynamic_ratio": "mu_s",
    "exponent": "stribeck_exponent",
    "ratio": "mu_across",
    "angle": "axis_angle",
    "speeds": "spline_speeds",
    "forces": "spline_values",
    "coefficients": "spline_values",
}
"""Parameters whose names differ from their coefficient's."""


def parameters_of(law: str) -> set[str]:
    """Names of the parameters of the law `law`."""
    return {
        NAMED_OTHERWISE.get(name, name) for name in signature(friction.LAWS[law]).parameters if name in COEFFICIENTS
    }


def parameters_of_others(laws: Iterable[str]) -> set[str]:
    """Names of the parameters of other laws that none of `laws` has."""
    return {name for law in friction.LAWS for name in parameters_of(law)} - {
        name for law in laws for name in parameters_of(law)
    }
