// The whole search in one cooperative launch, with queues.
//
// level[v]: 0 for the source and -1 for all others at the start; at the end the
//           distance from the source, or -1 where no edges lead.
// frontier: a queue that holds the source. next: a queue for the level after it.
//           They change places after each level.
// tails:    three ints, 0 at the start. A level counts its vertices in one of them.
//
// It is right in some orders of the warps, and loses vertices in others: somebody
// still appends, or still reads, when a tail is set to 0. One barrier a level is
// enough, and all threads must go on sharing the work.

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
    grid.sync();
    size = tails[turn];
    // The next level counts in the other tail, which has an old number.
    turn = 1 - turn;
    if (grid.thread_rank() == 0) tails[turn] = 0;
    int *expanded = frontier;
    frontier = next;
    next = expanded;
  }
}
