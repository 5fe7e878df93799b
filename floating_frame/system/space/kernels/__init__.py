"""A rigid body in space, compiled: algebra, the cone problem in six unknowns, stage, projection, steps."""
