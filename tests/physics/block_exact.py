"""The block on the table (Potra et al. 2006) in closed form, and runs of it.

A block of 1 kg under 8 cos t N with friction 0.8 · 9.81 N: it slips from |8 cos t| = 7.848 until its velocity is zero.
"""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.optimize import brentq

import fem
from floating_frame import BodyForce, Cosine, Options, Problem, RigidBody, assemble, simulate
from friction import Coulomb, Foundation

FORCE, FRICTION, T_END = 8.0, 0.8 * 9.81, 10.0
SIDE, DEPTH = 0.3, 0.1


@dataclass(frozen=True)
class Slide:
    """One slip interval in direction ``sign`` from rest at ``start`` and x = ``origin`` to rest at ``stop``."""

    start: float
    stop: float
    sign: float
    origin: float

    def velocity(self, t):
        return FORCE * (np.sin(t) - np.sin(self.start)) - self.sign * FRICTION * (t - self.start)

    def position(self, t):
        since = t - self.start
        pushed = FORCE * (np.cos(self.start) - np.cos(t) - np.sin(self.start) * since)
        return self.origin + pushed - 0.5 * self.sign * FRICTION * since**2


def slides() -> list[Slide]:
    """All slip intervals in [0, 10]: the k-th centred about the k-th extremum of the load, the first from t = 0."""
    half = np.arccos(FRICTION / FORCE)
    found: list[Slide] = []
    x = 0.0
    for k in range(4):
        start, peak = max(0.0, k * np.pi - half), k * np.pi + half
        open_end = Slide(start, np.inf, np.cos(k * np.pi), x)
        stop = brentq(open_end.velocity, peak, peak + 1.0, xtol=1e-15, rtol=1e-15)
        found.append(Slide(start, stop, open_end.sign, x))
        x = found[-1].position(stop)
    return found


SLIDES = slides()
FINAL = SLIDES[-1].position(SLIDES[-1].stop)


def exact(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x(t) and v(t), m and m/s."""
    x, v = np.zeros_like(t), np.zeros_like(t)
    for slide in SLIDES:
        during, after = (t > slide.start) & (t < slide.stop), t >= slide.stop
        x[during], v[during] = slide.position(t[during]), slide.velocity(t[during])
        x[after] = slide.position(slide.stop)
    return x, v


def plate(young: float = 1e8, n: int = 2, element: str = "Q1") -> fem.Plate:
    mesh = fem.rectangle(SIDE, SIDE, n, n, cell="quadrilateral" if element.startswith("Q") else "triangle")
    material = fem.StVenantKirchhoff(young, 0.3)
    return fem.Plate.build(mesh, thickness=DEPTH, density=1.0 / (SIDE**2 * DEPTH), material=material, element=element)


def run_block(
    dt: float, scheme: str = "sdirk2", *, law=None, body=None, loads=None, every: int = 1, **more
) -> xr.Dataset:
    foundation = Foundation(law=law or Coulomb(), mu=0.8, pressure=9.81 / SIDE**2)
    loads = (BodyForce((FORCE, 0.0), Cosine()),) if loads is None else loads
    body = body or RigidBody.from_plate(plate(n=1))
    problem = Problem(body, more.pop("t_end", T_END), foundation, loads, **more)
    return simulate(assemble(problem, Options(dt, scheme, output_every=every)))


def final_error(dt: float, scheme: str = "sdirk2") -> float:
    return float(run_block(dt, scheme, every=10**9).frame_position[-1, 0]) - FINAL
