"""Pages of runs: what they hold of bodies in space; in a real browser sliders move bodies, colours follow fields, views turn."""

import base64
import functools
import re

import browser
import meshio
import numpy as np
import pytest
from case_runs import SMALL, SPACE, page_of, run_without_picture, stored, unpacked
from scipy.spatial.transform import Rotation

from cases.app.command import cli

COMMON = """
const click = (id) => document.getElementById(id).click();
const canvas = document.getElementById("body"), pen = canvas.getContext("2d");
const pixel = (x, y) => Array.from(pen.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data.slice(0, 3));
const middle = (cell) => { const c = player.cellAt(cell); return [0, 1].map((a) => c.reduce((s, p) => s + p[a], 0) / c.length); };
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
"""
DRIVE_IN_PLANE = """
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
    script = (browser.SET + COMMON + DRIVE_IN_PLANE).replace("NODE", str(node)).replace("CELLS", str(cells))
    return browser.outcome(text, script, tmp_path, width)


def rgb(text):
    if text.startswith("#"):
        return [int(text[k : k + 2], 16) for k in (1, 3, 5)]
    return [int(part) for part in text[4:-1].split(",")]


@pytest.mark.parametrize("width", [1200, pytest.param(500, marks=pytest.mark.slow)])
def test_the_slider_moves_the_body_and_its_colours_follow_the_field(results, tmp_path, width):
    node, cells = 3, [0, 1, 2]
    computed = driven(results, "plate_sliding", tmp_path, node, cells, width)
    data = stored(results / "plate_sliding")
    place, times = data.position.values[:, node], data.time.values
    (first, start), (last, end) = computed["places"]
    assert (first, last) == (0, len(times) - 1)
    assert np.linalg.norm(place[-1] - place[0]) > 0.03
    np.testing.assert_allclose([start, end], place[[0, -1]], atol=1e-5)
    assert {"displacement", "speed", "friction", "stick", "stress"} <= set(computed["fields"])
    for key, colours in computed["colours"].items():
        assert np.abs(np.array(computed["drawn"][key]) - [rgb(colour) for colour in colours]).max() <= 2, key
    seen = {tuple(map(tuple, drawn)) for drawn in computed["drawn"].values()}
    assert len(seen) >= 4
    assert computed["first"] != computed["second"]
    assert f"node {node}" in computed["tip"]
    assert "von Mises stress" in computed["tip"]
    # Eight seconds for the whole: three seconds are three eighths of the frames.
    assert 0.2 * len(times) < computed["played"] < 0.6 * len(times)
    assert not computed["playing"]
    assert computed["wide"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["beam_bending", "spinning_disc", "wall_impact", "annulus_torsion", "rod_cycle"])
def test_pages_of_all_kinds_of_bodies_load_and_play(tmp_path, name):
    browser.program()
    values = SMALL[name] | ({"motion": "free"} if name == "beam_bending" else {})
    assert run_without_picture(name, values, tmp_path / name, "--html") == 0
    computed = driven(tmp_path, name, tmp_path, 1, [0])
    assert computed["fields"]
    assert computed["played"] > 0 or computed["first"] != computed["second"]


SOLID = "solid_pulled"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The directory, the text and the data of a case's page; each case runs once."""
    folder = tmp_path_factory.mktemp("space_pages")

    @functools.cache
    def made(name):
        stress, pull = (("--stress",), {"pull_x": 60.0}) if name == SOLID else ((), {})
        assert run_without_picture(name, SMALL[name] | pull, folder / name, "--html", *stress) == 0
        return folder / name, *page_of(folder / name, name)

    return made


def corners(computed, name):
    return np.frombuffer(base64.b64decode(computed[name]["X"]), "<f4").reshape(-1, 3).astype(float)


@pytest.mark.parametrize("name", [SOLID, "block_in_space", "sphere_on_plane", "free_top", "curling_disc"])
@pytest.mark.quick(SOLID, "sphere_on_plane", "free_top")
def test_a_page_holds_the_motion_and_the_forces_of_a_body_in_space(page, name):
    out, text, computed = page(name)
    assert not re.search(r"https?://|\bsrc=|@import|@[A-Z]+@", text)
    data = stored(out)
    X, faces = corners(computed, "body"), np.array(computed["body"]["cells"])
    size = np.abs(X).max()
    u = (
        unpacked(computed["moved"], len(data.time), len(X), 3)
        if computed["moved"]
        else np.zeros((len(data.time), *X.shape))
    )
    Q = Rotation.from_quat(np.array(computed["frame"]["rotation"]), scalar_first=True)
    turned = np.stack([turn.apply(X + v) for turn, v in zip(Q, u, strict=True)])
    place = np.array(computed["frame"]["place"])[:, None] + turned
    if name == SOLID:
        np.testing.assert_allclose(place, data.position.values, rtol=0, atol=computed["moved"]["step"] + 1e-6 * size)
    a, b, c = (X[faces[:, k]] for k in range(3))
    volumes = np.einsum("fi,fi->f", np.cross(b - a, c - a), a)
    assert volumes.min() > -1e-9 * size**3  # these bodies are convex: all faces look out
    contacts = computed["contacts"]
    assert (len(contacts) > 0) == (name != "free_top")
    if contacts:
        force = unpacked(computed["friction"], len(data.time), len(contacts), 3)
        np.testing.assert_allclose(force, data.contact_force.values[:, contacts], atol=computed["friction"]["step"])
        if name == "sphere_on_plane":
            lowest = unpacked(computed["arms"], len(data.time), 1, 3)  # it stays below the centre
            np.testing.assert_allclose(lowest, np.broadcast_to([[[0.0, 0.0, -size]]], lowest.shape), atol=1e-6)
        low, high = place[..., :2].min(axis=(0, 1)), place[..., :2].max(axis=(0, 1))
        ground = np.array(computed["ground"]).reshape(2, 2)
        assert np.all((ground[:, 0] < low) & (ground[:, 1] > high))
    keys = {field["key"] for field in computed["fields"]}
    assert ("stress" in keys, "displacement" in keys) == (name == SOLID, name == SOLID)
    assert {"energy"} < {panel["title"] for panel in computed["curves"]}


