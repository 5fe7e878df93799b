"""The block on the table (Potra et al. 2006): its closed form, which tests/cases/test_block_exact.py proves, and runs of it.

A block of 1 kg under 8 cos t N with friction 0.8 · 9.81 N: it slips from |8 cos t| = 7.848 until its velocity is zero.
"""

import numpy as np
import problems
import xarray as xr

import fem
from cases import block_on_table
from floating_frame import BodyForce, Cosine, RigidBody
from friction import Coulomb, Foundation

FORCE, FRICTION, T_END = 8.0, 0.8 * 9.81, 10.0
SIDE, DEPTH = 0.3, 0.1


def exact(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x(t) and v(t), m and m/s."""
    return block_on_table.exact(block_on_table.Parameters(), t)[:2]


(_, FINAL), _, _EVENTS = block_on_table.exact(block_on_table.Parameters(), np.array([0.0, T_END]))
SLIDES = [(start.time, stop.time) for start, stop in zip(_EVENTS[::2], _EVENTS[1::2], strict=True)]
"""Start and stop of each slide, s."""


def plate(young: float = 1e8, n: int = 2, element: str = "Q1") -> fem.Plate:
    mesh = fem.rectangle(SIDE, SIDE, n, n, cell="quadrilateral" if element.startswith("Q") else "triangle")
    material = fem.StVenantKirchhoff(young, 0.3)
    return fem.Plate.build(mesh, thickness=DEPTH, density=1.0 / (SIDE**2 * DEPTH), material=material, element=element)


def run_block(dt, scheme="sdirk2", *, law=None, body=None, loads=None, t_end=T_END, **more) -> xr.Dataset:
    ground = Foundation(law=law or Coulomb(), mu=0.8, pressure=9.81 / SIDE**2)
    loads = (BodyForce((FORCE, 0.0), Cosine()),) if loads is None else loads
    body = body or RigidBody.from_plate(plate(n=1))
    return problems.run(body, t_end, dt, scheme, foundation=ground, loads=loads, **more)
