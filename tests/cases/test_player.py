"""The page of a run in a real browser: it loads without errors, the slider moves the body, its colours follow the field."""

import browser
import numpy as np
import pytest
from case_runs import SMALL, run_without_picture, stored

COMMON = """
const click = (id) => document.getElementById(id).click();
const canvas = document.getElementById("body"), pen = canvas.getContext("2d");
const pixel = (x, y) => Array.from(pen.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data.slice(0, 3));
const middle = (cell) => { const c = player.cellAt(cell); return [0, 1].map((a) => c.reduce((s, p) => s + p[a], 0) / c.length); };
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
"""
DRIVE = """
const places = [], colours = {}, drawn = {};
for (const frame of [0, player.frames - 1]) {
  set("time", frame, "input");
  places.push([player.state.frame, player.placeOf(NODE)]);
}
click("arrows");
for (const key of ["none", ...player.fields]) {
  set("field", key, "change");
  drawn[key] = CELLS.map((cell) => pixel(...middle(cell)));
  colours[key] = CELLS.map((cell) => player.colourOf(cell));
}
const legends = () => document.getElementById("curves").textContent;
set("time", 0, "input");
const first = legends();
set("time", 2, "input");
const second = legends();
const box = canvas.getBoundingClientRect(), at = player.nodeAt(NODE);
canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + at[0], clientY: box.top + at[1], bubbles: true }));
const tip = document.getElementById("tip").textContent;
set("time", 0, "input");
click("play");
await wait(3000);
const played = player.state.frame;
click("play");
const wide = document.documentElement.scrollWidth <= window.innerWidth;
return { places, colours, drawn, first, second, tip, played, playing: player.state.playing, wide, fields: player.fields };
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    browser.program()  # none: skipped before the run
    plate = SMALL["plate_sliding"] | {"t_end": 0.4, "dt": 0.02, "pull_x": 90.0}
    assert run_without_picture("plate_sliding", plate, folder / "plate_sliding", "--html") == 0
    return folder


def driven(results, name, tmp_path, node, cells, width=1200):
    text = (results / name / f"{name}.html").read_text(encoding="utf-8")
    script = (browser.SET + COMMON + DRIVE).replace("NODE", str(node)).replace("CELLS", str(cells))
    return browser.outcome(text, script, tmp_path, width)


def rgb(text):
    if text.startswith("#"):
        return [int(text[k : k + 2], 16) for k in (1, 3, 5)]
    return [int(part) for part in text[4:-1].split(",")]


@pytest.mark.parametrize("width", [1200, pytest.param(500, marks=pytest.mark.slow)])
def test_the_slider_moves_the_body_and_its_colours_follow_the_field(results, tmp_path, width):
    node, cells = 3, [0, 1, 2]
    found = driven(results, "plate_sliding", tmp_path, node, cells, width)
    data = stored(results / "plate_sliding")
    place, times = data.position.values[:, node], data.time.values
    (first, start), (last, end) = found["places"]
    assert (first, last) == (0, len(times) - 1)
    assert np.linalg.norm(place[-1] - place[0]) > 0.03
    np.testing.assert_allclose([start, end], place[[0, -1]], atol=1e-5)
    assert {"displacement", "speed", "friction", "stick", "stress"} <= set(found["fields"])
    for key, colours in found["colours"].items():
        assert np.abs(np.array(found["drawn"][key]) - [rgb(colour) for colour in colours]).max() <= 2, key
    seen = {tuple(map(tuple, drawn)) for drawn in found["drawn"].values()}
    assert len(seen) >= 4
    assert found["first"] != found["second"]
    assert f"node {node}" in found["tip"]
    assert "von Mises stress" in found["tip"]
    # Eight seconds for the whole: three seconds are three eighths of the frames.
    assert 0.2 * len(times) < found["played"] < 0.6 * len(times)
    assert not found["playing"]
    assert found["wide"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["beam_bending", "spinning_disc", "wall_impact", "annulus_torsion", "rod_cycle"])
def test_pages_of_all_kinds_of_bodies_load_and_play(tmp_path, name):
    browser.program()
    values = SMALL[name] | ({"motion": "free"} if name == "beam_bending" else {})
    assert run_without_picture(name, values, tmp_path / name, "--html") == 0
    found = driven(tmp_path, name, tmp_path, 1, [0])
    assert found["fields"]
    assert found["played"] > 0 or found["first"] != found["second"]
