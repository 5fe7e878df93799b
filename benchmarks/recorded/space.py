"""Recorded runs of rigid bodies in space: feet, balls, bases and free bodies, on obstacles at rest and in motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import floating_frame as ff
from friction import Coulomb, NormalForce, Sliding, SlidingStiction, Smooth, StaticKinetic, UserForce
from recorded import problems as p
from recorded.bodies import CORNERS, STAGED, ball, base, feet, tilted, top

PUSH = p.point_force((2.0, 1.0, 0.0), at=(0.0, 0.0, 0.02), history=ff.Cosine(20.0))
COUPLE = (p.point_force((1.0, 0.0, 0.0), at=(0.0, 0.05, 0.0)), p.point_force((-1.0, 0.0, 0.0), at=(0.0, -0.05, 0.0)))
JUMP = p.point_force(
    (3.0, 0.0, 1.0), at=(0.1, 0.05, 0.0), history=ff.Table((0.0, 0.033, 0.033, 1.0), (0.0, 1.0, -1.0, -1.0))
)
SLOW = p.point_force((6.0, 2.0, 0.0), at=(0.1, 0.0, -0.05), history=ff.Ramp(0.06, 0.08))
STARTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "feet askew": (
        feet,
        {"position": (0.0, 0.0, 0.07), "rotation": tilted(1.0, 0.02, 0.03, 0.0), "velocity": (0.5, 0.1, -0.5)},
    ),
    "feet dropped": (feet, {"position": (0.0, 0.0, 0.06), "velocity": (0.3, 0.0, -0.4)}),
    "feet thrown": (feet, {"velocity": (0.3, 0.1, 0.0), "spin_space": (0.0, 0.0, 4.0)}),
    "feet tipping": (lambda: feet(height=0.4), {"velocity": (2.0, 0.0, 0.0)}),
    "ball": (ball, {"velocity": (0.5, 0.0, 0.0), "spin_space": (0.0, 2.0, 3.0)}),
    "ball dropped": (ball, {"position": (0.0, 0.0, 0.06), "velocity": (0.5, 0.2, -0.4), "spin_space": (3.0, 2.0, 9.0)}),
    "base": (base, {"velocity": (0.1, 0.05, 0.0), "spin_space": (0.0, 0.0, 3.0)}),
}


def job(
    body: Any, start: dict[str, Any], scheme: str = "sdirk2", *, dt: float = 5e-3, steps: int = 20, **more: Any
) -> p.Job:
    """A run of some steps."""
    options = {k: more.pop(k) for k in ("theta", "output_every", "max_halvings", "tolerance") if k in more}
    given = {} if "contacts" in more else {"mu": 0.3}
    return p.rigid_in_space(body, steps * dt, start, **(given | more)), ff.Options(dt, scheme, **options)


def ground_jobs() -> Iterator[tuple[str, p.Maker]]:
    """On the ground: landing, sliding, tipping, sticking, rolling, spinning; loads; what is stored."""
    for scheme in STAGED:
        for name, (body, start) in STARTS.items():
            label = f"space {scheme} {name}"
            yield label, lambda b=body, a=start, s=scheme: job(b(), a, s, loads=(PUSH,))
            yield f"{label} smooth ground", lambda b=body, a=start, s=scheme: job(b(), a, s, mu=0.0)
            yield (
                f"{label} short steps",
                lambda b=body, a=start, s=scheme: job(b(), a, s, dt=1e-3, steps=120, output_every=7),
            )
            if name != "base":
                law = {"law": StaticKinetic(0.6), "mu": 0.5, "loads": (PUSH,)}
                yield f"{label} static-kinetic", lambda b=body, a=start, s=scheme, m=law: job(b(), a, s, **m)
        for name, body in (("feet", feet), ("base", base), ("ball", ball)):
            rest = {"mu": 0.4, "loads": (SLOW,)}
            yield f"space {scheme} {name} from rest", lambda b=body, s=scheme, m=rest: job(b(), {}, s, **m)
            turned = {"mu": 0.4, "loads": (*COUPLE, JUMP)}
            yield f"space {scheme} {name} couple and jump", lambda b=body, s=scheme, m=turned: job(b(), {}, s, **m)
        law = {"law": StaticKinetic(0.6), "mu": 0.5, "loads": (SLOW,)}
        yield f"space {scheme} feet breaks away", lambda s=scheme, m=law: job(feet(), {}, s, **m)
        yield (
            f"space {scheme} feet long steps",
            lambda s=scheme: job(feet(), STARTS["feet askew"][1], s, dt=4e-2, steps=6),
        )
        three = {"points": [(0.1, 0.0, -0.05), (-0.05, 0.08, -0.05), (-0.05, -0.08, -0.05)]}
        yield f"space {scheme} tripod", lambda s=scheme, g=three: job(tripod(**g), STARTS["feet thrown"][1], s)
        free = {"position": (0.0, 0.0, 1.0), "velocity": (1.0, 0.0, 0.0), "spin_space": (5.0, 3.0, 20.0)}
        loads = (
            PUSH,
            *COUPLE,
            p.point_force((0.5, 0.0, 0.0), at=(0.0, 0.0, 0.1), history=ff.Function(lambda t: t * 30.0)),
        )
        yield f"space {scheme} free", lambda s=scheme, a=free, m=loads: job(top(), a, s, mu=0.0, loads=m)
        yield f"space {scheme} free without loads", lambda s=scheme, a=free: job(top(), a, s, mu=0.0, gravity=0.0)
    yield "space moreau-theta 0.8", lambda: job(feet(), STARTS["feet thrown"][1], "moreau-theta", theta=0.8)
    yield "space sdirk2 feet rarely stored", lambda: job(feet(), STARTS["feet askew"][1], output_every=6, loads=(JUMP,))
    steep = {"contacts": (p.touch_in_space(ff.HalfSpace(normal=(0.2, 0.0, 1.0)), mu=0.1),)}
    yield "space sdirk2 feet on a slope", lambda: job(feet(), {"position": (0.0, 0.0, 0.08)}, **steep)


def tripod(points: list[tuple[float, float, float]]) -> Any:
    """A rigid body on three feet: forces are unique."""
    return p.RigidSolid(mass=1.0, inertia=(1e-3, 2e-3, 2.5e-3), shape=p.Feet(points))


def shaken(t: float) -> tuple[float, float, float]:
    """A path of an obstacle."""
    return 0.01 * np.sin(60.0 * t), 0.0, 0.002 * (np.cos(80.0 * t) - 1.0)


def shaken_rates(t: float) -> tuple[float, float, float]:
    """Its derivative."""
    return 0.6 * np.cos(60.0 * t), 0.0, -0.16 * np.sin(80.0 * t)


RAMP = np.array([0.3, 0.1, 1.0])
EDGE = [(1.0, 0.0, 0.2), (-0.2, 0.0, 1.0)]
OBSTACLES: dict[str, tuple[Any, ...]] = {
    "slope": (ff.HalfSpace((0.0, 0.0, 0.0), tuple(RAMP)),),
    "groove": tuple(ff.HalfSpace(normal=(0.0, side * 0.5, 0.8)) for side in (1.0, -1.0)),
    "corner": tuple(ff.HalfSpace(normal=tuple(n)) for n in ((1.0, 0.0, 0.1), (0.0, 1.0, 0.1), (0.0, 0.0, 1.0))),
    "sphere": (ff.Sphere((0.0, 0.0, -0.5), 0.5),),
    "bowl": (ff.Sphere((0.0, 0.0, 0.6), 0.6, inside=True),),
    "rounded edge": (ff.RoundedEdge((0.02, 0.0, 0.0), EDGE, 0.02),),
    "sharp edge": (ff.RoundedEdge((0.02, 0.0, 0.0), EDGE),),
    "moving": (ff.HalfSpace(motion=p.motion_in_space(velocity=(0.3, 0.1, 0.05))),),
    "turning": (ff.HalfSpace(motion=p.motion_in_space(spin=(0.0, 0.0, 3.0), pivot=(0.1, 0.0, 0.0))),),
    "tilting": (ff.HalfSpace(motion=p.motion_in_space(spin=(0.5, 0.0, 0.0), pivot=(0.0, 0.1, 0.0))),),
    "shaken": (ff.HalfSpace(motion=p.motion_in_space(path=shaken, rates=shaken_rates)),),
    "shaken by differences": (ff.Sphere((0.0, 0.0, -0.5), 0.5, motion=p.motion_in_space(path=shaken)),),
    "rolling sphere": (
        ff.Sphere((0.0, 0.0, -0.5), 0.5, motion=p.motion_in_space(velocity=(0.1, 0.0, 0.02), spin=(1.0, 2.0, 0.0))),
    ),
    "turning bowl": (
        ff.Sphere((0.0, 0.0, 0.6), 0.6, True, p.motion_in_space(spin=(0.0, 0.0, 4.0), pivot=(0.0, 0.0, 0.6))),
    ),
    "user": (p.Floor(p.motion_in_space(velocity=(0.0, 0.2, 0.0))),),
}
PLACES = {"slope": 0.03, "groove": 0.03, "corner": 0.0, "bowl": 0.012, "turning bowl": 0.012, "rounded edge": -0.015}


def dropped(body: Any, where: str) -> dict[str, Any]:
    """A body a little above an obstacle, with a velocity towards it and a spin."""
    x, y = (0.12, 0.1) if where == "corner" else (0.0, 0.0)
    height = (
        0.053
        + (0.0 if body is ball else PLACES.get(where, 0.0))
        + (0.01 if where in ("slope", "groove", "corner") else 0.0)
    )
    return {"position": (x, y, height), "velocity": (-0.2, 0.1, -0.2), "spin_space": (0.5, 0.3, 1.5)}


def obstacle_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Exact contact with obstacles: every one by feet and balls, Coulomb's and static and kinetic friction, every scheme."""
    for n, (where, obstacles) in enumerate(OBSTACLES.items()):
        for m, (kind, body) in enumerate((("feet", feet), ("ball", ball))):
            if where == "sharp edge" and kind == "feet":
                continue  # points do not meet it
            for k, scheme in enumerate(STAGED):
                law = (Coulomb(), StaticKinetic(0.7))[(n + m + k) % 2]
                contacts = tuple(p.touch_in_space(o, mu=0.3, law=law) for o in obstacles)
                more: dict[str, Any] = {"contacts": contacts, "loads": (PUSH,), "steps": 24}
                label = f"space {scheme} {kind} {where}"
                yield label, lambda b=body, w=where, s=scheme, a=more: job(b(), dropped(b, w), s, **a)
                bare = more | {"contacts": tuple(p.touch_in_space(o) for o in obstacles)}
                if k == n % 3:
                    yield f"{label} smooth", lambda b=body, w=where, s=scheme, a=bare: job(b(), dropped(b, w), s, **a)


