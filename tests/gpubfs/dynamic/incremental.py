"""Batches for incremental-bfs, what a repair must find, and a model of what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gpubfs.dynamic import Batch, Repair, Work, repair
from gpubfs.dynamic.incremental_bfs import IncrementalSearch
from gpubfs.graphs import Graph
from gpubfs.graphs import graph as make_graph
from gpubfs.graphs.reference import reference_levels
from gpubfs.host import Host
from gpubfs.kernels import KERNELS
from gpubfs.machines import open_machine
from gpubfs.search.runs import common_macros, sanitized

Pair = tuple[int, int]

NOWHERE = 1 << 30


@dataclass(frozen=True)
class Change:
    """A graph, levels of a search of it from `source`, and the graph after a batch."""

    before: Graph
    after: Graph
    source: int
    inserted: tuple[Pair, ...]
    deleted: tuple[Pair, ...]

    def __repr__(self) -> str:
        sizes = f"{len(self.inserted)} inserted, {len(self.deleted)} deleted"
        return f"<{self.before.name}, {self.before.vertices} vertices, {sizes}>"

    @property
    def earlier(self) -> np.ndarray:
        return reference_levels(self.before, self.source)

    def repaired(self, **options: Any) -> Repair:
        """The repair by the kernels, which must find what a new search finds."""
        inserted, deleted = (Batch(*columns(pairs)) for pairs in (self.inserted, self.deleted))
        done = repair(self.earlier, self.after, inserted, deleted, **options)
        np.testing.assert_array_equal(done.levels, reference_levels(self.after, self.source))
        return done


class Bench:
    """A machine on which one build of the kernels repairs change after change.

    It spares tests compiling them anew for each. `kernels` is another folder for them.
    """

    def __init__(
        self,
        machine: str = "sim",
        kernels: Path = KERNELS,
        sanitize: str = "",
        block: int = 32,
        width: int = 4,
        counters: bool = False,
        **where: Any,
    ) -> None:
        self.machine = open_machine(machine, counters=counters, **where)
        self.options = {"block": block, "width": width}
        self.kernels, self.sanitize, self.counters = kernels, sanitize, counters

    def __enter__(self) -> Bench:
        self._context = ExitStack()
        self._context.enter_context(self.machine)
        any_change = NAMED["an empty batch"]
        technique = search_of(any_change).technique
        sanitizers = sanitized(self.machine, self.sanitize, technique.benign)
        self.findings = self._context.enter_context(sanitizers)
        macros = {**common_macros(any_change.after, self.machine), "WIDTH": self.options["width"]}
        file = self.kernels / technique.kernel
        self._host = Host(self.machine, file, macros, record=False, headers=self.kernels)
        return self

    def __exit__(self, *error: object) -> None:
        self._context.close()

    def check(self, change: Change, name: str = "") -> None:
        """Repair the levels: they are a new search's, and the model's vertices are looked at."""
        search, reads = search_of(change), self._host.host_reads
        graph = self._host.upload(change.after)
        found = search.drive(self._host, graph, change.source, **self.options)
        levels, (_, launches) = self.machine.asnumpy(found.levels), self._host.lap()
        expected = reference_levels(change.after, change.source)
        np.testing.assert_array_equal(levels, expected, err_msg=f"{name} {change}")
        assert astuple(search.work) == astuple(modelled(change)), f"{name} {change}"
        turns = [one for one in launches if one.kernel in ("decide_suspects", "relax")]
        assert len(launches) <= len(turns) + OTHERS, f"{name} {change}"
        assert self._host.host_reads - reads <= len(turns) + READS, f"{name} {change}"
        if self.counters:
            relaxed = sum(looked(one.sites) for one in turns if one.kernel == "relax")
            assert relaxed == edges_of_changed(change), f"{name} {change}"


#: Launches and reads that are not those of a level: three or four at the ends of each pass.
OTHERS, READS = 7, 4


def looked(sites: Iterable[Any]) -> int:
    """Edges that were looked at."""
    names = ("neighbours", "in_neighbours")
    return sum(site.lanes for site in sites if site.kind == "load" and site.array in names)


def search_of(change: Change) -> IncrementalSearch:
    batches = (Batch(*columns(pairs)) for pairs in (change.inserted, change.deleted))
    return IncrementalSearch(change.earlier, change.after, *batches)


def columns(pairs: Iterable[Pair]) -> tuple[list[int], list[int]]:
    pairs = list(pairs)
    return [u for u, _ in pairs], [v for _, v in pairs]


def edges_of(graph: Graph) -> list[Pair]:
    """The edges as they are listed: of an undirected graph each once."""
    tails = np.repeat(np.arange(graph.vertices), graph.degrees).tolist()
    pairs = zip(tails, graph.neighbours.tolist(), strict=True)
    return [(u, v) for u, v in pairs if graph.directed or u <= v]


def graph_of(pairs: Iterable[Pair], like: Graph) -> Graph:
    kept = {"loops": True, "directed": like.directed, "name": like.name}
    return Graph.from_edges(*columns(pairs), like.vertices, **kept)


def changed(
    before: Graph,
    source: int,
    inserted: Iterable[Pair] = (),
    deleted: Iterable[Pair] = (),
    *,
    insertions_first: bool = False,
) -> Change:
    """Apply a batch: deletions first, or insertions, which differ where an edge is in both."""
    inserted, deleted = tuple(inserted), tuple(deleted)
    there, come, gone = (
        {pair if before.directed else (min(pair), max(pair)) for pair in pairs}
        for pairs in (edges_of(before), inserted, deleted)
    )
    left = (there | come) - gone if insertions_first else (there - gone) | come
    return Change(before, graph_of(sorted(left), before), source, inserted, deleted)


def random_change(
    graph: Graph, source: int, rng: np.random.Generator, kind: str, size: int
) -> Change:
    """A batch of about `size` updates, with loops, repeated edges and edges of no effect."""
    inserted, deleted = [], []
    edges = edges_of(graph)
    if kind != "deletions":
        inserted = list(map(tuple, rng.integers(0, graph.vertices, (size, 2)).tolist()))
    if kind != "insertions":
        some = rng.integers(0, len(edges), size).tolist() if edges else []
        turned = rng.random(size) < 0.5
        for at, turn in zip(some, turned, strict=False):
            u, v = edges[at]
            deleted.append((v, u) if turn and not graph.directed else (u, v))
        deleted += list(map(tuple, rng.integers(0, graph.vertices, (size // 4, 2)).tolist()))
    if kind == "both" and deleted and rng.random() < 0.3:
        inserted += deleted[: size // 3]
    first = bool(rng.random() < 0.5)
    return changed(graph, source, inserted, deleted, insertions_first=first)


KINDS = ("insertions", "deletions", "both")


def random_graph(rng: np.random.Generator, most: int, directed: bool) -> Graph:
    """A graph whose degrees differ much, and which may be deep, or in pieces."""
    vertices = int(rng.integers(1, most + 1))
    crowd = rng.choice([1, 2, 4])
    ends = (rng.random((2, rng.integers(0, 2 * most))) ** crowd * vertices).astype(int)
    chain = np.arange(rng.integers(0, vertices))
    ends = np.c_[ends, np.array([chain[:-1], chain[1:]])] if len(chain) > 1 else ends
    return Graph.from_edges(*ends, vertices, directed=directed, loops=True, name="any")


@st.composite
def changes(draw: Callable[..., Any], most: int = 40) -> Change:
    """Random graphs, directed or not, with a random batch."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    graph = random_graph(rng, most, draw(st.booleans()))
    source = draw(st.integers(0, graph.vertices - 1))
    kind, size = draw(st.sampled_from(KINDS)), draw(st.sampled_from([0, 1, 3, 12]))
    return random_change(graph, source, rng, kind, size)


