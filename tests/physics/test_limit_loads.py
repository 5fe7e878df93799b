"""Limit loads: what friction alone can hold, by the limit surface and by quasi-static runs of stiff elastic bodies."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import fem
import floating_frame as ff
from floating_frame.system.limit_load import limit_factor
from friction import Coulomb, Foundation

MU, PRESSURE = 0.4, 500.0
STIFF = fem.SmallStrain(1e10, 0.3)


def plate(mesh, element="Q1"):
    return fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=STIFF, element=element)


@dataclass(frozen=True)
class Body:
    """A plate, a load of size one on it with its wrench, and the exact limit of the load."""

    plate: Any
    load: Any
    wrench: np.ndarray
    exact: float

    @property
    def limit(self) -> float:
        """The load's limit for the plate's nodal weights."""
        return limit_factor(self.wrench, self.plate.X, MU * PRESSURE * self.plate.nodal_area)

    def run(self, factor, steps=4):
        """Raise the load in equal increments to `factor` times its limit."""
        history = ff.Table([0.0, 1.0], [0.0, factor * self.limit])
        problem = ff.Problem(self.plate, 1.0, Foundation(Coulomb(), MU, PRESSURE), (self.load(history),))
        return ff.simulate(ff.assemble(problem, ff.Options(1.0 / steps, "quasi-static")))


def pushed_rod(n, length=1.0, slenderness=10.0):
    """A slender rod pushed across at its left end.

    It turns about the point a from that end. Forces: P = q a − q (L − a); moments about the loaded end: q a²/2 =
    q (L² − a²)/2. So a = L/√2 and P = q L (√2 − 1).
    """
    width = length / slenderness
    rod = plate(fem.rectangle(length, width, n, 1, cell="quadrilateral"))
    wrench = np.array([0.0, 1.0, -0.5 * length])
    q = MU * PRESSURE * width
    return Body(rod, lambda h: ff.EdgeLoad("left", (0.0, 1.0), h), wrench, q * length * (np.sqrt(2.0) - 1.0))


def twisted_disc(n, radius=0.3):
    """∫ μp r dA = 2π μp R³/3."""
    disc = plate(fem.disc(radius, n, 6 * n), "P1")
    exact = 2.0 / 3.0 * np.pi * MU * PRESSURE * radius**3
    return Body(disc, lambda h: ff.TangentialTraction("rim", 1.0, h), np.array([0.0, 0.0, 1.0]), exact)


def twisted_square(n, side=0.5):
    """∫ μp r dA about the centre of a square: μp s³ (√2 + ln(1 + √2))/6."""
    square = plate(fem.rectangle(side, side, n, n, cell="quadrilateral"))
    exact = MU * PRESSURE * side**3 * (np.sqrt(2.0) + np.log(1.0 + np.sqrt(2.0))) / 6.0
    return Body(square, lambda h: ff.TangentialTraction("boundary", 1.0, h), np.array([0.0, 0.0, 1.0]), exact)


BODIES = {"rod": pushed_rod, "disc": twisted_disc, "square": twisted_square}


@pytest.mark.parametrize(("name", "bound"), [("disc", 2e-3), ("square", 1e-3)])
def test_the_limit_torque_of_the_nodal_weights_is_the_exact_one_to_second_order(name, bound, verification):
    bodies = [BODIES[name](n) for n in (8, 16, 32)]
    limits = np.array([body.limit for body in bodies])
    errors = limits / [body.exact for body in bodies] - 1.0
    orders = np.log2(np.abs(errors[:-1] / errors[1:]))
    what = {"source": "second-order quadrature", "tolerance": 0.1}
    verification(f"Limit torque of a {name}: order in the cell size", orders, 2.0, **what)
    what = {"source": "∫ μ p_n r dA", "least": 1e-6, "tolerance": bound, "unit": "N m", "relative": True}
    verification(f"Limit torque of a {name} with 32 cells", limits[-1], bodies[-1].exact, **what)


def test_the_limit_force_at_the_end_of_a_rod_is_q_l_times_root_two_less_one(verification):
    """The error is of second order in cell and width, its size varies as the pivot lies between the nodes."""
    for n in (10, 20, 40):
        body = pushed_rod(n, slenderness=4.0 * n)
        claim = f"Slender rod pushed across at its end, {n} cells: limit force"
        what = {"source": "q L (√2 − 1), rotation about L/√2", "least": 1e-7, "unit": "N", "relative": True}
        verification(claim, body.limit, body.exact, tolerance=2.0 / n**2, **what)
    thick = pushed_rod(40, slenderness=3.0)
    assert thick.limit / thick.exact - 1.0 > 5e-3  # a width that is not small holds more, for it is longer across


@pytest.mark.parametrize("name", BODIES)
def test_a_stiff_elastic_body_holds_just_below_the_limit_and_fails_by_name_just_above(name):
    body = BODIES[name](8)
    held = body.run(0.995)
    assert int(held.attrs["complete"]) == 1
    slipped = held.slip_path.values[-1] > 0
    assert slipped.mean() > 0.8  # nearly all of it has slipped, and yet it is held
    stretched = np.abs(held.position.values[-1] - held.X.values).max()
    assert 0 < stretched < 1e-3  # the rest is elastic
    words = r"limit load: at t = 1 the load is 1\.005 times what friction alone can hold"
    with pytest.raises(ff.StepFailure, match=words):
        body.run(1.005)


def pivot(body):
    """Distance from the loaded end at which the friction across the rod turns round, just below the limit, m."""
    held = body.run(0.9999, steps=8)
    x, column = np.unique(held.X.values[:, 0].round(9), return_inverse=True)
    share = np.bincount(column, held.friction_force.values[-1, :, 1]) / np.bincount(column, held.friction_weight.values)
    assert share[0] < -0.8  # opposed to the push near it
    assert share[-1] > 0.8  # along it beyond the pivot
    (k,) = np.flatnonzero(np.diff(np.sign(share)))
    return x[k] - share[k] * (x[k + 1] - x[k]) / (share[k + 1] - share[k]) + 0.5


def test_the_last_force_a_rod_holds_has_friction_turn_round_length_over_root_two_from_its_end(verification):
    wide, slender = (pivot(pushed_rod(40, slenderness=s)) for s in (5.0, 20.0))
    assert 0.02 < wide - np.sqrt(0.5) < 0.035  # the width draws it outwards
    claim = "Stiff elastic rod just below its limit force: where its friction turns round"
    verification(claim, slender, np.sqrt(0.5), source="L/√2", tolerance=0.008, unit="m")  # a third of a cell
