"""Penalty contact forces: exact tangents, potentials, points of integration, compiled sums of laws."""

import numpy as np
import pytest
from contact_examples import DAMPED, HOLDS, OBSTACLES, SPRING, body, pressed
from convergence import observed_orders
from ff_examples import plate
from ff_records import contact_pass, record
from problems import assembled
from rows import rows
from single_steps import initial_state

from floating_frame import Contact, HalfSpace, Line, RigidMotion, RoundedBox, RoundedEdge, Sphere
from floating_frame.contact.contact_force import point_force
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.effect import penalty
from floating_frame.effect.penalty import PenaltyContact, contact_numbers
from floating_frame.effect.penalty_kernel import contact_forces
from floating_frame.effect.protocol import Motion
from floating_frame.frame.rotations import exponential
from floating_frame.system.space.body import BallPoints, SpacePoints
from friction import Limited, NormalForce, Sliding, SlidingStiction, Smooth

SPACE = {
    "half-space": HalfSpace((0.1, 0.0, 0.2), (0.2, -0.3, 1.0), RigidMotion((0.1, 0.2, 0.0), (0.3, -1.0, 0.5))),
    "bowl": Sphere((0.0, 0.1, 0.3), 0.4, inside=True),
    "edge": RoundedEdge((0.05, 0.0, 0.0), ((1.0, 0.0, 0.2), (0.0, 0.1, 1.0)), 0.1, RigidMotion((0.1, 0.2, 0.0))),
    "room": RoundedBox((0.0, 0.0, 0.0), (0.9, 0.8, 0.7), 0.1, (0.3, 0.2, -0.4)),
}
NORMALS = {"spring": NormalForce(1e4), "damped": DAMPED, "pulls": NormalForce(1e4, 3e4, tensile=True)}


@pytest.mark.parametrize("normal", NORMALS)
@pytest.mark.parametrize("name", [*OBSTACLES, *SPACE])
def test_forces_of_points_and_of_balls_have_their_exact_derivatives_and_what_pulls_does_not_rub(name, normal):
    obstacle, rng, h = (OBSTACLES | SPACE)[name], np.random.default_rng(4), 1e-6
    d = obstacle.dimension
    where = {"edge": "right"} if d == 2 else {}
    contact = Contact(obstacle, normal=NORMALS[normal], law=Smooth(0.3), mu=0.4, **where)
    for radius in (0.0, 0.07)[: d - 1]:
        x = rng.uniform(-0.6, 0.6, (12000, d))
        gap = obstacle.gap(x, 0.2).gap - radius
        x = x[(gap < -1e-3) & (gap > -0.05)][:300]
        acting = PenaltyContact(contact, None, np.ones(len(x)), radius).for_stage(0.2, None, 0.0)
        dx, (v, dv) = rng.normal(size=x.shape), rng.normal(size=(2, len(x), 6 if radius else d))
        exact, now = acting.at(x, v), acting.now(x, v)
        change = (acting.at(x + h * dx, v + h * dv).force - acting.at(x - h * dx, v - h * dv).force) / (2.0 * h)
        linear = np.einsum("pab,pb->pa", exact.by_place, dx) + np.einsum("pab,pb->pa", exact.by_velocity, dv)
        off = np.abs(linear - change).max(axis=1)
        assert np.mean(off < 1e-6 * np.abs(change).max()) > 0.95  # others touch a kink between
        assert np.abs(now.friction).max() > 1.0
        pulling = now.normal < -100.0
        assert (pulling.sum() > 5) == (normal == "pulls")
        assert not now.friction[pulling].any()
        assert np.abs(exact.force).max() > 100.0


def model_of(on, name, normal, mu):
    """The model of a body whose whole edge may touch an obstacle."""
    given = {"obstacle": OBSTACLES[name], "edge": "boundary", "normal": normal, "mu": mu, "law": Smooth(0.3)}
    return assembled(on, 0.03, 2e-4, **SPRING | given)


