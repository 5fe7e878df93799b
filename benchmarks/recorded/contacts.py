"""Recorded runs of contacts in the plane: penalty and exact, with impacts at several points, between nodes, held by friction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import floating_frame as ff
from friction import Coulomb, Smooth, StaticKinetic
from recorded import problems as p
from recorded.bodies import LAW_SET, NORMALS, RADAU, STAGED, plate, rigid, rough
from recorded.plane import made

WALL = ff.Line((0.228, 0.0), (-1.0, 0.2))
FLAT = ff.Line((0.205, 0.0), (-1.0, 0.0))
NOSE = ((0.1, 0.0), (0.05 * np.pi, -10.0), (0.1, 0.0))
EDGES = ("right", "left", "top", "bottom")


def path(t: float) -> tuple[float, float, float]:
    """A shaken obstacle."""
    return -0.01 * np.sin(200.0 * t), 0.0, 0.05 * np.sin(100.0 * t)


def path_rates(t: float) -> tuple[float, float, float]:
    """Its rates."""
    return -2.0 * np.cos(200.0 * t), 0.0, 5.0 * np.cos(100.0 * t)


OBSTACLES = {
    "line": WALL,
    "moving": ff.Line((0.22, 0.0), (-1.0, 0.0), p.motion(velocity=(-0.2, 0.1))),
    "circle": ff.Circle((0.35, 0.05), 0.14),
    "hole": ff.CircleInCircle((0.0, 0.0), 0.235),
    "box": ff.Box((0.4, 0.05), 0.36, 0.3, 0.05, angle=0.3),
    "chain": ff.ArcChain((0.243, -0.4), 1.6, ((0.3, 0.0), (0.3, 1.0), (0.3, -2.0))),
    "turning": ff.Box((0.37, 0.0), 0.3, 0.3, 0.05, motion=p.motion(spin=6.0, pivot=(0.37, 0.0))),
    "shaken": ff.Line((0.22, 0.0), (-1.0, 0.0), p.motion(path=path, rates=path_rates)),
    "shaken by differences": ff.Circle((0.35, 0.02), 0.14, p.motion(path=path)),
    "room": ff.Box((0.0, 0.0), 0.43, 0.3, 0.05, inside=True),
    "user": p.Wall(0.22),
}
SMALL = {
    "circle": ff.Circle((0.245, 0.03), 0.03),
    "box": ff.Box((0.31, 0.02), 0.16, 0.1, 0.02, angle=0.6),
    "nose": ff.ArcChain((0.285, -0.1), 0.5 * np.pi + 0.6, NOSE),
    "island": ff.ArcChain(
        (0.21, -0.04), 0.5 * np.pi, ((0.1, 0.0), (0.05 * np.pi, -20.0), (0.1, 0.0), (0.05 * np.pi, -20.0)), closed=True
    ),
    "moving circle": ff.Circle((0.255, 0.03), 0.03, p.motion(velocity=(-0.5, 0.0))),
}
TOWARDS: dict[str, Any] = {"initial": p.start((1.5, 0.2), 2.0), "loads": ()}
KINDS: tuple[tuple[str, Any, float, int], ...] = (("rigid", rigid, 2e-3, 20), ("plate", plate, 1e-3, 14))


def penalty_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Penalty contacts: combinations with every obstacle, normal law, wall friction and scheme."""
    wall_laws = {
        "none": (Coulomb(), 0.0),
        "smooth": (Smooth(0.01), 0.4),
        "stiction": (LAW_SET["sliding-stiction"], 0.4),
        "limited": (LAW_SET["limited-stiction"], 0.4),
    }
    for kind, body, dt, steps in KINDS:
        for scheme in (*STAGED, *((RADAU,) if kind == "rigid" else ())):
            for n, (where, obstacle) in enumerate(OBSTACLES.items()):
                if scheme == RADAU and where not in ("line", "circle", "shaken"):
                    continue  # slow
                normal = list(NORMALS)[n % len(NORMALS)]
                wall = list(wall_laws)[(n + len(scheme)) % 4]
                smooth = scheme == RADAU and wall in ("stiction", "limited")
                law, mu = wall_laws["smooth" if smooth else wall]
                contact = p.touch(obstacle, edge="right", normal=NORMALS[normal], law=law, mu=mu)
                ground = Coulomb() if scheme != RADAU else Smooth(0.01)
                more = TOWARDS | {"contacts": (contact,), "steps": steps if scheme != RADAU else 7}
                label = f"contact {kind} {scheme} {where} {normal} {'smooth' if smooth else wall}"
                yield label, lambda b=body, d=dt, s=scheme, g=ground, m=more: made(b(), d, s, g, **m)
        contact = p.touch(WALL, edge="right", normal=NORMALS["jump"], integration="nodes")
        more = TOWARDS | {"contacts": (contact,), "steps": steps}
        for name, extra in {
            "adaptive": {"error_tolerance": 1e-2, "steps": 8},
            "control": {"step_control": ff.StepControl(0.05, 4.0)},
            "control adaptive": {"step_control": ff.StepControl(0.05, 4.0), "error_tolerance": 1e-2, "steps": 6},
            "rarely stored": {"output_every": 6},
        }.items():
            both = more | extra
            yield (
                f"contact {kind} sdirk2 {name}",
                lambda b=body, d=dt, m=both: made(b(), d, "sdirk2", Smooth(0.01), **m),
            )
        several = tuple(
            p.touch(ff.Box((0.0, 0.0), 0.42, 0.22, 0.05, inside=True), edge=e, normal=NORMALS["hertz"]) for e in EDGES
        )
        more = TOWARDS | {"contacts": several, "steps": steps}
        yield (
            f"contact {kind} sdirk2 room all edges",
            lambda b=body, d=dt, m=more: made(b(), d, "sdirk2", Coulomb(), **m),
        )
        last = int(np.argmax(body().X @ [1.0, 1.0]))
        corner = (p.touch(FLAT, nodes=(last,), normal=NORMALS["spring"], law=LAW_SET["sliding"], mu=0.5),)
        more = TOWARDS | {"contacts": corner, "steps": steps}
        yield f"contact {kind} sdirk2 corner", lambda b=body, d=dt, m=more: made(b(), d, "sdirk2", None, **m)


