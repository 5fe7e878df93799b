"""Codes: states of points, and results of solvers of friction under a rigid row of points, one name each."""

FREE, STICK, SLIP, REVERSED, HELD, LANDED = range(6)
STATES = {"free": FREE, "stick": STICK, "slip": SLIP, "reversed": REVERSED, "held": HELD}
OPEN = FREE
"""State of a point under an unknown normal force that is 0; LANDED: it touched within the step."""

MAX_BOUND_ROUNDS = 60
"""Most rounds for bounds that depend on the speed."""
(
    SOLVED,
    NEEDS_SMOOTHING,
    OUT_OF_ITERATIONS,
    BOUNDS_UNSETTLED,
    NOT_CONVERGED,
    SINGULAR,
    NOT_FINITE,
    PRESSURE_UNSETTLED,
    TIPS,
    SEVERAL,
) = range(10)
"""Results: solved; only the path of smoothed problems can solve it; failures as in ``MESSAGES``; the reacting pressure has not
converged; no pressure balances the moment of friction; a failure as in ``MESSAGES``."""
MESSAGES = {
    OUT_OF_ITERATIONS: "Newton's method ran out of iterations; use a smaller time step",
    BOUNDS_UNSETTLED: "the friction bounds, which depend on the speed of slip, did not settle in "
    f"{MAX_BOUND_ROUNDS} rounds; use a smaller time step",
    NOT_CONVERGED: "the regularised friction under the rigid body did not converge; use a smaller time step",
    SINGULAR: "step too long: singular where friction falls; use a smaller time step",
    SEVERAL: "step too long: friction falls with speed too fast for the inertia in a step, so that a stage may "
    "have several solutions; use a smaller time step",
    NOT_FINITE: "non-finite loads or velocities; check the loads and the initial velocities",
}
