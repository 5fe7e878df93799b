"""Regularised friction under a rigid body: it creeps, and it obeys the rigid equations as an ODE solver does."""

from functools import lru_cache

import numpy as np
import problems
import pytest
from block_exact import FRICTION, run_block
from convergence import observed_orders
from scipy.integrate import solve_ivp
from sliding_plates import plate

from floating_frame import BodyForce, EdgeLoad, Function, InitialState, RigidBody
from friction import Foundation, Smooth

PUSH = 4.0
T_END, V_REG, FORCE, VELOCITY, SPIN = 0.6, 0.02, (4.0, 3.0), (1.0, 0.3), 5.0


@pytest.mark.parametrize("v_reg", [1e-2, 1e-3, 1e-5])
@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta"])
@pytest.mark.quick("sdirk2-1e-05", "backward-euler-0.01", "moreau-theta-0.001")
def test_under_the_smooth_law_a_pushed_block_creeps_at_the_root_of_that_law(v_reg, scheme, verification):
    """F v/√(v² + v_reg²) = P: v = v_reg P/√(F² − P²)."""
    run = run_block(1e-2, scheme, law=Smooth(v_reg), loads=(BodyForce((PUSH, 0.0)),), t_end=1.0)
    root = v_reg * PUSH / np.sqrt(FRICTION**2 - PUSH**2)
    claim = f"Block under smooth friction, v_reg = {v_reg:g} m/s, {scheme}: creeping speed"
    how = {"source": "v_reg P/√(F² − P²)", "tolerance": 1e-9, "unit": "m/s", "relative": True}
    verification(claim, float(run.frame_velocity[-1, 0]), root, **how)
    assert 0.9 * root < float(run.frame_position[-1, 0]) < root
    assert int(run.stick[1:].sum()) == 0


def turn(X: np.ndarray, angle: float) -> np.ndarray:
    """Places (..., 2) turned by an angle about the origin."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * X[..., 0] - s * X[..., 1], s * X[..., 0] + c * X[..., 1]], -1)


@lru_cache
def reference() -> np.ndarray:
    """(x, y, α, and their rates) at the end by SciPy, the equations written out afresh."""
    body = plate("Q1", 4)
    shape = body.edge_shape("right")
    inertia = float(np.sum((body.mass_matrix @ body.X) * body.X))
    near = np.array([-1.0, 1.0]) / np.sqrt(12.0)  # two Gauss points in each of 8 x 4 cells, all of equal weight
    x, y = ((np.arange(n)[:, None] + 0.5 + near).ravel() * 0.05 - 0.025 * n for n in (8, 4))
    X, area = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2), 0.05**2 / 4.0

    def rate(t, y):
        arm = turn(X, y[2])
        v = y[3:5] + y[5] * np.stack([-arm[:, 1], arm[:, 0]], 1)
        friction = -0.5 * 98.1 * (area / np.sqrt((v**2).sum(axis=1) + V_REG**2))[:, None] * v
        pull, lever = np.sin(3.0 * t) * np.array(FORCE), turn(shape @ body.X, y[2])
        moment = (arm[:, 0] * friction[:, 1] - arm[:, 1] * friction[:, 0]).sum()
        moment += lever[0] * pull[1] - lever[1] * pull[0]
        return [*y[3:], *((friction.sum(axis=0) + pull) / body.mass), moment / inertia]

    return solve_ivp(rate, (0, T_END), [0, 0, 0, *VELOCITY, SPIN], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


def end_error(scheme: str, steps: int) -> np.ndarray:
    ground, load = Foundation(Smooth(V_REG), 0.5, 98.1), EdgeLoad("right", FORCE, Function(lambda t: np.sin(3.0 * t)))
    given = {"foundation": ground, "loads": (load,), "initial": InitialState(velocity=VELOCITY, spin=SPIN)}
    body = RigidBody.from_plate(plate("Q1", 4))
    run = problems.run(body, T_END, T_END / steps, scheme, output_every=10**9, **given)
    end = [*run.frame_position.values[-1], float(run.frame_angle[-1]), *run.frame_velocity.values[-1]]
    return np.abs(np.array([*end, float(run.frame_spin[-1])]) - reference())


def test_a_rigid_plate_under_smooth_friction_by_runge_kutta_equals_the_ode_solution_at_its_tolerance():
    """Two methods of order five and eight, of two authors: the reference of the other schemes' orders holds, too."""
    assert reference()[2] > 0.5
    assert np.hypot(*reference()[:2]) > 0.3
    assert end_error("radau", 10).max() < 1e-7
    assert end_error("sdirk2", 10).max() > 1e-4  # with as few outputs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "order", "position", "rate"),
    [("sdirk2", 2, 3.3e-6, 1.0e-4), ("backward-euler", 1, 2.8e-3, 1.0e-2), ("moreau-theta", 1, 1.2e-3, 1.8e-2)],
)
def test_a_rigid_plate_under_smooth_friction_tends_to_the_ode_solution_at_the_order_of_its_scheme(
    scheme, order, position, rate, verification
):
    errors = np.array([end_error(scheme, n) for n in (40, 80, 160)])
    worst = np.stack([errors[:, :3].max(axis=1), errors[:, 3:].max(axis=1)], 1)
    claim = f"Rigid plate under smooth friction, {scheme}: order of its end state in the step"
    source = "order of the scheme; errors against an ODE solver of order 8, tolerance 1e-12"
    verification(claim, observed_orders(worst), order, source=source, tolerance=0.12)
    np.testing.assert_allclose(worst[-1], [position, rate], rtol=0.25)
