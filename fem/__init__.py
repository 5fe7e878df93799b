"""Elasticity of plates, beams and solids on scikit-fem meshes; knows neither friction nor frames."""

import warnings
from typing import Any

import lazy_loader

_exported, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "NotPositiveDefinite":  # of version 0.2
        warnings.warn("fem.NotPositiveDefinite is now fem.FactorError, by its reason", DeprecationWarning, stacklevel=2)
        name = "FactorError"
    return _exported(name)
