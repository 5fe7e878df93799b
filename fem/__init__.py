"""Plane elasticity on scikit-fem meshes; knows neither friction nor frames."""

import warnings

from fem.beam_axis import BeamAxis
from fem.body import DeformableBody
from fem.factorisation import BACKENDS, NOT_POSITIVE_DEFINITE, Factor, FactorError, factor
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
    "NOT_POSITIVE_DEFINITE",
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


def __getattr__(name: str) -> type[FactorError]:
    if name != "NotPositiveDefinite":  # of version 0.2
        raise AttributeError(f"module 'fem' has no attribute {name!r}")
    warnings.warn("fem.NotPositiveDefinite is now fem.FactorError, by its reason", DeprecationWarning, stacklevel=2)
    return FactorError
