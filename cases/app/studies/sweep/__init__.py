"""Sweeps: a grid of parameters, workers, one dataset."""
