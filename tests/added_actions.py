"""Files that add what acts on bodies of the library, or is in them: an effect, a load, an obstacle, a material."""

EFFECT = '''
    """Drag of a fluid on a point: F = -c |v| v, with D = c |v|**3."""

    from dataclasses import dataclass

    import numpy as np

    from floating_frame.effect.protocol import Effect, PointForce, Record


    @dataclass(frozen=True)
    class Drag:
        """c N s2/m2 at an edge or a point."""

        at: object
        c: float

        def on(self, attached):
            return DragEffect(self.c * attached.shares, attached.points)


    class DragEffect(Effect):
        name = "drag"

        def __init__(self, c, points):
            self.c, self.points = c, points

        def for_stage(self, time, internal, tau, *, left=True):
            return Acting(self.c)


    @dataclass(frozen=True)
    class Acting:
        c: np.ndarray

        def at(self, x, v):
            speed = np.linalg.norm(v, axis=1)
            along = np.einsum("pa,pb->pab", v, v) / np.where(speed > 0.0, speed, 1.0)[:, None, None]
            slope = self.c[:, None, None] * (speed[:, None, None] * np.eye(v.shape[1]) + along)
            return PointForce((-self.c * speed)[:, None] * v, None, -slope)

        def record(self, x, v, force):
            return Record(force, dissipated=float(self.c @ np.linalg.norm(v, axis=1) ** 3))
'''

LOAD = '''
    """A dead force at the node nearest to a place, in the plane or in space."""

    from dataclasses import dataclass

    import numpy as np


    @dataclass(frozen=True)
    class PointForce:
        """`force` (d,) N at the node nearest to the reference place (d,) m."""

        place: tuple
        force: tuple
        history: object

        def nodal_shape(self, body, nodal_mass):
            shape = np.zeros(len(body.X))
            shape[np.argmin(np.linalg.norm(body.X - self.place, axis=1))] = 1.0
            return shape, np.array(self.force)
'''

OBSTACLE = '''
    """A ring-shaped pipe about z, in the plane a ring-shaped corridor, with the body inside."""

    from dataclasses import dataclass

    import numpy as np

    from floating_frame import Obstacle, RigidMotion
    from floating_frame.contact.obstacles import Gap


    @dataclass(frozen=True)
    class Ring(Obstacle):
        """Its middle line has the radius `R` m, its bore the radius `bore` m."""

        R: float
        bore: float
        dimension: int = 3
        motion: RigidMotion = RigidMotion()

        def shape_gap(self, y):
            rho = np.hypot(y[:, 0], y[:, 1])[:, None]
            out, round_ = np.zeros_like(y), np.zeros_like(y)
            out[:, :2] = y[:, :2] / rho
            round_[:, 0], round_[:, 1] = -out[:, 1], out[:, 0]
            arm = y - self.R * out
            size = np.linalg.norm(arm, axis=1, keepdims=True)
            n = arm / size
            across = np.eye(y.shape[1]) - n[:, :, None] * n[:, None, :]
            along = round_[:, :, None] * round_[:, None, :]
            bent = (across - along * (self.R / rho)[:, :, None]) / size[:, :, None]
            return Gap(self.bore - size[:, 0], -n, -bent)
'''

MATERIAL = '''
    """W = mu (tr C - 3)/2 - mu log J + lambda (log J)**2/2, by its stress and moduli at a point, in the plane and in space."""

    import math
    from typing import NamedTuple

    from numba import njit

    import fem

    W = fem.LANES


    class Rubber(NamedTuple):
        lam: float
        mu: float


    @njit(error_model="numpy")
    def F(dims, H, k, i, j):
        return H[(len(dims) * i + j) * W + k] + (1.0 if i == j else 0.0)


    @njit(error_model="numpy")
    def cofactor(dims, H, k, i, j):
        d = len(dims)
        p, q, r, s = (i + 1) % d, (j + 1) % d, (i + 2) % d, (j + 2) % d
        if d == 2:
            return F(dims, H, k, p, q) * (1.0 if i == j else -1.0)
        return F(dims, H, k, p, q) * F(dims, H, k, r, s) - F(dims, H, k, p, s) * F(dims, H, k, r, q)


    @njit(error_model="numpy")
    def volume(dims, H, k):
        total = 0.0
        for j in range(len(dims)):
            total += F(dims, H, k, 0, j) * cofactor(dims, H, k, 0, j)
        return total


    @njit(error_model="numpy")
    def force(law, dims, H, P, k):
        d, J = len(dims), volume(dims, H, k)
        pull = (law.lam * math.log(J) - law.mu) / J
        for i in range(d):
            for j in range(d):
                P[(d * i + j) * W + k] = law.mu * F(dims, H, k, i, j) + pull * cofactor(dims, H, k, i, j)


    @njit(error_model="numpy")
    def tangent(law, dims, H, A, k):
        d, J = len(dims), volume(dims, H, k)
        both = (law.mu - law.lam * math.log(J)) / J**2
        for i in range(d):
            for j in range(d):
                for m in range(d):
                    for n in range(d):
                        value = law.lam / J**2 * cofactor(dims, H, k, i, j) * cofactor(dims, H, k, m, n)
                        value += both * cofactor(dims, H, k, i, n) * cofactor(dims, H, k, m, j)
                        A[(((i * d + j) * d + m) * d + n) * W + k] = value + (law.mu if i == m and j == n else 0.0)


    fem.register_material(Rubber, force, tangent)
'''
