# right: a warp for each vertex of the frontier, and figures that a warp adds up

from gpubfs.host import DeviceGraph, Host, SearchResult

KERNEL = r"""
// The vertices that are found go to `next`; found[0] is how many, found[1] their edges.
__device__ void append(const int *offsets, int v, int *next, int *found) {
  next[atomicAdd(&found[0], 1)] = v;
  atomicAdd(&found[1], offsets[v + 1] - offsets[v]);
}

// Top-down: a warp for each vertex of the frontier, which is at distance `depth`.
extern "C" __global__ void down(const int *offsets, const int *neighbours, int *level,
                                const int *frontier, int size, int *next, int *found, int depth) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  if (i >= size) return;
  int u = frontier[i];
  int end = offsets[u + 1];
  for (int e = offsets[u] + threadIdx.x % warpSize; e < end; e += warpSize) {
    int w = neighbours[e];
    if (level[w] >= 0) continue;
    if (atomicCAS(&level[w], -1, depth + 1) == -1) append(offsets, w, next, found);
  }
}

// Bottom-up: a thread for each vertex; who was not visited looks for a parent.
extern "C" __global__ void up(const int *offsets, const int *neighbours, int *level, int vertices,
                              int *next, int *found, int depth) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool looking = v < vertices && level[v] < 0;
  int degree = looking ? offsets[v + 1] - offsets[v] : 0;
  bool discovered = false;
  for (int k = 0; k < degree && !discovered; k++) {
    discovered = level[neighbours[offsets[v] + k]] == depth;
  }
  __syncwarp();
  unsigned all = __ballot_sync(0xffffffff, discovered);
  int sum = discovered ? degree : 0;
  for (int d = warpSize / 2; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  int lane = threadIdx.x % warpSize;
  int place = 0;
  if (lane == 0 && all) {
    place = atomicAdd(&found[0], __popc(all));
    atomicAdd(&found[1], sum);
  }
  place = __shfl_sync(0xffffffff, place, 0);
  if (!discovered) return;
  level[v] = depth + 1;
  next[place + __popc(all & ((1u << lane) - 1))] = v;
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
            host.launch("down", host.blocks(size, BLOCK // host.warp_size), BLOCK, (*arrays, *queues, depth))
        size, edges = host.read(found)
        frontier, following = host.swap(frontier, following)
        depth += 1
    return SearchResult(level)
