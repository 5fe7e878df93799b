"""The integrals A, P, B, L, J_zz, K of (3.3) and the rigid equations (3.4)1, corrected, term by term.

(3.4)1 is the projection of the momentum balance on the three rigid modes of the split x = x0 + Q (X + u). With
c = cos α, s = sin α and one convention for moments, r × f::

    mass matrix · q'' + Coriolis + centrifugal + relative = (F_x, F_y, M_z)

    [ M   0   −A_x s − A_y c ]        [ −P_x s − P_y c ]      [ A_x c − A_y s ]   [ B_x c − B_y s ]
    [ 0   M    A_x c − A_y s ] q'' + 2ω [  P_x c − P_y s ] − ω² [ A_x s + A_y c ] + [ B_x s + B_y c ]
    [    sym.          J_zz  ]        [       K        ]      [       0       ]   [       L       ]

The printed equations differ in signs and lack K (docs/theory.md, errata). M_z is about x0. They hold for *every*
split, frame condition or not: that is what ``residual`` checks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from floating_frame.frame.kernels import cross_sum, dot, weighted_sum
from floating_frame.frame.kinematics import Array, Deformation, FrameMotion, rotation, turned


@dataclass(frozen=True, kw_only=True)
class Integrals:
    """The integrals (3.3), body components: ``mass`` M kg; ``A`` = ∫ρu kg m; ``P`` = ∫ρu' kg m/s; ``B`` = ∫ρu'' N, (2,) each;
    ``L`` = ∫ρ (r × u'') N m; ``J_zz`` = ∫ρ r·r kg m²; ``K`` = ∫ρ r·u' = J_zz'/2 kg m²/s."""

    mass: float
    A: Array
    P: Array
    B: Array
    L: float
    J_zz: float
    K: float


def integrals(mass_matrix: csr_matrix, reference: Array, split: Deformation) -> Integrals:
    """Evaluate (3.3) with one mass matrix throughout.

    ``mass_matrix`` (N, N) kg per displacement component, ``reference`` X (N, 2) m, ``split`` u, u', u'' in the frame.
    """
    r = reference + split.displacement
    r_mass, nodal_mass = mass_matrix @ r, mass_matrix @ np.ones(len(r))
    return Integrals(
        mass=float(nodal_mass.sum()),
        A=np.array(weighted_sum(nodal_mass, split.displacement)),
        P=np.array(weighted_sum(nodal_mass, split.rate)),
        B=np.array(weighted_sum(nodal_mass, split.acceleration)),
        L=cross_sum(r_mass, split.acceleration),
        J_zz=dot(r_mass, r),
        K=dot(r_mass, split.rate),
    )


def mass_matrix(values: Integrals, angle: float) -> Array:
    """Return the symmetric 3×3 mass matrix of (3.4)1; its third column is (Q J A, J_zz)."""
    column_x, column_y = rotation(angle) @ turned(values.A)
    return np.array([[values.mass, 0.0, column_x], [0.0, values.mass, column_y], [column_x, column_y, values.J_zz]])


def coriolis(values: Integrals, angle: float, spin: float) -> Array:
    """Return 2 ω (Q J P, K) of (3.4)1, (3,): N, N, N m. The third entry, J_zz' ω, is missing in the paper."""
    return 2.0 * spin * np.array([*(rotation(angle) @ turned(values.P)), values.K])


def centrifugal(values: Integrals, angle: float, spin: float) -> Array:
    """Return −ω² (Q A, 0) of (3.4)1, (3,): N, N, N m."""
    return -(spin**2) * np.array([*(rotation(angle) @ values.A), 0.0])


def relative(values: Integrals, angle: float) -> Array:
    """Return (Q B, L) of (3.4)1, (3,): the inertia force and moment of the relative acceleration u''; N, N, N m."""
    return np.array([*(rotation(angle) @ values.B), values.L])


def central_accelerations(
    resultant: Array, spin: float, *, mass: float, J_zz: float, K: float, L: float
) -> tuple[float, float, float]:
    """Solve (3.4)1 for q'' where x0 is the centre of mass: A = P = B = 0 leave M x0'' = F and J_zz ω' + 2 ω K + L = M_z."""
    x, y, moment = resultant
    return x / mass, y / mass, (moment - 2.0 * spin * K - L) / J_zz


def residual(values: Integrals, motion: FrameMotion, resultant: Array) -> tuple[Array, Array]:
    """Return the left minus right side of (3.4)1 and the size of its largest terms.

    ``resultant`` (F_x, F_y, M_z) inertial, M_z about x0. Returns (residual (3,), [largest force term, largest moment
    term] (2,)) in N and N m.
    """
    terms = np.array(
        [
            mass_matrix(values, motion.angle) @ motion.accelerations,
            coriolis(values, motion.angle, motion.spin),
            centrifugal(values, motion.angle, motion.spin),
            relative(values, motion.angle),
            -resultant,
        ]
    )
    size = np.array([np.abs(terms[:, :2]).max(), np.abs(terms[:, 2]).max()])
    return terms.sum(axis=0), size
