"""Waves in elastic bars: a rod pushed on rough ground, a bar that hits a floor, a sliding bar pulled at its end.

*Bar on a floor.* It falls at v and touches at t₀. A wave with the stress ρcv brings it to rest from below. Reflected at the free
top, it gives the bar the velocity −v, and returns at t₀ + 2L/c. The force is ρcvA until then, and the whole bar leaves at v.

*Bar pulled at its end* by P(t), all of it sliding in one direction: friction is a uniform force per mass, so u is that of the free
bar. Its right end moves at (c/EA)[P(t) + 2 Σ P(t − 2nL/c)], its left one at (c/EA) 2 Σ P(t − (2n − 1)L/c), n = 1, 2, ...
(d'Alembert)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cases.app.suite.references import expect
from cases.app.suite.schema import Problem
from cases.references.rods.rod_wave import RodWave

Array = NDArray[np.float64]


def rod_pulse(problem: Problem) -> dict[str, float]:
    """Velocity behind the front, residual displacements, arrest and friction work of a rod pushed at its end from t = 0 on."""
    p, body = problem.parameters, problem.body
    line = body.density * body.area
    wave = RodWave(p["push"], math.inf, body.young * body.area, line, p["mu"] * line * p["gravity"])
    expect(wave.penetration < body.length, "the front dies within the rod")
    expect(wave.arrest < problem.time.end, "the rod is at rest before the end")
    half = 0.5 * wave.arrest
    return {
        "end_displacement": float(wave.displacement(0.0, problem.time.end)),
        "middle_displacement": float(wave.displacement(p["middle"], problem.time.end)),
        "beyond_front": float(wave.displacement(p["beyond"], problem.time.end)),
        "end_at_half": float(wave.displacement(0.0, half)),
    }


def bouncing_bar(problem: Problem) -> dict[str, float]:
    """Place and velocity of the centre of mass in contact and after it, the contact's force, impulse and end."""
    p, body = problem.parameters, problem.body
    c = math.sqrt(body.young / body.density)
    touch, leave = p["height"] / p["speed"], p["height"] / p["speed"] + 2.0 * body.length / c
    force = body.density * c * p["speed"] * body.area
    middle = 0.5 * (touch + leave)
    mass = body.density * body.area * body.length
    assert abs(force * (leave - touch) - 2.0 * mass * p["speed"]) < 1e-12 * mass * p["speed"]
    deepest = 0.5 * body.length - 0.25 * p["speed"] * (leave - touch)
    energy = 0.5 * mass * p["speed"] ** 2
    return {
        "force": force,
        "impulse": force * (leave - touch),
        "lowest": deepest,
        "velocity_after": p["speed"],
        "place_after": 0.5 * body.length + p["speed"] * (problem.time.end - leave),
        "energy_created": 0.0,
        "energy_after": energy,
        "middle_of_contact": middle,
    }


class Pull(NamedTuple):
    """A pull P(t) = P₀ sin²(πt/2T) up to t = T, then P₀: it never falls."""

    force: float
    rise: float

    def impulse(self, t: float) -> float:
        """∫P dt from 0 to t, N s."""
        T, s = self.rise, min(max(t, 0.0), self.rise)
        omega = math.pi / T
        inside = 0.5 * self.force * (s - math.sin(omega * s) / omega)
        return inside + self.force * max(t - T, 0.0)

    def second_integral(self, t: float) -> float:
        """∫∫P dt dt from 0 to t >= T, N s²: the rise gives P₀T/2 and P₀(T²/4 − T²/π²)."""
        T, after = self.rise, t - self.rise
        return self.force * (T**2 * (0.25 - 1.0 / math.pi**2) + 0.5 * T * after + 0.5 * after**2)


def free_bar_ends(pull: Pull, speed: float, stiffness: float, length: float, t: float) -> tuple[float, float]:
    """Displacements (left, right), m, of the ends of a free bar pulled at its right end, by d'Alembert's reflections."""
    run, turns = length / speed, int(t * speed / length) + 1
    right = pull.impulse(t) + 2.0 * sum(pull.impulse(t - 2 * n * run) for n in range(1, turns + 1))
    left = 2.0 * sum(pull.impulse(t - (2 * n - 1) * run) for n in range(1, turns + 1))
    return speed / stiffness * left, speed / stiffness * right


def pulled_bar(problem: Problem) -> dict[str, float]:
    """Displacements of both ends at the end (Szefer, case B): the sum for the free bar and for the rigid motion under friction."""
    p, body, t = problem.parameters, problem.body, problem.time.end
    c, rough = math.sqrt(body.young / body.density), p["mu"] * p["gravity"]
    expect(problem.initial.velocity[0] > rough * t, "the bar slides until the end")
    left, right = free_bar_ends(Pull(p["pull"], p["rise"]), c, body.young * body.area, body.length, t)
    rigid = problem.initial.velocity[0] * t - 0.5 * rough * t * t
    pulled = Pull(p["pull"], p["rise"]).second_integral(t) / (body.density * body.area * body.length)
    return {
        "left_end": rigid + left,
        "right_end": rigid + right,
        "stretch": right - left,
        "centre": rigid + pulled,
    }
