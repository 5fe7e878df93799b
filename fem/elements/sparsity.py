"""Fixed sparsity of the matrices of a body: CSR with full d × d node blocks, d the dimension, and the entries of each cell."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix


class Sparsity(NamedTuple):
    """Sparsity pattern over the dN interleaved degrees of freedom (d node + axis) of N nodes, d = 2 or 3.

    ``indptr``, ``indices``: (dN + 1,) and a full d × d block per pair of nodes that share a cell, int32, sorted, diagonal present.
    ``entries``: (C, B, B) int32, index of the upper left entry of the block of node pair (a, b) of a cell in ``indices``.
    ``row_length``: (N,) int32, entries per row of node i: the distance from one row of a block to the next.
    """

    indptr: np.ndarray
    indices: np.ndarray
    entries: np.ndarray
    row_length: np.ndarray


def sparsity(nodes: np.ndarray, count: int, dimension: int = 2) -> Sparsity:
    """Sparsity pattern of cells with ``nodes`` (C, B) of ``count`` nodes in all. Raises ValueError if the entries do not fit 32-bit
    indices."""
    keys = nodes[:, :, None].astype(np.int64) * count + nodes[:, None, :]
    unique, place = np.unique(keys.ravel(), return_inverse=True)
    row, column = np.divmod(unique, count)
    per_node = np.bincount(row, minlength=count)
    first = np.cumsum(per_node) - per_node
    d, size = dimension, dimension**2 * unique.size
    if size > np.iinfo(np.int32).max:
        raise ValueError(f"the mesh is too large: {size} matrix entries do not fit 32-bit indices")

    # Row d i holds the blocks of node i one after the other, d entries each; rows d i + 1, ... have the same columns.
    row_length = d * per_node
    blocks = d * (np.arange(unique.size) + (d - 1) * first[row])
    indptr = np.concatenate(([0], np.cumsum(np.repeat(row_length, d))))
    indices = np.empty(size, dtype=np.int32)
    for a in range(d):
        for b in range(d):
            indices[blocks + a * row_length[row] + b] = d * column + b

    return Sparsity(
        indptr=indptr.astype(np.int32),
        indices=indices,
        entries=blocks[place.reshape(keys.shape)].astype(np.int32),
        row_length=row_length.astype(np.int32),
    )


def scalar_matrix(pattern: Sparsity, nodes: np.ndarray, blocks: np.ndarray) -> csr_matrix:
    """Matrix (dN, dN) of m ⊗ 1 in the full ``pattern``, m assembled from cell ``blocks`` (C, B, B)."""
    data, size = np.zeros(pattern.indices.size), len(pattern.indptr) - 1
    for axis in range(size // len(pattern.row_length)):
        places = pattern.entries + axis * (pattern.row_length[nodes][:, :, None] + 1)
        data += np.bincount(places.ravel(), blocks.ravel(), data.size)
    return csr_matrix((data, pattern.indices, pattern.indptr), shape=(size, size))