@pytest.mark.parametrize("name", OBSTACLES)
def test_a_stages_contact_has_its_exact_tangent_and_its_symmetric_part(name):
    on, rng = plate(6, 4), np.random.default_rng(2)
    for normal, mu in ((NormalForce(1e4, m1=1.5), 0.0), (NormalForce(1e4), 0.3), (DAMPED, 0.3)):
        m = model_of(on, name, normal, mu)
        v, at = rng.normal(size=on.X.shape) * 0.2 + [1.0, 0.3], {"time": 0.2, "theta": 0.7, "angle": 0.4}
        stage, half = (contact_pass(m, np.add(on.X, [0.03, 0.0]), 0.01, **at, symmetric=one) for one in (False, True))
        direction, h = rng.normal(size=v.shape), 1e-6
        assert np.abs(stage.force(v)).max() > 0.1
        matrix = stage.tangent(v, on)
        assert abs(half.tangent(v, on) - 0.5 * (matrix + matrix.T)).max() < 1e-12 * abs(matrix).max()
        change = (stage.force(v + h * direction) - stage.force(v - h * direction)) / (2 * h)
        assert np.abs(matrix @ direction.ravel() + change.ravel()).max() < 1e-4 * np.abs(change).max()


LAWS = {"stiction": HOLDS, "cut": Limited(HOLDS, 5.0), "smooth": Limited(Smooth(0.3), 5.0)}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_stages_contact_with_bristles_or_a_total_has_the_tangent_of_its_force(law):
    """Along the wall, where a total stays the same: what it changes with the normal force is left to the iteration."""
    model, rng = pressed(law, "elastic"), np.random.default_rng(2)
    X = model.body.X
    v = rng.normal(size=X.shape) * 0.005 + [0.3, 0.004]
    along = rng.uniform(-5e-4, 5e-4, len(model.contacts[0][1].weights))
    bent = np.column_stack([along, np.zeros(len(along))]) if law.has_internal_state else None
    stage = contact_pass(model, X, 0.01, time=0.0, theta=0.7, angle=0.4, bristles=bent)
    v, direction, h = v @ stage.Q, rng.normal(size=v.shape), 1e-7
    if isinstance(law, Limited):
        direction = (direction * [0.0, 1.0]) @ stage.Q
    assert np.abs(stage.force(v)).max() > 0.1
    change = (stage.force(v + h * direction) - stage.force(v - h * direction)) / (2 * h)
    assert np.abs(change).max() > 0.1
    linear = (stage.tangent(v, model.body) @ direction.ravel()).reshape(change.shape)
    np.testing.assert_allclose(-linear, change, rtol=0, atol=1e-4 * np.abs(change).max())


@pytest.mark.parametrize("name", OBSTACLES)
def test_the_wrench_on_a_rigid_body_has_exact_tangents(name):
    (effect,) = model_of(body(), name, DAMPED, 0.4).system.effects[1:]
    q, p = np.array([0.03, -0.01, 0.3]), np.array([0.8, 0.3, 2.0])
    acting, points = effect.for_stage(0.2, None, 0.0), effect.points

    def at(q, p):
        return acting.at(points.place((q,)), points.velocity((q,), (p,)))

    def contact_wrench(q, p):
        return points.pull((q,), at(q, p).force)[0]

    assert np.abs(contact_wrench(q, p)).max() > 0.1
    by_place, by_rate = points.tangents(points.arms(q[2]), at(q, p), p[2])
    h = 1e-6
    for k, e in enumerate(h * np.eye(3)):
        place = (contact_wrench(q + e, p) - contact_wrench(q - e, p)) / (2 * h)
        rate = (contact_wrench(q, p + e) - contact_wrench(q, p - e)) / (2 * h)
        np.testing.assert_allclose(by_place[:, k], place, atol=3e-5 * np.abs(by_place).max())
        np.testing.assert_allclose(by_rate[:, k], rate, atol=3e-5 * np.abs(by_rate).max())


def at_rest(on, obstacle, normal, integration):
    """The points of a contact of the right edge, and the forces at them."""
    contact = Contact(obstacle, edge="right", normal=normal, integration=integration)
    points = ContactPoints.of(contact, on)
    return points, point_force(contact, points.at(on.X), points.at(np.zeros_like(on.X)), 0.0, points.weights).force