def exact_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Exact contacts: obstacles, laws of restitution with impacts at several points, obstacles smaller than a side."""
    for kind, body, dt, steps in KINDS:
        for scheme in STAGED[1:]:
            for n, (where, obstacle) in enumerate(OBSTACLES.items()):
                e = (0.0, 0.5, 1.0, 0.0, 0.3, 0.0)[n % 6]
                e = e if kind == "rigid" or scheme == "moreau-theta" else 0.0
                law = StaticKinetic(0.7) if where in ("moving", "hole", "turning") else Coulomb()
                mu = 0.0 if where == "box" else 0.3
                contact = p.touch(obstacle, edge="right", normal=ff.Signorini(e), law=law, mu=mu)
                more = TOWARDS | {"contacts": (contact,), "steps": steps if where != "room" else 12}
                label = f"exact {kind} {scheme} {where}"
                yield label, lambda b=body, d=dt, s=scheme, m=more: made(b(), d, s, Coulomb(), **m)
            for where, obstacle in SMALL.items():
                contact = p.touch(obstacle, edge="right", normal=ff.Signorini(), mu=0.3)
                more = TOWARDS | {"contacts": (contact,), "steps": steps}
                if kind == "rigid":  # nodes alone: a plate's obstacles must not be smaller than its cells
                    yield (
                        f"exact rigid {scheme} small {where}",
                        lambda s=scheme, m=more: made(rigid(), 2e-3, s, None, **m),
                    )
            pushed = (ff.EdgeLoad("left", (4.0, 0.0)), ff.EdgeLoad("right", (0.0, 1.0), ff.Ramp(0.03)))
            hold = p.touch(
                ff.Line((0.2, 0.0), (-1.0, 0.0)), edge="right", normal=ff.Signorini(), law=StaticKinetic(0.5), mu=0.2
            )
            more = {"initial": p.start(), "loads": pushed, "contacts": (hold,), "steps": 12}
            label = f"exact {kind} {scheme} held"
            yield label, lambda b=body, s=scheme, m=more: made(b(), 4e-3, s, None, **m)
        contact = p.touch(WALL, edge="right", normal=ff.Signorini(0.5))
        more = TOWARDS | {"contacts": (contact,), "steps": 10, "error_tolerance": 2e-2}
        yield f"exact {kind} adaptive", lambda b=body, d=dt, m=more: made(b(), d, "moreau-theta", Coulomb(), **m)
        mixed = (
            contact,
            p.touch(ff.Line((0.0, 0.11), (0.0, -1.0)), edge="top", normal=NORMALS["damper"], law=Smooth(0.01), mu=0.2),
        )
        more = TOWARDS | {"contacts": mixed, "steps": steps, "initial": p.start((1.5, 0.6), 2.0)}
        yield f"exact {kind} beside penalty", lambda b=body, d=dt, m=more: made(b(), d, "moreau-theta", Coulomb(), **m)
    yield from impact_jobs()


def impact_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Rigid bodies that hit with all their side, with a corner, in a room, in steps that are long."""
    for scheme in STAGED[1:]:
        for law in ("newton", "poisson", "stronge"):
            for e in (0.0, 0.6, 1.0):
                normal = ff.Signorini(e, law)
                side = TOWARDS | {"contacts": (p.touch(FLAT, edge="right", normal=normal, mu=0.3),), "steps": 8}
                side |= {"initial": p.start((1.5, 0.4), 0.0)}
                yield f"exact rigid {scheme} side {law} {e}", lambda s=scheme, m=side: made(rigid(), 2e-3, s, None, **m)
                corner = TOWARDS | {"contacts": (p.touch(WALL, edge="right", normal=normal, mu=0.8),), "steps": 20}
                corner |= {"initial": p.start((1.0, 0.35), -4.0)}
                yield (
                    f"exact rigid {scheme} corner {law} {e}",
                    lambda s=scheme, m=corner: made(rigid(), 2e-3, s, None, **m),
                )
            room = ff.Box((0.0, 0.0), 0.45, 0.26, 0.03, inside=True)
            walls = tuple(p.touch(room, edge=edge, normal=ff.Signorini(0.7, law), mu=0.2) for edge in EDGES)
            more = {"initial": p.start((2.0, 1.0), 3.0), "loads": (), "contacts": walls, "steps": 12}
            yield f"exact rigid {scheme} room {law}", lambda s=scheme, m=more: made(rigid(), 1e-2, s, Coulomb(), **m)
        thin = ff.Box((0.32, 0.0), 0.01, 0.6, 0.004, angle=0.1)
        fast = {"initial": p.start((40.0, 0.0)), "loads": (), "steps": 3}
        fast |= {"contacts": (p.touch(thin, edge="right", normal=ff.Signorini(0.3), mu=0.2),)}
        yield f"exact rigid {scheme} long steps", lambda s=scheme, m=fast: made(rigid(), 1e-2, s, None, **m)
    block = {"foundation": rough(Coulomb(), 0.3), "initial": p.start((0.5, 0.0)), "steps": 20}
    block |= {"contacts": (p.touch(FLAT, edge="right", normal=ff.Signorini(0.5)),), "loads": ()}
    yield "exact rigid moreau-theta theta 0.8", lambda: made(rigid(), 5e-3, "moreau-theta", theta=0.8, **block)
