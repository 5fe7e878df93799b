"""Nodes that touch several planes at once: Signorini's and Coulomb's laws at each."""

from collections import Counter

import numpy as np
import pytest
import scipy.sparse
from signorini_problems import Linear, assert_laws, step_problem

from friction.cone import SLIPS, STICKS
from friction.nodal.contact import ContactNodes, solve_contact


def groove_problem(rng, cells, faces, *, mu=None, tau=None):
    """A stage of a block each of whose base nodes may touch ``faces`` planes of one slope, which meet below it."""
    part, base = step_problem(cells, rng, tau=tau or float(rng.choice([1e-4, 1e-3, 1e-2])), push=1.0)
    count, slope, around = len(base.nodes), rng.uniform(0.3, 1.2), 2.0 * np.pi * np.arange(faces) / faces
    normals = np.column_stack(
        [np.sin(slope) * np.cos(around), np.sin(slope) * np.sin(around), np.full(faces, np.cos(slope))]
    )
    axes = np.linalg.qr(np.concatenate([normals[:, :, None], rng.normal(size=(faces, 3, 2))], axis=2))[0][
        :, :, [1, 2, 0]
    ]
    axes *= np.sign(np.einsum("kak,ka->k", axes[:, :, [2] * faces], normals))[:, None, None]
    chosen = np.repeat(axes.transpose(0, 2, 1), count, axis=0)
    friction = float(rng.choice([0.05, 0.1, 0.3, 0.8])) if mu is None else mu
    return part, ContactNodes(
        nodes=np.tile(base.nodes, faces),
        axes=chosen,
        mu=np.full(len(chosen), friction),
        ground=np.zeros((len(chosen), 3)),
    )


@pytest.mark.parametrize("faces", [2, 3])
def test_nodes_that_touch_several_planes_obey_both_laws_at_each(faces):
    rng, ways, together = np.random.default_rng(4), Counter(), 0
    for trial in range(25):
        part, contact = groove_problem(rng, [(1, 1, 1), (2, 2, 1), (3, 3, 2)][trial % 3], faces)
        result = solve_contact(part, contact, np.zeros_like(part.b))
        assert_laws(part, contact, result)
        ways[result.method] += 1
        together += np.count_nonzero((result.force[:, 2] > 0.0).reshape(faces, -1).sum(axis=0) == faces)
    assert together >= 10  # nodes in touch with all planes
    assert ways["newton"] >= 20


def test_a_node_that_sticks_in_a_groove_has_the_forces_of_least_norm():
    """Both forces are free of each other; of all splits of the load 2 p into p + q and p − q the smallest is q = 0."""
    part = Linear(scipy.sparse.csr_array(np.full((3, 3), 0.1) + np.eye(3)), np.array([[0.3, 0.0, -10.0]]))
    slope = np.pi / 6.0
    axes = [[[np.cos(a), 0.0, -np.sin(a)], [0.0, 1.0, 0.0], [np.sin(a), 0.0, np.cos(a)]] for a in (slope, -slope)]
    contact = ContactNodes(nodes=[0, 0], axes=np.array(axes), mu=[0.7, 0.7], ground=np.zeros((2, 3)))
    result = solve_contact(part, contact, np.zeros((1, 3)))
    in_space = np.einsum("mab,ma->mb", contact.axes, result.force)
    assert np.all(result.status == STICKS)
    assert not result.velocity.any()
    np.testing.assert_allclose(in_space, np.tile([-0.15, 0.0, 5.0], (2, 1)), atol=1e-9)
    part.b[:] = [[1.0, 0.0, -10.0]]  # the friction cone of one no longer takes half of it
    result = solve_contact(part, contact, np.zeros((1, 3)))
    assert_laws(part, contact, result)


@pytest.mark.parametrize("excess", [1e-2, 1e-4, 1e-5])
def test_a_node_that_slips_slowly_along_a_corner_is_solved_by_newton(excess):
    """Floor and wall bear the forces of the answer; slip across the motion meets μ p_n/|u| there, far more than the matrix."""
    weight, press, mu, matrix = 7.0, 3.0, np.array([0.55, 0.8]), 40.0 * (np.eye(3) + 0.1)
    bound = mu @ [weight, press]
    velocity = np.array([1e-2 * excess * bound, 0.0, 0.0])
    part = Linear(scipy.sparse.csr_array(matrix), (matrix @ velocity + [bound, press, -weight])[None])
    axes = np.array([np.eye(3), [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]])
    contact = ContactNodes(nodes=[0, 0], axes=axes, mu=mu, ground=np.zeros((2, 3)))
    result = solve_contact(part, contact, np.zeros((1, 3)))
    assert result.method == "newton"
    assert np.all(result.status == SLIPS)
    across = (
        result.tolerance / excess
    )  # friction across the motion counts by r |u|/w in the residual, and unloads the other plane
    np.testing.assert_allclose(matrix @ result.velocity[0], matrix @ velocity, atol=2.0 * across)
    assert np.abs(result.force[:, 1]).max() < 2.0 * across
    np.testing.assert_allclose(result.force[:, 2], [weight, press], atol=2.0 * across)
