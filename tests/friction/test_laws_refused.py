"""What friction laws refuse, in one line, and what a foundation takes."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from law_examples import CAP, EVERY, PLAIN, V, W
from rows import rows

from friction import (
    CoefficientSpline,
    Coulomb,
    Elliptic,
    ForceSpline,
    Foundation,
    Limited,
    Quadratic,
    Sliding,
    SlidingStiction,
    Smooth,
    StaticKinetic,
    Stribeck,
    solve,
)
from friction.laws.protocol import StatelessLaw


@dataclass(frozen=True)
class Stranger(StatelessLaw):
    set_valued = True
    force = tangent = None


@rows(
    ("make", "message"),
    [
        (lambda: Sliding(0.0, 1.0, 0.5), "Sliding: v_s must be a positive finite speed in m/s, got 0.0$"),
        (lambda: Sliding(1.0, 1.0, 0.5), "Sliding: v_d must be larger than v_s = 1.0 m/s, got 1.0$"),
        (lambda: Sliding(0.1, 1.0, 1.1), r"Sliding: dynamic_ratio must lie in \(0, 1\], got 1.1$"),
        (lambda: Sliding(0.1, np.inf, 0.5), "v_d must be a positive finite speed in m/s, got inf$"),
        (
            lambda: SlidingStiction(0.1, 1.0, 0.0, 1e-3),
            r"SlidingStiction: dynamic_ratio must lie in \(0, 1\], got 0.0$",
        ),
        (lambda: SlidingStiction(0.1, 1.0, 0.5, -1e-3), "max_stiction_deformation must be a positive finite number"),
        (lambda: SlidingStiction(0.1, 1.0, 0.5, np.nan), "max_stiction_deformation must be a positive finite number"),
        (
            lambda: PLAIN["sliding-stiction"].for_stage(np.zeros((3, 2)), -1.0),
            "tau must be a finite time >= 0 s, got -1.0$",
        ),
        (
            lambda: PLAIN["sliding-stiction"].for_stage(np.zeros(3), 1.0),
            r"internal_state must be finite, of shape \(N, 2\)",
        ),
        (lambda: PLAIN["sliding-stiction"].for_stage(np.full((3, 2), np.nan), 1.0), "internal_state must be finite"),
        (lambda: StaticKinetic(np.nan), r"StaticKinetic: dynamic_ratio must lie in \(0, 1\], got nan$"),
        (lambda: Stribeck(0.5, -0.1), "Stribeck: stribeck_speed must be a positive finite speed in m/s, got -0.1$"),
        (lambda: Stribeck(0.5, 0.1, 0.5), "Stribeck: exponent must be at least 1, got 0.5$"),
        (lambda: Stribeck(2.0, 0.1), r"Stribeck: dynamic_ratio must lie in \(0, 1\]"),
        (lambda: Elliptic(0.0), "Elliptic: ratio must be a positive finite number, got 0.0$"),
        (lambda: Elliptic(1.0, np.inf), "Elliptic: angle must be finite, in rad, got inf$"),
        (
            lambda: ForceSpline((0.0, 1.0), (1.0,)),
            r"ForceSpline: speeds and forces must be two lists of one length >= 2",
        ),
        (
            lambda: ForceSpline((0.1, 1.0), (1.0, 2.0)),
            r"ForceSpline: speeds must increase from 0 m/s, got \[0.1, 1.0\]$",
        ),
        (lambda: CoefficientSpline((0.0, 1.0, 1.0), (1.0, 2.0, 3.0)), "CoefficientSpline: speeds must increase from 0"),
        (lambda: CoefficientSpline((0.0, 1.0), (1.0, -2.0)), "coefficients must not be negative, got -2.0$"),
        (
            lambda: CoefficientSpline((0.0, 1.0), (1.0, np.nan)),
            r"speeds and coefficients must be finite, got \[0.0, 1.0\]",
        ),
        (
            lambda: CoefficientSpline((0.0, "a"), (1.0, 2.0)),
            r"speeds and coefficients must be numbers, got \(0.0, 'a'\)",
        ),
        (lambda: Limited(Coulomb(), 0.0), "Limited: max_force must be a positive finite number, got 0.0$"),
        (lambda: Limited("coulomb", 1.0), "Limited: law must be a friction law such as Coulomb\\(\\), got 'coulomb'$"),
        (lambda: Coulomb(cap=-1.0), "Coulomb: cap must not be negative, got -1.0$"),
        (lambda: Smooth("fast"), "Smooth: v_reg must be a positive finite"),
        (lambda: solve(Quadratic(sp.eye_array(2), V[:1]), W[:1], law="coulomb"), "solve: law must be a friction law"),
        (lambda: solve(Quadratic(sp.eye_array(2), V[:1]), W[:1], law=Coulomb), "solve: law must be a friction law"),
        (lambda: solve(Quadratic(sp.eye_array(2), V[:1]), W[:1], law=Stranger()), "must be radial .*, got Stranger"),
        (lambda: Foundation(Coulomb, 0.1, 1.0), "law must be a friction law such as Coulomb"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(make, message):
    with pytest.raises(ValueError, match=message) as error:
        make()
    assert "\n" not in str(error.value)


def test_foundations_take_every_law():
    for law in EVERY.values():
        assert Foundation(law, 0.3, 1.0).law is law
    assert sum(law.has_internal_state for law in EVERY.values()) == 2
    assert CAP < 1.0