NORMALS = {
    "spring": NormalForce(2e3),
    "damper": NormalForce(2e3, 10.0, onset=1e-3),
    "hertz": NormalForce(2e4, 30.0, m1=1.4, m3=0.5),
    "user": UserForce(lambda d, rate, t: 2e3 * d * (1.0 + 0.3 * rate)),
}
LAWS = {
    "none": (Coulomb(), 0.0),
    "smooth": (Smooth(0.02), 0.3),
    "sliding": (Sliding(0.02, 0.06, 0.8), 0.3),
    "stiction": (SlidingStiction(v_s=0.02, v_d=0.06, dynamic_ratio=0.8, max_stiction_deformation=1e-3), 0.3),
}


def penalty_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Penalty contact: combinations with every obstacle, normal law, friction and scheme; beside exact contact."""
    for n, (where, obstacles) in enumerate(OBSTACLES.items()):
        for m, (kind, body) in enumerate((("feet", feet), ("ball", ball))):
            if where == "sharp edge" and kind == "feet":
                continue
            for k, scheme in enumerate(STAGED):
                if (n + m + k) % 3 and where not in ("slope", "bowl"):
                    continue
                normal = list(NORMALS)[(n + k) % 4]
                rubs = list(LAWS)[(n + m + 2 * k) % 4]
                law, mu = LAWS[rubs]
                contacts = tuple(p.touch_in_space(o, normal=NORMALS[normal], law=law, mu=mu) for o in obstacles)
                label = f"space penalty {scheme} {kind} {where} {normal} {rubs}"
                more: dict[str, Any] = {"contacts": contacts, "loads": (PUSH,), "steps": 24, "dt": 2e-3}
                yield label, lambda b=body, w=where, s=scheme, a=more: job(b(), dropped(b, w), s, **a)
    for scheme in STAGED:
        for rubs, (law, mu) in LAWS.items():
            contacts = (p.touch_in_space(normal=NORMALS["damper"], law=law, mu=mu),)
            more = {"contacts": contacts, "loads": (SLOW,), "dt": 2e-3, "steps": 50}
            yield f"space penalty {scheme} feet ground {rubs}", lambda s=scheme, a=more: job(feet(), {}, s, **a)
        soft = p.touch_in_space(
            ff.HalfSpace((0.0, 0.07, 0.0), (0.0, -1.0, 0.0)), normal=NORMALS["hertz"], law=Smooth(0.02), mu=0.2
        )
        both = {"contacts": (p.touch_in_space(mu=0.3), soft), "steps": 24}
        start = {"velocity": (0.3, 0.6, 0.0)}
        yield f"space penalty {scheme} beside exact", lambda s=scheme, a=both, b=start: job(feet(), b, s, **a)
    corners = p.RigidSolid(mass=1.0, inertia=(1e-3, 2e-3, 2.5e-3), shape=p.Feet(CORNERS), outline=[(0.1, 0.0, 0.3)])
    contacts = (p.touch_in_space(normal=NORMALS["damper"]),)
    yield "space penalty sdirk2 outline", lambda: job(corners, {"velocity": (0.3, 0.0, 0.0)}, contacts=contacts)
