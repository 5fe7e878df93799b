"""The floating frame: rigid motion, deformation and friction in one staggered step."""

from floating_frame.assemble import assemble
from floating_frame.contact.contact import Contact
from floating_frame.contact.obstacle_chain import ArcChain
from floating_frame.contact.obstacle_motion import RigidMotion
from floating_frame.contact.obstacles import Box, Circle, CircleInCircle, Line, Obstacle
from floating_frame.contact.signorini import Signorini
from floating_frame.effect.spring import Spring
from floating_frame.errors import StepFailure
from floating_frame.frame.clamp import Clamped
from floating_frame.frame.conditions import FRAMES, MeanAxis, Tisserand
from floating_frame.loads.followers import Couple, FollowerTraction
from floating_frame.loads.histories import Constant, Cosine, Function, Ramp, Table
from floating_frame.loads.loads import BodyForce, BodyForceField, EdgeLoad, EdgeTraction, TangentialTraction
from floating_frame.model import Model
from floating_frame.output.trajectory import load_trajectory
from floating_frame.problem import InitialState, Options, Problem
from floating_frame.rigid_body import RigidBody
from floating_frame.scheme.coefficients import SCHEMES
from floating_frame.simulate import Progress, simulate
from floating_frame.stepping.step_control import StepControl
from floating_frame.system.state import State
from floating_frame.verdict.verdict import RunWarning, run_warnings

__all__ = [
    "FRAMES",
    "SCHEMES",
    "ArcChain",
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
    "EdgeLoad",
    "EdgeTraction",
    "FollowerTraction",
    "Function",
    "InitialState",
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
    "RunWarning",
    "Signorini",
    "Spring",
    "State",
    "StepControl",
    "StepFailure",
    "Table",
    "TangentialTraction",
    "Tisserand",
    "assemble",
    "load_trajectory",
    "run_warnings",
    "simulate",
]
