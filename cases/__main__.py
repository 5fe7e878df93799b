"""`python -m cases`: list the cases, run one, plot a saved run."""

from cases.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