def history(graph: Graph, source: int, seed: int, batches: int, size: int) -> Iterator[Change]:
    """One batch after another, the kinds in turn, from graph to graph."""
    rng = np.random.default_rng(seed)
    for turn in range(batches):
        change = random_change(graph, source, rng, KINDS[turn % 3], size)
        yield change
        graph = change.after


def adjacency(graph: Graph) -> list[set[int]]:
    ends = np.split(graph.neighbours, graph.offsets[1:-1])
    return [set(end.tolist()) for end in ends]


def modelled(change: Change) -> Work:
    """What a repair must look at, by sets."""
    return _modelled(change)[0]


def edges_of_changed(change: Change) -> int:
    """The edges of the vertices that get another level, or lose theirs and get it back."""
    found = reference_levels(change.after, change.source)
    affected = np.isin(np.arange(len(found)), list(_modelled(change)[1]))
    got = (found >= 0) & (affected | (found != change.earlier))
    return int(change.after.degrees[got].sum())


def _modelled(change: Change) -> tuple[Work, set[int]]:
    """What a repair must look at, and the vertices that lose their levels."""
    level = [NOWHERE if d < 0 else d for d in change.earlier.tolist()]
    out_of, into = adjacency(change.after), adjacency(change.after.reversed)
    suspects = {
        v
        for u, v in directions(change.deleted, change)
        if level[u] < NOWHERE and level[v] == level[u] + 1
    }
    affected: set[int] = set()
    for depth in range(len(level)):
        here = [v for v in suspects if level[v] == depth]
        lost = [v for v in here if all(level[w] != depth - 1 for w in into[v])]
        suspects |= {w for v in lost for w in out_of[v] if level[w] == depth + 1}
        affected |= set(lost)
        for v in lost:
            level[v] = NOWHERE
    seeds = affected | {
        v for u, v in directions(change.inserted, change) if level[u] + 1 < level[v]
    }
    nearest = {v: min((level[w] + 1 for w in into[v]), default=NOWHERE) for v in seeds}
    for v, depth in nearest.items():
        level[v] = min(level[v], depth)
    found = reference_levels(change.after, change.source).tolist()
    lowered = {v for v, d in enumerate(found) if d >= 0 and d != level[v]}
    touched = suspects | seeds | lowered
    return Work(len(suspects), len(affected), len(seeds), len(touched)), affected


