"""The name that version 0.2 had for `cases.command.cli`."""

import warnings

from cases.command.cli import main as main

warnings.warn("cases.cli is now cases.command.cli", DeprecationWarning, stacklevel=2)
