"""Recorded runs in the plane: rigid bodies, free and clamped plates, reacting pressure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import floating_frame as ff
from friction import Coulomb, Reacting, Smooth
from recorded import problems as p
from recorded.bodies import EXPLICIT, LAW_SET, LINEAR, RADAU, STAGED, STILL, belt, changing, plate, rigid, rough


def thrown(body: Any, dt: float, scheme: str, law: Any = None, **more: Any) -> p.Job:
    """A body thrown with spin and pulled for a while."""
    steps = more.pop("steps", 12)
    given = {
        "foundation": None if law is None else rough(law),
        "initial": p.start((0.25, 0.05), 1.5),
        "loads": (ff.EdgeLoad("right", (1.5, 0.4), ff.Ramp(0.02, 0.05)),),
    }
    options = {k: more.pop(k) for k in list(more) if k in ff.Options.__dataclass_fields__}
    return p.plane(body, steps * dt, **(given | more)), ff.Options(dt, scheme, **options)


def made(body: Any, dt: float, scheme: str, law: Any = None, **more: Any) -> p.Job:
    """``thrown`` with another end; with dt = 0 the explicit scheme chooses its step."""
    t_end = more.pop("t_end", None)
    problem, options = thrown(body, dt or 1e-2, scheme, law, **more)
    problem = problem if t_end is None else replace(problem, t_end=t_end)
    return problem, replace(options, dt=dt)


def shaken(body: Any, dt: float, scheme: str, law: Any = Coulomb(), **more: Any) -> p.Job:  # noqa: B008
    """A body at rest that is pulled off, let go, and stopped by friction."""
    loads = (ff.EdgeLoad("right", (3.2, 0.9), ff.Ramp(0.03, 0.06)),)
    given = {"foundation": rough(law), "initial": p.start(), "loads": loads}
    every = more.pop("output_every", 1)
    return p.plane(body, 0.16, **(given | more)), ff.Options(dt, scheme, output_every=every)


def load_sets() -> dict[str, Any]:
    """Loads beside the edge load of ``thrown``."""
    return {
        "body": (ff.BodyForce((2.0, -1.0), ff.Table((0.0, 0.03, 0.03, 1.0), (0.0, 1.0, -1.0, -1.0))),),
        "field": (ff.BodyForceField(lambda X, t: np.sin(30.0 * t) + X * 10.0, (0.03,)),),
        "traction": (ff.EdgeTraction("top", lambda X: np.column_stack([X[:, 0], 1.0 - X[:, 0]]), ff.Cosine(40.0)),),
        "follower": (ff.FollowerTraction("right", -2.0, 0.7, ff.Ramp(0.02)),),
        "pressure": (ff.FollowerTraction("top", -2.0, measure="current"),),
        "couple": (ff.Couple(0.05), ff.Couple(0.02, ff.Cosine(30.0), "left")),
        "function": (ff.EdgeLoad("top", (0.5, 1.0), ff.Function(lambda t: t * t * 1e3, breaks=(0.03,))),),
    }


def few() -> Any:
    """A rigid body on six points."""
    return ff.RigidBody.from_plate(plate(nx=2, ny=1)).on_nodes()


def rigid_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Rigid bodies."""
    for scheme in (*STAGED, EXPLICIT, RADAU, LINEAR):
        for name, law in ({"none": None} | LAW_SET).items():
            if (scheme == EXPLICIT and name not in ("none", "coulomb")) or (
                scheme == RADAU and (law is None or law.set_valued)
            ):
                continue  # refused
            short = {"steps": 4} if scheme == RADAU else {}
            if scheme == RADAU and "stiction" in name:  # slow: a Jacobian by differences for all bristles
                yield f"rigid {scheme} {name}", lambda a=law: thrown(few(), 2e-3, RADAU, a, steps=1)
                continue
            yield f"rigid {scheme} {name}", lambda s=scheme, a=law, m=short: thrown(rigid(), 1e-2, s, a, **m)
            if law is not None and scheme != RADAU:
                yield f"rigid {scheme} {name} stopped", lambda s=scheme, a=law: shaken(rigid(), 1e-2, s, a)
            if name in ("coulomb", "smooth", "sliding-stiction"):
                ground = {"ground_velocity": belt, "pressure": changing, "breaks": (0.03,)}
                for kind in ("belt", "adaptive"):
                    more: dict[str, Any] = {"foundation": rough(law, **ground)}
                    more = more if kind == "belt" else {"error_tolerance": 1e-2, "steps": 4}
                    yield (
                        f"rigid {scheme} {name} {kind}",
                        lambda s=scheme, a=law, m=more: thrown(rigid(), 1e-2, s, a, **m),
                    )
        law = Coulomb() if scheme != RADAU else Smooth(0.01)
        for name, loads in load_sets().items():
            yield f"rigid {scheme} {name}", lambda s=scheme, a=law, m=loads: thrown(rigid(), 1e-2, s, a, loads=m)
        rare = {"steps": 11, "output_every": 4}
        yield f"rigid {scheme} rarely stored", lambda s=scheme, a=law, m=rare: thrown(rigid(), 1e-2, s, a, **m)
    for name, body in (("disc", lambda: ff.RigidBody.disc(0.1, 0.8, 4, 12)), ("feet", lambda: rigid().on_nodes())):
        more = {"loads": ()}
        yield f"rigid sdirk2 {name}", lambda b=body, m=more: thrown(b(), 1e-2, "sdirk2", Coulomb(), **m)
    yield "rigid moreau-theta 0.7", lambda: thrown(rigid(), 1e-2, "moreau-theta", Coulomb(), theta=0.7)
    given = {"foundation": rough(Coulomb(), "0.3*(1 + x/0.4)", pressure="98.1*(t < 0.045)", breaks=(0.045,))}
    yield "rigid sdirk2 expressions", lambda: thrown(rigid(), 1e-2, "sdirk2", **given)
    for scheme in ("sdirk2", "moreau-theta"):
        more = {"error_tolerance": 1e-3, "output_every": 3, "steps": 9}
        yield (
            f"rigid {scheme} adaptive rarely stored",
            lambda s=scheme, m=more: thrown(rigid(), 1e-2, s, Coulomb(), **m),
        )


