"""The friction laws of RecurDyn as its figures draw them: coefficients over velocity and over the bristles' deformation.

All signs are RecurDyn's, the sign of the friction force on the body: +mu_s at -v_s, -mu_s at +v_s. Beside each
computed curve stands the printed formula, evaluated here as it is printed, with its own step5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from cases.app.drawing.style import BLUE, VERMILION
from friction import LAWS
from paper_figures.runs.jobs import Job, Run

Array = NDArray[np.float64]

PARAMETERS: dict[str, float] = {"mu_s": 0.4, "mu": 0.25, "v_s": 0.01, "v_d": 0.025}
"""Static and dynamic coefficients, threshold velocities m/s."""
CLEAR: dict[str, Any] = {"frameon": True, "facecolor": "white", "edgecolor": "none", "framealpha": 1.0}
"""Legends with an opaque ground."""
STICTION: dict[str, float] = PARAMETERS | {"max_stiction_deformation": 1e-4}


def step5(x: ArrayLike, x0: float, h0: float, x1: float, h1: float) -> Array:
    """RecurDyn's quintic step from h0 at x0 to h1 at x1, constant outside, as RecurDyn documents it."""
    s = np.clip((np.asarray(x, float) - x0) / (x1 - x0), 0.0, 1.0)
    return h0 + (h1 - h0) * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def printed_sliding(v: Array, mu_s: float, mu: float, v_s: float, v_d: float) -> Array:
    """Coefficient of the sliding type as printed: the text's first formula up to v_s, the table's second note beyond."""
    static = step5(v, -v_s, mu_s, v_s, -mu_s)
    return np.where(np.abs(v) <= v_s, static, -np.sign(v) * step5(np.abs(v), v_s, mu_s, v_d, mu))


def printed_stiction(
    v: Array, deformation: float, mu_s: float, mu: float, v_s: float, v_d: float, most: float
) -> Array:
    """Coefficient of the sliding & stiction type as printed, at one deformation of the bristles, m."""
    share = step5(np.abs(v), -v_s, -1.0, v_s, 1.0)
    carried = (1.0 - share) * step5(deformation, -most, mu_s, most, -mu_s)
    slow = carried + step5(v, -v_s, mu_s, v_s, -mu_s)
    return np.where(np.abs(v) <= v_s, slow, printed_sliding(v, mu_s, mu, v_s, v_d))


def carrying(share: float) -> float:
    """Argument s in [0, 1] at which step5(s, -1, -1, 1, 1) is `share`: the velocity over v_s, or the deformation over Delta_max, at
    which the laws carry that part of their static bound.
    """
    return float(brentq(lambda s: float(step5(s, -1.0, -1.0, 1.0, 1.0)) - share, 0.0, 1.0, xtol=1e-15))


def along_x(values: Array) -> Array:
    """Vectors (N, 2) along x."""
    return np.stack([values, np.zeros_like(values)], axis=1)


def speeds(reach: float, v_s: float, v_d: float) -> Array:
    """Velocities from -reach to reach, the thresholds and rest among them, m/s."""
    return np.unique(np.concatenate([np.linspace(-reach, reach, 801), [-v_d, -v_s, 0.0, v_s, v_d]]))


def sliding_curve(mu_s: float, mu: float, v_s: float, v_d: float, max_share: float) -> xr.Dataset:
    """Coefficient of the sliding type over the velocity, from -1.4 v_d to 1.4 v_d.

    velocity (v) m/s; coefficient (v), of the law as the solvers use it; limited (v), the same with the friction force limited
    to `max_share` `mu_s |f_n|`; printed (v), RecurDyn's formulas.
    """
    velocity = speeds(1.4 * v_d, v_s, v_d)
    weight = np.full_like(velocity, mu_s)  # the static bound under a unit normal force
    law = LAWS["sliding"](v_s=v_s, v_d=v_d, dynamic_ratio=mu / mu_s)
    slip = along_x(velocity)
    return xr.Dataset(
        {
            "velocity": ("v", velocity),
            "coefficient": ("v", -law.force(slip, weight)[:, 0]),
            "limited": ("v", -law.capped(max_share).force(slip, weight)[:, 0]),
            "printed": ("v", printed_sliding(velocity, mu_s, mu, v_s, v_d)),
        }
    )


