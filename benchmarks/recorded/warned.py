"""Recorded runs that end with a warning, one and more for each name, and runs that fail by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import fem
import floating_frame as ff
from friction import Coulomb, NormalForce, Reacting, UserForce
from recorded import problems as p
from recorded.bodies import CORNERS, EXPLICIT, STILL, axis, ball, base, beam, block, feet, plate, rigid, rough
from recorded.plane import CLAMPS, made


def warned(name: str, make: p.Maker) -> p.Values:
    """A run that must end with a warning."""
    found = p.recorded(make)
    if name not in str(found["warnings"]):
        raise AssertionError(f"no warning {name!r}, but {str(found['warnings'])!r} {found.get('message', '')}")
    return found


def failed(words: str, make: p.Maker) -> p.Values:
    """A run that must fail in these words."""
    found = p.recorded(make)
    if words not in str(found.get("message")):
        raise AssertionError(f"no failure in the words {words!r}, but {found.get('message')}")
    return found


def plain(body: Any, dt: float, steps: int, scheme: str = "sdirk2", **more: Any) -> p.Job:
    """A body in the plane without more than is given."""
    options = {k: more.pop(k) for k in ("max_halvings", "error_tolerance") if k in more}
    return p.plane(body, steps * dt, **more), ff.Options(dt, scheme, **options)


def hit(
    speed: float, dt: float, steps: int, stiffness: float, obstacle: Any = None, body: Any = None, **more: Any
) -> p.Job:
    """A body that runs into a penalty."""
    wall = obstacle or ff.Line((0.21, 0.0), (-1.0, 0.0))
    contact = p.touch(wall, edge="right", normal=NormalForce(stiffness=stiffness))
    return plain(body or rigid(), dt, steps, initial=p.start((speed, 0.0)), contacts=(contact,), **more)


def strained(body: Any, by: float, **more: Any) -> p.Job:
    """A body that begins stretched."""
    X = body.X
    u = np.zeros_like(X)
    u[:, 0] = by * X[:, 0]
    return plain(body, 1e-7, 2, initial=p.start(displacement=u), **more)


def lift(X: np.ndarray) -> np.ndarray:
    """Pure bending of a clamped plate."""
    along = X[:, 0] - X[:, 0].min()
    return np.column_stack([-0.5 * along * X[:, 1], 0.25 * along**2])


def warning_jobs() -> Iterator[tuple[str, str, p.Maker]]:
    """Runs in the plane: what is warned of, how it comes about, the run."""
    X = plate("Q1", "neo-hookean").X
    spun = {"initial": p.start(spin=6.0, displacement=np.column_stack([0.1 * X[:, 0], 0.0 * X[:, 0]]))}
    soft = lambda: plate("Q1", "neo-hookean")  # noqa: E731
    for name in ("numerical-dissipation", "angular-momentum"):
        yield name, "spinning plate", lambda: plain(soft(), 4e-2, 4, **spun)
    arcs = {"initial": p.start((0.25, 0.05), 500.0), "steps": 4, "loads": ()}
    yield "energy-growth", "stiff arcs", lambda: made(plate(E=2e9), 2.5e-3, "moreau-theta", Coulomb(), **arcs)
    yield "strain-range", "strain", lambda: strained(plate("Q1", "small-strain"), 0.03)
    yield "strain-range", "stretch", lambda: strained(plate("Q1"), -0.32)
    yield "strain-range", "fibre", lambda: strained(axis(), 0.025)
    bent = {"frame": p.clamp(*CLAMPS["held"]), "initial": p.start(displacement=lift(X))}
    yield "strain-range", "rotation", lambda: plain(plate("Q1", "small-strain"), 1e-7, 2, **bent)
    steep = {"foundation": rough(Coulomb(), 1e-12), "loads": (p.lateral(6.0, "tip"),), "support": "cantilever"}
    yield "strain-range", "slope", lambda: (p.deflected(beam(), 1.0, **steep), ff.Options(1.0, STILL))
    exact = {"initial": p.start((1.0, 0.0))}
    within = p.touch(ff.Line((0.2 - 1e-6, 0.0), (-1.0, 0.0)), edge="right", normal=ff.Signorini())
    yield "penetration", "exact", lambda: plain(rigid(), 1e-3, 2, "moreau-theta", contacts=(within,), **exact)
    round_ = p.touch(ff.Circle((0.306, 0.02), 0.1), edge="right", normal=ff.Signorini())
    yield (
        "penetration",
        "between nodes",
        lambda: plain(plate(ny=4), 1e-3, 15, "backward-euler", contacts=(round_,), **exact),
    )
    yield "penetration", "penalty", lambda: hit(3.0, 1e-3, 20, 2e4)
    yield "unresolved", "turn", lambda: plain(rigid(), 1e-2, 3, initial=p.start(spin=31.0))
    shaken = (ff.BodyForce((2.0, 0.0), ff.Cosine(60.0)),)
    yield (
        "unresolved",
        "load",
        lambda: plain(rigid(), 1e-2, 5, "moreau-theta", loads=shaken, foundation=rough(Coulomb())),
    )
    hard = p.touch(ff.Line((0.21, 0.0), (-1.0, 0.0)), edge="right", normal=UserForce(lambda d, rate, t: 4e6 * d))
    into = {"initial": p.start((1.0, 0.0)), "contacts": (hard,)}
    yield "unresolved", "contact", lambda: plain(rigid(), 4e-3, 10, **into)
    small = fem.rectangle(4e-7, 2e-7, 2, 1)
    large = fem.rectangle(400.0, 200.0, 2, 1)
    for name, mesh in (("small", small), ("large", large)):
        body = fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=fem.NeoHookean(2e5, 0.3))
        still = partial(ff.RigidBody.from_plate, body)
        yield "units", name, lambda b=still: plain(b(), 1e-2, 2, initial=p.start((1e-7, 0.0)))
    thrown = {"initial": p.start((0.25, 0.05), 1.5), "foundation": rough(Coulomb()), "error_tolerance": 1e-7}
    yield "sampling-floor", "coarse points", lambda: plain(rigid(), 1e-2, 4, **thrown)


def space_warning_jobs() -> Iterator[tuple[str, str, p.Maker]]:
    """The same in space."""

    def rigid_body(
        body: Any, start: dict[str, Any], dt: float, steps: int, scheme: str = "sdirk2", **more: Any
    ) -> p.Job:
        return p.rigid_in_space(body, steps * dt, start, **more), ff.Options(dt, scheme)

    def solid(body: Any, start: dict[str, Any], dt: float, steps: int, scheme: str = "sdirk2", **more: Any) -> p.Job:
        return p.solid(body, steps * dt, start, **more), ff.Options(dt, scheme)

    top = p.RigidSolid(mass=1.0, inertia=(1.0, 2.0, 3.0))
    wobble = {"spin_space": (0.3, 0.1, 1.0), "velocity": (20.0, 0.0, 0.0)}
    yield "spin-energy", "wobble", lambda: rigid_body(top, wobble, 4e-2, 60, "backward-euler", gravity=0.0)
    over = {"spin_space": (0.01, 1.0, 0.0)}
    yield "spin-energy", "turns over", lambda: rigid_body(top, over, 8e-2, 250, gravity=0.0)
    tall = feet(height=0.6, outline=[(x, y, 0.3) for x, y, _ in CORNERS])
    rod = p.RigidSolid(mass=1.0, inertia=(0.02, 0.02, 0.02), shape=p.Feet([(0.2, 0.0, -0.4)]))
    slides = {"velocity": (1.0, 0.0, 0.0), "position": (0.0, 0.0, 0.4)}
    for scheme in ("sdirk2", "moreau-theta"):
        yield "painleve", f"rod {scheme}", lambda s=scheme: rigid_body(rod, slides, 1e-3, 5, s, mu=1.5)
    yield "penetration", "fallen over", lambda: rigid_body(tall, {"velocity": (4.0, 0.0, 0.0)}, 1e-2, 60, mu=0.9)
    yield "nothing-presses", "feet", lambda: rigid_body(feet(), {}, 1e-2, 3, mu=0.3, gravity=0.0)
    yield "nothing-presses", "base", lambda: rigid_body(base(), {}, 1e-2, 3, mu=0.3, gravity=0.0)
    fast = {"position": (0.0372, 0.0285, 0.0), "velocity": (-2.48, 0.0, 0.0)}
    peg = {"contacts": (p.touch_in_space(ff.Sphere((0.0, 0.0, 0.0), 0.02)),), "gravity": 0.0}
    yield "penetration", "passed", lambda: rigid_body(ball(0.01), fast, 1e-2, 3, "backward-euler", **peg)
    weak = (p.touch_in_space(normal=NormalForce(stiffness=1e3)),)
    falls = {"position": (0.0, 0.0, 0.07)}
    yield "penetration", "pressed in", lambda: rigid_body(ball(), falls, 5e-3, 24, contacts=weak)
    yield "unresolved", "turn in space", lambda: rigid_body(top, {"spin_space": (0.0, 0.0, 40.0)}, 1e-2, 3, gravity=0.0)
    coarse = {"contact": "bottom", "obstacle": ff.Sphere((0.0, 0.0, 0.0), 0.03)}
    below = {"position": (0.02, 0.02, 0.0805)}
    yield (
        "penetration",
        "between nodes of a solid",
        lambda: solid(block(cells=(1, 1, 1)), below, 1e-2, 4, "backward-euler", **coarse),
    )
    upright = {"rotation": (0.6, 0.0, 0.8, 0.0)}
    yield "penetration", "other faces", lambda: solid(block(), upright, 1e-3, 2, contact="bottom", mu=0.3)
    squeezed = {"displacement": -0.32 * block().X * [1.0, 0.0, 0.0]}
    svk = partial(block, "Q1", "st-venant-kirchhoff")
    yield "strain-range", "stretch of a solid", lambda: solid(svk(), squeezed, 1e-7, 2)
    drifts = {"velocity": (0.1, 0.0, 0.0)}
    yield "nothing-presses", "solid", lambda: solid(block(), drifts, 1e-3, 2, contact="bottom", mu=0.3, gravity=0.0)
    whirl = {"spin_space": (30.0, 20.0, 400.0)}
    yield "energy-growth", "solid", lambda: solid(block(E=1e9), whirl, 4e-3, 4, gravity=0.0)


def warning_runs() -> Iterator[tuple[str, p.Run]]:
    """All of them."""
    for jobs in (warning_jobs, space_warning_jobs):
        for name, how, make in jobs():
            yield f"warning {name} {how}", partial(warned, name, make)


def failure_jobs() -> Iterator[tuple[str, str, p.Maker]]:
    """Runs that fail: words of the failure, how it comes about, the run."""
    rest: dict[str, Any] = {"initial": p.start(), "steps": 6}
    for element in ("P1", "Q1"):
        pushed = rest | {"loads": (ff.EdgeLoad("right", (-400.0, 0.0), ff.Ramp(0.03)),), "steps": 20, "max_halvings": 3}
        yield (
            "element",
            f"crushed {element}",
            lambda e=element, m=pushed: made(plate(e), 2e-3, "sdirk2", Coulomb(), **m),
        )
        loads = {"loads": (ff.EdgeLoad("right", (-2e3, 0.0), ff.Ramp(0.01)),), "t_end": 0.2, "steps": 1}
        yield (
            "t =",
            f"crushed explicit {element}",
            lambda e=element, m=loads: made(plate(e), 0.0, EXPLICIT, Coulomb(), **m),
        )
    limit = rest | {"loads": (ff.FollowerTraction("right", -9.0, 0.5, ff.Ramp(0.02)),), "max_halvings": 2}
    for law in (Coulomb(), Coulomb(cap=0.5)):
        yield "limit load", f"{law}", lambda a=law, m=limit: made(plate(), 5e-3, STILL, a, **m)
    turned = rest | {"frame": p.clamp(*CLAMPS["all"]), "loads": (ff.EdgeLoad("right", (0.4, 4.0), ff.Ramp(0.01)),)}
    yield "limit load", "clamp", lambda m=turned: made(plate(), 4e-3, STILL, Coulomb(), **m)
    across = {"foundation": rough(Coulomb(), pressure=196.2), "loads": (p.lateral(6.0, history=ff.Ramp(0.01, 0.02)),)}
    yield "limit load", "beam", lambda m=across: (p.deflected(beam(), 0.03, **m), ff.Options(2e-3, STILL))
    tips = {"foundation": rough(Coulomb(), 0.9, pressure=Reacting(0.8, 98.1)), "initial": p.start((0.8, 0.0))}
    yield "the body tips", "rigid", lambda m=tips: plain(rigid(), 2e-3, 5, **m)
    yield "the body tips", "plate", lambda m=tips: plain(plate(), 2e-3, 5, max_halvings=1, **m)
    yield "driven past the middle", "circle", lambda: hit(45.0, 1e-3, 10, 1e4, ff.Circle((0.3, 0.0), 0.08))
    up = {"loads": (p.point_force((0.0, 0.0, 30.0), history=ff.Ramp(0.02)),), "mu": 0.3}
    yield "nothing presses the base", "base", lambda: (p.rigid_in_space(base(), 0.05, **up), ff.Options(5e-3))
    fast = {"mu": 2.5, "initial": {"velocity": (1.0, 0.0, 0.0)}}
    yield "the body tips", "base", lambda: (p.rigid_in_space(base(), 0.05, **fast), ff.Options(5e-3))
    huge = {"loads": (ff.BodyForce((1e200, 0.0)),), "steps": 3}
    yield "did not settle", "huge load", lambda m=huge: made(rigid(), 1e-2, "sdirk2", Coulomb(), **m)
    yield (
        "is inf",
        "huge load in space",
        lambda: (p.rigid_in_space(ball(), 0.1, loads=(p.point_force((1e200, 0.0, 0.0)),)), ff.Options(1e-2)),
    )
    crush = (p.solid_force((2e4, 1e4, -3e5), on="top", history=ff.Ramp(0.01)),)
    yield (
        "element",
        "solid",
        lambda: (
            p.solid(block("Q1", "st-venant-kirchhoff", 2e5), 0.02, contact="bottom", loads=crush),
            ff.Options(2e-3, max_halvings=2),
        ),
    )
    shut = {"foundation": rough(Coulomb(), pressure=lambda X, t: 98.1 * (1.0 - 50.0 * t) * np.ones(len(X)))}
    yield "must not be negative", "pressure", lambda m=shut: made(rigid(), 1e-2, "sdirk2", None, **m)


def failure_runs() -> Iterator[tuple[str, p.Run]]:
    """All of them."""
    for words, how, make in failure_jobs():
        yield f"failure {words} {how}", partial(failed, words, make)
