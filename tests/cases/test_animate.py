"""Animations of saved runs: what is on the frames, how many and how long, and what is refused or left behind."""

import functools
import re
import stat
import sys

import matplotlib
import numpy as np
import pytest
from case_runs import SMALL, run_without_picture, stored
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from cases.app.command import cli
from cases.app.drawing import animate
from cases.app.drawing import scene as animate_scene
from cases.app.drawing.scene import LINE_SLIPS, SLIPS, STICKS
from cases.app.drawing.style import LIGHT

ANIMATED = {
    "plate_sliding": {"t_end": 0.1, "dt": 0.02},
    "block_on_table": {"t_end": 0.5, "dt": 0.1},
    "spinning_disc": {"dt": 0.1},
    "beam_bending": {"dt": 0.02},
    "beam_on_rough_foundation": {},
    "annulus_torsion": {},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The directory of a case's run, which is made when it is first asked for."""
    folder = tmp_path_factory.mktemp("animated")

    @functools.cache
    def directory(name):
        assert run_without_picture(name, SMALL[name] | ANIMATED[name], folder / name) == 0
        return folder / name

    return directory


def share_of(picture, colour):
    """Share of the pixels near a colour."""
    pixels = np.asarray(picture.convert("RGB"), float) / 255
    return float((np.abs(pixels - to_rgb(colour)).max(axis=2) < 0.03).mean())


@pytest.mark.parametrize("name", ANIMATED)
@pytest.mark.quick("plate_sliding", "beam_bending")
def test_every_stored_instant_is_a_frame_with_the_body_in_the_colours_of_stick_and_slip(results, name, capsys):
    film = f"--out={results(name).parent / name}.gif"
    assert cli.main(["animate", str(results(name)), "--fps", "10", film]) == 0
    assert capsys.readouterr().out == f"{results(name)}.gif\n"
    data = stored(results(name))
    stuck, line = data.stick.values.astype(bool), data.sizes["corner"] == 2
    with Image.open(results(name).parent / f"{name}.gif") as film:
        assert film.n_frames == len(stuck)
        durations, seen = [], []
        for number in range(film.n_frames):
            film.seek(number)
            durations.append(film.info["duration"])
            seen.append([share_of(film, colour) for colour in (STICKS, LINE_SLIPS if line else SLIPS)])
            assert min(film.size) > 250
    assert durations == [100] * (len(stuck) - 1) + [1000]
    seen = np.array(seen)
    legend, area = 0.004, 0.003 if line else 0.02
    sticks, slips = stuck.all(axis=1), ~stuck.any(axis=1)
    assert (sticks | slips).any()
    for mine, column in ((sticks, 0), (slips, 1)):
        assert np.all(seen[mine, column] > area)
        assert np.all(seen[mine, 1 - column] < legend)


@pytest.fixture
def scene(results):
    def build(name):
        data, figure = stored(results(name)), Figure()
        FigureCanvasAgg(figure)
        return data, animate_scene.Scene(data, np.arange(data.sizes["time"]), figure), figure

    return build


def test_a_frame_shows_the_body_where_it_is_its_friction_its_frame_and_its_way(scene):
    data, shown, figure = scene("plate_sliding")
    last = data.sizes["time"] - 1
    shown.show(last)
    (axes,) = figure.axes
    drawn = [np.array(path.vertices[:-1]) for path in shown._body.artist.get_paths()]
    np.testing.assert_array_equal(drawn, data.position.values[last][data.cells.values])
    assert np.abs(drawn - data.position.values[0][data.cells.values]).max() > 0.03
    arrows = np.stack([shown._arrows.U, shown._arrows.V], axis=1) / shown._full_arrow
    nodes = shown._nodes
    force = data.friction_force.values[last][nodes]
    np.testing.assert_allclose(arrows * data.friction_weight.values[nodes, None], force, atol=1e-12)
    assert 0.9 < np.hypot(*arrows.T).max() < 1 + 1e-6
    np.testing.assert_array_equal(np.stack(shown._path.get_data(), axis=1), data.frame_position.values)
    e1, e2 = (segment[1] - segment[0] for segment in shown._frame.get_segments())
    assert np.arctan2(e1[1], e1[0]) == pytest.approx(float(data.frame_angle[last]), abs=1e-12)
    assert e1 @ e2 == pytest.approx(0.0, abs=1e-12)
    assert f"{float(data.time[last]):.4g} s" in axes.get_title("left")
    assert "[m]" in axes.get_xlabel()
    assert axes.get_aspect() == 1.0


@pytest.mark.parametrize("name", ANIMATED)
@pytest.mark.quick("plate_sliding", "beam_bending")
def test_the_axes_stand_still_and_hold_the_body_at_every_instant(scene, name):
    data, shown, figure = scene(name)
    (axes,) = figure.axes
    limits = axes.get_xlim() + axes.get_ylim()
    place = data.position.values
    if shown._factor != 1:
        place = place[0] + shown._factor * (place - place[0])
    for instant in range(0, data.sizes["time"], 3):
        shown.show(instant)
        figure.canvas.draw()
        assert axes.get_xlim() + axes.get_ylim() == limits
    assert limits[0] < place[..., 0].min() < place[..., 0].max() < limits[1]
    assert limits[2] < place[..., 1].min() < place[..., 1].max() < limits[3]


def test_small_displacements_are_drawn_enlarged_and_the_title_says_by_how_much(scene):
    data, shown, figure = scene("annulus_torsion")
    distance = np.abs(data.position - data.position[0]).values.max()
    assert 0.04 < shown._factor * distance / 0.4 <= 0.12
    assert shown._factor in {100.0, 200.0, 500.0}
    assert f"drawn {shown._factor:g} times" in figure.axes[0].get_title("left")
    _, plain, figure = scene("spinning_disc")
    assert plain._factor == 1.0
    assert "drawn" not in figure.axes[0].get_title("left")


def test_a_body_without_cells_is_drawn_by_its_sample_points(results):
    data = stored(results("block_on_table"))
    figure = Figure()
    canvas = FigureCanvasAgg(figure)
    bare = data.isel(cell=slice(0, 0))
    with matplotlib.rc_context({"figure.dpi": 100}):
        shown = animate_scene.Scene(bare, np.arange(3), figure)
    shown.show(2)
    canvas.draw()
    assert len(shown._body.artist.get_offsets()) == data.sizes["node"]
    assert share_of(Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]), LIGHT) < 1e-2


