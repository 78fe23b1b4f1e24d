# wrong: a text that is put together while the file runs
# loses: read
# says: KERNEL is not a text

from gpubfs.host import DeviceGraph, Host, SearchResult

TYPE = "int"
KERNEL = TYPE + r""" unused;
// The vertices that are found go to `next`; found[0] is how many, found[1] their edges.
__device__ void append(const int *offsets, int v, int *next, int *found) {
  next[atomicAdd(&found[0], 1)] = v;
  atomicAdd(&found[1], offsets[v + 1] - offsets[v]);
}

// Top-down: a thread for each vertex of the frontier, which is at distance `depth`.
extern "C" __global__ void down(const int *offsets, const int *neighbours, int *level,
                                const int *frontier, int size, int *next, int *found, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  int end = offsets[frontier[i] + 1];
  for (int e = offsets[frontier[i]]; e < end; e++) {
    int w = neighbours[e];
    if (level[w] >= 0) continue;
    if (atomicCAS(&level[w], -1, depth + 1) == -1) append(offsets, w, next, found);
  }
}

// Bottom-up: a thread for each vertex; who was not visited looks for a parent.
extern "C" __global__ void up(const int *offsets, const int *neighbours, int *level, int vertices,
                              int *next, int *found, int depth) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] >= 0) return;
  int end = offsets[v + 1];
  for (int e = offsets[v]; e < end; e++) {
    if (level[neighbours[e]] == depth) {
      level[v] = depth + 1;
      append(offsets, v, next, found);
      break;
    }
  }
}
"""

BLOCK = 64


def search(host: Host, graph: DeviceGraph, source: int) -> SearchResult:
    """Distances from `source`."""
    level = host.levels(graph.vertices, source)
    frontier = host.queue("frontier", graph.vertices, source)
    following = host.queue("next", graph.vertices)
    found = host.full("found", 2, 0)
    depth, size, edges = 0, 1, 0
    while size:
        host.level(depth, size)
        host.write(found, 0)
        arrays = graph.offsets, graph.neighbours, level
        if edges >= 0.1 * graph.edges:
            blocks = host.blocks(graph.vertices, BLOCK)
            host.launch("up", blocks, BLOCK, (*arrays, graph.vertices, following, found, depth))
        else:
            queues = frontier, size, following, found
            host.launch("down", host.blocks(size, BLOCK), BLOCK, (*arrays, *queues, depth))
        size, edges = host.read(found)
        frontier, following = host.swap(frontier, following)
        depth += 1
    return SearchResult(level)
