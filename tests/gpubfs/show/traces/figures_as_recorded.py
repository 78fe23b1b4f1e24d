"""The traces of the papers' figures, and the frames that tell each figure's story, as files.

After a change of what frames look like, ``python -m tests.gpubfs.show.traces.figures_as_recorded``,
from the root of the repository, writes the files in `figures/` anew. Lines end where their text
does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import gpubfs
from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.catalogue import find
from gpubfs.search.directions import DirectionSearch
from gpubfs.search.technique import Technique
from gpubfs.show.traces import Trace
from tests.gpubfs.show.traces.seen import Frame, frames

FOLDER = Path(__file__).parent / "figures"
RULE = "=" * 16

#: The share of the edges at which {2, 6, 7} is the first frontier to be expanded bottom-up.
ALPHA = 7 / 24


class UpOnce(DirectionSearch):
    """Goes bottom-up at one level, as in the figure; the next one's frontier has 7 edges, too."""

    been = False

    def _goes_up(self, edges: int) -> bool:
        goes = not self.been and super()._goes_up(edges)
        self.been = self.been or goes
        return goes


def no_queue_up_once() -> Technique:
    """no-queue, bottom-up at one level only."""

    def drive(host: Host, graph: DeviceGraph, source: int, **options: Any) -> SearchResult:
        search = UpOnce(host, graph, "double_scan", reuse="no_queue_expand", **options)
        return search.run(source)

    return replace(find("no-queue"), drive=drive)


def traced(technique: str | Technique, **options: object) -> Trace:
    """A search of XBFS's Figure 2 from 0, with warps of a black and a blue thread."""
    return gpubfs.trace(technique, "toy", 0, device="toy2", **options)


@cache
def scan_free() -> Trace:
    """Figure 4(a) of XBFS."""
    return traced("scan-free", block=2)


@cache
def single_scan() -> Trace:
    """Figure 4(b) of XBFS."""
    return traced("single-scan", block=2, width=1)


@cache
def no_queue() -> Trace:
    """Figure 4(c) of XBFS."""
    return traced(no_queue_up_once(), block=2, width=1, blocks=1, alpha=ALPHA)


@cache
def double_scan() -> Trace:
    """Figure 6 of XBFS."""
    return traced("double-scan", block=2, width=1, blocks=1, alpha=ALPHA)


@cache
def dfq(kind: str, capacity: int) -> Trace:
    """Figure 4 of DFQ: one block of two warps."""
    return traced(kind, block=4, blocks=1, capacity=capacity)


Story = list[tuple[str, Frame]]


def xbfs_4a() -> Story:
    """Scan-free at level 0."""
    load = frames(scan_free(), 0, "int v = neighbours[e]")
    swap = frames(scan_free(), 0, "if (atomicCAS")
    enqueue = frames(scan_free(), 0, "next[atomicAdd")
    return [
        ("the first neighbour of 0 is loaded", load[0]),
        ("its status is updated atomically", swap[0]),
        ("it is enqueued atomically", enqueue[0]),
        ("so is the second one", enqueue[1]),
    ]


def xbfs_4b() -> Story:
    """Single-scan at the level whose frontier is {1, 5}."""
    trace = single_scan()
    store = frames(trace, 1, "level[v] = next_depth")
    scan = frames(trace, 1, "bool found", warp=3, shows="── load level")
    enqueue = frames(trace, 1, "queue[atomicAdd", warp=3)
    return [
        (
            "the black thread works on 1, the blue one on 5",
            frames(trace, 1, "mark_n", shows="u")[0],
        ),
        ("they update the status of 2 and of 6", store[0]),
        ("both update that of 7, without an atomic", store[1]),
        ("threads scan the status array side by side", scan[0]),
        ("they enqueue what was just updated, atomically", enqueue[0]),
    ]


def xbfs_4c() -> Story:
    """No queue at the level after the one that was expanded bottom-up."""
    trace = no_queue()
    test = "if (level[u] == next_depth - 1)"
    return [
        ("3 and 4 of the bottom-up queue were just visited", frames(trace, 3, test, warp=0)[0]),
        ("8 was, 9 was not", frames(trace, 3, test, warp=1)[0]),
        ("the threads of 3 and 4 load neighbours", frames(trace, 3, "int v = neigh", warp=0)[0]),
        ("that of 8 finds 9", frames(trace, 3, "if (atomicCAS")[0]),
        ("9 is enqueued", frames(trace, 3, "next[atomicAdd")[0]),
    ]


def xbfs_6() -> Story:
    """Double-scan for the level with the unvisited vertices {3, 4, 8, 9}."""
    trace, count = double_scan(), "double_scan_count"
    ballots = frames(trace, 2, "unsigned bits = __ballot", kernel=count)
    kept = frames(trace, 2, "mine = bits", kernel=count)
    counts = frames(trace, 2, "count += __popc", shows="count")
    places = frames(trace, 2, "queue[slot]")
    return [
        ("both threads look at 8 and 9, of the blue thread's segment", ballots[3]),
        ("the blue thread keeps the ballot", kept[3]),
        ("each has counted 2 frontiers", counts[-1]),
        ("the prefix sum gives 0 and 2", frames(trace, 2, "place[blockIdx.x", kernel=count)[0]),
        ("scan II: the black thread begins at 0, the blue one at 2", places[0]),
        ("the queue is complete", places[-1]),
    ]


def dfq_4() -> Story:
    """DFQ with sub-queues in shared memory, at the level with the frontier {2, 6, 7}."""
    trace = dfq("dfq-shared", 4)
    refused = [
        f for f in frames(trace, 2, "return before", warp=1) if "no" in f.row("reserve_stride")
    ]
    arrived = [at for at in frames(trace, 2, "more = __syncthreads_or") if "arrive" in at.warp]
    return [
        ("a delegated thread of each warp reserves a stride", frames(trace, 2, "before = atom")[0]),
        (
            "2 is enqueued: an atomic addition and a store",
            frames(trace, 2, "own.queue[", warp=1)[0],
        ),
        ("warp 1 is refused", refused[0]),
        ("the warps that append to this sub-queue synchronise", arrived[0]),
        ("drain: a warp visits the neighbours of 2", frames(trace, 2, "int v = neigh")[0]),
        ("one thread resets the size", frames(trace, 2, "*own.size = 0")[0]),
    ]


FIGURES = {
    "xbfs-4a": xbfs_4a,
    "xbfs-4b": xbfs_4b,
    "xbfs-4c": xbfs_4c,
    "xbfs-6": xbfs_6,
    "dfq-4": dfq_4,
}


def as_text(story: Story) -> str:
    """The frames, above each a line that says which step it is, from 1, and what happens there."""
    parts = [f"{RULE} step {f.at + 1}: {words}\n" + "\n".join(f.lines) for words, f in story]
    return "\n\n".join(parts) + "\n"


def path(name: str) -> Path:
    """The file of a figure."""
    return FOLDER / f"{name}.txt"


def main() -> None:
    """Write all files."""
    for name, story in FIGURES.items():
        path(name).write_text(as_text(story()), encoding="utf-8")


if __name__ == "__main__":
    main()
