"""Linear springs with dampers between a material point or an edge of a body and the ground, or a point on a prescribed path.

The other end of a spring at x is p(t) = p_0 + path(t). With d = x − p, l = |d|, n = d/l and the velocities v, p':

    in all directions   F = −k d − c (v − p'),                        E = ½ k d·d
    along its axis      F = −[k (l − l_0) + c l'] n, l' = n·(v − p'),  E = ½ k (l − l_0)²

the second with a rest length l_0. The body gets F·v = F·p' − E' − D with D = c |v − p'|² or c l'² >= 0.

∂F/∂x = −k n nᵀ − (f/l)(1 − n nᵀ) − (c/l) n ((1 − n nᵀ)(v − p'))ᵀ,   ∂F/∂v = −c n nᵀ,   f = k (l − l_0) + c l'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np

from floating_frame.effect.protocol import Attached, Blocks, Effect, PointForce, Record
from floating_frame.frame.kinematics import Array, rate_of
from floating_frame.input_checks import check_function, require, vector, vectors
from friction.arrays import is_finite
from friction.given import Given

Path = Callable[[float], Sequence[float]]


@dataclass(frozen=True)
class Spring(Given):
    """A spring with a damper ``at`` an edge or face (a name) or at the material point (X, Y), in space (X, Y, Z), m of a body, from
    the centre of mass.

    ``to``: its other end at path zero, (d,) m in space; default: the point itself in the reference shape, in space at t = 0, of an
    edge each point's own place. ``stiffness`` N/m and ``damping`` N s/m, of an edge in all. ``rest_length`` m: the spring acts
    along its axis and is free of force at this length; default: it acts in all directions and is free of force where both ends
    coincide. ``path``: t -> (d,) m, motion of the other end (default: at rest), with ``rates`` its derivative (default: a central
    difference, so that the path must be smooth and defined a little before and after). Raises ValueError for values out of range.
    """

    at: str | Sequence[float]
    to: Sequence[float] | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    rest_length: float | None = None
    path: Path | None = None
    rates: Path | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            require(is_finite(value) and value >= 0.0, f"{name} of a spring", "be a finite number >= 0", value)
        if not self.stiffness + self.damping > 0.0:
            raise ValueError("a spring needs a stiffness or a damping > 0")
        rest = 0.0 if self.rest_length is None else self.rest_length
        require(is_finite(rest) and rest >= 0.0, "rest_length of a spring", "be a finite length >= 0 m", rest)
        if not isinstance(self.at, str):
            vector(self.at, "'at' of a spring (m)")
        if self.to is not None:
            vector(self.to, "'to' of a spring (m)")
        for name in ("path", "rates"):
            if getattr(self, name) is not None:
                check_function("Spring", name, getattr(self, name), "t")
        if self.rates is not None and self.path is None:
            raise ValueError("the rates of a spring's path need the path of which they are the derivative")
        if self.path is not None:
            vector(self.path(0.0), "the path of a spring at t = 0 (m)")

    def on(self, attached: Attached) -> SpringEffect:
        return SpringEffect(self, attached)


class SpringEffect(Effect):
    """A ``spring`` on points of a body; in a stage its other ends have a place (P, d) m and a velocity (d,) m/s."""

    name = "spring"
    _place: Array
    _rate: Array

    def __init__(self, spring: Spring, attached: Attached) -> None:
        self._spring, self.points = spring, attached.points
        self.stiffness, self.damping = (share * attached.shares for share in (spring.stiffness, spring.damping))
        self._anchor = attached.reference
        if spring.to is not None:
            self._anchor = np.tile(
                vector(spring.to, "'to' of a spring (m)", self._anchor.shape[1]), (len(attached.shares), 1)
            )
        self.holds = spring.stiffness > 0.0
        self.rest_length, self.still = spring.rest_length, spring.path is None

    def ends(self, times: Array) -> tuple[Array, Array]:
        """p (K, P, d) m and p' (K, d) m/s at ``times`` (K,) s."""
        path, rates, d = self._spring.path, self._spring.rates, self._anchor.shape[1]
        if path is None:
            return np.tile(self._anchor, (len(times), 1, 1)), np.zeros((len(times), d))

        def along(at: Array) -> Array:
            return vectors(path, at, "the path of a spring (m)", d)

        if rates is not None:
            rate = vectors(rates, times, "the rates of a spring's path (m/s)", d)
        else:
            rate = rate_of(along, times)
        return self._anchor + along(times)[:, None], rate

    def for_stage(self, time: float, internal: Array | None, tau: float, *, left: bool = True) -> SpringEffect:
        stage = copy(self)
        stage._place, stage._rate = (part[0] for part in self.ends(np.array([time])))
        return stage

    def _acting(self, x: Array, v: Array) -> tuple[Array, Array, float, float]:
        """Forces (P, d), their derivatives by x and v (2, P, d, d), energy J and dissipation W."""
        from floating_frame.effect.spring_kernel import springs

        rest, force, slopes = self.rest_length, np.empty(x.shape), np.empty((2, *x.shape, x.shape[1]))
        given = (-1.0 if rest is None else float(rest), x - self._place, v - self._rate)
        return force, slopes, *springs(self.stiffness, self.damping, *given, force, slopes)

    def at(self, x: Array, v: Array) -> PointForce:
        force, slopes, *_ = self._acting(x, v)
        return PointForce(force, *slopes)

    def record(self, x: Array, v: Array, force: Blocks) -> Record:
        acting, _, stored, lost = self._acting(x, v)
        return Record(force, external=float((acting @ self._rate).sum()), dissipated=lost, stored=stored)