def stiction_curves(mu_s: float, mu: float, v_s: float, v_d: float, max_stiction_deformation: float) -> xr.Dataset:
    """Coefficient of the sliding & stiction type over the velocity at four deformations, and over the deformation at rest.

    velocity (v) m/s; deformation (state) m; coefficient, printed (state, v); deformations (bent) m; at_rest, at_rest_printed
    (bent).
    """
    most = max_stiction_deformation
    velocity, states = speeds(1.4 * v_d, v_s, v_d), most * np.array([-1.0, 0.0, 0.5, 1.0])
    bent = np.linspace(-1.4 * most, 1.4 * most, 281)
    law = LAWS["sliding-stiction"](v_s=v_s, v_d=v_d, dynamic_ratio=mu / mu_s, max_stiction_deformation=most)

    def coefficient(v: Array, deformation: Array) -> Array:
        return -law.for_stage(along_x(deformation), 0.0).force(along_x(v), np.full_like(v, mu_s))[:, 0]

    thresholds = {"mu_s": mu_s, "mu": mu, "v_s": v_s, "v_d": v_d, "most": most}
    return xr.Dataset(
        {
            "velocity": ("v", velocity),
            "deformation": ("state", states),
            "coefficient": (
                ("state", "v"),
                np.array([coefficient(velocity, np.full_like(velocity, d)) for d in states]),
            ),
            "printed": (("state", "v"), np.array([printed_stiction(velocity, d, **thresholds) for d in states])),
            "deformations": ("bent", bent),
            "at_rest": ("bent", coefficient(np.zeros_like(bent), bent)),
            "at_rest_printed": ("bent", step5(bent, -most, mu_s, most, -mu_s)),
        }
    )


LOAD = 0.7
"""Of the static bound mu_s |f_n|: amplitude of the force on the block."""
_UNDER = {"t_end": 10.0, "dt": 2e-3, "amplitude": LOAD * PARAMETERS["mu_s"] * 9.81, "mass": 1.0, "gravity": 9.81}
BLOCK: Mapping[str, Job] = {
    "coulomb": Run("block_on_table", _UNDER | {"law": "coulomb", "mu": PARAMETERS["mu_s"]}),
    "sliding": Run("block_on_table", _UNDER | PARAMETERS | {"law": "sliding"}),
    "sliding-stiction": Run("block_on_table", _UNDER | STICTION | {"law": "sliding-stiction"}),
}
"""The block of Potra et al. (2006) under a force that stays below the static bound, by law."""


def block_motion(data: xr.Dataset) -> dict[str, Array]:
    """Times (n,) s, coordinate x (n,) m and velocity v (n,) m/s."""
    return {
        "times": data.time.values,
        "x": data.frame_position.values[:, 0],
        "v": data.frame_velocity.values[:, 0],
    }


def draw_motion(axes: Axes, block: Mapping[str, Array], coulomb: Mapping[str, Array], name: str, reach: float) -> None:
    """Draw the block's coordinate over time under a law, and under set-valued Coulomb friction, within +-`reach` mm."""
    axes.plot(block["times"], 1e3 * block["x"], color=BLUE, label=name)
    axes.plot(coulomb["times"], 1e3 * coulomb["x"], color=VERMILION, linestyle=(0, (4, 2.5)), label="Coulomb")
    axes.set(xlabel="time $t$ [s]", ylabel="coordinate $x$ [mm]", xlim=(block["times"][0], block["times"][-1]))
    axes.set_ylim(-reach, reach)
    axes.legend(loc="upper right", borderaxespad=0.1, ncols=2, **CLEAR)
