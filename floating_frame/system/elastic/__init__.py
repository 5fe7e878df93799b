"""Elastic bodies in the plane and in space: equilibrium of a stage, smooth forces, material points, sparse factors."""