def directions(pairs: Iterable[Pair], change: Change) -> Iterator[Pair]:
    for u, v in pairs:
        yield u, v
        if not change.after.directed:
            yield v, u


def _named(spec: str, source: int, inserted: Iterable[Pair] = (), deleted: Iterable[Pair] = ()):
    return changed(make_graph(spec), source, inserted, deleted)


def _directed(pairs: Iterable[Pair], vertices: int, *batch: Iterable[Pair]) -> Change:
    graph = Graph.from_edges(*columns(pairs), vertices, directed=True, name="directed")
    return changed(graph, 0, *batch)


def _edges(spec: str, vertex: int | None = None) -> list[Pair]:
    """All edges of a graph, or those of one vertex."""
    pairs = edges_of(make_graph(spec))
    return [pair for pair in pairs if vertex is None or vertex in pair]


#: A path from 0 to 4 with a way round it, 0 5 6 7 8 4, and a tail behind 4.
DETOUR = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6), (6, 7), (7, 8), (8, 4), (4, 9)]


def _graph(pairs: Iterable[Pair], *batch: Iterable[Pair]) -> Change:
    return changed(Graph.from_edges(*columns(pairs), name="small"), 0, *batch)


def _detour(inserted: Iterable[Pair] = (), deleted: Iterable[Pair] = ()) -> Change:
    graph = Graph.from_edges(*columns(DETOUR), 11, name="detour")
    return changed(graph, 0, inserted, deleted)


