"""Beyond what a run should not be believed: all limits of the verdict in one place (docs/verdict.md explains them)."""

from __future__ import annotations

NUMERICAL_ENERGY = 0.05
"""Energy that the time scheme takes, or puts in, over the largest energy at play."""

EXPLICIT_SWING = 0.5
"""Growth of T + U over the largest energy that central differences may show while what they conserve does not grow."""

ANGULAR_MOMENTUM = 0.01
"""Change of the angular momentum about the centre of mass while nothing turns the body, over its largest value."""

SMALL_STRAIN = 0.02
"""Largest principal strain of what is linearly elastic: small-strain materials, fibres of a beam."""

SMALL_ROTATION = 0.1
"""Rotation, rad, of a small-strain material in its frame."""

BEAM_SLOPE = 0.2
"""Slope |w'| of a linear beam."""

COMPRESSION = 0.7
"""Smallest principal stretch of St. Venant–Kirchhoff material."""

PENALTY_PENETRATION = 0.1
"""Penetration of a penalty contact, and of a way through an obstacle, over the least extent of the body or of the obstacle."""

EXACT_PENETRATION = 1e-8
"""Penetration of exact contact over the size of the body: what rounding leaves of gaps."""

EDGE_PENETRATION = 1e-3
"""Penetration between the nodes of an edge whose nodes are in exact contact, over the least extent of the body or of the obstacle:
what straight edges cut off a round obstacle, h²/(8 R) for nodes h apart at a circle of radius R."""

STEP_ANGLE = 0.3
"""Angle, rad, by which the body turns within an equal step: 20 steps and more a turn."""

CONTACT_STEPS = 5
"""Equal steps that a penalty contact takes at least from touch to release."""

CONTACT_IMPULSE = 0.05
"""Part of the largest momentum below which a penalty contact may pass unresolved."""
