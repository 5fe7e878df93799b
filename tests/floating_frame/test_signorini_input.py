"""What exact contact refuses, in one line; and that breaking one of its laws by hand would be seen."""

import numpy as np
import pytest
from ff_signorini import WALL, block, corner, elastic, point_mass
from rows import rows

from floating_frame import InitialState, Options, Problem, assemble
from floating_frame.checks import check_problem
from floating_frame.contact.contact import Contact, Signorini
from floating_frame.contact.signorini import exact_contacts
from floating_frame.contact.signorini_stage import StageContacts
from floating_frame.frame.clamp import Clamped
from friction import Coulomb, Smooth


def problem(body=None, **more):
    contact = {"edge": "right", "normal": Signorini(0.5), "mu": 0.1}
    for name in [k for k in more if k in ("edge", "nodes", "normal", "law", "mu")]:
        contact[name] = more.pop(name)
    return Problem(body or block(), 0.1, initial=InitialState((1.0, 0.0)), contacts=(Contact(WALL, **contact),), **more)


@pytest.mark.parametrize("scheme", ["sdirk2", "explicit", "linearly-implicit-trapezoidal"])
def test_schemes_without_an_impact_law_are_refused_with_advice(scheme):
    with pytest.raises(ValueError, match=r"backward-euler or moreau-theta.*penalty") as caught:
        assemble(problem(), Options(1e-3, scheme))
    assert "\n" not in str(caught.value)
    assert scheme in str(caught.value)


def exact_of(problem):
    return exact_contacts(problem.contacts, problem.body)


@rows(
    ("given", "words"),
    [
        ({"law": Smooth(1e-3)}, "takes Coulomb's law of friction or StaticKinetic, got Smooth"),
        ({"law": Coulomb(cap=0.5)}, r"without a cap, got cap 0.5 with mu 0.1; choose mu = 0.05"),
        ({"frame": Clamped("left"), "body": elastic()}, "not a clamp or a beam"),
        ({"edge": "nowhere"}, "no edge 'nowhere'"),
        ({"edge": None, "nodes": [0, 999]}, "nodes must be different integers"),
    ],
)
def test_unfit_contacts_are_refused_in_one_line(given, words):
    with pytest.raises(ValueError, match=words) as caught:
        assemble(problem(**given), Options(1e-3, "moreau-theta"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("scheme", "theta", "e"), [("backward-euler", 0.5, 0.1), ("moreau-theta", 0.6, 0.7)])
def test_restitution_that_would_create_energy_in_a_deformable_body_is_refused(scheme, theta, e):
    """The force does work at (1 - theta) u- + theta u: more than (1 - theta)/theta of u- back is a gain."""
    with pytest.raises(ValueError, match="would create energy") as caught:
        check_problem(problem(elastic(), normal=Signorini(e)), Options(1e-3, scheme, theta=theta))
    assert "\n" not in str(caught.value)
    most = Options(1e-3, "moreau-theta", theta=theta)
    check_problem(problem(elastic(), normal=Signorini((1 - theta) / theta)), most)
    check_problem(problem(block(), normal=Signorini(e)), Options(1e-3, scheme, theta=theta))


@pytest.mark.parametrize("e", [-0.1, 1.1, np.nan])
def test_restitution_lies_between_zero_and_one(e):
    with pytest.raises(ValueError, match=r"restitution must (lie in \[0, 1\]|be a number), got "):
        Signorini(e)


def test_points_of_an_edge_or_single_nodes_are_found_and_penalty_contacts_left_alone():
    body = block()
    found = exact_of(problem(body))
    assert np.allclose(body.X[found.nodes, 0], 0.2)
    assert len(found.nodes) == 3
    assert np.all(found.mu == 0.1)
    node = corner(body)
    single = exact_of(problem(body, edge=None, nodes=node))
    assert single.nodes.tolist() == node
    assert exact_of(Problem(body, 0.1)) is None


def test_bound_of_a_point_is_the_velocity_that_brings_it_to_the_wall_at_the_end_of_the_step():
    contacts = exact_of(problem(point_mass(), edge=None, nodes=[0]))
    tau, start = 0.1, np.array([[0.2, 0.0]])
    approach = {"place": start, "origin": start, "velocity": np.array([[1.0, 0.3]])}
    stage = StageContacts(contacts, None, **approach, lengths=(tau, tau), time=tau)
    ahead = start + tau * np.array([[1.0, 0.3]])
    stage.linearise(ahead, np.array([[1.0, 0.3]]), ahead)
    assert stage.candidates.all()

    def free(points, p):
        return np.array([[-1.0, -0.3]]) + p, np.eye(2)

    found = stage.solve(free, floor=1e-3, tolerance=lambda: 1e-13)
    assert np.isclose(found.force[0, 0], 1.0 + 0.5, rtol=1e-12), "with e = 1/2 it leaves with -1/2"
    assert np.isclose(found.force[0, 1], 0.1 * 1.5, rtol=1e-12), "sliding: mu p_n against its velocity"
    assert np.allclose(stage.inertial()[0], [-1.5, -0.15], rtol=1e-12)
