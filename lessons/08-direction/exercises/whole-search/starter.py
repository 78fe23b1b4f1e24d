"""A whole search: kernels and their driver in one file, as people write them with CuPy.

KERNEL has your kernels, in CUDA C; gpubfs check reads it. `search` launches them: by
host.launch("name", blocks, threads per block, arguments), where arguments are arrays and whole
numbers. It returns the array of levels: the distance from `source`, -1 where none is. What the
host can do is in the exercises level-loop (lesson 01) and switch: levels, full, empty, queue,
write, read, swap, level, blocks. It may read up to four numbers at a time, and nothing of the
graph.

graph.offsets and graph.neighbours are the graph (int32, each edge in both directions);
graph.vertices and graph.edges say how large it is. In a kernel, parameters called `offsets` and
`neighbours` get these two.

Announce each level by host.level(depth, size) before its launches: `size` is how many vertices it
has, each counted once. Limits are on what all threads load, store and add: some graphs have many
small levels, and looking at every vertex at each of them is too much; some have a level with nearly
all edges, and looking at all of these is too much. Three launches and one read for each level are
enough.
"""

from gpubfs.host import DeviceGraph, Host, SearchResult

KERNEL = r"""
// Your kernels here: extern "C" __global__ void name(const int *offsets, …) { … }
"""

BLOCK = 64


def search(host: Host, graph: DeviceGraph, source: int) -> SearchResult:
    """Distances from `source`."""
    level = host.levels(graph.vertices, source)
    # Your code here.
    return SearchResult(level)
