"""Penalty contact forces: exact tangents, potentials, points of integration, and what is refused."""

import numpy as np
import pytest
from convergence import observed_orders
from ff_contacts import DAMPED, OBSTACLES, body, model
from ff_examples import plate
from ff_records import contact_pass, record
from rows import rows
from single_steps import initial_state

from floating_frame import (
    Clamped,
    Contact,
    HalfSpace,
    Line,
    Options,
    Problem,
    RigidMotion,
    RoundedBox,
    RoundedEdge,
    Sphere,
    assemble,
)
from floating_frame.contact.contact_force import point_force
from floating_frame.contact.contact_points import ContactPoints
from floating_frame.effect.penalty import PenaltyContact, contact_numbers
from floating_frame.effect.penalty_kernel import contact_forces
from friction import Coulomb, Foundation, Limited, NormalForce, Sliding, Smooth


def touching(obstacle, count=300, seed=4):
    """Points that penetrate by up to 0.05 m, and velocities."""
    rng = np.random.default_rng(seed)
    x = rng.uniform([-0.3, -0.4], [0.4, 0.4], (40 * count, 2))
    gap = obstacle.gap(x, 0.2).gap
    x = x[(gap < -1e-3) & (gap > -0.05)][:count]
    assert len(x) > 20
    return x, rng.normal(size=x.shape)


@pytest.mark.parametrize("name", OBSTACLES)
@pytest.mark.parametrize("normal", [NormalForce(1e4), DAMPED], ids=["spring", "damped"])
def test_the_tangent_of_a_contact_force_is_exact_by_taylor(name, normal):
    contact = Contact(OBSTACLES[name], edge="right", normal=normal, law=Smooth(0.3), mu=0.4)
    x, v = touching(contact.obstacle)
    rng = np.random.default_rng(8)
    dx, dv = rng.normal(size=x.shape), rng.normal(size=x.shape)
    found = point_force(contact, x, v, 0.2, np.ones(len(x)))
    assert np.abs(found.friction).max() > 1.0
    by_x, by_v = found.by_place, found.by_velocity
    linear = np.einsum("qij,qj->qi", by_x, dx) + np.einsum("qij,qj->qi", by_v, dv)
    rests = []
    for h in (1e-4, 5e-5, 2.5e-5):
        moved = point_force(contact, x + h * dx, v + h * dv, 0.2, np.ones(len(x)))
        rests.append(np.linalg.norm(moved.force - found.force - h * linear, axis=1))
    smooth = (moved.normal > 0) & (moved.gap.curvature_trace * found.gap.curvature_trace >= 0) & (rests[0] > 1e-9)
    smooth &= np.isclose(moved.gap.curvature_trace, found.gap.curvature_trace, rtol=0.1, atol=1e-9)
    rests = [rest[smooth] for rest in rests]
    orders = np.log2(rests[0] / rests[1]), np.log2(rests[1] / rests[2])
    assert smooth.sum() > 15 or name == "line"
    for order in orders:
        if order.size:
            assert np.mean((order > 1.9) & (order < 2.1)) > 0.95  # the others touch a kink between h and h/4


@pytest.mark.parametrize("name", OBSTACLES)
def test_a_contact_that_pulls_does_not_rub_and_its_tangent_is_exact_by_taylor(name):
    """A damper that may pull, on points that leave: no friction, and no slope of it either."""
    normal = NormalForce(1e4, 3e4, tensile=True)
    contact = Contact(OBSTACLES[name], edge="right", normal=normal, law=Smooth(0.3), mu=0.4)
    x, v = touching(contact.obstacle)
    rng = np.random.default_rng(9)
    dx, dv = rng.normal(size=x.shape), rng.normal(size=x.shape)
    found = point_force(contact, x, v, 0.2, np.ones(len(x)))
    by_x, by_v = found.by_place, found.by_velocity
    linear = np.einsum("qij,qj->qi", by_x, dx) + np.einsum("qij,qj->qi", by_v, dv)
    sizes, rests = (1e-4, 5e-5, 2.5e-5), []
    pulls = found.normal < -100.0
    for h in sizes:
        moved = point_force(contact, x + h * dx, v + h * dv, 0.2, np.ones(len(x)))
        pulls &= (moved.normal < 0.0) & np.isclose(
            moved.gap.curvature_trace, found.gap.curvature_trace, rtol=0.1, atol=1e-9
        )
        rests.append(np.linalg.norm(moved.force - found.force - h * linear, axis=1))
    assert pulls.sum() > 5
    assert np.all(found.friction[pulls] == 0.0)
    assert np.abs(found.slip[pulls]).max() > 0.1
    first, second, third = (rest[pulls] for rest in rests)
    curved = first > 1e-6
    assert curved.any() or name == "line"
    assert np.all(first < 1e-4 * np.linalg.norm(found.force, axis=1).max())
    orders = np.concatenate([np.log2(first / second)[curved], np.log2(second / third)[curved]])
    assert np.mean(np.abs(orders - 2.0) < 0.1) > 0.95 if orders.size else name == "line"


