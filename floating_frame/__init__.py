"""The floating frame: rigid motion, deformation and friction in one staggered step."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
