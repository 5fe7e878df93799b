"""Recorded runs of elastic solids in space: in flight, on ground of given and of unknown pressure, on obstacles, on clamps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import floating_frame as ff
from friction import Coulomb, NormalForce, Sliding, SlidingStiction, Smooth, StaticKinetic, UserForce
from recorded import problems as p
from recorded.bodies import LAW_SET, belt, block, changing, rough, tilted

SCHEMES = ("sdirk2", "backward-euler")
LAWS = ("st-venant-kirchhoff", "neo-hookean")


def job(body: Any, scheme: str = "sdirk2", *, dt: float = 2e-3, steps: int = 8, **more: Any) -> p.Job:
    """A run of some steps."""
    options = {k: more.pop(k) for k in ("output_every", "stress", "tolerance", "max_halvings") if k in more}
    return p.solid(body, steps * dt, **more), ff.Options(dt, scheme, **options)


def stretched(body: Any) -> np.ndarray:
    """A displacement with strains of some hundredths."""
    X = body.X
    return np.column_stack([0.05 * X[:, 0], 0.02 * X[:, 0], 0.3 * X[:, 0] * X[:, 1]])


def flight_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Free flight: elements, materials, frames, viscosity, loads; spins by which a step turns far."""
    for scheme in SCHEMES:
        for element in ("P1", "P2", "Q1"):
            for law in LAWS:
                body = block(element, law, 2e5)
                start = {"velocity": (1.0, 0.2, 0.5), "spin_space": (2.0, -3.0, 8.0), "displacement": stretched(body)}
                for frame in ("mean-axis", "tisserand"):
                    more: dict[str, Any] = {"initial": start, "gravity": 0.0, "frame": p.frame(frame)}
                    label = f"solid {scheme} flight {element} {law} {frame}"
                    yield label, lambda b=body, s=scheme, m=more: job(b, s, steps=6, **m)
            loads = (
                p.solid_force((5.0, 2.0, -3.0), on="right", history=ff.Ramp(0.01)),
                p.solid_force((0.0, 3.0, 8.0), history=ff.Cosine(80.0)),
            )
            more = {"loads": loads, "stress": True, "output_every": 2}
            viscous = block(element, viscosity=2e-3, E=2e5)
            yield f"solid {scheme} flight {element} loads viscosity", lambda b=viscous, s=scheme, m=more: job(b, s, **m)
        for law in LAWS:
            fast = {"initial": {"spin_space": (30.0, 20.0, 400.0), "velocity": (1.0, 0.0, 0.0)}, "gravity": 0.0}
            label = f"solid {scheme} flight stiff arcs {law}"
            yield label, lambda s=scheme, m=law, a=fast: job(block("Q1", m, 1e9), s, dt=4e-3, steps=4, **a)


