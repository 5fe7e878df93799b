"""`python -m cases`: list the cases, run one, plot a saved run."""

import os

os.environ.setdefault("FLOATING_FRAME_LAZY", "1")  # before anything imports floating_frame

from cases.app.command.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
