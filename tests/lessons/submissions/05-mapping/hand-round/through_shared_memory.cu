// right: lanes hand their offsets round in shared memory

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
  __shared__ offset_t begins[1024], ends[1024];
  int lane = threadIdx.x % warpSize;
  int group = threadIdx.x / WIDTH * WIDTH;
  #pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - lane < frontier_size;
       i += gridDim.x * blockDim.x) {
    int u = i < frontier_size ? frontier[i] : -1;
    begins[threadIdx.x] = u < 0 ? 0 : offsets[u];
    ends[threadIdx.x] = u < 0 ? 0 : offsets[u + 1];
    __syncwarp();
    #pragma unroll 1
    for (int turn = 0; turn < WIDTH; turn++) {
      claim_range(neighbours, begins[group + turn] + virtual_lane(), ends[group + turn], WIDTH,
                  level, next, next_size, next_depth);
    }
    __syncwarp();
  }
}
