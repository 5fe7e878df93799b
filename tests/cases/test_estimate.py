"""The estimated error of a run's steps, and of its mesh: what it says of motions that are known, and where there is none."""

import case_models
import numpy as np
import pytest
import xarray as xr
from case_runs import stored, summary_of

from cases import block_on_table, free_top, inclined_plane, rod_cycle, sphere_on_plane
from cases.app.command.cli import main
from floating_frame import StepFailure, run_warnings, simulate
from floating_frame.output.archive import round_mantissa
from floating_frame.verdict.step_error import SAFETY, Companion, motion_errors

pytestmark = pytest.mark.usefixtures("no_picture")

BLOCK = {"nx": 1, "ny": 1, "t_end": 3.0}


def model_of(case, **given):
    return case_models.model_of(case, **given)[1]


def ran(out, line):
    """Exit status, headline numbers and trajectory of a run."""
    status = main(["run", *line.split(), f"--out={out}", "--quiet"])
    return status, summary_of(out)["results"], stored(out)


@pytest.mark.parametrize(("scheme", "ratio"), [("backward-euler", 1.0), ("moreau-theta", 3.0)])
def test_a_smooth_motions_error_is_the_estimate_over_that_of_its_order(scheme, ratio, tmp_path):
    """E(2h) − E(h) is E(h) in the first order and 3 E(h) in the second, but for the next term, smaller by h ω; times the factor
    of safety."""
    dt = {"backward-euler": 2e-4, "moreau-theta": 1e-2}[scheme]
    _, headlines, _ = ran(tmp_path, f"free_top --spin1=0.3 --t_end=4 --scheme={scheme} --dt={dt}")
    for name in ("spin1_end", "spin3_end"):
        error = abs(headlines[name]["value"] - headlines[name]["exact"])
        assert error > 1e-7
        assert headlines[name]["error"] / error == pytest.approx(SAFETY * ratio, rel=0.15)


def test_a_stick_slip_motions_error_is_within_the_estimate(tmp_path):
    """Potra's block at three steps: the largest error of the position at any time is at most what is told."""
    for k, dt in enumerate((0.04, 0.02, 0.01)):
        status, headlines, data = ran(tmp_path / str(k), f"block_on_table --nx=1 --ny=1 --t_end=6 --dt={dt}")
        size = np.abs(data.X.values).max()
        assert status == 0
        assert 1e-7 < headlines["x_error_max"]["value"] < 1.5 * float(data.estimated_error) * size
        assert abs(headlines["x_end"]["value"] - headlines["x_end"]["exact"]) < 1.5 * headlines["x_end"]["error"] + 1e-9


def test_instants_are_known_to_a_stored_step_and_checks_have_no_error(tmp_path):
    _, headlines, data = ran(tmp_path, "sphere_on_plane --dt=1e-3 --output_every=4")
    assert headlines["t_roll"]["error"] >= 4e-3 * (1.0 - 1e-12)
    assert abs(headlines["t_roll"]["value"] - headlines["t_roll"]["exact"]) <= 4e-3
    assert 0.0 < headlines["x_end"]["error"] < 1e-3
    assert "error" not in headlines["path_error"]
    assert all("kind" not in entry for entry in headlines.values())
    assert data.attrs["error_estimate"] == "companion run with dt = 0.002 s"


def test_a_rough_step_warns_and_a_fine_one_does_not(tmp_path, capsys):
    rough = "block_on_table --nx=1 --ny=1 --t_end=6 --strict"
    assert main(["run", *rough.split(), "--dt=0.3", f"--out={tmp_path / 'a'}", "--quiet"]) == 3
    assert "estimated error" in capsys.readouterr().err
    values = {w["name"]: w["value"] for w in summary_of(tmp_path / "a")["warnings"]}
    assert values["step-error"] > 0.05
    _, _, data = ran(tmp_path / "b", f"{rough} --dt=0.3 --no-estimate --force")
    assert "step-error" not in data.warnings
    assert "estimated_error" not in data.attrs
    status, headlines, data = ran(tmp_path / "c", f"{rough} --dt=0.01")
    assert (status, data.warnings, "error" in headlines["x_end"]) == (0, "[]", True)


