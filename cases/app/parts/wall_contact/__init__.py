"""The obstacle of wall_impact from its parameters: shape, normal force, friction, and steps near contact."""
