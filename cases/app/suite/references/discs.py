"""Discs, annuli and tiers that slide and spin under a uniform pressure, and a thick disc whose friction shifts the pressure.

With ε = v/(Rω) friction on a disc of radius R is μN f(ε) against v and μNR g(ε) against ω
(`cases.references.spinning_disc`). An annulus of inner over outer radius η is a disc less a disc of radius ηR, at the same
pressure, with N of the annulus:

    f_η(ε) = [f(ε) − η² f(ε/η)]/(1 − η²),   g_η(ε) = [g(ε) − η³ g(ε/η)]/(1 − η²),   J = κ m R².

The ratio obeys ε' ∝ ε g/κ − f: motion ends at a zero of f/ε − g/κ (Weidman and Malhotra 2007; a disc has κ = 1/2, an annulus
(1 + η²)/2, tiers any). As ε → 0 the disc's f/ε → 1 and g → 2/3, so that κ > 2/3 ends in pure spin; as ε → ∞ f → 1 and ε g →
1/4, so that κ < 1/4 ends in pure sliding."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipe, ellipkm1

from cases.app.suite.references import expect
from cases.app.suite.schema import Problem
from cases.references.space.curling_disc import forces
from cases.references.spinning_disc import friction_force, friction_torque

Array = NDArray[np.float64]
STOPPED = 1e-9
"""Relative speed at which a body counts as stopped: the remaining path is of the order of its square."""


def drag(ratio: float, inner: float) -> tuple[float, float]:
    """f and g of an annulus of inner over outer radius ``inner``, 0 a disc, 1 a ring, at v/(Rω) = ``ratio``."""
    if inner == 1.0:
        return _ring(ratio)
    force, torque = float(friction_force(ratio)), float(friction_torque(ratio))
    if inner > 0.0:
        force -= inner**2 * float(friction_force(ratio / inner))
        torque -= inner**3 * float(friction_torque(ratio / inner))
    return force / (1.0 - inner**2), torque / (1.0 - inner**2)


def _ring(ratio: float) -> tuple[float, float]:
    """f and g of a ring: means over the angle of (ε − sin a)/s and (1 − ε sin a)/s, s² = 1 + ε² − 2ε sin a, by complete
    elliptic integrals of k² = 4ε/(1 + ε)²: the mean of s is 2(1 + ε)E/π, that of 1/s 2K/(π(1 + ε)), and sin a = (1 + ε² −
    s²)/(2ε)."""
    rest = ((1.0 - ratio) / (1.0 + ratio)) ** 2  # 1 − k²
    mean = 2.0 * (1.0 + ratio) * float(ellipe(1.0 - rest)) / math.pi
    inverse = 2.0 * float(ellipkm1(rest)) / (math.pi * (1.0 + ratio)) if rest > 0.0 else 0.0  # times 0 below
    apart = inverse * (ratio**2 - 1.0)
    return (mean + apart) / (2.0 * ratio), (mean - apart) / 2.0


def terminal_ratio(inner: float, inertia: float) -> float:
    """v/(Rω) to which an annulus with J = ``inertia`` m R² tends; 0 where it ends in spin, infinity where it ends sliding."""

    def unbalance(log: float) -> float:
        ratio = math.exp(log)
        force, torque = drag(ratio, inner)
        return force / ratio - torque / inertia

    low, high = unbalance(-12.0), unbalance(7.0)
    if low > 0.0 and high > 0.0:
        return 0.0
    if low < 0.0 and high < 0.0:
        return math.inf
    return math.exp(float(brentq(unbalance, -12.0, 7.0, xtol=1e-15)))


class Stop(NamedTuple):
    """Time s, distance m and angle rad until a body stops, and v/(Rω) at an earlier instant."""

    time: float
    distance: float
    angle: float
    ratio: float


class Throw(NamedTuple):
    """A body of ``radius`` m, ``inner`` over outer radius and ``inertia`` J/(mR²), with deceleration a = μN/m, thrown at
    ``velocity`` m/s and ``spin`` rad/s, both > 0."""

    radius: float
    inner: float
    inertia: float
    deceleration: float
    velocity: float
    spin: float


def stop(throw: Throw, late: float) -> Stop:
    """Stop of a thrown body, with its ratio at ``late`` s, by integration over σ = −ln c, c² = v² + κ(Rω)², to 1e-11."""
    R, inner, kappa, a, v0, w0 = throw
    c0 = math.hypot(v0, math.sqrt(kappa) * R * w0)

    def rates(sigma: float, y: Array) -> list[float]:
        decay = math.exp(-sigma)
        u, w = math.sin(y[0]), math.cos(y[0]) / math.sqrt(kappa)  # v and Rω over c
        force, torque = drag(max(u / max(w, 1e-300), 1e-12), inner)
        power = force * u + torque * w  # −(m/a) c c'/c
        turn = force * math.cos(y[0]) - torque / math.sqrt(kappa) * math.sin(y[0])
        return [-turn / power, decay / power, decay**2 * u / power, decay**2 * w / power]

    first = math.atan2(v0, math.sqrt(kappa) * R * w0)
    done = solve_ivp(
        *(rates, (0.0, -math.log(STOPPED)), [first, 0.0, 0.0, 0.0], "DOP853"),
        rtol=1e-11,
        atol=1e-13,
        events=lambda sigma, y: y[1] - late * a / c0,
    )
    _, time, distance, angle = done.y[:, -1]
    ratio = math.tan(done.y_events[0][0][0]) * math.sqrt(kappa)
    return Stop(c0 * time / a, c0**2 / a * distance, c0**2 / a * angle / R, ratio)


def _throw(problem: Problem) -> Throw:
    p, body, start = problem.parameters, problem.body, problem.initial
    return Throw(
        body.radius,
        body.inner_radius / body.radius,
        body.inertia / (body.mass * body.radius**2),
        p["mu"] * p["gravity"],
        start.velocity[0],
        start.spin,
    )


def stopping(problem: Problem) -> dict[str, float]:
    """Stop of a body, and the terminal ratio of its motion (or its inverse, where the ratio grows)."""
    throw = _throw(problem)
    known = stop(throw, problem.parameters["late"])
    expect(known.time < problem.time.end, "the body stops before the end")
    ratio = terminal_ratio(throw.inner, throw.inertia)
    values = {"distance": known.distance, "angle": known.angle}
    values |= {"ratio_late": known.ratio, "inverse_late": 1.0 / known.ratio}
    return values | {"terminal_ratio": ratio, "terminal_inverse": 1.0 / ratio if ratio > 0.0 else math.inf}


class Curl(NamedTuple):
    """Position (x, y) m, angle rad and time s at which a thick disc stops."""

    x: float
    y: float
    angle: float
    time: float


def curl(throw: Throw, share: float) -> Curl:
    """Stop of a thick disc with μh/R = ``share``: pressure 1 + b·d, b from the moment of friction about the centre of mass.

    v' = −a drag, v ψ' = −a side, Rω' = −(a/κ) torque, with the forces of `cases.references.space.curling_disc`, over σ = −ln
    c."""
    R, _, kappa, a, v0, w0 = throw
    c0 = math.hypot(v0, math.sqrt(kappa) * R * w0)

    def rates(sigma: float, y: Array) -> list[float]:
        decay, heading = math.exp(-sigma), y[1]
        u, w = math.sin(y[0]), math.cos(y[0]) / math.sqrt(kappa)
        drag_, side, torque = forces(u / w, share)
        power = drag_ * u + torque * w
        turn = drag_ * math.cos(y[0]) - torque / math.sqrt(kappa) * math.sin(y[0])
        along = decay**2 * u / power
        return [
            *(-turn / power, -side / (u * power), decay / power),
            *(along * math.cos(heading), along * math.sin(heading), decay**2 * w / power),
        ]

    first = math.atan2(v0, math.sqrt(kappa) * R * w0)
    done = solve_ivp(rates, (0.0, 9.0), [first, 0.0, 0.0, 0.0, 0.0, 0.0], "DOP853", rtol=1e-8, atol=1e-10)
    _, _, time, x, y, angle = done.y[:, -1]
    length = c0**2 / a
    return Curl(length * x, length * y, length * angle / R, c0 * time / a)


def curling(problem: Problem) -> dict[str, float]:
    """Stop of a thick disc, and its lateral displacement."""
    p, body, start = problem.parameters, problem.body, problem.initial
    inertia = body.inertia[2] / (body.mass * body.base**2)
    throw = Throw(body.base, 0.0, inertia, p["mu"] * p["gravity"], start.velocity[0], start.spin[2])
    known = curl(throw, p["mu"] * body.height / body.base)
    return {"x_end": known.x, "y_end": known.y, "spin_way": known.angle, "stop_time": known.time}
