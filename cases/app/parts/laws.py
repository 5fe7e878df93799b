"""From parameters to friction laws: what the parameters of a law refuse, and the law itself.

A law with two coefficients has the static one in its weights, w = mu_s p_n area, and dynamic_ratio = mu/mu_s of its own.
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
    """The parameters of a case by which its law is built."""

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
    """The parameters of a law, and the pressure on the ground."""

    pressure: float | str | None


def laws_with(coefficient: str) -> tuple[str, ...]:
    """Return the names of the laws that have a coefficient of this name."""
    return tuple(name for name in friction.LAWS if has(name, coefficient))


def has(law: str, coefficient: str) -> bool:
    """Say whether the law called `law` has a coefficient of this name."""
    return coefficient in signature(friction.LAWS[law]).parameters


def check(params: LawParameters) -> None:
    """Refuse parameters of the law at hand that contradict each other: ValueError in one line.

    Those of other laws do not count, so that a sweep over laws can give them all.
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
    """Say whether the parameters of the law at hand do not contradict each other."""
    try:
        check(params)
    except ValueError:
        return False
    return True


def _second_coefficient(params: LawParameters) -> str:
    """Return the parameter by which the law at hand has a second coefficient, given as a number; empty where there is none."""
    second = {"dynamic_ratio": ("mu_s", params.mu_s), "ratio": ("mu_across", params.mu_across)}
    given = [name for own, (name, value) in second.items() if has(params.law, own) and value is not None]
    return given[0] if given else ""


def bound_coefficient(params: LawParameters) -> float | str:
    """Return the coefficient of the bounds w: mu_s of a law with two; of the coefficient spline its largest value."""
    if has(params.law, "coefficients"):
        result: float = max(params.spline_values)
        return result
    given: float | str = params.mu_s if has(params.law, "dynamic_ratio") and params.mu_s is not None else params.mu
    return given


def static_coefficient(params: LawParameters) -> float:
    """Return `bound_coefficient` as a number; NaN where it is an expression."""
    return uniform_value(bound_coefficient(params))


def frictionless(params: LawParameters) -> bool:
    """Say whether no law at hand gives friction: its largest coefficient is zero everywhere."""
    return bound_coefficient(params) == 0.0


def build(params: LawParameters) -> Law:
    """Return the friction law that `params` names."""
    make = friction.LAWS[params.law]
    law = make(**{name: COEFFICIENTS[name](params) for name in signature(make).parameters if name in COEFFICIENTS})
    return law if params.max_force is None else friction.Limited(law, params.max_force)


def plain_coulomb(params: GroundParameters) -> bool:
    """Say whether friction is that of the exact solutions: Coulomb's without a limit, mu and p_n the same everywhere."""
    return bool(params.law == "coulomb" and params.max_force is None and uniform(params))


def uniform(params: GroundParameters) -> bool:
    """Say whether mu and p_n are numbers, the same at all places and times."""
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
"""What parameters give for a coefficient of a law, by its name in the law. A law of these alone is offered by its line in
`friction.LAWS`; one with another coefficient has a line here too, and a parameter."""

NAMED_OTHERWISE = {
    "dynamic_ratio": "mu_s",
    "exponent": "stribeck_exponent",
    "ratio": "mu_across",
    "angle": "axis_angle",
    "speeds": "spline_speeds",
    "forces": "spline_values",
    "coefficients": "spline_values",
}
"""The parameter that gives a coefficient, where it has another name."""


def read_by(law: str) -> set[str]:
    """Return the names of the parameters that give the coefficients of the law called `law`."""
    return {
        NAMED_OTHERWISE.get(name, name) for name in signature(friction.LAWS[law]).parameters if name in COEFFICIENTS
    }


def unread_by(laws: Iterable[str]) -> set[str]:
    """Return the names of the parameters that some law reads, and none of `laws`."""
    return {name for law in friction.LAWS for name in read_by(law)} - {name for law in laws for name in read_by(law)}
