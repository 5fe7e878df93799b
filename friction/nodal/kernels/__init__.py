"""Compiled loops of the nodal friction problem; tests hold each equal to a plain twin."""
