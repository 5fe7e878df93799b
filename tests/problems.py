"""Models and runs of problems, as tests of all rooms ask for them in one call."""

from dataclasses import fields

from floating_frame import Contact, InitialState, Options, Problem, assemble, simulate

_NAMES = {kind: {field.name for field in fields(kind)} for kind in (Options, InitialState, Contact)}


def assembled(body, t_end, dt, scheme="sdirk2", **given):
    """The model of a body until t_end. What is named as an option (tolerance), of the start (velocity, spin) or of one contact
    (obstacle, mu) is that; all else is of the problem."""
    options, start, touching = ({k: given.pop(k) for k in names & given.keys()} for names in _NAMES.values())
    given |= {"initial": InitialState(**start)} if start else {}
    given |= {"contacts": (Contact(**touching),)} if touching else {}
    return assemble(Problem(body, t_end, **given), Options(dt, scheme, **options))


def run(body, t_end, dt, scheme="sdirk2", **given):
    """The trajectory of a body; arguments as for `assembled`."""
    return simulate(assembled(body, t_end, dt, scheme, **given))
