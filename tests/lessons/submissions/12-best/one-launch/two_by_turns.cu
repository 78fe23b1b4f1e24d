// wrong: two flags by turns: the one that is reset may still be read
// loses: sanitizer
// says: race on found

#include <cooperative_groups.h>

#include "csr.cuh"

namespace cg = cooperative_groups;

// This thread's part of a level: the neighbours of its vertices at distance
// `depth` get depth + 1, if they have no level. Says whether there were any.
__device__ bool expand(const offset_t *offsets, const int *neighbours, int *level,
                       int vertices, int depth) {
  bool any = false;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < vertices; v += threads) {
    if (level[v] != depth) continue;
    offset_t end = offsets[v + 1];
    #pragma unroll 1
    for (offset_t e = offsets[v]; e < end; e++) {
      int w = neighbours[e];
      int seen = level[w];
      if (seen >= 0 && seen <= depth) continue;
      level[w] = depth + 1;
      any = true;
    }
  }
  return any;
}

extern "C" __global__ void one_launch(const offset_t *offsets, const int *neighbours,
                                      int *level, int vertices, int *found) {
  cg::grid_group grid = cg::this_grid();
  for (int depth = 0;; depth++) {
    if (expand(offsets, neighbours, level, vertices, depth)) found[depth % 2] = 1;
    if (grid.thread_rank() == 0) found[(depth + 1) % 2] = 0;
    grid.sync();
    if (!found[depth % 2]) return;
  }
}
