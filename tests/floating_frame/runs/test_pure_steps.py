"""A step depends on its arguments alone, bit for bit, and writes into nothing that it is given: neither state nor system."""

from copy import deepcopy
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from case_models import model_of
from contact_examples import HOLDS, pressed
from ff_examples import plate, rough, thrown
from problems import assembled
from single_steps import initial_state, step

from cases import block_on_table, plate_sliding, solid_pulled, sphere_on_plane
from floating_frame import Clamped, EdgeLoad, MeanAxis, Ramp, RigidBody, Tisserand
from friction import Foundation, SlidingStiction, Stribeck

BRISTLES = SlidingStiction(v_s=0.05, v_d=0.08, dynamic_ratio=0.8, max_stiction_deformation=2e-2)
PULL = (EdgeLoad("right", (4.0, 3.0)),)


def on_ground(body, law, rigid=True, dt=0.01, **given):
    body = RigidBody.from_plate(body) if rigid else body
    return assembled(body, 0.2, dt, foundation=Foundation(law, 0.3, 98.1), **given)


def guided():
    loads = (EdgeLoad("left", (2.0, 0.3), Ramp(0.02)), EdgeLoad("right", (0.7, 0.25), Ramp(0.02)))
    frame = Clamped("left", ("x",))
    return assembled(plate(), 0.04, 2e-3, tolerance=1e-13, foundation=rough(0.3), loads=loads, frame=frame)


def pulled_on_bristles(rigid):
    return on_ground(plate(3, 2, E=2e5), BRISTLES, loads=(EdgeLoad("right", (0.5, 0.6), Ramp(0.05)),), rigid=rigid)


MODELS = {
    **{case.__name__.rpartition(".")[2]: (lambda case=case: model_of(case)[1], 0)
       for case in (block_on_table, plate_sliding, solid_pulled, sphere_on_plane)},
    **{f"{frame.name}, {scheme}": (lambda frame=frame, scheme=scheme: thrown(frame, scheme=scheme, loads=PULL), 0)
       for frame in (MeanAxis(), Tisserand()) for scheme in ("sdirk2", "backward-euler", "moreau-theta")},
    "a law of Stribeck": (lambda: on_ground(plate(3, 2), Stribeck(0.6, 0.2), dt=5e-3, velocity=(0.5, 0.1), spin=3.0), 0),
    "bristles": (lambda: pulled_on_bristles(rigid=True), 8),
    "bristles, elastic": (lambda: pulled_on_bristles(rigid=False), 8),
    "bristles of a wall": (lambda: pressed(HOLDS, "rigid"), 30),
    "bristles of a wall, elastic": (lambda: pressed(HOLDS, "elastic"), 30),
    "one node for the clamp": (guided, 4),
    "along arcs": (lambda: assembled(plate(E=2e11), 0.08, 2e-3, foundation=rough(0.1), velocity=(0.5, 0.2), spin=8.0), 1),
    "a front of slip": (lambda: model_of(plate_sliding, nx=64, ny=32, dt=5e-4, t_end=0.02)[1], 2),
}  # fmt: skip
"""How a model is made, and after how many steps it is looked at."""


def parts(thing):
    """The numbers and arrays of a state, whatever records hold them."""
    if is_dataclass(thing):
        return [part for field in fields(thing) for part in parts(getattr(thing, field.name))]
    if isinstance(thing, tuple):
        return [part for one in thing for part in parts(one)]
    return [np.asarray(thing)] if isinstance(thing, np.ndarray | np.number | float | int) else []


def assert_same(one, other):
    for mine, theirs in zip(parts(one), parts(other), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("name", MODELS)
def test_a_step_depends_on_its_arguments_alone_and_writes_into_none_of_them(name):
    make, before = MODELS[name]
    model = make()
    dt, state = model.steps.length, initial_state(model)
    for _ in range(before):
        state, _ = step(model, state, dt)
    original, system = deepcopy(state), dict(vars(model.system))
    first, counts = step(model, state, dt)
    assert len(parts(state)) > 20
    assert any(np.any(a != b) for a, b in zip(parts(first.motion), parts(state.motion), strict=True))
    if "bristles" in name:
        bent = [np.any(a.internal != b.internal) for a, b in zip(first.records, state.records, strict=True)]
        assert any(bent)
    assert name != "a front of slip" or (counts.factorisations == 0 < counts.newton)  # solved by sweeps
    # other histories in between, the last ones with the same step and so the same kind of matrix in the workspace
    for length in (0.2, 4.0, 1.0):
        further, _ = step(model, state, length * dt)
        further, _ = step(model, further, dt)
    again, counted = step(model, state, dt)
    assert counts == counted
    assert_same(first, again)
    assert_same(state, original)
    assert vars(model.system).keys() == system.keys()
    assert [key for key, value in vars(model.system).items() if system[key] is not value] == []