def test_nodal_and_gauss_integration_have_the_edges_length_and_the_same_force_on_a_translated_straight_edge():
    for element in ("P1", "P2", "Q1", "Q2"):
        on, forces = plate(4, 4, element=element), []
        for integration in ("gauss", "nodes"):
            points, force = at_rest(on, Line((0.19, 0), (-1, 0)), NormalForce(1e4), integration)
            assert points.weights.sum() == pytest.approx(0.2, rel=1e-13)
            assert np.all(points.weights > 0)
            forces.append(points.gathered(force, len(on.X)))
        assert forces[0][:, 0].sum() == pytest.approx(-1e4 * 0.2 * 0.01, rel=1e-12)
        np.testing.assert_allclose(*forces, atol=1e-12)


def test_nodal_integration_approaches_gauss_integration_with_the_square_of_the_mesh_size():
    differences = []
    for ny in (8, 16, 32):
        given = plate(2, ny), OBSTACLES["circle"], NormalForce(1e4, m1=2.0)
        exact, nodal = (at_rest(*given, rule)[1].sum(axis=0) for rule in ("gauss", "nodes"))
        differences.append(float(np.linalg.norm(exact - nodal) / np.linalg.norm(exact)))
    np.testing.assert_allclose(observed_orders(differences), 2.0, atol=0.3)
    assert differences[-1] < 3e-3


def test_forces_at_single_nodes_are_per_node():
    on = body()
    corner = int(np.argmax(on.X.sum(axis=1)))
    model = assembled(on, 1e-3, 1e-3, obstacle=Line((0.19, 0), (-1, 0)), nodes=[corner], normal=NormalForce(1e4))
    force = record(model, initial_state(model), "contact").force[0]
    np.testing.assert_allclose(force, [-100.0, 0.0, 100.0 * on.X[corner, 1]], rtol=1e-12)


BRISTLES = SlidingStiction(0.1, 0.3, 0.7, 0.2)
LAWS_AT_POINTS = {"sliding": Sliding(0.1, 0.3, 0.7), "limited": Limited(Smooth(0.2), 40.0), "bristles": BRISTLES}
LAWS_AT_POINTS["limited bristles"] = Limited(BRISTLES, 40.0)


