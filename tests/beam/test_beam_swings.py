"""Dynamic beams between supports or translating: exact half swings and arrest, orders, stick, ledger."""

import numpy as np
import pytest
from beam_examples import beam, ground
from case_models import computed
from convergence import observed_orders
from pydantic import ValidationError
from rows import rows

from cases import beam_bending
from cases.app.parts.parameters import explain
from cases.references.beams import swings as beam_swings
from floating_frame import BeamProblem, LateralLoad, Options, assemble
from floating_frame.effect.protocol import Motion

HALF = beam_swings.half_swing(beam_bending.Parameters())
EXACT = beam_swings.swings(beam_bending.Parameters())


def swing(ne, n, **given):
    """E of the middle at the ends of the half swings, each made of n steps."""
    params, data = computed(beam_bending, **{"ne": ne, "dt": HALF / n, "t_end": 4 * HALF, **given})
    return params, data, beam_swings.equivalent_load(params, beam_swings.middle(data))[::n]


def test_the_closed_form_of_the_swings_is_what_its_modes_add_up_to():
    """w = Σ a_n (1 − cos n² ω₁ t) sin over odd n: at π/ω₁ twice the static shape, at rest; and no point turns back before."""
    t = np.linspace(0.0, 1.0, 101)[1:-1]
    x = np.linspace(0.0, 1.0, 41)[1:-1]
    n = np.arange(1, 400, 2)[:, None, None]
    rate = np.sum(np.sin(n**2 * np.pi * t[None, :, None]) * np.sin(n * np.pi * x) / n**3, axis=0)
    assert rate.min() > 0.0
    assert pytest.approx([0.0, 20.076, 7.848, 12.228]) == EXACT
    p, q = 12.0, 1.962
    assert [abs(p - E) <= q for E in EXACT] == [False, False, False, True]


def test_every_half_swing_ends_at_a_multiple_of_the_static_shape_and_the_beam_stays_where_friction_can_hold_it(
    verification,
):
    _, data, E = swing(40, 100)
    verification(
        "Beam that swings under a lateral load: equivalent loads at the ends of its half swings",
        E[1:4],
        EXACT[1:],
        source="E → 2 (p ∓ q) − E, exact for every mode",
        least=1e-6,
        tolerance=0.01,
        unit="N/m",
    )
    x, w = data.X.values[:, 0] + 0.5, data.displacement.values[..., 1]
    shape = x * (1 - 2 * x**2 + x**3) * 16 / 5
    for j in (1, 2, 3):
        np.testing.assert_allclose(w[100 * j], w[100 * j].max() * shape, atol=2e-3 * np.abs(w).max())
    assert beam_swings.arrest(data) == pytest.approx(3 * HALF, abs=2 * HALF / 100)
    assert np.all(data.stick.values[-50:] == 1)
    assert np.all(data.velocity.values[-50:] == 0.0)
    assert np.all(w[-50:] == w[-1])
    times, _ = beam_swings.turning_points(data)
    np.testing.assert_allclose(times[:3] / HALF, [1, 2, 3], atol=0.01)
    assert np.abs(data.balance_error.values).max() < 1e-10 * data.work_external.values.max()
    assert data.rigid_residual.values.max() < 1e-7


@pytest.mark.slow
def test_the_swings_converge_with_order_two_in_the_element_length(verification):
    """The trapezoidal weights of friction are off by h²/12 times the slopes at the supports."""
    errors = np.array([np.abs(swing(ne, 200)[2][1:4] - EXACT[1:]) for ne in (10, 20, 40)])
    assert np.all(errors[0] > 0.02)
    assert np.all(errors[-1] < 0.01)
    computed = np.array([observed_orders(column) for column in errors.T])
    claim = "Beam that swings under a lateral load: order of its swings in the element length"
    verification(claim, computed, 2.0, source="trapezoidal weights of friction", tolerance=0.4)


@pytest.mark.parametrize(
    ("scheme", "n", "largest"), [("sdirk2", 50, 0.04), ("moreau-theta", 50, 0.08), ("backward-euler", 200, 0.6)]
)
@pytest.mark.quick("sdirk2-50-0.04", "moreau-theta-50-0.08")
def test_every_scheme_finds_the_swings_backward_euler_with_its_damping(scheme, n, largest):
    _, data, E = swing(20, n, scheme=scheme)
    errors = np.abs(E[1:4] - EXACT[1:])
    assert errors.max() < largest
    assert errors.max() > largest / 10
    if scheme == "backward-euler":
        twice = np.abs(swing(20, 2 * n, scheme=scheme)[2][1:4] - EXACT[1:])
        assert np.all((errors / twice > 1.7) & (errors / twice < 2.3))
        assert data.dissipation_numerical[-1] > 0.02 * data.dissipation_friction[-1]


def test_without_friction_the_beam_swings_between_zero_and_twice_the_static_shape():
    _, data, E = swing(20, 50, mu=0.0)
    np.testing.assert_allclose(E, [0, 24, 0, 24, 0], atol=0.06)  # of second order in steps
    assert np.all(data.friction_force.values == 0.0)


def test_a_load_below_the_friction_moves_nothing_at_all():
    params, data = computed(beam_bending, load=0.7 * 1.962, ne=10, dt=1e-2, t_end=0.1)
    assert beam_swings.swings(params) == [0.0]
    for name in ("velocity", "displacement", "slip_path"):
        assert np.all(data[name].values == 0.0), name
    assert np.all(data.stick.values == 1)
    carried = data.friction_force.values[-1, 1:-1, 1] / data.friction_weight.values[1:-1]
    assert np.all(np.abs(carried) <= 1)
    assert carried.mean() == pytest.approx(-0.7, abs=0.05)


