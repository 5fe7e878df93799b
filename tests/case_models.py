"""The cases' models and runs in memory, as tests of all rooms ask for them."""

from floating_frame import assemble, simulate


def model_of(case, **given):
    """Parameters and model of a case."""
    params = case.Parameters(**given)
    return params, assemble(case.problem(params), case.options(params))


def computed(case, **given):
    """Parameters and trajectory of a case."""
    params, model = model_of(case, **given)
    return params, simulate(model)


def summarised(case, **given):
    """Parameters, trajectory and headline numbers of a case."""
    params, data = computed(case, **given)
    return params, data, case.summary(params, data)
