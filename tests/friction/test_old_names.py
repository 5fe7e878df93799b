"""Names of version 0.2 in friction still work, and say their new ones."""

import numpy as np
import pytest
import scipy.sparse as sp

from friction import Coulomb, Foundation, Limited, Quadratic, SlidingStiction, solve
from friction.renamed import LAW_NAMES

ARGUMENTS = {
    "during": (np.zeros((3, 2)), 0.1),
    "remembered": (np.zeros((3, 2)), np.ones((3, 2)), 0.1),
    "memory_rate": (np.zeros((3, 2)), np.ones((3, 2))),
    "within": (0.5,),
    "shared": (np.ones(3),),
    "turned": (0.3,),
}
LAWS = [Coulomb(), SlidingStiction(0.1, 0.2, 0.8, 1e-3), Limited(Coulomb(), 2.0)]


@pytest.mark.parametrize("old", LAW_NAMES)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_a_law_answers_to_its_names_of_version_0_2_and_says_the_new_ones(law, old):
    with pytest.warns(DeprecationWarning, match=f"{old} is now called {LAW_NAMES[old]}"):
        was = getattr(law, old)
    now = getattr(law, LAW_NAMES[old])
    if old in ARGUMENTS:
        was, now = was(*ARGUMENTS[old]), now(*ARGUMENTS[old])
    assert str(was) == str(now)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        law.nothing  # noqa: B018


def test_the_solver_and_the_foundation_take_the_arguments_of_version_0_2():
    part, w = Quadratic(sp.eye_array(4), np.array([[3.0, 0.0], [0.0, 0.5]])), np.ones(2)
    new = solve(part, bound=w, fixed=np.array([False, True]))
    with pytest.warns(DeprecationWarning, match="is now called") as told:
        old = solve(part, weights=w, held=np.array([False, True]))
    assert sorted(str(w.message) for w in told) == [
        "solve(held=) is now called fixed=",
        "solve(weights=) is now called bound=",
    ]
    np.testing.assert_array_equal(old.velocity, new.velocity)
    np.testing.assert_array_equal(new.velocity[0], [2.0, 0.0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        solve(part, w, speed=1.0)
    ground = Foundation(Coulomb(), 0.5, 4.0)
    with pytest.warns(DeprecationWarning, match=r"Foundation\.weights is now called Foundation\.bound"):
        assert ground.weights(np.zeros((1, 2)), np.ones(1), 0.0) == [2.0]
