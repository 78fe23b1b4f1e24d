// wrong: serial: the first lane does it for its warp
// loses: limit
// says: load_requests is

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
  if (threadIdx.x % warpSize != 0) return;
  int bounds[CLASSES] = {EDGES, EDGES * warpSize, EDGES * (int)blockDim.x, 2147483647};
  int least = -1;
  for (int c = 0; c < CLASSES; c++) {
    int count = 0;
    for (int k = i; k < min(i + warpSize, raw_size); k++) {
      int degree = offsets[raw[k] + 1] - offsets[raw[k]];
      if (degree > least && degree <= bounds[c]) count++;
    }
    if (count > 0) {
      int place = atomicAdd(&sizes[c], count);
      for (int k = i; k < min(i + warpSize, raw_size); k++) {
        int degree = offsets[raw[k] + 1] - offsets[raw[k]];
        if (degree > least && degree <= bounds[c]) queues[c * vertices + place++] = raw[k];
      }
    }
    least = bounds[c];
  }
}
