"""Results of a linear beam at one instant: axis nodes as ``node``, displacement (0, w), rotation and bending moment."""

from __future__ import annotations

import numpy as np

from floating_frame.effect.foundation import FoundationFriction
from floating_frame.frame.kinematics import Array
from floating_frame.system.beam.model import BeamModel
from floating_frame.system.protocol import Diagnostics, Fields, Results, Series
from floating_frame.system.state import State


class BeamResults(Results):
    """Results of a linear beam."""

    turns_freely = False

    def __init__(self, model: BeamModel, friction: FoundationFriction) -> None:
        self.model, self._friction = model, friction
        self.groups = ("beam", *([] if model.problem.frame.support == "free" else ["clamp"]))

    @property
    def scales(self) -> tuple[float, float, float]:
        beam = self.model.beam
        arm = np.column_stack([beam.X[:, 0], np.ones(len(beam.X))]).ravel()
        return float(abs(self.model.stiffness).max()), beam.mass, float(arm @ (beam.mass_matrix @ arm))

    @property
    def friction_mass(self) -> Array:
        return np.asarray(self.model.mass.diagonal())

    def reference(self) -> Fields:
        beam = self.model.beam
        return {"X": beam.X, "cells": beam.cells, "friction_weight": self._friction.bound(0.0)}

    def series(self, state: State, step: float) -> Series:
        """Motion at one instant. The frame is fixed, or translates with the mass centre."""
        model, bound = self.model, self._friction.bound(state.time)
        X = model.beam.X[:, 0]
        d, v, a = (model.natural(f) for f in (state.position, state.velocity, state.acceleration))
        mass, ones, arm = model.beam.mass_matrix, np.zeros_like(d), np.zeros_like(d)
        ones[0::2], arm[0::2], arm[1::2] = 1.0, X, 1.0
        translates = model.problem.frame.motion == "translation"
        place, rate, second = (float(ones @ (mass @ f)) / model.beam.mass if translates else 0.0 for f in (d, v, a))
        w, w_rate, w_second = d - place * ones, v - rate * ones, a - second * ones
        moves = float(model.steps.inertia)
        lam = np.zeros_like(d)
        lam[0::2] = model.at_nodes(state.multiplier[:, 0])
        load = model.natural_force(state.records[0].force)
        reaction = model.natural_force(state.records[-1].force)
        net = model.natural_force(state.balance)
        P, B, L = moves * ones @ (mass @ w_rate), moves * ones @ (mass @ w_second), moves * arm @ (mass @ w_second)
        rest = np.array([model.beam.mass * moves * second + B - ones @ net, L - arm @ net])
        size = np.array(
            [
                max(np.abs([B, ones @ load, ones @ lam, model.beam.mass * moves * second]).max(), float(bound.sum())),
                max(np.abs([L, arm @ load, arm @ lam]).max(), float(bound @ np.abs(X))),
            ]
        )
        nodal = np.abs(moves * (mass @ a)) + np.abs(net)  # the solver's tolerance of their cancelling sums
        noise = max(model.options.tolerance, 1e-12) * np.array([ones @ nodal, np.abs(arm) @ nodal])
        missed = np.abs(rest) / np.where(size > noise, size, np.inf)
        along_y = np.array([0.0, 1.0])
        zero = np.zeros(len(X))
        momentum = moves * float(ones @ (mass @ v))
        series: Series = {
            "time": state.time,
            "frame_position": place * along_y,
            "frame_velocity": rate * along_y,
            "frame_angle": 0.0,
            "frame_spin": 0.0,
            "displacement": np.column_stack([zero, w[0::2]]),
            "position": np.column_stack([X, d[0::2]]),
            "velocity": np.column_stack([zero, v[0::2]]),
            "friction_force": np.column_stack([zero, -lam[0::2]]),
            "stick": v[0::2] == 0.0,
            "A": float(ones @ (mass @ w)) * along_y,
            "P": float(P) * along_y,
            "B": float(B) * along_y,
            "L": float(L),
            "J_zz": float(arm @ (mass @ arm) + w @ (mass @ w)),
            "rigid_residual": float(missed.max()),
            "linear_momentum": momentum * along_y,
            "angular_momentum": moves * float(arm @ (mass @ v)),
            "rotation": d[1::2],
            "bending_moment": model.beam.bending_moment(d),
            "foreshortening": zero,
        }
        if model.problem.frame.support != "free":
            series["clamp_reaction"] = float(ones @ reaction) * along_y
            series["clamp_moment"] = float(arm @ reaction)
        return series

    def at_points(self, series: Series) -> Series:
        """Series of friction points at the nodes, without slopes."""
        return series | {name: self.model.at_nodes(np.asarray(series[name])) for name in ("slip_path", "friction_work")}

    def diagnostics(self, before: State, after: State) -> Diagnostics:
        """Largest ``|w'|`` at the nodes, also in a frame that translates."""
        slope = float(np.abs(self.model.natural(after.position)[1::2]).max())
        return {"slope": slope, "turn_rate": abs(after.frame.spin)}