def plate_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Free plates under the schemes with stages."""
    for scheme in STAGED:
        for name, law in ({"none": None} | LAW_SET).items():
            yield f"plate {scheme} {name}", lambda s=scheme, a=law: made(plate(), 2.5e-3, s, a, steps=8)
            if law is not None:
                yield f"plate {scheme} {name} stopped", lambda s=scheme, a=law: shaken(plate(), 1e-2, s, a)
        for name, loads in load_sets().items():
            more = {"loads": loads, "steps": 8}
            yield f"plate {scheme} {name}", lambda s=scheme, m=more: made(plate(), 2.5e-3, s, Coulomb(), **m)
        for frame in ("mean-axis", "tisserand"):
            for kind in ("small-strain", "neo-hookean"):
                more = {"frame": p.frame(frame), "steps": 8}
                label = f"plate {scheme} {frame} {kind}"
                yield label, lambda s=scheme, k=kind, m=more: made(plate("P1", k), 2.5e-3, s, Coulomb(), **m)
        for element in ("P2", "Q1", "Q2"):
            label = f"plate {scheme} {element}"
            yield label, lambda s=scheme, e=element: made(plate(e), 2.5e-3, s, Coulomb(), steps=4)
        for name in ("coulomb", "sliding-stiction"):
            ground = {"ground_velocity": belt, "pressure": changing, "breaks": (0.03,)}
            more = {"foundation": rough(LAW_SET[name], **ground), "steps": 8}
            yield f"plate {scheme} {name} belt", lambda s=scheme, m=more: made(plate(), 5e-3, s, **m)
            more = {"error_tolerance": 1e-2, "steps": 3}
            yield (
                f"plate {scheme} {name} adaptive",
                lambda s=scheme, n=name, m=more: made(plate(), 5e-3, s, LAW_SET[n], **m),
            )
        heat = {"thermal_strain": warmed, "stress": True, "steps": 8}
        yield f"plate {scheme} heated", lambda s=scheme, m=heat: made(plate(), 2.5e-3, s, Coulomb(), **m)
        rare = {"steps": 11, "output_every": 4}
        yield f"plate {scheme} rarely stored", lambda s=scheme, m=rare: made(plate(), 2.5e-3, s, Coulomb(), **m)
        fast = {"initial": p.start((0.25, 0.05), 500.0), "steps": 4, "loads": ()}
        yield f"plate {scheme} stiff arcs", lambda s=scheme, m=fast: made(plate(E=2e9), 2.5e-3, s, Coulomb(), **m)
    yield from still_plate_jobs()


def still_plate_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Increments of equilibrium of plates."""
    rest = p.start()
    for law in ("coulomb", "elliptic", "limited"):
        still = {"initial": rest, "loads": (ff.EdgeLoad("right", (1.0, 0.3), ff.Ramp(0.02)),), "steps": 6}
        yield f"plate quasi-static {law}", lambda a=law, m=still: made(plate(), 5e-3, STILL, LAW_SET[a], **m)
    heat = {"initial": rest, "loads": (), "steps": 6, "thermal_strain": warmed, "stress": True}
    for element in ("P1", "Q1"):
        yield f"plate quasi-static heated {element}", lambda e=element: made(plate(e), 5e-3, STILL, Coulomb(), **heat)
    turns = ff.Table((0.0, 0.01, 0.03), (0.0, 1.0, -1.0))
    cycle = {"initial": rest, "loads": (ff.FollowerTraction("right", -1.0, 0.5, turns),), "steps": 6}
    yield "plate quasi-static cycle", lambda: made(plate(), 5e-3, STILL, Coulomb(), **cycle)
    more = {"initial": rest, "loads": (ff.EdgeLoad("right", (1.0, 0.3), ff.Ramp(0.02)),), "steps": 4}
    more |= {"error_tolerance": 1e-2}
    yield "plate quasi-static adaptive", lambda: made(plate(), 5e-3, STILL, Coulomb(), **more)


