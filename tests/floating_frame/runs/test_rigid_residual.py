"""The residual of (3.4)1 is at the solver's tolerance for every scheme and every body: the frame's equations are those solved."""

import numpy as np
import pytest
from case_models import computed

from cases.app.registry import load

SCHEMES = ("sdirk2", "backward-euler", "moreau-theta")
BODIES = {
    "beam on supports": ("beam_bending", {"motion": "fixed", "ne": 8}),
    "beam clamped at an end": ("beam_bending", {"motion": "fixed", "support": "cantilever", "ne": 8}),
    "beam in translation": ("beam_bending", {"motion": "translation", "ne": 8}),
    "free beam": ("beam_bending", {"motion": "free", "ne": 6}),
    "plate": ("plate_sliding", {"nx": 4, "ny": 2, "ramp": 0.005, "release": 0.011}),
    "clamped plate": ("plate_clamped", {"nx": 4, "ny": 2, "ramp": 0.01}),
    "rigid block": ("block_on_table", {"nx": 2, "ny": 2, "loaded": "edge", "amplitude": 12.0}),
}


def run(case, **given):
    module = load(case)
    return computed(module, **given)[1]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.quick(
    "beam on supports-backward-euler",
    "beam clamped at an end-moreau-theta",
    "beam in translation-sdirk2",
    "free beam-backward-euler",
    "plate-backward-euler",
    "clamped plate-backward-euler",
    "rigid block-backward-euler",
)
def test_the_rigid_equations_hold_at_the_solvers_tolerance(body, scheme):
    """Nodal forces are in balance to 1e-10 of the largest; elastic ones are up to some hundred times the resultants."""
    case, given = BODIES[body]
    data = run(case, scheme=scheme, dt=1e-3, t_end=0.02, **given)
    assert float(np.abs(data.velocity).max()) > 1e-5
    assert float(data.rigid_residual.max()) < 1e-7


def test_a_beam_whose_moments_cancel_by_symmetry_has_no_residual_of_rounding_over_rounding():
    """Without friction nothing else sets the size of moments: their sums are some 1e-15 of their parts."""
    data = run("beam_bending", motion="fixed", ne=8, mu=0.0, dt=2e-3, t_end=0.03, load=20.0)
    assert float(np.abs(data.velocity).max()) > 1e-3
    assert float(np.abs(data.L).max()) < 1e-9
    assert float(data.rigid_residual.max()) < 1e-7


@pytest.mark.parametrize("history", ["step", "half-sine", "pulse"])
@pytest.mark.parametrize("support", ["simply-supported", "cantilever"])
def test_reactions_of_a_beam_carry_what_load_friction_and_inertia_leave(support, history):
    """In the mean of a step, by the change of momentum, which is stored apart."""
    given = {"motion": "fixed", "support": support, "history": history, "duration": 0.006, "ne": 8, "load": 20.0}
    dt = 5e-4
    data = run("beam_bending", scheme="moreau-theta", dt=dt, t_end=0.02, **given)
    reaction, friction = data.clamp_reaction.values[1:, 1], data.friction_force.values[1:, :, 1].sum(axis=1)
    momentum, edges = data.linear_momentum.values[:, 1], data.time.values
    shape = {"step": lambda t: 1.0 + 0.0 * t, "pulse": lambda t: 1.0 * (t < 0.006)}
    at = shape.get(history, lambda t: np.where(t < 0.006, np.sin(np.pi * t / 0.006), 0.0))
    after = edges[:-1] + 1e-9
    load = 20.0 * load_length() * 0.5 * (at(edges[1:] - 1e-9) + at(after))
    assert np.abs(reaction).max() > 1.0
    np.testing.assert_allclose(np.diff(momentum) / dt, load + friction + reaction, atol=1e-6 * np.abs(reaction).max())


def load_length():
    return load("beam_bending").Parameters().length
