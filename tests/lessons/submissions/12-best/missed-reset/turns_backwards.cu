// wrong: takes the tails by turns in the other direction, and resets the one that is next but one
// loses: sanitizer
// says: race on tails

#include <cooperative_groups.h>

#include "claim.cuh"

namespace cg = cooperative_groups;

// Gives the neighbours of the queue's vertices the level next_depth if they have none,
// and appends them to `next`. All threads of the grid share the vertices.
__device__ void expand(const offset_t *offsets, const int *neighbours, int *level,
                       const int *queue, int size, int *next, int *tail, int next_depth) {
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += threads) {
    int v = queue[i];
    claim_range(neighbours, offsets[v], offsets[v + 1], 1, level, next, tail, next_depth);
  }
}

extern "C" __global__ void missed_reset(const offset_t *offsets, const int *neighbours,
                                        int *level, int *frontier, int *next, int *tails) {
  cg::grid_group grid = cg::this_grid();
  int size = 1;
  int turn = 0;
  #pragma unroll 1
  for (int depth = 0; size > 0; depth++) {
    expand(offsets, neighbours, level, frontier, size, next, &tails[turn], depth + 1);
    int after = turn == 2 ? 0 : turn + 1;
    int last = after == 2 ? 0 : after + 1;
    if (grid.thread_rank() == 0) tails[last] = 0;
    grid.sync();
    size = tails[turn];
    turn = after;
    int *expanded = frontier;
    frontier = next;
    next = expanded;
  }
}
