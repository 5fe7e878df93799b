"""Problems of the recorded runs, and their results: the only file to change with the library's public names.

The runs themselves name bodies, laws, loads in the plane, obstacles and options as users do; problems, initial states, contacts,
motions, clamps, loads in space and effects of one's own are made here, and results and restarts are read here.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import floating_frame as ff
from cases.app.command.cli import main
from cases.app.registry import load
from cases.app.run.checkpoint import Checkpoints, attributes_of, read_checkpoint
from floating_frame import BeamProblem, LateralLoad
from floating_frame.contact.obstacles import Gap
from floating_frame.effect.protocol import Effect, PointForce, Record
from floating_frame.frame.chord import BEAM_FRAMES

MANY = 4000
Values = dict[str, np.ndarray]
Run = Callable[[], Values]
Job = tuple[Any, ff.Options]
Maker = Callable[[], Job]
NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


TWIN = "RECORDED_TWIN"
"""Variable of the environment: which twin of the runs is made, ``mass`` or ``tolerance``."""


def nudged(value: float) -> float:
    """A mass or density: in the twin ``mass`` larger by rounding, which tells how much of a run rounding decides."""
    return value * (1.0 + 4e-16) if os.environ.get(TWIN) == "mass" else value


def taken_by(make: Maker) -> Job:
    """A problem and its options: in the twin ``tolerance`` solved more exactly, which tells how well a run is solved."""
    problem, options = make()
    if os.environ.get(TWIN) == "tolerance":
        options = replace(options, tolerance=0.03 * options.tolerance)
    return problem, options


# Rigid bodies in space, and where they touch.
RigidSolid, Feet, Ball, Base = ff.RigidSolid, ff.Feet, ff.Ball, ff.Base


# Problems.
def plane(body: Any, t_end: float, **parts: Any) -> Any:
    """A body in the plane with a floating frame: foundation, loads, frame, initial, thermal_strain, contacts, effects."""
    return ff.Problem(body, t_end, **parts)


def deflected(beam: Any, t_end: float, **parts: Any) -> Any:
    """A linear beam seen by its deflection: foundation, loads, support, motion, effects."""
    return BeamProblem(beam, t_end, **parts)


def rigid_in_space(body: Any, t_end: float, initial: dict[str, Any] | None = None, **parts: Any) -> Any:
    """A rigid body in space: mu, law, gravity, loads, contacts."""
    return ff.SpaceProblem(body=body, t_end=t_end, initial=ff.SpaceInitial(**(initial or {})), **parts)


def solid(body: Any, t_end: float, initial: dict[str, Any] | None = None, **parts: Any) -> Any:
    """An elastic solid in space: mu, law, gravity, contact, obstacle, foundation, guides, loads, frame, contacts."""
    return ff.SolidProblem(body=body, t_end=t_end, initial=ff.SolidInitial(**(initial or {})), **parts)


# Their parts.
def start(*given: Any, **more: Any) -> Any:
    """Initial state in the plane: velocity, spin, displacement, rate."""
    return ff.InitialState(*given, **more)


def lateral(*given: Any, **more: Any) -> Any:
    """Load across a beam: amplitude, profile, history."""
    return LateralLoad(*given, **more)


def point_force(force: Sequence[float], **more: Any) -> Any:
    """Force on a rigid body in space: at, history."""
    return ff.SpaceForce(force=force, **more)


def solid_force(force: Sequence[float], **more: Any) -> Any:
    """Force on a solid: on, history."""
    return ff.SolidForce(force=force, **more)


def touch(obstacle: Any, **more: Any) -> Any:
    """Contact in the plane: edge or nodes, normal, law, mu, integration."""
    return ff.Contact(obstacle, **more)


def touch_in_space(obstacle: Any = None, **more: Any) -> Any:
    """Contact in space, of the ground where no obstacle is named: normal, law, mu."""
    return ff.Contact(**(more if obstacle is None else more | {"obstacle": obstacle}))


def motion(**given: Any) -> Any:
    """Motion of an obstacle in the plane: velocity, spin, pivot, path, rates."""
    return ff.RigidMotion(**given)


def motion_in_space(**given: Any) -> Any:
    """Motion of an obstacle in space: the same."""
    return ff.RigidMotion(**given)


def clamp(*given: Any) -> Any:
    """Clamp of a plate: edge, free, rates."""
    return ff.Clamped(*given)


def clamp_in_space(face: str, *free: str) -> Any:
    """Clamp of a solid that is free along, or about, some axes."""
    return ff.SpaceClamped(face, free)


def hinge(face: str, axis: Sequence[float], through: Sequence[float]) -> Any:
    """Clamp of a solid that turns about an axis at rest."""
    return ff.SpaceHinged(face, axis=axis, through=through)


def frame(name: str) -> Any:
    """Frame condition by name."""
    return BEAM_FRAMES[name]() if name == "beam-chord" else ff.FRAMES[name]()


class Drag:
    """A user's effect: F = -c |v| v at a point or an edge, with D = c |v|³; c N s²/m²."""

    def __init__(self, at: Any, c: float) -> None:
        self.at, self.c = at, c

    def on(self, attached: Any) -> Effect:
        """The effect on these points."""
        return _DragEffect(self.c * attached.shares, attached.points)


