"""Models and runs of problems, as tests of all rooms ask for them in one call."""

from dataclasses import fields

from floating_frame import Options, Problem, assemble, simulate

_OPTIONS = {field.name for field in fields(Options)}


def assembled(body, t_end, dt, scheme="sdirk2", **given):
    """The model of a body until t_end; what is named as an option, such as tolerance, is one, all else is of the problem."""
    options = {name: given.pop(name) for name in _OPTIONS & given.keys()}
    return assemble(Problem(body, t_end, **given), Options(dt, scheme, **options))


def run(body, t_end, dt, scheme="sdirk2", **given):
    """The trajectory of a body; arguments as for `assembled`."""
    return simulate(assembled(body, t_end, dt, scheme, **given))