def given_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Ground of given pressure: laws, belts, guides, elements, spins."""
    pull = (p.solid_force((1.5, 0.5, 0.0), on="right", history=ff.Ramp(0.01, 0.014)),)
    laws = [name for name in LAW_SET if "stiction" not in name]
    for scheme in SCHEMES:
        for name in laws:
            more: dict[str, Any] = {
                "foundation": rough(LAW_SET[name], 0.3),
                "loads": pull,
                "contact": "bottom",
                "gravity": 0.0,
            }
            thrown = more | {"initial": {"velocity": (0.3, 0.1, 0.0), "spin_space": (0.0, 0.0, 2.0)}}
            yield f"solid {scheme} given {name}", lambda s=scheme, m=thrown: job(block(E=2e5), s, **m)
            yield f"solid {scheme} given {name} from rest", lambda s=scheme, m=more: job(block(E=2e5), s, steps=12, **m)
        ground = rough(Coulomb(), ground_velocity=belt, pressure=changing, breaks=(0.03,))
        more = {"foundation": ground, "contact": "bottom", "gravity": 0.0}
        for element in ("P1", "Q1"):
            label = f"solid {scheme} given belt {element}"
            yield label, lambda e=element, s=scheme, m=more: job(block(e), s, dt=5e-3, stress=True, **m)
        layer = {"foundation": rough(Coulomb()), "guides": ("top",), "contact": "bottom", "loads": pull, "gravity": 0.0}
        layer |= {"initial": {"velocity": (0.2, 0.0, 0.0), "spin_space": (0.0, 0.0, 3.0)}}
        for frame in ("mean-axis", "tisserand"):
            framed = layer | {"frame": p.frame(frame)}
            yield f"solid {scheme} given guided {frame}", lambda s=scheme, m=framed: job(block(E=2e5), s, **m)
        fast = {"foundation": rough(Coulomb()), "contact": "bottom", "gravity": 0.0}
        fast |= {"initial": {"spin_space": (0.0, 0.0, 300.0)}}
        yield f"solid {scheme} given stiff arcs", lambda s=scheme, m=fast: job(block(E=1e8), s, dt=4e-3, steps=3, **m)


def unknown_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Ground of unknown pressure: pulled from rest, thrown, dropped, tipped; laws, elements, viscosity, frames."""
    weight = 0.3 * 0.2 * 0.1 * 1200.0 * 9.81
    pull = (p.solid_force((0.5 * weight, 0.1 * weight, 0.0), on="right", history=ff.Ramp(0.01, 0.02)),)
    starts: dict[str, dict[str, Any]] = {
        "pulled": {},
        "thrown": {"velocity": (0.5, 0.1, 0.0), "spin_space": (0.0, 0.0, 4.0)},
        "dropped": {"position": (0.0, 0.0, 0.0505), "velocity": (0.4, 0.0, -0.5), "spin_space": (0.0, 2.0, 3.0)},
    }
    for scheme in SCHEMES:
        for name, start in starts.items():
            for element, law in (("Q1", "neo-hookean"), ("P1", "st-venant-kirchhoff")):
                for friction in (Coulomb(), StaticKinetic(0.6)):
                    more: dict[str, Any] = {
                        "initial": start,
                        "contact": "bottom",
                        "mu": 0.3,
                        "law": friction,
                        "loads": pull,
                    }
                    label = f"solid {scheme} ground {name} {element} {type(friction).__name__}"
                    yield label, lambda e=element, a=law, s=scheme, m=more: job(block(e, a), s, steps=12, **m)
            smooth = {"initial": start, "contact": "bottom", "loads": pull, "frame": p.frame("tisserand")}
            yield f"solid {scheme} ground {name} smooth", lambda s=scheme, m=smooth: job(block(), s, **m)
            viscous = {"initial": start, "contact": "bottom", "mu": 0.4, "loads": pull, "stress": True}
            label = f"solid {scheme} ground {name} viscosity"
            yield label, lambda s=scheme, m=viscous: job(block(viscosity=1e-3), s, output_every=3, **m)
        tipped = {"position": (0.0, 0.0, 0.173), "rotation": tilted(1.0, 0.3, 0.4, 0.1), "velocity": (0.0, 0.0, -1.0)}
        more = {"initial": tipped, "contact": "boundary", "mu": 0.3}
        yield (
            f"solid {scheme} ground on a corner",
            lambda s=scheme, m=more: job(block(E=2e5), s, steps=14, dt=3e-3, **m),
        )
        fast = {"initial": {"spin_space": (0.0, 0.0, 300.0)}, "contact": "bottom", "mu": 0.3}
        yield f"solid {scheme} ground stiff arcs", lambda s=scheme, m=fast: job(block(E=1e8), s, dt=4e-3, steps=3, **m)
        slow = {"initial": {"spin_space": (0.0, 0.0, 6.0), "velocity": (0.3, 0.0, 0.0)}, "contact": "bottom", "mu": 0.3}
        yield f"solid {scheme} ground stiff", lambda s=scheme, m=slow: job(block(E=1e9), s, dt=4e-3, steps=8, **m)


