// wrong: broadcasts the vertex, and every turn loads its offsets again
// loses: limit
// says: load_requests is

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
  #pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - lane < frontier_size; i += threads) {
    int own = i < frontier_size ? frontier[i] : -1;
    #pragma unroll 1
    for (int turn = 0; turn < WIDTH; turn++) {
      int u = __shfl_sync(EVERY_LANE, own, turn, WIDTH);
      if (u >= 0) {
        claim_range(neighbours, offsets[u] + virtual_lane(), offsets[u + 1], WIDTH, level, next,
                    next_size, next_depth);
      }
    }
  }
}