@pytest.mark.parametrize("name", OBSTACLES)
def test_a_stages_contact_has_its_exact_tangent_and_its_symmetric_part(name):
    on = plate(6, 4)
    rng = np.random.default_rng(2)
    for normal, mu in ((NormalForce(1e4, m1=1.5), 0.0), (NormalForce(1e4), 0.3), (DAMPED, 0.3)):
        m = model(OBSTACLES[name], normal, on=on, edge="boundary", mu=mu, v_reg=0.3)
        origin, tau = on.X + np.array([0.03, 0.0]), 0.01
        v = rng.normal(size=on.X.shape) * 0.2 + [1.0, 0.3]
        at = {"time": 0.2, "theta": 0.7, "angle": 0.4}
        stage = contact_pass(m, origin, tau, **at)
        direction, h = rng.normal(size=v.shape), 1e-6
        assert np.abs(stage.force(v)).max() > 0.1
        matrix, half = stage.tangent(v, on), contact_pass(m, origin, tau, **at, symmetric=True).tangent(v, on)
        assert abs(half - 0.5 * (matrix + matrix.T)).max() < 1e-12 * abs(matrix).max()
        change = (stage.force(v + h * direction) - stage.force(v - h * direction)) / (2 * h)
        assert np.abs(matrix @ direction.ravel() + change.ravel()).max() < 1e-4 * np.abs(change).max()


@pytest.mark.parametrize("name", OBSTACLES)
def test_the_wrench_on_a_rigid_body_has_exact_tangents(name):
    m = model(OBSTACLES[name], DAMPED, edge="boundary", mu=0.4, v_reg=0.3)
    q, p = np.array([0.03, -0.01, 0.3]), np.array([0.8, 0.3, 2.0])
    (effect,) = m.system.effects[1:]
    acting, points = effect.for_stage(0.2, None, 0.0), effect.points

    def at(q, p):
        return acting.at(points.place((q,)), points.velocity((q,), (p,)))

    def contact_wrench(q, p):
        return points.pull((q,), at(q, p).force)[0]

    assert np.abs(contact_wrench(q, p)).max() > 0.1
    by_place, by_rate = points.tangents(points.arms(q[2]), at(q, p), p[2])
    h = 1e-6
    for k, e in enumerate(np.eye(3)):
        place = (contact_wrench(q + h * e, p) - contact_wrench(q - h * e, p)) / (2 * h)
        rate = (contact_wrench(q, p + h * e) - contact_wrench(q, p - h * e)) / (2 * h)
        np.testing.assert_allclose(by_place[:, k], place, atol=3e-5 * np.abs(by_place).max())
        np.testing.assert_allclose(by_rate[:, k], rate, atol=3e-5 * np.abs(by_rate).max())


def test_nodal_and_gauss_integration_have_the_edges_length_and_the_same_force_on_a_translated_straight_edge():
    for element in ("P1", "P2", "Q1", "Q2"):
        on = plate(4, 4, element=element)
        forces = {}
        for integration in ("gauss", "nodes"):
            contact = Contact(Line((0.19, 0), (-1, 0)), edge="right", normal=NormalForce(1e4), integration=integration)
            points = ContactPoints.of(contact, on)
            assert points.weights.sum() == pytest.approx(0.2, rel=1e-13)
            assert np.all(points.weights > 0)
            found = point_force(contact, points.at(on.X), points.at(np.zeros_like(on.X)), 0.0, points.weights)
            forces[integration] = points.gathered(found.force, len(on.X))
        assert forces["gauss"][:, 0].sum() == pytest.approx(-1e4 * 0.2 * 0.01, rel=1e-12)
        np.testing.assert_allclose(forces["gauss"], forces["nodes"], atol=1e-12)


def test_nodal_integration_approaches_gauss_integration_with_the_square_of_the_mesh_size():
    differences = []
    for ny in (8, 16, 32):
        on, sums = plate(2, ny), {}
        for integration in ("gauss", "nodes"):
            contact = Contact(
                OBSTACLES["circle"], edge="right", normal=NormalForce(1e4, m1=2.0), integration=integration
            )
            points = ContactPoints.of(contact, on)
            found = point_force(contact, points.at(on.X), points.at(np.zeros_like(on.X)), 0.0, points.weights)
            sums[integration] = found.force.sum(axis=0)
        differences.append(float(np.linalg.norm(sums["gauss"] - sums["nodes"])) / float(np.linalg.norm(sums["gauss"])))
    orders = observed_orders(differences)
    assert np.all((orders > 1.7) & (orders < 2.3)), orders
    assert differences[-1] < 3e-3


def test_forces_at_single_nodes_are_per_node():
    on = body()
    corner = int(np.argmax(on.X.sum(axis=1)))
    contact = Contact(Line((0.19, 0), (-1, 0)), nodes=[corner], normal=NormalForce(1e4))
    problem = Problem(on, 1e-3, contacts=(contact,))
    model = assemble(problem, Options(1e-3))
    force = record(model, initial_state(model), "contact").force[0]
    np.testing.assert_allclose(force, [-100.0, 0.0, 100.0 * on.X[corner, 1]], rtol=1e-12)


