// right: lanes of the same class find each other by a match

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
  int v = i < raw_size ? raw[i] : -1;
  int kind = -1;
  if (v >= 0) {
    int degree = offsets[v + 1] - offsets[v];
    kind = degree <= EDGES ? 0 : degree <= EDGES * warpSize ? 1 : 2;
    if (degree > EDGES * (int)blockDim.x) kind = 3;
  }
  unsigned those = __match_any_sync(EVERY_LANE, kind);
  int first = __ffs(those) - 1;
  int start = 0;
  if (lane == first && kind >= 0) start = atomicAdd(&sizes[kind], __popc(those));
  start = __shfl_sync(EVERY_LANE, start, first);
  if (kind >= 0) queues[kind * vertices + start + __popc(those & ((1u << lane) - 1))] = v;
}
