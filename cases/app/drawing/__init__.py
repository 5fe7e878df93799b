"""Pictures and films of saved runs; here, what the pictures of cases are drawn with, imported when it is asked for."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
