"""Recorded runs of effects (springs, a user's own) on every body of the plane, and of the explicit scheme."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import floating_frame as ff
from friction import Coulomb, Foundation, Reacting, Smooth
from recorded import problems as p
from recorded.bodies import (
    EXPLICIT,
    LINEAR,
    NORMALS,
    RADAU,
    STAGED,
    STILL,
    axis,
    beam,
    belt,
    changing,
    plate,
    rigid,
    rough,
)
from recorded.plane import CLAMPS, load_sets, made, shaken, thrown


def swung(t: float) -> tuple[float, float]:
    """A path of a spring's end."""
    return 0.02 * np.sin(40.0 * t), 0.01 * (1.0 - np.cos(30.0 * t))


def swung_rates(t: float) -> tuple[float, float]:
    """Its derivative."""
    return 0.8 * np.cos(40.0 * t), 0.3 * np.sin(30.0 * t)


def effect_sets(edge: bool = True) -> dict[str, tuple[Any, ...]]:
    """Effects on a body, at an edge too where it has any."""
    at: Any = "left" if edge else (-0.1, 0.0)
    return {
        "tied": (ff.Spring(at, stiffness=40.0),),
        "tied to a place": (ff.Spring((0.1, 0.0), (0.15, 0.03), stiffness=40.0, damping=0.5),),
        "along its axis": (ff.Spring((0.1, 0.0), (0.2, -0.1), stiffness=60.0, damping=0.8, rest_length=0.1),),
        "damped": (ff.Spring(at, damping=2.0),),
        "moved": (ff.Spring(at, stiffness=40.0, damping=0.3, path=swung, rates=swung_rates),),
        "moved by differences": (ff.Spring((0.1, 0.0), stiffness=30.0, damping=0.3, path=swung),),
        "drag": (p.Drag(at, 0.8),),
        "two": (ff.Spring(at, stiffness=20.0), p.Drag((0.1, 0.0), 0.5)),
    }


def spring_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Effects on rigid bodies, plates, clamped plates, the axis of a beam and linear beams."""
    for scheme in (*STAGED, EXPLICIT, RADAU, LINEAR):
        law = Coulomb() if scheme != RADAU else Smooth(0.01)
        body = rigid() if scheme != EXPLICIT else rigid().on_nodes()
        for name, effects in effect_sets().items():
            more = {"effects": effects, "steps": 8 if scheme != RADAU else 4}
            yield f"spring rigid {scheme} {name}", lambda b=body, s=scheme, a=law, m=more: thrown(b, 1e-2, s, a, **m)
    for scheme in (*STAGED, EXPLICIT):
        dt = 2.5e-3 if scheme != EXPLICIT else 0.0
        for name, effects in effect_sets().items():
            more = {"effects": effects} | ({"steps": 6} if dt else {"steps": 1, "t_end": 0.015, "output_every": 3})
            yield f"spring plate {scheme} {name}", lambda s=scheme, d=dt, m=more: made(plate(), d, s, Coulomb(), **m)
    for scheme in STAGED:
        for clamp in ("x", "all"):
            for name in ("tied", "along its axis", "moved", "two"):
                effects = effect_sets(edge=False)[name]
                more = {
                    "effects": effects,
                    "steps": 5,
                    "frame": p.clamp(*CLAMPS[clamp]),
                    "initial": p.start((0.2, 0.0)),
                }
                label = f"spring clamped {clamp} {scheme} {name}"
                yield label, lambda s=scheme, m=more: made(plate(), 4e-3, s, Coulomb(), **m)
    yield from more_spring_jobs()


def more_spring_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Effects on beams, in increments of equilibrium, beside other friction, with chosen steps."""
    for scheme in STAGED:
        for name in ("tied", "along its axis", "moved", "drag"):
            effects = effect_sets(edge=False)[name]
            yield f"spring beam-axis {scheme} {name}", lambda s=scheme, e=effects: on_axis(s, e)
            deflects = {
                "tied": (ff.Spring("left", stiffness=40.0),),
                "moved": (ff.Spring("right", stiffness=9.0, path=swung),),
            }
            if name in deflects:
                yield f"spring beam {scheme} {name}", lambda s=scheme, e=deflects[name]: on_beam(s, e)
    for name in ("tied", "along its axis", "moved"):
        still = {"effects": effect_sets()[name], "initial": p.start(), "steps": 5}
        still |= {"loads": (ff.EdgeLoad("right", (1.2, 0.3), ff.Ramp(0.02)),)}
        yield f"spring quasi-static {name}", lambda m=still: made(plate(), 5e-3, STILL, Coulomb(), **m)
    held = (ff.Spring("left", stiffness=60.0, damping=0.4),)
    for kind, body, dt in (("rigid", rigid, 1e-2), ("plate", plate, 5e-3)):
        for scheme in STAGED:
            label = f"spring {kind} {scheme}"
            yield f"{label} stopped", lambda b=body, s=scheme: shaken(b(), 1e-2, s, effects=held)
            chosen = {"effects": held, "steps": 3, "error_tolerance": 1e-3}
            yield f"{label} adaptive", lambda b=body, d=dt, s=scheme, m=chosen: made(b(), d, s, Coulomb(), **m)
        tips = {"effects": held, "foundation": rough(Coulomb(), pressure=Reacting(0.05, 98.1)), "steps": 5}
        yield f"spring {kind} reacting", lambda b=body, d=dt, m=tips: made(b(), d, "sdirk2", **m)
        wall = p.touch(
            ff.Line((0.205, 0.0), (-1.0, 0.1)), edge="right", normal=NORMALS["damper"], law=Smooth(0.01), mu=0.2
        )
        both = {"effects": held, "contacts": (wall,), "steps": 6}
        yield f"spring {kind} penalty", lambda b=body, m=both: made(b(), 2e-3, "sdirk2", Coulomb(), **m)
        hard = p.touch(ff.Line((0.205, 0.0), (-1.0, 0.1)), edge="right", normal=ff.Signorini(), mu=0.2)
        both = {"effects": held, "contacts": (hard,), "steps": 10}
        yield f"spring {kind} exact", lambda b=body, m=both: made(b(), 2e-3, "moreau-theta", Coulomb(), **m)


