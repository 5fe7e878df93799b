"""A puck is thrown along a table: it slides until friction stops it.

Reference: Coulomb's law.
"""

from typing import Annotated

import numpy as np

from cases.app.case import headline, main, quantity
from cases.app.parts import bodies, parameters
from floating_frame import InitialState, Problem, RigidBody

MASS, RADIUS = 3.0, 0.1


class Parameters(parameters.Parameters):
    """Parameters with unit, meaning, default and bounds."""

    t_end: parameters.EndTime = 0.3
    dt: parameters.TimeStep = 2e-3
    mu: parameters.Mu = 0.5
    speed: Annotated[float, quantity("m/s", "speed of the throw", gt=0)] = 1.0


def problem(params):
    """Puck on the table under its weight, and its throw."""
    area = np.pi * RADIUS**2
    return Problem(
        body=RigidBody.disc(RADIUS, MASS, 4, 12),
        t_end=params.t_end,
        foundation=bodies.foundation(params, mass=MASS, area=area),
        initial=InitialState(velocity=(params.speed, 0.0)),
    )


options = bodies.options


def summary(params, data):
    """Headline numbers with their exact values."""
    end, brake = float(data.frame_position.values[-1, 0]), params.mu * params.gravity
    stops = params.speed <= brake * params.t_end
    return {"x_end": headline(end, "m", "distance of the puck", exact=params.speed**2 / (2 * brake) if stops else None)}


def draw(params, data, figure):
    """Draw the speed over the time."""
    axes = figure.subplots()
    axes.plot(data.time, data.frame_velocity[:, 0])
    axes.set(xlabel="t / s", ylabel="speed / (m/s)")


if __name__ == "__main__":
    main(__file__)
