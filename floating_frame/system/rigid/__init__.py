"""The rigid body: three unknowns, friction under a row of points."""
