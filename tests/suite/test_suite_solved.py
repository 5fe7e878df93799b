"""This code within the admissible errors: every problem at its documented setting (slow), and in a shorter form."""

import pytest

from cases.app.suite import adapter, files, settings, worker

OWN = adapter.codes()[adapter.OWN]
SHORT = {
    "bouncing_bar": {"scheme": "moreau-theta", "dt": 6.6667e-3, "nx": 50},
    "filippov_plate": {"scheme": "explicit", "dt": 5e-4, "nx": 100, "ny": 24},
    "spinning_plate": {"scheme": "sdirk2", "dt": 2e-3, "nx": 4, "ny": 2},
    "ssnv128": {"scheme": "backward-euler", "dt": 2.5e-3, "nx": 16, "ny": 16},
}
"""Settings of the short forms, where the documented one takes long."""
PARTS = {
    "den_hartog": ("r 2, f/F 0.7", 4, {"amplitude": (3, 4), "stuck": (3, 4)}),
    "leine_belt": ("", 10.0, {"x_max": (0.0, 10.0), "x_min": (0.0, 10.0)}),
    "sdnd104": ("A 15", 12.0, {"wear_power": (4.0, 12.0)}),
}
"""Of long problems: the variant, the end, and when its quantities are taken (in periods, or in s)."""


@pytest.fixture(autouse=True)
def _once(monkeypatch):
    monkeypatch.setattr(adapter, "SLOW", 0.0)  # solutions are not repeated for their time


def part(name):
    """A variant up to an earlier end, with some of its quantities."""
    label, end, intervals = PARTS[name]
    (problem,) = [one for one in files.load(name) if one.variant == label]
    unit = problem.parameters.get("period", 1.0)
    asked = [
        quantity.model_copy(update={quantity.over[0]: tuple(unit * t for t in intervals[quantity.name])})
        for quantity in problem.quantities
        if quantity.name in intervals
    ]
    time = problem.time.model_copy(update={"end": unit * end})
    return problem.model_copy(update={"time": time, "quantities": tuple(asked)})


def check(problems, setting):
    module = OWN.module()
    judged = [row for problem in problems for row in worker.solved(module, problem, setting)[0]]
    assert judged
    missed = [(row["variant"], row["quantity"], row["error"], row["reason"]) for row in judged if not row["passed"]]
    assert missed == []


@pytest.mark.parametrize("name", files.names())
def test_every_problem_is_solved_in_a_short_form(name):
    problems = [part(name)] if name in PARTS else files.load(name)
    check(problems, SHORT.get(name, settings.settings(OWN, name)[0].values))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*SHORT, *PARTS}))
def test_every_problem_is_solved_at_its_documented_setting(name):
    (documented, *_) = settings.settings(OWN, name)
    assert documented.documented
    check(files.load(name), documented.values)
