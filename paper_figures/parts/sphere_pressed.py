"""A large elastic sphere pressed on rough ground, and pulled along it: meshes refined at the contact, Hertz's and Mindlin's
solutions.

The body is a cylinder, ten contact radii wide and high, whose lower face is spherical; it differs from a half-space by the third
power of a tenth. Its upper face moves without a rotation. Long steps make inertia negligible: the solution is static.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.optimize import brentq

import fem
import floating_frame
from floating_frame import (
    InitialState,
    Options,
    Problem,
    Ramp,
    SolidForce,
    SpaceClamped,
    Table,
    assemble,
    simulate,
)

Array = NDArray[np.float64]

LONG = 100.0
"""Step, s, much longer than the elastic periods."""


class Sphere(NamedTuple):
    """Radius over contact radius, Young's modulus Pa, contact radius m, Poisson's ratio, friction, size over contact radius."""

    radius: float = 1000.0
    E: float = 2e6
    contact: float = 0.1
    nu: float = 0.3
    mu: float = 0.0
    size: float = 10.0

    @property
    def force(self) -> float:
        """Hertz's force 4 E a³/(3 (1 − ν²) R), N."""
        return 4.0 * self.E * self.contact**2 / (3.0 * (1.0 - self.nu**2) * self.radius)

    def body(self, cells: int) -> fem.Solid:
        """Body with ``cells`` in half the contact radius."""
        a = self.contact
        mesh = fem.spherical_end(self.radius * a, self.size * a, a, cells)
        return fem.Solid.build(mesh, density=1.0, material=fem.NeoHookean(self.E, self.nu), viscosity=0.0)

    @property
    def peak(self) -> float:
        """Hertz's largest pressure, Pa."""
        return 1.5 * self.force / (np.pi * self.contact**2)


def hertz(r: Array) -> Array:
    """Hertz's p_n over its largest value at distances ``r`` over the contact radius."""
    return np.sqrt(np.maximum(0.0, 1.0 - r**2))


def stick_radius(share: float) -> float:
    """Ratio c/a of Cattaneo and Mindlin under the ``share`` Q/(μ P) of the bound."""
    return float((1.0 - share) ** (1.0 / 3.0))


def mindlin(r: Array, share: float) -> Array:
    """Friction traction over μ p0 at ``r``."""
    c = stick_radius(share)
    return hertz(r) - c * hertz(r / c)


class Contact(NamedTuple):
    """Results at the nodes of the face: distance ``r`` from the axis (m,) and ``area`` over the contact radius and its square;
    pressure and traction along x at the end over p0 and μ p0; ``stick`` (instants, m) as stored."""

    r: Array
    area: Array
    pressure: Array
    traction: Array
    stick: NDArray[np.int8]
    run: xr.Dataset
    nodes: NDArray[np.intp]


def pressed(cells: int, sphere: Sphere, share: float = 0.0) -> Contact:
    """Press the sphere on the ground in one step and, in a second, pull it along x by ``share`` of the friction bound."""
    body = sphere.body(cells)
    loads = [SolidForce(force=(0.0, 0.0, -sphere.force), on="top", history=Ramp(LONG))]
    if share:
        pull = (share * sphere.mu * sphere.force, 0.0, 0.0)
        loads.append(SolidForce(force=pull, on="top", history=Table((0.0, LONG, 2.0 * LONG), (0.0, 0.0, 1.0))))
    problem = Problem(
        body=body,
        t_end=LONG * len(loads),
        gravity=0.0,
        contacts=(floating_frame.Contact(mu=sphere.mu),),
        face="bottom",
        loads=tuple(loads),
        frame=SpaceClamped("top", free=("x", "z") if share else ("z",)),
        initial=InitialState(position=(0.0, 0.0, -float(body.X[:, 2].min()))),
    )
    run = simulate(assemble(problem, Options(dt=LONG, scheme="backward-euler")))
    nodes = np.asarray(body.boundary("bottom"), np.intp)
    area, peak = body.face_area("bottom")[nodes], sphere.peak
    friction = -run.friction_force.values[-1, nodes, 0] / area
    return Contact(
        r=np.hypot(*body.X[nodes, :2].T) / sphere.contact,
        area=area / sphere.contact**2,
        pressure=run.normal_force.values[-1, nodes] / area / peak,
        traction=friction / (peak * sphere.mu) if sphere.mu else 0.0 * friction,
        stick=run.stick.values[:, nodes],
        run=run,
        nodes=nodes,
    )


def radius_found(contact: Contact) -> float:
    """Contact radius by the pressure's second moment, ⟨r²⟩ = 2 a²/5, over Hertz's."""
    weight = contact.area * contact.pressure
    return float(np.sqrt(2.5 * (weight * contact.r**2).sum() / weight.sum()))


def stick_radius_found(contact: Contact) -> float:
    """Ratio c/a by the friction's second moment, ⟨r²⟩ = 2/5 (1 − c⁵)/(1 − c³)."""
    weight = contact.area * contact.traction
    moment = (weight * contact.r**2).sum() / weight.sum()
    return float(brentq(lambda c: 0.4 * (1.0 - c**5) - moment * (1.0 - c**3), 1e-6, 1.0 - 1e-6))