def test_close_below_the_friction_the_node_beside_a_support_settles_by_an_amount_of_fourth_order_in_the_mesh():
    """It carries 9/8 of its share, the supported end turning freely, since friction acts at nodes: it lets go from p = 8 q/9 on."""
    moved = []
    for ne in (10, 20, 40):
        _, data = computed(beam_bending, load=0.98 * 1.962, ne=ne, dt=2e-3, t_end=0.05)
        assert np.all(data.velocity.values[-1] == 0.0)
        moved.append(np.abs(data.displacement.values).max())
    static = 5 * 1.962 / (384 * 13.333)
    assert 1e-5 * static < moved[0] < 1e-3 * static
    assert moved[-1] < 1e-5 * static
    assert np.all((observed_orders(moved) > 3.0) & (observed_orders(moved) < 5.0)), moved


def test_a_translating_beam_keeps_its_frame_straight_and_moves_as_its_forces_say():
    _, data = computed(beam_bending, motion="translation", profile="sine", ne=16, dt=1e-3, t_end=0.1)
    assert np.all(data.frame_angle.values == 0.0)
    pull = data.friction_force.values[:, :, 1].sum(axis=1)
    total = 12.0 * 2 / np.pi
    mass = 0.4
    momentum = data.linear_momentum.values[:, 1]
    assert momentum[-1] == pytest.approx(mass * float(data.frame_velocity[-1, 1]), rel=1e-12)
    assert momentum[-1] == pytest.approx(0.1 * total + np.trapezoid(pull, data.time.values), rel=2e-2)
    assert np.abs(data.A.values).max() < 1e-15
    assert np.abs(data.displacement.values).max() > 1e-4
    assert data.rigid_residual.values.max() < 1e-8


def test_a_beam_whose_moments_cancel_by_symmetry_has_no_residual_of_rounding_over_rounding():
    """Without friction nothing else sets the size of moments: their sums are some 1e-15 of their parts."""
    _, data = computed(beam_bending, ne=8, mu=0.0, dt=2e-3, t_end=0.03, load=20.0)
    assert float(np.abs(data.velocity).max()) > 1e-3
    assert float(np.abs(data.L).max()) < 1e-9
    assert float(data.rigid_residual.max()) < 1e-7


COURSES = {
    "step": lambda t: 1.0 + 0.0 * t,
    "half-sine": lambda t: np.where(t < 0.006, np.sin(np.pi * t / 0.006), 0.0),
    "pulse": lambda t: 1.0 * (t < 0.006),
}


@pytest.mark.parametrize(
    ("history", "support"), [("step", "simply-supported"), ("half-sine", "cantilever"), ("pulse", "cantilever")]
)
def test_reactions_of_a_beam_carry_what_load_friction_and_inertia_leave(history, support):
    """In the mean of a step, by the change of momentum, which is stored apart."""
    given = {"support": support, "history": history, "duration": 0.006, "ne": 8, "load": 20.0, "scheme": "moreau-theta"}
    params, data = computed(beam_bending, dt=5e-4, t_end=0.02, **given)
    reaction, friction = data.clamp_reaction.values[1:, 1], data.friction_force.values[1:, :, 1].sum(axis=1)
    edges, course = data.time.values, COURSES[history]
    load = 20.0 * params.length * 0.5 * (course(edges[1:] - 1e-9) + course(edges[:-1] + 1e-9))
    change = np.diff(data.linear_momentum.values[:, 1]) / 5e-4
    assert np.abs(reaction).max() > 1.0
    np.testing.assert_allclose(change, load + friction + reaction, atol=1e-6 * np.abs(reaction).max())


def test_accelerations_at_an_instant_balance_load_bending_and_the_friction_of_what_moves_and_what_rests():
    problem = BeamProblem(beam(8), 0.1, ground(), (LateralLoad(12.0),), support="cantilever")
    model = assemble(problem, Options(1e-3))
    rng = np.random.default_rng(8)
    n = len(model.free)
    d, v = 1e-3 * rng.normal(size=n), rng.normal(size=n) * (rng.random(n) < 0.5)
    held = np.zeros(len(model.supported))
    computed = model.system.consistent(0.05, Motion((d, held), (v, held), (d, held)), [None, None])
    a, lam = computed.motion.acceleration[0], computed.friction.multiplier[:, 0]
    w = model.on_unknowns(model.system.friction.bound(0.05))
    balance = model.mass @ a + model.stiffness @ d + lam - model.scaled_load(0.05)[model.free]
    assert np.abs(balance).max() < 1e-9 * np.abs(model.stiffness @ d).max()
    moving = (v != 0) & (w > 0)
    assert moving.any()
    np.testing.assert_allclose(lam[moving], (w * np.sign(v))[moving], rtol=1e-14)
    assert np.all(np.abs(lam) <= w * (1 + 1e-12))
    starts = (v == 0) & (w > 0) & (a != 0)
    np.testing.assert_allclose(lam[starts], (w * np.sign(a))[starts], rtol=1e-12)


@rows(
    ("given", "message"),
    [
        ({"profile": "tip"}, "profile: expected uniform or sine with support simply-supported"),
        ({"profile": "tip", "motion": "translation"}, "profile: expected uniform or sine with motion translation"),
        ({"vx0": 1.0}, "vx0: expected 0 with motion fixed"),
        ({"scheme": "explicit"}, "scheme: expected one of sdirk2"),
        ({"ne": 1}, "ne: expected an integer >= 2"),
        ({"motion": "flying"}, "motion: expected one of free, translation, fixed"),
    ],
)
def test_unfit_parameters_are_refused_in_one_line(given, message):
    with pytest.raises(ValidationError) as caught:
        beam_bending.Parameters(**given)
    text = explain(beam_bending.Parameters, caught.value)
    assert text.startswith(message)
    assert "\n" not in text
