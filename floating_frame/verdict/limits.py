"""Limits of the verdict (docs/verdict.md explains them)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

NUMERICAL_ENERGY = 0.05
"""Energy removed or added by the time scheme over the largest energy at play."""

STATIC = 1e-3
"""Kinetic energy at the ends of a step over the work of the loads in it, up to which the step is quasi-static. A step Δt from rest
ends with the velocity displacement/Δt: for an oscillator with ½/(ω Δt)² of the work, this limit at three and a half periods."""

STEP_ERROR = 0.05
"""Estimated error of the steps in the positions of the nodes over their largest displacement, and relative error of a headline
number of the motion."""

FALL_PASSED = 0.02
"""Part of the largest speed that steps leave open which pass over the fall of a friction law."""

EXPLICIT_SWING = 0.5
"""Growth of T + U over the largest energy that central differences may show at constant invariant."""

ANGULAR_MOMENTUM = 0.01
"""Change of the angular momentum about the centre of mass while nothing turns the body, over its largest value."""

PENALTY_PENETRATION = 0.1
"""Penetration of a penalty contact, and of a path through an obstacle, over the least extent of the body or of the obstacle."""

EXACT_PENETRATION = 1e-8
"""Penetration of exact contact over the size of the body: rounding of gaps."""

EDGE_PENETRATION = 1e-3
"""Penetration between the nodes of an edge whose nodes are in exact contact, over the least extent of the body or of the obstacle:
h²/(8 R) for nodes h apart on a circle of radius R. Of faces of a solid in space over the largest distance of its points from its
centre."""

OUTLINE_PENETRATION = 1e-3
"""Depth in obstacles of parts of a body in space without contact points, and of paths within a step, over the size of the body."""

STEP_ANGLE = 0.3
"""Rotation, rad, of the body within an equal step: 20 steps and more a turn."""

LOAD_BEND = 0.01
"""Deviation of a course of loads or friction bounds from straight lines within equal steps, over its impulse: 18 steps to a period
of a cosine."""

CONTACT_STEPS = 5
"""Least number of equal steps of a penalty contact from touch to release."""

CONTACT_IMPULSE = 0.05
"""Part of the largest momentum below which a penalty contact may pass unresolved."""

PAINLEVE = 0.0
"""Painlevé's number W_nn − μ W_nt·n̂, 1/kg, up to which motion is undetermined."""

SMALLEST_SIZE, LARGEST_SIZE = 1e-6, 100.0
"""Size of a body, m, beyond which its units are in doubt."""

LARGE = "take st-venant-kirchhoff or neo-hookean"


@dataclass(frozen=True)
class Extreme:
    """The limit ``value`` of a diagnostic at the ends of steps; beyond it a warning ``name`` with ``words``. ``least``: a lower
    limit; ``needed``: a lower limit of the maximum. ``over``: the length of the model that scales a depth; ``attribute`` of the
    trajectory with its value."""

    name: str
    value: float
    words: str
    least: bool = False
    needed: bool = False
    over: str = ""
    attribute: str = ""

    def worst(self, values: Iterable[float]) -> float:
        """Value nearest to the limit, or farthest beyond it."""
        return min(values) if self.least else max(values)

    def exceeded_by(self, value: float) -> bool:
        """True if a value is beyond the limit."""
        return value <= self.value if self.least or self.needed else value > self.value


STRAINS = {
    "strain": Extreme(
        "strain-range",
        0.02,
        f"the small-strain material is strained by {{percent:.3g}} %: {LARGE}, or smaller loads",
    ),
    "rotation": Extreme(
        "strain-range", 0.1, f"the small-strain material turns by {{value:.3g}} rad in its frame: {LARGE}"
    ),
    "stretch": Extreme(
        "strain-range",
        0.7,
        "St. Venant-Kirchhoff material is compressed to the stretch {value:.3g}, where it softens: take neo-hookean",
        least=True,
    ),
    "slope": Extreme(
        "strain-range",
        0.2,
        "the linear beam has a slope of {value:.3g}: take motion free, a plate, or a smaller load",
    ),
    "fibre": Extreme("strain-range", 0.02, "the linearly elastic beam is strained by {value:.3g}: take a smaller load"),
}
"""Largest principal strain, - (and rotation, rad) of linearly elastic material, smallest principal stretch of St. Venant-Kirchhoff
material, slope |w'| of a linear beam, strain of the fibres of a beam."""

COURSES = {
    "load_bend": Extreme(
        "unresolved",
        LOAD_BEND,
        "the course of a load or of the friction bounds bends within the steps, by {share} of its impulse: {advice}",
    )
}
"""Deviation of load histories, and of friction bounds that change in time, from straight lines within the steps."""

SIZES = {
    "too_large": Extreme(
        "units",
        LARGEST_SIZE,
        f"the body is {{value:.3g}} m in size, more than {LARGEST_SIZE:g} m: are all lengths in metres?",
    ),
    "too_small": Extreme(
        "units",
        SMALLEST_SIZE,
        f"the body is {{value:.3g}} m in size, less than {SMALLEST_SIZE:g} m: are all lengths in metres?",
        least=True,
    ),
}
"""Size of a body at rest, m, twice its largest distance from the centre of mass, where metres are doubtful."""

UNIQUE = {
    "painleve": Extreme(
        "painleve",
        PAINLEVE,
        "mu is too large for a pose of the body (Painlevé's number {value:.3g} <= 0): its motion need be neither unique "
        "nor continuous, and forces depend on the step: take a smaller mu",
        least=True,
        attribute="painleve_number",
    )
}
"""Painlevé's number: where it is not positive the equations in continuous time have no solution, or several. A step still has one,
perhaps with an impact without a collision (Painlevé 1895; Génot & Brogliato 1999)."""

PRESSED = {
    "presses": Extreme(
        "nothing-presses",
        0.0,
        "nothing presses the body on the ground, so that mu does nothing: give it a weight or a load, or mu = 0",
        needed=True,
    )
}
"""1 if a point presses, on ground with friction."""

DEPTHS = {
    "outline_penetration": Extreme(
        "penetration",
        OUTLINE_PENETRATION,
        "a part of the body that cannot touch the ground sinks {depth:.3g} m into it: end the run before it falls over",
        over="radius",
    ),
    "path_penetration": Extreme(
        "penetration",
        OUTLINE_PENETRATION,
        "a point of the body passes {depth:.3g} m deep through an obstacle within a step: take a smaller dt",
        over="radius",
    ),
    "penalty_penetration": Extreme(
        "penetration",
        PENALTY_PENETRATION,
        "the contact penetrates by {percent:.3g} % of the size of the body: take a larger stiffness",
        over="thinnest",
    ),
    "face_penetration": Extreme(
        "penetration",
        EDGE_PENETRATION,
        "an obstacle is up to {depth:.3g} m deep in a face of the body between its nodes, which alone touch: take a finer "
        "mesh there",
        over="radius",
    ),
}
"""Depths, m, in space: of parts without contact points below the ground, as after tipping over; of straight paths of points between
steps, in an obstacle; of penalty contacts; of obstacles in faces of a solid between its nodes."""
