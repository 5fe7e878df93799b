"""Dead loads with histories in time: edge tractions and body forces.

A dead load is separable, f_i(t) = h(t) s_i F, with F (2,) inertial, s (N,) its nodal shape on the body and h a
history. Histories know where they jump or kink (``breaks``), so that time steps end there, and have a left and a
right limit there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from floating_frame.kinematics import Array


class History(Protocol):
    """A scalar function of time with named breaks."""

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which it jumps or kinks, s."""
        ...

    def value(self, time: float, *, left: bool = True) -> float:
        """h(t), dimensionless; at a jump the left or the right limit."""
        ...


@dataclass(frozen=True)
class Constant:
    """h = 1."""

    breaks: tuple[float, ...] = ()

    def value(self, time: float, *, left: bool = True) -> float:
        """1 at all times."""
        return 1.0


@dataclass(frozen=True)
class Ramp:
    """Linear from 0 to 1 over ``ramp`` s (0: a step at t = 0), then constant, 0 after ``release`` s."""

    ramp: float
    release: float = np.inf

    def __post_init__(self) -> None:
        if not (np.isfinite(self.ramp) and self.ramp >= 0.0):
            raise ValueError(f"ramp must be a finite time >= 0 s, got {self.ramp}")
        if np.isnan(self.release) or self.release < 0.0:
            raise ValueError(f"release must be a time >= 0 s (inf: never), got {self.release}")

    @property
    def breaks(self) -> tuple[float, ...]:
        """0, the end of the ramp and the release."""
        return tuple(sorted({t for t in (0.0, self.ramp, self.release) if np.isfinite(t)}))

    def value(self, time: float, *, left: bool = True) -> float:
        """h(t)."""
        if time > self.release or (time == self.release and not left):
            return 0.0
        if time < 0.0 or (time == 0.0 and (left or self.ramp > 0.0)):
            return 0.0
        return 1.0 if time >= self.ramp else time / self.ramp


@dataclass(frozen=True)
class Cosine:
    """h = cos(Ω t + φ)."""

    angular_frequency: float = 1.0
    phase: float = 0.0
    breaks: tuple[float, ...] = ()

    def value(self, time: float, *, left: bool = True) -> float:
        """cos(Ω t + φ)."""
        return float(np.cos(self.angular_frequency * time + self.phase))


@dataclass(frozen=True)
class Table:
    """Linear between (``times``, ``values``), constant beyond; a time given twice is a jump."""

    times: Sequence[float]
    values: Sequence[float]

    def __post_init__(self) -> None:
        t, v = np.asarray(self.times, float), np.asarray(self.values, float)
        if t.ndim != 1 or t.shape != v.shape or len(t) < 1:
            raise ValueError(f"a table needs as many times as values, at least one; got {t.shape} and {v.shape}")
        if not (np.all(np.isfinite(t)) and np.all(np.isfinite(v)) and np.all(np.diff(t) >= 0.0)):
            raise ValueError("a table's times and values must be finite and its times must not decrease")

    @property
    def breaks(self) -> tuple[float, ...]:
        """All distinct table times."""
        return tuple(sorted(set(map(float, self.times))))

    def value(self, time: float, *, left: bool = True) -> float:
        """Interpolated h(t)."""
        t, v = np.asarray(self.times, float), np.asarray(self.values, float)
        after = int(np.searchsorted(t, time, side="left" if left else "right"))
        if after == 0:
            return float(v[0])
        if after == len(t):
            return float(v[-1])
        fraction = (time - t[after - 1]) / (t[after] - t[after - 1])
        return float(v[after - 1] + fraction * (v[after] - v[after - 1]))


@dataclass(frozen=True)
class Function:
    """Any h(t) given as a callable; name its jumps and kinks in ``breaks``, where it is taken as left-continuous."""

    function: Callable[[float], float]
    breaks: tuple[float, ...] = ()

    def value(self, time: float, *, left: bool = True) -> float:
        """h(t); the right limit is evaluated one rounding unit later."""
        return float(self.function(time if left else float(np.nextafter(time, np.inf))))


class Load(Protocol):
    """A dead load on a body."""

    @property
    def history(self) -> History:
        """Its course in time."""
        ...

    def nodal_shape(self, body: Any, nodal_mass: Array) -> tuple[Array, Array]:
        """(s (N,), F (2,)) with the nodal force at history value one s_i F, N inertial."""
        ...


def _finite_vector(value: Sequence[float], what: str) -> Array:
    vector = np.asarray(value, float)
    if vector.shape != (2,) or not np.all(np.isfinite(vector)):
        raise ValueError(f"{what} must be two finite numbers, got {value!r}")
    return vector


@dataclass(frozen=True)
class EdgeLoad:
    """Dead traction on a named edge: total ``force`` (F_x, F_y) N inertial, uniform per reference length."""

    edge: str
    force: Sequence[float]
    history: History = field(default_factory=Constant)

    def nodal_shape(self, body: Any, nodal_mass: Array) -> tuple[Array, Array]:
        """∫_edge φ_i ds / length and F. Raises ValueError for an edge that the body does not have."""
        return body.edge_shape(self.edge), _finite_vector(self.force, f"the force on edge {self.edge!r}")


@dataclass(frozen=True)
class BodyForce:
    """Dead body force, ``force_per_mass`` (b_x, b_y) N/kg inertial, constant over the body (3.7)."""

    force_per_mass: Sequence[float]
    history: History = field(default_factory=Constant)

    def nodal_shape(self, body: Any, nodal_mass: Array) -> tuple[Array, Array]:
        """∫ρ φ_i dV and b."""
        return nodal_mass, _finite_vector(self.force_per_mass, "the body force per mass")


@dataclass(frozen=True)
class AssembledLoads:
    """All loads of a problem on its body: ``shapes`` (n, N), ``forces`` (n, 2), ``histories`` (n)."""

    shapes: Array
    forces: Array
    histories: tuple[History, ...]

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times on which steps must end, s."""
        return tuple(sorted({t for h in self.histories for t in h.breaks}))

    def nodal_force(self, time: float, *, left: bool = True) -> Array:
        """Σ h(t) s_i F, (N, 2) N inertial."""
        values = np.array([h.value(time, left=left) for h in self.histories])
        return self.shapes.T @ (values[:, None] * self.forces)


def assemble_loads(loads: Sequence[Load], body: Any, nodal_mass: Array) -> AssembledLoads:
    """Put ``loads`` on ``body``; raises ValueError naming what is wrong with one."""
    n_nodes = len(nodal_mass)
    pairs = [load.nodal_shape(body, nodal_mass) for load in loads]
    shapes = np.array([p[0] for p in pairs]).reshape(len(pairs), n_nodes)
    forces = np.array([p[1] for p in pairs]).reshape(len(pairs), 2)
    return AssembledLoads(shapes, forces, tuple(load.history for load in loads))
