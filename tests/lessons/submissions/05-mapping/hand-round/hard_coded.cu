// wrong: knows the answer for a star
// loses: result
// says: has no level

#include "claim.cuh"
#include "visit.cuh"
#include "warp_scan.cuh"  // EVERY_LANE

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
// WIDTH:     a macro, 1 to warpSize; virtual_warp() and virtual_lane() are in visit.cuh.
// Blocks are whole warps, and there may be more vertices than threads.
extern "C" __global__ void virtual_warp_expand(const offset_t *offsets, const int *neighbours,
                                               int *level, const int *frontier,
                                               int frontier_size, int *next, int *next_size,
                                               int next_depth) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (next_depth == 1 && v > 0 && v <= 8) {
    level[v] = 1;
    next[atomicAdd(next_size, 1)] = v;
  }
}
