"""What of a linear beam is stored at one instant: axis nodes as ``node``, displacement (0, w), rotation and bending moment."""

from __future__ import annotations

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.system.beam.model import BeamModel
from floating_frame.system.protocol import Series
from floating_frame.system.state import State


def beam_series(model: BeamModel, state: State, bound: Array) -> Series:
    """Return the motion of a linear beam at one instant; ``bound`` (N,), N, of friction at its nodes.

    The frame is fixed, or translates with the mass centre.
    """
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
    nodal = np.abs(moves * (mass @ a)) + np.abs(net)  # sums of these that cancel leave the solver's tolerance of them
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
