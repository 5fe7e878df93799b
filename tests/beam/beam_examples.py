"""Beams and runs that the tests of the beams share."""

import numpy as np

from fem.beam import Beam
from fem.beam_axis import BeamAxis
from floating_frame import BeamProblem, LateralLoad, Options, Table, assemble, simulate
from friction import Coulomb, Foundation


def beam(ne=12, E=1e9, length=1.0):
    return Beam.build(length=length, width=0.02, thickness=0.02, E=E, density=1000.0, ne=ne)


def unit_beam(length, ne):
    """EJ = 1 N m², ρA = 1 kg/m, b = 1 m."""
    return Beam.build(length=length, width=1.0, thickness=1.0, E=12.0, density=1.0, ne=ne)


def axis(ne=12, E=1e9):
    return BeamAxis.build(beam(ne, E))


def ground(mu=0.5, pressure=196.2):
    return Foundation(Coulomb(), mu, pressure)


def pushed(forces, *, length=4.0, ne=40, steps=20, friction=1.0, tolerance=1e-10):
    """Quasi-static run of a beam with EJ = 1 on rough ground, pushed at its left end through the turning points `forces`."""
    times = np.arange(len(forces) + 1.0).tolist()
    loads = (LateralLoad(1.0, "left-end", Table(times, [0.0, *forces])),)
    problem = BeamProblem(unit_beam(length, ne), float(len(forces)), ground(1.0, friction), loads)
    options = Options(1.0 / steps, scheme="quasi-static", max_halvings=0, tolerance=tolerance)
    return simulate(assemble(problem, options))
