"""An effect, an obstacle, a body and a system, as their authors would write them beside the library."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from floating_frame import Obstacle, RigidBody, RigidMotion
from floating_frame.assemble import friction_of
from floating_frame.contact.obstacles import Gap
from floating_frame.effect.loads import DeadLoads
from floating_frame.effect.protocol import Effect, Motion, PointForce, Record
from floating_frame.frame.kinematics import FrameMotion
from floating_frame.system.plane import FrameResults
from floating_frame.system.protocol import Consistent, Stage, System, applied, effects_at, friction_at
from floating_frame.system.state import Counts, InSpace


@dataclass(frozen=True)
class Dragged:
    """Linear drag of ``c`` N s/m at an edge or a point, in Python, which a compiled step calls back; with or without `slopes`."""

    at: object
    c: float = 0.8
    slopes: bool = True

    def on(self, attached):
        return Drag(self.c * attached.shares, attached.points, self.slopes)


class Drag(Effect):
    """F = −c v and D = c |v|² at points."""

    name = "drag"

    def __init__(self, c, points, slopes):
        self.c, self.points, self.slopes = c[:, None], points, slopes

    def for_stage(self, time, internal, tau, *, left=True):
        return self

    def at(self, x, v):
        return PointForce(-self.c * v, None, -self.c[:, :, None] * np.eye(v.shape[1]) if self.slopes else None)

    def record(self, x, v, force):
        return Record(force, dissipated=float((self.c * v * v).sum()))


@dataclass(frozen=True)
class Ring(Obstacle):
    """A ring-shaped pipe about z, in the plane a corridor, with the body inside: radii `R` m of its middle line and `bore` m."""

    R: float
    bore: float
    dimension: int = 3
    motion: RigidMotion = RigidMotion()  # noqa: RUF009  it is frozen

    def shape_gap(self, y):
        rho = np.hypot(y[:, 0], y[:, 1])[:, None]
        out, round_ = np.zeros_like(y), np.zeros_like(y)
        out[:, :2] = y[:, :2] / rho
        round_[:, 0], round_[:, 1] = -out[:, 1], out[:, 0]
        arm = y - self.R * out
        size = np.linalg.norm(arm, axis=1, keepdims=True)
        n = arm / size
        across = np.eye(y.shape[1]) - n[:, :, None] * n[:, None, :]
        along = round_[:, :, None] * round_[:, None, :]
        bent = (across - along * (self.R / rho)[:, :, None]) / size[:, :, None]
        return Gap(self.bore - size[:, 0], -n, -bent)


@dataclass(frozen=True, eq=False)
class Pair:
    """No plate: masses of `half` kg each, `length` m apart on a bar of `stiffness` N/m; each stands on 1 m2."""

    half: float
    length: float
    stiffness: float
    deformable: ClassVar[bool] = True
    planar: ClassVar[bool] = False
    objective: ClassVar[bool] = True
    viscosity: ClassVar[float] = 0.0
    cells = np.array([[0, 1]], np.int32)
    indptr = np.arange(0, 20, 4, dtype=np.int32)
    indices = np.tile(np.arange(4, dtype=np.int32), 4)
    nodal_area, area = np.ones(2), 2.0

    @property
    def X(self):
        return self.length * np.array([[-0.5, 0.0], [0.5, 0.0]])

    @property
    def mass(self):
        return 2.0 * self.half

    @property
    def mass_matrix(self):
        return csr_matrix(self.half * np.eye(2))

    @property
    def mass_data(self):
        return self.half * np.eye(4).ravel()

    def _bar(self, u):
        d = self.X[1] - self.X[0] + u[1] - u[0]
        return d / np.hypot(*d), np.hypot(*d)

    def strain_energy(self, u):
        return 0.5 * self.stiffness * (self._bar(u)[1] - self.length) ** 2

    def internal_force(self, u):
        n, length = self._bar(u)
        return self.stiffness * (length - self.length) * np.array([n, -n])

    def tangent(self, u, *, share=1.0, inertia=0.0, out=None):
        n, length = self._bar(u)
        along = np.outer(n, n)
        block = self.stiffness * (along + (1.0 - self.length / length) * (np.eye(2) - along))
        return share * np.block([[block, -block], [-block, block]]).ravel() + inertia * self.mass_data

    def smallest_jacobian(self, u):
        return self._bar(u)[1] / self.length, 0

    def strains(self, u):
        return {}

    def boundary(self, name):
        return np.array([["left", "right"].index(name)])

    def edge_shape(self, name):
        return np.eye(2)[self.boundary(name)[0]]

    def at_point(self, place):
        share = 0.5 + place[0] / self.length
        return np.array([0, 1]), np.array([1.0 - share, share])


class OnRail(RigidBody):
    """Moves along a rail, along x alone: one unknown, the place s, m s'' = F_x − λ with |λ| ≤ w in stick."""


def along(values, count):
    return np.tile([float(values[0]), 0.0], (count, 1))


@dataclass
class RailPoints:
    X: np.ndarray

    def place(self, configuration):
        return self.X + along(configuration[0], len(self.X))

    def velocity(self, configuration, velocity):
        return along(velocity[0], len(self.X))

    def pull(self, configuration, force):
        return (force[:, 0].sum(keepdims=True),)


class RailResults(FrameResults):
    @property
    def friction_mass(self):
        return self.model.mass.total * self.model.body.friction.weights / self.model.body.friction.weights.sum()

    def wrenches(self, force, rows):
        along_x = force[0][:, 0]
        return np.stack([along_x, 0.0 * along_x, along_x * rows.poses[1:, 1]], axis=1)

    def reference(self):
        rule = self.model.body.friction
        return {"X": rule.points, "cells": rule.cells, "friction_weight": self.system.friction.bound(0.0)}

    def series(self, state, step):
        """The rail bears what acts across it: along it M x'' is the sum of all forces."""
        mass, none, frame, feet = self.model.mass.total, np.zeros(2), state.frame, self.model.body.friction.points
        rest, scale = mass * frame.accelerations[0] - state.balance[0][0], self.system.friction.bound(state.time).sum()
        return {
            "time": state.time,
            "frame_position": frame.coordinates[:2],
            "frame_velocity": frame.rates[:2],
            "frame_angle": frame.angle,
            "frame_spin": frame.spin,
            "displacement": np.zeros_like(feet),
            "position": feet + frame.coordinates[:2],
            "velocity": np.broadcast_to(frame.rates[:2], feet.shape),
            **dict.fromkeys("APB", none),
            "L": 0.0,
            "J_zz": self.model.mass.second_moment,
            "friction_force": -state.multiplier,
            "stick": state.sticking(),
            "rigid_residual": abs(rest) / scale if scale else 0.0,
            "linear_momentum": mass * frame.rates[:2],
            "angular_momentum": 0.0,
        }


class RailSystem(System):
    def __init__(self, model):
        self.model, self.X, self.mass, self.initial = model, model.body.X, model.mass.total, model.problem.initial
        self.effects = (DeadLoads(model.loads.nodal_force, RailPoints(self.X)),)
        self.friction = friction_of(model)
        self.sources = (*self.effects, self.friction)
        self.feet, self.results = model.body.friction.points, RailResults(self)

    def in_space(self, time, motion):
        frame = FrameMotion(*(np.array([values[0][0], 0.0, 0.0]) for values in motion))
        x, v, a = (along(values[0], len(self.X)) for values in motion)
        return InSpace(self.X + x, v, a, frame)

    def initial_motion(self):
        return Motion((np.zeros(1),), (np.array(self.initial.velocity[:1], float),), (np.zeros(1),))

    def ground_rates(self, ground):
        return (ground[:1],)

    def slip(self, time, motion, ground):
        return along(motion.velocity[0] - ground[:1], len(self.feet))

    def apply_mass(self, acceleration):
        return (self.mass * acceleration[0],)

    def own(self, time, motion):
        return ()

    stored = own

    def rubbed(self, drive, bound, rate):
        """lambda (1,): what stops the body, or the bound against its motion."""
        whole = bound.sum()
        return np.clip(drive, -whole, whole) if rate is None else whole * np.sign(rate)

    def friction_of(self, slip, multiplier, bound):
        shares = bound / bound.sum() if bound.any() else bound
        return friction_at(slip, np.outer(shares, [multiplier[0], 0.0]), (-multiplier,))

    def solve_stage(self, history, guess, reference, fixed=None):
        (s,), (v,), problem = history.configuration, history.velocity, history.friction
        (force,) = applied(self.effects, history.effects, history.configuration, history.velocity)
        drive = force + self.mass * (v - problem.ground[:1]) / history.tau_v
        multiplier = self.rubbed(drive, problem.bound, None)
        slip = (drive - multiplier) * history.tau_v / self.mass
        rate = slip + problem.ground[:1]
        motion = Motion((s + history.tau_x * rate,), (rate,), ((rate - v) / history.tau_v,))
        friction = self.friction_of(along(slip, len(self.feet)), multiplier, problem.bound)
        return Stage(motion=motion, friction=friction, problem=problem, own=(), counts=Counts(passes=1))

    def consistent(self, time, motion, internal, *, left=True):
        (force,) = applied(self.effects, effects_at(self.effects, time, internal, left=left), *motion[:2])
        problem = self.friction.for_stage(time, internal[-1], 0.0, left=left)
        slip = motion.velocity[0] - problem.ground[:1]
        multiplier = self.rubbed(force, problem.bound, slip if slip[0] else None)
        found = Motion(motion.configuration, motion.velocity, ((force - multiplier) / self.mass,))
        return Consistent(found, self.friction_of(along(slip, len(self.feet)), multiplier, problem.bound), ())
