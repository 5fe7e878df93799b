"""Origin of results, an attribute of every saved run: versions of the libraries and the commit of this code."""

from __future__ import annotations

import json
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

OWN = "floating-frame-friction"
LIBRARIES = ("numpy", "scipy", "scikit-fem", "numba", "xarray", "netCDF4", "matplotlib", OWN)


def versions() -> dict[str, str]:
    """Versions of Python, the libraries and this code."""
    return {"python": platform.python_version(), **{name: _version(name) for name in LIBRARIES}}


@cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


@cache
def git_commit() -> str:
    """Commit this code was run from, with '-dirty' where files differ from it, or 'unknown'."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip()


def provenance() -> dict[str, str]:
    """Versions and commit as attributes of a trajectory."""
    return {"versions": json.dumps(versions()), "git_commit": git_commit()}
