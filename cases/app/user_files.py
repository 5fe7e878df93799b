"""Files of a user that hold cases, and how they are imported."""

from __future__ import annotations

import hashlib
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

MODULES: dict[str, str] = {}
"""Modules of the cases outside of `cases/`: names of modules, of a user's cases files."""
OWN = "own_case_"
"""Prefix of the modules' names of users' files."""


def file_attributes(name: str) -> dict[str, str]:
    """Attributes ``case_file`` and ``case_checksum`` of results of a user's case; empty for other cases."""
    file = MODULES.get(name, "")
    return {"case_file": file, "case_checksum": checksum(file)} if file.endswith(".py") else {}


def shown(name: str) -> str:
    """Name of a case on the command line; of a user's case its file."""
    return file_attributes(name).get("case_file", name)


def checksum(file: str) -> str:
    """Checksum of a file; empty where it cannot be read."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def of_file(file: Path) -> ModuleType:
    """Import a file once; it can import modules from its own folder."""
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
