"""The time loop: load jumps are hit exactly, what is stored, and files equal to memory."""

import numpy as np
import pytest
from ff_examples import plate, rough, thrown
from problems import assembled
from single_steps import initial_state, replace_step, step

from floating_frame import BodyForce, EdgeLoad, Function, InitialState, Ramp, Table, load_trajectory, simulate
from floating_frame.output.archive import MANTISSA_BITS, round_mantissa
from floating_frame.output.trajectory import FileSink

JUMP = 0.0134  # inside a step of 1e-3 s, and a multiple of 1e-4
DT, T_END = 1e-3, 0.03


def jumping(history, dt, t_end=T_END, **options):
    given = {"loads": (EdgeLoad("right", (3.0, 5.0), history),), "initial": InitialState((0.5, 0.0))}
    return assembled(plate(), t_end, dt, foundation=rough(0.3), **given, **options)


HISTORIES = {
    "table": Table([0.0, JUMP, JUMP, 1.0], [0.2, 0.2, 1.0, 1.0]),
    "function": Function(lambda t: 0.2 if t <= JUMP else 1.0, (JUMP,)),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_a_step_ends_on_a_load_jump_and_the_motion_equals_one_whose_grid_contains_it(name):
    history, ends = HISTORIES[name], []

    def recorded(sound, *given):
        ends.append((computed := sound(*given))[0].time)
        return computed

    with pytest.MonkeyPatch.context() as patch:
        replace_step(patch, recorded)
        inside = simulate(jumping(history, DT))
    assert JUMP in ends
    assert JUMP not in inside.time.values, "substeps are not stored"
    assert len(inside.time) == round(T_END / DT) + 1
    # The same steps, taken by hand, one by one, on a grid that contains the jump: equal to rounding.
    model = jumping(history, DT)
    state = initial_state(model)
    for end in sorted({*inside.time.values[1:], JUMP}):
        state, _ = step(model, state, end - state.time, end)
    assert np.abs(state.position - inside.position.values[-1]).max() < 1e-15
    # And a run without the jump is another motion.
    other = simulate(jumping(Table([0.0], [0.2]), DT))
    assert np.abs(other.position.values[-1] - inside.position.values[-1]).max() > 1e-4


def test_initial_acceleration_belongs_to_the_right_limit_of_the_loads():
    model = assembled(plate(), 1.0, DT, loads=(BodyForce((2.0, -1.0), Ramp(0.0)),))
    assert np.allclose(initial_state(model).acceleration, [2.0, -1.0], rtol=0, atol=1e-13)


def test_first_and_last_instants_are_stored_whatever_the_output_interval():
    every = simulate(thrown(dt=DT, t_end=0.0175))
    seventh = simulate(thrown(dt=DT, t_end=0.0175, output_every=7))
    assert every.time.values.tolist() == [k * DT for k in range(18)] + [0.0175]
    assert seventh.time.values.tolist() == [0.0, 7 * DT, 14 * DT, 0.0175]
    assert np.abs(every.displacement.values[-1] - every.displacement.values[0]).max() > 1e-3
    for row, instant in zip((0, 7, 14, 18), range(4), strict=True):
        assert np.array_equal(every.position.values[row], seventh.position.values[instant])
    # Counts and drifts are sums since the last stored instant.
    for name in ("passes", "newton_iterations", "factorisations", "frame_drift"):
        between = every[name].values
        sums = [between[0], between[1:8].sum(), between[8:15].sum(), between[15:].sum()]
        assert np.allclose(seventh[name].values, sums, rtol=1e-13, atol=0), name
    assert every.passes.values[1:].min() >= 2


def test_a_trajectory_file_equals_the_trajectory_in_memory(tmp_path, monkeypatch):
    path = tmp_path / "run.nc"
    monkeypatch.setattr("floating_frame.output.archive._BLOCK_BYTES", 3_000)  # some blocks, the last ones not full
    model = thrown(dt=DT, t_end=0.02, stress=True)
    memory = simulate(model, attributes={"case": "test"})
    with simulate(model, path=path, attributes={"case": "test"}) as written:
        assert written.attrs["complete"] == memory.attrs["complete"] == 1
    with load_trajectory(path) as read:
        origin = {name: read.attrs.pop(name) for name in ("versions", "git_commit")}  # of what stays
        assert all(origin.values())
        assert dict(read.attrs) == dict(memory.attrs)
        assert set(read.variables) == set(memory.variables)
        assert "cauchy_stress" in read.variables
        block = read.displacement.encoding["chunksizes"][0]
        assert 1 < block < read.sizes["time"]
        assert read.sizes["time"] % block
        assert read.displacement.encoding["zlib"]
        for name, variable in memory.variables.items():
            assert read[name].dims == variable.dims, name
            assert read[name].dtype == variable.dtype or name in ("axis", "component"), name
            assert np.array_equal(read[name].values, variable.values), name
            if name not in ("axis", "component"):
                assert read[name].attrs["units"] == variable.attrs["units"]
                assert read[name].attrs["long_name"]
    assert [p.name for p in path.parent.iterdir()] == ["run.nc"], "no partial file stays behind"


def test_nodal_fields_of_long_runs_are_rounded_and_say_so_and_nothing_else_is(tmp_path, monkeypatch):
    path, model = tmp_path / "run.nc", thrown(dt=DT, t_end=0.02)
    memory = simulate(model)
    monkeypatch.setattr("floating_frame.output.archive.ROUNDED_FROM", 0)
    with simulate(model, path=path) as read:
        for name, variable in memory.data_vars.items():
            bits, exact, stored = MANTISSA_BITS.get(name), variable.values, read[name].values
            how = ", towards zero" if name == "friction_force" else ""
            assert read[name].attrs.get("rounding") == (bits and f"to {bits} bits of the mantissa{how}"), name
            if bits is None:
                assert np.array_equal(stored, exact), name
                continue
            assert not np.array_equal(stored, exact), name
            assert np.all(np.abs(stored - exact) <= (2.0 if how else 1.0) * 2.0 ** -(bits + 1) * np.abs(exact)), name
            assert np.array_equal(round_mantissa(stored, bits), stored), "a resumed run rounds again what it finds"
        assert np.all(np.abs(read.friction_force) <= np.abs(memory.friction_force)), "no bound is passed"
    monkeypatch.undo()
    with FileSink(model, {}, 0.0, path, resumed=2).close(False, {}) as shorter:
        assert "rounding" in shorter.velocity.attrs, "what is taken over was rounded"
    edges = np.array([0.0, -0.0, np.inf, np.nan, 1.0, -3.0, 5e-324])
    np.testing.assert_array_equal(round_mantissa(edges, 28), [0.0, -0.0, np.inf, np.nan, 1.0, -3.0, 0.0])
