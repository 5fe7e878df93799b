"""The floating frame: rigid motion, deformation and friction in one staggered step."""

import os

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

if not os.environ.get("FLOATING_FRAME_LAZY"):  # xarray takes most of a second; commands import it where they need it
    import floating_frame.output.accessor as _  # noqa: F401  # any dataset that xarray opens from now on has ``.fff``
