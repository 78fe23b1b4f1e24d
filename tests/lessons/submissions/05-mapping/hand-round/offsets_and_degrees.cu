// right: hands round where edges begin and how many there are; swaps without looking first in a loop of its own

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
  int rounds = (frontier_size + threads - 1) / threads;
  #pragma unroll 1
  for (int round = 0; round < rounds; round++) {
    int i = round * threads + blockIdx.x * blockDim.x + threadIdx.x;
    offset_t begin = 0, degree = 0;
    if (i < frontier_size) {
      begin = offsets[frontier[i]];
      degree = offsets[frontier[i] + 1] - begin;
    }
    #pragma unroll 1
    for (int turn = 0; turn < WIDTH; turn++) {
      offset_t of_turn = __shfl_sync(EVERY_LANE, begin, turn, WIDTH);
      offset_t many = __shfl_sync(EVERY_LANE, degree, turn, WIDTH);
      #pragma unroll 1
      for (offset_t k = threadIdx.x % WIDTH; k < many; k += WIDTH) {
        int v = neighbours[of_turn + k];
        if (atomicCAS(&level[v], -1, next_depth) == -1) next[atomicAdd(next_size, 1)] = v;
      }
    }
  }
}
