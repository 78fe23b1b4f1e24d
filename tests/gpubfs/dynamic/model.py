"""A set of edges that every structure is compared with, and batches to compare them on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from hypothesis import strategies as st

from gpubfs.dynamic import MODES, Batch, DynamicGraph, Operation
from gpubfs.graphs import Graph

#: The attributes of an edge by which it was inserted: any of them may be the one that is kept.
Attributes = set[tuple[int, ...]]


class Model:
    """The edges of a graph as a Python dictionary.

    Of an edge that a batch inserts several times, with different attributes, any may win.
    """

    def __init__(self, graph: Graph, mode: str = "simple") -> None:
        self.vertices, self.mode = graph.vertices, mode
        sources = np.repeat(np.arange(graph.vertices), graph.degrees)
        first = Batch(sources, graph.neighbours)
        self.edges = {edge: {more} for edge, more in self._rows(first)}

    def _rows(self, batch: Batch) -> Iterator[tuple[tuple[int, int], tuple[int, ...]]]:
        for u, v, *more in zip(*(c.tolist() for c in batch.columns(self.mode)), strict=True):
            yield (u, v), tuple(more)

    def insert(self, batch: Batch) -> int:
        """Insert a batch; how many edges are new."""
        new: dict[tuple[int, int], Attributes] = {}
        for edge, more in self._rows(batch):
            if edge not in self.edges:
                new.setdefault(edge, set()).add(more)
        self.edges |= new
        return len(new)

    def delete(self, batch: Batch) -> int:
        """Delete a batch; how many edges were there."""
        gone = self.edges.keys() & {edge for edge, _ in self._rows(batch)}
        for edge in gone:
            del self.edges[edge]
        return len(gone)

    def compare(self, changing: DynamicGraph) -> None:
        """The structure has the same edges, each once, with attributes that it was given."""
        changing.check()
        found = list(self._rows(changing.edges()))
        assert [edge for edge, _ in found] == sorted(self.edges)
        assert all(more in self.edges[edge] for edge, more in found)


def inserted(model: Model, changing: DynamicGraph, batch: Batch) -> Operation:
    """Insert a batch into both, and compare what it did."""
    done = changing.insert_edges(batch)
    assert (done.effect.applied, done.effect.refused) == (model.insert(batch), 0)
    assert done.effect.applied + done.effect.unchanged == len(batch)
    return done


def deleted(model: Model, changing: DynamicGraph, batch: Batch) -> Operation:
    """Delete a batch from both, and compare what it did."""
    done = changing.delete_edges(batch)
    assert (done.effect.applied, done.effect.refused) == (model.delete(batch), 0)
    assert done.effect.applied + done.effect.unchanged == len(batch)
    return done


@st.composite
def batches(draw: st.DrawFn, vertices: int, mode: str = "simple", most: int = 40) -> Batch:
    """Edges of a few or of all vertices, some of them twice."""
    few = draw(st.integers(1, vertices))
    edges = st.tuples(st.integers(0, few - 1), st.integers(0, vertices - 1))
    listed = draw(st.lists(edges, max_size=most))
    listed += listed[: draw(st.integers(0, len(listed)))]
    ends = np.array(listed, np.int32).reshape(-1, 2)
    values = st.lists(st.integers(-(2**31), 2**31 - 1), min_size=len(ends), max_size=len(ends))
    return Batch(ends[:, 0], ends[:, 1], {name: draw(values) for name in MODES[mode]})


#: Histories: the batches of a graph, one after the other, each inserted (True) or deleted.
def histories(vertices: int, mode: str = "simple", most: int = 5) -> st.SearchStrategy:
    steps = st.tuples(st.booleans(), batches(vertices, mode))
    return st.lists(steps, min_size=1, max_size=most)


def replay(changing: DynamicGraph, model: Model, history: Iterable[tuple[bool, Batch]]) -> None:
    """Do the batches of a history to both, and compare them after each."""
    for insert, batch in history:
        (inserted if insert else deleted)(model, changing, batch)
        model.compare(changing)


def drawn_history(
    seed: int, vertices: int, mode: str, number: int, twins: bool = True
) -> Iterator[tuple[bool, Batch]]:
    """Yield batches at random: uniform or all on one vertex, some edges twice, some met before.

    Without `twins` no batch has an edge twice.
    """
    random = np.random.default_rng(seed)
    met = np.empty(0, np.int64)
    for _ in range(number):
        size, few = random.integers(1, 21), random.choice([1, 3, vertices])
        keys = random.integers(few, size=size) * vertices + random.integers(vertices, size=size)
        if len(met):
            keys = np.concatenate([keys, random.choice(met, random.integers(0, 11))])
        met = np.unique(np.concatenate([met, keys]))
        keys = random.permutation(keys if twins else np.unique(keys))
        values = random.integers(-(2**31), 2**31, (len(MODES[mode]), len(keys)))
        attributes = dict(zip(MODES[mode], values, strict=True))
        yield bool(random.integers(2)), Batch(*np.divmod(keys, vertices), attributes)
