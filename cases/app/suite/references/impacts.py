"""Impacts and jams: Routh's process of a rigid body that hits the ground, Painlevé's sliding rod, a braking block that tips.

*Routh (1860).* The normal impulse P replaces time; positions are constant. At the contact, with the arm (x, y) from the
centre of mass, the velocity (u_t, u_n) changes as d(u_t, u_n) = W (dP_t, dP),

    W_tt = 1/m + y²/J,   W_nn = 1/m + x²/J,   W_tn = −xy/J.

Slip: dP_t = −μ sgn(u_t) dP. When u_t becomes 0: stick, dP_t = −(W_tn/W_tt) dP, if |W_tn| <= μ W_tt, else slip in the opposite
direction. Compression ends at u_n = 0 with the impulse P_c and the work ½∫u_n dP; restitution ends at u_n = −e u_n⁻ (Newton), P =
(1 + e) P_c (Poisson) or when the normal work of restitution is e² that of compression (Stronge).

*Painlevé.* A rod that slides on one end, at the angle θ to the ground, m g'' = A N + b, A = 1 + 3cos²θ − 3μ sinθ cosθ (half
length l, J = ml²/3, slip that pushes the end under the centre): contact forces cease to be unique for A <= 0, first at tan θ
= 2, μ = 4/3."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from cases.app.suite.references import expect
from cases.app.suite.schema import Problem

Array = NDArray[np.float64]


class Collision(NamedTuple):
    """Compliances W_tt, W_tn, W_nn of the contact, 1/kg, and its velocity before, m/s."""

    tt: float
    tn: float
    nn: float
    tangential: float
    normal: float


def impulses(hit: Collision, mu: float, restitution: float, law: str) -> tuple[float, float]:
    """Tangential and normal impulse, N s, of Routh's process, phase by phase: in each, rates over P are constant."""
    ut, un, P, Pt, work = hit.tangential, hit.normal, 0.0, 0.0, 0.0
    compressed: tuple[float, float] | None = None
    while True:
        rate = _friction(hit, mu, ut)
        dt, dn = hit.tt * rate + hit.tn, hit.tn * rate + hit.nn
        stop = -ut / dt if ut != 0.0 and ut * dt < 0.0 else math.inf
        turn = -un / dn if compressed is None and dn > 0.0 else math.inf
        end = math.inf
        if compressed is not None:
            end = _rest(un, dn, P, work, compressed, -hit.normal, restitution, law)
        step = min(stop, turn, end)
        assert step < math.inf, "the process goes on for ever"
        work += un * step + 0.5 * dn * step**2
        P, Pt, ut, un = P + step, Pt + rate * step, ut + dt * step, un + dn * step
        if step == stop:
            ut = 0.0
        if step == end:
            return Pt, P
        if step == turn:
            un, compressed = 0.0, (P, work)


def _friction(hit: Collision, mu: float, ut: float) -> float:
    """dP_t/dP in slip, in stick, or in reversed slip."""
    if ut != 0.0:
        return -mu * math.copysign(1.0, ut)
    hold = -hit.tn / hit.tt
    return hold if abs(hold) <= mu else -mu * math.copysign(1.0, hit.tn)


def _rest(
    un: float, dn: float, P: float, work: float, compressed: tuple[float, float], speed: float, e: float, law: str
) -> float:
    """Remaining impulse of restitution, at constant rates."""
    if law == "newton":
        return (e * speed - un) / dn
    if law == "poisson":
        return (1.0 + e) * compressed[0] - P
    left = -(e**2) * compressed[1] - (work - compressed[1])
    return (-un + math.sqrt(un**2 + 2.0 * dn * left)) / dn


def routh_impact(problem: Problem) -> dict[str, float]:
    """Velocities of the centre of mass and spin after the impact of a single point; energy must not grow."""
    body, start, ground = problem.body, problem.initial, problem.ground
    (x, y), m, J = body.points[0], body.mass, body.inertia
    (vx, vy), w = start.velocity, start.spin
    expect(w == 0.0, "the body does not turn before the impact")
    hit = Collision(1.0 / m + y * y / J, -x * y / J, 1.0 / m + x * x / J, vx - w * y, vy + w * x)
    Pt, P = impulses(hit, ground.mu(speed=0.0), ground.restitution, ground.restitution_law)
    return {
        "vx_after": vx + Pt / m,
        "vy_after": vy + P / m,
        "spin_after": w + (x * P - y * Pt) / J,
        "energy_created": 0.0,
    }