def test_the_stresses_of_a_solid_go_to_paraview_in_space(page):
    out, _, computed = page(SOLID)
    assert cli.main(["export", str(out), "--to", "vtk"]) == 0
    mesh = meshio.read(sorted((out / "vtk").glob("*/body_*.vtu"))[-1])
    data = stored(out)
    xx, yy, zz, yz, xz, xy = data.cauchy_stress.values[-1].T
    Q = Rotation.from_quat(data.frame_rotation.values[-1], scalar_first=True).as_matrix()
    mises = np.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3.0 * (yz**2 + xz**2 + xy**2))
    assert mises.max() > 100.0
    np.testing.assert_allclose(mesh.cell_data["von_mises"][0], mises, rtol=1e-10)
    frame = np.moveaxis(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), 2, 0)
    space = mesh.cell_data["cauchy_stress"][0].reshape(-1, 3, 3)
    np.testing.assert_allclose(space, Q @ frame @ Q.T, atol=1e-9 * mises.max())
    stress = next(field for field in computed["fields"] if field["key"] == "stress")
    shown = unpacked(stress, len(computed["times"]), len(computed["body"]["cells"]))[-1]
    assert np.all(np.isclose(shown[:, None], mises, rtol=0, atol=stress["step"]).any(axis=1))


DRIVE = """
const canvas = document.getElementById("body"), box = canvas.getBoundingClientRect();
const touch = { bubbles: true, pointerType: "touch", pointerId: 1 };
const at = (x, y, buttons) => ({ clientX: box.left + x, clientY: box.top + y, buttons, ...touch });
set("time", player.frames - 1, "input");
const place = player.fields.length && NODE >= 0 ? player.placeOf(NODE) : null;
const before = player.cellAt(0);
canvas.dispatchEvent(new PointerEvent("pointerdown", at(200, 150, 1)));
canvas.dispatchEvent(new PointerEvent("pointermove", at(260, 150, 1)));
canvas.dispatchEvent(new PointerEvent("pointerup", at(260, 150, 0)));
const after = player.cellAt(0), angles = [];
for (const option of document.getElementById("angle").options) {
  set("angle", option.value, "change");
  angles.push(player.cellAt(0).flat());
}
for (const key of ["none", ...player.fields]) set("field", key, "change");
const tipAt = NODE >= 0 ? player.nodeAt(NODE) : [0, 0];
canvas.dispatchEvent(new PointerEvent("pointermove", { ...at(...tipAt, 0), pointerType: "mouse" }));
const tip = document.getElementById("tip").textContent;
const inside = player.cellAt(0).every(([x, y]) => x >= 0 && y >= 0 && x <= canvas.clientWidth && y <= canvas.clientHeight);
const wide = document.documentElement.scrollWidth <= window.innerWidth;
return { place, before, after, angles, tip, inside, wide, shown: document.getElementById("viewLabel").hidden === false };
"""


@pytest.mark.parametrize(
    ("name", "width"),
    [(SOLID, 1280), pytest.param(SOLID, 500, marks=pytest.mark.slow)]
    + [pytest.param(name, 1280, marks=pytest.mark.slow) for name in SPACE if name != SOLID],
)
def test_a_browser_shows_the_body_in_space_and_turns_the_view(page, tmp_path, name, width):
    out, text, _ = page(name)
    node = -1 if name == "free_top" else 0
    computed = browser.outcome(text, browser.SET + DRIVE.replace("NODE", str(node)), tmp_path, width)
    if node >= 0:
        np.testing.assert_allclose(computed["place"], stored(out).position.values[-1, node], atol=1e-5)
        assert "contact force: (" in computed["tip"]
    assert np.abs(np.subtract(computed["before"], computed["after"])).max() > 5.0  # pixels
    views = np.array(computed["angles"])
    assert min(np.abs(a - b).max() for k, a in enumerate(views) for b in views[:k]) > 1.0
    assert (computed["inside"], computed["wide"], computed["shown"]) == (True, True, True)