def shaken(t: float) -> tuple[float, float, float]:
    """A path of an obstacle."""
    return 0.004 * np.sin(100.0 * t), 0.0, 0.001 * (np.cos(90.0 * t) - 1.0)


OBSTACLES: dict[str, tuple[Any, ...]] = {
    "slope": (ff.HalfSpace((0.0, 0.0, 0.02), (0.1, 0.05, 1.0)),),
    "groove": tuple(ff.HalfSpace((0.0, 0.0, -0.06), (0.0, side * 0.5, 0.8)) for side in (1.0, -1.0)),
    "corner": (
        ff.HalfSpace((-0.1501, 0.0, 0.0), (1.0, 0.0, 0.0)),
        ff.HalfSpace((0.0, -0.1001, 0.0), (0.0, 1.0, 0.0)),
        ff.HalfSpace(),
    ),
    "sphere": (ff.Sphere((0.0, 0.0, -0.5), 0.5),),
    "bowl": (ff.Sphere((0.0, 0.0, 0.6), 0.628, inside=True),),
    "rounded edge": (ff.RoundedEdge((0.15, 0.0, 0.0), [(1.0, 0.0, 0.2), (-0.1, 0.0, 1.0)], 0.02),),
    "moving": (ff.HalfSpace(motion=p.motion_in_space(velocity=(0.3, 0.1, 0.0))),),
    "turning": (ff.HalfSpace(motion=p.motion_in_space(spin=(0.0, 0.0, 3.0), pivot=(0.1, 0.0, 0.0))),),
    "shaken": (ff.HalfSpace(motion=p.motion_in_space(path=shaken)),),
    "moving sphere": (
        ff.Sphere((0.0, 0.0, -0.5), 0.5, motion=p.motion_in_space(velocity=(0.1, 0.0, 0.1), spin=(0.0, 2.0, 0.0))),
    ),
    "user": (p.Floor(),),
}
PLACES = {"slope": 0.0905, "groove": 0.0682, "bowl": 0.053, "rounded edge": 0.0505}
NORMALS = {
    "spring": NormalForce(2e6),
    "damper": NormalForce(2e6, 2e3),
    "hertz": NormalForce(2e8, 1e4, m1=1.5),
    "user": UserForce(lambda d, rate, t: 2e6 * d * (1.0 + 0.3 * rate)),
}
RUBS = {
    "none": (Coulomb(), 0.0),
    "smooth": (Smooth(0.02), 0.3),
    "sliding": (Sliding(0.02, 0.06, 0.8), 0.3),
    "stiction": (SlidingStiction(v_s=0.02, v_d=0.06, dynamic_ratio=0.8, max_stiction_deformation=1e-3), 0.3),
}


def dropped(where: str) -> dict[str, Any]:
    """A block a little above an obstacle, with a velocity towards it and a spin."""
    start = {
        "position": (0.0, 0.0, PLACES.get(where, 0.0503)),
        "velocity": (-0.3, -0.1, -0.3),
        "spin_space": (0.2, 0.1, 1.0),
    }
    return start | ({"rotation": tilted(np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0, 0.0)} if where == "groove" else {})


