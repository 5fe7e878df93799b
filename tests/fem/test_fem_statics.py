"""Static equilibrium: patch test, the elastica, quadratic convergence, and failures by name."""

import fem_examples
import numpy as np
import pytest
from fem_examples import ELEMENT_NAMES, LAWS, THICKNESS, E, affine, distorted, held_at, law, plate, rotation, shape_of
from scipy.integrate import solve_bvp

import fem

PATCHES = [(element, *pair, 0.3, 0.0) for element in ELEMENT_NAMES for pair in LAWS]
PATCHES += [("Q1", *pair, nu, angle) for pair in LAWS for nu in (0.3, 0.4999) for angle in (0.0, 2.0)]
PATCHES = [one for one in dict.fromkeys(PATCHES) if one[1] != "small-strain" or one[4] == 0.0]


@pytest.mark.parametrize(("element", "name", "plane", "nu", "angle"), PATCHES)
def test_a_patch_of_distorted_cells_takes_a_constant_strain_exactly_at_any_rotation(element, name, plane, nu, angle):
    body = plate(element, law(name, plane, nu), distorted(fem_examples.rectangle(element, nx=4, ny=3), 0.3))
    F = rotation(angle) @ np.array([[1.15, 0.2], [-0.1, 1.1]])
    H, held = F - np.eye(2), held_at(body, "boundary")
    wanted = affine(body, H)
    start = wanted + ~held * 1e-5 * np.random.default_rng(3).standard_normal(wanted.shape)
    assert np.abs(body.internal_force(start)[~held]).max() > 0.05
    computed = fem.equilibrium(body, np.zeros_like(wanted), held, prescribed=wanted, start=start)
    assert max(computed.iterations) >= 1
    np.testing.assert_allclose(computed.displacement, wanted, rtol=0, atol=1e-10)
    P = body.material.response(H).stress
    S = P if name == "small-strain" else np.linalg.solve(F, P)
    expected = np.broadcast_to([S[0, 0], S[1, 1], S[0, 1]], (len(body.cells), 3))
    assert np.abs(S).max() > 0.05 * E
    np.testing.assert_allclose(body.stress(computed.displacement), expected, rtol=0, atol=1e-8 * np.abs(S).max())
    C = P if name == "small-strain" else P @ F.T / (np.linalg.det(F) * body.material.thickness_stretch(H))
    expected = np.broadcast_to([C[0, 0], C[1, 1], C[0, 1]], (len(body.cells), 3))
    np.testing.assert_allclose(body.cauchy_stress(computed.displacement), expected, rtol=0, atol=1e-8 * np.abs(C).max())
    # Σ f_i ⊗ X_i over the edge is ∫ P N ⊗ X ds = P × area.
    moment = computed.reactions.T @ body.X
    np.testing.assert_allclose(moment, P * body.area * THICKNESS, rtol=0, atol=1e-9 * np.abs(P).max())
    if element == "Q1":
        assert body.hourglass_energy(wanted) < 1e-25 * body.strain_energy(wanted)


def elastica(load):
    """Tip of the inextensible cantilever of length 1 under the dead end load P L²/EI = load across it."""
    s = np.linspace(0, 1, 41)
    guess = np.vstack([0.5 * load * (s - s**2 / 2), 0.5 * load * (1 - s), s, 0 * s])
    rates = lambda s, y: np.array([y[1], -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])])  # noqa: E731
    ends = lambda a, b: np.array([a[0], b[1], a[2], a[3]])  # noqa: E731
    computed = solve_bvp(rates, ends, s, guess, tol=1e-9, max_nodes=20000)
    assert computed.success
    return computed.y[2:, -1]


