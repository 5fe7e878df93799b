"""Section 2 of the paper in space, corrected: the integrals A, P, B, J, k, L of a body, its mass-weighted moments, the residual of
(2.3)1 and (2.3)2.

With r = X + u in the frame, ⟨·⟩ = ∫ρ · dV by the one mass matrix, ax of a matrix ⟨a⊗b⟩ the vector ⟨a × b⟩ (docs/space.md):

    A = ⟨u⟩,  P = ⟨u'⟩,  B = ⟨u''⟩,  J = ⟨(r·r) 1 − r⊗r⟩,  k = ⟨r × u'⟩,  L = ⟨r × u''⟩,  J' = 2 tr D 1 − D − Dᵀ,  D = ⟨r⊗u'⟩
    M x0'' + Q [ω' × A + ω × (ω × A) + 2 ω × P + B] = F
    A × Qᵀx0'' + J ω' + ω × Jω + J'ω + ω × k + L = M0

hold for every split, frame condition or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross, hat

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def axial(matrix: Array) -> Array:
    """Return ⟨a × b⟩ (3,) of ⟨a⊗b⟩ (3, 3)."""
    off = matrix - matrix.T
    return np.array([off[1, 2], off[2, 0], off[0, 1]])


class SpaceFrame(NamedTuple):
    """The motion of a frame in space: ``origin`` x0 m, its ``velocity`` and ``acceleration``; ``rotation`` Q (3, 3), body to space;
    ``spin`` Ω rad/s and ``spin_rate`` Ω' rad/s², space components."""

    origin: Array
    velocity: Array
    acceleration: Array
    rotation: Array
    spin: Array
    spin_rate: Array


class SpaceDeformation(NamedTuple):
    """u, u', u'' (N, 3) in the frame, body components."""

    displacement: Array
    rate: Array
    acceleration: Array


def deformation(X: Array, x: Array, v: Array, a: Array, frame: SpaceFrame) -> SpaceDeformation:
    """Split nodal (x, v, a) (N, 3), inertial: u = Qᵀ(x − x0) − X, u' = Qᵀ(v − x0') − ω × r,
    u'' = Qᵀ(a − x0'') − ω' × r − ω × (ω × r) − 2 ω × u'."""
    Q = frame.rotation
    r, spin, rate = (x - frame.origin) @ Q, frame.spin @ Q, frame.spin_rate @ Q
    moved = (v - frame.velocity) @ Q - cross(spin, r)
    bent = (a - frame.acceleration) @ Q - cross(rate, r) - cross(spin, cross(spin, r) + 2.0 * moved)
    return SpaceDeformation(r - X, moved, bent)


@dataclass(frozen=True, kw_only=True)
class SpaceMass:
    """Mass of a body at its nodes: ``matrix`` (N, N) kg, ``nodal`` = M·1 (N,) kg, ``total`` kg, ``reference`` X (N, 3) m,
    ``weighted`` M X (N, 3) kg m, ``second_moment`` ⟨X⊗X⟩ (3, 3) kg m²."""

    matrix: csr_matrix
    nodal: Array
    total: float
    reference: Array
    weighted: Array
    second_moment: Array

    @classmethod
    def of(cls, matrix: csr_matrix, reference: Array) -> SpaceMass:
        """Collect what is constant; ``reference`` X from the centre of mass."""
        nodal, weighted = np.asarray(matrix.sum(axis=1)).ravel(), matrix @ reference
        return cls(
            matrix=matrix,
            nodal=nodal,
            total=float(nodal.sum()),
            reference=reference,
            weighted=weighted,
            second_moment=reference.T @ weighted,
        )

    def mean(self, field: Array) -> Array:
        """Return the mass average (3,) of a nodal field (N, 3)."""
        return np.asarray(self.nodal @ field / self.total)


class SpaceMoments(NamedTuple):
    """Moments of nodal (x, v, a) about the centre of mass, y = x − x_c, in space: centre (x, v, a) (3,) each, and (3, 3) each
    ⟨y⊗X⟩, ⟨y'⊗X⟩, ⟨y''⊗X⟩, ⟨y⊗y⟩, ⟨y⊗y'⟩, ⟨y⊗y''⟩."""

    centre: Array
    velocity: Array
    acceleration: Array
    yX: Array
    vX: Array
    aX: Array
    yy: Array
    yv: Array
    ya: Array


