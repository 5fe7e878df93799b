from .assemble import assemble
from .coefficients import SCHEMES
from .contact.chain import ArcChain
from .contact.contact import Contact, Signorini
from .contact.motion import RigidMotion
from .contact.obstacles import Obstacle
from .contact.shapes import Box, Circle, CircleInCircle, Cylinder, HalfSpace, Line, RoundedBox, RoundedEdge, Sphere
from .effect.spring import Spring
from .errors import StepFailure
from .frame.chord import Lateral
from .frame.clamp import Clamped
from .frame.conditions import FRAMES, MeanAxis, Tisserand
from .frame.space_clamp import SpaceClamped, SpaceHinged
from .initial import InitialState
from .loads.followers import Couple, FollowerTraction
from .loads.histories import Constant, Cosine, Function, Ramp, Table
from .loads.loads import (
    BodyForce,
    BodyForceField,
    EdgeLoad,
    EdgeTraction,
    LateralLoad,
    SolidForce,
    SpaceForce,
    TangentialTraction,
)
from .natural_modes import modes
from .output.archive import load_trajectory
from .output.notebook import Progress
from .problem import Options, Problem
from .problems import BeamProblem, SolidInitial, SolidProblem, SpaceInitial, SpaceProblem
from .rigid_body import RigidBody
from .rigid_solid import Ball, Base, Feet, RigidSolid
from .simulate import Keeper, RunState, simulate
from .step_control import StepControl
from .system.model import Model
from .system.state import State
from .verdict.verdict import RunWarning, run_warnings

__all__ = [
    "FRAMES",
    "SCHEMES",
    "ArcChain",
    "Ball",
    "Base",
    "BeamProblem",
    "BodyForce",
    "BodyForceField",
    "Box",
    "Circle",
    "CircleInCircle",
    "Clamped",
    "Constant",
    "Contact",
    "Cosine",
    "Couple",
    "Cylinder",
    "EdgeLoad",
    "EdgeTraction",
    "Feet",
    "FollowerTraction",
    "Function",
    "HalfSpace",
    "InitialState",
    "Keeper",
    "Lateral",
    "LateralLoad",
    "Line",
    "MeanAxis",
    "Model",
    "Obstacle",
    "Options",
    "Problem",
    "Progress",
    "Ramp",
    "RigidBody",
    "RigidMotion",
    "RigidSolid",
    "RoundedBox",
    "RoundedEdge",
    "RunState",
    "RunWarning",
    "Signorini",
    "SolidForce",
    "SolidInitial",
    "SolidProblem",
    "SpaceClamped",
    "SpaceForce",
    "SpaceHinged",
    "SpaceInitial",
    "SpaceProblem",
    "Sphere",
    "Spring",
    "State",
    "StepControl",
    "StepFailure",
    "Table",
    "TangentialTraction",
    "Tisserand",
    "assemble",
    "load_trajectory",
    "modes",
    "run_warnings",
    "simulate",
]
