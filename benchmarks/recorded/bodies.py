"""Bodies, laws and grounds that the recorded runs share."""

from __future__ import annotations

from typing import Any

import numpy as np

import fem
import floating_frame as ff
from fem.beam import Beam
from friction import LAWS, Coulomb, Elliptic, Foundation, Limited, NormalForce, Smooth, StaticKinetic, UserForce
from recorded import problems as p

STAGED = ("sdirk2", "backward-euler", "moreau-theta")
RADAU, LINEAR, EXPLICIT, STILL = "radau", "linearly-implicit-trapezoidal", "explicit", "quasi-static"
LAW_SET: dict[str, Any] = {
    "coulomb": Coulomb(),
    "smooth": Smooth(0.01),
    "sliding": LAWS["sliding"](0.02, 0.06, 0.8),
    "sliding-stiction": LAWS["sliding-stiction"](0.02, 0.06, 0.8, 1e-3),
    "static-kinetic": StaticKinetic(0.8),
    "stribeck": LAWS["stribeck"](0.8, 0.1),
    "elliptic": Elliptic(1.5, 0.4),
    "force-spline": LAWS["force-spline"]((0.0, 0.05, 1.0), (0.0, 1.2, 1.5)),
    "coefficient-spline": LAWS["coefficient-spline"]((0.0, 0.05, 1.0), (0.0, 0.9, 1.0)),
    "limited": Limited(Coulomb(), 0.9),
    "limited-stiction": Limited(LAWS["sliding-stiction"](0.02, 0.06, 0.8, 1e-3), 0.9),
}
NORMALS = {
    "spring": NormalForce(stiffness=2e4),
    "damper": NormalForce(stiffness=2e4, damping=50.0, onset=1e-3),
    "jump": NormalForce(stiffness=2e4, damping=50.0, m3=0.0),
    "hertz": NormalForce(stiffness=2e5, damping=2e3, m1=1.5, m2=1.2, m3=1.5),
    "user": UserForce(lambda d, rate, t: 2e4 * d + 20.0 * rate),
}
MESHES = {"P": "triangle", "Q": "quadrilateral"}
CELLS = {"P": "tetrahedron", "Q": "hexahedron"}
CORNERS = [(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.05, 0.05)]


def plate(element: str = "P1", material: str = "st-venant-kirchhoff", nx: int = 4, ny: int = 2, E: float = 2e5) -> Any:
    """A soft plate of 0.4 m x 0.2 m."""
    mesh = fem.rectangle(0.4, 0.2, nx, ny, cell=MESHES[element[0]])
    made = fem.MATERIALS[material](E, 0.3)
    return fem.Plate.build(mesh, thickness=0.01, density=p.nudged(1000.0), material=made, element=element)


def rigid() -> Any:
    """Its rigid twin."""
    return ff.RigidBody.from_plate(plate())


def beam(E: float = 1e8) -> Any:
    """A beam of 1 m."""
    return Beam.build(length=1.0, width=0.02, thickness=0.02, E=E, density=p.nudged(1000.0), ne=8)


def axis() -> Any:
    """The same as a body that moves freely."""
    return fem.BeamAxis.build(beam())


def block(
    element: str = "Q1",
    material: str = "neo-hookean",
    E: float = 1e6,
    cells: tuple[int, int, int] = (2, 2, 1),
    viscosity: float = 0.0,
) -> Any:
    """An elastic block of 0.3 m x 0.2 m x 0.1 m."""
    mesh = fem.box(0.3, 0.2, 0.1, *cells, CELLS[element[0]])
    made = fem.MATERIALS[material](E, 0.3)
    return fem.Solid.build(mesh, density=p.nudged(1200.0), material=made, element=element, viscosity=viscosity)


def feet(height: float = 0.1, **more: Any) -> Any:
    """A rigid block of 0.2 m x 0.1 m on four feet."""
    points = [(x, y, -0.5 * height) for x, y, _ in CORNERS]
    square = np.square([0.2, 0.1, height])
    return p.RigidSolid(mass=p.nudged(1.0), inertia=tuple((square.sum() - square) / 12.0), shape=p.Feet(points), **more)


def ball(radius: float = 0.05) -> Any:
    """A homogeneous rigid ball."""
    return p.RigidSolid(mass=p.nudged(1.0), inertia=(0.4 * radius**2,) * 3, shape=p.Ball(radius))


def base() -> Any:
    """A rigid block on a flat base of 4 x 3 points."""
    points = [(x, y, -0.05) for x in np.linspace(-0.1, 0.1, 4) for y in np.linspace(-0.05, 0.05, 3)]
    areas = np.full(12, 0.02 / 12.0)
    return p.RigidSolid(mass=p.nudged(1.0), inertia=(1e-3, 2e-3, 2.5e-3), shape=p.Base(points, areas))


def top() -> Any:
    """A rigid body that touches nothing, with a full tensor of inertia."""
    return p.RigidSolid(mass=p.nudged(1.0), inertia=[[2e-3, 2e-4, 0.0], [2e-4, 3e-3, -1e-4], [0.0, -1e-4, 4e-3]])


def rough(law: Any, mu: float = 0.3, **more: Any) -> Foundation:
    """A foundation under 98.1 Pa."""
    return Foundation(law, mu, **({"pressure": 98.1} | more))


def belt(time: float) -> tuple[float, float]:
    """A belt that jumps."""
    return (0.1 + 0.2 * time, 0.05) if time <= 0.03 else (-0.1, 0.0)


def changing(X: np.ndarray, time: float) -> np.ndarray:
    """A pressure that grows and jumps."""
    return 98.1 * (1.0 + X[:, 0]) * (1.0 + 3.0 * time if time <= 0.03 else 0.5)


def tilted(*components: float) -> tuple[float, ...]:
    """A quaternion of length one."""
    return tuple(np.array(components) / np.linalg.norm(components))
