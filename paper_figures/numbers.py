"""The numbers of a figure, computed and tested before it is drawn, and its entry in the manifest."""

from typing import Any

Numbers = dict[str, Any]
"""Arrays, numbers and texts by name, and dictionaries and lists of them. The entries are each figure's own, so that no type says
more: its function `numbers` writes them, its `draw` reads them, and the tests hold both together."""
Record = dict[str, Any]
"""Entry of a figure or a run in the manifest or the store, as JSON."""
