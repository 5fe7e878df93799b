"""Friction laws: lambda as a function, or a set-valued function, of the slip velocity."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
