"""Saved runs laid over each other: values and differences of the table, other time grids and cases, and what is refused."""

import re
from dataclasses import replace

import numpy as np
import pytest
from case_runs import SMALL, run_without_picture, stored
from PIL import Image

from cases.app.command import cli
from cases.app.drawing.compare import panel_keys
from cases.app.studies import compare_output
from cases.app.studies.compare import compare_runs, labels, read_run

THROWN = SMALL["plate_sliding"] | {"pull_x": 0.0, "pull_y": 0.0, "vx0": 1.0, "nx": 2, "ny": 1, "t_end": 0.2}
RUNS = {
    "thrown": ("plate_sliding", THROWN),
    "finer": ("plate_sliding", THROWN | {"dt": 0.0064, "mu": 0.2}),
    "disc": ("spinning_disc", SMALL["spinning_disc"] | {"t_end": 0.1}),
    "beam": ("beam_bending", SMALL["beam_bending"]),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    for label, (name, values) in RUNS.items():
        assert run_without_picture(name, values, folder / label) == 0
    return folder


def rows_of(out):
    """Cells of the table by quantity, columns being set apart by two spaces."""
    lines = out[out.index("quantity  ") :].splitlines()[:-1]
    return {line.split("  ")[0]: re.split(r"\s{2,}", line.strip()) for line in lines}


def test_the_table_holds_ends_and_largest_differences_of_runs_that_are_known_exactly(results, tmp_path, capsys):
    """Thrown with v0 at mu g and 2/3 mu g: v = v0 - mu g t, so speeds part by mu g t/3; kinetic energy is m v^2/2."""
    picture = tmp_path / "picture.png"
    assert cli.main(["compare", str(results / "thrown"), str(results / "finer"), "--out", str(picture)]) == 0
    out = capsys.readouterr().out
    assert out.endswith(f"{picture}\n")
    for words in ("  dt: 0.01 | 0.0064\n", "  mu: 0.3 | 0.2\n", "are interpolated linearly"):
        assert words in out
    computed, t, g = rows_of(out), 0.2, 9.81
    speeds = [1 - 0.3 * g * t, 1 - 0.2 * g * t]
    name, unit, *values = computed["speed of the frame"]
    assert (name, unit) == ("speed of the frame", "m/s")
    np.testing.assert_allclose([float(v) for v in values], [*speeds, speeds[1] - speeds[0], t], rtol=3e-3)
    assert float(computed["angle"][2]) == pytest.approx(0, abs=1e-12) if "angle" in computed else True
    assert "viscous work" not in computed
    with Image.open(picture) as drawn:
        assert min(drawn.size) > 1000


def test_rounding_has_no_panel(results):
    """A disc that spins turns; with its angles at rounding only the panel of the angle goes."""
    computed = compare_runs([read_run(str(results / "disc"), "disc")])
    assert {"frame_angle", "speed", "energy_kinetic"} <= set(panel_keys(computed))
    (run,) = computed.runs
    angle = run.series["frame_angle"]
    still = replace(run, series=run.series | {"frame_angle": replace(angle, values=1e-13 * np.sign(angle.values))})
    assert panel_keys(replace(computed, runs=[still])) == [key for key in panel_keys(computed) if key != "frame_angle"]


def test_differences_are_taken_at_all_instants_of_all_runs_within_the_time_they_share(results):
    computed = compare_runs([read_run(str(results / label), label) for label in ("thrown", "disc")])
    assert (computed.times[-1], computed.stored) == (pytest.approx(0.1), False)
    one, two = (stored(results / label) for label in ("thrown", "disc"))
    union = np.union1d(one.time.values, two.time.values)
    np.testing.assert_array_equal(computed.times, union[union <= two.time.values[-1]])
    wanted = np.interp(computed.times, two.time, two.frame_angle) - np.interp(computed.times, one.time, one.frame_angle)
    assert np.abs(wanted).max() > 0.1
    np.testing.assert_allclose(computed.differences("frame_angle", computed.runs[1]), wanted, atol=1e-15)


def test_runs_of_other_cases_are_compared_by_what_they_share_and_none_differs_from_itself(
    results, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(compare_output, "draw_comparison", lambda comparison, path: path.touch())
    picture = f"--out={tmp_path / 'picture.png'}"
    assert cli.main(["compare", *(str(results / label) for label in ("thrown", "disc", "beam")), picture]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()[:3]] == ["thrown", "disc", "beam"]
    assert "parameters that differ" not in out
    assert {"kinetic energy", "friction work", "share of nodes that stick"} <= set(rows_of(out))
    assert cli.main(["compare", *[str(results / "thrown")] * 2, picture]) == 0
    out = capsys.readouterr().out
    assert "parameters are the same" in out
    assert "thrown (2)" in out
    assert all(cells[-2:] == ["0", "-"] for name, cells in rows_of(out).items() if name != "quantity")


def test_labels_are_as_short_as_they_can_be_told_apart():
    assert labels(["a/x", "b/y"]) == ["x", "y"]
    assert labels(["a/x", "b/x"]) == ["a/x", "b/x"]
    assert labels(["a/x", "b/x", "a/x/"]) == ["a/x", "b/x", "a/x (2)"]
