"""Differences of two records of the same runs: scales of the variables, and bars.

``bits``: all variables are equal to the last bit. ``rounding``: 1e-12 of scale, all flags and counts are equal. ``solver``: 1e-9 of
scale with equal flags; counts of iterations, and how far below their tolerance residuals lie, do not matter.

Differences of a variable are measured by its largest value in the run, but: energies and works by the largest of them; forces by
the largest force, or a hundredth of what stops the body in a step; velocities by the largest one, or what the largest force makes
of it in a step; momenta by mass and velocity, moments by force, or change of momentum in a step, and size; places by the size of
the body; residuals by one. Runs of Radau's method choose steps that follow from rounding: their bar is 1e-6 without counts. A
variable that differs in a twin of the run (``problems.TWIN``) may differ TWINS times as much; flags and counts that differ there
are not compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from recorded.bodies import RADAU
from recorded.problems import Values

BARS = {"bits": 0.0, "rounding": 1e-12, "solver": 1e-9}
CHOSEN_STEPS, TWINS = 1e-6, 30.0
ITERATIONS = ("passes", "newton_iterations", "factorisations", "fallbacks")
STEPS = ("halvings", "steps", "rejected_steps", "step_size")
RESIDUALS = ("rigid_residual", "balance_error")
ENERGIES = (
    "energy_",
    "work_",
    "dissipation_",
    "balance_error",
    "contact_energy",
    "friction_work",
    "impact_loss",
    "impact_energy_created",
)
FORCES = ("friction_force", "contact_force", "normal_force", "clamp_reaction", "attribute contact_force_max")
ESTIMATES = {"attribute sampling_floor", "attribute estimated_error"}
WORDS = 1e-3
"""Of numbers in a message, which have few digits."""


class Difference(NamedTuple):
    """Difference of a variable: ``gap`` over its scale (inf: another shape, text, flag or count), and its text."""

    gap: float
    text: str


@dataclass
class Group:
    """Comparison of the runs of one group: names of those ``equal`` to the last bit, lines on those ``beyond`` the bar; by variable
    the ``worst`` gap with its run, and in how many runs ``others``, flags and texts, differ; CPU time of both, s."""

    bar: str
    runs: int = 0
    equal: int = 0
    beyond: list[str] = field(default_factory=list)
    worst: dict[str, tuple[float, str]] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)
    seconds: tuple[float, ...] = (0.0, 0.0)


def largest(run: Values, *keys: str) -> float:
    """The largest size of some variables."""
    values = [np.abs(run[key][np.isfinite(run[key])]) for key in keys if key in run and run[key].dtype.kind == "f"]
    return max((float(v.max(initial=0.0)) for v in values), default=0.0)


def scales(run: Values) -> dict[str, float]:
    """Scales of the differences by variable."""
    own = {key: largest(run, key) for key, value in run.items() if value.dtype.kind == "f"}
    energy = largest(run, *(key for key in own if key.startswith(ENERGIES)))
    own |= {key: energy for key in own if key.startswith(ENERGIES)} | {"rigid_residual": 1.0, "impact_restitution": 1.0}
    own |= dict.fromkeys(ESTIMATES & own.keys(), 1e-2)
    if "X" not in own or "velocity" not in own:
        return own
    size, end, push = largest(run, "X", "body_X") or 1.0, own["time"], largest(run, *FORCES)
    steps = run["step_size"][run["step_size"] > 0.0]
    step, speed = float(steps.min(initial=end)) or 1.0, largest(run, "velocity", "frame_velocity")
    kinetic = 2.0 * own["energy_kinetic"] / speed**2 if speed**2 > 0.0 else 0.0
    mass = max(largest(run, "J", "J_zz") / size**2, min(kinetic, 1e6))
    speed = max(speed, push * step / mass if mass else 0.0)
    momentum = max(mass * speed, largest(run, "linear_momentum"))
    jolt = max(push, momentum / step)
    least = dict.fromkeys(FORCES, max(push, 0.01 * jolt)) | dict.fromkeys(
        ("linear_momentum", "P", "impact_impulse"), momentum
    )
    least |= dict.fromkeys(("L", "contact_moment", "clamp_moment", "bending_moment"), jolt * size) | {"B": jolt}
    least |= {"A": momentum * step, "angular_momentum": momentum * size, "slip_path": speed * step}
    least |= dict.fromkeys(("displacement", "foreshortening"), 1e-3 * size) | {"rotation": 1e-3}
    least |= dict.fromkeys(("position", "frame_position", "attribute penetration_max"), size)
    least |= {"velocity": speed, "frame_velocity": speed, "frame_spin": speed / size}
    turned = max(own.get("frame_angle", 1.0), speed * end / size)  # in space of rotations, which are of order 1
    least |= {"frame_angle": turned, "frame_drift": turned, "step_size": end}
    least |= dict.fromkeys(("attribute contact_begin", "attribute contact_end"), end)
    least |= {key: momentum * speed for key in own if key.startswith(ENERGIES)}
    return own | {key: max(own[key], value) for key, value in least.items() if key in own}


def aligned(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The shapes of modes with the signs of others."""
    flat = len(before), -1
    signs = np.sign(np.einsum("ka,ka->k", before.reshape(flat), after.reshape(flat)))
    return after * np.where(signs == 0.0, 1.0, signs).reshape(-1, *[1] * (after.ndim - 1))


