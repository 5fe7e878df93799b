"""Exact solutions in one coordinate: rods and the annulus."""
