"""Pages and ParaView's series of bodies in space: places, faces and forces are the run's, and a browser turns the view."""

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


def corners(found, name):
    return np.frombuffer(base64.b64decode(found[name]["X"]), "<f4").reshape(-1, 3).astype(float)


@pytest.mark.parametrize("name", [SOLID, "block_in_space", "sphere_on_plane", "free_top", "curling_disc"])
def test_a_page_holds_the_motion_and_the_forces_of_a_body_in_space(page, name):
    out, text, found = page(name)
    assert not re.search(r"https?://|\bsrc=|@import|@[A-Z]+@", text)
    data = stored(out)
    X, faces = corners(found, "body"), np.array(found["body"]["cells"])
    size = np.abs(X).max()
    u = unpacked(found["moved"], len(data.time), len(X), 3) if found["moved"] else np.zeros((len(data.time), *X.shape))
    Q = Rotation.from_quat(np.array(found["frame"]["rotation"]), scalar_first=True)
    turned = np.stack([turn.apply(X + v) for turn, v in zip(Q, u, strict=True)])
    place = np.array(found["frame"]["place"])[:, None] + turned
    if name == SOLID:
        np.testing.assert_allclose(place, data.position.values, rtol=0, atol=found["moved"]["step"] + 1e-6 * size)
    a, b, c = (X[faces[:, k]] for k in range(3))
    volumes = np.einsum("fi,fi->f", np.cross(b - a, c - a), a)
    assert volumes.min() > -1e-9 * size**3  # these bodies are convex: all faces look out
    contacts = found["contacts"]
    assert (len(contacts) > 0) == (name != "free_top")
    if contacts:
        force = unpacked(found["friction"], len(data.time), len(contacts), 3)
        np.testing.assert_allclose(force, data.contact_force.values[:, contacts], atol=found["friction"]["step"])
        if name == "sphere_on_plane":
            lowest = unpacked(found["arms"], len(data.time), 1, 3)  # it stays below the centre
            np.testing.assert_allclose(lowest, np.broadcast_to([[[0.0, 0.0, -size]]], lowest.shape), atol=1e-6)
        low, high = place[..., :2].min(axis=(0, 1)), place[..., :2].max(axis=(0, 1))
        ground = np.array(found["ground"]).reshape(2, 2)
        assert np.all((ground[:, 0] < low) & (ground[:, 1] > high))
    keys = {field["key"] for field in found["fields"]}
    assert ("stress" in keys, "displacement" in keys) == (name == SOLID, name == SOLID)
    assert {"energy"} < {panel["title"] for panel in found["curves"]}


def test_the_stresses_of_a_solid_go_to_paraview_in_space(page):
    out, _, found = page(SOLID)
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
    stress = next(field for field in found["fields"] if field["key"] == "stress")
    shown = unpacked(stress, len(found["times"]), len(found["body"]["cells"]))[-1]
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
    found = browser.outcome(text, browser.SET + DRIVE.replace("NODE", str(node)), tmp_path, width)
    if node >= 0:
        np.testing.assert_allclose(found["place"], stored(out).position.values[-1, node], atol=1e-5)
        assert "contact force: (" in found["tip"]
    assert np.abs(np.subtract(found["before"], found["after"])).max() > 5.0  # pixels
    views = np.array(found["angles"])
    assert min(np.abs(a - b).max() for k, a in enumerate(views) for b in views[:k]) > 1.0
    assert (found["inside"], found["wide"], found["shown"]) == (True, True, True)
