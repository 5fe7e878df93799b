"""Which friction laws a scheme and a body can take: refusals by name, with advice, before anything is computed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from floating_frame.scheme.coefficients import EXPLICIT, RADAU
from friction import Law
from friction.stick import is_coulomb, rate_independent


def check_law(law: Law, scheme: str, *, rigid: bool) -> None:
    """ValueError where ``scheme`` cannot integrate a body, ``rigid`` or not, under ``law``."""
    if scheme == EXPLICIT and rate_independent(law) and law.metric is None and law.radial.static < 1.0:
        raise ValueError(
            f"scheme 'explicit' takes Coulomb's law with the bound w itself, got one cut to {law.radial.static:.6g} w; give the "
            "smaller mu, or choose another scheme"
        )
    if scheme == EXPLICIT and not is_coulomb(law):
        what = (
            "set-valued friction with a bound that does not depend on the velocity"
            if law.set_valued
            else ("set-valued friction only: a regularised law would make its stable step far shorter")
        )
        raise ValueError(f"scheme 'explicit' takes {what}; choose law 'coulomb' without max_force, or another scheme")
    if scheme == RADAU and (law.set_valued or not rigid):
        raise ValueError(
            "scheme 'radau' integrates smooth equations: it takes a rigid body under a regularised law, not "
            f"{'a set-valued law' if law.set_valued else 'a deformable body'}"
        )


def check_clamp_law(law: Law, free: NDArray[np.bool_]) -> None:
    """ValueError for an elliptic law under a clamp that is ``free`` (3,) along one of x and y, which its axes have to be then."""
    metric = law.with_total_load(np.ones(1)).metric
    if metric is not None and free[0] != free[1] and metric[0, 1] != 0.0:
        raise ValueError(
            f"a clamp that is free along one of x and y takes an elliptic law with its axis along x, got {law!r}"
        )


def check_beam_law(law: Law, *, inertia: bool) -> None:
    """ValueError for a law that a beam seen by its deflection alone cannot take: its unknowns have one direction and no memory."""
    directional = law.with_total_load(np.ones(1)).metric is not None
    if law.has_internal_state or directional or (not inertia and not rate_independent(law)):
        taken = (
            "law 'coulomb', or one of the speed of slip alone" if inertia else "law 'coulomb' when it is quasi-static"
        )
        raise ValueError(
            f"a beam seen by its deflection alone takes {taken}, got {type(law).__name__}; a BeamAxis or a plate takes all"
        )
