"""What a convergence study measures of a case: positions and displacements, velocities in the mean, dissipated energy.

Velocities jump at fronts and have kinks where sticking begins and ends; an error of them in a maximum norm need not converge
where the motion does, but their mean error over nodes and instants (the norm of L1) does. Each function takes a case's
parameters and its trajectory at the times that all levels share.
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
    inclined_plane,
    laws,
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
    times, x, v = data.time.values, data.frame_position.values[:, 0], data.frame_velocity.values[:, 0]
    if not laws.plain_coulomb(params) or (params.body == "elastic" and params.loaded == "edge"):
        return {
            "x_end": measure(x[-1], "m"),
            "x_all_times": measure(x, "m"),
            "velocity_mean": measure(v, "m/s", mean=True),
            "friction_work": friction_work(data),
        }
    known, known_v, events = block_on_table.exact(params, times)
    turns = np.array([event.x for event in events] + [known[-1]])
    slid = params.mu * block_on_table.normal_force(params) * float(np.abs(np.diff(turns)).sum())
    return {
        "x_end": measure(x[-1], "m", known[-1]),
        "x_all_times": measure(x, "m", known),
        "velocity_mean": measure(v, "m/s", known_v, mean=True),
        "friction_work": friction_work(data, slid),
    }


def incline(params: inclined_plane.Parameters, data: xr.Dataset) -> dict[str, Measure]:
    """Displacement of the block on the incline at the end and at all times; the law's own equation tells, exact for Coulomb's."""
    times, x = data.time.values, data.frame_position.values[:, 0]
    known = inclined_plane.motion(params, inclined_plane.forces(params), times)
    if known is None:
        return {"x_end": measure(x[-1], "m"), "x_all_times": measure(x, "m"), "friction_work": friction_work(data)}
    kind = "exact" if laws.plain_coulomb(params) else "reference"
    return {
        "x_end": measure(x[-1], "m", known[0][-1], kind),
        "x_all_times": measure(x, "m", known[0], kind),
        "friction_work": friction_work(data),
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
    plain = params.nu == 0 and params.material == "small-strain" and laws.plain_coulomb(params) and wave.force > 0
    if not (plain and wave.known(times[-1], params.length)):
        return nodal(data) | {"friction_work": friction_work(data)}
    known, v = wave.displacement(x, times[:, None]), rod_wave.sections(params, data, "velocity")[1]
    return {
        "loaded_end": measure(u[-1, 0], "m", known[-1, 0]),
        "displacement_at_end": measure(u[-1], "m", known[-1]),
        "displacement_all_times": measure(u, "m", known),
        "velocity_mean": measure(v, "m/s", wave.velocity(x, times[:, None]), mean=True),
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
    "inclined_plane": incline,
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
