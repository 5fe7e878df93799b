"""Frame conditions of a body in space: what makes the split into rigid motion and deformation unique, six conditions.

Both have ∫ρu = 0, so x0 is the centre of mass and A = P = B = 0. y = x − x0, body components but where said; E = tr S 1 − S with
S = ⟨r⊗X⟩ (``space_inertia.Seen``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from floating_frame.errors import FrameUndefined
from floating_frame.frame.kinematics import Array
from floating_frame.frame.rotations import cross
from floating_frame.frame.space_inertia import Seen, SpaceFrame, SpaceMoments, axial, inertia, seen_from

SMALLEST_ALIGNMENT = 1e-6
"""σ₂ ± σ₃ below this part of Σσ no longer defines the mean axes."""


class SpaceCondition(Protocol):
    """A frame condition of a free body in space."""

    @property
    def name(self) -> str:
        """Its name in ``SPACE_FRAMES``."""

    @property
    def clamp(self) -> None:
        """None: no face is held."""
        return None

    @property
    def holonomic(self) -> bool:
        """Whether Q follows from positions alone; otherwise it is integrated from Ω."""

    def rotation(self, of: SpaceMoments, last: Array) -> Array:
        """Return Q (3, 3); ``last``: as integrated. Raises FrameUndefined."""

    def spin(self, of: SpaceMoments, Q: Array) -> Array:
        """Return ω (3,), rad/s. Raises FrameUndefined."""

    def spin_rate(self, of: SpaceMoments, Q: Array, spin: Array) -> Array:
        """Return ω' (3,), rad/s²."""

    def turned_by(self, seen: Seen, spin: Array, moment: Array) -> Array:
        """Return ω' (3,), rad/s², of (2.3)2 with the condition put in, under the ``moment`` (3,) N m about x0."""

    def decompose(self, of: SpaceMoments, last: Array) -> SpaceFrame:
        """Return the motion of the frame that belongs to nodal (x, v, a). Raises FrameUndefined."""
        Q = self.rotation(of, last)
        spin = self.spin(of, Q)
        return SpaceFrame(of.centre, of.velocity, of.acceleration, Q, Q @ spin, Q @ self.spin_rate(of, Q, spin))


@dataclass(frozen=True)
class SpaceMeanAxis(SpaceCondition):
    """Buckens' mean axes: ⟨u⟩ = 0, ⟨X × u⟩ = 0, which says that S is symmetric: Q is the polar factor of ⟨y⊗X⟩ = Q S.

        E ω = ⟨X × Qᵀy'⟩,    E ω' + ω × Eω + 2E'ω = ⟨X × Qᵀy''⟩

    and with the condition put in, since J − ⟨(u·r) 1 − r⊗u⟩ = E, (2.3)2 reads

        E ω' = M0 − ω × Jω − J'ω − ω × k − L₀,    L₀ = ⟨u × w⟩,    w = Qᵀy'' − ω × (ω × r) − 2 ω × u'
    """

    name: str = "mean-axis"
    holonomic: bool = True

    def rotation(self, of: SpaceMoments, last: Array) -> Array:
        """Return U diag(1, 1, ±1) Vᵀ of ⟨y⊗X⟩ = U Σ Vᵀ, on the branch where E is positive definite: σ₂ ± σ₃ > 0."""
        U, sizes, V = np.linalg.svd(of.yX)
        sign = 1.0 if np.linalg.det(U) * np.linalg.det(V) > 0.0 else -1.0
        alignment = float(sizes[1] + sign * sizes[2])
        if not alignment > SMALLEST_ALIGNMENT * float(sizes.sum()):
            raise FrameUndefined(
                f"the mean axes are undefined: the second and third size of <y X> add up to {alignment:.3g} of {sizes.sum():.3g} "
                "kg m²; a rod, or a body coiled or folded this far, needs the tisserand frame"
            )
        Q: Array = (U * [1.0, 1.0, sign]) @ V
        return Q

    def spin(self, of: SpaceMoments, Q: Array) -> Array:
        """Return E⁻¹ ⟨X × Qᵀy'⟩."""
        return np.asarray(np.linalg.solve(inertia(Q.T @ of.yX), axial((Q.T @ of.vX).T)))

    def spin_rate(self, of: SpaceMoments, Q: Array, spin: Array) -> Array:
        """Return E⁻¹ (⟨X × Qᵀy''⟩ − ω × Eω − 2E'ω)."""
        seen = seen_from(of, Q, spin)
        E, E_rate = inertia(seen.S), inertia(seen.S_rate)
        moved = axial((Q.T @ of.aX).T) - cross(spin, E @ spin) - 2.0 * E_rate @ spin
        return np.asarray(np.linalg.solve(E, moved))

    def turned_by(self, seen: Seen, spin: Array, moment: Array) -> Array:
        """Return E⁻¹ (M0 − ω × Jω − J'ω − ω × k − L₀)."""
        relative = axial(seen.rw - seen.Xw)
        return np.asarray(np.linalg.solve(inertia(seen.S), moment - _gyroscopic(seen, spin) - relative))


@dataclass(frozen=True)
class SpaceTisserand(SpaceCondition):
    """Tisserand's axes: ⟨u⟩ = 0, ⟨r × u'⟩ = 0, so k = L = 0, Jω = ⟨r × Qᵀy'⟩ and Jω' + ω × Jω + J'ω = M0. Q is integrated."""

    name: str = "tisserand"
    holonomic: bool = False

    def rotation(self, of: SpaceMoments, last: Array) -> Array:
        """Return Q as integrated."""
        return last

    def spin(self, of: SpaceMoments, Q: Array) -> Array:
        """Return J⁻¹ ⟨r × Qᵀy'⟩. Raises FrameUndefined for a body shrunk to a line."""
        J = inertia(Q.T @ of.yy @ Q)
        sizes = np.linalg.eigvalsh(J)
        if not sizes[0] > SMALLEST_ALIGNMENT * sizes[-1]:
            raise FrameUndefined(f"the Tisserand frame is undefined: moments of inertia {sizes.tolist()} kg m²")
        return np.asarray(np.linalg.solve(J, axial(Q.T @ of.yv @ Q)))

    def spin_rate(self, of: SpaceMoments, Q: Array, spin: Array) -> Array:
        """Return what (2.3)2 says under the moment ⟨r × Qᵀy''⟩ that the accelerations are."""
        return self.turned_by(seen_from(of, Q, spin), spin, axial(Q.T @ of.ya @ Q))

    def turned_by(self, seen: Seen, spin: Array, moment: Array) -> Array:
        """Return J⁻¹ (M0 − ω × Jω − J'ω − ω × k), k = 0 up to the drift."""
        return np.asarray(np.linalg.solve(inertia(seen.R), moment - _gyroscopic(seen, spin)))


def _gyroscopic(seen: Seen, spin: Array) -> Array:
    """ω × Jω + J'ω + ω × k."""
    J, J_rate = inertia(seen.R), inertia(seen.D + seen.D.T)
    return np.asarray(cross(spin, J @ spin) + J_rate @ spin + cross(spin, axial(seen.D)))


SPACE_FRAMES: dict[str, type[SpaceCondition]] = {"mean-axis": SpaceMeanAxis, "tisserand": SpaceTisserand}
"""Frame conditions in space by name."""
