"""What a convergence study measures of a case: positions, displacements over time, dissipated energy; no velocities.

Velocities jump under set-valued friction, at fronts and at arrest; an error of them in a maximum norm need not converge
where the motion does. Each function takes a case's parameters and its trajectory at the times that all levels share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from cases import (
    annulus_torsion,
    beam_on_rough_foundation,
    block_on_table,
    free_flight,
    rod_cycle,
    rod_wave,
    spinning_disc,
    strip,
    wall_impact,
)
from cases.beam_swing_motion import beam_bending_measures
from cases.measure import Measure, friction_work, measure, nodal


def block(params: block_on_table.Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the block at the end and at all times, and friction work; exact for the rigid block."""
    times, x = data.time.values, data.frame_position.values[:, 0]
    if params.law != "coulomb" or (params.body == "elastic" and params.loaded == "edge"):
        return {"x_end": measure(x[-1], "m"), "x_all_times": measure(x, "m"), "friction_work": friction_work(data)}
    known, _, events = block_on_table.exact(params, times)
    turns = np.array([event.x for event in events] + [known[-1]])
    slid = params.mu * block_on_table.normal_force(params) * float(np.abs(np.diff(turns)).sum())
    return {
        "x_end": measure(x[-1], "m", known[-1]),
        "x_all_times": measure(x, "m", known),
        "friction_work": friction_work(data, slid),
    }


def plate(params: Any, data: xr.Dataset) -> dict[str, Measure]:
    """Positions, angle turned and friction work of the sliding plate, against a finer level."""
    angle = measure(float(data.frame_angle[-1]), "rad")
    return nodal(data) | {"angle_end": angle, "friction_work": friction_work(data)}