class _DragEffect(Effect):
    name = "drag"

    def __init__(self, c: np.ndarray, points: Any) -> None:
        self._c, self.points = c, points

    def for_stage(self, time: float, internal: Any, tau: float, *, left: bool = True) -> Any:
        return _ActingDrag(self._c)


class _ActingDrag:
    stiffness = None

    def __init__(self, c: np.ndarray) -> None:
        self._c = c

    def at(self, x: np.ndarray, v: np.ndarray) -> PointForce:
        speed = np.sqrt((v * v).sum(axis=1))
        along = np.einsum("pa,pb->pab", v, v) / np.where(speed > 0.0, speed, 1.0)[:, None, None]
        slope = self._c[:, None, None] * (speed[:, None, None] * np.eye(v.shape[1]) + along)
        return PointForce((-self._c * speed)[:, None] * v, None, -slope)

    def frozen(self, x: np.ndarray, v: np.ndarray) -> Any:
        return self

    def _power(self, v: np.ndarray) -> float:
        return float(self._c @ (v * v).sum(axis=1) ** 1.5)

    def potential(self, x: np.ndarray, v: np.ndarray) -> float:
        return self._power(v) / 3.0

    def record(self, x: np.ndarray, v: np.ndarray, force: Any) -> Record:
        return Record(force, dissipated=self._power(v))


@dataclass(frozen=True)
class Wall(ff.Obstacle):
    """A user's obstacle in the plane: x >= ``along`` m, in motion."""

    along: float
    motion: Any = ff.RigidMotion()  # noqa: RUF009
    dimension = 2

    def shape_gap(self, y: np.ndarray) -> Gap:
        """Distance, normal and curvature."""
        return Gap(self.along - y[:, 0], np.tile([-1.0, 0.0], (len(y), 1)), np.zeros((len(y), 2, 2)))

    def shape_outline(self, reach: float) -> list[np.ndarray]:
        """A straight line."""
        return [np.array([[self.along, -reach], [self.along, reach]])]


@dataclass(frozen=True)
class Floor(ff.Obstacle):
    """A user's obstacle in space: z <= 0, in motion."""

    motion: Any = ff.RigidMotion()  # noqa: RUF009
    dimension = 3

    def shape_gap(self, y: np.ndarray) -> Gap:
        """Height, normal and curvature."""
        return Gap(y[:, 2].copy(), np.tile([0.0, 0.0, 1.0], (len(y), 1)), np.zeros((len(y), 3, 3)))


# Runs and results.
def recorded(make: Maker) -> Values:
    """All that a run gives; of one that fails its message and what was computed until then."""
    try:
        problem, options = taken_by(make)
        return results(ff.simulate(ff.assemble(problem, options)))
    except ff.StepFailure as failure:
        values = results(failure.trajectory) if failure.trajectory is not None else {}
        numbers = np.array([float(number) for number in re.findall(NUMBER, str(failure))])
        return values | {"message": np.array(without_numbers(str(failure))), "message numbers": numbers}


