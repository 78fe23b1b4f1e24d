"""Who discovers a vertex puts it into the queue of its class at once: eight queues, and no pass.

Tödling, Winter and Steinberger (Section III-B): the classes and their kernels are those of deferred
classification, but the thread that discovers a vertex looks up its degree, two more loads, and
appends it to the queue of its class. Each class has a queue that is expanded and one that is
filled, and the two change places after a level. That spares a launch a level, and each vertex is
read from a queue once less.

A thread has four queues in registers, the paper says. Here they are one: entry k belongs to the
thread's edge k, and two bits say its class. Loops over the entries are unrolled and find a class's
entries by their bits; a queue that grows by a running counter would be indexed by a variable, and
so go to local memory, which is device memory. Flags in shared memory say which classes the block
has discovered vertices of, and only for these it makes the prefix sum and the atomic addition.

Thresholds, the grid for huge vertices and who runs the loop are as in classified-deferred. The host
puts the source into the queue of its class, for which it reads the source's degree; the search ends
when all four queues are empty.

The code that the authors published with faimGraph has four arrays for a thread's queues, indexed by
running counters, and ends when the first three queues are empty: a large star, searched from a
leaf, ends at its hub.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.classes import (
    CLASSES,
    CLASSIFIED,
    EXPLORE_SHARED,
    LARGEST,
    Classification,
    Exploration,
)
from gpubfs.search.description import technique
from gpubfs.search.technique import Parts


@technique(
    "classified-immediate",
    kernel="classified_immediate.cu",
    section="III-A and III-B (immediate classification)",
    arrays={
        "level": "distance from the source, -1 where not visited",
        "current": "a queue of V places for each class: small, medium, large, huge",
        "next": "the same for the vertices of the level after it",
        "tails": "how many vertices each class has in next",
    }
    | LARGEST,
    memory="4 V for level + 4 V for each of eight queues + 20 bytes (24 with 64-bit offsets)",
    shared={"wanted": "whether the block has discovered vertices of each class", **EXPLORE_SHARED},
    benign={
        "wanted:writes": "all who set a flag write the same, and nobody reads it before a barrier"
    },
    parts={"next": Parts("tails", capacity="vertices")},
    **CLASSIFIED,
)
def classified_immediate(
    host: Host, graph: DeviceGraph, source: int, *, block: int, edges_per_thread: int
) -> SearchResult:
    """Expand the classes of a level, until all are empty."""
    level = host.levels(graph.vertices, source)
    places = len(CLASSES) * graph.vertices
    current, following = host.empty("current", places), host.empty("next", places)
    tails = host.full("tails", len(CLASSES), 0)
    classification = Classification(edges_per_thread, host.warp_size, block)
    exploration = Exploration(host, graph, level, classification)
    kind = classification.of(graph.positions(host, source))
    host.write(current[kind * graph.vertices : kind * graph.vertices + 1], source)
    sizes = [int(kind == each) for each in range(len(CLASSES))]
    depth = 0
    while any(sizes):
        host.level(depth, sum(sizes))
        host.write(tails, 0)
        depth += 1
        exploration.expand(current, sizes, following, tails, depth)
        sizes = host.read(tails).tolist()
        current, following = host.swap(current, following)
    return SearchResult(level)
