"""Frame conditions: what makes the split into rigid motion and deformation unique (the paper leaves it open).

Each condition answers two questions. ``decompose``: which frame motion belongs to given nodal (x, v, a)?
``substitute``: what do L and the effective moment of inertia in the third row of (3.4)1 become once the condition is put
in? Both frames here have ∫ρu = 0, so x0 is the centre of mass and A = P = B = 0, as the Remark after (2.1) wants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from floating_frame.errors import FrameUndefined
from floating_frame.frame.kinematics import Array, FrameMotion, turned

if TYPE_CHECKING:
    from floating_frame.frame.moments import MassDistribution, Moments

SMALLEST_ALIGNMENT = 1e-6
"""E = ⟨X, r⟩ below this part of ⟨X, X⟩ no longer defines the angle of a mean-axis frame."""


class Frame(Protocol):
    """A frame condition of a free body."""

    @property
    def name(self) -> str:
        """Its name in ``FRAMES``."""

    def decompose(self, moments: Moments, mass: MassDistribution, angle: float) -> FrameMotion:
        """Return q, q', q'' of the frame; ``angle`` is the last known α (unwrapping) or the integrated one (nonholonomic)."""

    def substitute(self, moments: Moments, angle: float, spin: float) -> tuple[float, float]:
        """Return (L₀, J_eff): with the condition put in, row 3 of (3.4)1 reads J_eff ω' + 2 ω K + L₀ = M_z; N m, kg m²."""

    def spin_gradient(self, mass: MassDistribution, r: Array, angle_moments: Moments, angle: float) -> Array:
        """Return ∂ω/∂V_i (N, 2), 1/m: how the frame's spin follows nodal body velocities, for power-consistent forces."""

    @property
    def holonomic(self) -> bool:
        """Whether α follows from positions alone; otherwise it is integrated from ω."""


@dataclass(frozen=True)
class MeanAxis:
    """Buckens' mean axes: ∫ρu = 0, ∫ρ X × u = 0. Linear and holonomic; L and K do not vanish."""

    name: str = "mean-axis"
    holonomic: bool = True

    def decompose(self, moments: Moments, mass: MassDistribution, angle: float) -> FrameMotion:
        """Return α = atan2([X,y], ⟨X,y⟩), ω = [X,Qᵀy']/E, ω' = ([X,Qᵀy''] − 2ω⟨X,Qᵀy'⟩)/E with E = ⟨X,r⟩.

        Raises FrameUndefined where E → 0.
        """
        alignment = float(np.hypot(moments.position.dot, moments.position.cross))
        if not alignment > SMALLEST_ALIGNMENT * mass.second_moment:
            raise FrameUndefined(
                f"the mean axes are undefined: E = {alignment:.3g} kg m², ⟨X, X⟩ = {mass.second_moment:.3g} kg m²; "
                "a body coiled or folded this far needs the tisserand frame"
            )
        wrapped = np.arctan2(moments.position.cross, moments.position.dot)
        alpha = float(wrapped + 2.0 * np.pi * np.round((angle - wrapped) / (2.0 * np.pi)))
        velocity, acceleration = moments.velocity.seen_from(alpha), moments.acceleration.seen_from(alpha)
        spin = velocity.cross / alignment
        spin_rate = (acceleration.cross - 2.0 * spin * velocity.dot) / alignment
        return _motion(moments, alpha, spin, spin_rate)

    def substitute(self, moments: Moments, angle: float, spin: float) -> tuple[float, float]:
        """Return L = ∫ρ u × u'' since ∫ρ X × u'' = 0, for any (α, ω) near the condition.

        u'' contains −ω' J r, so L = L₀ − ω' ⟨u, r⟩ and J_eff = J_zz − ⟨u, r⟩ = ⟨X, r⟩.
        """
        position = moments.position.seen_from(angle)
        velocity = moments.velocity.seen_from(angle)
        acceleration = moments.acceleration.seen_from(angle)
        rate_dot = velocity.dot + spin * position.cross  # ⟨X, u'⟩ with u' = Qᵀy' − ω J r
        r_with_second = moments.cross_ya - 2.0 * spin * moments.yv  # [r, u''] without its ω' part
        reference_with_second = acceleration.cross + spin**2 * position.cross - 2.0 * spin * rate_dot
        return r_with_second - reference_with_second, position.dot

    def spin_gradient(self, mass: MassDistribution, r: Array, angle_moments: Moments, angle: float) -> Array:
        """Return J M X / E, since ω = [X, V]/E."""
        return turned(mass.weighted) / angle_moments.position.seen_from(angle).dot


@dataclass(frozen=True)
class Tisserand:
    """Tisserand's axes: ∫ρu = 0, ∫ρ r × u' = 0. Nonholonomic: α is integrated. A = P = B = L = 0."""

    name: str = "tisserand"
    holonomic: bool = False

    def decompose(self, moments: Moments, mass: MassDistribution, angle: float) -> FrameMotion:
        """Return ω = [y,y']/⟨y,y⟩, ω' = ([y,y''] − 2ω⟨y,y'⟩)/⟨y,y⟩, α as integrated by the caller.

        Raises FrameUndefined for a body shrunk to a point.
        """
        if not moments.yy > SMALLEST_ALIGNMENT**2 * mass.second_moment:
            raise FrameUndefined(f"the Tisserand frame is undefined: J_zz = {moments.yy:.3g} kg m²")
        spin = moments.cross_yv / moments.yy
        spin_rate = (moments.cross_ya - 2.0 * spin * moments.yv) / moments.yy
        return _motion(moments, angle, spin, spin_rate)

    def substitute(self, moments: Moments, angle: float, spin: float) -> tuple[float, float]:
        """Return L = 0 by differentiating the condition; J_eff = J_zz."""
        return 0.0, moments.yy

    def spin_gradient(self, mass: MassDistribution, r: Array, angle_moments: Moments, angle: float) -> Array:
        """Return J M r / J_zz, since ω = [r, V]/J_zz."""
        return turned(mass.matrix @ r) / angle_moments.yy


def _motion(moments: Moments, angle: float, spin: float, spin_rate: float) -> FrameMotion:
    return FrameMotion(
        np.array([*moments.centre, angle]),
        np.array([*moments.centre_velocity, spin]),
        np.array([*moments.centre_acceleration, spin_rate]),
    )


FRAMES = {"mean-axis": MeanAxis, "tisserand": Tisserand}
"""Frame conditions by name."""

MEAN_AXIS, TISSERAND = 0, 1
FRAME_CODES = {"mean-axis": MEAN_AXIS, "tisserand": TISSERAND}
"""Their numbers in compiled code."""
