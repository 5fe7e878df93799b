"""Settings of the codes: the documented one of each problem, and further ones for pictures of error over CPU time.

The settings of the suite's codes are in `settings/NAME.toml`, a table per problem:

    [sdnd100]
    documented = { scheme = "sdirk2", dt = 1e-3 }
    further = [{ scheme = ["moreau-theta", "backward-euler"], dt = [1e-3, 1e-4] }]      # all combinations

Another adapter has them in `SETTINGS`, a dictionary of the same form; default: one setting, {}. The table "*" is for all
problems without their own."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cases.app.run.errors import BadInput
from cases.app.suite.adapter import FOLDER, Code

STORED = Path(__file__).parent / "settings"


class Setting(NamedTuple):
    """A setting: its ``values``; ``documented``: it is the one on the problem's page."""

    values: dict[str, Any]
    documented: bool

    @property
    def label(self) -> str:
        """Text for rows and pictures."""
        return ", ".join(f"{name} {_word(value)}" for name, value in self.values.items()) or "default"


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def settings(code: Code, problem: str) -> list[Setting]:
    """Settings of a code for a problem, the documented one first. Raises BadInput for settings of another form."""
    stored = _given(code)
    table = stored.get(problem, stored.get("*", {}))
    if not isinstance(table, Mapping) or not set(table) <= {"documented", "further", "note"}:
        raise BadInput(f"{code.name}: expected settings with documented and further for {problem}, got {table!r}")
    documented = dict(table.get("documented", {}))
    further = [one for group in table.get("further", []) for one in _combinations(group)]
    return [Setting(documented, True), *(Setting(one, False) for one in further if one != documented)]


def note(code: Code, problem: str) -> str:
    """Note on a code's settings for a problem."""
    stored = _given(code)
    return str(stored.get(problem, stored.get("*", {})).get("note", ""))


def _given(code: Code) -> dict[str, Any]:
    if code.path.parent == FOLDER:
        file = STORED / f"{code.path.stem}.toml"
        return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    if code.missing() is not None:
        return {}
    try:
        stored = getattr(code.module(), "SETTINGS", {})
    except (Exception, SystemExit):  # a file that cannot be imported is reported in its rows
        return {}
    if not isinstance(stored, Mapping):
        raise BadInput(f"{code.name}: expected a dictionary of settings by problems, got {type(stored).__name__}")
    return dict(stored)


def _combinations(group: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All combinations of values that are lists."""
    lists = [value if isinstance(value, list) else [value] for value in group.values()]
    for values in itertools.product(*lists):
        yield dict(zip(group, values, strict=True))


def key(values: Mapping[str, Any]) -> str:
    """Text of a setting as a key."""
    return json.dumps(values, sort_keys=True)
