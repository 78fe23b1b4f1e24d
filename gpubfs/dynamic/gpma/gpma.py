"""One sorted array of all edges with gaps, spread anew wherever a batch leaves too few of them.

GPMA, by Sha, Li, He and Tan (2017), as Tödling et al. compare to it (Sections II-B, III and V): a
packed memory array of 64-bit keys, the source of an edge in the upper half and its target in the
lower one. A sentinel, whose lower half is 0xFFFFFFFF, ends each row, and where sentinels are is
where rows begin. Gaps are 0xFFFFFFFFFFFFFFFF, and a value beside each key says what was deleted.

The array is cut into leaves of about as many positions as the logarithm of its size, and pairs of
nodes make the node above them. A leaf may be 8 to 92 % full, the root 42 to 84 %, what is between
lies between (`densities.py`). A batch is sorted; keys find their leaves by binary search, and what
is there already is changed in place: an edge that was deleted and comes back, or an edge that is
deleted, which stays until its node is filled anew. Other insertions go up from height to height,
grouped by node. Where a node with its group is within the bounds, the two are merged and spread
evenly over the node, without what was deleted; other groups try the node above. Where the root is
full, the array doubles. So deletions alone move nothing, and nodes may become emptier than their
lower bounds, which stop no merge below the root: a group goes up because a child is too full. The
root is merged however empty it is, and the array never shrinks.

The sort is a kernel of ours, four bits at a time, and not a library's: it runs on both machines,
its launches and sectors are counted with the others, and it is stable, so that of edges that a
batch has twice the first counts. An edge that is there already is left as it is, as in the other
structures; GPMA overwrites its value. What edges have besides their ends is in arrays of their own
and not in GPMA's values, so that no weight has to stand for what was deleted.

An update is a thread, whatever the graph; groups of all sizes share the same launches, a thread for
each position of their nodes. Sha et al. have other kernels for nodes that fit a block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.dynamic.batch import MODES, Batch
from gpubfs.dynamic.dynamic_graph import DynamicGraph, Memory, Stats
from gpubfs.dynamic.gpma.densities import LARGEST, SMALLEST
from gpubfs.dynamic.gpma.image import Image
from gpubfs.dynamic.gpma.merging import Counts, Merging, Outcome
from gpubfs.dynamic.gpma.packed_memory import PackedMemory
from gpubfs.dynamic.gpma.packed_search import BENIGN, TECHNIQUE, search_packed
from gpubfs.dynamic.gpma.sums import temporaries
from gpubfs.dynamic.operation import Effect, Operation
from gpubfs.dynamic.options import MODE
from gpubfs.dynamic.structure import structure
from gpubfs.errors import UsageError
from gpubfs.graphs import Graph
from gpubfs.host import DeviceArray
from gpubfs.search.option import Option
from gpubfs.search.papers import GPMA
from gpubfs.search.queues import BLOCK_256
from gpubfs.search.result import Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

POSITIONS = Option(
    "positions",
    1 << LARGEST,
    "the most positions of the array",
    minimum=1 << SMALLEST,
    maximum=1 << LARGEST,
)


@structure(
    "gpma",
    paper=GPMA,
    section="as in Tödling et al., II-B, III and V",
    year=2017,
    arrays={
        "keys": "source and target of each edge in ascending order, sentinels, and gaps",
        "values": "beside each key, whether the edge was deleted",
        "attributes": "what edges have besides their ends, one after the other",
        "row_offsets": "for each vertex, where the row of its edges begins",
    },
    options=(MODE, BLOCK_256, POSITIONS),
    benign=BENIGN,
    refused={
        "update": "an update is a thread, and nodes are filled by a thread for each position",
        "block_bytes": "there are no blocks of edges: leaves depend on the size of the array",
        "memory": "positions limits the array",
    },
)
class Gpma(DynamicGraph):
    """Drive the kernels: sort a batch, find leaves, and merge height by height."""

    remedy = "give more positions=N, or smaller batches; the graph is intact"

    #: The graph as it is, once a search has asked for it.
    _known: Graph | None = None

    @property
    def arrays(self) -> Mapping[str, DeviceArray]:
        """Keys, values, what edges have besides, and where rows begin."""
        self.host.check_open()
        return {**vars(self.memory.arrays), "row_offsets": self.memory.row_offsets}

    def check(self) -> None:
        """Look through the whole array: order, densities, sentinels and where rows begin."""
        self.image().check()

    def image(self) -> Image:
        """Return a copy of the arrays."""
        read = {name: self.host.read(array) for name, array in self.arrays.items()}
        return Image(self.memory.layout, self.vertices, self.mode, **read)

    def stats(self) -> Stats:
        """Return what the array holds, and what was done to it; facts have its positions, too."""
        found = super().stats()
        facts = {name: found.facts[name] for name in sorted(found.facts, key=_by_height)}
        return replace(found, facts={**facts, **self.image().facts})

    def search(
        self,
        technique: str = TECHNIQUE.name,
        source: int | None = None,
        *,
        record: bool = True,
        **options: object,
    ) -> Run:
        """Search the graph as it is, where it is, and verify it; `packed_search` says how.

        Parameters
        ----------
        technique : str
            What goes over packed memory arrays: cta-warp-scan.
        source : int, optional
            Where to begin; by default the vertex with the most neighbours.
        record : bool
            Whether to count or time every launch by itself.
        **options
            ``block``, the threads of a block; ``blocks``, the most of a launch, 0 for as many as
            the frontier needs; ``gaps``, whether to count what is looked at in vain.

        Returns
        -------
        Run
            Its counters and the facts of its levels have ``gaps_traversed`` if that is counted.

        Raises
        ------
        UsageError, GraphError
            If the technique does not go over arrays with gaps, or its options or the source are not
            there.
        VerificationError
            If the result is not a breadth-first search.

        Examples
        --------
        >>> from gpubfs import dynamic
        >>> with dynamic.graph("gpma", "toy") as changing:
        ...     found = changing.search(source=0)
        ...     found.levels[:6].tolist(), found.counters["gaps_traversed"]
        ([0, 1, 2, 3, 3, 1], 38)
        """
        if self._known is None:
            self._known = self.to_csr()
        where = self._known, self.host.machine
        return search_packed(self.arrays, *where, technique, source, record, options)

    def measured(
        self, name: str, updates: int, do: Callable[[], Effect], changes: bool = True
    ) -> Operation:
        """Do something to the graph, and note what it did and cost."""
        self._known = None
        return super().measured(name, updates, do, changes)

    def _build(self, graph: Graph, edges: Batch) -> Effect:
        rows = edges if _ascends(edges) else _merged(edges)
        ends = np.cumsum(np.bincount(rows.sources, minlength=graph.vertices))
        columns = _stacked(rows, self.mode)
        most = int(self.options["positions"]).bit_length() - 1
        threads = int(self.options["block"])
        self.memory = PackedMemory(self.host, graph.vertices, len(columns), threads, most)
        self.memory.fill(np.append(0, ends), rows.targets, columns)
        self._known = graph if len(rows) == graph.edges else None
        return Effect(len(rows), len(edges) - len(rows))

    def _insert(self, batch: Batch) -> Effect:
        return self._update(batch, insert=True)

    def _delete(self, batch: Batch) -> Effect:
        return self._update(batch, insert=False)

    def _update(self, batch: Batch, *, insert: bool) -> Effect:
        if not len(batch):
            return Effect(0)
        with temporaries(self.host) as made:
            ends = (batch.sources, batch.targets)
            columns = _stacked(batch, self.mode if insert else "simple")
            try:
                merging = Merging(self.memory, made, *ends, columns)
            except UsageError:  # there is no memory to sort them
                return Effect(0, refused=len(batch))
            counts = merging.insert() if insert else merging.delete()
        return _effect(len(batch), counts)

    def _edges(self) -> Batch:
        return self.image().edges()

    def _memory(self) -> Memory:
        regions = {name: int(array.nbytes) for name, array in self.arrays.items()}
        if not MODES[self.mode]:
            regions["attributes"] = 0
        return Memory(regions)


def _by_height(fact: str) -> int:
    """Return the height of a fact that is of one, by which facts are sorted; -1 of others."""
    height = fact.rpartition("_")[2]
    return int(height) if height.isdecimal() else -1


def _ascends(edges: Batch) -> bool:
    """Whether edges are sorted, and each is there once."""
    keys = edges.keys
    return bool((keys[1:] > keys[:-1]).all())


def _merged(edges: Batch) -> Batch:
    """Return edges by source and target, of equal ones the first."""
    _, first = np.unique(edges.keys, return_index=True)
    more = {name: values[first] for name, values in edges.attributes.items()}
    return Batch(edges.sources[first], edges.targets[first], more)


def _stacked(batch: Batch, mode: str) -> NDArray[np.int32]:
    """Return what edges have besides their ends, a row for each attribute."""
    attributes = batch.columns(mode)[2:]
    return np.reshape(attributes, (len(attributes), len(batch))).astype(np.int32)


def _effect(updates: int, counts: Counts) -> Effect:
    found = counts.outcomes
    unchanged = found[Outcome.REPEATED] + found[Outcome.PRESENT] + found[Outcome.ABSENT]
    facts = {"rebalances": sum(counts.rebalances.values()), "doublings": counts.doublings}
    by_height = {f"rebalances_{height}": n for height, n in counts.rebalances.items()}
    applied = updates - unchanged - counts.refused
    return Effect(applied, unchanged, counts.refused, facts | by_height)
