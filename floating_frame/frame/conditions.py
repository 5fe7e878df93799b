"""Frame conditions, which make the split into rigid motion and deformation unique (the paper leaves it open), for d = 2 and 3.

``decompose`` gives the frame of nodal (x, v, a); ``solve`` advances it by (2.3)2, in the plane the third row of (3.4)1, with the
condition inserted (``rigid_pass``). Both conditions here have ∫ρu = 0, so x0 is the centre of mass and A = P = B = 0, as in the
Remark after (2.1). S = ⟨r⊗X⟩, R = ⟨r⊗r⟩ and w = u'' + W'r as in ``rigid_pass``; spins and moments are skew matrices (``turning``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from floating_frame.errors import Unsolved
from floating_frame.frame.kinematics import MEAN_AXIS, OWN, TISSERAND, FloatingFrame
from friction.arrays import Array

if TYPE_CHECKING:  # with kernels, for which the options of a case need not wait
    from floating_frame.frame.moments import MassDistribution, Moments
    from floating_frame.frame.rigid_pass import FrameHistory


SMALLEST_ALIGNMENT = 1e-6
"""Mean axes are undefined for a least eigenvalue of tr S 1 − S (in the plane E = tr S) below this part of ⟨X·X⟩, Tisserand's axes
for one of tr R 1 − R below its square."""


class Frame:
    """A frame condition of a free body. A user's condition has a ``name``, ``holonomic`` (True: Q follows from positions, and is
    not integrated from the spin), ``decompose``, and for bodies with small strains ``couple``."""

    name: str
    holonomic: bool
    kind: ClassVar[int] = OWN
    clamp: ClassVar[None] = None
    """No face is held."""

    def decompose(self, moments: Moments, mass: MassDistribution, last: Array) -> FloatingFrame:
        """Frame of given moments; ``last`` (d, d): the last Q, or the integrated one. Raises Unsolved (FrameUndefined)."""
        raise NotImplementedError

    def couple(self, mass: MassDistribution, r: Array, moment: Array) -> Array:
        """Nodal forces (N, d), body, with the power of a ``moment`` (d, d), N m, on the frame's spin: Σ f_i·V_i = M0·ω for
        all nodal velocities V. ``r`` (N, d) m from x0, body."""
        raise NotImplementedError

    def solve(
        self, moments: Moments, mass: MassDistribution, history: FrameHistory, net: Array, start: FloatingFrame
    ) -> tuple[FloatingFrame, int]:
        """Frame at a stage's end by (2.3)1 and (2.3)2 under ``net`` (d + r,), force N and moment N m about the centre of mass in
        space, iterated from ``start``, and the number of sweeps. Raises Unsolved (NotConverged, FrameUndefined). A user's condition
        uses the accelerations of the nodes, which obey the same balance; the others are inserted into (2.3)2 in compiled code, by
        their ``kind``."""
        if self.kind == OWN:
            own = self.decompose(moments, mass, start.rotation)
            return history.advance(own.acceleration, own.spin_rate), 1
        from floating_frame.frame.rigid_pass import solve_spin

        d, taus = len(start.origin), (history.tau_x, history.tau_v)
        given = history.rotation, history.turn, history.spin, taus
        result = start.rotation.copy(), start.spin.copy(), start.spin.copy()
        sweeps, error = solve_spin(self.kind, moments.pairs, net[d:], *given, *result)
        if not error <= 1.0:
            raise Unsolved(
                f"the rigid pass of the stage ending at t = {history.time:.9g} s did not settle in {sweeps} sweeps "
                f"(the frame's spin still changes by {error:.3g} times what it may)"
            )
        return history.at_end(net[:d] / mass.total, *result), sweeps


@dataclass(frozen=True)
class MeanAxis(Frame):
    """Buckens' mean axes: ⟨u⟩ = 0, ⟨X × u⟩ = 0. S is then symmetric, and Q the polar factor of ⟨y⊗X⟩ = Q S.

    The condition, its first and its second derivative are

        S = Sᵀ,    S W + W S = ⟨X × Qᵀy'⟩,    S W' + W' S = ⟨X × w⟩

    and in the plane S W + W S = E ω J with E = tr S. L and K do not vanish."""

    name: str = "mean-axis"
    holonomic: bool = True
    kind: ClassVar[int] = MEAN_AXIS

    def decompose(self, moments: Moments, mass: MassDistribution, last: Array) -> FloatingFrame:
        """Q from the first, W from the second and W' from the third of these equations. Raises Unsolved (FrameUndefined)."""
        from floating_frame.frame.rigid_pass import mean_axes

        Q, spin, rate = np.empty_like(last), *np.empty((2, 2 * len(last) - 3))
        alignment = mean_axes(moments.pairs, Q, spin, rate)
        if not alignment > SMALLEST_ALIGNMENT * mass.second_moment:
            raise Unsolved(
                f"the mean axes are undefined: the least of E = {alignment:.3g} kg m², ⟨X, X⟩ = {mass.second_moment:.3g} kg m²; "
                "a body coiled or folded this far, or a rod in space, needs the tisserand frame",
                "FrameUndefined",
            )
        x0, x1, x2 = moments.centre
        return FloatingFrame(x0, x1, x2, Q, spin, rate)

    def couple(self, mass: MassDistribution, r: Array, moment: Array) -> Array:
        """T M X with S T + T S = M0, for S W + W S = ⟨X × V⟩."""
        from floating_frame.frame.turning import skew_solve

        S = np.einsum("ni,nj->ij", r, mass.weighted)
        return np.asarray(mass.weighted @ skew_solve(0.5 * (S + S.T), moment)[0].T)


@dataclass(frozen=True)
class Tisserand(Frame):
    """Tisserand's axes: ⟨u⟩ = 0, ⟨r × u'⟩ = 0. Nonholonomic: Q is integrated. A = P = B = L = 0, and with ⟨r × u''⟩ = 0

        R W + W R = ⟨r × Qᵀy'⟩,    R W' + W' R = M0 − G

    where M0 = ⟨r × Qᵀy''⟩ for given accelerations; k = ⟨r × u'⟩ = 0 up to the drift."""

    name: str = "tisserand"
    holonomic: bool = False
    kind: ClassVar[int] = TISSERAND

    def decompose(self, moments: Moments, mass: MassDistribution, last: Array) -> FloatingFrame:
        """Q as integrated, W and W'. Raises Unsolved (FrameUndefined) for a body shrunk to a point, in space to a line."""
        from floating_frame.frame.rigid_pass import tisserands_axes

        spin, rate, size = tisserands_axes(moments.pairs, last)
        if not size > SMALLEST_ALIGNMENT**2 * mass.second_moment:
            raise Unsolved(
                f"the Tisserand frame is undefined: a moment of inertia is {size:.3g} kg m², "
                f"⟨X, X⟩ = {mass.second_moment:.3g} kg m²",
                "FrameUndefined",
            )
        x0, x1, x2 = moments.centre
        return FloatingFrame(x0, x1, x2, last, spin, rate)

    def couple(self, mass: MassDistribution, r: Array, moment: Array) -> Array:
        """T M r with R T + T R = M0, for R W + W R = ⟨r × V⟩."""
        from floating_frame.frame.turning import skew_solve

        weighted = mass.times(r)
        return np.asarray(weighted @ skew_solve(np.einsum("ni,nj->ij", r, weighted), moment)[0].T)


FRAMES: dict[str, type[Frame]] = {"mean-axis": MeanAxis, "tisserand": Tisserand}
"""Frame conditions by name."""