def difference(key: str, before: np.ndarray, after: np.ndarray, scale: float, modes: bool = False) -> Difference | None:
    """Difference of a variable, None where all bits are equal; shapes of ``modes`` may have another sign."""
    if before.dtype.kind == "U" or after.dtype.kind == "U":
        lines = f"{key}:\n      - {str(before).strip()}\n      + {str(after).strip()}"
        return None if str(before) == str(after) else Difference(np.inf, lines)
    if before.shape != after.shape:
        return Difference(np.inf, f"{key} has the shape {after.shape}, not {before.shape}")
    if before.dtype == after.dtype and before.tobytes() == after.tobytes():
        return None
    if before.dtype.kind != "f":
        return Difference(np.inf, f"{key} in {int((before != after).sum())} of {before.size} places")
    if modes and key in ("shape", "rotation"):
        after = aligned(before, after)
    if int((np.isnan(before) != np.isnan(after)).sum()):
        return Difference(np.inf, f"{key} is a number in other places")
    gap = float(np.nanmax(np.abs(before - after), initial=0.0))
    gap = gap / scale if scale > 0.0 else gap
    return Difference(gap, f"{key} by {gap:.1e}")


def allowed(name: str, key: str, before: list[Values], scale: float, bar: str) -> float:
    """The gap that a bar allows; ``before``: a run and its twins."""
    if bar == "bits":
        return 0.0
    most = BARS[bar]
    if RADAU in name:
        most = np.inf if key in (*ITERATIONS, *STEPS) else CHOSEN_STEPS
    elif key in ITERATIONS and bar == "solver":
        return np.inf
    elif key in RESIDUALS and bar == "solver":
        most = max(most, 10.0 * largest(before[0], key) / (scale or 1.0))
    elif key == "message numbers":
        most = WORDS
    for twin in before[1:]:
        found = difference(key, before[0][key], twin[key], scale) if key in twin else None
        most = max(most, TWINS * found.gap) if found else most
    return most


def compared(name: str, before: list[Values], after: Values, group: Group) -> None:
    """Compare a run, which has twins behind it in ``before``, and note in its ``group`` what differs."""
    own, parts, modes = before[0], list[str](), name.startswith("mode ") and group.bar != "bits"
    size, same = scales(own), own.keys() == after.keys()
    for key in sorted(own.keys() & after.keys()):
        found = difference(key, own[key], after[key], size.get(key, 0.0), modes)
        if found is None:
            continue
        same = False
        if np.isfinite(found.gap):
            group.worst[key] = max(group.worst.get(key, (0.0, "")), (found.gap, name))
        else:
            group.others[key] = group.others.get(key, 0) + 1
        limit = allowed(name, key, before, size.get(key, 0.0), group.bar)
        parts += [found.text] if group.bar == "bits" or found.gap > limit else []
    parts += [f"{key} is gone" for key in sorted(own.keys() - after.keys())]
    parts += [f"{key} is new" for key in sorted(after.keys() - own.keys()) if group.bar == "bits"]
    group.runs, group.equal = group.runs + 1, group.equal + same
    group.beyond += [f"  {name}: {', '.join(parts)}"] if parts else []
