"""The energy of Q1 cells in their linear strains, written again: cell by cell, minimised over the enhanced modes by least squares.

Simo & Rifai's element (1990) with the strain R̄ᵀ(H − H̄) of a cell turned back into its own axes; see fem/elements/hourglass.py.
"""

import numpy as np
from fem_examples import THICKNESS

from fem.elements.hourglass import elasticity

POINTS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / np.sqrt(3.0)
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])


def voigt(tensor):
    return np.array([tensor[0, 0], tensor[1, 1], tensor[0, 1] + tensor[1, 0]])


def slopes(point):
    """∂φ_b/∂ξ_k (4, 2) of the bilinear functions."""
    return np.array([[c[k] * (1 + point[1 - k] * c[1 - k]) / 4 for k in (0, 1)] for c in CORNERS])


def cell_points(corners):
    """Of the four Gauss points: area, gradients less their mean (4, 2), enhanced modes (3, 4)."""
    J0 = corners.T @ slopes((0, 0))
    mean = slopes((0, 0)) @ np.linalg.inv(J0)
    out = []
    for x, y in POINTS:
        J = corners.T @ slopes((x, y))
        hats = [[[x, 0], [0, 0]], [[0, 0], [0, y]], [[0, x / 2], [x / 2, 0]], [[0, y / 2], [y / 2, 0]]]
        back = np.linalg.inv(J0)
        modes = [voigt(back.T @ np.array(hat) @ back) * np.linalg.det(J0) / np.linalg.det(J) for hat in hats]
        out.append((abs(np.linalg.det(J)), slopes((x, y)) @ np.linalg.inv(J) - mean, np.array(modes).T))
    return mean, out


def linear_energy(body, u, strain_free=None):
    """Σ over cells of min over α of ∫ ½ (ε' − θ')·C (ε' − θ') dV [J]; strain_free (N, 2): θ along x and y at the nodes.

    u may be complex: derivatives by the complex step are exact to rounding.
    """
    C = elasticity(body.material, 2)
    root = np.linalg.cholesky(C).T
    total = 0.0
    for nodes in body.nodes:
        mean, points = cell_points(body.X[nodes])
        H = np.einsum("bi,bj->ij", u[nodes], mean)
        R = np.eye(2)
        if body.material.finite_strain:
            p, q = 2 + H[0, 0] + H[1, 1], H[1, 0] - H[0, 1]
            R = np.array([[p, -q], [q, p]]) / np.sqrt(p * p + q * q)
        volume = sum(area for area, _, _ in points)
        theta = np.zeros(2)
        if strain_free is not None:
            values = [np.prod(1 + np.array([x, y]) * CORNERS, axis=1) / 4 @ strain_free[nodes] for x, y in POINTS]
            theta = sum(area * value for (area, _, _), value in zip(points, values, strict=True)) / volume
        rows, right = [], []
        for place, (area, gradients, modes) in enumerate(points):
            strain = voigt(R.T @ np.einsum("bi,bj->ij", u[nodes], gradients))
            if strain_free is not None:
                strain = strain - np.array([*(values[place] - theta), 0.0])
            weight = np.sqrt(area * THICKNESS)
            rows.append(weight * root @ modes)
            right.append(weight * root @ strain)
        A, b = np.vstack(rows), np.concatenate(right)
        projector = np.eye(len(b)) - A @ np.linalg.pinv(A)
        rest = projector @ b
        total = total + 0.5 * np.sum(rest * rest)
    return total


def derivative(function, u, step=1e-30):
    """∂f/∂u (N, 2) by the complex step."""
    out = np.zeros_like(u)
    for place in np.ndindex(*u.shape):
        moved = u.astype(complex)
        moved[place] += 1j * step
        out[place] = np.imag(function(moved)) / step
    return out
