"""The runs that ``record_runs`` records: systems by schemes, laws, loads, contacts, frames and steps, a few steps each on tiny
meshes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import fem
import floating_frame as ff
from fem.beam import Beam
from floating_frame.beam_problem import BeamProblem, LateralLoad
from friction import (
    LAWS,
    Coulomb,
    Elliptic,
    Foundation,
    Limited,
    NormalForce,
    Reacting,
    Smooth,
    StaticKinetic,
    UserForce,
)

RADAU = "runge-kutta"
Maker = Callable[[], tuple[Any, ff.Options]]

STAGED = ("sdirk2", "backward-euler", "moreau-theta")
LAW_SET: dict[str, Any] = {
    "coulomb": Coulomb(),
    "smooth": Smooth(0.01),
    "sliding": LAWS["sliding"](0.02, 0.06, 0.8),
    "sliding-stiction": LAWS["sliding-stiction"](0.02, 0.06, 0.8, 1e-3),
    "static-kinetic": StaticKinetic(0.8),
    "stribeck": LAWS["stribeck"](0.8, 0.1),
    "elliptic": Elliptic(1.5, 0.4),
    "force-spline": LAWS["force-spline"]((0.0, 0.05, 1.0), (0.0, 1.2, 1.5)),
    "coefficient-spline": LAWS["coefficient-spline"]((0.0, 0.05, 1.0), (0.0, 0.9, 1.0)),
    "limited": Limited(Coulomb(), 1.5),
    "limited-stiction": Limited(LAWS["sliding-stiction"](0.02, 0.06, 0.8, 1e-3), 1.5),
}
WALL = ff.Line((0.215, 0.0), (-1.0, 0.2))
OBSTACLES = {
    "line": WALL,
    "moving": ff.Line((0.22, 0.0), (-1.0, 0.0), ff.RigidMotion(velocity=(-0.2, 0.1))),
    "circle": ff.Circle((0.35, 0.05), 0.14),
    "hole": ff.CircleInCircle((0.0, 0.0), 0.235),
    "box": ff.Box((0.4, 0.05), 0.36, 0.3, 0.05, angle=0.3),
    "chain": ff.ArcChain((0.22, -0.4), 1.6, ((0.3, 0.0), (0.3, 1.0), (0.3, -2.0))),
}
NORMALS = {
    "spring": NormalForce(stiffness=2e4),
    "damper": NormalForce(stiffness=2e4, damping=50.0, onset=1e-3),
    "jump": NormalForce(stiffness=2e4, damping=50.0, m3=0.0),
    "user": UserForce(lambda d, rate, t: 2e4 * d + 20.0 * rate),
}


def plate(element: str = "P1", material: str = "st-venant-kirchhoff", nx: int = 4, ny: int = 2) -> Any:
    """A soft plate of 0.4 m x 0.2 m."""
    cell = "triangle" if element.startswith("P") else "quadrilateral"
    made = fem.MATERIALS[material](2e5, 0.3)
    mesh = fem.rectangle(0.4, 0.2, nx, ny, cell=cell)
    return fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=made, element=element)


def rigid() -> Any:
    """Its rigid twin."""
    return ff.RigidBody.from_plate(plate())


def rough(law: Any, mu: float = 0.3, **more: Any) -> Foundation:
    """A foundation under 98.1 Pa."""
    return Foundation(law, mu, **({"pressure": 98.1} | more))


def belt(time: float) -> tuple[float, float]:
    """A belt that jumps."""
    return (0.1 + 0.2 * time, 0.05) if time <= 0.03 else (-0.1, 0.0)


def changing(X: np.ndarray, time: float) -> np.ndarray:
    """A pressure that grows and jumps."""
    return 98.1 * (1.0 + X[:, 0]) * (1.0 + 3.0 * time if time <= 0.03 else 0.5)


def thrown(body: Any, dt: float, scheme: str, law: Any = None, **more: Any) -> tuple[ff.Problem, ff.Options]:
    """A body thrown with spin and pulled for a while."""
    steps = more.pop("steps", 12)
    given = {
        "foundation": None if law is None else rough(law),
        "initial": ff.InitialState((0.25, 0.05), 1.5),
        "loads": (ff.EdgeLoad("right", (1.5, 0.4), ff.Ramp(0.02, 0.05)),),
    }
    options = {k: more.pop(k) for k in list(more) if k in ff.Options.__dataclass_fields__}
    return ff.Problem(body, steps * dt, **(given | more)), ff.Options(dt, scheme, **options)


def load_sets() -> dict[str, Any]:
    """Loads beside the edge load of ``thrown``."""
    breaks = (0.03,)
    return {
        "body": (ff.BodyForce((2.0, -1.0), ff.Table((0.0, 0.03, 0.03, 1.0), (0.0, 1.0, -1.0, -1.0))),),
        "field": (ff.BodyForceField(lambda X, t: np.sin(30.0 * t) + X * 10.0, breaks),),
        "traction": (ff.EdgeTraction("top", lambda X: np.column_stack([X[:, 0], 1.0 - X[:, 0]]), ff.Cosine(40.0)),),
        "follower": (ff.FollowerTraction("right", -2.0, 0.7, ff.Ramp(0.02)),),
        "pressure": (ff.FollowerTraction("top", -2.0, measure="current"),),
        "couple": (ff.Couple(0.05), ff.Couple(0.02, ff.Cosine(30.0), "left")),
    }


def rigid_runs() -> Iterator[tuple[str, Maker]]:
    """Rigid bodies."""
    for scheme in (*STAGED, "explicit", RADAU, "linearly-implicit-trapezoidal"):
        for name, law in ({"none": None} | LAW_SET).items():
            short = {"steps": 4} if scheme == RADAU else {}
            yield f"rigid {scheme} {name}", lambda s=scheme, a=law, m=short: thrown(rigid(), 1e-2, s, a, **m)
            if name in ("coulomb", "smooth") or (name == "sliding-stiction" and scheme != RADAU):
                ground = {"ground_velocity": belt, "pressure": changing, "breaks": (0.03,)}
                for way in ("belt", "adaptive"):
                    more: dict[str, Any] = {"foundation": rough(law, **ground)}
                    more = more if way == "belt" else {"error_tolerance": 1e-2, "steps": 4}
                    yield (
                        f"rigid {scheme} {name} {way}",
                        lambda s=scheme, a=law, m=more: thrown(rigid(), 1e-2, s, a, **m),
                    )
        for name, loads in load_sets().items():
            law = Coulomb() if scheme != RADAU else Smooth(0.01)
            yield f"rigid {scheme} {name}", lambda s=scheme, a=law, m=loads: thrown(rigid(), 1e-2, s, a, loads=m)


def plate_runs() -> Iterator[tuple[str, Maker]]:
    """Free plates."""
    for scheme in (*STAGED, "explicit"):
        dt = 2.5e-3 if scheme != "explicit" else 0.0
        short: dict[str, Any] = {"steps": 8} if dt else {"steps": 1, "t_end": 0.02, "output_every": 20}
        for name, law in ({"none": None} | LAW_SET).items():
            yield f"plate {scheme} {name}", lambda s=scheme, a=law, m=short, d=dt: made(plate(), d, s, a, **m)
        for name, loads in load_sets().items():
            more = short | {"loads": loads}
            yield f"plate {scheme} {name}", lambda s=scheme, m=more, d=dt: made(plate(), d, s, Coulomb(), **m)
        for frame in (ff.MeanAxis(), ff.Tisserand()):
            for kind in ("small-strain", "neo-hookean"):
                more = short | {"frame": frame}
                label = f"plate {scheme} {frame.name} {kind}"
                yield label, lambda s=scheme, k=kind, m=more, d=dt: made(plate("P1", k), d, s, Coulomb(), **m)
        for element in ("P2", "Q1", "Q2") if scheme == "sdirk2" else ():
            yield f"plate {scheme} {element}", lambda e=element: made(plate(e), 2.5e-3, "sdirk2", Coulomb(), steps=4)
        for name in ("coulomb", "sliding-stiction"):
            ground = {"ground_velocity": belt, "pressure": changing, "breaks": (0.03,)}
            more = short | {"foundation": rough(LAW_SET[name], **ground)}
            yield f"plate {scheme} {name} belt", lambda s=scheme, m=more, d=dt: made(plate(), d or 5e-3, s, **m)
            more = {"error_tolerance": 1e-2, "steps": 3}
            yield (
                f"plate {scheme} {name} adaptive",
                lambda s=scheme, n=name, m=more, d=dt: made(plate(), d or 5e-3, s, LAW_SET[n], **m),
            )
        heat = short | {"thermal_strain": lambda X, t: 0.02 * np.sin(40.0 * t) * (1.0 + X[:, 0]), "stress": True}
        yield f"plate {scheme} heated", lambda s=scheme, m=heat, d=dt: made(plate(), d, s, Coulomb(), **m)
    for law in ("coulomb", "elliptic", "limited"):
        still = {"initial": ff.InitialState(), "loads": (ff.EdgeLoad("right", (1.0, 0.3), ff.Ramp(0.02)),), "steps": 6}
        yield f"plate quasi-static {law}", lambda a=law, m=still: made(plate(), 5e-3, "quasi-static", LAW_SET[a], **m)
        pushed = still | {"loads": (ff.FollowerTraction("right", -9.0, 0.5, ff.Ramp(0.02)),), "max_halvings": 2}
        yield (
            f"plate quasi-static {law} to the limit",
            lambda a=law, m=pushed: made(plate(), 5e-3, "quasi-static", LAW_SET[a], **m),
        )


def made(body: Any, dt: float, scheme: str, law: Any = None, **more: Any) -> tuple[ff.Problem, ff.Options]:
    """``thrown`` with another end."""
    t_end = more.pop("t_end", None)
    problem, options = thrown(body, dt or 1e-2, scheme, law, **more)
    problem = problem if t_end is None else replace(problem, t_end=t_end)
    return problem, replace(options, dt=dt)


def clamped_runs() -> Iterator[tuple[str, Maker]]:
    """Plates on a clamp."""
    clamps = {
        "x": ff.Clamped("left"),
        "all": ff.Clamped("left", ("x", "y", "angle")),
        "angle": ff.Clamped("left", ("angle",)),
        "driven": ff.Clamped("left", ("x",), {"y": lambda t: 0.1 * np.sin(60.0 * t), "angle": lambda t: 2.0 * t}),
        "held": ff.Clamped("left", ()),
    }
    pull = (ff.EdgeLoad("right", (0.4, 1.5), ff.Ramp(0.01, 0.03)),)
    for name, clamp in clamps.items():
        start = {"x": (0.2, 0.0), "all": (0.2, 0.1)}.get(name, (0.0, 0.0))
        initial = ff.InitialState(start, 1.0 if name in ("all", "angle") else 0.0)
        more = {"frame": clamp, "initial": initial, "loads": pull, "steps": 6}
        for scheme in (*STAGED, "quasi-static"):
            still = more | {"initial": ff.InitialState()} if scheme == "quasi-static" else more
            yield f"clamped {scheme} {name}", lambda s=scheme, m=still: made(plate(), 4e-3, s, Coulomb(), **m)
        soft, few = plate("P1", "small-strain"), more | {"error_tolerance": 2e-2, "steps": 2}
        label = f"clamped sdirk2 {name} small-strain adaptive"
        yield label, lambda b=soft, m=few: made(b, 4e-3, "sdirk2", Coulomb(), **m)
        for law in ("sliding-stiction", "static-kinetic", "smooth", "elliptic") if name in ("x", "all") else ():
            yield f"clamped sdirk2 {name} {law}", lambda m=more, a=law: made(plate(), 4e-3, "sdirk2", LAW_SET[a], **m)


def contact_runs() -> Iterator[tuple[str, Maker]]:
    """Contacts of rigid bodies and plates."""
    wall_laws = {
        "none": (Coulomb(), 0.0),
        "smooth": (Smooth(0.01), 0.4),
        "stiction": (LAW_SET["sliding-stiction"], 0.4),
    }
    towards = {"initial": ff.InitialState((1.5, 0.2), 2.0), "loads": ()}
    for kind, body, dt, steps in (("rigid", rigid, 2e-3, 20), ("plate", plate, 1e-3, 14)):
        # One way of combining that meets every obstacle, normal law, wall friction and scheme.
        for scheme in (*STAGED, *((RADAU,) if kind == "rigid" else ())):
            for n, (where, obstacle) in enumerate(OBSTACLES.items()):
                normal = list(NORMALS)[n % len(NORMALS)]
                wall = list(wall_laws)[(n + len(scheme)) % 3]
                law, mu = wall_laws[wall if (scheme, wall) != (RADAU, "stiction") else "smooth"]
                contact = ff.Contact(obstacle, "right", normal=NORMALS[normal], law=law, mu=mu)
                ground = Coulomb() if scheme != RADAU else Smooth(0.01)
                more = towards | {"contacts": (contact,), "steps": steps if scheme != RADAU else 8}
                yield (
                    f"contact {kind} {scheme} {where} {normal} {wall}",
                    lambda b=body, d=dt, s=scheme, g=ground, m=more: made(b(), d, s, g, **m),
                )
        contact = ff.Contact(WALL, "right", normal=NORMALS["jump"], integration="nodes")
        more = towards | {"contacts": (contact,), "steps": steps}
        for name, extra in {
            "adaptive": {"error_tolerance": 1e-2, "steps": 8},
            "control": {"step_control": ff.StepControl(0.05, 4.0)},
        }.items():
            yield (
                f"contact {kind} sdirk2 {name}",
                lambda b=body, d=dt, m=more | extra: made(b(), d, "sdirk2", Smooth(0.01), **m),
            )
        for scheme in STAGED[1:]:
            for e, (where, obstacle) in zip((0.0, 0.5, 1.0, 0.0, 0.3, 0.0), OBSTACLES.items(), strict=True):
                e = e if kind == "rigid" or scheme == "moreau-theta" else 0.0
                law = StaticKinetic(0.7) if where in ("moving", "hole") else Coulomb()
                contact = ff.Contact(
                    obstacle, "right", normal=ff.Signorini(e), law=law, mu=0.0 if where == "box" else 0.3
                )
                more = towards | {"contacts": (contact,), "steps": steps}
                yield (
                    f"exact {kind} {scheme} {where}",
                    lambda b=body, d=dt, s=scheme, m=more: made(b(), d, s, Coulomb(), **m),
                )
        contact = ff.Contact(WALL, "right", normal=ff.Signorini(0.5))
        more = towards | {"contacts": (contact,), "steps": 6, "error_tolerance": 2e-2}
        yield f"exact {kind} adaptive", lambda b=body, d=dt, m=more: made(b(), d, "moreau-theta", Coulomb(), **m)


def beam_runs() -> Iterator[tuple[str, Maker]]:
    """Beams: linear ones, and those that move freely."""

    def beam() -> Any:
        return Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e8, density=1000.0, ne=8)

    def linear(scheme: str, law: str, support: str, motion: str, dt: float = 2e-3, **more: Any) -> Any:
        loads = (LateralLoad(6.0, history=ff.Ramp(0.01, 0.02)), LateralLoad(1.0, "sine", ff.Cosine(90.0)))
        pressure = changing if more.pop("changes", False) else 196.2
        ground = None if law == "none" else rough(LAW_SET[law], pressure=pressure, breaks=(0.03,))
        return BeamProblem(beam(), 15 * dt, ground, loads, support, motion), ff.Options(dt, scheme, **more)

    for scheme in STAGED:
        for law in ("none", "coulomb", "smooth", "sliding", "static-kinetic", "stribeck", "force-spline", "limited"):
            yield f"beam {scheme} {law}", lambda s=scheme, a=law: linear(s, a, "simply-supported", "fixed")
        for support, motion in (("cantilever", "fixed"), ("free", "fixed"), ("free", "translation")):
            yield (
                f"beam {scheme} {support} {motion}",
                lambda s=scheme, a=support, m=motion: linear(s, "coulomb", a, m, changes=True),
            )
        yield f"beam {scheme} adaptive", lambda s=scheme: linear(s, "coulomb", "free", "fixed", error_tolerance=1e-2)
    for support in ("free", "cantilever"):
        yield f"beam quasi-static {support}", lambda a=support: linear("quasi-static", "coulomb", a, "fixed")
    yield "beam quasi-static adaptive", lambda: linear("quasi-static", "coulomb", "free", "fixed", error_tolerance=1e-2)
    for scheme in STAGED:
        for frame in ("mean-axis", "tisserand", "beam-chord"):

            def free(s: str = scheme, f: str = frame) -> Any:
                from floating_frame.frame.chord import BEAM_FRAMES

                load = LateralLoad(6.0, history=ff.Ramp(0.01, 0.02))
                more = {"frame": BEAM_FRAMES[f](), "loads": (load,), "steps": 6}
                return made(fem.BeamAxis.build(beam()), 2e-3, s, Coulomb(), **more)

            yield f"beam-axis {scheme} {frame}", free


def reacting_runs() -> Iterator[tuple[str, Maker]]:
    """Bodies whose pressure friction redistributes."""
    for scheme in STAGED:
        for kind, body, dt in (("rigid", rigid, 5e-3), ("plate", plate, 2.5e-3)):
            for name in ("coulomb", "elliptic"):
                more = {"foundation": rough(LAW_SET[name], pressure=Reacting(0.05, 98.1)), "steps": 6}
                yield (
                    f"reacting {kind} {scheme} {name}",
                    lambda b=body, d=dt, s=scheme, m=more: thrown(b(), d, s, **m),
                )


def space_runs() -> Iterator[tuple[str, Maker]]:
    """Rigid bodies in space: dropped on feet, a rolling ball, a base that slides and turns."""
    corners = [(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
    tilted = np.array((1.0, 0.02, 0.03, 0.0)) / np.linalg.norm((1.0, 0.02, 0.03, 0.0))
    push = ff.SpaceForce(force=(2.0, 1.0, 0.0), at=(0.0, 0.0, 0.02), history=ff.Cosine(20.0))
    for scheme in STAGED:
        for name, shape, start in (
            (
                "feet",
                ff.Feet(corners),
                {"position": (0.0, 0.0, 0.07), "rotation": tuple(tilted), "velocity": (0.5, 0.1, -0.5)},
            ),
            ("ball", ff.Ball(0.05), {"velocity": (0.5, 0.0, 0.0), "spin_space": (0.0, 2.0, 3.0)}),
            ("base", ff.Base(corners, np.ones(4)), {"velocity": (0.4, 0.1, 0.0), "spin_space": (0.0, 0.0, 3.0)}),
        ):
            body = ff.RigidSolid(mass=1.0, inertia=(1e-3, 2e-3, 2.5e-3), shape=shape)
            problem = ff.SpaceProblem(body=body, t_end=0.1, mu=0.3, loads=(push,), initial=ff.SpaceInitial(**start))
            yield f"space {scheme} {name}", lambda p=problem, s=scheme: (p, ff.Options(5e-3, s))


def runs() -> Iterator[tuple[str, Maker]]:
    """All runs by name."""
    for group in (rigid_runs, plate_runs, clamped_runs, contact_runs, beam_runs, reacting_runs, space_runs):
        yield from group()
