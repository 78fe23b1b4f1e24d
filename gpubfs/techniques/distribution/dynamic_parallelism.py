"""A thread that meets a large adjacency launches a kernel for it: dynamic parallelism.

Tödling, Winter and Steinberger's first attempt at distributing work (Section III-B): a thread goes
through the adjacency of its frontier vertex as long as that has at most `threshold` edges, and
launches a child grid for a larger one, with a thread for each `edges_per_thread` edges. Children
append to the same next queue. A launch takes time, so that graphs whose vertices all have many
edges are the bad case: there are as many launches as reached vertices above the threshold. The
paper gives neither number; 64 for both, and blocks of 256 threads, are those of its published code.
It says as little of how vertices are enqueued; here a compare-and-swap claims each, and an atomic
addition appends it. Nor does it name a stream: children of one block would run one after the other
on its default stream, so here they are launched as fire-and-forget.

CUDA keeps what it must know of a launch by a kernel until its grid has ended, in a pool with places
for 2,048 launches. One that finds the pool full fails; the thread that made it can ask, and nobody
else hears of it: its vertex is not expanded, and the levels are wrong. So the host sets the size of
the pool before the search. With `pool=auto` that is the power of two that has room for all vertices
above the threshold, from 2,048 to 2^20; places take device memory. (The published code takes
32,768.) Every launch is followed by a question for its error, but the pool is not left to that. On
an H200 (CUDA 13.0, driver 580) with 2,048 places, fire-and-forget launches of one grid failed with
the error 69 as they should where there were 2,100, 2,500 or 20,000 of them, and of 4,000 the grid
did not end; nor did searches of kron:14 and kron:16 with `threshold=4`. So threads count the
launches of a level, and make no more than the pool holds. A search in which one failed or was not
made ends with a `UsageError`.

The idea is Zhang et al.'s, but their search is another one and not built here: an outer kernel goes
over all vertices and looks at their status, and an inner one is launched for each that is in the
frontier.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from gpubfs.errors import UsageError
from gpubfs.graphs.build import count
from gpubfs.host import DeviceArray, DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import EXPANDED
from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, Iteration, level_loop
from gpubfs.search.option import AUTO, Option, Value
from gpubfs.search.papers import ZHANG
from gpubfs.search.queues import BLOCK_256

if TYPE_CHECKING:
    from gpubfs.graphs import Graph
    from gpubfs.machines import Machine

#: What kernels can be told as an int.
MOST_EDGES = 2**31 - 1
#: Sizes of the pool: CUDA's own, and larger ones.
POOLS = tuple(1 << n for n in range(11, 21))


def _pool_for(graph: Graph, machine: Machine, values: Mapping[str, Value]) -> Value:
    """Return the smallest pool with room for all vertices above the threshold, or the largest."""
    launches = np.count_nonzero(graph.degrees > int(values["threshold"]))
    return next((pool for pool in POOLS if pool >= launches), POOLS[-1])


@technique(
    "dynamic-parallelism",
    kernel="dynamic_parallelism.cu",
    paper=ZHANG,
    section="in the form of Tödling et al., III-B",
    year=2015,
    **EXPANDED
    | {
        "arrays": QUEUE_ARRAYS
        | {
            "launched": "how many children the level has",
            "failures": "how many vertices got no child, and the error code of one of them",
        },
        "memory": f"{QUEUE_MEMORY} + 12 bytes, and what CUDA takes for the pool",
    },
    options=(
        BLOCK_256,
        Option("threshold", 64, "the most edges of a thread", minimum=0, maximum=MOST_EDGES),
        Option(
            "edges_per_thread",
            64,
            "the most edges of a child's thread",
            minimum=1,
            maximum=MOST_EDGES,
        ),
        Option(
            "pool",
            AUTO,
            "launches by kernels that may be pending; auto has room for all that there may be",
            choices=(AUTO, *POOLS),
            choose=_pool_for,
        ),
    ),
)
def dynamic_parallelism(
    host: Host,
    graph: DeviceGraph,
    source: int,
    *,
    block: int,
    threshold: int,
    edges_per_thread: int,
    pool: int,
) -> SearchResult:
    """Run the kernel level after level, then look whether all children have run."""
    host.allow_pending_launches(pool)
    launched = host.full("launched", 1, 0)
    failures = host.full("failures", 2, 0)

    def expand(iteration: Iteration) -> None:
        host.write(launched, 0)
        queues = (iteration.frontier, iteration.size, iteration.next, iteration.next_size)
        arrays = (graph.offsets, graph.neighbours, iteration.level, *queues)
        limits = threshold, edges_per_thread, launched, pool
        args = (*arrays, iteration.depth, *limits, failures)
        host.launch("dynamic_parallelism", host.blocks(iteration.size, block), block, args)

    answer = level_loop(host, graph, source, expand)
    _check(host, failures, pool)
    return answer


def _check(host: Host, failures: DeviceArray, pool: int) -> None:
    failed, error = map(int, host.read(failures))
    if not failed:
        return
    what = count(failed, "launch by the kernel", "launches by the kernel")
    if error:
        raise UsageError(f"{what} failed, with CUDA's error {error}", "give a larger threshold")
    raise UsageError(
        f"{what} had no room: a level has more than the {pool:,} that the pool of pending launches "
        "holds, and their vertices are not expanded",
        "give a larger pool, such as pool=auto, or a larger threshold, so that fewer children are "
        "launched",
    )
