"""The nodes of elastic bodies in the plane and in space: a stage's equilibrium, what acts smoothly, points, factors."""