def disc(params: spinning_disc.Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Distance, angle and friction work of the thrown body; the rigid disc's are known once it has stopped."""
    place, angle = data.frame_position.values, data.frame_angle.values
    fields = {"centre_all_times": measure(place, "m"), "angle_all_times": measure(angle, "rad")}
    stop = spinning_disc.reference(params) if params.body == "rigid" else None
    if stop is None or stop.time > params.t_end:
        return fields | {"friction_work": friction_work(data)}
    mass = params.density * params.thickness * math.pi * params.radius**2
    energy = mass * (params.vx0**2 + params.vy0**2 + (params.radius * params.spin0) ** 2 / 2) / 2
    # Uniform pressure decelerates a disc along its velocity: it runs straight.
    return {
        "distance": measure(np.hypot(*place[-1]), "m", stop.distance, "reference"),
        "angle_end": measure(angle[-1], "rad", stop.angle, "reference"),
        **fields,
        "friction_work": friction_work(data, energy),
    }


def flight(params: free_flight.Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Positions and angle against a finer level; angular momentum and energy against their conserved values."""
    free = params.mu == 0
    momentum, energy = data.angular_momentum.values, free_flight.energy(data)
    return nodal(data) | {
        "angle_end": measure(float(data.frame_angle[-1]), "rad"),
        "angular_momentum": measure(
            momentum, "kg m2/s", np.full(len(momentum), free_flight.angular_momentum(params)) if free else None
        ),
        "energy": measure(energy, "J", np.full(len(energy), energy[0]) if free else None),
    }


def rod(params: rod_wave.Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the loaded end, of the rod at all times, and friction work; exact in the 1-D theory."""
    wave, times = rod_wave.wave(params), data.time.values
    x, u = rod_wave.sections(params, data, "position")
    plain = params.nu == 0 and params.material == "small-strain" and params.law == "coulomb" and wave.force > 0
    if not (plain and wave.known(times[-1], params.length)):
        return nodal(data) | {"friction_work": friction_work(data)}
    known = wave.displacement(x, times[:, None])
    return {
        "loaded_end": measure(u[-1, 0], "m", known[-1, 0]),
        "displacement_at_end": measure(u[-1], "m", known[-1]),
        "displacement_all_times": measure(u, "m", known),
        "friction_work": friction_work(data, wave.friction_work(times[-1])),
    }


def rod_cycle_measures(params: rod_cycle.Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the slipping end and friction work at the end of the history; exact in rod theory."""
    known = rod_cycle.exact(params)
    ends, legs = 2 if params.thermal_strains else 1, len(params.thermal_strains or params.forces)
    whole = known is not None and params.t_end == legs
    u = float(rod_cycle.end_displacement(params, data)[-1])
    lost = ends * sum(turn.loss for turn in known) if known and whole else None
    return {
        "end_displacement": measure(u, "m", known[-1].displacement if known and whole else None),
        "friction_work": friction_work(data, lost),
    }


def annulus(params: annulus_torsion.Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Angle of the inner rim and friction work at the end; exact where a slow history has ended."""
    known = annulus_torsion.exact(params) if params.scheme == "quasi-static" else None
    whole = known is not None and params.t_end == len(params.torques)
    angle = float(annulus_torsion.rim_angle(params, data)[-1])
    lost = sum(turn.loss for turn in known) if known and whole else None
    return {
        "rim_angle": measure(angle, "rad", known[-1].displacement if known and whole else None),
        "friction_work": friction_work(data, lost),
    }


def clamped(params: Any, data: xr.Dataset) -> dict[str, Measure]:
    """Positions of the clamped plate, its clamp's way along the guide, and friction work, against a finer level."""
    way = measure(float(data.frame_position[-1, 0]), "m")
    return nodal(data) | {"clamp_end": way, "friction_work": friction_work(data)}


def beam_on_ground(params: beam_on_rough_foundation.Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Deflection and rotation of the pushed end, and friction work, at the end; exact for a beam after its first leg."""
    axis = strip.along_axis(data) if params.body == "strip" else data
    beam = params.body == "beam" and params.t_end == 1.0
    exact = beam_on_rough_foundation.known(params, params.forces[0]) if beam else None
    unit = beam_on_rough_foundation.scales(params, params.forces[0]) if exact else (1.0, 1.0, 1.0)
    return {
        "end_deflection": measure(
            float(axis.displacement[-1, 0, 1]), "m", exact.deflection * unit[1] if exact else None
        ),
        "end_rotation": measure(float(axis.rotation[-1, 0]), "rad", exact.slope * unit[1] / unit[0] if exact else None),
        "friction_work": friction_work(
            data, exact.friction_work(single_step=params.steps == 1) * unit[2] if exact else None
        ),
    }


def impact(params: wall_impact.Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Velocity of the frame after the impact and positions; exact in closed form for a square hit of a rigid plate."""
    known = wall_impact.exact(params)
    rebound = params.wall_vx - known.restitution * wall_impact.approach(params) if known else None
    return nodal(data) | {
        "velocity_end": measure(float(data.frame_velocity[-1, 0]), "m/s", rebound),
        "angle_end": measure(float(data.frame_angle[-1]), "rad"),
    }


MEASURES: Mapping[str, Callable[[Any, xr.Dataset], dict[str, Measure]]] = {
    "block_on_table": block,
    "plate_sliding": plate,
    "plate_clamped": clamped,
    "spinning_disc": disc,
    "free_flight": flight,
    "rod_wave": rod,
    "rod_cycle": rod_cycle_measures,
    "annulus_torsion": annulus,
    "wall_impact": impact,
    "beam_bending": beam_bending_measures,
    "beam_on_rough_foundation": beam_on_ground,
}
"""Measures of each case."""

REFINED: Mapping[str, tuple[str, ...]] = {
    "block_on_table": ("nx", "ny"),
    "plate_sliding": ("nx", "ny"),
    "plate_clamped": ("nx", "ny"),
    "spinning_disc": ("nr", "nt", "nx", "ny"),
    "free_flight": ("nx", "ny"),
    "rod_wave": ("nx",),
    "rod_cycle": ("nx",),
    "annulus_torsion": ("nr", "nt"),
    "wall_impact": ("nx", "ny"),
    "beam_bending": ("ne",),
    "beam_on_rough_foundation": ("ne", "ny"),
}
"""Numbers of cells that are doubled; the rod's solution does not vary across it."""

START: Mapping[tuple[str, str], Mapping[str, float | str]] = {
    ("block_on_table", "dt"): {"dt": 1e-2},
    ("block_on_table", "mesh"): {"dt": 1e-2, "nx": 2, "ny": 2},
    ("plate_sliding", "dt"): {"dt": 4e-3, "nx": 8, "ny": 4},
    ("plate_sliding", "mesh"): {"dt": 4e-3, "nx": 4, "ny": 2},
    ("plate_clamped", "dt"): {"dt": 4e-3, "t_end": 0.8, "nx": 4, "ny": 2},
    ("plate_clamped", "mesh"): {"dt": 4e-3, "t_end": 0.8, "nx": 4, "ny": 2},
    ("spinning_disc", "dt"): {"dt": 8e-3, "nr": 48, "nt": 96},
    ("spinning_disc", "mesh"): {"nr": 3, "nt": 6, "nx": 3, "ny": 2},
    ("free_flight", "dt"): {"dt": 1e-3, "t_end": 0.25, "nx": 8, "ny": 4},
    ("free_flight", "mesh"): {"dt": 5e-4, "t_end": 0.25, "nx": 4, "ny": 2},
    ("rod_wave", "dt"): {"nx": 100},
    ("rod_wave", "mesh"): {"nx": 50},
    ("rod_cycle", "dt"): {"nx": 40, "steps": 2},
    ("rod_cycle", "mesh"): {"nx": 25, "steps": 4},
    ("annulus_torsion", "dt"): {"nr": 12, "nt": 24, "steps": 2},
    ("annulus_torsion", "mesh"): {"nr": 6, "nt": 12, "steps": 4},
    ("wall_impact", "dt"): {"dt": 4e-4, "nx": 4, "ny": 2},
    ("wall_impact", "mesh"): {"nx": 4, "ny": 2, "body": "elastic"},
    ("beam_bending", "dt"): {"dt": 2e-3, "ne": 80},
    ("beam_bending", "mesh"): {"dt": 2.5e-4, "ne": 4},
    ("beam_on_rough_foundation", "dt"): {"t_end": 1.0, "steps": 4, "ne": 500},
    ("beam_on_rough_foundation", "mesh"): {"t_end": 1.0, "steps": 1, "ne": 40, "length": 1.7},
}
"""The coarsest level of a study, where it is not the case's default; parameters that are given override it."""

NOTES: Mapping[tuple[str, str], str] = {
    (
        "wall_impact",
        "dt",
    ): "touch and release are kinks that a step meets at any place within it, so that errors scatter below their order",
    (
        "beam_on_rough_foundation",
        "dt",
    ): "the first leg; friction opposes the rate of deflection, the better the more steps",
    (
        "beam_on_rough_foundation",
        "mesh",
    ): "errors scatter, as the ends of the slip zones lie anywhere within their cells",
}
"""What the table of a study has to say besides."""
