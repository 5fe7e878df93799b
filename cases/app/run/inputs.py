"""Parameters from a command line and a file, and the model of a case with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import ValidationError

from cases.app.parts.parameters import CaseParameters, explain, from_text
from cases.app.registry import Case
from cases.app.run.config import read_config
from cases.app.run.errors import BadInput

if TYPE_CHECKING:  # the parameters are checked without the numerics, whose import takes a second
    from floating_frame.system.model import RunModel


def assembled(case: Case, params: CaseParameters, *, stress: bool) -> RunModel:
    """Model of a case. Raises BadInput for parameters that do not make one."""
    from floating_frame import assemble

    try:
        return assemble(case.problem(params), case.options(params, stress=stress))
    except (ValueError, OSError) as error:
        raise BadInput(str(error)) from error
    except (ArithmeticError, MemoryError) as error:
        raise BadInput(f"the parameters are too large, or too small, to compute with ({error})") from error


def read_parameters(model: type[CaseParameters], given: Mapping[str, str], config: str | None) -> CaseParameters:
    """Validated parameters: the command line overrides the configuration file, which overrides the defaults."""
    return validated(model, given_values(model, given, config))


def validated(model: type[CaseParameters], values: Mapping[str, object]) -> CaseParameters:
    """Parameters with these values in place of the defaults. Raises BadInput, one line."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise BadInput(explain(model, error)) from error


def given_values(model: type[CaseParameters], given: Mapping[str, str], config: str | None) -> dict[str, object]:
    """Values of the configuration file, overridden by the command line's texts, not yet validated."""
    values = read_config(config, model) if config is not None else {}
    fields = model.model_fields
    return values | {key: from_text(fields[key], text) for key, text in given.items()}
