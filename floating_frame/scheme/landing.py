"""Steps of a system whose points may land: those of the scheme while contact persists, backward Euler where a point lands.

The second stage of SDIRK2 would throw a landing particle back with 1/γ − 2 = √2 times its speed (docs/space.md); backward Euler
lands on the ground exactly and loses energy only."""

from __future__ import annotations

from floating_frame.coefficients import Scheme, backward_euler
from floating_frame.scheme.step import step
from floating_frame.system.protocol import Landing, LandingSystem
from floating_frame.system.state import Counts, State

_LANDS = backward_euler()


def landing_step(
    scheme: Scheme, system: LandingSystem, state: State, dt: float, end: float | None = None
) -> tuple[State, Counts]:
    """Advance a system by ``dt`` s to ``end`` s (default time + dt). Pure. Raises what a shorter step may cure."""
    if scheme.name == _LANDS.name:
        return step(scheme, system.landing(), state, dt, end)
    try:
        return step(scheme, system, state, dt, end)
    except Landing:
        return step(_LANDS, system.landing(), state, dt, end)
