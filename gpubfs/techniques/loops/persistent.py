"""One cooperative launch searches all levels, and its grid waits at a barrier between two.

The loop of Hsieh et al.'s decentralized queues (Section IV), and of Xiao and Feng's barrier, on
which Luo et al. build (Tödling et al., II-C): blocks that all run at the same time can wait for
each other in memory, so that a level ends without a launch and without a read. Expansion is
host-loop's.

Each level has a tail of its own, so that no tail is reset while a block may still read it, and one
barrier a level is enough. Unless `blocks` says otherwise there are as many blocks as run at the
same time. Fewer wait less: a barrier takes longer with more blocks, and small frontiers have work
for few.

All that happens is one launch at level 0, as the host does not see the others.
"""

from __future__ import annotations

from gpubfs.host import DeviceGraph, Host, SearchResult
from gpubfs.search.description import technique
from gpubfs.search.distribution import GROUP_WIDTH
from gpubfs.search.main_loops import LEVEL_ARRAYS, LEVEL_MEMORY, MAIN_LOOP, level_arrays
from gpubfs.search.papers import DFQ
from gpubfs.search.queues import BLOCK_256, BLOCKS


@technique(
    "persistent",
    kernel="persistent.cu",
    paper=DFQ,
    section="IV, the loop without its queue",
    year=2023,
    arrays=LEVEL_ARRAYS,
    memory=LEVEL_MEMORY,
    options=(BLOCK_256, BLOCKS, GROUP_WIDTH),
    cooperative=True,
    **MAIN_LOOP,
)
def persistent(
    host: Host, graph: DeviceGraph, source: int, *, block: int, blocks: int, width: int
) -> SearchResult:
    """One launch; `width` is a macro of the kernel file."""
    level, *queues = level_arrays(host, graph, source)
    grid = host.waiting_blocks(blocks, block, "persistent")
    args = (graph.offsets, graph.neighbours, level, *queues, graph.vertices)
    host.launch("persistent", grid, block, args)
    return SearchResult(level)