def results(trajectory: Any) -> Values:
    """The numbers of a trajectory: its variables, its attributes that are numbers, and its warnings."""
    found = {name: np.asarray(values) for name, values in trajectory.variables.items()}
    found = {name: values for name, values in found.items() if values.dtype.kind in "fiub"}
    for name, value in trajectory.attrs.items():
        if isinstance(value, (int, float, np.number)):
            found[f"attribute {name}"] = np.array(value)
    resolution = getattr(trajectory.get("contact_force"), "attrs", {}).get("resolution")
    if resolution is not None:
        found["attribute resolution"] = np.array(str(resolution))
    warnings = json.loads(trajectory.attrs.get("warnings", "[]"))
    names = [warning["name"] for warning in warnings]
    for k, warning in enumerate(warnings):
        label = f"warning {warning['name']}" + (f" {names[:k].count(warning['name']) + 1}" if k else "")
        found[label] = np.array([warning["value"], warning["limit"]])
        found[f"{label} says"] = np.array(without_numbers(warning["advice"]))
    return found | {"warnings": np.array(", ".join(names))}


def without_numbers(text: str) -> str:
    """A message in which numbers are marks: digits of them follow from rounding."""
    return re.sub(NUMBER, "#", text)


class _Stopped(Exception):
    """A run that is stopped on purpose."""


def restarted(make: Maker) -> Values:
    """Results of a run stopped at half the time and resumed from its checkpoint; ``unequal``: number of variables that differ from
    the uninterrupted run."""
    problem, options = taken_by(make)
    model, half = ff.assemble(problem, options), 0.5 * problem.t_end

    def stop(report: Any) -> None:
        if report.time >= half:
            raise _Stopped

    with TemporaryDirectory() as folder:
        path = Path(folder) / "trajectory.nc"
        keeper = Checkpoints(path.parent, "half", model, np.inf, lambda: None)
        with contextlib.suppress(_Stopped):
            ff.simulate(model, path=path, attributes=attributes_of("half"), progress=stop, keeper=keeper)
        with ff.load_trajectory(path) as before:
            reached = float(before.time[-1])
        start = read_checkpoint(path, "half", ff.assemble(problem, options))
        model = ff.assemble(problem, options)
        ff.simulate(model, path=path, attributes=attributes_of("half"), keeper=keeper, resume=start).close()
        with ff.load_trajectory(path) as data:
            resumed = results(data.load())
    whole = recorded(make)
    unequal = [
        key for key in whole if not np.array_equal(resumed[key], whole[key], equal_nan=whole[key].dtype.kind == "f")
    ]
    return resumed | {"unequal": np.array(len(unequal)), "reached": np.array(reached / problem.t_end)}


def natural_modes(make: Maker, count: int, displacement: Any = None) -> Values:
    """Natural frequencies and shapes."""
    found = ff.modes(ff.assemble(*make()), count, displacement=displacement)
    return {str(name): np.asarray(values) for name, values in found.variables.items() if values.dtype.kind in "fi"} | {
        "attribute rigid_modes": np.array(found.attrs["rigid_modes"])
    }


def commanded(*arguments: str) -> tuple[int, str]:
    """Exit status of the command line, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            status = main(list(arguments))
        except SystemExit as end:
            status = int(end.code or 0)
    return status, printed.getvalue()


def refused(make: Callable[[], Any]) -> Values:
    """The line in which something is refused: what ``make`` makes, or a problem with its options when they are assembled."""
    try:
        made = make()
        if isinstance(made, tuple):
            ff.simulate(ff.assemble(*made))
    except (ValueError, TypeError) as error:
        return {"message": np.array(str(error)), "kind": np.array(type(error).__name__)}
    raise AssertionError("nothing is refused")


def case(name: str, given: dict[str, Any]) -> Values:
    """A built-in case: its headline numbers, series of the body and the last instant of its nodes."""
    module = load(name)
    params = module.Parameters(**given)
    if hasattr(params, "gravity"):
        params = params.model_copy(update={"gravity": nudged(params.gravity)})
    trajectory = ff.simulate(ff.assemble(module.problem(params), module.options(params)))
    found = {
        key: values[-1:] if values.size > MANY and values.ndim > 1 else values
        for key, values in results(trajectory).items()
    }
    for key, entry in module.summary(params, trajectory).items():
        for part in ("value", "exact"):
            if part in entry:
                number = entry[part]
                found[f"headline {key}" + (" exact" if part == "exact" else "")] = np.array(
                    np.nan if number is None else number
                )
    return found


def saved(directory: str) -> Values:
    """The numbers of a results directory."""
    with ff.load_trajectory(Path(directory) / "trajectory.nc") as data:
        return results(data.load())
