"""Runs that a change of the code's plan must leave as they were, by group, and how two records of them are compared."""

import os

# Before NumPy is imported: sums over several threads do not repeat themselves to the last bit.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"
os.environ.setdefault("MPLBACKEND", "Agg")
