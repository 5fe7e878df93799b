"""An annulus between rough planes turned at its inner rim, beside its closed form, its limit load and its dynamics."""

from functools import partial

import numpy as np
import pytest
from case_models import summarised
from convergence import observed_orders
from scipy.integrate import cumulative_simpson, simpson, solve_ivp

from cases.app.registry import load
from cases.references.rods.annulus_torsion import Annulus
from cases.references.rods.masing import turns
from floating_frame import TangentialTraction

CASE = load("annulus_torsion")
A, B = 0.05, 0.2
TAU = 2 * 0.5 * 1000 * 0.02 * 9.81  # Pa, both faces of the default parameters
GH = 1e6 / 2.6 * 0.02
SLIP = 0.15  # a radius on which rings of nodes lie whenever nr is a multiple of 3
TORQUE = 2 * np.pi / 3 * TAU * (SLIP**3 - A**3)
results = partial(summarised, CASE)


def error(entry):
    return entry["value"] / entry["exact"] - 1


def test_the_closed_form_is_the_integral_of_equilibrium_and_shear():
    known = Annulus(A, B, GH, TAU)
    assert known.slip_radius(TORQUE) == pytest.approx(SLIP, rel=1e-14)

    def rates(r, y):
        return [-2 * np.pi * r**2 * TAU, -y[0] / (2 * np.pi * GH * r**3)]

    shear = solve_ivp(rates, (A, SLIP), [TORQUE, 0.0], rtol=1e-12, atol=1e-14, dense_output=True)
    assert abs(shear.y[0, -1]) < 1e-9 * TORQUE
    assert known.displacement(TORQUE) == pytest.approx(-shear.y[1, -1], rel=1e-9)
    r = np.linspace(A, SLIP, 2001)
    slip = r * (shear.sol(r)[1] - shear.y[1, -1])
    assert known.loss(TORQUE) == pytest.approx(simpson(2 * np.pi * r * TAU * slip, x=r), rel=1e-8)


def test_masings_loop_encloses_the_dissipated_energy():
    known = Annulus(A, B, GH, TAU)
    s = np.linspace(0.0, 1.0, 2001)
    first, second, third = turns((1.8, -0.6, 1.8), known)
    down = [turns((1.8, 1.8 - 2.4 * x), known)[-1].displacement for x in s[1:]]
    up = [turns((1.8, -0.6, -0.6 + 2.4 * x), known)[-1].displacement for x in s[1:]]
    work = [
        cumulative_simpson(2.4 * np.array([start, *path]), x=s)[-1]
        for start, path in ((first.displacement, down), (second.displacement, up))
    ]
    assert second.loss + third.loss == pytest.approx(4 * known.loss(1.2), rel=1e-12)
    # ∮ φ dT, clockwise: down the unloading branch, up the loading one.
    assert second.loss + third.loss == pytest.approx(work[0] - work[1], rel=1e-5)
    assert third.displacement == pytest.approx(first.displacement, rel=1e-14)
    assert third.memory == first.memory


