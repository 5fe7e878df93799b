"""The exact motion of beam_bending between simple supports under a uniform step load: every mode, swing by swing, and its work.

In swing j, from t_j = j pi/omega_1 on, the beam moves about the static shape of p -+ q = E_m (friction against the swing),

    w(x, t) = sum_n a_n (E_m + (E_j - E_m) cos(n^2 omega_1 (t - t_j))) sin(n pi x/L),   a_n = 4 L^4/(EJ (n pi)^5),   n = 1, 3, ...

and ends at rest in the static shape of E_{j+1} = 2 E_m - E_j, since n^2 is odd. After the last swing it stays there. All
points of a swing move in one direction: friction takes q |E_{j+1} - E_j| times the area L^5/(120 EJ) under the shape of unit load.
"""

from __future__ import annotations

import numpy as np

from cases.app.parts.beams import bending_stiffness, friction_per_length
from cases.app.parts.measure import Array
from cases.references.beams.swings import LoadedBeam, half_swing, swings

_MODES = 200


def deflection(params: LoadedBeam, X: Array, times: Array) -> Array | None:
    """Deflection w (times, places), m, at `X` (n,) m from the middle; None where there is no closed form (see `swings`)."""
    known = swings(params)
    if known is None:
        return None
    ends, half, stiffness = np.asarray(known), half_swing(params), bending_stiffness(params)
    which = np.minimum((times / half).astype(int), len(ends) - 1)
    after = np.minimum(which + 1, len(ends) - 1)
    middle, amplitude = 0.5 * (ends[which] + ends[after]), 0.5 * (ends[which] - ends[after])
    n = 2.0 * np.arange(_MODES) + 1.0
    phase = np.pi * (times - which * half)[:, None] * n**2 / half
    course = middle[:, None] + amplitude[:, None] * np.cos(phase)
    modes = 4.0 * params.length**4 / (stiffness * (n * np.pi) ** 5)
    return np.asarray((course * modes) @ np.sin(np.pi * np.outer(n, X / params.length + 0.5)))


def whole_work(params: LoadedBeam, time: float) -> float | None:
    """Friction work, J, of all swings; None where they have not ended by `time` s or have no closed form."""
    known = swings(params)
    if known is None or (len(known) - 1) * half_swing(params) > time:
        return None
    travelled = float(np.abs(np.diff(known)).sum())
    return friction_per_length(params) * travelled * params.length**5 / (120.0 * bending_stiffness(params))
