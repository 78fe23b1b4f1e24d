// wrong: hard-coded answer: everything is next to the source
// loses: result
// says: but no neighbour of it is at level 0

// dfq-shared, with the check for room as Figure 4 of Hsieh et al. prints it.
//
// Line 5 of the figure drains the queue if size >= capacity - stride, and line 14
// raises size when a vertex is found. Where the sub-queue is small and the block
// has several warps, it overflows.

#include <cooperative_groups.h>

#include "visit.cuh"
#include "warp_scan.cuh"

namespace cg = cooperative_groups;

extern "C" __global__ void dfq_shared(const offset_t *offsets, const int *neighbours, int *level,
                                      int vertices, int *found, int capacity) {
  int threads = gridDim.x * blockDim.x;
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < vertices; v += threads) {
    if (level[v] < 0 && offsets[v] < offsets[v + 1]) level[v] = 1;
  }
}
