// right: with the package's adjacencies, and warps without edges spare the turns

#include "adjacency.cuh"
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
  int lane = threadIdx.x % warpSize;
  int first = blockIdx.x * blockDim.x + threadIdx.x - lane;
  #pragma unroll 1
  for (; first < frontier_size; first += gridDim.x * blockDim.x) {
    Adjacency own = adjacency_of(offsets, entry(frontier, frontier_size, first + lane));
    if (!__any_sync(EVERY_LANE, own.begin < own.end)) continue;
    #pragma unroll 1
    for (int turn = WIDTH - 1; turn >= 0; turn--) {
      offset_t begin = __shfl_sync(EVERY_LANE, own.begin, turn, WIDTH) + virtual_lane();
      claim_range(neighbours, begin, __shfl_sync(EVERY_LANE, own.end, turn, WIDTH), WIDTH, level,
                  next, next_size, next_depth);
      __syncwarp();
    }
  }
}
