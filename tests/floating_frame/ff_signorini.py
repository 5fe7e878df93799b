"""Bodies, walls and runs that the tests of exact contact share."""

import numpy as np
from scipy.sparse import diags_array

import fem
from floating_frame import InitialState, Options, Problem, RigidBody, assemble, simulate
from floating_frame.contact.contact import Contact, Signorini
from floating_frame.contact.shapes import Line

LENGTH, WIDTH, THICKNESS, DENSITY = 0.4, 0.2, 0.01, 1000.0
MASS = DENSITY * LENGTH * WIDTH * THICKNESS
INERTIA = MASS * (LENGTH**2 + WIDTH**2) / 12.0
WALL_AT = 0.25
WALL = Line((WALL_AT, 0.0), (-1.0, 0.0))
SCHEMES = ("backward-euler", "moreau-theta")


def elastic(nx=8, ny=4, *, E=2e5, nu=0.3, width=WIDTH, **more):
    mesh = fem.rectangle(LENGTH, width, nx, ny, cell="triangle")
    return fem.Plate.build(
        mesh, thickness=THICKNESS, density=DENSITY, material=fem.StVenantKirchhoff(E, nu), element="P1", **more
    )


def block(nx=4, ny=2):
    return RigidBody.from_plate(elastic(nx, ny))


def corner(body, x=1, y=1):
    """The node at a corner, in the direction of the signs given."""
    return [int(np.argmax(body.X @ [x, y]))]


def point_mass(mass=1.0):
    """A rigid body whose node 0 is its centre of mass: a point, but for the two masses that give it a moment of inertia."""
    X = np.array([[0.0, 0.0], [0.01, 0.0], [-0.01, 0.0]])
    matrix = diags_array(mass * np.array([0.98, 0.01, 0.01])).tocsr()
    return RigidBody(X, np.full(3, 1e-6), matrix, np.array([[0, 1, 2]], np.int32), {})


def thrown(
    velocity,
    *,
    body=None,
    spin=0.0,
    e=0.0,
    mu=0.0,
    wall=WALL,
    nodes=None,
    dt=1e-3,
    t_end=0.3,
    scheme="moreau-theta",
    **more,
):
    """A run of a body thrown at a wall; ``more``: foundation, loads, frame of the problem, theta of the scheme."""
    body = block() if body is None else body
    place = {"edge": "right"} if nodes is None else {"nodes": nodes}
    contact = Contact(wall, normal=more.pop("normal", Signorini(e)), mu=mu, **place)
    options = Options(dt, scheme, tolerance=1e-12, **{k: more.pop(k) for k in ("theta",) if k in more})
    problem = Problem(body, t_end, initial=InitialState(velocity, spin), contacts=(contact,), **more)
    return simulate(assemble(problem, options))


def body_positions(run):
    """Positions of the body's mesh nodes, (time, node, 2) m: of a rigid body they are not its friction points."""
    if "body_X" not in run:
        return run.position.values
    angle, X = run.frame_angle.values, run.body_X.values
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    turned = np.stack([c * X[:, 0] - s * X[:, 1], s * X[:, 0] + c * X[:, 1]], axis=2)
    return run.frame_position.values[:, None] + turned


def gaps(run, wall=WALL, nodes=None):
    """Gap of the nodes at every stored instant, (time, node) m."""
    positions = body_positions(run)
    positions = positions if nodes is None else positions[:, nodes]
    return np.array([wall.gap(x, t).gap for x, t in zip(positions, run.time.values, strict=True)])


def touches(run):
    """(time,) whether the wall pushes."""
    return np.linalg.norm(run.contact_force.values, axis=1) > 1e-9


def impulse(run):
    """Sum of contact forces over the steps, (2,) N s."""
    return np.diff(run.time.values) @ run.contact_force.values[1:]
