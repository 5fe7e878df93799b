"""Elasticity of plates, beams and solids on scikit-fem meshes; knows neither friction nor frames."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
