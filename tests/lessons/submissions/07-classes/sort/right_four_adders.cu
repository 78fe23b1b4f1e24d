// right: four lanes add, each for one class

// Puts the vertices of a level into four queues, by how many neighbours they have.
//
// A thread for each place of `raw`; blocks have whole warps. Class c of a vertex is
//   0, up to                4 neighbours: a thread is enough for them,
//   1, up to 4 * 32              of them: a warp is,
//   2, up to 4 * blockDim.x      of them: a block is,
//   3, above that:                        it needs the grid.
// A warp adds to sizes[c] at most once, and not at all if it has no vertex of class c.

// offsets:  vertex v has offsets[v + 1] - offsets[v] neighbours.
// vertices: how many vertices the graph has.
// raw:      the vertices of the level, each once.
// raw_size: their number.
// queues:   four queues of `vertices` places each, one behind the other; in each the
//           vertices of its class, in any order, from its first place on.
// sizes:    how many vertices each queue has; 0 at the start.

#define EVERY_LANE 0xffffffffu
#define EDGES 4
#define CLASSES 4

extern "C" __global__ void sort_by_class(const int *offsets, int vertices, const int *raw,
                                         int raw_size, int *queues, int *sizes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize;
  int v = -1, kind = CLASSES;
  if (i < raw_size) {
    v = raw[i];
    int degree = offsets[v + 1] - offsets[v];
    for (kind = 0; kind < 3; kind++) {
      int bound = kind == 0 ? EDGES : kind == 1 ? EDGES * warpSize : EDGES * (int)blockDim.x;
      if (degree <= bound) break;
    }
  }
  int wanted = 0, before = 0;
  for (int c = 0; c < CLASSES; c++) {
    unsigned those = __ballot_sync(EVERY_LANE, kind == c);
    if (lane == c) wanted = __popc(those);
    if (kind == c) before = __popc(those & ((1u << lane) - 1));
  }
  int start = wanted > 0 ? atomicAdd(&sizes[lane], wanted) : 0;
  start = __shfl_sync(EVERY_LANE, start, kind % CLASSES);
  if (v >= 0) queues[kind * vertices + start + before] = v;
}
