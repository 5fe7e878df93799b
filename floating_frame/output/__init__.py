"""Trajectories: sinks and variables."""
