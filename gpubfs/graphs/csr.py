"""The graph that everything runs on: compressed sparse rows, checked when they are made."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpubfs.arguments import truth
from gpubfs.graphs import build
from gpubfs.graphs.build import Integers
from gpubfs.graphs.checks import (
    check_description,
    check_ends,
    check_offsets,
    check_symmetry,
    frozen,
    integers,
    owned,
    refused,
    vertex_count,
)
from gpubfs.graphs.errors import GraphError
from gpubfs.graphs.interchange import networkx_edges, scipy_entries, scipy_matrix
from gpubfs.graphs.labels import label
from gpubfs.graphs.limits import check_size
from gpubfs.render.views import Viewed

if TYPE_CHECKING:
    import scipy.sparse


@dataclass(frozen=True, eq=False, repr=False)
class Graph(Viewed):
    """A graph in compressed sparse rows.

    The neighbours of vertex v are ``neighbours[offsets[v]:offsets[v + 1]]``. An undirected graph
    stores each edge in both directions.

    Parameters
    ----------
    offsets : int32 or int64 array of shape (V + 1,)
        Where the neighbours of each vertex begin; kept in the width in which it is given.
    neighbours : int32 array of shape (E,)
        Vertex numbers. Both arrays are copied, and those of the graph cannot be written to; other
        numbers than these are converted, or refused if something of them would be lost.
    name : str
        The specification that the graph comes from, or any other name.
    directed : bool
        Whether an edge may lack its reverse.
    notes : tuple of str
        Sentences on what was merged, left out or assumed when the graph was made.

    Raises
    ------
    GraphError
        If the arrays are not a graph of this kind.

    Examples
    --------
    >>> triangle = Graph(np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1]), "triangle")
    >>> triangle
    Graph('triangle', vertices=3, edges=6)
    >>> triangle.degrees
    array([2, 2, 2])
    """

    offsets: Integers
    neighbours: NDArray[np.int32]
    name: str = "graph"
    directed: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        described = check_description(self.name, self.directed, self.notes)
        offsets = integers(self.offsets, "offsets")
        neighbours = integers(self.neighbours, "neighbours")
        check_offsets(offsets, len(neighbours))
        check_ends(neighbours, len(offsets) - 1, "neighbour")
        arrays = owned(offsets), owned(neighbours, np.int32)
        names = ("offsets", "neighbours", "name", "directed", "notes")
        for name, value in zip(names, (*arrays, *described), strict=True):
            object.__setattr__(self, name, value)
        if not self.directed:
            check_symmetry(self.offsets, self.neighbours)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrays that were pickled or copied cannot be written to, either."""
        for name, value in state.items():
            self.__dict__[name] = frozen(value) if isinstance(value, np.ndarray) else value

    @classmethod
    def from_edges(
        cls,
        sources: ArrayLike,
        targets: ArrayLike,
        vertices: int | None = None,
        *,
        name: str = "edges",
        directed: bool = False,
        loops: bool = False,
        duplicates: bool = False,
        index64: bool = False,
        notes: tuple[str, ...] = (),
    ) -> Graph:
        """Make the graph of the edges sources[i] to targets[i].

        Parameters
        ----------
        sources, targets : array_like of int, shape (L,)
            The ends of each edge.
        vertices : int, optional
            The number of vertices; by default one more than the largest end.
        name : str
            The graph's name.
        directed, loops, duplicates : bool
            Keep directions, self loops and repeated edges; by default each edge is stored in both
            directions, loops are left out and repeated edges merged.
        index64 : bool
            64-bit offsets even where 32 bits would do.
        notes : tuple of str
            Sentences to put before those on what was left out.

        Returns
        -------
        Graph
            Its `notes` say what was left out or merged.

        Raises
        ------
        GraphError
            If an end is no vertex, or the graph is too large.

        Examples
        --------
        >>> graph = Graph.from_edges([0, 1, 1, 2], [1, 2, 2, 2])
        >>> graph.neighbours
        array([1, 0, 2, 1], dtype=int32)
        >>> graph.notes
        ('1 self loop left out.', '1 repeated edge merged.')
        """
        ends = integers(sources, "sources"), integers(targets, "targets")
        if len(ends[0]) != len(ends[1]):
            message = f"there are {len(ends[0])} sources and {len(ends[1])} targets"
            raise GraphError(message, hint="give both of one length: edge i goes between ends i")
        name, directed, notes = check_description(name, directed, notes)
        kept = {"loops": loops, "duplicates": duplicates, "index64": index64}
        kept = {what: truth(value, what, refused) for what, value in kept.items()}
        vertices = vertex_count(vertices, ends)
        for end in ends:
            check_ends(end, vertices, "vertex")
        check_size("the graph", vertices, len(ends[0]), "number the vertices from 0, without gaps")
        made = build.arrange(
            ends[0].astype(np.int64, copy=False),
            ends[1].astype(np.int64, copy=False),
            vertices,
            directed=directed,
            **kept,
        )
        return cls.arranged(replace(made, notes=notes + made.notes), name, directed)

    @classmethod
    def arranged(
        cls, made: build.Arrangement, name: str = "graph", directed: bool = False
    ) -> Graph:
        """Take over CSR arrays as `build` makes them, neither checked again nor copied.

        Parameters
        ----------
        made : Arrangement
            The arrays, and the graph's notes.
        name : str
            The graph's name.
        directed : bool
            Whether an edge may lack its reverse; otherwise `made` has every edge twice.

        Returns
        -------
        Graph
            Whose arrays are those of `made`.
        """
        graph = cls.__new__(cls)
        kept = (frozen(made.offsets), frozen(made.neighbours), name, directed, made.notes)
        for field, value in zip(fields(cls), kept, strict=True):
            object.__setattr__(graph, field.name, value)
        return graph

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, name: str = "matrix", directed: bool = False, index64: bool = False
    ) -> Graph:
        """Make the graph of a square SciPy sparse matrix: an entry joins its row and column.

        Zeros are entries, too, but not in blocks (BSR) and diagonals (DIA), which they fill up.

        Parameters
        ----------
        matrix : SciPy sparse matrix or array, shape (V, V)
            The adjacency matrix; its values do not count.
        name : str
            As for `from_edges`, like the others.
        directed : bool
            Whether edges lead only from rows to columns.
        index64 : bool
            Whether to store 64-bit offsets.

        Returns
        -------
        Graph
            Without self loops and repeated edges.

        Raises
        ------
        GraphError
            If it is no sparse matrix, or not square.
        """
        ends, vertices = scipy_entries(matrix)
        return cls.from_edges(*ends, vertices, name=name, directed=directed, index64=index64)

    @classmethod
    def from_networkx(cls, graph: Any, *, name: str = "networkx", index64: bool = False) -> Graph:
        """Make the graph of a NetworkX graph, its nodes numbered in their order there.

        Parameters
        ----------
        graph : networkx.Graph or networkx.DiGraph
            Whose edges are taken.
        name : str
            As for `from_edges`.
        index64 : bool
            Whether to store 64-bit offsets.

        Returns
        -------
        Graph
            Directed if `graph` is.

        Raises
        ------
        GraphError
            If it is no NetworkX graph.
        """
        ends, vertices = networkx_edges(graph)
        directed = graph.is_directed()
        return cls.from_edges(*ends, vertices, name=name, directed=directed, index64=index64)

    def to_scipy(self) -> scipy.sparse.csr_array[np.int8]:
        """Return the adjacency matrix.

        Returns
        -------
        scipy.sparse.csr_array, shape (V, V)
            Ones of type int8, a repeated entry for a repeated edge.
        """
        return scipy_matrix(self.offsets, self.neighbours)

    @property
    def spec(self) -> str:
        """The graph's name, which is its specification where it was made from one."""
        return self.name

    @property
    def label(self) -> str:
        """What tables call the graph: its specification, or the name of its file.

        >>> Graph([0, 0], [], "file:/data/web.txt").label
        'web.txt'
        """
        return label(self.name)

    @property
    def vertices(self) -> int:
        """The number of vertices V."""
        return len(self.offsets) - 1

    @property
    def edges(self) -> int:
        """The number of CSR entries E: each undirected edge counts twice."""
        return len(self.neighbours)

    @cached_property
    def degrees(self) -> Integers:
        """Neighbours per vertex, shape (V,), of the offsets' type."""
        return frozen(np.diff(self.offsets))

    @cached_property
    def hub(self) -> int:
        """The smallest of the vertices of highest degree: the usual source."""
        return int(np.argmax(self.degrees))

    @cached_property
    def reversed(self) -> Graph:
        """The graph with every edge turned round: itself if undirected."""
        if not self.directed:
            return self
        keys = build.pack(self.neighbours, np.repeat(np.arange(self.vertices), self.degrees))
        keys.sort()
        offsets, neighbours = build.compress(keys, self.vertices)
        offsets = offsets.astype(self.offsets.dtype, copy=False)
        return Graph(offsets, neighbours, f"{self.name}, reversed", True)

    def adjacent(self, vertex: int) -> NDArray[np.int32]:
        """Return the neighbours of one vertex.

        Parameters
        ----------
        vertex : int
            From 0 to V - 1.

        Returns
        -------
        int32 array
            Ascending, a view that cannot be written to.

        Raises
        ------
        GraphError
            If there is no such vertex.
        """
        self.check_vertex(vertex)
        return self.neighbours[self.offsets[vertex] : self.offsets[vertex + 1]]

    def check_vertex(self, vertex: Any, what: str = "vertex") -> None:
        """Check that something is the number of one of this graph's vertices.

        Parameters
        ----------
        vertex : object
            What should be a number from 0 to V - 1.
        what : str
            What messages call it.

        Raises
        ------
        GraphError
            If it is not.
        """
        hint = f"take a number from 0 to {self.vertices - 1}"
        if isinstance(vertex, bool) or not isinstance(vertex, int | np.integer):
            raise GraphError(f"{what} {vertex!r} is not a whole number", hint=hint)
        if not 0 <= vertex < self.vertices:
            size = build.count(self.vertices, "vertex", "vertices")
            raise GraphError(f"{what} {vertex} is not in {self.name}, which has {size}", hint=hint)

    def renamed(self, name: str, *notes: str) -> Graph:
        """Return the same graph under another name, with further notes.

        Parameters
        ----------
        name : str
            The other name.
        *notes : str
            Sentences to put behind those that there are.

        Returns
        -------
        Graph
            It shares the arrays of this one.
        """
        twin = copy(self)
        object.__setattr__(twin, "name", name)
        object.__setattr__(twin, "notes", self.notes + notes)
        return twin

    def with_index64(self) -> Graph:
        """Return the same graph with 64-bit offsets.

        Returns
        -------
        Graph
            It shares the neighbours of this one.
        """
        twin = copy(self)
        object.__setattr__(twin, "offsets", frozen(self.offsets.astype(np.int64)))
        twin.__dict__.pop("degrees", None)
        twin.__dict__.pop("reversed", None)
        return twin

    def __eq__(self, other: object) -> bool:
        """Whether the arrays and the direction are the same; names and notes do not count."""
        if not isinstance(other, Graph):
            return NotImplemented
        return self is other or (
            self.directed == other.directed
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.neighbours, other.neighbours)
        )

    def __hash__(self) -> int:
        return hash((self.vertices, self.edges, self.directed))

    def __repr__(self) -> str:
        kind = ", directed=True" if self.directed else ""
        return f"Graph({self.name!r}, vertices={self.vertices}, edges={self.edges}{kind})"