def warmed(X: np.ndarray, t: float) -> np.ndarray:
    """A thermal strain."""
    return 0.02 * np.sin(40.0 * t) * (1.0 + X[:, 0])


CLAMPS = {
    "x": ("left",),
    "all": ("left", ("x", "y", "angle")),
    "angle": ("left", ("angle",)),
    "driven": ("left", ("x",), {"y": lambda t: 0.1 * np.sin(60.0 * t), "angle": lambda t: 2.0 * t}),
    "held": ("left", ()),
}


def clamped_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Plates on a clamp."""
    pull = (ff.EdgeLoad("right", (0.4, 1.5), ff.Ramp(0.01, 0.03)),)
    for name, given in CLAMPS.items():
        rows = 3 if name == "angle" else 2  # a node that all others turn about would slide by rounding alone
        velocity = {"x": (0.2, 0.0), "all": (0.2, 0.1)}.get(name, (0.0, 0.0))
        initial = p.start(velocity, 1.0 if name in ("all", "angle") else 0.0)
        more: dict[str, Any] = {"frame": p.clamp(*given), "initial": initial, "loads": pull, "steps": 6}
        for scheme in (*STAGED, STILL):
            still = more | {"initial": p.start()} if scheme == STILL else more
            if (scheme, name) != (STILL, "all"):  # that is a failure
                yield (
                    f"clamped {scheme} {name}",
                    lambda s=scheme, m=still, n=rows: made(plate(ny=n), 4e-3, s, Coulomb(), **m),
                )
        soft, few = plate("P1", "small-strain", ny=rows), more | {"error_tolerance": 2e-2, "steps": 2}
        label = f"clamped sdirk2 {name} small-strain adaptive"
        yield label, lambda b=soft, m=few: made(b, 4e-3, "sdirk2", Coulomb(), **m)
        for law in (
            ("sliding-stiction", "static-kinetic", "smooth", "stribeck", "limited") if name in ("x", "all") else ()
        ):
            yield f"clamped sdirk2 {name} {law}", lambda m=more, a=law: made(plate(), 4e-3, "sdirk2", LAW_SET[a], **m)
        heat = more | {"thermal_strain": warmed, "stress": True}
        yield (
            f"clamped sdirk2 {name} heated",
            lambda m=heat, n=rows: made(plate("Q1", ny=n), 4e-3, "sdirk2", Coulomb(), **m),
        )
        follows = more | {"loads": (ff.FollowerTraction("right", -2.0, 0.7, ff.Ramp(0.02)), ff.Couple(0.02))}
        yield (
            f"clamped backward-euler {name} followers",
            lambda m=follows: made(plate(), 4e-3, "backward-euler", None, **m),
        )
    free = {"frame": p.clamp(*CLAMPS["all"]), "steps": 6, "loads": pull, "initial": p.start((0.2, 0.1), 1.0)}
    yield "clamped sdirk2 all elliptic", lambda: made(plate(), 4e-3, "sdirk2", LAW_SET["elliptic"], **free)


def reacting_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Bodies whose pressure friction redistributes."""
    for scheme in STAGED:
        for kind, body, dt in (("rigid", rigid, 5e-3), ("plate", plate, 2.5e-3)):
            for name in ("coulomb", "elliptic", "smooth", "static-kinetic"):
                more = {"foundation": rough(LAW_SET[name], pressure=Reacting(0.05, 98.1)), "steps": 6}
                label = f"reacting {kind} {scheme} {name}"
                yield label, lambda b=body, d=dt, s=scheme, m=more: thrown(b(), d, s, **m)
                ground = {"foundation": more["foundation"]}
                yield f"{label} stopped", lambda b=body, s=scheme, m=ground: shaken(b(), 1e-2, s, **m)
        more = {"foundation": rough(Coulomb(), pressure=Reacting(0.05, 98.1)), "steps": 4, "error_tolerance": 1e-2}
        yield f"reacting rigid {scheme} adaptive", lambda s=scheme, m=more: thrown(rigid(), 5e-3, s, **m)
