"""A kernel of one thread launches level after level from the device; the host launches it once.

Tödling, Winter and Steinberger (Section V): the host need not copy back whether a level found
vertices, and a one-thread kernel manages the iterations. They do not say how it waits for a level.
In their days a kernel could wait for those that it launched (cudaDeviceSynchronize on the device);
CUDA 12 took that away. So the thread launches the level's expansion, and behind it itself as a
tail launch, which begins when all that it launched before has ended. A tail launch a level is
enough; a search with a class of huge vertices needs two, the second once their maximum is known.
There is no depth of nesting to run out of: a tail launch takes the place of its parent.

`expansion` names the technique whose kernel expands levels: `host-loop`, `status-array`, the
paper's naive version, which has no queue, or `block-prefix-sum`, its queue of Section III-A, with
four edges a thread. Each is then the same kernel as in the technique of that name, whose loop the
host runs. The paper measures a few percent to twice the speed for the naive version; Zhang et al.
lose up to 44 %, with a kernel launch for each adjacency besides, which is not built here.

The host reads nothing. Each level has a tail of its own in `sizes`, and nothing is reset. A launch
by the device that fails stops the kernel (an assertion), for the host would take the search to be
over. All launches count to level 0, as the host does not see the others.
"""

from __future__ import annotations

from dataclasses import replace

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import GROUP_WIDTH
from gpubfs.search.main_loops import LEVEL_ARRAYS, LEVEL_MEMORY, MAIN_LOOP, level_arrays, tails
from gpubfs.search.option import Option
from gpubfs.search.papers import TOEDLING
from gpubfs.search.queues import BLOCK_256
from gpubfs.techniques.frontiers.block_prefix_sum import block_prefix_sum
from gpubfs.techniques.frontiers.status_array import status_array
from gpubfs.techniques.loops.host_loop import host_loop

#: The expansion that is the other main loops', too.
HOST_LOOP = host_loop.name
#: The expansion that needs no queue.
NAIVE = status_array.name


@technique(
    "device-loop",
    kernel="device_loop.cu",
    paper=TOEDLING,
    section="V",
    year=2019,
    arrays=LEVEL_ARRAYS
    | {"sizes": f"{LEVEL_ARRAYS['sizes']}; with expansion={NAIVE} 1 where there are any"},
    memory=f"{LEVEL_MEMORY}; 4 V + 4 (V + 1) with expansion={NAIVE}",
    shared=dict(block_prefix_sum.shared),
    options=(
        BLOCK_256,
        replace(GROUP_WIDTH, only_with=("expansion", (HOST_LOOP,))),
        Option(
            "expansion",
            HOST_LOOP,
            "the technique whose kernel expands a level",
            choices=(HOST_LOOP, NAIVE, block_prefix_sum.name),
            define="EXPANSION",
        ),
    ),
    **MAIN_LOOP
    | {
        "benign": {
            "level": f"{MAIN_LOOP['benign']['level']}; with expansion={NAIVE}, "
            f"{status_array.benign['level']}"
        }
    },
)
def device_loop(
    host: Host, graph: DeviceGraph, source: int, *, block: int, width: int, expansion: str
) -> SearchResult:
    """One launch; `width` and `expansion` are macros of the kernel file."""
    arrays = (graph.offsets, graph.neighbours)
    if expansion == NAIVE:
        level = host.levels(graph.vertices, source)
        found = tails(host, graph)
        args = (*arrays, level, graph.vertices, found, block, 0)
        host.launch("device_loop_naive", 1, 1, args)
        return SearchResult(level)
    level, *queues = level_arrays(host, graph, source)
    host.launch("device_loop", 1, 1, (*arrays, level, *queues, block, 0))
    return SearchResult(level)
