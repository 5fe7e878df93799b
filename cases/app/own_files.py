"""Files of a user that hold cases, and how they are imported."""

from __future__ import annotations

import hashlib
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

MODULES: dict[str, str] = {}
"""Of cases that are not in `cases/`: the module, by its name or, a user's, its file."""
OWN = "own_case_"
"""How the names of modules of users' files begin."""


def file_attributes(name: str) -> dict[str, str]:
    """Attributes ``case_file`` and ``case_checksum`` of results of a user's case; nothing for cases of this or an installed
    package."""
    file = MODULES.get(name, "")
    return {"case_file": file, "case_checksum": checksum(file)} if file.endswith(".py") else {}


def shown(name: str) -> str:
    """What a command line names a case by: its name, or the file of a user's."""
    return file_attributes(name).get("case_file", name)


def checksum(file: str) -> str:
    """Checksum of a file; empty where it cannot be read."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def of_file(file: Path) -> ModuleType:
    """Import a file once; modules that stand beside it can be imported by it."""
    name = f"{OWN}{file.stem}"
    known = sys.modules.get(name)
    if known is not None and known.__file__ == str(file):
        return known
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
