"""Plane elasticity on scikit-fem meshes; knows neither friction nor frames."""
