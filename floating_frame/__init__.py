"""The floating frame: rigid motion, deformation and friction in one staggered step."""

from floating_frame.assemble import assemble
from floating_frame.clamped import Clamped
from floating_frame.contact import Contact
from floating_frame.errors import StepFailure
from floating_frame.followers import Couple, FollowerTraction
from floating_frame.frames import FRAMES, MeanAxis, Tisserand
from floating_frame.histories import Constant, Cosine, Function, Ramp, Table
from floating_frame.loads import BodyForce, BodyForceField, EdgeLoad, EdgeTraction, TangentialTraction
from floating_frame.model import Model
from floating_frame.obstacle_chain import ArcChain
from floating_frame.obstacle_motion import RigidMotion
from floating_frame.obstacles import Box, Circle, CircleInCircle, Line, Obstacle
from floating_frame.problem import InitialState, Options, Problem
from floating_frame.rigid import RigidBody
from floating_frame.schemes import SCHEMES
from floating_frame.signorini import Signorini
from floating_frame.simulate import Progress, simulate
from floating_frame.step_control import StepControl
from floating_frame.system.state import State
from floating_frame.trajectory import load_trajectory
from floating_frame.verdict import RunWarning, run_warnings

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
