from . import law_blocks as law_blocks
from . import laws as laws
from .elements import internal_force

__all__ = ["internal_force", "law_blocks", "laws"]
