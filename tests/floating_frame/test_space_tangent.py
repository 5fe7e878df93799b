"""Derivatives of a stage in space: balance, velocities and gaps of contact points on curved obstacles that move."""

import numpy as np
from ff_space import BLOCK, R
from rows import rows

from floating_frame import Ball, RigidMotion, RigidSolid, RoundedEdge, Sphere
from floating_frame.system.space.contacts import Contacts
from floating_frame.system.space.kernels import records as rec
from floating_frame.system.space.kernels.stage import linearise
from floating_frame.system.space.stage import CompiledSpaceBody

BALL = RigidSolid(mass=1.5, inertia=(0.4 * 1.5 * R * R,) * 3, shape=Ball(R))


@rows(
    "obstacle",
    [
        Sphere((0.1, 0.2, -1.0), 0.7),
        Sphere((0.0, 0.1, 0.3), 2.0, inside=True),
        RoundedEdge((0.0, 0.0, -0.4), ((1.0, 0.2, 0.3), (-1.0, 0.1, 1.0)), 0.1),
    ],
)
def test_the_tangent_of_a_stage_has_all_that_moves_with_the_body_on_curved_obstacles(obstacle):
    """The derivatives of the balance and of the points' velocities and gaps by (v, Ω), against differences, in two schemes."""
    motion = RigidMotion(velocity=(0.3, 0.2, -0.1), spin=(0.5, -1.0, 0.7), pivot=(0.1, 0.2, 0.3))
    moved = type(obstacle)(**{n: getattr(obstacle, n) for n in obstacle.__dataclass_fields__} | {"motion": motion})
    rng, small = np.random.default_rng(5), 1e-6
    for body, tau, tau_v, theta in ((BALL, 0.05, 0.05, 1.0), (BLOCK, 0.05, 0.05, 1.0), (BLOCK, 0.05, 0.1, 0.6)):
        m, w = len(body.shape.reference), rng.normal(size=6)
        acting, P, at = (
            CompiledSpaceBody(body, Contacts(body.shape, [moved]), ()),
            np.zeros((m, rec.POINT)),
            np.zeros(1, rec.STAGE),
        )
        P[:, rec.REFERENCE : rec.KINETIC], P[: m // 2, rec.PERSISTS] = body.shape.centres, 1.0
        stage, linear = at[0], acting.linear[0]
        stage["tau"], stage["tau_v"], stage["theta"], stage["time"], stage["time_ahead"] = (
            tau,
            tau_v,
            theta,
            0.4,
            0.4 + tau_v - tau,
        )
        stage["place"], stage["increment"][3:], stage["rotation"] = (0.0, 0.0, 0.2), (0.2, -0.1, 0.3), np.eye(3)
        force, ahead = rng.normal(size=(m, 3)), acting.ground(0.4 + tau_v - tau)

        def linearised(w, P=P, force=force, stage=stage, ahead=ahead, acting=acting, linear=linear):
            P[:, rec.FORCE : rec.SLIP] = force
            ground, effects = (acting.ground(0.4), ahead), (acting.table, np.zeros(0), acting.blocks)
            given = acting.body[0], stage, acting.load[0], *ground, *effects, acting.python[0]
            assert linearise(*given, acting.surface, acting.effects, w, linear, P) > 0.0
            return np.concatenate([linear["rest"], P[:, rec.VELOCITY : rec.BEFORE].ravel()])

        linearised(w)
        rates = [P[:, c : c + 9].reshape(m, 3, 3) for c in (rec.BY_VELOCITY, rec.BY_SPIN)]
        exact = np.concatenate([linear["stiffness"], np.concatenate(rates, axis=2).reshape(-1, 6)])
        columns = np.stack(
            [(linearised(w + d) - linearised(w - d)) / (2.0 * small) for d in small * np.eye(6)], axis=-1
        )
        for part in (slice(6), slice(6, None)):
            np.testing.assert_allclose(
                exact[part], columns[part], rtol=0, atol=1e-8 * np.abs(columns[part]).max() + 1e-8
            )
        assert np.abs(acting.surface[:-1, rec.AS_CURVATURE :]).max() > 0.1