def test_a_long_run_is_thinned_to_two_hundred_frames_evenly_in_time():
    times = np.concatenate([np.linspace(0, 1, 5000), np.linspace(1.001, 2, 500)])
    chosen = animate.chosen_instants(times)
    assert len(chosen) == 200
    assert (chosen[0], chosen[-1]) == (0, len(times) - 1)
    assert np.ptp(np.diff(times[chosen])) < 0.005
    np.testing.assert_array_equal(animate.chosen_instants(times[:200]), np.arange(200))


def test_an_interrupt_leaves_nothing_half_written(results, tmp_path, monkeypatch, capsys):
    sound, calls = animate_scene.Scene.show, []

    def interrupted(self, instant):
        calls.append(instant)
        if len(calls) == 3:
            raise KeyboardInterrupt
        sound(self, instant)

    monkeypatch.setattr(animate_scene.Scene, "show", interrupted)
    assert cli.main(["animate", str(results("plate_sliding")), "--out", str(tmp_path / "film.gif")]) == 130
    assert len(calls) == 3
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for ffmpeg is a script")
def test_with_ffmpeg_every_frame_is_sent_to_it_and_the_film_is_an_mp4(results, tmp_path, monkeypatch, capsys):
    """A stand-in for ffmpeg writes down its arguments and how many bytes of raw pictures it was sent."""
    program = tmp_path / "ffmpeg"
    program.write_text(
        f"#!{sys.executable}\nimport sys\n"
        "sent = len(sys.stdin.buffer.read()) if '-i' in sys.argv else 0\n"
        "open(sys.argv[-1], 'w').write(' '.join([str(sent), *sys.argv])) if sent else None\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setitem(matplotlib.rcParams, "animation.ffmpeg_path", str(program))
    for name in ("plate_sliding.mp4", "plate_sliding.gif"):
        (results("plate_sliding") / name).unlink(missing_ok=True)
    assert cli.main(["animate", str(results("plate_sliding")), "--fps", "8"]) == 0
    film = results("plate_sliding") / "plate_sliding.mp4"
    assert capsys.readouterr().out == f"{film}\n"
    sent, *arguments = film.read_text().split()
    film.unlink()
    width, height = map(int, re.search(r"(\d+)x(\d+)", " ".join(arguments)).groups())
    assert int(sent) == 6 * 4 * width * height  # six instants, RGBA
    assert width % 2 == height % 2 == 0
    assert arguments[arguments.index("-framerate") + 1] == "8.0"


IN_SPACE = {
    "block_in_space": {"t_end": 0.02, "dt": 0.02},
    "sphere_on_plane": {"t_end": 0.02, "dt": 0.02},
    "free_top": {"t_end": 0.2, "dt": 0.2},
    "curling_disc": {"t_end": 0.02, "dt": 0.02, "vx0": 0.1},
}


@pytest.mark.parametrize("name", IN_SPACE)
@pytest.mark.quick("sphere_on_plane", "free_top")
def test_a_body_in_space_is_filmed_where_it_is_on_its_ground(name, tmp_path):
    assert run_without_picture(name, IN_SPACE[name], tmp_path / name) == 0
    film = tmp_path / "film.gif"
    assert cli.main(["animate", str(tmp_path / name), "--out", str(film)]) == 0
    data = stored(tmp_path / name)
    with Image.open(film) as pictures:
        assert pictures.n_frames == data.sizes["time"] == 2
        first = pictures.copy()
        pictures.seek(1)
        assert np.any(np.asarray(first.convert("RGB")) != np.asarray(pictures.convert("RGB")))  # it moves
    pixels = np.asarray(first.convert("RGB"), float) / 255
    blue = (pixels[..., 2] > 1.3 * pixels[..., 0]) & (pixels[..., 2] > 0.3)  # the body, in the light and out of it
    assert 0.03 < blue.mean() < 0.7
    ground = share_of(first, LIGHT)
    assert (ground > 0.03) == (name != "free_top")
    assert (share_of(first, SLIPS) > 1e-4) == (name != "free_top")
