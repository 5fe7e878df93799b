"""Fixed sparsity of the matrices of a body: CSR with full d × d node blocks, d the dimension, and the entries of each cell."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix


class Sparsity(NamedTuple):
    """Sparsity pattern over N nodes, and over dN interleaved degrees of freedom (d node + axis), d = 2 or 3.

    ``node_indptr``, ``node_indices``: (N + 1,) and one entry per pair of nodes that share a cell, int32, sorted, diagonal present.
    ``indptr``, ``indices``: the same with each node entry as a d × d block, (dN + 1,), int32, sorted.
    ``pairs``: (C, B, B), index of node pair (a, b) of a cell in ``node_indices``.
    ``entries``: (C, B, B) int32, index of the upper left entry of its block in ``indices``.
    ``row_length``: (N,) int32, entries per row of node i: the distance from one row of a block to the next.
    ``blocks``: as ``entries``, by node entry, int32.
    """

    node_indptr: np.ndarray
    node_indices: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    pairs: np.ndarray
    entries: np.ndarray
    row_length: np.ndarray
    blocks: np.ndarray


def sparsity(nodes: np.ndarray, count: int, dimension: int = 2) -> Sparsity:
    """Sparsity pattern of cells with ``nodes`` (C, B) of ``count`` nodes in all. Raises ValueError if the entries do not fit 32-bit
    indices."""
    keys = nodes[:, :, None].astype(np.int64) * count + nodes[:, None, :]
    unique, place = np.unique(keys.ravel(), return_inverse=True)
    row, column = np.divmod(unique, count)
    per_node = np.bincount(row, minlength=count)
    node_indptr = np.concatenate(([0], np.cumsum(per_node)))
    d, size = dimension, dimension**2 * unique.size
    if size > np.iinfo(np.int32).max:
        raise ValueError(f"the mesh is too large: {size} matrix entries do not fit 32-bit indices")

    # Row d i holds the blocks of node i one after the other, d entries each; rows d i + 1, ... have the same columns.
    row_length = d * per_node
    blocks = d * (np.arange(unique.size) + (d - 1) * node_indptr[row])
    indptr = np.concatenate(([0], np.cumsum(np.repeat(row_length, d))))
    indices = np.empty(size, dtype=np.int32)
    for a in range(d):
        for b in range(d):
            indices[blocks + a * row_length[row] + b] = d * column + b

    pairs = place.reshape(keys.shape)
    return Sparsity(
        node_indptr=node_indptr.astype(np.int32),
        node_indices=column.astype(np.int32),
        indptr=indptr.astype(np.int32),
        indices=indices,
        pairs=pairs,
        entries=blocks[pairs].astype(np.int32),
        row_length=row_length.astype(np.int32),
        blocks=blocks.astype(np.int32),
    )


def scalar_in_blocks(pattern: Sparsity, node_data: np.ndarray) -> np.ndarray:
    """Data (nnz,) of m ⊗ 1 in the full pattern; m: ``node_data``, one value per node entry."""
    row = np.repeat(np.arange(pattern.row_length.size), np.diff(pattern.node_indptr))
    data = np.zeros(pattern.indices.size)
    for a in range((len(pattern.indptr) - 1) // pattern.row_length.size):
        data[pattern.blocks + a * (pattern.row_length[row] + 1)] = node_data
    return data


def scalar_matrix(pattern: Sparsity, blocks: np.ndarray) -> csr_matrix:
    """Assembled matrix (N, N) of cell ``blocks`` (C, B, B), one value per pair of nodes."""
    data = np.bincount(pattern.pairs.ravel(), blocks.ravel())
    return csr_matrix((data, pattern.node_indices, pattern.node_indptr))
