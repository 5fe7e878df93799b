"""A clamp that does not turn is one node of the stage, and moves as by Newton's method for its rates, which knows all clamps."""

import numpy as np
import pytest
from ff_examples import plate, rough
from problems import assembled
from single_steps import initial_state, step

from floating_frame import Clamped, EdgeLoad, Ramp
from floating_frame.system.clamped.motion import ClampProblem
from friction import Coulomb, Foundation, Smooth, StaticKinetic

CLAMPS = {
    "guide": Clamped("left", ("x",)),
    "free": Clamped("left", ("x", "y")),
    "held": Clamped("left", ()),
    "led": Clamped("left", (), {"x": lambda t: 0.5 * np.sin(40.0 * t)}),
}

GROUNDS = {
    "coulomb": rough(0.3),
    "static": Foundation(StaticKinetic(0.7), 0.3, 98.1),
    "smooth": Foundation(Smooth(1e-2), 0.3, 98.1),
    "belt": Foundation(Coulomb(), 0.3, 98.1, ground_velocity=(0.2, 0.0)),
}


def states(frame, law, *, merged):
    loads = (EdgeLoad("left", (2.0, 0.3), Ramp(0.02)), EdgeLoad("right", (0.7, 0.25), Ramp(0.02)))
    given = {"foundation": GROUNDS[law], "loads": loads, "frame": CLAMPS[frame]}
    model = assembled(plate(), 0.04, 2e-3, tolerance=1e-13, **given)
    if not merged:
        model.system.ground.is_guided = lambda prescribed, ground: False
    found = [initial_state(model)]
    for k in range(20):
        found.append(step(model, found[-1], 2e-3, 2e-3 * (k + 1))[0])
    return found


@pytest.mark.parametrize("law", list(GROUNDS))
@pytest.mark.parametrize("frame", list(CLAMPS))
@pytest.mark.quick("guide-coulomb", "led-smooth")
def test_a_clamp_that_does_not_turn_moves_as_one_node(frame, law, monkeypatch):
    solved = {"guided": 0, "turning": 0}
    for method, solve in ("guided", ClampProblem.guided), ("turning", ClampProblem.turning):

        def counted(self, *args, method=method, solve=solve):
            solved[method] += 1
            return solve(self, *args)

        monkeypatch.setattr(ClampProblem, method, counted)
    one = states(frame, law, merged=True)
    assert solved["guided"] >= 40
    assert solved["turning"] == 0
    rates = states(frame, law, merged=False)
    assert solved["turning"] >= 40
    slides = np.any(np.array([s.friction.slip for s in one]), axis=2)
    assert slides.any()
    np.testing.assert_array_equal(slides, np.any(np.array([s.friction.slip for s in rates]), axis=2))
    # The solver's tolerance: 1e-13 of forces, over stiffness x τ in velocities; accelerations are those over τ.
    for mine, theirs in zip(one, rates, strict=True):
        for name, bound in (("position", 1e-13), ("velocity", 1e-10), ("acceleration", 1e-7), ("multiplier", 1e-9)):
            np.testing.assert_allclose(getattr(mine, name), getattr(theirs, name), rtol=0.0, atol=bound, err_msg=name)
        np.testing.assert_allclose(mine.friction.slip, theirs.friction.slip, rtol=0.0, atol=1e-10)
        driven, other = (np.concatenate(s.records[-1].driving[1:]) for s in (mine, theirs))
        np.testing.assert_allclose(driven, other, rtol=0.0, atol=1e-8)
    clamp = np.flatnonzero(one[0].position[:, 0] < -0.1999)
    assert len(clamp) > 2
    np.testing.assert_array_equal(np.ptp(one[-1].velocity[clamp], axis=0), 0.0)