@pytest.mark.parametrize(("radius", "tau"), [(0.0, 0.3), (0.0, 0.0), (0.07, 0.3)])
@pytest.mark.parametrize("law", LAWS_AT_POINTS)
@pytest.mark.parametrize("name", [*OBSTACLES, *SPACE])
def test_a_compiled_contact_is_the_sum_of_its_laws_in_the_plane_and_in_space(name, law, radius, tau):
    """At feet and at balls, which have (v, Ω), in a stage of the length ``tau`` and at an instant, from bent bristles."""
    obstacle, rng, time, P = (OBSTACLES | SPACE)[name], np.random.default_rng(5), 0.3, 400
    d = obstacle.dimension
    if d == 2 and radius > 0.0:
        return
    x, v, weights = rng.uniform(-0.6, 0.6, (P, d)), rng.normal(size=(P, d)), rng.uniform(0.5, 1.5, P)
    spin, bent = rng.normal(size=3) * (radius > 0.0), 0.2 * rng.normal(size=(P, 2)) * [1.0, d == 3]
    where = {"edge": "right"} if d == 2 else {}
    contact = Contact(obstacle, normal=NormalForce(2e3, 30.0, m1=1.3, m3=0.5), law=LAWS_AT_POINTS[law], mu=0.4, **where)
    effect = PenaltyContact(contact, None, weights, radius)
    motion = obstacle.motion.table(np.array([time]), d)[0] if obstacle.motion.moves else []
    sizes = [d, d * d, d * d, *([3, 9] if d == 3 else [])]
    room, densities = (np.full(count * P, np.nan) for count in (sum(sizes), 2 * (d == 3)))
    memory = [] if effect.start is None else [*bent.T.ravel(), *np.full(4 * P, np.nan)]
    block = np.concatenate([x.T.ravel(), v.T.ravel(), room, motion, densities, memory])
    stored, given, lost = contact_forces(contact_numbers(effect), block, 0, P, tuple(spin), tau)
    stage = effect.for_stage(time, None if effect.start is None else bent, tau)
    moving = np.column_stack([v, np.tile(spin, (P, 1))]) if radius else v
    now, at, record = stage.now(x, moving), stage.at(x, moving), stage.record(x, moving, ())
    assert 5 < np.count_nonzero(now.normal) < P
    force, *slopes, rest = np.split(block[2 * d * P :], P * np.cumsum(sizes))
    np.testing.assert_allclose(force.reshape(d, P).T, now.force, rtol=1e-12, atol=1e-10)
    for computed, known in zip(slopes, (at.by_place, at.by_velocity), strict=False):
        computed = computed.reshape(d, d, P).transpose(2, 0, 1)
        np.testing.assert_allclose(computed, known[:, :d, :d], rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose([stored, given, lost], [now.stored, now.external, now.dissipated], rtol=1e-12)
    if radius:  # the moment about the centre, and its derivative by place
        arm, bends = slopes[2].reshape(3, P).T, slopes[3].reshape(3, 3, P).transpose(2, 0, 1)
        np.testing.assert_allclose(np.cross(arm, now.force), at.force[:, 3:], rtol=1e-11, atol=1e-10)
        moment = np.cross(arm[:, :, None], at.by_place[:, :3], axis=1) + np.cross(bends, now.force[:, :, None], axis=1)
        np.testing.assert_allclose(moment, at.by_place[:, 3:], rtol=1e-11, atol=1e-9)
    if d == 3:  # rates of the slip path and of friction's work at the points
        known = [np.where(now.normal == 0.0, 0.0, np.hypot(*now.slip.T)), (now.friction * now.slip).sum(axis=1)]
        np.testing.assert_allclose(rest[len(motion) :][: 2 * P].reshape(2, P), known, rtol=1e-12, atol=1e-12)
    if memory:
        _, end, rate = np.split(block[-6 * P :].reshape(6, P), 3)
        known = effect.rate(time, bent, x, moving) if tau == 0.0 else record.internal_rate
        np.testing.assert_allclose(end.T, record.internal, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(rate.T, known, rtol=1e-12, atol=1e-12)
        assert np.isnan(rate).any() == (tau > 0.0)


@pytest.mark.parametrize("radius", [0.0, 0.07])
@rows("name,law", [(name, law) for name in SPACE for law in LAWS_AT_POINTS])
def test_forces_of_a_body_in_space_at_many_instants_are_those_of_each(name, law, radius, monkeypatch):
    """Compiled for a law and shape that are known, and by Python for others; the body turns, and so may the obstacle."""
    rng, K, P = np.random.default_rng(6), 3, 60
    contact = Contact(SPACE[name], normal=NormalForce(2e3, 30.0, m1=1.3, m3=0.5), law=LAWS_AT_POINTS[law], mu=0.4)
    points = (BallPoints if radius else SpacePoints)(rng.uniform(-0.6, 0.6, (P, 3)))
    effect, times = PenaltyContact(contact, points, rng.uniform(0.5, 1.5, P), radius), np.array([0.0, 0.2, 0.7])
    place, (velocity, spin) = 0.1 * rng.normal(size=(K, 3)), rng.normal(size=(2, K, 3))
    turned = np.array([exponential(turn) for turn in rng.normal(size=(K, 3))])
    bent = None if effect.start is None else 0.2 * rng.normal(size=(K, P, 2))
    motion = Motion((place, turned), (velocity, spin), ())
    computed = [effect.forces_over(times, motion, bent)]
    with monkeypatch.context() as patch:
        patch.setattr(penalty, "contact_numbers", lambda effect: None)
        computed.append(effect.forces_over(times, motion, bent))
    for k, time in enumerate(times.tolist()):
        at = Motion((place[k], turned[k]), (velocity[k], spin[k]), ())
        known = effect.contact_force_at(time, at, None if bent is None else bent[k])
        assert 5 < np.count_nonzero(known.normal) < P
        for forces in computed:
            np.testing.assert_allclose(forces[k], known.force, rtol=1e-12, atol=1e-10)
            assert np.array_equal(forces[k].any(axis=1), known.normal != 0.0)
