"""`python -m cases`: list the cases, run one, plot a saved run."""

from cases.command.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
