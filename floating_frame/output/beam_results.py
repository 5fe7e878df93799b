"""Beams in trajectories: axis nodes as ``node``, displacement (0, w), and besides rotation, bending moment and foreshortening."""

from __future__ import annotations

from typing import Any

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.output.ledger_series import count_series, ledger_series
from floating_frame.system.beam.model import BeamModel
from floating_frame.system.state import Counts, State

_AT_NODES = (
    *("displacement", "position", "velocity", "friction_force", "stick", "slip_path", "friction_work"),
    "bristle_deformation",  # under a law that remembers
)


def at_axis_nodes(body: Any, series: dict[str, Any]) -> dict[str, Any]:
    """The series of a ``BeamAxis`` at its N places: contract variables, and ``variables.BEAM``; ``displacement`` is (0, w)."""
    u = body.hermite(series["displacement"])
    slope = np.array([1.0, 0.0]) + u[1::2]
    found = series | {name: np.asarray(series[name])[0::2] for name in _AT_NODES if name in series}
    found["displacement"] = np.column_stack([np.zeros(len(slope)), u[0::2, 1]])
    found["rotation"] = np.arctan2(slope[:, 1], slope[:, 0])
    found["bending_moment"] = body.beam.bending_moment(u[:, 1])
    found["foreshortening"] = u[0::2, 0]
    return found


def static_at_axis_nodes(body: Any, static: dict[str, Any]) -> dict[str, Any]:
    """The same of the variables that do not change in time."""
    return {"X": body.beam.X, "cells": body.beam.cells, "friction_weight": static["friction_weight"][0::2]}


def beam_static_values(model: BeamModel) -> dict[str, Any]:
    """X, cells and friction weights of a linear beam."""
    return {"X": model.beam.X, "cells": model.beam.cells, "friction_weight": model.system.friction.bound(0.0)}


def beam_values(model: BeamModel, state: State, counts: Counts, energy_at_start: float) -> dict[str, Any]:
    """All series of a linear beam at one instant. The frame is fixed, or translates with the mass centre."""
    X = model.beam.X[:, 0]
    d, v, a = (model.natural(f) for f in (state.position, state.velocity, state.acceleration))
    translates = model.problem.motion == "translation"
    place, rate, second = (_mean(model, f) if translates else 0.0 for f in (d, v, a))
    w, w_rate, w_second = (_less(f, mean) for f, mean in ((d, place), (v, rate), (a, second)))
    ones, arm = np.zeros_like(d), np.zeros_like(d)
    ones[0::2], arm[0::2], arm[1::2] = 1.0, X, 1.0
    mass = model.beam.mass_matrix
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
            max(np.abs([B, ones @ load, ones @ lam, model.beam.mass * moves * second]).max(), lam_bound(model, state)),
            max(np.abs([L, arm @ load, arm @ lam]).max(), float(model.system.friction.bound(state.time) @ np.abs(X))),
        ]
    )
    along_y = np.array([0.0, 1.0])
    zero = np.zeros(len(X))
    momentum = moves * float(ones @ (mass @ v))
    ledger = ledger_series(model.system, state, energy_at_start)
    ledger |= {name: model.at_nodes(ledger[name]) for name in ("slip_path", "friction_work")}
    series = {
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
        "rigid_residual": float((np.abs(rest) / np.where(size > 0.0, size, 1.0)).max()),
        "linear_momentum": momentum * along_y,
        "angular_momentum": moves * float(arm @ (mass @ v)),
        **ledger,
        **count_series(counts),
        "rotation": d[1::2],
        "bending_moment": model.beam.bending_moment(d),
        "foreshortening": zero,
    }
    if model.problem.support != "free":
        series["clamp_reaction"] = float(ones @ reaction) * along_y
        series["clamp_moment"] = float(arm @ reaction)
    return series


def lam_bound(model: BeamModel, state: State) -> float:
    """Σ w_i at the instant, N."""
    return float(model.system.friction.bound(state.time).sum())


def _mean(model: BeamModel, field: Array) -> float:
    """Mass average of a deflection field (2N,)."""
    ones = np.zeros_like(field)
    ones[0::2] = 1.0
    return float(ones @ (model.beam.mass_matrix @ field)) / model.beam.mass


def _less(field: Array, mean: float) -> Array:
    """The field (2N,) less a constant deflection."""
    found = field.copy()
    found[0::2] -= mean
    return found
