"""Compiled steps beside single ones: what the tests of both kinds of body share."""

from dataclasses import replace

import numpy as np

COUNTS = ("stick", "passes", "newton_iterations", "factorisations", "fallbacks", "halvings", "steps", "rejected_steps")


def assert_twins(fast, slow, rounding=None, *, counts=True, solver=1.0):
    """1e-13 of scale, times ``solver``: energies and works of the largest of them, vectors that vanish of what they are made of; at
    least what ``rounding`` leaves of each. Without ``counts`` those of the solvers may differ."""
    largest = ("energy_kinetic", "work_external", "dissipation_friction")
    energy = max(float(np.abs(slow[name]).max()) for name in largest)
    booked = ("energy", "work", "dissipation", "balance", "friction_work")
    sizes = {name: energy for name in slow if name.startswith(booked)}
    length = float(np.abs(slow.X).max())
    momentum = float(np.abs(slow.linear_momentum).max())
    sizes |= {"rigid_residual": 1.0, "angular_momentum": length * momentum, "frame_position": length}
    sizes |= {"frame_spin": float(np.abs(slow.frame_velocity).max()) / length, "frame_angle": 1.0}
    assert set(fast.variables) == set(slow.variables)
    for name in slow.variables:
        if name in COUNTS and not counts and name != "stick":
            continue
        if name in COUNTS:
            assert np.array_equal(fast[name], slow[name]), name
        elif slow[name].dtype.kind == "f":
            one, other = fast[name].values, slow[name].values
            size = sizes.get(name, float(np.abs(other).max(initial=0.0)))
            allowed = max(solver * 1e-13 * size, (rounding or {}).get(name, 0.0))
            assert (gap := float(np.abs(one - other).max(initial=0.0))) <= allowed, (name, gap, size)
    assert float(slow.dissipation_friction.max()) > 0.0


def without_batches(model):
    """The same model, every step of which is the twin's."""
    slow = replace(model)
    slow.__dict__["integrator"] = model.integrator._replace(compiled=None)
    return slow


class Kept:
    """A keeper of all that it is shown."""

    def __init__(self):
        self.runs = []

    def after_step(self, run, sync):
        self.runs.append(run)

    def at_end(self, run):
        return run
