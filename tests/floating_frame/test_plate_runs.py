"""Runs of a free plate: totals that are limited, effects of time alone, resumed runs with nothing left."""

import numpy as np
import pytest
from ff_twins import Kept

import floating_frame as ff
from fem import MATERIALS, Plate, rectangle
from floating_frame.effect.loads import DeadLoads
from friction import Coulomb, Foundation, Limited

DT, STEPS = 2.5e-3, 12
CELLS = {"P": "triangle", "Q": "quadrilateral"}


def model_of(scheme="sdirk2", material="st-venant-kirchhoff", element="Q1", young=2e5, dt=DT, **more):
    """A plate thrown with spin and pulled, that slides, sticks in part and turns."""
    mesh = rectangle(0.4, 0.2, 4, 2, cell=CELLS[element[0]])
    body = Plate.build(mesh, thickness=0.01, density=1000.0, material=MATERIALS[material](young, 0.3), element=element)
    options = {name: more.pop(name) for name in list(more) if name in ff.Options.__dataclass_fields__}
    still = scheme == "quasi-static"
    given = {
        "foundation": Foundation(Coulomb(), 0.3, 98.1),
        "loads": (
            ff.EdgeLoad("right", (1.5, 0.3) if still else (2.5, 0.6), ff.Ramp(0.03) if still else ff.Ramp(0.01, 0.02)),
        ),
        "initial": ff.InitialState() if still else ff.InitialState((0.02, 0.005), 0.4),
        "t_end": STEPS * dt,
    }
    return ff.assemble(ff.Problem(body, **given | more), ff.Options(dt, scheme, **options))


def test_a_resumed_run_in_memory_may_have_nothing_left_to_store():
    """At its end, or where its first step fails, which is told by name."""
    keeper = Kept()
    whole = ff.simulate(model_of(), keeper=keeper)
    rest = ff.simulate(model_of(), resume=keeper.runs[-1])
    assert rest.sizes["time"] == 0
    assert set(rest.variables) == set(whole.variables)
    crushed = model_of(loads=(ff.EdgeLoad("right", (-1e5, 0.0)),))
    with pytest.raises(ff.StepFailure) as stopped:
        ff.simulate(crushed, resume=keeper.runs[0])
    assert stopped.value.trajectory.sizes["time"] == 0


def test_friction_is_limited_also_where_its_bounds_pass_the_limit_during_the_run():
    """The limit is above Σw at t = 0 and below it at the end; the body slides as a whole, so the total is the limit."""
    limit = 1.2 * 0.3 * 98.1 * 0.08
    growing = Foundation(Limited(Coulomb(), limit), 0.3, pressure=lambda X, t: np.full(len(X), 98.1 * (1.0 + 60.0 * t)))
    run = ff.simulate(model_of(foundation=growing, loads=(), initial=ff.InitialState((0.2, 0.0))))
    assert not run.stick.any()
    total = np.hypot(run.friction_force[..., 0], run.friction_force[..., 1]).sum("node")
    assert float(total[1]) < 0.98 * limit
    assert float(total[-1]) == pytest.approx(limit, rel=1e-9)


class Push:
    """1.5 N along x at an edge, whatever the body does."""

    at = "left"

    def on(self, attached):
        return DeadLoads(lambda time, *, left=True: np.outer(attached.shares, (1.5, 0.0)), attached.points)


def test_an_effect_of_time_alone_pushes_the_body():
    """The momentum of 1.5 N."""
    model = model_of(foundation=None, loads=(), initial=ff.InitialState(), effects=(Push(),))
    assert model.system.effects[-1].constant
    run = ff.simulate(model)
    np.testing.assert_allclose(run.linear_momentum[:, 0], 1.5 * run.time, rtol=0, atol=1e-9 * 1.5 * model.problem.t_end)
