"""A rigid body in space, compiled: algebra, the cone problem in six numbers, one stage, projection, whole steps."""
