"""The floating frame: rigid motion, deformation and friction in one staggered step."""
