"""States and steps of a model one by one, without a run."""


def initial_state(model):
    """Return the state of a model at t = 0."""
    return model.integrator.initial(model)


def step(model, state, dt, end=None):
    """Advance a model by one step of ``dt`` s to ``end`` s (default time + dt)."""
    return model.integrator.step(model, state, dt, end)
