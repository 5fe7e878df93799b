"""The obstacle of wall_impact from its parameters: its shape, its normal force, its friction, and the steps at it."""