def obstacle_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Obstacles in exact contact, in penalty contact, and both."""
    for n, (where, obstacles) in enumerate(OBSTACLES.items()):
        for k, scheme in enumerate(SCHEMES):
            law = (Coulomb(), StaticKinetic(0.7))[(n + k) % 2]
            element = ("Q1", "P1")[(n // 2 + k) % 2]
            contacts = tuple(p.touch_in_space(o, mu=0.3, law=law) for o in obstacles)
            more: dict[str, Any] = {
                "initial": dropped(where),
                "contacts": contacts,
                "contact": "boundary",
                "steps": 6 if where == "corner" else 12,
            }
            label = f"solid {scheme} obstacle {where} {element}"
            yield label, lambda e=element, s=scheme, m=more: job(block(e), s, **m)
            if len(obstacles) == 1 and k == n % 2:
                one = {"initial": dropped(where), "obstacle": obstacles[0], "mu": 0.2, "contact": "bottom", "steps": 8}
                yield f"{label} alone", lambda s=scheme, m=one: job(block(E=1e7, viscosity=1e-3), s, **m)
            normal, rubs = list(NORMALS)[(n + k) % 4], list(RUBS)[(n + 2 * k) % 4]
            law, mu = RUBS[rubs]
            soft = tuple(p.touch_in_space(o, normal=NORMALS[normal], law=law, mu=mu) for o in obstacles)
            more = more | {"contacts": soft}
            label = f"solid penalty {scheme} {where} {element} {normal} {rubs}"
            yield label, lambda e=element, s=scheme, m=more: job(block(e), s, **m)
    for scheme in SCHEMES:
        wall = ff.HalfSpace((-0.1503, 0.0, 0.0), (1.0, 0.0, 0.1))
        both = (p.touch_in_space(mu=0.3), p.touch_in_space(wall, normal=NORMALS["damper"], law=Smooth(0.02), mu=0.2))
        more = {"initial": {"velocity": (-0.4, 0.1, 0.0)}, "contacts": both, "contact": "boundary", "steps": 12}
        yield f"solid penalty {scheme} beside exact", lambda s=scheme, m=more: job(block(), s, **m)


def clamp_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Clamps: fixed, in a guide, rigid faces that translate and turn, hinges; with ground, penalty and viscosity."""
    pull = (p.solid_force((3.0, 4.0, -6.0), on="right", history=ff.Ramp(0.01)),)
    through = (-0.15, 0.0, 0.05)
    spin = np.array((0.0, 4.0, 0.0))
    swing = {
        "position": (0.0, 0.0, 0.05),
        "spin_space": tuple(spin),
        "velocity": tuple(np.cross(spin, (0.15, 0.0, 0.0))),
    }
    joints: dict[str, tuple[Any, dict[str, Any]]] = {
        "fixed": (p.clamp_in_space("left"), {}),
        "guide": (p.clamp_in_space("left", "x"), {"velocity": (0.3, 0.0, 0.0)}),
        "translating": (p.clamp_in_space("left", "x", "y", "z"), {"velocity": (0.3, 0.1, 0.0)}),
        "turning": (p.clamp_in_space("left", "x", "y", "z", "rotation"), {"spin_space": (1.0, 2.0, 3.0)}),
        "hinge": (p.hinge("left", (0.0, 1.0, 0.0), through), swing),
    }
    for scheme in SCHEMES:
        for name, (clamp, start) in joints.items():
            for element, law in (("Q1", "neo-hookean"), ("P1", "st-venant-kirchhoff"), ("P2", "neo-hookean")):
                more: dict[str, Any] = {"frame": clamp, "initial": start, "loads": pull}
                label = f"solid {scheme} clamp {name} {element}"
                yield (
                    label,
                    lambda e=element, a=law, s=scheme, m=more: job(block(e, a, 2e5), s, stress=True, steps=6, **m),
                )
            level = {"position": (0.0, 0.0, 0.0501)} | start
            ground = {"frame": clamp, "initial": level, "contact": "bottom", "mu": 0.3, "gravity": 60.0}
            label = f"solid {scheme} clamp {name}"
            yield f"{label} ground", lambda s=scheme, m=ground: job(block(E=2e5, viscosity=1e-3), s, **m)
            soft = (p.touch_in_space(normal=NORMALS["damper"], law=Smooth(0.02), mu=0.3),)
            pressed = {"frame": clamp, "initial": level, "contact": "bottom", "contacts": soft, "gravity": 60.0}
            yield f"{label} penalty", lambda s=scheme, m=pressed: job(block(E=2e5), s, **m)
