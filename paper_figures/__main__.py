"""`python -m paper_figures`: make the figures, or list them."""

from paper_figures.command import main

if __name__ == "__main__":
    raise SystemExit(main())
