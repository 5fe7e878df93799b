"""Signals of a motion at the sampled instants: given by a code, derived from these, and the quantities computed from both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.app.suite.formulas import formula
from cases.app.suite.schema import Problem, Quantity

Array = NDArray[np.float64]

GIVEN: dict[str, tuple[str, ...]] = {
    "block": ("x", "y", "vx", "vy"),
    "flat": ("x", "y", "angle", "vx", "vy", "spin"),
    "rigid": (
        *("x", "y", "z", "vx", "vy", "vz", "qw", "qx", "qy", "qz", "spin_x", "spin_y", "spin_z"),
        "force_front",  # largest normal force of a foot
    ),
    "profile": ("x", "y", "angle", "vx", "vy", "spin"),
    "bar": ("x", "v", "energy", "force"),
    "plate": ("x", "y", "angle", "vx", "vy", "energy", "angular_momentum", "strain"),
    "beam": ("energy",),
}
"""Signals by kind of body: place and velocity of the centre of mass; angle and spin; in space a quaternion, body to space,
and the spin in space axes; `force`: of the floor on a bar; `energy`: kinetic, of strain and springs, J; `angular_momentum`
about the centre of mass; `strain`: the largest displacement by deformation. With probes also `u_NAME`, `w_NAME`, their
displacements along x and y."""

DERIVED: dict[str, tuple[str, ...]] = {
    "block": ("slip", "energy"),
    "flat": ("energy", "speed"),
    "rigid": ("energy", "w1", "w2", "w3", "spin_size", "momentum_1", "momentum_2", "momentum_3"),
    "profile": ("energy",),
}
"""Derived signals: `slip` speed over the ground; `speed` of the kinetic energy m speed²/2; spin `w1` to `w3` in body axes and
moment of momentum in space axes."""

VERDICTS = {"painleve": "1 where the code says that contact forces do not exist or are not unique, else 0"}
"""Verdicts that a code may give; default 0."""


def offered(problem: Problem) -> set[str]:
    """Names of signals that quantities of a problem may use."""
    kind = problem.body.kind
    probes = {f"{axis}_{name}" for name in problem.probes for axis in ("u", "w")}
    return {"t", *GIVEN[kind], *DERIVED.get(kind, ()), *VERDICTS, *probes}


def complete(problem: Problem, given: Mapping[str, Any]) -> dict[str, Array]:
    """Signals (n,) at the samples: the given and the derived ones."""
    times = problem.time.samples
    signals = {name: np.broadcast_to(np.asarray(values, float), times.shape) for name, values in given.items()}
    signals = dict.fromkeys(VERDICTS, np.zeros(len(times))) | signals | {"t": times}
    further = {"block": _block, "flat": _flat, "rigid": _rigid, "profile": _profile}.get(problem.body.kind)
    try:
        return signals | further(problem, signals) if further else signals
    except KeyError:  # a code may omit signals: quantities of these have no value
        return signals


def _springs(problem: Problem, signals: Mapping[str, Array]) -> Array:
    stored = sum(0.5 * spring.stiffness for spring in problem.springs)
    return np.asarray(stored * (signals["x"] ** 2 + signals["y"] ** 2))


def _block(problem: Problem, signals: Mapping[str, Array]) -> dict[str, Array]:
    moves = problem.ground.velocity if problem.ground else None
    ground = [v(t=signals["t"]) for v in moves] if moves else [0.0, 0.0]
    kinetic = 0.5 * problem.body.mass * (signals["vx"] ** 2 + signals["vy"] ** 2)
    return {
        "slip": np.hypot(signals["vx"] - ground[0], signals["vy"] - ground[1]),
        "energy": kinetic + _springs(problem, signals),
    }


def _flat(problem: Problem, signals: Mapping[str, Array]) -> dict[str, Array]:
    body = problem.body
    energy = 0.5 * body.mass * (signals["vx"] ** 2 + signals["vy"] ** 2) + 0.5 * body.inertia * signals["spin"] ** 2
    return {"energy": energy, "speed": np.sqrt(2.0 * energy / body.mass)}


def _profile(problem: Problem, signals: Mapping[str, Array]) -> dict[str, Array]:
    body, fall = problem.body, -(problem.gravity or (0.0, 0.0))[1]
    kinetic = body.mass * (signals["vx"] ** 2 + signals["vy"] ** 2) + body.inertia * signals["spin"] ** 2
    return {"energy": 0.5 * kinetic + body.mass * fall * signals["y"]}


def _rigid(problem: Problem, signals: Mapping[str, Array]) -> dict[str, Array]:
    body, gravity = problem.body, np.asarray(problem.gravity or (0.0, 0.0, 0.0))
    w, x, y, z = (signals[f"q{axis}"] for axis in "wxyz")
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    spin = np.array([signals[f"spin_{axis}"] for axis in "xyz"])
    own = np.einsum("abn,an->bn", rotation, spin)
    momentum = np.einsum("abn,bn->an", rotation, np.asarray(body.inertia)[:, None] * own)
    velocity, place = (np.array([signals[name] for name in names]) for names in (("vx", "vy", "vz"), ("x", "y", "z")))
    energy = 0.5 * body.mass * (velocity**2).sum(axis=0) + 0.5 * (spin * momentum).sum(axis=0)
    return {
        "energy": energy - body.mass * gravity @ place,
        "spin_size": np.sqrt((spin**2).sum(axis=0)),
        **{f"w{k + 1}": own[k] for k in range(3)},
        **{f"momentum_{k + 1}": momentum[k] for k in range(3)},
    }


def value(problem: Problem, quantity: Quantity, signals: Mapping[str, Array]) -> float | None:
    """Value of a quantity; None where the code does not give a signal that it needs."""
    expression = formula(str(quantity.signal), frozenset(offered(problem)), problem.parameters)
    if not expression.names <= signals.keys():
        return None
    values = np.broadcast_to(expression(**{name: signals[name] for name in expression.names}), signals["t"].shape)
    reduction, when = quantity.over
    first, last = (round(t / problem.time.every) for t in ((when, when) if isinstance(when, float) else when))
    part, times = values[first : last + 1], signals["t"][first : last + 1]
    if reduction == "period":
        return _period(times, part)
    reductions: dict[str, Callable[[], Any]] = {
        "at": lambda: part[0],
        "mean": lambda: np.trapezoid(part, times) / (times[-1] - times[0]),
        "max": part.max,
        "min": part.min,
        "change": lambda: part[-1] - part[0],
    }
    return float(reductions[reduction]())


def _period(times: Array, part: Array) -> float:
    """Mean time between upward crossings of zero, linear between samples; NaN of fewer than two."""
    up = np.flatnonzero((part[:-1] < 0.0) & (part[1:] >= 0.0))
    crossings = times[up] - part[up] * (times[up + 1] - times[up]) / (part[up + 1] - part[up])
    return float(np.mean(np.diff(crossings))) if len(crossings) > 1 else float("nan")
