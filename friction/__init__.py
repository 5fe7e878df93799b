"""Coulomb friction for a known pressure: laws, foundations and the convex friction problem."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
