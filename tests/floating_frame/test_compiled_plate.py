"""The compiled step of a free plate is its twin: the same motion, ledger, flags and counts under all schemes, frames, materials."""

import numpy as np
import pytest
from ff_twins import Kept, assert_twins, without_batches

import floating_frame as ff
from fem import MATERIALS, Plate, rectangle
from floating_frame.effect.dead import DeadLoads
from friction import Coulomb, Foundation, Limited, NormalForce, Smooth

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


def compiled_steps(monkeypatch):
    """A list that grows by the number of steps of each compiled call."""
    from floating_frame.system.plate.compiled import CompiledPlateStep

    take, seen = CompiledPlateStep.take, []

    def counted(self, state, ends, stored):
        batch = take(self, state, ends, stored)
        seen.append(0 if batch is None else len(batch.times))
        return batch

    monkeypatch.setattr(CompiledPlateStep, "take", counted)
    return seen


def rounding_of(model):
    """What rounding of places in space, 32 units of it, leaves of all that is made from them."""
    unit, size, mass, force = 32.0 * np.finfo(float).eps, model.radius, model.mass.total, model.stiffness * model.radius
    of_place = {"position": size, "displacement": size, "frame_position": size, "slip_path": size, "A": mass * size} | {
        "frame_drift": 1.0
    }
    of_rate = {
        "velocity": size,
        "frame_velocity": size,
        "frame_spin": 1.0,
        "P": mass * size,
        "linear_momentum": mass * size,
    }
    of_rate |= {"angular_momentum": mass * size**2}
    of_force = {
        "friction_force": 1.0,
        "B": 1.0,
        "L": size,
        "rigid_residual": 1.0 / float(model.system.friction.bound(0.0).sum()),
    }
    of_force |= dict.fromkeys(("stress", "cauchy_stress"), 1.0 / (model.body.thickness * model.extent))
    sizes = (
        of_place | {k: v / model.options.dt for k, v in of_rate.items()} | {k: v * force for k, v in of_force.items()}
    )
    return {name: unit * value for name, value in sizes.items()}


def assert_taken(monkeypatch, least=STEPS - 2, **more):
    """Most steps are compiled, and all is as the single steps leave it."""
    seen, model = compiled_steps(monkeypatch), model_of(**more)
    fast = ff.simulate(model)
    assert sum(seen) >= least
    slow = ff.simulate(without_batches(model))
    assert_twins(fast, slow, rounding_of(model))
    assert [w.name for w in ff.run_warnings(fast)] == [w.name for w in ff.run_warnings(slow)]
    return slow


@pytest.mark.parametrize("scheme", ["sdirk2", "backward-euler", "moreau-theta", "quasi-static"])
def test_every_scheme_is_its_twin(monkeypatch, scheme):
    slow = assert_taken(monkeypatch, scheme=scheme)
    assert slow.stick.any()
    assert not slow.stick.all()


@pytest.mark.parametrize("frame", [ff.MeanAxis(), ff.Tisserand()], ids=lambda frame: frame.name)
@pytest.mark.parametrize("material", MATERIALS)
def test_every_frame_and_material_is_its_twin(monkeypatch, frame, material):
    for scheme, element in (("sdirk2", "Q1"), ("moreau-theta", "P1")):
        assert_taken(monkeypatch, scheme=scheme, element=element, material=material, frame=frame, stress=True)
    assert_taken(monkeypatch, scheme="quasi-static", material=material, frame=frame, stress=True)


@pytest.mark.parametrize("element", ["P2", "Q2"])
def test_every_element_is_its_twin(monkeypatch, element):
    assert_taken(monkeypatch, element=element)


def test_a_belt_a_pressure_and_loads_that_jump_are_their_twins(monkeypatch):
    """Two of the steps end on breaks within; an arrest is guarded, so that nodes are held."""

    def belt(time):
        return (0.1 + 0.2 * time, 0.05) if time <= 0.011 else (-0.1, 0.0)

    def pressure(X, time):
        return 98.1 * (1.0 + X[:, 0]) * (1.0 + 3.0 * time if time <= 0.011 else 0.5)

    ground = Foundation(Coulomb(), 0.3, pressure=pressure, ground_velocity=belt, breaks=(0.011,))
    field = ff.BodyForceField(lambda X, t: 3.0 * np.sin(30.0 * t) + X * 10.0, (0.016,))
    for scheme in ("sdirk2", "moreau-theta"):
        assert_taken(monkeypatch, scheme=scheme, foundation=ground, loads=(field,))


def test_an_arrest_is_guarded_as_by_single_steps(monkeypatch):
    pull, thrown = (ff.EdgeLoad("right", (0.5, 0.2), ff.Ramp(0.01, 0.05)),), ff.InitialState((0.1, 0.05), 1.0)
    soft = {"material": "neo-hookean", "young": 2e4, "dt": 5e-3, "t_end": 0.12}
    slow = assert_taken(monkeypatch, **soft, loads=pull, initial=thrown, least=22)
    assert int((slow.passes > 2).sum()) >= 2, "nodes were held"


def test_a_batch_may_begin_and_be_cut_anywhere(monkeypatch):
    """Bit for bit: a resumed run takes the same steps, in other batches."""
    from floating_frame.system.plate import compiled

    whole = ff.simulate(model_of(output_every=2))
    monkeypatch.setattr(compiled, "LONGEST", 5)
    keeper = Kept()
    assert ff.simulate(model_of(output_every=2), keeper=keeper).identical(whole)
    monkeypatch.undo()
    assert len(keeper.runs) >= 3
    rest = ff.simulate(model_of(output_every=2), resume=keeper.runs[0])
    assert rest.identical(whole.isel(time=slice(keeper.runs[0].rows, None)))


def test_a_resumed_run_in_memory_may_have_nothing_left_to_store(monkeypatch):
    """At its end, or where its first step fails, which is told by name."""
    from floating_frame.system.plate import compiled

    monkeypatch.setattr(compiled, "LONGEST", 5)
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


def test_what_is_not_known_is_left_to_the_single_step():
    wall = ff.Contact(ff.Line((0.4, 0.0), (-1.0, 0.0)), "right", normal=NormalForce(stiffness=2e4))
    assert model_of().integrator.compiled is not None
    for more in (
        {"contacts": (wall,)},
        {"foundation": Foundation(Smooth(0.01), 0.3, 98.1)},
        {"loads": (ff.FollowerTraction("right", -2.0),)},
        {"frame": ff.Clamped("left", ("x",)), "initial": ff.InitialState()},
        {"thermal_strain": lambda X, t: 0.0 * X[:, 0]},
        {"scheme": "explicit"},
    ):
        assert model_of(**more).integrator.compiled is None
