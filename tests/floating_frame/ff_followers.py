"""Runs under following loads, a follower on a body, and its traction by plain formulas, which the tests of them share."""

import numpy as np
from ff_examples import rough
from problems import assembled, run

from floating_frame import InitialState, MeanAxis
from floating_frame.frame.kinematics import turned


def run_of(body, *loads, dt=1e-3, scheme="sdirk2", t_end=0.05, spin=6.0, frame=None, mu=None, shape=None, **options):
    start = InitialState((0.4, -0.2), spin, shape)
    given = {"foundation": None if mu is None else rough(mu), "loads": loads, "frame": frame or MeanAxis()}
    return run(body, t_end, dt, scheme, initial=start, **given, **options)


def follower(body, load):
    return assembled(body, 1.0, 0.1, loads=(load,)).loads.followers[0][1]


def thrust(data, body, edge, normal, tangential):
    """Force and moment about the origin, at all instants, of a traction of fixed size on straight segments."""
    segments = body.edge_segments(edge)
    X, x = body.X, data.position.values
    length = np.linalg.norm(X[segments[:, 1]] - X[segments[:, 0]], axis=1)
    a, b = x[:, segments[:, 0]], x[:, segments[:, 1]]
    e = (b - a) / np.linalg.norm(b - a, axis=2, keepdims=True)
    force = (tangential * e - normal * turned(e)) * (length / length.sum())[:, None]
    middle = 0.5 * (a + b)
    moment = middle[..., 0] * force[..., 1] - middle[..., 1] * force[..., 0]
    return force.sum(axis=1), moment.sum(axis=1)