def moments(mass: SpaceMass, x: Array, v: Array, a: Array) -> SpaceMoments:
    """Evaluate the moments of nodal (x, v, a), (N, 3) each."""
    centres = [mass.mean(field) for field in (x, v, a)]
    y, w, b = (field - centre for field, centre in zip((x, v, a), centres, strict=True))
    weighted = mass.matrix @ y
    with_X = [field.T @ mass.weighted for field in (y, w, b)]
    return SpaceMoments(*centres, *with_X, *(weighted.T @ field for field in (y, w, b)))


class SpaceIntegrals(NamedTuple):
    """The integrals, body components: ``mass`` kg, A kg m, P kg m/s, B N, J kg m², J' kg m²/s, k kg m²/s, L N m."""

    mass: float
    A: Array
    P: Array
    B: Array
    J: Array
    J_rate: Array
    k: Array
    L: Array


def integrals(mass: SpaceMass, split: SpaceDeformation) -> SpaceIntegrals:
    """Evaluate the integrals of a split."""
    r = mass.reference + split.displacement
    weighted = mass.matrix @ r
    rr, D = weighted.T @ r, weighted.T @ split.rate
    A, P, B = (mass.nodal @ field for field in split)
    return SpaceIntegrals(
        mass=mass.total,
        A=A,
        P=P,
        B=B,
        J=inertia(rr),
        J_rate=inertia(D + D.T),
        k=axial(D),
        L=axial(weighted.T @ split.acceleration),
    )


def inertia(second: Array) -> Array:
    """Return tr S 1 − S (3, 3) of second moments S: ⟨r⊗r⟩ gives J."""
    return np.asarray(np.trace(second) * np.eye(3) - second)


def residual(values: SpaceIntegrals, frame: SpaceFrame, force: Array, moment: Array) -> tuple[Array, Array]:
    """Return the left less the right side of (2.3)1 and (2.3)2 (6,), body components, and the largest force and moment term (2,).

    ``force`` N and ``moment`` N m about x0, space components."""
    Q = frame.rotation
    spin, rate, pull = frame.spin @ Q, frame.spin_rate @ Q, frame.acceleration @ Q
    forces = np.array(
        [
            values.mass * pull,
            cross(rate, values.A),
            cross(spin, cross(spin, values.A)),
            2.0 * cross(spin, values.P),
            values.B,
            -force @ Q,
        ]
    )
    turns = np.array(
        [
            cross(values.A, pull),
            values.J @ rate,
            cross(spin, values.J @ spin),
            values.J_rate @ spin,
            cross(spin, values.k),
            values.L,
            -moment @ Q,
        ]
    )
    size = np.array([np.abs(forces).max(), np.abs(turns).max()])
    return np.concatenate([forces.sum(axis=0), turns.sum(axis=0)]), size


class Seen(NamedTuple):
    """Moments as a frame (Q, ω) sees them, body components: S = ⟨r⊗X⟩, S' = ⟨u'⊗X⟩, R = ⟨r⊗r⟩, D = ⟨r⊗u'⟩, and with
    w = Qᵀy'' − ω × (ω × r) − 2 ω × u', which is u'' + ω' × r, ⟨r⊗w⟩ and ⟨X⊗w⟩."""

    S: Array
    S_rate: Array
    R: Array
    D: Array
    rw: Array
    Xw: Array


def seen_from(of: SpaceMoments, Q: Array, spin: Array) -> Seen:
    """Return the moments in the frame Q that spins with ω = ``spin`` rad/s, body components."""
    turn = hat(spin)
    S, R = Q.T @ of.yX, Q.T @ of.yy @ Q
    S_rate, D = Q.T @ of.vX - turn @ S, Q.T @ of.yv @ Q + R @ turn
    rw = Q.T @ of.ya @ Q - R @ turn @ turn + 2.0 * D @ turn
    Xw = (Q.T @ of.aX).T - S.T @ turn @ turn + 2.0 * S_rate.T @ turn
    return Seen(S, S_rate, R, D, rw, Xw)