WALL = Line((0.21, 0), (-1, 0), RigidMotion(velocity=(0.1, 0)))
REFUSED = {
    "no edge": (lambda: model(edge="rim"), "no edge 'rim'|edge must be one of|no edge"),
    "edge and nodes": (lambda: Contact(WALL, edge="right", nodes=[1], normal=NormalForce(1.0)), "one of them"),
    "no such integration": (
        lambda: Contact(WALL, edge="right", normal=NormalForce(1.0), integration="simpson"),
        "one of gauss, nodes, got 'simpson'",
    ),
    "negative friction": (lambda: Contact(WALL, edge="right", normal=NormalForce(1.0), mu=-1), "mu of a contact"),
    "nodes that are none": (
        lambda: assemble(
            Problem(body(), 1, contacts=(Contact(WALL, nodes=[99], normal=NormalForce(1.0)),)), Options(1)
        ),
        "different integers from 0 to 14",
    ),
    "explicit": (lambda: model(scheme="explicit"), "implicit dynamic scheme, got 'explicit'"),
    "quasi-static": (
        lambda: model(on=plate(), scheme="quasi-static", velocity=(0, 0), foundation=Foundation(Coulomb(), 0.3, 1.0)),
        "implicit dynamic scheme, got 'quasi-static'",
    ),
    "clamped": (lambda: model(on=plate(), velocity=(0, 0), frame=Clamped(edge="left")), "takes a free body"),
    "set-valued friction": (
        lambda: assemble(
            Problem(body(), 1, contacts=(Contact(WALL, edge="right", normal=NormalForce(1.0), mu=0.1),)), Options(1)
        ),
        "function of the slip velocity, got Coulomb; choose a regularised law, or exact",
    ),
    "not a normal law": (
        lambda: assemble(Problem(body(), 1, contacts=(Contact(WALL, edge="right", normal=3.0),)), Options(1)),
        "must be a NormalForce, a UserForce or Signorini",
    ),
}


@rows("kind", REFUSED)
def test_what_does_not_fit_a_contact_is_refused_in_one_line(kind):
    make, expected = REFUSED[kind]
    with pytest.raises(ValueError, match=expected) as caught:
        make()
    assert "\n" not in str(caught.value)


SPACE = {
    "half-space": HalfSpace((0.1, 0.0, 0.2), (0.2, -0.3, 1.0), RigidMotion((0.1, 0.2, 0.0), (0.3, -1.0, 0.5))),
    "bowl": Sphere((0.0, 0.1, 0.3), 0.4, inside=True),
    "edge": RoundedEdge((0.05, 0.0, 0.0), ((1.0, 0.0, 0.2), (0.0, 0.1, 1.0)), 0.1, RigidMotion((0.1, 0.2, 0.0))),
    "room": RoundedBox((0.0, 0.0, 0.0), (0.9, 0.8, 0.7), 0.1, (0.3, 0.2, -0.4)),
}


@pytest.mark.parametrize("law", [Sliding(0.1, 0.3, 0.7), Limited(Smooth(0.2), 40.0)], ids=["sliding", "limited"])
@pytest.mark.parametrize("name", [*OBSTACLES, *SPACE])
def test_a_compiled_contact_is_the_sum_of_its_laws_in_the_plane_and_in_space(name, law):
    obstacle, rng, time = (OBSTACLES | SPACE)[name], np.random.default_rng(5), 0.3
    d, P = obstacle.dimension, 400
    x, v, weights = rng.uniform(-0.6, 0.6, (P, d)), rng.normal(size=(P, d)), rng.uniform(0.5, 1.5, P)
    where = {"edge": "right"} if d == 2 else {}
    contact = Contact(obstacle, normal=NormalForce(2e3, 30.0, m1=1.3, m3=0.5), law=law, mu=0.4, **where)
    own = contact_numbers(PenaltyContact(contact, None, weights))
    motion = obstacle.motion.table(np.array([time]), d)[0]
    block = np.concatenate([x.T.ravel(), v.T.ravel(), np.full((d + 2 * d * d) * P, np.nan), motion])
    stored, given, lost = contact_forces(own, block, 0, P)
    now = point_force(contact, x, v, time, weights)
    assert 5 < np.count_nonzero(now.normal) < P
    force, *slopes = np.split(block[2 * d * P : -18], [d * P, (d + d * d) * P])
    np.testing.assert_allclose(force.reshape(d, P).T, now.force, rtol=1e-12, atol=1e-10)
    for found, known in zip(slopes, (now.by_place, now.by_velocity), strict=True):
        np.testing.assert_allclose(found.reshape(d, d, P).transpose(2, 0, 1), known, rtol=1e-11, atol=1e-9)
    np.testing.assert_allclose([stored, given, lost], [now.stored, now.external, now.dissipated], rtol=1e-12)