@pytest.mark.parametrize("scheme", ["sdirk2", "moreau-theta"])
def test_steps_over_the_fall_of_friction_warn_as_long_ones_err_alike(scheme):
    """Ten steps down a slope, which gain up to 14 mm/s each, pass the fall of friction between 10 and 20 mm/s."""
    slope = {
        "law": "sliding",
        "angle": 25.0,
        "mu": 0.3,
        "mu_s": 0.46,
        "v_s": 0.01,
        "v_d": 0.02,
        "scheme": scheme,
        "nx": 1,
        "ny": 1,
    }
    coarse, fine = (simulate(model_of(inclined_plane, **slope, t_end=0.1, dt=dt), estimate=True) for dt in (1e-2, 1e-4))
    ends = [float(np.linalg.norm(data.frame_position.values[-1])) for data in (coarse, fine)]
    assert abs(ends[0] / ends[1] - 1.0) > 0.01
    fall, own = (
        next((w.value for w in run_warnings(data) if "pass over the fall" in w.line), 0.0) for data in (coarse, fine)
    )
    speed = float(np.linalg.norm(coarse.velocity.values, axis=-1).max())
    assert fall == pytest.approx((0.46 - 0.3) * 9.81 * np.cos(np.radians(25.0)) * 1e-2 / speed, rel=0.01)
    assert own == 0.0


def test_a_block_that_rests_while_its_companion_slides_warns_of_what_is_open():
    """Steps of a whole period see the mean friction alone, which holds; steps of two periods do not rest."""
    shaken = {"angle": 20.0, "mu": "0.4 + 0.4*sin(200*pi*t)", "t_end": 0.5, "dt": 0.01, "nx": 1, "ny": 1}
    data = simulate(model_of(inclined_plane, **shaken), estimate=True)
    assert not data.velocity.values.any()
    named = {w.name: w.value for w in run_warnings(data)}
    assert named["step-error"] == pytest.approx(SAFETY, rel=1e-6)
    # |sin| has the mean 2/pi; three Gauss points see 2 x 5/18 |sin 0.225 pi| of it.
    assert named["unresolved"] == pytest.approx(5 / 9 * np.sin(2 * np.pi * (0.5 - np.sqrt(0.15))), rel=1e-6)
    smooth = simulate(model_of(inclined_plane, **shaken | {"dt": 5e-4, "t_end": 0.05}))
    assert "unresolved" not in {w.name for w in run_warnings(smooth)}


def test_the_estimate_changes_no_number_of_the_run(tmp_path):
    _, _, plain = ran(tmp_path / "a", "block_on_table --nx=1 --ny=1 --t_end=0.5 --no-estimate")
    _, _, estimated = ran(tmp_path / "b", "block_on_table --nx=1 --ny=1 --t_end=0.5")
    xr.testing.assert_equal(plain, estimated)


@pytest.mark.parametrize(
    ("case", "given", "reason"),
    [
        (block_on_table, BLOCK | {"error_tolerance": 1e-2, "t_end": 0.1}, "estimate of its own"),
        (block_on_table, BLOCK | {"body": "elastic", "scheme": "explicit", "t_end": 0.01}, "half of them"),
        (block_on_table, BLOCK | {"scheme": "radau", "law": "smooth", "t_end": 0.02}, "chooses its steps"),
        (block_on_table, BLOCK | {"dt": 0.1, "t_end": 0.1}, "nearly the same steps"),
        (rod_cycle, {"nx": 8, "ny": 2, "steps": 1, "forces": (0.3, -0.3)}, "nearly the same steps"),
    ],
    ids=["controlled", "explicit", "radau", "one-step", "one-increment"],
)
def test_where_there_is_no_estimate_the_run_says_why(case, given, reason):
    data = simulate(model_of(case, **given), estimate=True)
    assert data.attrs["error_estimate"].startswith("none: ")
    assert reason in data.attrs["error_estimate"]
    assert ("estimated_error" in data.attrs) == ("error_tolerance" in given)


def test_a_companion_that_fails_is_a_warning():
    overloaded = model_of(rod_cycle, nx=4, ny=2, forces=(10.0,))
    with pytest.raises(StepFailure):
        simulate(overloaded)

    class Fails(Companion):
        def model(self, model):
            return overloaded

    run = simulate(model_of(block_on_table, **BLOCK), estimate=Fails())
    assert [warning.name for warning in run_warnings(run)] == ["step-error"]
    assert "fails at t = " in run_warnings(run)[0].advice
    assert run.complete == 1
    assert "estimated_error" not in run.attrs


