// wrong: one thread searches alone
// loses: limit
// says: the result is right, but work.maximum is

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
  if (grid.thread_rank() != 0) return;
  bool any = true;
  for (int depth = 0; any; depth++) {
    any = false;
    for (int v = 0; v < vertices; v++) {
      if (level[v] != depth) continue;
      for (int e = offsets[v]; e < offsets[v + 1]; e++) {
        if (level[neighbours[e]] >= 0) continue;
        level[neighbours[e]] = depth + 1;
        any = true;
      }
    }
  }
}
