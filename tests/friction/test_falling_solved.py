"""Friction that falls with speed, solved: which root is taken, what is refused, and that the bound of the test is a bound."""

import numpy as np
import pytest
import scipy.sparse as sp

from friction import (
    CoefficientSpline,
    Coulomb,
    ForceSpline,
    FrictionSolveError,
    Limited,
    Quadratic,
    Sliding,
    SlidingStiction,
    Smooth,
    solve,
)
from friction.errors import UnilateralError
from friction.normal.unilateral import solve_unilateral, solve_unilateral_response

FALLING = {
    "sliding": Sliding(1.0, 2.0, 0.6),
    "capped sliding": Sliding(1.0, 2.0, 0.6, cap=0.8),
    "spline": CoefficientSpline((0.0, 1.0, 2.0), (0.0, 1.0, 0.5)),
    "force-spline": ForceSpline((0.0, 1.0, 2.0), (0.0, 40.0, 10.0)),
    "limited": Limited(Sliding(1.0, 2.0, 0.6), 30.0),
    "stiction": SlidingStiction(1.0, 2.0, 0.6, 0.1),
}


@pytest.mark.parametrize("name", FALLING)
def test_no_tangent_on_the_way_has_an_eigenvalue_below_the_bound_and_some_way_comes_near_it(name):
    rng = np.random.default_rng(3)
    start, end, w = 2.0 * rng.standard_normal((40, 2)), 2.0 * rng.standard_normal((40, 2)), rng.uniform(0.5, 1.5, 40)
    law = FALLING[name].with_total_load(w)
    if law.has_internal_state:
        law = law.for_stage(0.05 * rng.standard_normal((40, 2)), 0.05)
    assert law.velocity_weakening
    bound = law.least_tangent(start, end, w)
    eigenvalues = []
    for t in np.linspace(0.0, 1.0, 401):
        blocks = law.tangent(start + t * (end - start), w)
        eigenvalues.append(np.linalg.eigvalsh(0.5 * (blocks + blocks.transpose(0, 2, 1)))[:, 0])
    least = np.min(eigenvalues, axis=0)
    falling = least < -0.05
    assert falling.sum() > 20
    assert (
        bound[falling] <= least[falling] * (1.0 - 5e-3)
    ).all()  # 0.1 % of step5, more where a way turns through the fall
    room = 0.15 if name in ("capped sliding", "limited") else 0.02  # where the cap ends the look goes one point further
    assert (bound[falling] >= least[falling] * (1.0 + room)).all()


@pytest.mark.parametrize("law", [Coulomb(), Smooth(0.1), Sliding(1.0, 2.0, 1.0), Limited(Smooth(0.1), 3.0)])
def test_laws_that_do_not_fall_say_so(law):
    assert not law.velocity_weakening


def test_of_two_roots_that_one_is_taken_which_the_motion_reaches_and_a_way_over_the_fall_is_refused():
    """One node, 0.3 v + 2 m(v) = 1.6: one root short of the peak m(1) = 1, one where m = 0.3 at v = 10/3, one between."""
    mass, w, law = 0.3, np.array([2.0]), Sliding(1.0, 2.0, 0.3)
    part = Quadratic(sp.csr_array(mass * np.eye(2)), np.array([[1.6, 0.0]]))
    far = solve(part, w, law=law, velocity=np.array([[4.0, 0.0]]))  # without a reference any root will do
    assert abs(far.velocity[0, 0] - (1.6 - 0.6) / mass) < 1e-9
    near = solve(part, w, law=law, velocity=np.array([[0.1, 0.0]]), reference=np.zeros((1, 2)))
    assert 0.3 < near.velocity[0, 0] < 0.6
    assert abs(mass * near.velocity[0, 0] + law.force(near.velocity, w)[0, 0] - 1.6) < 1e-9
    with pytest.raises(FrictionSolveError) as caught:  # the start that extrapolates past the peak
        solve(part, w, law=law, velocity=np.array([[4.0, 0.0]]), reference=np.zeros((1, 2)))
    assert caught.value.reason == "step too long"
    kept = solve(part, w, law=law, velocity=far.velocity, reference=np.array([[3.0, 0.0]]))  # it slides already
    assert abs(kept.velocity[0, 0] - far.velocity[0, 0]) < 1e-9


def test_a_compliance_that_is_not_semidefinite_is_refused_by_name():
    bad = np.diag([1.0, -0.5])
    with pytest.raises(ValueError, match="positive semidefinite, smallest eigenvalue -5"):
        solve_unilateral(bad, np.array([[-1.0, 0.2]]), 0.3)
    with pytest.raises(UnilateralError) as caught:
        solve_unilateral_response(
            lambda p: (np.array([[-1.0, 0.2]]), np.array([[1.0, 0.9], [0.9, 0.1]])),
            0.3,
            np.zeros((1, 2)),
            floor=1e-2,
            tolerance=lambda: 1e-12,
        )
    assert caught.value.reason == "indefinite"