@pytest.mark.parametrize(("elements", "sign", "bound"), [("Q1", 1.0, 1e-3), ("P1", -1.0, 2.5e-3)])
@pytest.mark.slow
def test_angle_loss_and_carried_torque_converge_to_the_closed_form_in_the_second_order(
    elements, sign, bound, verification
):
    names = ("angle_1", "angle_2", "loss_1", "loss_2", "loss_per_cycle")
    rows = []
    for nr in (12, 24, 48):
        torques = (sign * TORQUE, -sign * TORQUE, sign * TORQUE)
        _, data, computed = results(nr=nr, nt=2 * nr, steps=1, elements=elements, torques=torques)
        phi = TAU / (3 * GH) * (SLIP**3 / (2 * A**2) - 1.5 * SLIP + A)
        assert computed["angle_1"]["exact"] == pytest.approx(sign * phi, rel=1e-13)
        assert computed["angle_2"]["exact"] == pytest.approx(-sign * phi, rel=1e-13)  # doubled friction: φ − 2 φ(T)
        assert computed["slip_radius"]["value"] == pytest.approx(
            SLIP - (B - A) / nr, rel=1e-12
        )  # the front has not moved
        assert data.balance_error.max() < 1e-11
        rows.append([error(computed[name]) for name in names] + [computed["torque_error"]["value"] / TORQUE])
    rows = np.abs(rows)
    orders = observed_orders(rows)
    claim = f"Annulus under torsion, {elements}: order of angles, losses and torque in the mesh"
    verification(claim, orders, 2.0, source="quadrature of friction at nodes", tolerance=0.15)
    assert np.all(orders < 2.05), orders
    assert np.all((rows[-1] > 1e-4) & (rows[-1] < bound))
    for name, unit in (("angle_1", "rad"), ("loss_per_cycle", "J")):
        claim = f"Annulus under torsion, {elements}, 48 rings: {name.replace('_', ' ')}"
        known = {"source": "closed form, Masing's rule", "least": 1e-4, "tolerance": bound, "relative": True}
        verification(claim, computed[name]["value"], computed[name]["exact"], unit=unit, **known)


def test_unloading_and_inner_loops_follow_their_own_slip_radii():
    torques = (2.4, -0.2, 1.0, -2.6)
    _, _, computed = results(nr=14, nt=28, steps=1, torques=torques)
    largest = computed["angle_1"]["exact"]
    for leg in range(1, 5):
        angle = computed[f"angle_{leg}"]
        assert 0 < abs(angle["value"] - angle["exact"]) < 8e-3 * largest
        assert 0 < abs(error(computed[f"loss_{leg}"])) < 1.2e-2
    assert "loss_per_cycle" not in computed


def test_one_face_slips_farther_than_two():
    one, two = (results(nr=12, nt=24, steps=1, faces=faces, torques=(1.2,))[2] for faces in (1, 2))
    assert one["slip_radius"]["exact"] > 1.2 * two["slip_radius"]["exact"]
    for computed in (one, two):
        assert 0 < abs(error(computed["angle_1"])) < 1.6e-2
    assert one["limit_torque"]["value"] == pytest.approx(0.5 * two["limit_torque"]["value"], rel=1e-14)


def test_the_tangential_traction_is_a_pure_torque_and_needs_a_closed_edge():
    params = CASE.Parameters(nr=2, nt=12, elements="P2")
    body = CASE.problem(params).body
    shape, size = TangentialTraction("inner", 3.0).nodal_shape(body, np.ones(len(body.X)))
    force = shape * size
    assert np.sum(body.X[:, 0] * force[:, 1] - body.X[:, 1] * force[:, 0]) == pytest.approx(3.0, rel=1e-13)
    assert np.abs(force.sum(axis=0)).max() < 1e-12
    assert np.flatnonzero(np.any(force, axis=1)).tolist() == body.boundary("inner").tolist()
    rod = load("rod_cycle")
    strip = rod.problem(rod.Parameters(nx=4)).body
    with pytest.raises(ValueError, match="edge 'left' must be closed"):
        TangentialTraction("left", 1.0).nodal_shape(strip, np.ones(len(strip.X)))


@pytest.mark.parametrize("scheme", ["sdirk2", "explicit"])
@pytest.mark.quick("sdirk2")
def test_a_sudden_torque_turns_the_rim_farther_than_a_slow_one_and_friction_stops_it_there(scheme):
    params, data, computed = results(nr=12, nt=24, scheme=scheme)
    assert params.torques == (1.3354,)
    assert data.stick.values[-1].all()
    ratio = computed["angle_end"]["value"] / computed["angle_end"]["reference"]["value"]
    assert 1.2 < ratio < 1.6  # 1.41 on fine meshes
    assert np.abs(data.balance_error.values).max() < 1e-11
    lost = data.dissipation_friction.values[-1]
    assert lost > 0.3 * data.work_external.values[-1]
