from . import area_rule as area_rule
from . import beam as beam
from . import meshes as meshes
from .beam_axis import BeamAxis
from .bodies import Plate, Solid
from .deformable_body import DeformableBody
from .factorisation import BACKENDS, NOT_POSITIVE_DEFINITE, Factor, FactorError, factor
from .kernels.lanes import LANES
from .materials import MATERIALS, Material, NeoHookean, SmallStrain, StVenantKirchhoff, register_material
from .mesh_files import read, read_solid
from .meshes import MESHES, annulus, box, disc, rectangle, spherical_end
from .statics import Equilibrium, NewtonError, NewtonOptions, equilibrium
from .thermal import Heated, heated_axis, heated_plate

__all__ = [
    "BACKENDS",
    "LANES",
    "MATERIALS",
    "MESHES",
    "NOT_POSITIVE_DEFINITE",
    "BeamAxis",
    "DeformableBody",
    "Equilibrium",
    "Factor",
    "FactorError",
    "Heated",
    "Material",
    "NeoHookean",
    "NewtonError",
    "NewtonOptions",
    "Plate",
    "SmallStrain",
    "Solid",
    "StVenantKirchhoff",
    "annulus",
    "box",
    "disc",
    "equilibrium",
    "factor",
    "heated_axis",
    "heated_plate",
    "read",
    "read_solid",
    "rectangle",
    "register_material",
    "spherical_end",
]
