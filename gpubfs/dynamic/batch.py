"""Batches of updates: edges to insert or to delete, made by hand or at random."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpubfs.arguments import is_kind, is_truth, shown, whole
from gpubfs.errors import UsageError, unknown
from gpubfs.graphs import Graph, GraphError
from gpubfs.graphs.checks import check_ends, frozen, integers, refused
from gpubfs.graphs.limits import MOST_VERTICES, gibibytes, memory

#: What an edge has besides its destination, by the mode of a structure; all of them are int32.
MODES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "simple": (),
        "weighted": ("weight",),
        "semantic": ("weight", "type", "timestamp1", "timestamp2"),
    }
)

#: The attributes of an edge for which none are given.
DEFAULTS: Mapping[str, int] = MappingProxyType(
    {"weight": 1, "type": 0, "timestamp1": 0, "timestamp2": 0}
)

#: The share of vertices at which the edges of skewed batches begin.
FAVOURED = 0.001

#: Bytes held at the peak for each update that is drawn (measured, rounded up).
BYTES_PER_UPDATE = 32


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """Edges from sources[i] to targets[i], to be inserted or deleted in any order.

    An edge may be there several times. An undirected edge is two of them, one in each direction.

    Parameters
    ----------
    sources, targets : array_like of int, shape (N,)
        The ends of each edge.
    attributes : mapping of str to array_like of int, shape (N,)
        What the edges have besides their ends: names of `MODES`. Those that a structure's mode has
        and that are not given are `DEFAULTS`.

    Raises
    ------
    GraphError
        If these are no whole numbers of 32 bits, or not as many.
    UsageError
        If edges have no such attribute.

    Examples
    --------
    >>> batch = Batch([0, 0, 4], [1, 1, 2])
    >>> len(batch), batch.targets.tolist()
    (3, [1, 1, 2])
    """

    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    attributes: Mapping[str, NDArray[np.int32]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sources = narrow(self.sources, "sources")
        given = {"targets": self.targets, **named(self.attributes)}
        arrays = {name: narrow(values, name) for name, values in given.items()}
        for name, values in arrays.items():
            if len(values) != len(sources):
                message = f"there are {len(sources)} sources and {len(values)} {name}"
                raise GraphError(message, hint="give one of each for every update")
        object.__setattr__(self, "sources", sources)
        object.__setattr__(self, "targets", arrays.pop("targets"))
        object.__setattr__(self, "attributes", MappingProxyType(arrays))

    def __len__(self) -> int:
        return len(self.sources)

    def __repr__(self) -> str:
        more = "".join(f", {name}" for name in self.attributes)
        return f"Batch({len(self)} edges{more})"

    @property
    def keys(self) -> NDArray[np.int64]:
        """Both ends of each edge in one number, by which edges are sorted and compared."""
        return (self.sources.astype(np.int64) << 32) | self.targets

    def columns(self, mode: str) -> tuple[NDArray[np.int32], ...]:
        """Return sources, targets, and the attributes of a mode, with defaults where none are."""
        size = len(self)
        more = (
            self.attributes.get(name, np.full(size, DEFAULTS[name], np.int32))
            for name in MODES[mode]
        )
        return (self.sources, self.targets, *more)

    def sorted(self) -> Batch:
        """Return the same edges by source and target."""
        order = np.argsort(self.keys, kind="stable")
        more = {name: values[order] for name, values in self.attributes.items()}
        return Batch(self.sources[order], self.targets[order], more)

    def both_ways(self) -> Batch:
        """Return these edges, and behind them their reverses."""
        more = {name: np.tile(values, 2) for name, values in self.attributes.items()}
        ends = self.sources, self.targets
        return Batch(np.concatenate(ends), np.concatenate(ends[::-1]), more)

    def check(self, vertices: int, mode: str | None = None) -> None:
        """Check that all of it can be done to a graph.

        Parameters
        ----------
        vertices : int
            The vertices of the graph.
        mode : str, optional
            The structure's, of `MODES`; None where attributes do not count.

        Raises
        ------
        GraphError
            If an end is no vertex.
        UsageError
            If it has attributes that the mode has not.
        """
        try:
            for ends, what in ((self.sources, "source"), (self.targets, "target")):
                check_ends(ends, vertices, what)
        except GraphError as error:
            raise GraphError(f"{error.message}; no update took effect", hint=error.hint) from None
        if mode is None:
            return
        extra = [name for name in self.attributes if name not in MODES[mode]]
        if extra:
            known = [name for name, has in MODES.items() if set(self.attributes) <= set(has)]
            raise UsageError(
                f"edges of mode={mode} have no {extra[0]}; no update took effect",
                f"leave it out, or take mode={' or '.join(known)}" if known else "leave it out",
            )


def named(attributes: Any) -> Mapping[str, ArrayLike]:
    """Return the attributes of edges, of which each is one that edges have in some mode.

    Raises
    ------
    UsageError
        If they are no mapping, or there is no such attribute.
    """
    if not isinstance(attributes, Mapping):
        hint = 'give a dictionary, such as {"weight": [3, 1]}'
        raise UsageError(f"attributes={shown(attributes)} is no mapping", hint)
    for name in attributes:
        if name not in DEFAULTS:
            raise unknown("attribute of edges", name, DEFAULTS)
    return attributes


def narrow(values: ArrayLike, what: str) -> NDArray[np.int32]:
    """Return 32-bit whole numbers that cannot be written to.

    Raises
    ------
    GraphError
        If some are none, or out of range.
    """
    given = integers(values, what)
    narrow = given.astype(np.int32)
    wrong = np.flatnonzero(narrow != given)
    if len(wrong):
        at = int(wrong[0])
        hint = "give 32-bit whole numbers"
        raise GraphError(f"{what} holds {given[at]} at position {at}: out of range", hint=hint)
    return frozen(narrow)


def of_graph(graph: Graph, attributes: Mapping[str, ArrayLike] | None = None) -> Batch:
    """Return all edges of a graph in the order of CSR.

    Parameters
    ----------
    graph : Graph
        With E stored edges.
    attributes : mapping of str to array_like of int, shape (E,), optional
        What the edges have besides their ends.
    """
    sources = np.repeat(np.arange(graph.vertices, dtype=np.int32), graph.degrees)
    given: Mapping[str, ArrayLike] = {} if attributes is None else attributes
    return Batch(sources, graph.neighbours, given)  # type: ignore[arg-type]


def uniform(vertices: int, updates: int, seed: int = 0) -> Batch:
    """Draw edges between any two different vertices, all equally likely.

    Parameters
    ----------
    vertices : int
        The vertices of the graph, at least two.
    updates : int
        How many edges; some may be drawn twice, and some may be in the graph.
    seed : int
        Of the generator.

    Examples
    --------
    >>> drawn = uniform(1000, 5, seed=1)
    >>> bool((drawn.sources != drawn.targets).all())
    True
    """
    return skewed(vertices, updates, seed, favoured=1.0)


def skewed(vertices: int, updates: int, seed: int = 0, *, favoured: float = FAVOURED) -> Batch:
    """Draw edges that all begin at a few of the vertices, which are drawn, too.

    Parameters
    ----------
    vertices : int
        The vertices of the graph, at least two.
    updates : int
        How many edges; some may be drawn twice, and some may be in the graph.
    seed : int
        Of the generator.
    favoured : float
        The share of vertices at which edges begin; it is one vertex at least.

    Examples
    --------
    >>> len(set(skewed(1000, 50, favoured=0.004).sources.tolist()))
    4
    """
    whole(vertices, "vertices", 2, MOST_VERTICES)
    check_drawn(updates, favoured, seed)
    random = np.random.default_rng(seed)
    few = max(round(favoured * vertices), 1)
    sources = random.integers(few, size=updates, dtype=np.int32)
    if few < vertices:
        sources = random.choice(vertices, few, replace=False).astype(np.int32)[sources]
    targets = random.integers(vertices - 1, size=updates, dtype=np.int32)
    return Batch(sources, targets + (targets >= sources))


def check_drawn(updates: int, favoured: float, seed: int) -> None:
    """Check what batches are drawn by.

    Parameters
    ----------
    updates : int
        How many edges.
    favoured : float
        The share of vertices at which edges begin.
    seed : int
        Of the generator.

    Raises
    ------
    UsageError, GraphError
        If it is not a number, not in its range, or more than this machine's memory can hold.
    """
    whole(updates, "updates", 0)
    whole(seed, "seed", 0)
    if is_truth(favoured) or not (is_kind(favoured, Real) and 0 <= favoured <= 1):
        raise refused(f"favoured={shown(favoured)} is no share", "give a number from 0 to 1")
    needed, present = BYTES_PER_UPDATE * updates, memory()
    if needed > present:
        raise UsageError(
            f"a batch of {updates:,} updates needs about {gibibytes(needed)} while it is drawn, "
            f"and the limit is this machine's memory of {gibibytes(present)}",
            "take smaller batches",
        )
