"""States and steps of a model one by one, without a run; and steps that tests put in the place of the library's."""

from importlib import import_module

# The package shows the function of that name; this is the module.
_looping = import_module("floating_frame.assemble")


def initial_state(model):
    """Return the state of a model at t = 0."""
    return model.integrator.initial(model)


def step(model, state, dt, end=None):
    """Advance a model by one step of ``dt`` s to ``end`` s (default time + dt)."""
    return model.integrator.step(model, state, dt, end)


def replace_step(monkeypatch, other):
    """Let `other(sound, model, state, dt, end)` take each step of stages, `sound` being the library's."""
    sound = _looping.STAGED.step

    def step(model, state, dt, end_time=None):
        return other(sound, model, state, dt, end_time)

    monkeypatch.setattr(_looping, "STAGED", _looping.STAGED._replace(step=step))