def cantilever_tip(element, slenderness, load, cells):
    """Tip of a plate of length 1 and width 1/slenderness, clamped at its left edge."""
    width = 1 / slenderness
    mesh = fem.rectangle(1.0, width, cells, 2, cell=shape_of(element))
    body = fem.Plate.build(mesh, thickness=1.0, density=1.0, material=fem.StVenantKirchhoff(1.0, 0.0), element=element)
    force = np.outer(body.edge_shape("right"), (0.0, load * width**3 / 12))
    options = fem.NewtonOptions(steps=8, max_iterations=50)
    computed = fem.equilibrium(body, force, held_at(body, "left"), options=options)
    tip = np.argmin(np.linalg.norm(body.X - [0.5, 0.0], axis=1))
    return body.X[tip] + [0.5, 0.0] + computed.displacement[tip]


@pytest.mark.parametrize("element", ["P2", "Q2"])
@pytest.mark.parametrize("load", [1.0, 2.0, 5.0, 10.0])
@pytest.mark.quick("1.0-P2", "2.0-Q2", "5.0-P2", "10.0-P2")
def test_slender_cantilever_bends_into_the_elastica(element, load):
    exact = elastica(load)
    assert exact[1] > 0.3
    thick, slender = (cantilever_tip(element, slenderness, load, cells=64) for slenderness in (25, 50))
    # The plate differs from the elastica by shear, extension and the law's nonlinearity, all of order (width/length)².
    errors = np.abs(thick - exact).max(), np.abs(slender - exact).max()
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert errors[1] < load * 0.02**2
    extrapolated = (4 * slender - thick) / 3
    np.testing.assert_allclose(extrapolated, exact, rtol=0, atol=0.03 * errors[0])


@pytest.mark.parametrize("name", ["st-venant-kirchhoff", "neo-hookean"])
def test_newton_converges_quadratically(name):
    body = plate("P2", law(name))
    load = np.outer(body.edge_shape("right"), (0.05 * E * THICKNESS, 0.01 * E * THICKNESS))
    computed = fem.equilibrium(body, load, held_at(body, "left"), options=fem.NewtonOptions(tolerance=1e-13))
    assert np.abs(computed.displacement).max() > 0.15
    history = np.array(computed.residuals[0]) / np.abs(load).max()
    tail = history[(history < 0.3) & (history > 1e-11)]
    assert len(tail) >= 3
    orders = np.log(tail[1:]) / np.log(tail[:-1])
    assert orders[-1] > 1.7
    assert (tail[1:] < 30 * tail[:-1] ** 2).all()
    # A linear rate would need more than ten times as many.
    assert computed.iterations[0] <= 9


def test_small_strain_is_solved_in_one_step():
    body = plate("Q1", law("small-strain"))
    computed = fem.equilibrium(body, np.outer(body.edge_shape("right"), (1e3, 1e3)), held_at(body, "left"))
    assert np.abs(computed.displacement).max() > 0
    assert computed.iterations == (1,)


@pytest.mark.parametrize("element", ELEMENT_NAMES)
def test_reactions_balance_the_dead_load_in_force_and_in_moment_about_the_deformed_points(element):
    body = plate(element, law("neo-hookean"))
    load = np.outer(body.edge_shape("right"), (0.01 * E * THICKNESS, 0.01 * E * THICKNESS))
    load += np.outer(body.mass_matrix.sum(axis=1).A1, (0.0, 10.0))  # acts on the held nodes too
    computed = fem.equilibrium(body, load, held_at(body, "left"), options=fem.NewtonOptions(steps=2))
    forces, x = load + computed.reactions, body.X + computed.displacement
    assert np.abs(computed.displacement).max() > 0.1
    assert np.abs(forces.sum(axis=0)).max() < 1e-8 * np.abs(load.sum(axis=0)).max()
    moment = x[:, 0] * forces[:, 1] - x[:, 1] * forces[:, 0]
    assert abs(moment.sum()) < 1e-8 * np.abs(moment).sum()
    assert computed.fraction == 1
    assert computed.converged
    np.testing.assert_array_equal(computed.reactions[~held_at(body, "left")], 0)