def test_an_interrupted_companion_leaves_the_complete_run(tmp_path):
    seen = []

    def stop(report):
        seen.append(report.time)
        if seen[-1] < max(seen):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(model_of(block_on_table, **BLOCK), path=tmp_path / "a.nc", progress=stop, estimate=True)
    assert max(seen) == 3.0
    data = stored(tmp_path, "a.nc")
    assert (data.complete, float(data.time[-1]), "error_estimate" in data.attrs) == (1, 3.0, False)


def test_resume_sweep_and_converge_estimate_where_they_are_asked_to(tmp_path, capsys):
    small = "block_on_table --nx=1 --ny=1 --t_end=1 --dt=0.01"
    _, headlines, _ = ran(tmp_path / "run", f"{small} --no-estimate")
    assert "error" not in headlines["x_end"]
    assert main(["resume", str(tmp_path / "run"), "--quiet", "--estimate"]) == 0
    assert summary_of(tmp_path / "run")["results"] == ran(tmp_path / "whole", small)[1]
    swept = ["sweep", *small.split(), "--grid=mu=0.5,0.7", "--workers=0", "--quiet"]
    assert main([*swept, f"--out={tmp_path / 'plain'}"]) == main([*swept, f"--out={tmp_path / 's'}", "--estimate"]) == 0
    assert (stored(tmp_path / "s", "sweep.nc").x_end_error.values > 0.0).all()
    assert "x_end_error" not in stored(tmp_path / "plain", "sweep.nc")
    capsys.readouterr()
    assert main(["converge", *small.split(), "--over=dt", "--levels=2", "--estimate"]) == 0
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("estimated error")]
    coarse, fine = map(float, row.split()[-2:])
    assert 0.0 < fine < coarse


def test_the_error_of_the_mesh_is_added_on_request(tmp_path, capsys):
    """A rod of Q1 cells under Coulomb's friction: its displacement converges with h, of 8 cells and of 4."""
    given = "rod_cycle --ny=2 --steps=4 --forces=0.7848"
    errors = {}
    for nx in (4, 8):
        _, headlines, _ = ran(tmp_path / str(nx), f"{given} --nx={nx} --estimate_mesh")
        errors[nx] = headlines["loss_1"]["error"], headlines["loss_1"]["value"]
    _, steps, _ = ran(tmp_path / "steps", f"{given} --nx=8")
    of_mesh = abs(errors[8][1] - errors[4][1])
    assert of_mesh > 1e-6 * errors[8][1]
    assert errors[8][0] == pytest.approx(of_mesh + steps["loss_1"]["error"], rel=1e-6)
    capsys.readouterr()
    assert main(["run", *given.split(), "--nx=2", "--estimate_mesh", f"--out={tmp_path / 'x'}"]) == 0
    coarse = summary_of(tmp_path / "x")
    assert coarse["results"]["loss_1"]["error"] > 0.05 * coarse["results"]["loss_1"]["value"]
    assert not coarse["warnings"]  # smaller steps would not help
    assert "error of the steps and the mesh (±): companion run with dt = 0.5 s" in capsys.readouterr().out


def test_a_ball_that_rolls_from_the_start_has_nothing_to_estimate():
    """Where nothing moves but by rounding there is no displacement to compare with."""
    still = {"vx0": 0.0, "vy0": 0.0, "spin_x": 0.0, "spin_y": 0.0, "spin_z": 0.0, "t_end": 0.05}
    run = simulate(model_of(sphere_on_plane, **still), estimate=True)
    assert run.attrs["estimated_error"] < 1e-12
    assert run.warnings == "[]"


def test_a_body_at_rest_has_no_error_where_the_larger_of_two_files_holds_its_places_with_fewer_bits():
    model = model_of(block_on_table, mu=0.9, t_end=0.02)
    exact = simulate(model)
    rounded = exact.assign(position=exact.position.copy(data=round_mantissa(exact.position.values, 28)))
    assert 0.0 < abs(rounded.position - exact.position).values.max() < 1e-9
    assert not exact.frame_velocity.values.any()
    for one, other in ((exact, rounded), (rounded, exact)):
        assert motion_errors(one, other, 1.0, model.radius) == (0.0, 0.0)


def test_steps_that_are_chosen_otherwise_are_refused_as_an_argument():
    with pytest.raises(TypeError, match="estimate must be true, false or a Companion"):
        simulate(model_of(free_top, t_end=0.01), estimate="steps")
