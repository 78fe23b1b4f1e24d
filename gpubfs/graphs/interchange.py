"""To and from SciPy's sparse matrices and NetworkX's graphs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gpubfs.graphs.errors import GraphError

if TYPE_CHECKING:
    import scipy.sparse

Ends = tuple[NDArray[np.int64], NDArray[np.int64]]


def is_sparse(thing: object) -> bool:
    """Whether something is one of SciPy's sparse matrices or arrays."""
    sparse = sys.modules.get("scipy.sparse")  # slow to import; without it there are no matrices
    return sparse is not None and bool(sparse.issparse(thing))


def scipy_entries(matrix: Any) -> tuple[Ends, int]:
    """Return the rows and columns of a square sparse matrix's entries, and its size.

    Blocks (BSR) and diagonals (DIA) are filled up with zeros, so that there a zero is no entry.
    """
    if not is_sparse(matrix):
        raise GraphError(
            f"something of type {type(matrix).__name__} is not a SciPy sparse matrix",
            hint="wrap it in scipy.sparse.csr_array",
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = " by ".join(str(size) for size in matrix.shape)
        raise GraphError(f"the matrix is {shape} and an adjacency matrix is square")
    entries = matrix.tocoo()
    row, column = (np.asarray(part).astype(np.int64) for part in (entries.row, entries.col))
    if matrix.format == "bsr":  # tocoo leaves out the zeros of diagonals, but not those of blocks
        stored = np.asarray(entries.data) != 0
        row, column = row[stored], column[stored]
    return (row, column), int(matrix.shape[0])


def scipy_matrix(
    offsets: NDArray[Any], neighbours: NDArray[np.int32]
) -> scipy.sparse.csr_array[np.int8]:
    """Make the adjacency matrix of compressed sparse rows, with ones of type int8."""
    from scipy.sparse import csr_array

    ones = np.ones(len(neighbours), np.int8)
    size = len(offsets) - 1
    arrays = ones, neighbours.copy(), offsets.copy()
    return csr_array(arrays, shape=(size, size))


def networkx_edges(graph: Any) -> tuple[Ends, int]:
    """Return a NetworkX graph's edges, its nodes numbered in their order, and how many."""
    if not hasattr(graph, "is_directed") or not callable(getattr(graph, "edges", None)):
        raise GraphError(
            f"something of type {type(graph).__name__} is not a NetworkX graph",
            hint="give a networkx.Graph or a networkx.DiGraph",
        )
    number = {node: index for index, node in enumerate(graph)}
    ends = np.array([(number[u], number[v]) for u, v, *_ in graph.edges()], np.int64).reshape(-1, 2)
    return (ends[:, 0], ends[:, 1]), len(number)