def on_axis(scheme: str, effects: tuple[Any, ...], **more: Any) -> p.Job:
    """The axis of a beam that flies with effects."""
    loads = (p.lateral(6.0, history=ff.Ramp(0.01, 0.02)),)
    given = {"loads": loads, "steps": 5, "effects": effects}
    return made(axis(), 2e-3, scheme, Coulomb(), **(given | more))


def on_beam(scheme: str, effects: tuple[Any, ...]) -> p.Job:
    """A linear beam with effects."""
    loads = (p.lateral(6.0, history=ff.Ramp(0.01, 0.02)),)
    return p.deflected(beam(), 1.6e-2, foundation=rough(Coulomb()), loads=loads, effects=effects), ff.Options(
        2e-3, scheme
    )


def explicit_jobs() -> Iterator[tuple[str, p.Maker]]:
    """All that the explicit scheme takes of plates (of rigid bodies: with the other schemes)."""
    short = {"steps": 1, "t_end": 0.02, "output_every": 2}

    def run(body: Any, dt: float = 0.0, law: Any = Coulomb(), **more: Any) -> p.Job:  # noqa: B008
        return made(body, dt, EXPLICIT, law, **(short | more))

    yield "explicit plate none", lambda: run(plate(), law=None)
    yield "explicit plate coulomb", lambda: run(plate())
    for name, loads in load_sets().items():
        yield f"explicit plate {name}", lambda m=loads: run(plate(), loads=m)
    for frame in ("mean-axis", "tisserand"):
        for kind in ("small-strain", "neo-hookean"):
            more = {"frame": p.frame(frame)}
            yield f"explicit plate {frame} {kind}", lambda k=kind, m=more: run(plate("P1", k), **m)
    for element in ("P1", "Q1"):
        yield f"explicit plate {element} stress", lambda e=element: run(plate(e, "neo-hookean"), stress=True)
    ground = {"ground_velocity": belt, "pressure": changing, "breaks": (0.03,)}
    yield "explicit plate belt", lambda: run(plate(), t_end=0.05, foundation=rough(Coulomb(), **ground))
    yield "explicit plate adaptive", lambda: made(plate(), 5e-3, EXPLICIT, Coulomb(), error_tolerance=1e-2, steps=3)
    yield "explicit plate given step", lambda: run(plate(), 2e-4, t_end=0.015, output_every=7)
    yield "explicit plate stopped", lambda: shaken(plate(), 2e-4, EXPLICIT, output_every=50)
    yield "explicit plate many steps", lambda: run(plate("Q1", nx=6, ny=3), 1e-4, t_end=0.06, output_every=100)
    free = Foundation(Coulomb(), 0.3, lambda X, t: 98.1 * (X[:, 0] > 0.0))
    yield "explicit plate half pressed", lambda: run(plate(), foundation=free)
    yield "explicit rigid many steps", lambda: thrown(rigid(), 1e-4, EXPLICIT, Coulomb(), steps=600, output_every=60)
