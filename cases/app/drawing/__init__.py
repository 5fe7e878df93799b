"""Pictures and films of saved runs. The functions with which the cases draw are imported here on demand."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
