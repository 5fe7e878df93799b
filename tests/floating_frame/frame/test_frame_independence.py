"""The motion does not depend on the frame: mean axes, Tisserand's axes, and no frame at all, give one motion.

A soft plate is pulled at its right edge by a dead load across it: it sticks, slips, stretches by 30 %, swings round by
3 rad, slides, and arrests. The frame-free twin (inertial_twin.py) shares the elastic forces and the scheme's definition only.
"""

import inertial_twin
import numpy as np
import pytest
from ff_examples import PRESSURE, plate, rough, without_guard
from frame_examples import plain
from problems import assembled, run

from floating_frame import EdgeLoad, InitialState, MeanAxis, Ramp, Tisserand, simulate
from floating_frame.system.elastic.given_pressure import GivenPressureGround
from friction import Coulomb, Elliptic, Foundation, StaticKinetic

E, MU, DT, T_END = 2.0e4, 0.6, 2e-3, 0.7
FORCE, RAMP, RELEASE = (1.0, 10.0), 0.05, 0.15
HISTORY = Ramp(RAMP, RELEASE)
# Both are solved to 1e-12 of nodal forces of some 10 N; τ²/m of it per step, over 350 steps, is 1e-13 m.
SOLVER = 1e-12


def model(frame, body, dt=DT, t_end=T_END):
    loads = (EdgeLoad("right", FORCE, HISTORY),)
    return assembled(body, t_end, dt, foundation=rough(MU), loads=loads, frame=frame, tolerance=1e-12)


@pytest.fixture(scope="module")
def body():
    return plate(E=E)


@pytest.fixture(scope="module")
def twin(body):
    elastic = inertial_twin.Elastic(body)
    top = np.flatnonzero(body.X[:, 0] == body.X[:, 0].max())
    top = top[np.argsort(body.X[top, 1])]
    part = 0.5 * np.diff(body.X[top, 1]) / np.ptp(body.X[top, 1])
    shape = np.zeros(len(body.X))
    shape[top[:-1]] += part
    shape[top[1:]] += part

    def load(t):
        return (0.0 if t > RELEASE else min(t / RAMP, 1.0)) * np.outer(shape, FORCE)

    given = {"dt": DT, "steps": round(T_END / DT), "load": load, "w": MU * PRESSURE * body.nodal_area}
    return elastic, *inertial_twin.run(elastic, body.X.copy(), np.zeros_like(body.X), **given)


@pytest.fixture(scope="module")
def mean_axis(body):
    return simulate(without_guard(model(MeanAxis(), body)))


def test_mean_axes_give_the_motion_of_the_frame_free_integration(mean_axis, twin, verification):
    """In which the plate stretches, turns, sticks, slides and arrests."""
    elastic, x, v = twin
    stick = mean_axis.stick.values.mean(axis=1)
    assert max(elastic.largest_strain(each) for each in x) > 0.25
    assert abs(mean_axis.frame_angle.values[-1]) > 2.5
    assert np.sum((stick > 0.0) & (stick < 1.0)) > 20, "part of the plate sticks while part of it slides"
    assert np.sum(stick == 0.0) > 50, "all of it slides"
    assert stick[-1] == 1.0, "it arrests"
    assert np.abs(mean_axis.displacement.values).max() > 0.05
    assert np.abs(x[-1] - x[0]).max() > 0.3
    claim = "Soft plate that sticks, stretches by 30 %, turns by 3 rad and arrests, mean axes: all nodal positions"
    given = {"source": "an integration without any frame", "tolerance": SOLVER, "unit": "m"}
    verification(claim, mean_axis.position.values, x, **given)
    assert np.allclose(mean_axis.velocity.values, v, rtol=0, atol=SOLVER / DT * 0.1)
    sticks = ~np.any(v, axis=2)
    assert 0.05 < sticks.mean() < 0.95
    assert np.array_equal(mean_axis.stick.values.astype(bool), sticks)


def test_tisserand_axes_give_the_same_motion_with_another_split(body, mean_axis, verification):
    tisserand = simulate(without_guard(model(Tisserand(), body)))
    assert np.abs(mean_axis.frame_angle - tisserand.frame_angle).max() > 1e-3
    assert np.abs(mean_axis.displacement - tisserand.displacement).max() > 1e-4
    claim = "The same plate in Tisserand's axes: all nodal positions"
    given = {"source": "the same run in mean axes", "tolerance": SOLVER, "unit": "m"}
    verification(claim, tisserand.position.values, mean_axis.position.values, **given)
    assert np.array_equal(mean_axis.stick, tisserand.stick)
    for name in ("dissipation_friction", "work_external", "energy_strain", "dissipation_numerical"):
        assert np.abs(mean_axis[name]).max() > 1e-4
        assert np.allclose(mean_axis[name], tisserand[name], rtol=0, atol=SOLVER), name


def test_the_motion_in_space_does_not_feel_an_error_of_the_frame(body):
    right = simulate(without_guard(model(MeanAxis(), body, t_end=0.2)))
    wrong = simulate(without_guard(model(plain("mean-axis", growth=0.0), body, t_end=0.2)))
    assert np.abs(wrong.frame_drift).max() > 10 * np.abs(right.frame_drift).max()
    assert np.allclose(right.position, wrong.position, rtol=0, atol=SOLVER)


@pytest.mark.parametrize("law", [Coulomb(), Elliptic(1.5, 0.4), StaticKinetic(0.8)], ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("frame", [MeanAxis(), Tisserand()], ids=lambda frame: frame.name)
def test_a_second_pass_in_the_corrected_frame_finds_the_motion_of_the_first(law, frame, monkeypatch):
    """The frame only turns the axes of an objective body; from a turning start the first pass sees it turned otherwise."""
    given = {"loads": (EdgeLoad("right", FORCE, HISTORY),), "frame": frame, "initial": InitialState((0.3, 0.1), 8.0)}
    given |= {"foundation": Foundation(law, MU, PRESSURE), "tolerance": 1e-12}
    once = run(plate(E=E), 0.03, DT, **given)
    monkeypatch.setattr(GivenPressureGround, "iterates", property(lambda self: True, lambda self, value: None))
    twice = run(plate(E=E), 0.03, DT, **given)
    assert once.passes.values[1:].max() <= 0.5 * twice.passes.values[1:].min()
    assert np.abs(once.frame_angle.values).max() > 0.2
    assert np.array_equal(once.stick.values, twice.stick.values)
    for name in ("position", "frame_position", "frame_angle"):
        assert np.abs(once[name].values - twice[name].values).max() <= SOLVER, name
