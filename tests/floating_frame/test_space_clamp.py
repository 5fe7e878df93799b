"""Solids clamped at a face in space: static limit, reaction, a guide that is free along an axis, vibrations, bad input."""

import numpy as np
import pytest
from solid_examples import law, solid

import fem
from floating_frame import (
    Options,
    Ramp,
    SolidForce,
    SolidInitial,
    SolidProblem,
    SpaceClamped,
    assemble,
    modes,
    simulate,
)


def bar(counts=(4, 1, 1), nu=0.3):
    return solid("Q1", law("neo-hookean", nu=nu, young=1e6), (0.4, 0.1, 0.1), counts)


def run_of(body, clamp, load, dt, steps, **more):
    problem = SolidProblem(body=body, t_end=dt * steps, frame=clamp, loads=(load,), **({"gravity": 0.0} | more))
    return simulate(assemble(problem, Options(dt=dt, scheme="backward-euler")))


def test_long_steps_of_backward_euler_end_in_the_static_bending_and_its_reaction():
    body, force = bar(), np.array([0.0, 3.0, -20.0])
    run = run_of(
        body, SpaceClamped("left"), SolidForce(force=force, on="right", history=Ramp(1.0)), 0.5, 40, gravity=2.0
    )
    held = np.zeros(body.X.shape, bool)
    held[body.boundary("left")] = True
    weight = np.outer(np.asarray(body.mass_matrix.sum(axis=1)).ravel(), [0.0, 0.0, -2.0])
    static = fem.equilibrium(body, weight + np.outer(body.edge_shape("right"), force), held)
    assert np.abs(static.displacement).max() > 0.01
    np.testing.assert_allclose(run.displacement.values[-1], static.displacement, rtol=0, atol=1e-7)
    np.testing.assert_allclose(run.clamp_reaction.values[-1], static.reactions.sum(axis=0), rtol=0, atol=1e-4)
    assert np.all(run.velocity.values[:, body.boundary("left")] == 0.0)
    assert (
        run.rigid_residual.values[:5].max() < 1e-7
    )  # later its terms are next to nothing beside the loads that cancel
    assert np.abs(run.balance_error.values).max() < 1e-8 * float(run.work_external[-1])


def test_a_guide_that_is_free_along_x_moves_as_newton_says_and_carries_the_rest():
    body, force = bar(), np.array([5.0, 4.0, 0.0])
    run = run_of(body, SpaceClamped("left", free=("x",)), SolidForce(force=force, on="right"), 2e-3, 30)
    momentum, reaction = run.linear_momentum.values, run.clamp_reaction.values
    np.testing.assert_allclose(momentum[-1, 0], 5.0 * 0.06, rtol=1e-9)
    assert np.abs(reaction[:, 0]).max() < 1e-7
    np.testing.assert_allclose(np.diff(momentum[:, 1]) / 2e-3, 4.0 + reaction[1:, 1], rtol=0, atol=1e-7)
    face = run.position.values[:, body.boundary("left")]
    assert float(run.frame_position[-1, 0] - run.frame_position[0, 0]) > 1e-3
    assert np.ptp(face[-1] - face[0], axis=0).max() < 1e-15
    np.testing.assert_array_equal(run.frame_rotation.values, np.tile([1.0, 0, 0, 0], (31, 1)))
    assert np.abs(run.displacement.values[:, body.boundary("left")]).max() < 1e-15
    assert np.abs(run.balance_error.values).max() < 1e-9 * float(run.work_external[-1])


def test_natural_modes_of_a_cantilever_are_euler_and_bernoullis():
    body = solid("Q1", law(nu=0.0), (1.0, 0.05, 0.05), (16, 1, 1))
    model = assemble(SolidProblem(body=body, t_end=1.0, frame=SpaceClamped("left")), Options(dt=1e-2))
    exact = 1.875104**2 * np.sqrt(2e6 / 1200.0) * 0.05 / np.sqrt(12) / (2 * np.pi)
    found = modes(model, 4)
    assert float(found.frequency[0]) == pytest.approx(exact, rel=5e-3)
    assert np.abs(found["shape"].values[:, body.boundary("left")]).max() == 0.0
    guided = assemble(SolidProblem(body=body, t_end=1.0, frame=SpaceClamped("left", free=("z",))), Options(dt=1e-2))
    assert modes(guided, 2).attrs["rigid_modes"] == 1


def test_a_clamped_bar_falls_on_the_ground_with_its_free_end():
    body = bar(counts=(3, 1, 1))
    start = SolidInitial(position=(0.0, 0.0, 0.055))
    problem = SolidProblem(
        body=body, t_end=0.1, gravity=100.0, frame=SpaceClamped("left"), contact="bottom", mu=0.3, initial=start
    )
    run = simulate(assemble(problem, Options(dt=2e-3)))
    assert run.normal_force.values[-1].max() > 0.0
    assert run.position.values[..., 2].min() > -1e-14


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"frame": SpaceClamped("left"), "contact": "left"}, "the face 'left' is clamped"),
        ({"frame": SpaceClamped("end")}, "face must be one of boundary, left"),
        ({"frame": SpaceClamped("left"), "initial": SolidInitial(velocity=(1.0, 0.0, 0.0))}, "must begin without spin"),
        (
            {"frame": SpaceClamped("left"), "initial": SolidInitial(spin_space=(0.0, 1.0, 0.0))},
            "must begin without spin",
        ),
    ],
)
def test_what_a_clamp_cannot_do_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        SolidProblem(**({"body": bar(), "t_end": 1.0} | change))
    with pytest.raises(ValueError, match="with all of them in rotation; got 'angle'"):
        SpaceClamped("left", free=("angle",))
    with pytest.raises(ValueError, match="free must be a tuple of texts"):
        SpaceClamped("left", free="xz")
