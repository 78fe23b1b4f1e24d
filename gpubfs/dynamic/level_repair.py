"""The host side of incremental-bfs: two passes from level to level, a launch and a read each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.host import DeviceArray, Fact, Host

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What `span` is before a level was listed: the lowest and the highest of none.
NO_SPAN = (int(np.iinfo(np.int32).max), -1)

#: The words of `state`, as the kernels number them.
QUEUED, AHEAD, AHEAD_SIZE, LISTED, SEEDS, TOUCHED_LATE = range(6)

#: What kernels take of edges: where they begin, where they lead, how many they are.
Edges = tuple[DeviceArray, DeviceArray, int]

Words = tuple[int, ...]

#: The arrays of a repair, and what their values mean.
ARRAYS = {
    "level": "distance from the source, -1 where not reached; at first the earlier search's",
    "mark": "1 for a suspect, 2 for a vertex whose level must be looked for, 3 for both",
    "deleted_tails": "where deleted edges begin",
    "deleted_heads": "where they lead",
    "inserted_tails": "where inserted edges begin",
    "inserted_heads": "where they lead",
    "in_offsets": "of a directed graph, where the edges begin that lead to each vertex",
    "in_neighbours": "from where they come",
    "listed": "vertices for the buckets, in any order",
    "listed_depth": "the level of each of them",
    "ends": "where the bucket of each level ends in sorted",
    "span": "the lowest and the highest level that has a bucket",
    "sorted": "vertices by ascending level",
    "sorted_depth": "the level of each of them",
    "seeds": "vertices whose level must be looked for",
    "queue": "vertices of the level that is decided or expanded",
    "next": "vertices of the level after it",
    "state": "how many vertices wait, and for which level",
}

#: Those on which threads race on purpose, and why that does no harm.
BENIGN = {
    "level": "within a launch levels change only to what its readers do not look for: where "
    "vertices of a level lose it, others ask for the level before and the one after; and a plain "
    "read before the minimum only spares it",
    "span": "the plain read before the minimum and the maximum only spares them",
}


@dataclass(frozen=True)
class Work:
    """What a repair has looked at.

    Attributes
    ----------
    suspects : int
        Vertices that a deleted edge, or an affected neighbour, has put in doubt.
    affected : int
        Those of them that have lost their level.
    seeds : int
        Vertices that have looked for a level: affected ones, and heads of inserted edges.
    touched : int
        Vertices whose edges were looked at, each counted once.
    """

    suspects: int
    affected: int
    seeds: int
    touched: int


@dataclass(frozen=True)
class Turn:
    """One level of a pass.

    Attributes
    ----------
    depth : int
        The level.
    queued, size : int
        Vertices that the level before has enqueued, and those of the bucket.
    before, after : tuple of int
        The words of `state` before the launch and after it.
    """

    depth: int
    queued: int
    size: int
    before: Words
    after: Words

    def grown(self, word: int) -> int:
        """Return by how much a word of `state` has grown."""
        return self.after[word] - self.before[word]


class Workspace:
    """The device memory of a repair: levels, marks, buckets and queues.

    Parameters
    ----------
    host : Host
        Which allocates it.
    levels : array
        Those of the earlier search.
    """

    def __init__(self, host: Host, levels: NDArray[np.int32]) -> None:
        self.host = host
        vertices = len(levels)
        self.level = host.array("level", levels)
        self.mark = host.full("mark", vertices, 0)
        self.listed = host.empty("listed", vertices)
        self.listed_depth = host.empty("listed_depth", vertices)
        self.ends = host.full("ends", vertices + 2, 0)
        self.span = host.array("span", np.array(NO_SPAN, np.int32))
        self.sorted = host.empty("sorted", vertices)
        self.sorted_depth = host.empty("sorted_depth", vertices)
        self.seeds = host.empty("seeds", vertices)
        self.queue = host.empty("queue", vertices)
        self.next = host.empty("next", vertices)
        self.state = host.full("state", 1 + TOUCHED_LATE, 0)
        self.words: Words = (0,) * (1 + TOUCHED_LATE)

    @property
    def listing(self) -> tuple[DeviceArray, ...]:
        """What a kernel that lists vertices for buckets takes."""
        return self.listed, self.listed_depth, self.ends, self.span, self.state

    def read(self) -> Words:
        """Read the words of `state`, and keep them as `words`."""
        self.words = tuple(self.host.read(self.state).tolist())
        return self.words

    def reset(self, word: int) -> None:
        """Set a word of `state` to 0."""
        self.host.write(self.state[word : word + 1], 0)

    def empty_buckets(self) -> None:
        """Forget all vertices that were listed."""
        self.reset(LISTED)
        self.host.write(self.ends, 0)
        for at, value in enumerate(NO_SPAN):
            self.host.write(self.span[at : at + 1], value)

    def swap(self) -> None:
        """Let the next level be this one."""
        self.queue, self.next = self.host.swap(self.queue, self.next)


@dataclass
class LevelRepair:
    """The passes over a graph: what deletions have made wrong, then what is nearer now.

    Attributes
    ----------
    host : Host
        Which launches and reads.
    space : Workspace
        With the levels of the earlier search, which become those of the graph.
    out_edges, in_edges : tuple
        Offsets and neighbours of the graph, and of the graph turned round.
    directed : bool
        Whether these are two.
    block, width : int
        Threads of a block, and lanes that share a vertex.
    suspects, affected : int
        How many there were.
    facts : dict
        What there is to say of each level.
    """

    host: Host
    space: Workspace
    out_edges: tuple[DeviceArray, DeviceArray]
    in_edges: tuple[DeviceArray, DeviceArray]
    directed: bool
    block: int
    width: int
    suspects: int = 0
    affected: int = 0
    facts: dict[int, dict[str, Fact]] = field(default_factory=dict)

    @property
    def work(self) -> Work:
        """What was looked at."""
        words = self.space.words
        touched = self.suspects + words[TOUCHED_LATE]
        return Work(self.suspects, self.affected, words[SEEDS], touched)

    def forget(self, deleted: Edges) -> None:
        """Let vertices lose levels that they have through none of their neighbours any more."""
        space = self.space
        args = (*deleted, int(self.directed), space.level, space.mark, *space.listing)
        self._each("list_suspects", deleted[2], args)
        self._fill(min(deleted[2] * (1 if self.directed else 2), len(space.level)))
        graph = (*self.in_edges, *self.out_edges)
        for turn in self._turns("decide_suspects", (*graph, space.level, space.mark, space.seeds)):
            suspects, affected = turn.queued + turn.size, turn.grown(SEEDS)
            self.suspects += suspects
            self.affected += affected
            self._say(turn.depth, suspects=suspects, affected=affected)

    def lower(self, inserted: Edges | None) -> None:
        """Give seeds the levels that they have now, and whoever gets a lower one by them."""
        space = self.space
        if inserted is not None:
            args = (*inserted, int(self.directed), space.level, space.mark)
            self._each("seed_heads", inserted[2], (*args, space.seeds, space.state))
        seeds = space.read()[SEEDS]
        if not seeds:
            return
        space.empty_buckets()
        args = (*self.in_edges, space.level, space.seeds, *space.listing)
        self._each("list_seeds", seeds * self.width, args)
        self._fill(seeds)
        for turn in self._turns("relax", (*self.out_edges, space.level, space.mark)):
            self._say(turn.depth, seeds=turn.size, lowered=turn.queued)

    def _fill(self, most: int) -> None:
        """Sort what was listed, `most` vertices or fewer, into buckets."""
        space = self.space
        self.host.launch("place_buckets", 1, self.block, (space.ends, space.span, space.state))
        listed = (space.listed, space.listed_depth, space.ends, space.state)
        self._each("fill_buckets", most, (*listed, space.sorted, space.sorted_depth, space.level))

    def _turns(self, kernel: str, arrays: Iterable[DeviceArray]) -> Iterator[Turn]:
        """Launch a kernel for each level that has vertices, from the lowest on."""
        space, position, depth = self.space, 0, -1
        queued, words = 0, space.read()
        while queued or words[AHEAD] >= 0:
            depth = depth + 1 if queued else words[AHEAD]
            size = words[AHEAD_SIZE] if words[AHEAD] == depth else 0
            self.host.level(depth, queued + size)
            space.reset(QUEUED)
            here = (space.queue, queued, space.sorted, space.sorted_depth, space.ends, position)
            args = (*arrays, *here, size, space.next, space.state, depth)
            self._each(kernel, (queued + size) * self.width, args)
            before, words = words, space.read()
            yield Turn(depth, queued, size, before, words)
            position += size
            queued = words[QUEUED]
            space.swap()

    def _each(self, kernel: str, threads: int, args: Iterable[DeviceArray]) -> None:
        """Launch at least so many threads."""
        self.host.launch(kernel, self.host.blocks(threads, self.block), self.block, args)

    def _say(self, depth: int, **found: int) -> None:
        """Say something of a level, which both passes may come to."""
        nothing: dict[str, Fact] = dict.fromkeys(("suspects", "affected", "seeds", "lowered"), 0)
        self.facts.setdefault(depth, nothing).update(found)
