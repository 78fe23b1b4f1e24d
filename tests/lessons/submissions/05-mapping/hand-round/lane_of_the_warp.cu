// wrong: begins at the lane's number in the warp instead of the group
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
  int threads = gridDim.x * blockDim.x;
  int lane = threadIdx.x % warpSize;
  // i - lane is the same for all lanes of a warp: they stay together for the shuffles.
  #pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - lane < frontier_size; i += threads) {
    offset_t begin = 0;
    offset_t end = 0;
    if (i < frontier_size) {
      int u = frontier[i];
      begin = offsets[u];
      end = offsets[u + 1];
    }
    #pragma unroll 1
    for (int turn = 0; turn < WIDTH; turn++) {
      offset_t first = __shfl_sync(EVERY_LANE, begin, turn, WIDTH);
      offset_t last = __shfl_sync(EVERY_LANE, end, turn, WIDTH);
      claim_range(neighbours, first + lane, last, WIDTH, level, next, next_size,
                  next_depth);
    }
  }
}
