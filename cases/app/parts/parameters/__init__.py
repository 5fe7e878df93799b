"""Parameters of the cases: typed, bounded, frozen models, the same for command line, TOML and Python.

A parameter is declared once, in the file of its subject, with its meaning, unit and bounds; groups collect what belongs together,
and the sets of plane and space are composed of groups. A case's own `Parameters` adds what it has besides, and defaults.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
