"""Friction under a rigid row of points: three unknowns, one multiplier a point."""