NAMED: dict[str, Change] = {
    "an empty batch": _named("grid:4x4", 0),
    "a single vertex": changed(Graph.from_edges([], [], 1), 0, [(0, 0)], [(0, 0)]),
    "a path is cut": _named("path:14", 0, (), [(5, 6)]),
    "the end of a path is cut off": _named("path:14", 0, (), [(12, 13)]),
    "a path is closed": _named("path:14", 0, [(13, 0)]),
    "a path is cut and closed": _named("path:14", 0, [(0, 13)], [(3, 2)]),
    "the source loses all edges": _named("kron:6", 0, (), _edges("kron:6", 0)),
    "the source gets all its edges back": changed(
        graph_of(set(_edges("kron:6")) - set(_edges("kron:6", 0)), make_graph("kron:6")),
        0,
        _edges("kron:6", 0),
    ),
    "everything goes": _named("grid:5x4", 7, (), _edges("grid:5x4")),
    "everything comes": changed(Graph.from_edges([], [], 20), 7, _edges("grid:5x4")),
    "all is replaced": _named("grid:6x6", 0, _edges("grid:4x9"), _edges("grid:6x6")),
    "a hub loses half of its leaves": _named("star:70", 0, (), [(0, v) for v in range(1, 36)]),
    "leaves change hubs": _named(
        "star:70", 0, [(v, 70) for v in range(1, 30)], [(0, v) for v in range(1, 30)]
    ),
    "pieces are joined behind each other": changed(
        Graph.from_edges([0, 1, 3, 4, 6, 7], [1, 2, 4, 5, 7, 8], 10), 0, [(2, 3), (5, 6)]
    ),
    "a piece is joined in its middle": changed(
        Graph.from_edges([0, *range(2, 12)], [1, *range(3, 13)], 14), 0, [(1, 7)]
    ),
    "loops and repeated edges": _named(
        "grid:5x5",
        0,
        [(3, 3), (0, 24), (24, 0), (0, 24), (0, 0)],
        [(1, 1), (0, 1), (1, 0), (0, 1), (0, 0), (20, 4)],
    ),
    "another parent is left": _named("grid:6x6", 0, (), [(7, 1)]),
    "a parent of the same batch is left": _named("grid:6x6", 0, [(2, 13)], [(7, 1), (7, 6)]),
    "the way round is longer": _detour((), [(1, 2)]),
    "a suspect hides behind one that is affected": _graph(
        [(0, 1), (0, 3), (1, 2), (3, 2)], (), [(0, 1), (3, 2)]
    ),
    "suspects of a level by both ways": _graph(
        [(0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 5), (0, 6)], (), [(0, 1), (2, 4)]
    ),
    "a parent stands behind many others": _graph(
        [(0, 10), (0, 11), (10, 9), (11, 9), *((9, v) for v in range(1, 9))], (), [(10, 9)]
    ),
    "suspects far apart": _graph(
        [*((v, v + 1) for v in range(39)), (0, 40), (40, 2), (37, 41), (41, 39)],
        (),
        [(40, 2), (41, 39)],
    ),
    "seeds wait for lower ones": _detour([(0, 8)], [(2, 3)]),
    "a shortcut behind a cut": _detour([(6, 9)], [(0, 1), (8, 4)]),
    "a new edge from where nobody comes": _detour([(10, 9), (10, 10)], [(9, 4)]),
    "directed: an edge from where nobody comes leads to the source": _directed(
        [(0, 1), (1, 2), (3, 0)], 4, (), [(3, 0)]
    ),
    "directed: a new edge from where nobody comes": _directed(
        [(0, 1), (1, 2), (2, 4)], 6, [(3, 0), (3, 2), (5, 4)], [(2, 4)]
    ),
    "directed: edges back are no parents": _directed(
        [(0, 1), (1, 0), (1, 2), (2, 3), (3, 1), (2, 1), (0, 4), (4, 5), (5, 6), (6, 1)],
        7,
        (),
        [(0, 1)],
    ),
    "directed: an edge back goes, and another comes": _directed(
        [(0, 1), (1, 2), (2, 1), (2, 3)], 4, [(3, 0)], [(2, 1)]
    ),
    "directed: a circle is cut from the source": _directed(
        [(0, 1), (1, 2), (2, 3), (3, 1)], 5, (), [(0, 1)]
    ),
    "both inserted and deleted, and there": changed(
        make_graph("path:9"), 0, [(2, 3), (0, 8)], [(3, 2), (0, 8)]
    ),
    "both inserted and deleted, and gone": changed(
        make_graph("path:9"), 0, [(2, 3), (0, 8)], [(3, 2), (0, 8)], insertions_first=True
    ),
}
