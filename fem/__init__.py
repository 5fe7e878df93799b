"""Plane elasticity on scikit-fem meshes; knows neither friction nor frames."""

from fem.beam_axis import BeamAxis
from fem.body import DeformableBody
from fem.factorisation import BACKENDS, Factor, FactorError, NotPositiveDefinite, factor
from fem.materials import MATERIALS, Material, NeoHookean, SmallStrain, StVenantKirchhoff
from fem.meshes import MESHES, MeshError, annulus, disc, read, rectangle
from fem.plate import Plate
from fem.statics import Equilibrium, NewtonError, NewtonOptions, equilibrium
from fem.thermal import HeatedPlate
from fem.thermal_axis import HeatedAxis

__all__ = [
    "BACKENDS",
    "MATERIALS",
    "MESHES",
    "BeamAxis",
    "DeformableBody",
    "Equilibrium",
    "Factor",
    "FactorError",
    "HeatedAxis",
    "HeatedPlate",
    "Material",
    "MeshError",
    "NeoHookean",
    "NewtonError",
    "NewtonOptions",
    "NotPositiveDefinite",
    "Plate",
    "SmallStrain",
    "StVenantKirchhoff",
    "annulus",
    "disc",
    "equilibrium",
    "factor",
    "read",
    "rectangle",
]
