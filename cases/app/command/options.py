"""Options of the commands: with a text, without a value, and for the parameters of a case."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter

from cases.app.command.help import group, idle, place
from cases.app.registry import CASES, load
from cases.app.run.errors import BadInput

if TYPE_CHECKING:
    from cases.app.parts.parameters import CaseParameters
    from cases.app.run.estimate import Estimate

METAVARS = {float: "NUMBER", int: "INTEGER", bool: "BOOLEAN", str: "NAME", tuple: "NUMBERS"}
CONFIG = "FILE.toml|summary.json"


def keyword(name: str, kind: object, default: object, parameter: Parameter) -> inspect.Parameter:
    """Option `--name` of a kind, described by `parameter`."""
    plain = Parameter(name=f"--{name}", negative="", show_default=False)
    return inspect.Parameter(
        name.replace("-", "_"),
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, plain, parameter],
    )


def option(name: str, metavar: str, meaning: str, placed: Group | None = None) -> inspect.Parameter:
    """Option `--name VALUE` in the group `placed` of the help. Its text is passed on unchanged, with a leading minus sign."""
    where = placed or group(name)
    parameter = Parameter(help=meaning, metavar=metavar, allow_leading_hyphen=True, group=where)
    return keyword(name, str | None, None, parameter)


FORCE = "--force"


def replace_option(name: str) -> inspect.Parameter:
    """The switch --force; --replace for a case with a parameter named force (see `without_value`)."""
    taken = "force" in load(name).Parameters.model_fields
    also = f"; also {FORCE} without a value" if taken else ""
    return switch("replace" if taken else "force", f"replace results of another case or version in DIR{also}")


def without_value(tokens: list[str]) -> list[str]:
    """Replace --force without a value by --replace where the case has a parameter named force."""
    if (
        FORCE not in tokens
        or tokens[0] not in ("run", "sweep", "converge", "modes")
        or len(tokens) < 2
        or tokens[1] not in CASES
    ):
        return tokens
    if "force" not in load(tokens[1]).Parameters.model_fields:
        return tokens
    bare = [
        token == FORCE and following.startswith("--")
        for token, following in zip(tokens, [*tokens[1:], "--"], strict=True)
    ]
    return ["--replace" if alone else token for token, alone in zip(tokens, bare, strict=True)]


def switched(given: dict[str, object]) -> bool:
    """Remove the switch --force or --replace from the options `given`, and return its value."""
    return bool(given.pop("replace", False)) or (given.get("force") is True and bool(given.pop("force")))


CHECKPOINT_EVERY = option(
    "checkpoint_every", "NUMBER", "wall-clock time between two checkpoints [s]; default 60; inf: none"
)


def parameter_options(name: str, tokens: Sequence[str]) -> list[inspect.Parameter]:
    """Options of a case's parameters; those without effect beside the choices in `tokens` are in a group of their own."""
    from cases.app.parts.parameters import base_type, describe, is_field

    model, unread = load(name).Parameters, _unread(name, tokens)
    fields, own = model.model_fields, model.HEADINGS
    kinds = {key: "EXPRESSION" if is_field(field) else METAVARS[base_type(field)] for key, field in fields.items()}
    apart = idle(unread.values())
    return [
        option(key, kinds[key], describe(fields[key]), apart if key in unread else group(key, "Loads", own))
        for key in sorted(fields, key=lambda key: place(key, own))
    ]


def _unread(name: str, tokens: Sequence[str]) -> dict[str, str]:
    """{parameter: choice} of the parameters without effect beside the choices in `tokens`; empty where these are refused."""
    try:
        return among(name, tokens).unread()
    except BadInput:
        return {}


def among(name: str, tokens: Sequence[str]) -> CaseParameters:
    """Parameters of a case from `tokens`, other tokens ignored. Raises BadInput."""
    from cases.app.run.inputs import read_parameters

    model = load(name).Parameters
    pairs = [*pairwise(tokens), *(token.split("=", 1) for token in tokens if "=" in token)]
    given = {option.removeprefix("--"): text for option, text in pairs if option.startswith("--")}
    own = {key: text for key, text in given.items() if key in model.model_fields and not text.startswith("--")}
    return read_parameters(model, own, None)


def switch(name: str, meaning: str) -> inspect.Parameter:
    """Option `--name` without a value."""
    return keyword(name, bool, False, Parameter(help=meaning, group=group(name)))


ESTIMATE = switch("estimate", "estimate the errors of the numbers by a companion run with twice the step")
ESTIMATE_MESH = switch("estimate_mesh", "estimate the errors of the mesh too, by another run with half the cells")


def estimated(given: dict[str, object], default: Estimate = "") -> Estimate:
    """Remove the switches of the error estimate from the options `given`, and return it. Raises BadInput for a contradiction."""
    chosen = {name: bool(given.pop(name, False)) for name in ("no_estimate", "estimate", "estimate_mesh")}
    if chosen["no_estimate"] and (chosen["estimate"] or chosen["estimate_mesh"]):
        raise BadInput("expected --no-estimate or an estimate, got both")
    if chosen["no_estimate"]:
        return ""
    return "mesh" if chosen["estimate_mesh"] else "steps" if chosen["estimate"] else default