def critical_friction(slope: float) -> float:
    """μ at which a slender rod at tan θ = ``slope`` loses its contact force: (4 + tan²θ)/(3 tan θ)."""
    return (4.0 + slope**2) / (3.0 * slope)


def painleve_rod(problem: Problem) -> dict[str, float]:
    """Spin, position and verdict of a rod that slides on its end, integrated while the contact force is positive."""
    p = problem.parameters
    m, J, half, mu, g = p["mass"], problem.body.inertia[1], p["half_length"], p["mu"], p["gravity"]
    jams = mu >= critical_friction(math.tan(p["angle"]))
    if jams:
        return {"painleve": 1.0}

    def rates(t: float, s: Array) -> list[float]:
        _, vx, th, w = s
        # contact point at (half cos θ, −half sin θ) from the centre, z = half sin θ: z'' = l(w' cos θ − w² sin θ), w = θ'
        c, sn = math.cos(th), math.sin(th)
        # J w' = −half cos θ N + ... friction −μN sgn at depth half sin θ; N = m (g + z'')
        slip = vx - half * sn * w
        drag = mu * math.copysign(1.0, slip)
        lever = half * (-c + drag * sn)
        N = m * (g - half * sn * w * w) / (1.0 - m * half * c * lever / J)
        return [vx, -drag * N / m, w, lever * N / J]

    done = solve_ivp(
        rates, (0.0, problem.time.end), [0.0, p["speed"], p["angle"], 0.0], "DOP853", rtol=1e-12, atol=1e-14
    )
    x, vx, th, w = done.y[:, -1]
    expect(vx - half * math.sin(th) * w > 0.1 * p["speed"], "the end slides until the end")
    return {"painleve": 0.0, "x_end": float(x), "z_end": half * math.sin(th), "spin_end": float(w)}


def tipping(
    mass: float, inertia: float, arm: tuple[float, float], mu: float, gravity: float, speed: float, t: float
) -> tuple[float, float, float]:
    """Displacement m, pitch rad and its rate rad/s at ``t`` s of a block that slides on its front edge, ``arm`` (ahead, below) m
    from its centre.

    It turns forward by φ about the edge, which slides on the ground: z = a sin φ + h cos φ, N = m (g + z''), and the moment
    about the centre of mass is N (μ z − ahead(φ)), ahead(φ) = a cos φ − h sin φ."""
    a, h = arm

    def rates(time: float, y: Array) -> list[float]:
        _, v, phi, w = y
        ahead, high = a * math.cos(phi) - h * math.sin(phi), a * math.sin(phi) + h * math.cos(phi)
        lever = mu * high - ahead
        N = mass * (gravity - high * w * w) / (1.0 - mass * ahead * lever / inertia)
        return [v, -mu * N / mass, w, lever * N / inertia]

    done = solve_ivp(rates, (0.0, t), [0.0, speed, 0.0, 0.0], "DOP853", rtol=1e-12, atol=1e-14)
    shift, v, phi, w = (float(last) for last in done.y[:, -1])
    expect(v - w * (a * math.sin(phi) + h * math.cos(phi)) > 0.0, "the edge slides until the end")
    return shift, phi, w


def feet_braking(problem: Problem) -> dict[str, float]:
    """Forces of the front feet and braking distance, or the motion of a tall block that tips over its front feet."""
    p, body = problem.parameters, problem.body
    a, h, weight = 0.5 * p["length"], 0.5 * p["height"], p["mass"] * p["gravity"]
    if p["mu"] * h > a:
        shift, pitch, rate = tipping(
            p["mass"], body.inertia[1], (a, h), p["mu"], p["gravity"], p["speed"], problem.time.end
        )
        return {"way": shift, "pitch_rate": rate, "height": a * math.sin(pitch) + h * math.cos(pitch)}
    stop = p["speed"] ** 2 / (2.0 * p["mu"] * p["gravity"])
    return {"way": stop, "front_force": 0.25 * weight * (1.0 + p["mu"] * h / a), "creep": 0.0}