def test_the_answer_does_not_depend_on_load_steps_or_on_a_factor_used_before():
    body = plate("Q2", law("st-venant-kirchhoff"))
    load, held = np.outer(body.edge_shape("right"), (0.0, 0.01 * E * THICKNESS)), held_at(body, "left")
    solver = fem.factor(body.indptr, body.indices)
    options = [fem.NewtonOptions(steps=steps) for steps in (1, 3)]
    answers = [fem.equilibrium(body, load, held, options=option, solver=solver).displacement for option in options]
    assert solver.analyses == 1
    assert np.abs(answers[0]).max() > 0.1
    np.testing.assert_allclose(*answers, rtol=0, atol=1e-9)


def failure(body, load, held, **more):
    with pytest.raises(fem.NewtonError) as caught:
        fem.equilibrium(body, load, held, **more)
    error = caught.value
    assert error.reason in str(error)
    assert error.advice in str(error)
    assert "\n" not in str(error)
    assert not error.result.converged
    return error


def test_an_inverted_equilibrium_is_refused_and_its_cell_named():
    body = plate("P1", law("st-venant-kirchhoff"))
    mirrored = affine(body, np.diag([-2.0, 0.0]))
    none = np.zeros_like(mirrored)
    # Its own mirror image has no Green strain: St. Venant-Kirchhoff is content with it.
    assert np.abs(body.internal_force(mirrored)).max() < 1e-9
    error = failure(body, none, held_at(body, "boundary"), start=mirrored, prescribed=mirrored)
    assert error.reason == "inverted element"
    assert 0 <= error.cell < len(body.cells)
    assert f"in cell {error.cell} at X = (" in str(error)
    hooke = plate("P1", law("neo-hookean"))
    assert failure(hooke, none, held_at(hooke, "boundary"), start=mirrored).reason == "inverted element"


def test_every_other_failure_has_its_name():
    body = plate("Q1", law("st-venant-kirchhoff"))
    load, held = np.outer(body.edge_shape("right"), (0.0, 0.01 * E * THICKNESS)), held_at(body, "left")
    error = failure(body, load, held, options=fem.NewtonOptions(max_iterations=2))
    assert error.reason == "out of iterations"
    assert error.result.iterations == (2,)
    assert error.cell == -1
    endless = fem.NewtonOptions(tolerance=0.0, rounding=0.0, max_iterations=1000)
    error = failure(body, load, held, options=endless)
    assert error.reason == "stagnated"
    assert min(error.result.residuals[0]) < 1e-9 * np.abs(load).max()
    # Half its length under compression, the law has lost its stability (below the stretch 1/√3).
    crushed = affine(body, np.diag([-0.55, 0.0]))
    error = failure(body, load, held_at(body, "left", "right"), start=crushed, prescribed=crushed)
    assert error.reason == "indefinite"
    auxetic = plate("Q1", law("neo-hookean", "stress", nu=-0.5))
    crushed = affine(auxetic, np.diag([-0.9, -0.9]))
    assert auxetic.smallest_jacobian(crushed)[0] > 0
    error = failure(auxetic, 0 * load, held_at(auxetic, "boundary"), start=crushed, prescribed=crushed)
    assert error.reason == "non-finite"


def test_bad_arrays_and_options_are_refused():
    body = plate("P1", law("small-strain"))
    good, held = np.zeros_like(body.X), held_at(body, "left")
    for load, fixed, word in ((good * np.nan, held, "load"), (good, held[:, 0], "fixed")):
        with pytest.raises(ValueError, match=f"{word} must be finite with shape"):
            fem.equilibrium(body, load, fixed)
    for name, value in (("tolerance", -1.0), ("max_iterations", 0), ("steps", 0), ("rounding", np.nan)):
        with pytest.raises(ValueError, match=f"{name} must be"):
            fem.NewtonOptions(**{name: value})
