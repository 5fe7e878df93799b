"""Recorded runs of beams: linear ones seen by their deflection, and those that move freely."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import floating_frame as ff
from friction import Coulomb
from recorded import problems as p
from recorded.bodies import LAW_SET, STAGED, STILL, axis, beam, belt, changing, rough
from recorded.plane import made


def linear(scheme: str, law: str, support: str, motion: str, dt: float = 2e-3, **more: Any) -> p.Job:
    """A linear beam under two lateral loads."""
    loads = more.pop("loads", (p.lateral(6.0, history=ff.Ramp(0.01, 0.02)), p.lateral(1.0, "sine", ff.Cosine(90.0))))
    pressure = changing if more.pop("changes", False) else 196.2
    ground = None if law == "none" else rough(LAW_SET[law], pressure=pressure, breaks=(0.03,))
    problem = p.deflected(beam(), 15 * dt, foundation=ground, loads=loads, support=support, motion=motion)
    return problem, ff.Options(dt, scheme, **more)


def beam_jobs() -> Iterator[tuple[str, p.Maker]]:
    """Linear beams."""
    laws = (
        "none",
        "coulomb",
        "smooth",
        "sliding",
        "static-kinetic",
        "stribeck",
        "force-spline",
        "coefficient-spline",
        "limited",
    )
    for scheme in STAGED:
        for law in laws:
            yield f"beam {scheme} {law}", lambda s=scheme, a=law: linear(s, a, "simply-supported", "fixed")
        for support, motion in (("cantilever", "fixed"), ("free", "fixed"), ("free", "translation")):
            label = f"beam {scheme} {support} {motion}"
            yield label, lambda s=scheme, a=support, m=motion: linear(s, "coulomb", a, m, changes=True)
        yield f"beam {scheme} adaptive", lambda s=scheme: linear(s, "coulomb", "free", "fixed", error_tolerance=1e-2)
        yield f"beam {scheme} rarely stored", lambda s=scheme: linear(s, "coulomb", "free", "fixed", output_every=4)
        tip = (p.lateral(3.0, "tip", ff.Ramp(0.01, 0.02)),)
        yield f"beam {scheme} tip", lambda s=scheme, a=tip: linear(s, "coulomb", "cantilever", "fixed", loads=a)
        end = (p.lateral(0.4, "left-end", ff.Table((0.0, 0.01, 0.03), (0.0, 1.0, -1.0))),)
        yield f"beam {scheme} left end", lambda s=scheme, a=end: linear(s, "coulomb", "free", "fixed", loads=a)
    end = (p.lateral(0.3, "left-end", ff.Table((0.0, 0.01, 0.03), (0.0, 1.0, -1.0))),)
    yield "beam quasi-static end", lambda: linear(STILL, "coulomb", "free", "fixed", loads=end)
    yield "beam quasi-static cantilever", lambda: linear(STILL, "coulomb", "cantilever", "fixed")
    yield "beam quasi-static adaptive", lambda: linear(STILL, "coulomb", "cantilever", "fixed", error_tolerance=1e-2)


def flying(scheme: str, name: str, law: Any = Coulomb(), **more: Any) -> p.Job:  # noqa: B008
    """The axis of a beam."""
    given = {"frame": p.frame(name), "loads": (p.lateral(6.0, history=ff.Ramp(0.01, 0.02)),), "steps": 6}
    return made(axis(), 2e-3, scheme, law, **(given | more))


def axis_jobs() -> Iterator[tuple[str, p.Maker]]:
    """The axes of beams that move freely."""
    for scheme in STAGED:
        for frame in ("mean-axis", "tisserand", "beam-chord"):
            yield f"beam-axis {scheme} {frame}", lambda s=scheme, f=frame: flying(s, f)
        for law in ("none", "smooth", "static-kinetic", "elliptic", "sliding-stiction"):
            given = None if law == "none" else LAW_SET[law]
            yield f"beam-axis {scheme} {law}", lambda s=scheme, a=given: flying(s, "mean-axis", a)
        ground = {"ground_velocity": belt, "pressure": changing, "breaks": (0.03,)}
        more = {"foundation": rough(Coulomb(), **ground), "steps": 20}
        yield f"beam-axis {scheme} belt", lambda s=scheme, m=more: flying(s, "mean-axis", **m)
        chosen = {"error_tolerance": 1e-2, "steps": 3}
        yield f"beam-axis {scheme} adaptive", lambda s=scheme, m=chosen: flying(s, "beam-chord", **m)
        heat = {"thermal_strain": lambda X, t: 0.002 * np.sin(40.0 * t) * (1.0 + X[:, 0])}
        yield f"beam-axis {scheme} heated", lambda s=scheme, m=heat: flying(s, "mean-axis", **m)
        yield (
            f"beam-axis {scheme} clamped",
            lambda s=scheme: flying(s, "mean-axis", frame=p.clamp("left", ("x",)), initial=p.start()),
        )
    still = {"initial": p.start(), "loads": (p.lateral(0.8, history=ff.Ramp(0.01)),)}
    yield "beam-axis quasi-static", lambda: flying(STILL, "mean-axis", **still)
